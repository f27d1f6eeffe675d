/* SPDX-License-Identifier: BSD-3-Clause
 * Vector operations on arrays of numbers, with AVX-512 F, DQ, BW and VL. A vector has 64 bytes:
 * sixteen lanes of 4 bytes, or eight lanes of 8 bytes. simd/array_scalar.h says what each operation
 * means. Operations that move lanes treat them as integers, whatever they hold. */
#include "simd/array_op.h"

#if EK_VAL_64
#define W          8
#define EK_MASK(n) ((__mmask8)_bzhi_u32(0xff, (unsigned)(n)))
#else
#define W          16
#define EK_MASK(n) ((__mmask16)_bzhi_u32(0xffff, (unsigned)(n)))
#endif

#if EK_VAL_FLOAT && EK_VAL_64
#define vec                 __m512d
#define vset1(a)            _mm512_set1_pd(a)
#define vload(p)            _mm512_loadu_pd(p)
#define vstore(p, v)        _mm512_storeu_pd(p, v)
#define vload_n(p, n, fill) _mm512_mask_loadu_pd(fill, EK_MASK(n), p)
#define vstore_n(p, v, n)   _mm512_mask_storeu_pd(p, EK_MASK(n), v)
#define vstream(p, v)       _mm512_stream_pd(p, v)
#define vlt(a, b)           ((unsigned)_mm512_cmp_pd_mask(a, b, _CMP_LT_OQ))
#define vle(a, b)           ((unsigned)_mm512_cmp_pd_mask(a, b, _CMP_LE_OQ))
#define veq(a, b)           ((unsigned)_mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ))
#define vselect(bits, a, b) _mm512_mask_mov_pd(b, (__mmask8)(bits), a)
#define EK_BITS(v)          _mm512_castpd_si512(v)
#define EK_FROM_BITS(v)     _mm512_castsi512_pd(v)
#define EK_COMPRESS(v, m)   _mm512_maskz_compress_pd((__mmask8)(m), v)
#define EK_ORDERED(a)       _mm512_cmp_pd_mask(a, a, _CMP_ORD_Q)
#define EK_VADD(a, b)       _mm512_add_pd(a, b)
#define EK_FMA(a, b, c)     _mm512_fmadd_pd(a, b, c)
#define vaddif(bits, a, b)  _mm512_mask_add_pd(a, (__mmask8)(bits), a, b)
#define EK_VMAX(a, b)       _mm512_mask_max_pd(a, EK_ORDERED(a), a, b)
#define EK_VMIN(a, b)       _mm512_mask_min_pd(a, EK_ORDERED(a), a, b)
#define EK_VOR(a, b)        EK_VADD(a, b)
#elif EK_VAL_FLOAT
#define vec                 __m512
#define vset1(a)            _mm512_set1_ps(a)
#define vload(p)            _mm512_loadu_ps(p)
#define vstore(p, v)        _mm512_storeu_ps(p, v)
#define vload_n(p, n, fill) _mm512_mask_loadu_ps(fill, EK_MASK(n), p)
#define vstore_n(p, v, n)   _mm512_mask_storeu_ps(p, EK_MASK(n), v)
#define vstream(p, v)       _mm512_stream_ps(p, v)
#define vlt(a, b)           ((unsigned)_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ))
#define vle(a, b)           ((unsigned)_mm512_cmp_ps_mask(a, b, _CMP_LE_OQ))
#define veq(a, b)           ((unsigned)_mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ))
#define vselect(bits, a, b) _mm512_mask_mov_ps(b, (__mmask16)(bits), a)
#define EK_BITS(v)          _mm512_castps_si512(v)
#define EK_FROM_BITS(v)     _mm512_castsi512_ps(v)
#define EK_COMPRESS(v, m)   _mm512_maskz_compress_ps((__mmask16)(m), v)
#define EK_ORDERED(a)       _mm512_cmp_ps_mask(a, a, _CMP_ORD_Q)
#define EK_VADD(a, b)       _mm512_add_ps(a, b)
#define EK_FMA(a, b, c)     _mm512_fmadd_ps(a, b, c)
#define vaddif(bits, a, b)  _mm512_mask_add_ps(a, (__mmask16)(bits), a, b)
#define EK_VMAX(a, b)       _mm512_mask_max_ps(a, EK_ORDERED(a), a, b)
#define EK_VMIN(a, b)       _mm512_mask_min_ps(a, EK_ORDERED(a), a, b)
#define EK_VOR(a, b)        EK_VADD(a, b)
#else
#define vec             __m512i
#define EK_BITS(v)      (v)
#define EK_FROM_BITS(v) (v)
#define vload(p)        _mm512_loadu_si512(p)
#define vstore(p, v)    _mm512_storeu_si512(p, v)
#define vstream(p, v)   _mm512_stream_si512((void *)(p), v)
#define EK_VOR(a, b)    _mm512_or_si512(a, b)
/* Computes v ^ (sign & flip) in one instruction. */
#define EK_ORDER(sign, v, flip) _mm512_ternarylogic_epi64(v, sign, flip, 0x78)
#if EK_VAL_64
#define vorder(v, flip)     EK_ORDER(_mm512_srai_epi64(v, 63), v, vset1(flip))
#define vset1(a)            _mm512_set1_epi64(a)
#define vload_n(p, n, fill) _mm512_mask_loadu_epi64(fill, EK_MASK(n), p)
#define vstore_n(p, v, n)   _mm512_mask_storeu_epi64(p, EK_MASK(n), v)
#define vlt(a, b)           ((unsigned)_mm512_cmplt_epi64_mask(a, b))
#define vle(a, b)           ((unsigned)_mm512_cmple_epi64_mask(a, b))
#define veq(a, b)           ((unsigned)_mm512_cmpeq_epi64_mask(a, b))
#define vselect(bits, a, b) _mm512_mask_mov_epi64(b, (__mmask8)(bits), a)
#define EK_COMPRESS(v, m)   _mm512_maskz_compress_epi64((__mmask8)(m), v)
#define EK_VADD(a, b)       _mm512_add_epi64(a, b)
#define vaddif(bits, a, b)  _mm512_mask_add_epi64(a, (__mmask8)(bits), a, b)
#define EK_VMAX(a, b)       _mm512_max_epi64(a, b)
#define EK_VMIN(a, b)       _mm512_min_epi64(a, b)
#else
#define vorder(v, flip)     EK_ORDER(_mm512_srai_epi32(v, 31), v, vset1(flip))
#define vset1(a)            _mm512_set1_epi32(a)
#define vload_n(p, n, fill) _mm512_mask_loadu_epi32(fill, EK_MASK(n), p)
#define vstore_n(p, v, n)   _mm512_mask_storeu_epi32(p, EK_MASK(n), v)
#define vlt(a, b)           ((unsigned)_mm512_cmplt_epi32_mask(a, b))
#define vle(a, b)           ((unsigned)_mm512_cmple_epi32_mask(a, b))
#define veq(a, b)           ((unsigned)_mm512_cmpeq_epi32_mask(a, b))
#define vselect(bits, a, b) _mm512_mask_mov_epi32(b, (__mmask16)(bits), a)
#define EK_COMPRESS(v, m)   _mm512_maskz_compress_epi32((__mmask16)(m), v)
#define EK_VADD(a, b)       _mm512_add_epi32(a, b)
#define vaddif(bits, a, b)  _mm512_mask_add_epi32(a, (__mmask16)(bits), a, b)
#define EK_VMAX(a, b)       _mm512_max_epi32(a, b)
#define EK_VMIN(a, b)       _mm512_min_epi32(a, b)
#endif
#endif

