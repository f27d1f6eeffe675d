/* SPDX-License-Identifier: BSD-3-Clause
 * Stores of the single lanes of a vector, for avx2.h and avx512.h. They come straight from the
 * register: a copy in memory, from which the lanes are read one by one, would take longer. */
#if EK_VAL_F64
static inline void FN(vscatter_pair)(VAL *y, const IDX *c, __m128d v)
{
	_mm_storel_pd(y + c[0], v);
	_mm_storeh_pd(y + c[1], v);
}

#if W == 8
#define EK_PAIR(v, k) _mm512_extractf64x2_pd(v, k)
#else
#define EK_PAIR(v, k) _mm256_extractf128_pd(v, k)
#endif
static inline void FN(vscatter)(VAL *y, const IDX *c, vec v)
{
	FN(vscatter_pair)(y, c, EK_PAIR(v, 0));
	FN(vscatter_pair)(y, c + 2, EK_PAIR(v, 1));
#if W == 8
	FN(vscatter_pair)(y, c + 4, EK_PAIR(v, 2));
	FN(vscatter_pair)(y, c + 6, EK_PAIR(v, 3));
#endif
}
#undef EK_PAIR

#else
static inline void FN(vscatter_quad)(VAL *y, const IDX *c, __m128 v)
{
	_mm_store_ss(y + c[0], v);
	_mm_store_ss(y + c[1], _mm_movehdup_ps(v));
	_mm_store_ss(y + c[2], _mm_unpackhi_ps(v, v));
	_mm_store_ss(y + c[3], _mm_shuffle_ps(v, v, 0xff));
}

static inline void FN(vscatter)(VAL *y, const IDX *c, vec v)
{
	FN(vscatter_quad)(y, c, _mm256_castps256_ps128(v));
	FN(vscatter_quad)(y, c + 4, _mm256_extractf128_ps(v, 1));
}
#endif
#define vscatter(y, c, v) FN(vscatter)(y, c, v)
