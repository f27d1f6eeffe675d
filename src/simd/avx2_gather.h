/* SPDX-License-Identifier: BSD-3-Clause
 * The gathers of avx2.h by gather instructions. */
#if EK_VAL_F64
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
#define vgather_u16(x, c) _mm256_i32gather_pd(x, EK_U16(c), 8)
#define vgather_u16_n(x, c, m) \
	_mm256_mask_i32gather_pd(vzero(), x, EK_U16(c), _mm256_castsi256_pd(m), 8)
#if EK_IDX_64
#define vgather(x, c) _mm256_i64gather_pd(x, _mm256_loadu_si256((const __m256i *)(c)), 8)
#else
#define vgather(x, c) _mm256_i32gather_pd(x, _mm_loadu_si128((const __m128i *)(c)), 8)
#endif
#else
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
#define vgather_u16(x, c) _mm256_i32gather_ps(x, EK_U16(c), 4)
#define vgather_u16_n(x, c, m) \
	_mm256_mask_i32gather_ps(vzero(), x, EK_U16(c), _mm256_castsi256_ps(m), 4)
#if EK_IDX_64
#define vgather(x, c) vgather_n(x, c, vmask_n(8))
#else
#define vgather(x, c) _mm256_i32gather_ps(x, _mm256_loadu_si256((const __m256i *)(c)), 4)
#endif
#endif
#define vgather_n(x, c, m) FN(vgather_n)(x, c, m)