#define vstream_end() _mm_sfence()

/* Moves the lanes of `v` up by `k`, a constant, and fills the lowest k lanes with the last k lanes
 * of `fill`. */
#if EK_VAL_64
#define EK_SHIFT(v, k, fill) \
	EK_FROM_BITS(_mm512_alignr_epi64(EK_BITS(v), EK_BITS(fill), 8 - (k)))
#define vlast(v) EK_FROM_BITS(_mm512_permutexvar_epi64(_mm512_set1_epi64(7), EK_BITS(v)))
#else
#define EK_SHIFT(v, k, fill) \
	EK_FROM_BITS(_mm512_alignr_epi32(EK_BITS(v), EK_BITS(fill), 16 - (k)))
#define vlast(v) EK_FROM_BITS(_mm512_permutexvar_epi32(_mm512_set1_epi32(15), EK_BITS(v)))
#endif
#define vprevious(v, before) EK_SHIFT(v, 1, before)

static inline __attribute__((always_inline)) vec FN(vshift)(vec v, int64_t k, vec before)
{
#if EK_VAL_64
	const __m512i from = _mm512_sub_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),
	                                      _mm512_set1_epi64(k));

	return EK_FROM_BITS(_mm512_permutex2var_epi64(EK_BITS(v), from, EK_BITS(before)));
