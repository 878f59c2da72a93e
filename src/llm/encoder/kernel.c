// The arithmetic of the encoder, as WebAssembly with SIMD.
//
// The compiled bytes are in kernelBytes.ts. After a change here: node scripts/encoderKernel.mjs (it needs clang 16 and lld 16);
// a test fails while the bytes are of another source.
//
// The same bytes come out on every machine: sums of integers are exact, no fused multiply-add is used, and the exponential
// function is our own. Matrices are row-major, addresses are aligned to 16 bytes, widths are multiples of 16.
#include <stdint.h>
#include <wasm_simd128.h>

#define EXPORT(name) __attribute__((export_name(#name))) void name
// Activations are rounded to −8191 … 8191: 2048 products with int8 stay below 2³¹.
#define LARGEST_ACTIVATION 8191.0f
#define MAX_INPUTS 2048
#define ROWS 4

extern unsigned char __heap_base;

// The first address that is free for use.
__attribute__((export_name("free_from"))) int32_t free_from(void) { return (int32_t)&__heap_base; }

static int16_t widened[ROWS * MAX_INPUTS] __attribute__((aligned(16)));

static inline float sum_lanes(v128_t x) {
  v128_t pairs = wasm_f32x4_add(x, wasm_i32x4_shuffle(x, x, 2, 3, 0, 1));
  return wasm_f32x4_extract_lane(wasm_f32x4_add(pairs, wasm_i32x4_shuffle(pairs, pairs, 1, 0, 3, 2)), 0);
}

static inline int32_t sum_lanes_int(v128_t x) {
  v128_t pairs = wasm_i32x4_add(x, wasm_i32x4_shuffle(x, x, 2, 3, 0, 1));
  return wasm_i32x4_extract_lane(wasm_i32x4_add(pairs, wasm_i32x4_shuffle(pairs, pairs, 1, 0, 3, 2)), 0);
}

