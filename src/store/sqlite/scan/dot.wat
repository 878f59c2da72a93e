;; Dot products of one query with many rows of int8, four rows at a time.
;;
;; The compiled bytes are in kernel.ts. After a change here, in this folder:
;;   npx --package wabt wat2wasm --enable-relaxed-simd dot.wat --output=/tmp/dot.wasm
;;   base64 -w0 /tmp/dot.wasm && sha256sum dot.wat
;; and put both lines into kernel.ts; a test fails while the hash is another file's.
;;
;; Why this shape: a row is read once and in order, so the scan runs about as fast as memory is read. A relaxed dot product
;; (i32x4.relaxed_dot_i8x16_i7x16_add_s) multiplies 16 bytes of a row at once, but only with numbers from 0 to 127. So the
;; query comes as two: its positive numbers, and its negative ones without their sign; the second product is subtracted.
;; With these numbers the instruction gives the same on every processor: no sum of two products leaves 16 bits
;; (2 × 127 × 128 < 2^15). Four rows share each load of the query.
;;
;; No sum can overflow: 4096 dimensions × 127 × 128 < 2^26.
(module
  (memory (export "memory") 1)

  (func (export "dots")
    (param $query i32)  ;; address of `stride` positive parts and then `stride` negative parts, 0 to 127, 16-byte aligned
    (param $rows i32)   ;; address of the first row; rows lie end to end
    (param $stride i32) ;; bytes in a row, a positive multiple of 16 (short rows are padded with zeros)
    (param $count i32)  ;; rows, a multiple of 4; 0 does nothing
    (param $out i32)    ;; address for `count` int32

    (local $a i32) (local $b i32) (local $c i32) (local $d i32)                     ;; where we read in each row
    (local $sumA v128) (local $sumB v128) (local $sumC v128) (local $sumD v128)     ;; four partial sums of each row
    (local $subA v128) (local $subB v128) (local $subC v128) (local $subD v128)     ;; and what is subtracted from them
    (local $q i32) (local $queryEnd i32) (local $outEnd i32)
    (local $positive v128) (local $negative v128) (local $row v128) (local $sumAB v128) (local $sumCD v128)

    (local.set $queryEnd (i32.add (local.get $query) (local.get $stride)))
    (local.set $outEnd (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $a (local.get $rows))

    (block $done
      (loop $fourRows
        (br_if $done (i32.eq (local.get $out) (local.get $outEnd)))
        (local.set $b (i32.add (local.get $a) (local.get $stride)))
        (local.set $c (i32.add (local.get $b) (local.get $stride)))
        (local.set $d (i32.add (local.get $c) (local.get $stride)))
        (local.set $sumA (v128.const i32x4 0 0 0 0))
        (local.set $subA (v128.const i32x4 0 0 0 0))
        (local.set $sumB (v128.const i32x4 0 0 0 0))
        (local.set $subB (v128.const i32x4 0 0 0 0))
        (local.set $sumC (v128.const i32x4 0 0 0 0))
        (local.set $subC (v128.const i32x4 0 0 0 0))
        (local.set $sumD (v128.const i32x4 0 0 0 0))
        (local.set $subD (v128.const i32x4 0 0 0 0))
        (local.set $q (local.get $query))

        (loop $sixteenDimensions
          (local.set $positive (v128.load (local.get $q)))
          (local.set $negative (v128.load (i32.add (local.get $q) (local.get $stride))))
          (local.set $row (v128.load (local.get $a)))
          (local.set $sumA (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $row) (local.get $positive) (local.get $sumA)))
          (local.set $subA (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $row) (local.get $negative) (local.get $subA)))
          (local.set $row (v128.load (local.get $b)))
          (local.set $sumB (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $row) (local.get $positive) (local.get $sumB)))
          (local.set $subB (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $row) (local.get $negative) (local.get $subB)))
          (local.set $row (v128.load (local.get $c)))
          (local.set $sumC (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $row) (local.get $positive) (local.get $sumC)))
          (local.set $subC (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $row) (local.get $negative) (local.get $subC)))
          (local.set $row (v128.load (local.get $d)))
          (local.set $sumD (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $row) (local.get $positive) (local.get $sumD)))
          (local.set $subD (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $row) (local.get $negative) (local.get $subD)))
          (local.set $a (i32.add (local.get $a) (i32.const 16)))
          (local.set $b (i32.add (local.get $b) (i32.const 16)))
          (local.set $c (i32.add (local.get $c) (i32.const 16)))
          (local.set $d (i32.add (local.get $d) (i32.const 16)))
          (local.set $q (i32.add (local.get $q) (i32.const 16)))
          (br_if $sixteenDimensions (i32.ne (local.get $q) (local.get $queryEnd))))

        (local.set $sumA (i32x4.sub (local.get $sumA) (local.get $subA)))
        (local.set $sumB (i32x4.sub (local.get $sumB) (local.get $subB)))
        (local.set $sumC (i32x4.sub (local.get $sumC) (local.get $subC)))
        (local.set $sumD (i32x4.sub (local.get $sumD) (local.get $subD)))

        ;; Transpose and add: a0 a1 a2 a3 and b0 b1 b2 b3 become a0+a2, b0+b2, a1+a3, b1+b3; likewise c and d;
        ;; then the halves of both together are the four totals.
        (local.set $sumAB (i32x4.add
          (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $sumA) (local.get $sumB))
          (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $sumA) (local.get $sumB))))
        (local.set $sumCD (i32x4.add
          (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $sumC) (local.get $sumD))
          (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $sumC) (local.get $sumD))))
        (v128.store (local.get $out) (i32x4.add
          (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $sumAB) (local.get $sumCD))
          (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $sumAB) (local.get $sumCD))))

        (local.set $out (i32.add (local.get $out) (i32.const 16)))
        (local.set $a (local.get $d)) ;; the end of the fourth row is the start of the next
        (br $fourRows)))))
