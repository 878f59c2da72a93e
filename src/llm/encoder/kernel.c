// The arithmetic of the encoder, as WebAssembly with SIMD.
//
// It is compiled twice: with DOT8 for processors that multiply bytes and add the products in one instruction, and without
// it for all others. The compiled bytes are in kernelBytes.ts. After a change here: node scripts/encoderKernel.mjs (it needs
// clang 16 and lld 16); a test fails while the bytes are of another source.
//
// The same bytes come out of both and on every machine: sums of integers are exact, no fused multiply-add is used, and the
// exponential function is our own. Matrices are row-major where nothing else is said, addresses are aligned to 16 bytes,
// widths are multiples of 16.
#include <stdint.h>
#include <wasm_simd128.h>

#define EXPORT(name) __attribute__((export_name(#name))) void name
#define INLINE static inline __attribute__((always_inline))
// Activations are rounded to −8191 … 8191: 2048 products with int8 stay below 2³¹.
#define LARGEST_ACTIVATION 8191.0f
#define MAX_INPUTS 2048

extern unsigned char __heap_base;

// The first address that is free for use.
__attribute__((export_name("free_from"))) int32_t free_from(void) { return (int32_t)&__heap_base; }

static inline float sum_lanes(v128_t x) {
  v128_t pairs = wasm_f32x4_add(x, wasm_i32x4_shuffle(x, x, 2, 3, 0, 1));
  return wasm_f32x4_extract_lane(wasm_f32x4_add(pairs, wasm_i32x4_shuffle(pairs, pairs, 1, 0, 3, 2)), 0);
}

INLINE float largest_lane(v128_t x) {
  x = wasm_f32x4_pmax(x, wasm_i32x4_shuffle(x, x, 2, 3, 0, 1));
  return wasm_f32x4_extract_lane(wasm_f32x4_pmax(x, wasm_i32x4_shuffle(x, x, 1, 0, 3, 2)), 0);
}

// 1.5 · 2²³: added to a float of less than 2²², it leaves the nearest integer in the lowest bits.
#define ROUNDER 12582912.0f

// The nearest integers; ties go to even ones. Faster than the instructions for it, which also handle what is too large.
INLINE v128_t nearest_int(v128_t x) {
  v128_t rounder = wasm_f32x4_const_splat(ROUNDER);
  return wasm_i32x4_sub(wasm_f32x4_add(x, rounder), rounder);
}

// eˣ for x ≤ 0 (Cephes' polynomial, error below 2⁻²²); what is below −87 counts as −87.
static inline v128_t exp_negative(v128_t x) {
  x = wasm_f32x4_pmax(x, wasm_f32x4_const_splat(-87.0f));
  v128_t whole = nearest_int(wasm_f32x4_mul(x, wasm_f32x4_const_splat(1.44269504088896341f)));
  v128_t n = wasm_f32x4_convert_i32x4(whole);
  x = wasm_f32x4_sub(x, wasm_f32x4_mul(n, wasm_f32x4_const_splat(0.693359375f)));
  x = wasm_f32x4_sub(x, wasm_f32x4_mul(n, wasm_f32x4_const_splat(-2.12194440e-4f)));
  v128_t y = wasm_f32x4_const_splat(1.9875691500e-4f);
  y = wasm_f32x4_add(wasm_f32x4_mul(y, x), wasm_f32x4_const_splat(1.3981999507e-3f));
  y = wasm_f32x4_add(wasm_f32x4_mul(y, x), wasm_f32x4_const_splat(8.3334519073e-3f));
  y = wasm_f32x4_add(wasm_f32x4_mul(y, x), wasm_f32x4_const_splat(4.1665795894e-2f));
  y = wasm_f32x4_add(wasm_f32x4_mul(y, x), wasm_f32x4_const_splat(1.6666665459e-1f));
  y = wasm_f32x4_add(wasm_f32x4_mul(y, x), wasm_f32x4_const_splat(5.0000001201e-1f));
  y = wasm_f32x4_add(wasm_f32x4_mul(y, wasm_f32x4_mul(x, x)), wasm_f32x4_add(x, wasm_f32x4_const_splat(1.0f)));
  v128_t power = wasm_i32x4_shl(wasm_i32x4_add(whole, wasm_i32x4_const_splat(127)), 23);
  return wasm_f32x4_mul(y, power);
}

