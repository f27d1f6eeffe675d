/* SPDX-License-Identifier: BSD-3-Clause
 * Sums of the lanes of vectors of eight floats, and transposes of such vectors, for AVX2 and
 * AVX-512 VL. */

/* Sums the eight lanes as a tree: three times, the upper half of the lanes is added to the lower
 * half. This leaves four sums, then two, then one. */
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

/* Transposes the 4 x 4 lanes in each half of four vectors: within a half, lane r of t[j] is lane j
 * of a[r]. */
static inline void FN(vtranspose_4)(const vec *a, vec *t)
{
	vec p = _mm256_unpacklo_ps(a[0], a[1]), q = _mm256_unpacklo_ps(a[2], a[3]);
	vec r = _mm256_unpackhi_ps(a[0], a[1]), s = _mm256_unpackhi_ps(a[2], a[3]);

	t[0] = _mm256_shuffle_ps(p, q, 0x44);
	t[1] = _mm256_shuffle_ps(p, q, 0xee);
	t[2] = _mm256_shuffle_ps(r, s, 0x44);
	t[3] = _mm256_shuffle_ps(r, s, 0xee);
}

/* Transposes eight rows of m entries. If m <= 4, rows r and r + 4 are loaded into the halves of one
 * vector, so that no lane has to move from one half to the other. */
static inline void FN(vtranspose)(const VAL *p, int64_t n, int m, vec *t)
{
	const vmask mask = vmask_n(m);
	vec a[8];

	if (m <= 4) {
		for (int r = 0; r < 4; r++)
			a[r] = _mm256_set_m128(EK_LOAD4(p + (r + 4) * n, mask),
			                       EK_LOAD4(p + r * n, mask));
		FN(vtranspose_4)(a, t);
		for (int j = 4; j < 8; j++)
			t[j] = vzero();
		return;
	}
	for (int r = 0; r < 8; r++)
		a[r] = vload_n(p + r * n, mask);

	vec u[4], v[4];

	FN(vtranspose_4)(a, u);
	FN(vtranspose_4)(a + 4, v);
	for (int j = 0; j < 4; j++) {
		t[j] = _mm256_permute2f128_ps(u[j], v[j], 0x20);
		t[j + 4] = _mm256_permute2f128_ps(u[j], v[j], 0x31);
	}
}
