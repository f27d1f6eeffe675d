/* SPDX-License-Identifier: BSD-3-Clause
 * Vector operations on arrays of numbers, with AVX2. A vector has 32 bytes: eight lanes of 4 bytes,
 * or four lanes of 8 bytes. simd/array_scalar.h says what each operation means. Operations that
 * move lanes treat them as integers of 4 bytes, whatever they hold; a lane of 8 bytes is two of
 * these integers. */
#include "simd/array_op.h"

#if EK_VAL_64
#define W              4
#define EK_LANES()     _mm256_setr_epi64x(0, 1, 2, 3)
#define EK_SET(a)      _mm256_set1_epi64x(a)
#define EK_GT(a, b)    _mm256_cmpgt_epi64(a, b)
#define EK_EQ(a, b)    _mm256_cmpeq_epi64(a, b)
#define EK_MOVEMASK(m) ((unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(m)))
/* Returns a vector whose lane i is all ones if bit i of `bits` is 1, else all zeros. */
#define EK_EXPAND(bits)                                                                  \
	EK_EQ(_mm256_and_si256(EK_SET((int64_t)(bits)), _mm256_setr_epi64x(1, 2, 4, 8)), \
	      _mm256_setr_epi64x(1, 2, 4, 8))
#else
#define W              8
#define EK_LANES()     _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)
#define EK_SET(a)      _mm256_set1_epi32((int)(a))
#define EK_GT(a, b)    _mm256_cmpgt_epi32(a, b)
#define EK_EQ(a, b)    _mm256_cmpeq_epi32(a, b)
#define EK_MOVEMASK(m) ((unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(m)))
#define EK_EXPAND(bits)                                                                       \
	EK_EQ(_mm256_and_si256(EK_SET(bits), _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128)), \
	      _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128))
#endif
#define EK_FIRST(n)     EK_GT(EK_SET(n), EK_LANES())
#define EK_MIX(m, a, b) _mm256_blendv_epi8(b, a, m)

#if EK_VAL_FLOAT && EK_VAL_64
#define vec               __m256d
#define EK_BITS(v)        _mm256_castpd_si256(v)
#define EK_FROM_BITS(v)   _mm256_castsi256_pd(v)
#define vset1(a)          _mm256_set1_pd(a)
#define vload(p)          _mm256_loadu_pd(p)
#define vstore(p, v)      _mm256_storeu_pd(p, v)
#define vstream(p, v)     _mm256_stream_pd(p, v)
#define EK_LOAD(p, m)     EK_BITS(_mm256_maskload_pd(p, m))
#define vstore_n(p, v, n) _mm256_maskstore_pd(p, EK_FIRST(n), v)
#define vlt(a, b)         ((unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ)))
#define vle(a, b)         ((unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LE_OQ)))
#define veq(a, b)         ((unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ)))
#define EK_VADD(a, b)     _mm256_add_pd(a, b)
#define EK_FMA(a, b, c)   _mm256_fmadd_pd(a, b, c)
#define EK_NAN(a)         _mm256_cmp_pd(a, a, _CMP_UNORD_Q)
#define EK_VMAX(a, b)     _mm256_blendv_pd(_mm256_max_pd(a, b), a, EK_NAN(a))
#define EK_VMIN(a, b)     _mm256_blendv_pd(_mm256_min_pd(a, b), a, EK_NAN(a))
#define EK_VOR(a, b)      EK_VADD(a, b)
#elif EK_VAL_FLOAT
#define vec               __m256
#define EK_BITS(v)        _mm256_castps_si256(v)
#define EK_FROM_BITS(v)   _mm256_castsi256_ps(v)
#define vset1(a)          _mm256_set1_ps(a)
#define vload(p)          _mm256_loadu_ps(p)
#define vstore(p, v)      _mm256_storeu_ps(p, v)
#define vstream(p, v)     _mm256_stream_ps(p, v)
#define EK_LOAD(p, m)     EK_BITS(_mm256_maskload_ps(p, m))
#define vstore_n(p, v, n) _mm256_maskstore_ps(p, EK_FIRST(n), v)
#define vlt(a, b)         ((unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ)))
#define vle(a, b)         ((unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ)))
#define veq(a, b)         ((unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_EQ_OQ)))
#define EK_VADD(a, b)     _mm256_add_ps(a, b)
#define EK_FMA(a, b, c)   _mm256_fmadd_ps(a, b, c)
#define EK_NAN(a)         _mm256_cmp_ps(a, a, _CMP_UNORD_Q)
#define EK_VMAX(a, b)     _mm256_blendv_ps(_mm256_max_ps(a, b), a, EK_NAN(a))
#define EK_VMIN(a, b)     _mm256_blendv_ps(_mm256_min_ps(a, b), a, EK_NAN(a))
#define EK_VOR(a, b)      EK_VADD(a, b)
#else
#define vec             __m256i
#define EK_BITS(v)      (v)
#define EK_FROM_BITS(v) (v)
#define vset1(a)        EK_SET(a)
#define vload(p)        _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define vstore(p, v)    _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define vstream(p, v)   _mm256_stream_si256((__m256i *)(void *)(p), v)
#define vlt(a, b)       EK_MOVEMASK(EK_GT(b, a))
#define vle(a, b)       ((EK_MOVEMASK(EK_GT(a, b))) ^ ((1u << W) - 1))
#define veq(a, b)       EK_MOVEMASK(EK_EQ(a, b))
#define EK_VOR(a, b)    _mm256_or_si256(a, b)
#define vorder(v, flip) \
	_mm256_xor_si256(v, _mm256_and_si256(EK_GT(_mm256_setzero_si256(), v), EK_SET(flip)))
