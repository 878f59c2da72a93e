;; Dot products of one query with many rows of int8, four rows at a time; and, for a first choice among many rows, sums for
;; codes of one bit for each dimension.
;;
;; The compiled bytes are in kernel.ts. After a change here, in this folder:
;;   npx --package wabt wat2wasm --enable-relaxed-simd dot.wat --output=/tmp/dot.wasm
;;   base64 -w0 /tmp/dot.wasm && sha256sum dot.wat
;; and put both lines into kernel.ts; a test fails while the hash is another file's.
;;
;; Why this shape: rows are read once, mostly in order, so the scan runs about as fast as memory is read. A relaxed dot product
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
    (param $rows i32)   ;; address of a list of the rows' addresses, each a multiple of 16
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

    (block $done
      (loop $fourRows
        (br_if $done (i32.eq (local.get $out) (local.get $outEnd)))
        (local.set $a (i32.load (local.get $rows)))
        (local.set $b (i32.load offset=4 (local.get $rows)))
        (local.set $c (i32.load offset=8 (local.get $rows)))
        (local.set $d (i32.load offset=12 (local.get $rows)))
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
        (local.set $rows (i32.add (local.get $rows) (i32.const 16)))
        (br $fourRows))))

;; Codes have one bit for each dimension: 1 where the component is above a threshold. Those of 32 rows are interleaved, so that sixteen
;; look-ups are one instruction: for every four dimensions there are 16 bytes, the i-th with the four bits of row i in its lower
;; half and those of row i + 16 in its upper half.

  ;; Writes the code of one row.
  (func (export "encode")
    (param $row i32)        ;; address of the row
    (param $thresholds i32) ;; address of as many int8
    (param $stride i32)     ;; as above
    (param $codes i32)      ;; address of the codes of its 32 rows
    (param $place i32)      ;; its place among them, 0 to 31

    (local $end i32) (local $shift i32) (local $kept i32) (local $bits i32) (local $four i32)

    (local.set $end (i32.add (local.get $row) (local.get $stride)))
    (local.set $shift (i32.shr_u (i32.and (local.get $place) (i32.const 16)) (i32.const 2)))
    (local.set $kept (i32.shl (i32.const 15) (i32.sub (i32.const 4) (local.get $shift))))
    (local.set $codes (i32.add (local.get $codes) (i32.and (local.get $place) (i32.const 15))))
    (loop $sixteenDimensions
      (local.set $bits (i8x16.bitmask (i8x16.gt_s (v128.load (local.get $row)) (v128.load (local.get $thresholds)))))
      (local.set $four (i32.const 4))
      (loop $fourDimensions
        (i32.store8 (local.get $codes) (i32.or
          (i32.and (i32.load8_u (local.get $codes)) (local.get $kept))
          (i32.shl (i32.and (local.get $bits) (i32.const 15)) (local.get $shift))))
        (local.set $bits (i32.shr_u (local.get $bits) (i32.const 4)))
        (local.set $codes (i32.add (local.get $codes) (i32.const 16)))
        (br_if $fourDimensions (local.tee $four (i32.sub (local.get $four) (i32.const 1)))))
      (local.set $row (i32.add (local.get $row) (i32.const 16)))
      (local.set $thresholds (i32.add (local.get $thresholds) (i32.const 16)))
      (br_if $sixteenDimensions (i32.ne (local.get $row) (local.get $end)))))

  ;; For each code, the sum of the values that its bits select from the tables of a query.
  (func (export "sums")
    (param $tables i32) ;; address of a table for every four dimensions: 16 bytes, from 0 to 63
    (param $codes i32)  ;; address of the first 32 codes; others follow
    (param $stride i32) ;; as above
    (param $count i32)  ;; codes, a multiple of 32 above 0
    (param $out i32)    ;; address for `count` uint16

    (local $table i32) (local $tablesEnd i32)
    (local $code v128) (local $values v128)
    (local $low v128) (local $high v128) ;; of four tables, rows 0 to 15 and 16 to 31
    (local $sum0 v128) (local $sum8 v128) (local $sum16 v128) (local $sum24 v128) ;; of all tables, eight rows from this one on

    (local.set $tablesEnd (i32.add (local.get $tables) (i32.shl (local.get $stride) (i32.const 2))))
    (loop $rows
      (local.set $table (local.get $tables))
      (local.set $sum0 (v128.const i32x4 0 0 0 0))
      (local.set $sum8 (v128.const i32x4 0 0 0 0))
      (local.set $sum16 (v128.const i32x4 0 0 0 0))
      (local.set $sum24 (v128.const i32x4 0 0 0 0))
      (loop $fourTables
        (local.set $low (v128.const i32x4 0 0 0 0))
        (local.set $high (v128.const i32x4 0 0 0 0))
        (local.set $code (v128.load offset=0 (local.get $codes)))
        (local.set $values (v128.load offset=0 (local.get $table)))
        (local.set $low (i8x16.add (local.get $low)
          (i8x16.relaxed_swizzle (local.get $values) (v128.and (local.get $code) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))))
        (local.set $high (i8x16.add (local.get $high)
          (i8x16.relaxed_swizzle (local.get $values) (i8x16.shr_u (local.get $code) (i32.const 4)))))
        (local.set $code (v128.load offset=16 (local.get $codes)))
        (local.set $values (v128.load offset=16 (local.get $table)))
        (local.set $low (i8x16.add (local.get $low)
          (i8x16.relaxed_swizzle (local.get $values) (v128.and (local.get $code) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))))
        (local.set $high (i8x16.add (local.get $high)
          (i8x16.relaxed_swizzle (local.get $values) (i8x16.shr_u (local.get $code) (i32.const 4)))))
        (local.set $code (v128.load offset=32 (local.get $codes)))
        (local.set $values (v128.load offset=32 (local.get $table)))
        (local.set $low (i8x16.add (local.get $low)
          (i8x16.relaxed_swizzle (local.get $values) (v128.and (local.get $code) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))))
        (local.set $high (i8x16.add (local.get $high)
          (i8x16.relaxed_swizzle (local.get $values) (i8x16.shr_u (local.get $code) (i32.const 4)))))
        (local.set $code (v128.load offset=48 (local.get $codes)))
        (local.set $values (v128.load offset=48 (local.get $table)))
        (local.set $low (i8x16.add (local.get $low)
          (i8x16.relaxed_swizzle (local.get $values) (v128.and (local.get $code) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))))
        (local.set $high (i8x16.add (local.get $high)
          (i8x16.relaxed_swizzle (local.get $values) (i8x16.shr_u (local.get $code) (i32.const 4)))))
        (local.set $sum0 (i16x8.add (local.get $sum0) (i16x8.extend_low_i8x16_u (local.get $low))))
        (local.set $sum8 (i16x8.add (local.get $sum8) (i16x8.extend_high_i8x16_u (local.get $low))))
        (local.set $sum16 (i16x8.add (local.get $sum16) (i16x8.extend_low_i8x16_u (local.get $high))))
        (local.set $sum24 (i16x8.add (local.get $sum24) (i16x8.extend_high_i8x16_u (local.get $high))))
        (local.set $codes (i32.add (local.get $codes) (i32.const 64)))
        (local.set $table (i32.add (local.get $table) (i32.const 64)))
        (br_if $fourTables (i32.ne (local.get $table) (local.get $tablesEnd))))
      (v128.store (local.get $out) (local.get $sum0))
      (v128.store offset=16 (local.get $out) (local.get $sum8))
      (v128.store offset=32 (local.get $out) (local.get $sum16))
      (v128.store offset=48 (local.get $out) (local.get $sum24))
      (local.set $out (i32.add (local.get $out) (i32.const 64)))
      (br_if $rows (local.tee $count (i32.sub (local.get $count) (i32.const 32)))))))