// Each row: less its mean, divided by its standard deviation, times gain, plus shift; in place.
EXPORT(layer_norm)(float *x, const float *gain, const float *shift, int32_t count, int32_t width) {
  for (int32_t row = 0; row < count; row++, x += width) {
    v128_t sum = wasm_f32x4_const_splat(0), squares = wasm_f32x4_const_splat(0);
    for (int32_t i = 0; i < width; i += 4) sum = wasm_f32x4_add(sum, wasm_v128_load(x + i));
    v128_t mean = wasm_f32x4_splat(sum_lanes(sum) / width);
    for (int32_t i = 0; i < width; i += 4) {
      v128_t d = wasm_f32x4_sub(wasm_v128_load(x + i), mean);
      squares = wasm_f32x4_add(squares, wasm_f32x4_mul(d, d));
    }
    v128_t scale = wasm_f32x4_splat(1.0f / __builtin_sqrtf(sum_lanes(squares) / width + 1e-12f));
    for (int32_t i = 0; i < width; i += 4) {
      v128_t d = wasm_f32x4_mul(wasm_f32x4_sub(wasm_v128_load(x + i), mean), scale);
      wasm_v128_store(x + i, wasm_f32x4_add(wasm_f32x4_mul(d, wasm_v128_load(gain + i)), wasm_v128_load(shift + i)));
    }
  }
}

// Products. The tokens are divided into tiles of at most MAX_TILE, as equally as possible; the sums of a tile with two outputs
// stay in registers. Bytes are in the order in which a tile reads them:
//
//   weights       for each pair of outputs, 16 int8 of the first, 16 of the second, the next 16 of the first, …   (pack)
//   activations   for each tile, 16 bytes of each of its tokens, the next 16 bytes of each, …                     (quantize)
//
// Without DOT8, an activation is an int16, and weights are widened to int16, 8 values in 16 bytes. With DOT8, an activation
// plus 8192 is divided into its upper and its lower 7 bits, and a tile has the upper ones of all inputs before the lower
// ones: Σ w·a = 128 Σ w·upper + Σ w·lower − 8192 Σ w. The sums on the way may exceed int32, the last one does not.
#ifdef DOT8
#define MAX_TILE 6
#else
#define MAX_TILE 4
#endif
#define BYTES_OF_ACTIVATION 2

static int8_t unpacked[2 * MAX_INPUTS] __attribute__((aligned(16)));

// Brings weights(outputs × inputs) into that order, in place, and sums up each row.
EXPORT(pack)(int8_t *weights, int32_t inputs, int32_t outputs, int32_t *row_sums) {
  for (int32_t o = 0; o < outputs; o += 2) {
    for (int32_t i = 0; i < 2 * inputs; i += 16) wasm_v128_store(unpacked + i, wasm_v128_load(weights + i));
    for (int32_t row = 0; row < 2; row++) {
      int32_t sum = 0;
      for (int32_t i = 0; i < inputs; i++) sum += unpacked[row * inputs + i];
      row_sums[o + row] = sum;
    }
    for (int32_t i = 0; i < inputs; i += 16, weights += 32) {
      wasm_v128_store(weights, wasm_v128_load(unpacked + i));
      wasm_v128_store(weights + 16, wasm_v128_load(unpacked + inputs + i));
    }
  }
}

INLINE int32_t tiles_of(int32_t count) { return (count + MAX_TILE - 1) / MAX_TILE; }

INLINE v128_t eight(const float *x, v128_t factor) {
  v128_t low = nearest_int(wasm_f32x4_mul(wasm_v128_load(x), factor));
  v128_t high = nearest_int(wasm_f32x4_mul(wasm_v128_load(x + 4), factor));
  return wasm_i16x8_narrow_i32x4(low, high);
}