#if EK_VAL_64
#define EK_LOAD(p, m)     _mm256_maskload_epi64((const long long *)(p), m)
#define vstore_n(p, v, n) _mm256_maskstore_epi64((long long *)(p), EK_FIRST(n), v)
#define EK_VADD(a, b)     _mm256_add_epi64(a, b)
#define EK_VMAX(a, b)     EK_MIX(EK_GT(a, b), a, b)
#define EK_VMIN(a, b)     EK_MIX(EK_GT(a, b), b, a)
#else
#define EK_LOAD(p, m)     _mm256_maskload_epi32((const int *)(p), m)
#define vstore_n(p, v, n) _mm256_maskstore_epi32((int *)(p), EK_FIRST(n), v)
#define EK_VADD(a, b)     _mm256_add_epi32(a, b)
#define EK_VMAX(a, b)     _mm256_max_epi32(a, b)
#define EK_VMIN(a, b)     _mm256_min_epi32(a, b)
#endif
#endif

#define vstream_end()       _mm_sfence()
#define vselect(bits, a, b) EK_FROM_BITS(EK_MIX(EK_EXPAND(bits), EK_BITS(a), EK_BITS(b)))

static inline __attribute__((always_inline)) vec FN(vload_n)(const VAL *p, int64_t n, vec fill)
{
	const __m256i first = EK_FIRST(n);

	return EK_FROM_BITS(EK_MIX(first, EK_LOAD(p, first), EK_BITS(fill)));
}

static inline __attribute__((always_inline)) vec FN(vop)(ek_monoid op, vec a, vec b)
{
	switch (op) {
	case EK_MAX: return EK_VMAX(a, b);
	case EK_MIN: return EK_VMIN(a, b);
	case EK_OR: return EK_VOR(a, b);
	case EK_SUM: break;
	}
	return EK_VADD(a, b);
}

/* EK_PERMUTE picks lanes of 4 bytes by a constant list of their numbers. EK_UP1, EK_UP2 and EK_UP4
 * move such lanes up by 1, 2 and 4, and fill the lowest lanes with the last lanes of `fill`. */
#define EK_PERMUTE(v, ...) _mm256_permutevar8x32_epi32(EK_BITS(v), _mm256_setr_epi32(__VA_ARGS__))
#define EK_UP1(v, fill)                                                        \
	EK_FROM_BITS(_mm256_blend_epi32(EK_PERMUTE(v, 0, 0, 1, 2, 3, 4, 5, 6), \
	                                EK_PERMUTE(fill, 7, 7, 7, 7, 7, 7, 7, 7), 0x01))
#define EK_UP2(v, fill)                                                        \
	EK_FROM_BITS(_mm256_blend_epi32(EK_PERMUTE(v, 0, 0, 0, 1, 2, 3, 4, 5), \
	                                EK_PERMUTE(fill, 6, 7, 6, 7, 6, 7, 6, 7), 0x03))
#define EK_UP4(v, fill) EK_FROM_BITS(_mm256_permute2x128_si256(EK_BITS(fill), EK_BITS(v), 0x21))
#if EK_VAL_64
#define EK_UP_ONE(v, fill) EK_UP2(v, fill)
#define vlast(v)           EK_FROM_BITS(_mm256_permute4x64_epi64(EK_BITS(v), 0xff))
#else
#define EK_UP_ONE(v, fill) EK_UP1(v, fill)
#define vlast(v)           EK_FROM_BITS(EK_PERMUTE(v, 7, 7, 7, 7, 7, 7, 7, 7))
#endif
#define vprevious(v, before) EK_UP_ONE(v, before)