#else
	const __m512i lane =
		_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	const __m512i from = _mm512_sub_epi32(lane, _mm512_set1_epi32((int)k));

	return EK_FROM_BITS(_mm512_permutex2var_epi32(EK_BITS(v), from, EK_BITS(before)));
#endif
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

#include "simd/array_steps.h"

#define vsegstep(op, v, k, grow) vopif(op, grow, v, EK_SHIFT(v, k, v))

#define vop(op, a, b)         FN(vop)(op, a, b)
#define vscan(op, v)          FN(vscan)(op, v)
#define vshift(v, k, before)  FN(vshift)(v, k, before)
#define vfold(op, v)          FN(vfold)(op, v)
/* Compresses in a register and then stores, because the instruction that does both is many times
 * slower on some processors. */
#define vcompress(p, v, bits) vstore(p, EK_COMPRESS(v, bits))

static inline __attribute__((always_inline)) uint64_t FN(vbytes)(const uint8_t *p)
{
	__m512i v = _mm512_loadu_si512(p);

	return _mm512_test_epi8_mask(v, v);
}
#define vbytes(p) FN(vbytes)(p)

/* Joins two vectors into one: combines pairs of lanes of `a`, and pairs of lanes of `b`, by `op`.
 * vfolds joins vectors until one is left, first within pieces of 16 bytes, then across these
 * pieces. */
#define EK_JOIN(op, a, b, low, high)                          \
	FN(vop)(op, EK_FROM_BITS(low(EK_BITS(a), EK_BITS(b))), \
	        EK_FROM_BITS(high(EK_BITS(a), EK_BITS(b))))
#define EK_EVEN(a, b) _mm512_shuffle_i64x2(a, b, 0x88)
#define EK_ODD(a, b)  _mm512_shuffle_i64x2(a, b, 0xdd)
static inline __attribute__((always_inline)) vec FN(vfolds)(ek_monoid op, const vec *v)
{
	vec t[W], four[4];

	EK_UNROLL
	for (int k = 0; k < W / 2; k++)
#if EK_VAL_64
		t[k] = EK_JOIN(op, v[2 * k], v[2 * k + 1], _mm512_unpacklo_epi64,
		               _mm512_unpackhi_epi64);
#else
		t[k] = EK_JOIN(op, v[2 * k], v[2 * k + 1], _mm512_unpacklo_epi32,
		               _mm512_unpackhi_epi32);
#endif
	EK_UNROLL
	for (int k = 0; k < 4; k++)
#if EK_VAL_64
		four[k] = t[k];
#else
		four[k] = EK_JOIN(op, t[2 * k], t[2 * k + 1], _mm512_unpacklo_epi64,
		                  _mm512_unpackhi_epi64);
#endif
	four[0] = EK_JOIN(op, four[0], four[1], EK_EVEN, EK_ODD);
	four[2] = EK_JOIN(op, four[2], four[3], EK_EVEN, EK_ODD);
	return EK_JOIN(op, four[0], four[2], EK_EVEN, EK_ODD);
}
#define vfolds(op, v) FN(vfolds)(op, v)
