/* SPDX-License-Identifier: BSD-3-Clause
 * Vector operations with AVX-512 F, DQ, BW and VL. A vector has eight lanes, of doubles or of
 * floats. Sixteen floats would gain nothing where every lane needs a load of its own (gathers), and
 * would waste half of the lanes on short rows. simd/scalar.h says what each operation means. */
#define W             8
#define EK_U16(c)     _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(c)))
#define EK_NOT_FINITE 0x99 /* classes of fpclass: quiet NaN, +Inf, -Inf, signalling NaN */
#define vmask         __mmask8
#define vmask_n(n)    ((__mmask8)_bzhi_u32(0xff, (unsigned)(n)))
#define vmask_last(n) ((vmask)(0xff00u >> (n)))
#define vmask_bits(b) ((__mmask8)(b))
#define vflags(p)     EK_TEST8(_mm512_loadu_si512(p))
#define EK_TEST8(v)   ((uint64_t)_mm512_test_epi8_mask(v, v))
#define EK_PACKED(m)  vmask_n(_mm_popcnt_u32(m))

#if EK_VAL_F64
#define vec                  __m512d
#define vzero()              _mm512_setzero_pd()
#define vset1(a)             _mm512_set1_pd(a)
#define vload(p)             _mm512_loadu_pd(p)
#define vload_few(p, n)      _mm512_zextpd256_pd512(_mm256_maskz_loadu_pd(vmask_n(n), p))
#define vload_n(p, m)        _mm512_maskz_loadu_pd(m, p)
#define vstore(p, v)         _mm512_storeu_pd(p, v)
#define vstream(p, v)        _mm512_stream_pd(p, v)
#define vstore_n(p, v, m)    _mm512_mask_storeu_pd(p, m, v)
#define vadd(a, b)           _mm512_add_pd(a, b)
#define vadd_n(a, b, m)      _mm512_mask_add_pd(a, m, a, b)
#define vmul(a, b)           _mm512_mul_pd(a, b)
#define vfma(a, b, c)        _mm512_fmadd_pd(a, b, c)
#define vfused_n(a, b, c, m) _mm512_mask3_fmadd_pd(a, b, c, m)
#define vfinite(a)           (_mm512_fpclass_pd_mask(a, EK_NOT_FINITE) == 0)
#define vsum(v)              _mm512_reduce_add_pd(v)
#define vkeep(a, m)          _mm512_maskz_mov_pd(m, a)

/* Sums the lanes of each of eight vectors. In each of three steps, two vectors become one: pairs of
 * lanes of each vector are added, and the sums are put side by side. */
static inline vec FN(vsum_rows)(const vec *a)
{
#define EK_IN(p, q)     vadd(_mm512_unpacklo_pd(p, q), _mm512_unpackhi_pd(p, q))
#define EK_ACROSS(p, q) vadd(_mm512_shuffle_f64x2(p, q, 0x88), _mm512_shuffle_f64x2(p, q, 0xdd))
	return EK_ACROSS(EK_ACROSS(EK_IN(a[0], a[1]), EK_IN(a[2], a[3])),
	                 EK_ACROSS(EK_IN(a[4], a[5]), EK_IN(a[6], a[7])));
#undef EK_IN
#undef EK_ACROSS
}

/* Transposes eight rows of up to four entries. Rows r and r + 4 are loaded into one vector. */
static inline void FN(vtranspose_half)(const VAL *p, int64_t n, vmask mask, vec *t)
{
	const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
	const __m512i high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
	vec a[4];

	for (int r = 0; r < 4; r++)
		a[r] = _mm512_insertf64x4(
			_mm512_castpd256_pd512(_mm256_maskz_loadu_pd(mask, p + r * n)),
			_mm256_maskz_loadu_pd(mask, p + (r + 4) * n), 1);

	vec ab = _mm512_unpacklo_pd(a[0], a[1]), cd = _mm512_unpacklo_pd(a[2], a[3]);
	vec ef = _mm512_unpackhi_pd(a[0], a[1]), gh = _mm512_unpackhi_pd(a[2], a[3]);

	t[0] = _mm512_permutex2var_pd(ab, low, cd);
	t[1] = _mm512_permutex2var_pd(ef, low, gh);
	t[2] = _mm512_permutex2var_pd(ab, high, cd);
	t[3] = _mm512_permutex2var_pd(ef, high, gh);
}

/* Transposes eight rows of m entries: first pairs of rows, then pairs of these pairs, then the two
 * halves. `s` is 0 for the even columns and 1 for the odd ones. */
static inline void FN(vtranspose)(const VAL *p, int64_t n, int m, vec *t)
{
	const vmask mask = vmask_n(m);
	vec a[8], pair[2][4];

	if (m <= 4) {
		FN(vtranspose_half)(p, n, mask, t);
		for (int j = 4; j < 8; j++)
			t[j] = vzero();
		return;
	}
	for (int r = 0; r < 8; r++)
		a[r] = vload_n(p + r * n, mask);
	for (int r = 0; r < 4; r++) {
		pair[0][r] = _mm512_unpacklo_pd(a[2 * r], a[2 * r + 1]);
		pair[1][r] = _mm512_unpackhi_pd(a[2 * r], a[2 * r + 1]);
	}
	for (int s = 0; s < 2; s++) {
		vec e = _mm512_shuffle_f64x2(pair[s][0], pair[s][1], 0x88);
		vec f = _mm512_shuffle_f64x2(pair[s][2], pair[s][3], 0x88);
		vec g = _mm512_shuffle_f64x2(pair[s][0], pair[s][1], 0xdd);
		vec h = _mm512_shuffle_f64x2(pair[s][2], pair[s][3], 0xdd);

		t[s] = _mm512_shuffle_f64x2(e, f, 0x88);
		t[s + 4] = _mm512_shuffle_f64x2(e, f, 0xdd);
		t[s + 2] = _mm512_shuffle_f64x2(g, h, 0x88);
		t[s + 6] = _mm512_shuffle_f64x2(g, h, 0xdd);
	}
}

