/* SPDX-License-Identifier: BSD-3-Clause
 * Sums of the lanes of eight floats, for AVX2 and AVX-512 VL alike. */

/* The tree 4, 2, 1: lanes 0 to 3 and 4 to 7 first. */
static inline VAL FN(vsum)(vec v)
{
	__m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));

	s = _mm_add_ps(s, _mm_movehl_ps(s, s));
	return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}

static inline vec FN(vsum_rows)(const vec *a)
{
	vec p = _mm256_hadd_ps(_mm256_hadd_ps(a[0], a[1]), _mm256_hadd_ps(a[2], a[3]));
	vec q = _mm256_hadd_ps(_mm256_hadd_ps(a[4], a[5]), _mm256_hadd_ps(a[6], a[7]));

	return vadd(_mm256_permute2f128_ps(p, q, 0x20), _mm256_permute2f128_ps(p, q, 0x31));
}