// One token's activations in a tile of `tile` tokens; `out` is the place of its first 16 bytes.
static float quantize_row(const float *x, uint8_t *out, int32_t tile, int32_t width) {
  v128_t a = wasm_f32x4_const_splat(0), b = a;
  for (int32_t i = 0; i < width; i += 8) {
    a = wasm_f32x4_pmax(a, wasm_f32x4_abs(wasm_v128_load(x + i)));
    b = wasm_f32x4_pmax(b, wasm_f32x4_abs(wasm_v128_load(x + i + 4)));
  }
  float most = largest_lane(wasm_f32x4_pmax(a, b));
  v128_t factor = wasm_f32x4_splat(most > 0 ? LARGEST_ACTIVATION / most : 0);
#ifdef DOT8
  v128_t offset = wasm_i16x8_const_splat(8192), lowest = wasm_i16x8_const_splat(127);
  uint8_t *lower = out + tile * width;
  for (int32_t i = 0; i < width; i += 16, out += 16 * tile, lower += 16 * tile) {
    v128_t first = wasm_i16x8_add(eight(x + i, factor), offset), second = wasm_i16x8_add(eight(x + i + 8, factor), offset);
    wasm_v128_store(out, wasm_u8x16_narrow_i16x8(wasm_u16x8_shr(first, 7), wasm_u16x8_shr(second, 7)));
    wasm_v128_store(lower, wasm_u8x16_narrow_i16x8(wasm_v128_and(first, lowest), wasm_v128_and(second, lowest)));
  }
#else
  for (int32_t i = 0; i < width; i += 8, out += 16 * tile) wasm_v128_store(out, eight(x + i, factor));
#endif
  return most / LARGEST_ACTIVATION;
}

// x(count × width) as activations, and for each token the scale that makes them the row again.
EXPORT(quantize)(const float *x, uint8_t *out, float *scales, int32_t count, int32_t width) {
  for (int32_t tiles = tiles_of(count); tiles > 0; tiles--) {
    int32_t tile = count / tiles;
    for (int32_t t = 0; t < tile; t++, x += width) *scales++ = quantize_row(x, out + 16 * t, tile, width);
    out += tile * width * BYTES_OF_ACTIVATION;
    count -= tile;
  }
}

#ifdef DOT8
typedef signed char bytes __attribute__((__vector_size__(16)));
typedef int32_t ints __attribute__((__vector_size__(16)));

// Exact on every machine, since the activations are below 128.
INLINE v128_t add_dot(v128_t sum, v128_t weights, v128_t activations) {
  return (v128_t)__builtin_wasm_relaxed_dot_i8x16_i7x16_add_s_i32x4((bytes)weights, (bytes)activations, (ints)sum);
}
#else
INLINE v128_t add_dot(v128_t sum, v128_t weights, v128_t activations) {
  return wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(weights, activations));
}
#endif

// addN adds to sums[0][k] and sums[1][k] the products of the two outputs and the k-th of N tokens, and returns the end of
// the activations. Written as macros: the compiler keeps arrays in memory.
#define EACH1(DO) DO(0)
#define EACH2(DO) EACH1(DO) DO(1)
#define EACH3(DO) EACH2(DO) DO(2)
#define EACH4(DO) EACH3(DO) DO(3)
#define EACH5(DO) EACH4(DO) DO(4)
#define EACH6(DO) EACH5(DO) DO(5)
#define LOAD_SUMS(k) v128_t first##k = sums[0][k], second##k = sums[1][k];
#define STORE_SUMS(k) sums[0][k] = first##k, sums[1][k] = second##k;
#define ADD(k) t = wasm_v128_load(a + 16 * k), first##k = add_dot(first##k, w0, t), second##k = add_dot(second##k, w1, t);
#define DEFINE_ADD(N)                                                                                               \
  INLINE const uint8_t *add##N(const uint8_t *a, const int8_t *w, const int8_t *end, v128_t sums[2][MAX_TILE]) {    \
    EACH##N(LOAD_SUMS)                                                                                              \
    for (; w < end; w += 32, a += 16 * N) {                                                                         \
      v128_t w0 = wasm_v128_load(w), w1 = wasm_v128_load(w + 16), t;                                                \
      EACH##N(ADD)                                                                                                  \
    }                                                                                                               \
    EACH##N(STORE_SUMS)                                                                                             \
    return a;                                                                                                       \
  }
#ifdef DOT8
#define EACH_TILE(DO) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6)
#else
#define EACH_TILE(DO) DO(1) DO(2) DO(3) DO(4)
#endif
EACH_TILE(DEFINE_ADD)

static const uint8_t *add(int32_t tile, const uint8_t *a, const int8_t *w, const int8_t *end, v128_t sums[2][MAX_TILE]) {
#define CASE(N) case N: return add##N(a, w, end, sums);
  switch (tile) { EACH_TILE(CASE) }
  return a;
}

