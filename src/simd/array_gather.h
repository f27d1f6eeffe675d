/* SPDX-License-Identifier: BSD-3-Clause
 * Gathers and products of floats for operations on sparse vectors (base/for_each_vector.h).
 * Included in each pass of a file with EK_VECTORS that needs them:
 *
 *   EK_GATHERS       1 if this pass has the two operations: for floats with AVX2 and AVX-512
 *   vgather(p, c)    p[c[0]], p[c[1]] ...; the elements of c have type IDX
 *   vmul(a, b)       the product of the lanes
 *
 * The including file undefines them at its end. */
#if EK_VAL_FLOAT && EK_VAL_64 && W == 8
#define EK_GATHERS 1
#define vmul(a, b) _mm512_mul_pd(a, b)
#if EK_IDX_64
#define vgather(p, c) _mm512_i64gather_pd(_mm512_loadu_si512(c), p, 8)
#else
#define vgather(p, c) _mm512_i32gather_pd(_mm256_loadu_si256((const __m256i *)(c)), p, 8)
#endif
#elif EK_VAL_FLOAT && EK_VAL_64 && W == 4
#define EK_GATHERS 1
#define vmul(a, b) _mm256_mul_pd(a, b)
#if EK_IDX_64
#define vgather(p, c) _mm256_i64gather_pd(p, _mm256_loadu_si256((const __m256i *)(c)), 8)
#else
#define vgather(p, c) _mm256_i32gather_pd(p, _mm_loadu_si128((const __m128i *)(c)), 8)
#endif
#elif EK_VAL_FLOAT && W == 16
#define EK_GATHERS 1
#define vmul(a, b) _mm512_mul_ps(a, b)
#if EK_IDX_64
#define vgather(p, c)                                                                     \
	_mm512_insertf32x8(                                                               \
		_mm512_castps256_ps512(_mm512_i64gather_ps(_mm512_loadu_si512(c), p, 4)), \
		_mm512_i64gather_ps(_mm512_loadu_si512((c) + 8), p, 4), 1)
#else
#define vgather(p, c) _mm512_i32gather_ps(_mm512_loadu_si512(c), p, 4)
#endif
#elif EK_VAL_FLOAT && W == 8
#define EK_GATHERS 1
#define vmul(a, b) _mm256_mul_ps(a, b)
#if EK_IDX_64
#define vgather(p, c)                                                                              \
	_mm256_set_m128(_mm256_i64gather_ps(p, _mm256_loadu_si256((const __m256i *)((c) + 4)), 4), \
	                _mm256_i64gather_ps(p, _mm256_loadu_si256((const __m256i *)(c)), 4))
#else
#define vgather(p, c) _mm256_i32gather_ps(p, _mm256_loadu_si256((const __m256i *)(c)), 4)
#endif
#else
#define EK_GATHERS 0
#endif