// eˣ for x ≤ 0 (Cephes' polynomial, error below 2⁻²²); what is below −87 counts as −87.
static inline v128_t exp_negative(v128_t x) {
  x = wasm_f32x4_max(x, wasm_f32x4_const_splat(-87.0f));
  v128_t n = wasm_f32x4_nearest(wasm_f32x4_mul(x, wasm_f32x4_const_splat(1.44269504088896341f)));
  x = wasm_f32x4_sub(x, wasm_f32x4_mul(n, wasm_f32x4_const_splat(0.693359375f)));
  x = wasm_f32x4_sub(x, wasm_f32x4_mul(n, wasm_f32x4_const_splat(-2.12194440e-4f)));
  v128_t y = wasm_f32x4_const_splat(1.9875691500e-4f);
  y = wasm_f32x4_add(wasm_f32x4_mul(y, x), wasm_f32x4_const_splat(1.3981999507e-3f));
  y = wasm_f32x4_add(wasm_f32x4_mul(y, x), wasm_f32x4_const_splat(8.3334519073e-3f));
  y = wasm_f32x4_add(wasm_f32x4_mul(y, x), wasm_f32x4_const_splat(4.1665795894e-2f));
  y = wasm_f32x4_add(wasm_f32x4_mul(y, x), wasm_f32x4_const_splat(1.6666665459e-1f));
  y = wasm_f32x4_add(wasm_f32x4_mul(y, x), wasm_f32x4_const_splat(5.0000001201e-1f));
  y = wasm_f32x4_add(wasm_f32x4_mul(y, wasm_f32x4_mul(x, x)), wasm_f32x4_add(x, wasm_f32x4_const_splat(1.0f)));
  v128_t power = wasm_i32x4_shl(wasm_i32x4_add(wasm_i32x4_trunc_sat_f32x4(n), wasm_i32x4_const_splat(127)), 23);
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

// Each row as int16 values and the scale that makes them the row again.
EXPORT(quantize)(const float *x, int16_t *out, float *scales, int32_t count, int32_t width) {
  for (int32_t row = 0; row < count; row++, x += width, out += width) {
    v128_t largest = wasm_f32x4_const_splat(0);
    for (int32_t i = 0; i < width; i += 4) largest = wasm_f32x4_max(largest, wasm_f32x4_abs(wasm_v128_load(x + i)));
    largest = wasm_f32x4_max(largest, wasm_i32x4_shuffle(largest, largest, 2, 3, 0, 1));
    largest = wasm_f32x4_max(largest, wasm_i32x4_shuffle(largest, largest, 1, 0, 3, 2));
    float most = wasm_f32x4_extract_lane(largest, 0);
    scales[row] = most / LARGEST_ACTIVATION;
    v128_t factor = wasm_f32x4_splat(most > 0 ? LARGEST_ACTIVATION / most : 0);
    for (int32_t i = 0; i < width; i += 8) {
      v128_t low = wasm_f32x4_nearest(wasm_f32x4_mul(wasm_v128_load(x + i), factor));
      v128_t high = wasm_f32x4_nearest(wasm_f32x4_mul(wasm_v128_load(x + i + 4), factor));
      wasm_v128_store(out + i, wasm_i16x8_narrow_i32x4(wasm_i32x4_trunc_sat_f32x4(low), wasm_i32x4_trunc_sat_f32x4(high)));
    }
  }
}

static inline void dots(const int16_t *a, int32_t inputs, int32_t tokens, const int16_t *w, int32_t sums[ROWS][ROWS]) {
  for (int32_t pair = 0; pair < ROWS; pair += 2) {
    const int16_t *w0 = w + pair * inputs, *w1 = w0 + inputs;
    const int16_t *a0 = a, *a1 = tokens > 1 ? a0 + inputs : a0, *a2 = tokens > 2 ? a1 + inputs : a0, *a3 = tokens > 3 ? a2 + inputs : a0;
    v128_t zero = wasm_i32x4_const_splat(0);
    v128_t s00 = zero, s10 = zero, s20 = zero, s30 = zero, s01 = zero, s11 = zero, s21 = zero, s31 = zero;
    for (int32_t i = 0; i < inputs; i += 8) {
      v128_t v0 = wasm_v128_load(w0 + i), v1 = wasm_v128_load(w1 + i), t;
      t = wasm_v128_load(a0 + i);
      s00 = wasm_i32x4_add(s00, wasm_i32x4_dot_i16x8(t, v0));
      s01 = wasm_i32x4_add(s01, wasm_i32x4_dot_i16x8(t, v1));
      t = wasm_v128_load(a1 + i);
      s10 = wasm_i32x4_add(s10, wasm_i32x4_dot_i16x8(t, v0));
      s11 = wasm_i32x4_add(s11, wasm_i32x4_dot_i16x8(t, v1));
      t = wasm_v128_load(a2 + i);
      s20 = wasm_i32x4_add(s20, wasm_i32x4_dot_i16x8(t, v0));
      s21 = wasm_i32x4_add(s21, wasm_i32x4_dot_i16x8(t, v1));
      t = wasm_v128_load(a3 + i);
      s30 = wasm_i32x4_add(s30, wasm_i32x4_dot_i16x8(t, v0));
      s31 = wasm_i32x4_add(s31, wasm_i32x4_dot_i16x8(t, v1));
    }
    sums[0][pair] = sum_lanes_int(s00), sums[0][pair + 1] = sum_lanes_int(s01);
    sums[1][pair] = sum_lanes_int(s10), sums[1][pair + 1] = sum_lanes_int(s11);
    sums[2][pair] = sum_lanes_int(s20), sums[2][pair + 1] = sum_lanes_int(s21);
    sums[3][pair] = sum_lanes_int(s30), sums[3][pair + 1] = sum_lanes_int(s31);
  }
}

// out(count × outputs) = a(count × inputs) · weights(outputs × inputs)ᵀ + bias, plus what `out` holds if `add` is not 0.
// Outputs are taken four at a time, widened once to int16 and used for every token, so that weights are read once.
EXPORT(multiply)(const int16_t *a, const float *scales, int32_t count, const int8_t *weights, const float *weight_scales,
                 const float *bias, int32_t inputs, int32_t outputs, float *out, int32_t add) {
  int32_t sums[ROWS][ROWS];
  for (int32_t o = 0; o < outputs; o += ROWS) {
    const int8_t *from = weights + o * inputs;
    for (int32_t i = 0; i < ROWS * inputs; i += 8) wasm_v128_store(widened + i, wasm_i16x8_load8x8(from + i));
    v128_t scale = wasm_v128_load(weight_scales + o), shift = wasm_v128_load(bias + o);
    for (int32_t t = 0; t < count; t += ROWS) {
      int32_t here = count - t < ROWS ? count - t : ROWS;
      dots(a + t * inputs, inputs, here, widened, sums);
      for (int32_t k = 0; k < here; k++) {
        float *to = out + (t + k) * outputs + o;
        v128_t value = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(wasm_v128_load(sums[k])), wasm_f32x4_mul(scale, wasm_f32x4_splat(scales[t + k])));
        value = wasm_f32x4_add(value, shift);
        wasm_v128_store(to, add ? wasm_f32x4_add(value, wasm_v128_load(to)) : value);
      }
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
  for (int32_t i = 0; i < padded; i += 4) most = wasm_f32x4_max(most, wasm_v128_load(scores + i));
  most = wasm_f32x4_max(most, wasm_i32x4_shuffle(most, most, 2, 3, 0, 1));
  most = wasm_f32x4_max(most, wasm_i32x4_shuffle(most, most, 1, 0, 3, 2));
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