// The sums of a tile with two outputs, each still in four lanes.
static void dots(int32_t tile, const uint8_t *a, const int8_t *w, const int8_t *end, v128_t sums[2][MAX_TILE]) {
  for (int32_t k = 0; k < tile; k++) sums[0][k] = sums[1][k] = wasm_i32x4_const_splat(0);
  a = add(tile, a, w, end, sums);
#ifdef DOT8
  for (int32_t k = 0; k < tile; k++) sums[0][k] = wasm_i32x4_shl(sums[0][k], 7), sums[1][k] = wasm_i32x4_shl(sums[1][k], 7);
  add(tile, a, w, end, sums);
#endif
}

// The sums of the lanes of four vectors.
INLINE v128_t sum_each(v128_t a, v128_t b, v128_t c, v128_t d) {
  v128_t ab = wasm_i32x4_add(wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), wasm_i32x4_shuffle(a, b, 2, 6, 3, 7));
  v128_t cd = wasm_i32x4_add(wasm_i32x4_shuffle(c, d, 0, 4, 1, 5), wasm_i32x4_shuffle(c, d, 2, 6, 3, 7));
  return wasm_i32x4_add(wasm_i64x2_shuffle(ab, cd, 0, 2), wasm_i64x2_shuffle(ab, cd, 1, 3));
}

// out(count × outputs) = a(count × inputs) · weights(outputs × inputs)ᵀ + bias, plus what `out` holds if `add_to` is not 0.
// Outputs are taken four at a time and used for every token, so that weights are read from memory once.
EXPORT(multiply)(const uint8_t *a, const float *scales, int32_t count, const int8_t *weights, const float *weight_scales,
                 const float *bias, const int32_t *row_sums, int32_t inputs, int32_t outputs, float *out, int32_t add_to) {
  v128_t sums[4][MAX_TILE];
  for (int32_t o = 0; o < outputs; o += 4) {
    const int8_t *w = weights + o * inputs;
    v128_t scale = wasm_v128_load(weight_scales + o), shift = wasm_v128_load(bias + o);
#ifdef DOT8
    v128_t excess = wasm_i32x4_shl(wasm_v128_load(row_sums + o), 13);
    int32_t bytes_of_pair = 2 * inputs;
#else
    static int8_t widened[8 * MAX_INPUTS] __attribute__((aligned(16)));
    v128_t excess = wasm_i32x4_const_splat(0);
    int32_t bytes_of_pair = 4 * inputs;
    for (int8_t *to = widened; to < widened + 2 * bytes_of_pair; to += 64, w += 32) {
      v128_t first = wasm_v128_load(w), second = wasm_v128_load(w + 16);
      wasm_v128_store(to, wasm_i16x8_extend_low_i8x16(first));
      wasm_v128_store(to + 16, wasm_i16x8_extend_low_i8x16(second));
      wasm_v128_store(to + 32, wasm_i16x8_extend_high_i8x16(first));
      wasm_v128_store(to + 48, wasm_i16x8_extend_high_i8x16(second));
    }
    w = widened;
#endif
    const int8_t *between = w + bytes_of_pair;
    const uint8_t *from = a;
    float *to = out + o;
    const float *token_scale = scales;
    for (int32_t tiles = tiles_of(count), left = count; tiles > 0; tiles--) {
      int32_t tile = left / tiles;
      dots(tile, from, w, between, sums);
      dots(tile, from, between, between + bytes_of_pair, sums + 2);
      for (int32_t k = 0; k < tile; k++, to += outputs) {
        v128_t whole = wasm_i32x4_sub(sum_each(sums[0][k], sums[1][k], sums[2][k], sums[3][k]), excess);
        v128_t value = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(whole), wasm_f32x4_mul(scale, wasm_f32x4_splat(*token_scale++)));
        value = wasm_f32x4_add(value, shift);
        wasm_v128_store(to, add_to ? wasm_f32x4_add(value, wasm_v128_load(to)) : value);
      }
      from += tile * inputs * BYTES_OF_ACTIVATION;
      left -= tile;
    }
  }
}

