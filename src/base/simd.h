// Eight lanes of float. One AVX2 register, or two of SSE2, NEON or wasm128: compilers split the vector type by themselves.
// Every operation rounds the same way in all of them, so the width never shows in a result.
#ifndef CN_SIMD_H
#define CN_SIMD_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

enum { CN_LANES = 8 };

typedef float cn_f4 __attribute__((vector_size(16)));
typedef float cn_f8 __attribute__((vector_size(32)));
typedef int32_t cn_i8 __attribute__((vector_size(32))); // also the type of masks: all bits set or none
typedef union cn_f8_halves {
    cn_f8 all;
    cn_f4 half[2];
} cn_f8_halves;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CN_INLINE static inline // what sanitizers add to every access makes one function of all of it take minutes to compile
#elif defined(__wasm__) && !defined(__wasm_simd128__)
#define CN_INLINE static inline // lane by lane all of it is large, and browsers that have no vectors are few
#else
#define CN_INLINE static inline __attribute__((always_inline))
#endif
// For what is large and called from many places.
#define CN_APART static __attribute__((noinline))

// Whether a mask of four lanes is set in all of them.
typedef int32_t cn_i4 __attribute__((vector_size(16)));
CN_INLINE int cn_i4_all(cn_i4 mask)
{
#if defined(__SSE2__)
    return _mm_movemask_ps((__m128)mask) == 15;
#elif defined(__wasm_simd128__)
    return wasm_i32x4_all_true((v128_t)mask);
#else
    return (mask[0] & mask[1] & mask[2] & mask[3]) != 0;
#endif
}

CN_INLINE cn_f4 cn_f4_set(float x) { return (cn_f4){ x, x, x, x }; }
CN_INLINE cn_f8 cn_f8_set(float x) { return (cn_f8){ x, x, x, x, x, x, x, x }; }
CN_INLINE cn_f8 cn_f8_zero(void) { return cn_f8_set(0.0f); }

// The masks of four lanes as bits.
CN_INLINE int cn_i4_bits(cn_i4 mask)
{
#if defined(__SSE2__)
    return _mm_movemask_ps((__m128)mask);
#elif defined(__wasm_simd128__)
    return (int)wasm_i32x4_bitmask((v128_t)mask);
#else
    return (mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8);
#endif
}

// What vector extensions cannot say, four lanes at a time; min and max mean the same as those of eight lanes below.
#if defined(__SSE2__)
#define CN_HAS_F4 1
CN_INLINE cn_f4 cn_f4_min(cn_f4 a, cn_f4 b) { return _mm_min_ps(a, b); }
CN_INLINE cn_f4 cn_f4_max(cn_f4 a, cn_f4 b) { return _mm_max_ps(a, b); }
CN_INLINE cn_f4 cn_f4_sqrt(cn_f4 a) { return _mm_sqrt_ps(a); }
#elif defined(__wasm_simd128__)
#define CN_HAS_F4 1
CN_INLINE cn_f4 cn_f4_min(cn_f4 a, cn_f4 b) { return (cn_f4)wasm_f32x4_pmin((v128_t)b, (v128_t)a); }
CN_INLINE cn_f4 cn_f4_max(cn_f4 a, cn_f4 b) { return (cn_f4)wasm_f32x4_pmax((v128_t)b, (v128_t)a); }
CN_INLINE cn_f4 cn_f4_sqrt(cn_f4 a) { return (cn_f4)wasm_f32x4_sqrt((v128_t)a); }
#else
#define CN_HAS_F4 0
CN_INLINE cn_f4 cn_f4_min(cn_f4 a, cn_f4 b) { return (cn_f4)(((a < b) & (cn_i4)a) | (~(a < b) & (cn_i4)b)); }
CN_INLINE cn_f4 cn_f4_max(cn_f4 a, cn_f4 b) { return (cn_f4)(((a > b) & (cn_i4)a) | (~(a > b) & (cn_i4)b)); }
CN_INLINE cn_f4 cn_f4_sqrt(cn_f4 a)
{
    return (cn_f4){ __builtin_sqrtf(a[0]), __builtin_sqrtf(a[1]), __builtin_sqrtf(a[2]), __builtin_sqrtf(a[3]) };
}
#endif

CN_INLINE cn_f8 cn_f8_select(cn_i8 mask, cn_f8 yes, cn_f8 no)
{
#if defined(__AVX2__)
    return _mm256_blendv_ps(no, yes, (__m256)mask);
#else
    return (cn_f8)((mask & (cn_i8)yes) | (~mask & (cn_i8)no));
#endif
}
// a where the mask is set, else 0
CN_INLINE cn_f8 cn_f8_and(cn_i8 mask, cn_f8 a) { return (cn_f8)(mask & (cn_i8)a); }

