/* SPDX-License-Identifier: BSD-3-Clause
 * Vector operations with AVX2 and FMA, on four doubles or eight floats. Masks are vectors whose
 * lanes are all ones or all zeros, made by comparing with the lane numbers. simd/scalar.h says what
 * each operation means. */
#define vmask __m256i
#define EK_FLAGS32(p)                                                \
	((uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8( \
		_mm256_loadu_si256((const __m256i *)(p)), _mm256_setzero_si256())))
#define vflags(p) (EK_FLAGS32(p) | EK_FLAGS32((const uint8_t *)(p) + 32) << 32)

#if EK_VAL_F64
#define W          4
#define vec        __m256d
#define vmask_n(n) _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3))
#define vmask_bits(b)                                                         \
	_mm256_cmpgt_epi64(_mm256_and_si256(_mm256_set1_epi64x((int64_t)(b)), \
	                                    _mm256_setr_epi64x(1, 2, 4, 8)),  \
	                   _mm256_setzero_si256())
#define vzero()              _mm256_setzero_pd()
#define vset1(a)             _mm256_set1_pd(a)
#define vload(p)             _mm256_loadu_pd(p)
#define vload_n(p, m)        _mm256_maskload_pd(p, m)
#define vstore(p, v)         _mm256_storeu_pd(p, v)
#define vstream(p, v)        _mm256_stream_pd(p, v)
#define vstore_n(p, v, m)    _mm256_maskstore_pd(p, m, v)
#define vadd(a, b)           _mm256_add_pd(a, b)
#define vadd_n(a, b, m)      _mm256_blendv_pd(a, vadd(a, b), _mm256_castsi256_pd(m))
#define vmul(a, b)           _mm256_mul_pd(a, b)
#define vfma(a, b, c)        _mm256_fmadd_pd(a, b, c)
#define vfused_n(a, b, c, m) _mm256_blendv_pd(c, vfma(a, b, c), _mm256_castsi256_pd(m))
#define vwords               __m128i
#define vwords_load(p)       _mm_loadu_si128((const __m128i *)(p))
#define vwords_next(w)       _mm_srli_epi32(w, 1)
#define vclear(a, w)                 \
	_mm256_blendv_pd(a, vzero(), \
	                 _mm256_castsi256_pd(_mm256_cvtepi32_epi64(_mm_slli_epi32(w, 31))))

/* Tells whether no lane is Inf or NaN. In such a lane, `a` - `a` is NaN; in all other lanes it is
 * 0. */
static inline bool FN(vfinite)(vec a)
{
	const vec d = _mm256_sub_pd(a, a);

	return _mm256_movemask_pd(_mm256_cmp_pd(d, d, _CMP_UNORD_Q)) == 0;
}

/* Sums the four lanes as a tree: adds the upper two lanes to the lower two, then adds the two
 * sums. */
static inline VAL FN(vsum)(vec v)
{
	__m128d s = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));

	return _mm_cvtsd_f64(_mm_add_sd(s, _mm_unpackhi_pd(s, s)));
}

static inline vec FN(vsum_rows)(const vec *a)
{
	vec p = _mm256_hadd_pd(a[0], a[1]), q = _mm256_hadd_pd(a[2], a[3]);

	return vadd(_mm256_permute2f128_pd(p, q, 0x20), _mm256_permute2f128_pd(p, q, 0x31));
}

static inline void FN(vtranspose)(const VAL *p, int64_t n, int m, vec *t)
{
	const vmask mask = vmask_n(m);
	vec a = vload_n(p, mask), b = vload_n(p + n, mask);
	vec c = vload_n(p + 2 * n, mask), d = vload_n(p + 3 * n, mask);
	vec ab = _mm256_unpacklo_pd(a, b), cd = _mm256_unpacklo_pd(c, d);
	vec ef = _mm256_unpackhi_pd(a, b), gh = _mm256_unpackhi_pd(c, d);

	t[0] = _mm256_permute2f128_pd(ab, cd, 0x20);
	t[1] = _mm256_permute2f128_pd(ef, gh, 0x20);
	t[2] = _mm256_permute2f128_pd(ab, cd, 0x31);
	t[3] = _mm256_permute2f128_pd(ef, gh, 0x31);
}

static inline vec FN(vgather_n)(const VAL *x, const IDX *c, vmask m)
{
#if EK_IDX_64
	__m256i index = _mm256_maskload_epi64((const long long *)c, m);

	return _mm256_mask_i64gather_pd(vzero(), x, index, _mm256_castsi256_pd(m), 8);
#else
	const __m256i even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
	__m128i half = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(m, even));

	return _mm256_mask_i32gather_pd(vzero(), x, _mm_maskload_epi32(c, half),
	                                _mm256_castsi256_pd(m), 8);