// x · Φ(x), Φ from erf by Abramowitz & Stegun 7.1.26 (error below 2·10⁻⁷); in place.
EXPORT(gelu)(float *x, int32_t count) {
  v128_t one = wasm_f32x4_const_splat(1.0f);
  for (int32_t i = 0; i < count; i += 4) {
    v128_t value = wasm_v128_load(x + i);
    v128_t z = wasm_f32x4_mul(wasm_f32x4_abs(value), wasm_f32x4_const_splat(0.70710678118654752f));
    v128_t t = wasm_f32x4_div(one, wasm_f32x4_add(one, wasm_f32x4_mul(z, wasm_f32x4_const_splat(0.3275911f))));
    v128_t y = wasm_f32x4_const_splat(1.061405429f);
    y = wasm_f32x4_add(wasm_f32x4_mul(y, t), wasm_f32x4_const_splat(-1.453152027f));
    y = wasm_f32x4_add(wasm_f32x4_mul(y, t), wasm_f32x4_const_splat(1.421413741f));
    y = wasm_f32x4_add(wasm_f32x4_mul(y, t), wasm_f32x4_const_splat(-0.284496736f));
    y = wasm_f32x4_add(wasm_f32x4_mul(y, t), wasm_f32x4_const_splat(0.254829592f));
    // The tail beyond |x|: half of 1 − erf(z).
    v128_t tail = wasm_f32x4_mul(wasm_f32x4_mul(y, t), exp_negative(wasm_f32x4_neg(wasm_f32x4_mul(z, z))));
    tail = wasm_f32x4_mul(tail, wasm_f32x4_const_splat(0.5f));
    v128_t share = wasm_v128_bitselect(tail, wasm_f32x4_sub(one, tail), wasm_f32x4_lt(value, wasm_f32x4_const_splat(0)));
    wasm_v128_store(x + i, wasm_f32x4_mul(value, share));
  }
}

// The softmax of `count` scores, in place; `count` is rounded up to a multiple of 4 with shares of 0.
static void softmax(float *scores, int32_t count, float factor) {
  int32_t padded = (count + 3) & ~3;
  for (int32_t i = count; i < padded; i++) scores[i] = -1e30f;
  v128_t most = wasm_f32x4_splat(scores[0]);
  for (int32_t i = 0; i < padded; i += 4) most = wasm_f32x4_pmax(most, wasm_v128_load(scores + i));
  most = wasm_f32x4_splat(largest_lane(most));
  v128_t sum = wasm_f32x4_const_splat(0), scale = wasm_f32x4_splat(factor);
  for (int32_t i = 0; i < padded; i += 4) {
    v128_t share = exp_negative(wasm_f32x4_mul(wasm_f32x4_sub(wasm_v128_load(scores + i), most), scale));
    wasm_v128_store(scores + i, share);
    sum = wasm_f32x4_add(sum, share);
  }
  for (int32_t i = count; i < padded; i++) scores[i] = 0;
  v128_t inverse = wasm_f32x4_splat(1.0f / sum_lanes(sum));
  for (int32_t i = 0; i < padded; i += 4) wasm_v128_store(scores + i, wasm_f32x4_mul(wasm_v128_load(scores + i), inverse));
}

// One text's attention. qkv(count × 3·width): queries, keys, values; heads of 64 numbers side by side. `scores` has room for
// `count` + 4 numbers.
EXPORT(attend)(const float *qkv, int32_t count, int32_t width, float *out, float *scores) {
  int32_t stride = 3 * width;
  for (int32_t head = 0; head < width; head += 64) {
    const float *keys = qkv + width + head, *values = keys + width;
    for (int32_t t = 0; t < count; t++) {
      const float *query = qkv + t * stride + head;
      v128_t q[16], sum[16];
      for (int32_t i = 0; i < 16; i++) q[i] = wasm_v128_load(query + 4 * i);
      for (int32_t k = 0; k < count; k++) {
        const float *key = keys + k * stride;
        v128_t a = wasm_f32x4_const_splat(0), b = a;
        for (int32_t i = 0; i < 16; i += 2) {
          a = wasm_f32x4_add(a, wasm_f32x4_mul(q[i], wasm_v128_load(key + 4 * i)));
          b = wasm_f32x4_add(b, wasm_f32x4_mul(q[i + 1], wasm_v128_load(key + 4 * i + 4)));
        }
        scores[k] = sum_lanes(wasm_f32x4_add(a, b));
      }
      softmax(scores, count, 0.125f);
      for (int32_t i = 0; i < 16; i++) sum[i] = wasm_f32x4_const_splat(0);
      for (int32_t k = 0; k < count; k++) {
        const float *value = values + k * stride;
        v128_t share = wasm_f32x4_splat(scores[k]);
        for (int32_t i = 0; i < 16; i++) sum[i] = wasm_f32x4_add(sum[i], wasm_f32x4_mul(share, wasm_v128_load(value + 4 * i)));
      }
      for (int32_t i = 0; i < 16; i++) wasm_v128_store(out + t * width + head + 4 * i, sum[i]);
    }
  }
}