// As a < b ? a : b, and a > b ? a : b, so that a NaN in either gives b.
CN_INLINE cn_f8 cn_f8_min(cn_f8 a, cn_f8 b)
{
#if defined(__AVX2__)
    return _mm256_min_ps(a, b);
#elif CN_HAS_F4
    cn_f8_halves x = { a }, y = { b };
    return (cn_f8_halves){ .half = { cn_f4_min(x.half[0], y.half[0]), cn_f4_min(x.half[1], y.half[1]) } }.all;
#else
    return cn_f8_select(a < b, a, b);
#endif
}
CN_INLINE cn_f8 cn_f8_max(cn_f8 a, cn_f8 b)
{
#if defined(__AVX2__)
    return _mm256_max_ps(a, b);
#elif CN_HAS_F4
    cn_f8_halves x = { a }, y = { b };
    return (cn_f8_halves){ .half = { cn_f4_max(x.half[0], y.half[0]), cn_f4_max(x.half[1], y.half[1]) } }.all;
#else
    return cn_f8_select(a > b, a, b);
#endif
}
CN_INLINE cn_f8 cn_f8_abs(cn_f8 a) { return (cn_f8)((cn_i8)a & 0x7fffffff); }

CN_INLINE cn_f8 cn_f8_sqrt(cn_f8 a)
{
#if defined(__AVX2__)
    return _mm256_sqrt_ps(a);
#elif CN_HAS_F4
    cn_f8_halves x = { a };
    return (cn_f8_halves){ .half = { cn_f4_sqrt(x.half[0]), cn_f4_sqrt(x.half[1]) } }.all;
#else
    for (int i = 0; i < CN_LANES; i++)
        a[i] = __builtin_sqrtf(a[i]);
    return a;
#endif
}
// 1 / a, and 0 where a is not positive
CN_INLINE cn_f8 cn_f8_inverse_or_zero(cn_f8 a)
{
    cn_i8 positive = a > cn_f8_zero();
    return cn_f8_and(positive, cn_f8_set(1.0f) / cn_f8_select(positive, a, cn_f8_set(1.0f)));
}
CN_INLINE int cn_any(cn_i8 mask)
{
#if defined(__AVX2__)
    return _mm256_movemask_ps((__m256)mask) != 0;
#else
    int32_t any = 0;
    for (int i = 0; i < CN_LANES; i++)
        any |= mask[i];
    return any != 0;
#endif
}

// Transposes the four 4-float rows held in each half.
CN_INLINE void cn_transpose_halves(cn_f8 r[4])
{
#if defined(__AVX2__)
    cn_f8 a = _mm256_unpacklo_ps(r[0], r[1]), b = _mm256_unpackhi_ps(r[0], r[1]);
    cn_f8 c = _mm256_unpacklo_ps(r[2], r[3]), d = _mm256_unpackhi_ps(r[2], r[3]);
    r[0] = (cn_f8)_mm256_shuffle_ps(a, c, 0x44);
    r[1] = (cn_f8)_mm256_shuffle_ps(a, c, 0xee);
    r[2] = (cn_f8)_mm256_shuffle_ps(b, d, 0x44);
    r[3] = (cn_f8)_mm256_shuffle_ps(b, d, 0xee);
#else
    cn_f8_halves h[4] = { { r[0] }, { r[1] }, { r[2] }, { r[3] } };
    for (int k = 0; k < 2; k++) {
        cn_f4 a = __builtin_shufflevector(h[0].half[k], h[1].half[k], 0, 4, 1, 5);
        cn_f4 b = __builtin_shufflevector(h[0].half[k], h[1].half[k], 2, 6, 3, 7);
        cn_f4 c = __builtin_shufflevector(h[2].half[k], h[3].half[k], 0, 4, 1, 5);
        cn_f4 d = __builtin_shufflevector(h[2].half[k], h[3].half[k], 2, 6, 3, 7);
        h[0].half[k] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
        h[1].half[k] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
        h[2].half[k] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
        h[3].half[k] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
    }
    for (int i = 0; i < 4; i++)
        r[i] = h[i].all;
#endif
}

CN_INLINE cn_f8 cn_f8_join(const float *low, const float *high)
{
#if defined(__AVX2__)
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(low)), _mm_load_ps(high), 1);
#else
    cn_f8_halves x;
    memcpy(&x.half[0], low, 16);
    memcpy(&x.half[1], high, 16);
    return x.all;
#endif
}

CN_INLINE void cn_f8_part(cn_f8 a, float *low, float *high)
{
    cn_f8_halves x = { a };
    memcpy(low, &x.half[0], 16);
    memcpy(high, &x.half[1], 16);
}

// Eight rows of four floats (16-byte aligned) become four columns of eight lanes, and back.
CN_INLINE void cn_gather4(const float *const rows[8], cn_f8 columns[4])
{
    for (int i = 0; i < 4; i++)
        columns[i] = cn_f8_join(rows[i], rows[i + 4]);
    cn_transpose_halves(columns);
}
CN_INLINE void cn_scatter4(cn_f8 columns[4], float *const rows[8])
{
    cn_transpose_halves(columns);
    for (int i = 0; i < 4; i++)
        cn_f8_part(columns[i], rows[i], rows[i + 4]);
}

#endif