static inline __attribute__((always_inline)) vec FN(vshift)(vec v, int64_t k, vec before)
{
	const __m256i from = _mm256_sub_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
	                                      _mm256_set1_epi32((int)k * (8 / W)));
	__m256i lanes = _mm256_permutevar8x32_epi32(EK_BITS(v), from),
		rest = _mm256_permutevar8x32_epi32(EK_BITS(before), from);

	return EK_FROM_BITS(EK_MIX(_mm256_srai_epi32(from, 31), rest, lanes));
}

/* Computes the inclusive scan of the lanes by the method of Kogge and Stone: each step doubles the
 * number of lanes that are combined in a lane. */
static inline __attribute__((always_inline)) vec FN(vscan)(ek_monoid op, vec v)
{
	const vec none = vset1(FN(identity)(op));

#if !EK_VAL_64
	v = FN(vop)(op, EK_UP1(v, none), v);
#endif
	v = FN(vop)(op, EK_UP2(v, none), v);
	return FN(vop)(op, EK_UP4(v, none), v);
}

#define vaddif(bits, a, b) vselect(bits, FN(vop)(EK_SUM, b, a), a)
#if EK_VAL_64
#define vsegstep(op, v, k, grow) vopif(op, grow, v, (k) == 1 ? EK_UP2(v, v) : EK_UP4(v, v))
#else
#define vsegstep(op, v, k, grow) \
	vopif(op, grow, v, (k) == 1 ? EK_UP1(v, v) : (k) == 2 ? EK_UP2(v, v) : EK_UP4(v, v))
#endif

#include "simd/array_steps.h"

/* Stores, side by side, the lanes whose bit is 1. The constant 0x0706050403020100 has the numbers
 * of all lanes of 4 bytes, one in each byte. PEXT picks from it the numbers of the lanes to
 * store. */
static inline __attribute__((always_inline)) void FN(vcompress)(VAL *p, vec v, unsigned bits)
{
#if EK_VAL_64
	uint64_t keep = _pdep_u64(bits, UINT64_C(0x0001000100010001)) * 0xffff;
#else
	uint64_t keep = _pdep_u64(bits, UINT64_C(0x0101010101010101)) * 0xff;
#endif
	uint64_t order = _pext_u64(UINT64_C(0x0706050403020100), keep);
	__m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)order));

	vstore(p, EK_FROM_BITS(_mm256_permutevar8x32_epi32(EK_BITS(v), lanes)));
}

#define vload_n(p, n, fill)   FN(vload_n)(p, n, fill)
#define vop(op, a, b)         FN(vop)(op, a, b)
#define vscan(op, v)          FN(vscan)(op, v)
#define vshift(v, k, before)  FN(vshift)(v, k, before)
#define vfold(op, v)          FN(vfold)(op, v)
#define vcompress(p, v, bits) FN(vcompress)(p, v, bits)

static inline __attribute__((always_inline)) uint64_t FN(vbytes)(const uint8_t *p)
{
	const __m256i zero = _mm256_setzero_si256();
	__m256i low = _mm256_loadu_si256((const __m256i *)(const void *)p);
	__m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));

	return ~((uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, zero)) |
	         (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, zero)) << 32);
}
#define vbytes(p) FN(vbytes)(p)

/* Joins two vectors into one: combines pairs of lanes of `a`, and pairs of lanes of `b`, by `op`.
 * The function vfolds() joins vectors until one is left, first within pieces of 16 bytes, then
 * across these pieces. */
#define EK_JOIN(op, a, b, low, high)                    \
	FN(vop)                                         \
	(op, EK_FROM_BITS(low(EK_BITS(a), EK_BITS(b))), \
	 EK_FROM_BITS(high(EK_BITS(a), EK_BITS(b))))
#define EK_EVEN(a, b) _mm256_permute2x128_si256(a, b, 0x20)
#define EK_ODD(a, b)  _mm256_permute2x128_si256(a, b, 0x31)
static inline __attribute__((always_inline)) vec FN(vfolds)(ek_monoid op, const vec *v)
{
	vec t[W], two[2];

	EK_UNROLL
	for (int k = 0; k < W / 2; k++)
#if EK_VAL_64
		t[k] = EK_JOIN(op, v[2 * k], v[2 * k + 1], _mm256_unpacklo_epi64,
		               _mm256_unpackhi_epi64);
#else
		t[k] = EK_JOIN(op, v[2 * k], v[2 * k + 1], _mm256_unpacklo_epi32,
		               _mm256_unpackhi_epi32);
#endif
	EK_UNROLL
	for (int k = 0; k < 2; k++)
#if EK_VAL_64
		two[k] = t[k];
#else
		two[k] = EK_JOIN(op, t[2 * k], t[2 * k + 1], _mm256_unpacklo_epi64,
		                 _mm256_unpackhi_epi64);
#endif
	return EK_JOIN(op, two[0], two[1], EK_EVEN, EK_ODD);
}
#define vfolds(op, v) FN(vfolds)(op, v)