#endif
}

#define EK_U16(c) _mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)(c)))
#define vgather_u16(x, c, m) \
	_mm256_mask_i32gather_pd(vzero(), x, EK_U16(c), _mm256_castsi256_pd(m), 8)
#if EK_IDX_64
#define vgather(x, c) _mm256_i64gather_pd(x, _mm256_loadu_si256((const __m256i *)(c)), 8)
#else
#define vgather(x, c) _mm256_i32gather_pd(x, _mm_loadu_si128((const __m128i *)(c)), 8)
#endif

#else
#define W   8
#define vec __m256
#define vmask_n(n) \
	_mm256_cmpgt_epi32(_mm256_set1_epi32((int)(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
#define vmask_bits(b)                                                                        \
	_mm256_cmpgt_epi32(_mm256_and_si256(_mm256_set1_epi32((int)(b)),                     \
	                                    _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128)), \
	                   _mm256_setzero_si256())
#define vzero()              _mm256_setzero_ps()
#define vset1(a)             _mm256_set1_ps(a)
#define vload(p)             _mm256_loadu_ps(p)
#define vload_n(p, m)        _mm256_maskload_ps(p, m)
#define vstore(p, v)         _mm256_storeu_ps(p, v)
#define vstream(p, v)        _mm256_stream_ps(p, v)
#define vstore_n(p, v, m)    _mm256_maskstore_ps(p, m, v)
#define vadd(a, b)           _mm256_add_ps(a, b)
#define vadd_n(a, b, m)      _mm256_blendv_ps(a, vadd(a, b), _mm256_castsi256_ps(m))
#define vmul(a, b)           _mm256_mul_ps(a, b)
#define vfma(a, b, c)        _mm256_fmadd_ps(a, b, c)
#define vfused_n(a, b, c, m) _mm256_blendv_ps(c, vfma(a, b, c), _mm256_castsi256_ps(m))
#define vwords               __m256i
#define vwords_load(p)       _mm256_loadu_si256((const __m256i *)(p))
#define vwords_next(w)       _mm256_srli_epi32(w, 1)
#define vclear(a, w)         _mm256_blendv_ps(a, vzero(), _mm256_castsi256_ps(_mm256_slli_epi32(w, 31)))

static inline bool FN(vfinite)(vec a)
{
	const vec d = _mm256_sub_ps(a, a);

	return _mm256_movemask_ps(_mm256_cmp_ps(d, d, _CMP_UNORD_Q)) == 0;
}

#define EK_LOAD4(p, m) _mm_maskload_ps(p, _mm256_castsi256_si128(m))
#include "simd/float8.h"

static inline vec FN(vgather_n)(const VAL *x, const IDX *c, vmask m)
{
#if EK_IDX_64
	__m256i m_low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(m));
	__m256i m_high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(m, 1));
	__m256i low = _mm256_maskload_epi64((const long long *)c, m_low);
	__m256i high = _mm256_maskload_epi64((const long long *)c + 4, m_high);
	const __m128 zero = _mm_setzero_ps();
	__m128 m4 = _mm_castsi128_ps(_mm256_castsi256_si128(m));
	__m128 n4 = _mm_castsi128_ps(_mm256_extracti128_si256(m, 1));

	return _mm256_set_m128(_mm256_mask_i64gather_ps(zero, x, high, n4, 4),
	                       _mm256_mask_i64gather_ps(zero, x, low, m4, 4));
#else
	return _mm256_mask_i32gather_ps(vzero(), x, _mm256_maskload_epi32(c, m),
	                                _mm256_castsi256_ps(m), 4);
#endif
}

#define EK_U16(c) _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(c)))
#define vgather_u16(x, c, m) \
	_mm256_mask_i32gather_ps(vzero(), x, EK_U16(c), _mm256_castsi256_ps(m), 4)
#if EK_IDX_64
#define vgather(x, c) vgather_n(x, c, vmask_n(8))
#else
#define vgather(x, c) _mm256_i32gather_ps(x, _mm256_loadu_si256((const __m256i *)(c)), 4)
#endif
#endif

#define vfinite(a)             FN(vfinite)(a)
#define vsum(v)                FN(vsum)(v)
#define vtranspose(p, n, m, t) FN(vtranspose)(p, n, m, t)
#define vsum_rows(a)           FN(vsum_rows)(a)
#define vstream_end()          _mm_sfence()
#define vfused(a, b, c)        vfma(a, b, c)
#define vgather_n(x, c, m)     FN(vgather_n)(x, c, m)
