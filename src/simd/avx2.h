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
#define vmask_n(n)                                                                                 \
	_mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3))
#define vmask_last(n)                               \
	_mm256_cmpgt_epi64(_mm256_set1_epi64x(n), \
	                   _mm256_setr_epi64x(3, 2, 1, 0))
#define vmask_bits(b)                                                         \
	_mm256_cmpgt_epi64(_mm256_and_si256(_mm256_set1_epi64x((int64_t)(b)), \
	                                    _mm256_setr_epi64x(1, 2, 4, 8)),  \
	                   _mm256_setzero_si256())
#define vzero()              _mm256_setzero_pd()
#define vset1(a)             _mm256_set1_pd(a)
#define vload(p)             _mm256_loadu_pd(p)
#define vload_n(p, m)        _mm256_maskload_pd(p, m)
#define vload_few(p, n)      vload_n(p, vmask_n(n))
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

#define vkeep(a, m) _mm256_and_pd(a, _mm256_castsi256_pd(m))
#define vcount(m)   _mm_popcnt_u32((unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(m)))

#else
#define W   8
#define vec __m256
#define vmask_n(n) \
	_mm256_cmpgt_epi32(_mm256_set1_epi32((int)(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
#define vmask_last(n) \
	_mm256_cmpgt_epi32(_mm256_set1_epi32((int)(n)), _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0))
#define vmask_bits(b)                                                                        \
	_mm256_cmpgt_epi32(_mm256_and_si256(_mm256_set1_epi32((int)(b)),                     \
	                                    _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128)), \
	                   _mm256_setzero_si256())
#define vzero()              _mm256_setzero_ps()
#define vset1(a)             _mm256_set1_ps(a)
#define vload(p)             _mm256_loadu_ps(p)
#define vload_n(p, m)        _mm256_maskload_ps(p, m)
#define vload_few(p, n)      vload_n(p, vmask_n(n))
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
#define vclear(a, w)                                                                               \
	_mm256_blendv_ps(a, vzero(), _mm256_castsi256_ps(_mm256_slli_epi32(w, 31)))

static inline bool FN(vfinite)(vec a)
{
	const vec d = _mm256_sub_ps(a, a);

	return _mm256_movemask_ps(_mm256_cmp_ps(d, d, _CMP_UNORD_Q)) == 0;
}

#define EK_LOAD4(p, m) _mm_maskload_ps(p, _mm256_castsi256_si128(m))
#include "simd/float8.h"

#define vkeep(a, m) _mm256_and_ps(a, _mm256_castsi256_ps(m))
#define vcount(m)   _mm_popcnt_u32((unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(m)))
#endif

#define vfinite(a)             FN(vfinite)(a)
#define vsum(v)                FN(vsum)(v)
#define vtranspose(p, n, m, t) FN(vtranspose)(p, n, m, t)
#define vsum_rows(a)           FN(vsum_rows)(a)
#define vstream_end()          _mm_sfence()
#define vleave()               _mm256_zeroupper()
#define vfused(a, b, c)        vfma(a, b, c)
#ifdef EK_LOADS
#include "simd/loads.h"
#elif defined(EK_WITH_LOADS) /* others have no pass with loads, so they must not gather */
#include "simd/avx2_gather.h"
#endif
#ifdef EK_WITH_LOADS
#include "simd/scatter.h"
#ifndef EK_LOADS
#include "simd/gather_active.h"
#endif
#endif