#else
#define vec                  __m256
#define vzero()              _mm256_setzero_ps()
#define vset1(a)             _mm256_set1_ps(a)
#define vload(p)             _mm256_loadu_ps(p)
#define vload_n(p, m)        _mm256_maskz_loadu_ps(m, p)
#define vload_few(p, n)      vload_n(p, vmask_n(n))
#define vstore(p, v)         _mm256_storeu_ps(p, v)
#define vstream(p, v)        _mm256_stream_ps(p, v)
#define vstore_n(p, v, m)    _mm256_mask_storeu_ps(p, m, v)
#define vadd(a, b)           _mm256_add_ps(a, b)
#define vadd_n(a, b, m)      _mm256_mask_add_ps(a, m, a, b)
#define vmul(a, b)           _mm256_mul_ps(a, b)
#define vfma(a, b, c)        _mm256_fmadd_ps(a, b, c)
#define vfused_n(a, b, c, m) _mm256_mask3_fmadd_ps(a, b, c, m)
#define vfinite(a)           (_mm256_fpclass_ps_mask(a, EK_NOT_FINITE) == 0)
#define vsum(v)              FN(vsum)(v)
#define vkeep(a, m)          _mm256_maskz_mov_ps(m, a)

#define EK_LOAD4(p, m) _mm_maskz_loadu_ps(m, p)
#include "simd/float8.h"
#endif

#if EK_VAL_F64
#define vpack(p, v, m) vstore_n(p, _mm512_maskz_compress_pd(m, v), EK_PACKED(m))
#else
#define vpack(p, v, m) vstore_n(p, _mm256_maskz_compress_ps(m, v), EK_PACKED(m))
#endif
#if EK_IDX_64
#define vpack_lanes(p, first, m)                                      \
	_mm512_mask_storeu_epi64(                                     \
		p, EK_PACKED(m),                                      \
		_mm512_maskz_compress_epi64(                          \
			m, _mm512_add_epi64(_mm512_set1_epi64(first), \
	                                    _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7))))
#else
#define vpack_lanes(p, first, m)                                      \
	_mm256_mask_storeu_epi32(                                     \
		p, EK_PACKED(m),                                      \
		_mm256_maskz_compress_epi32(                          \
			m, _mm256_add_epi32(_mm256_set1_epi32(first), \
	                                    _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))))
#endif
#define vcount(m)              _mm_popcnt_u32(m)
#ifdef EK_LOADS
#include "simd/loads.h"
#elif defined(EK_WITH_LOADS) /* others have no pass with loads, so they must not gather */
#define vgather(x, c)          vgather_n(x, c, 0xff)
#define vgather_u16(x, c)      vgather_u16_n(x, c, 0xff)
#if EK_VAL_F64
#define vgather_u16_n(x, c, m) _mm512_mask_i32gather_pd(vzero(), m, EK_U16(c), x, 8)
#else
#define vgather_u16_n(x, c, m) _mm256_mmask_i32gather_ps(vzero(), m, EK_U16(c), x, 4)
#endif
#if EK_VAL_F64 && EK_IDX_64
#define vgather_n(x, c, m) \
	_mm512_mask_i64gather_pd(vzero(), m, _mm512_maskz_loadu_epi64(m, c), x, 8)
#elif EK_VAL_F64
#define vgather_n(x, c, m) \
	_mm512_mask_i32gather_pd(vzero(), m, _mm256_maskz_loadu_epi32(m, c), x, 8)
#elif EK_IDX_64
#define vgather_n(x, c, m) \
	_mm512_mask_i64gather_ps(vzero(), m, _mm512_maskz_loadu_epi64(m, c), x, 4)
#else
#define vgather_n(x, c, m) \
	_mm256_mmask_i32gather_ps(vzero(), m, _mm256_maskz_loadu_epi32(m, c), x, 4)
#endif
#endif
#define vsum_rows(a)           FN(vsum_rows)(a)
#define vtranspose(p, n, m, t) FN(vtranspose)(p, n, m, t)
/* Vectors of eight 32-bit words, one for each lane, for both value types. */
#define vwords         __m256i
#define vwords_load(p) _mm256_loadu_si256((const __m256i *)(p))
#define vwords_next(w) _mm256_srli_epi32(w, 1)
#if EK_VAL_F64
#define vclear(a, w) _mm512_maskz_mov_pd(_mm256_testn_epi32_mask(w, _mm256_set1_epi32(1)), a)
#else
#define vclear(a, w) _mm256_maskz_mov_ps(_mm256_testn_epi32_mask(w, _mm256_set1_epi32(1)), a)
#endif
#define vstream_end()   _mm_sfence()
#define vleave()        _mm256_zeroupper()
#define vfused(a, b, c) vfma(a, b, c)
#ifdef EK_WITH_LOADS
#include "simd/scatter.h"
#ifndef EK_LOADS
#include "simd/gather_active.h"
#endif
#endif
