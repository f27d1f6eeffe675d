/* SPDX-License-Identifier: BSD-3-Clause
 * Multiplies consecutive entries of a row by x, W at a time. Included by files that use
 * base/for_each.h, in every pass. */
/* Adds the products of the last n entries of a row, which ends at `end`, to the partial sums `a`; n
 * is from 0 to W. If x is gathered by loads, the lanes of entries before these n are loaded too,
 * which takes less time than to tell them apart, and only their products are left out. */
static inline vec FN(row_rest)(const IDX *col_idx, const VAL *val, const VAL *x, int64_t end,
                               int64_t n, vec a)
{
#ifdef EK_LOADS
	if (end >= W) {
		const vec xs = vgather(x, col_idx + end - W);

		return vfused_n(vload(val + end - W), xs, a, vmask_last(n));
	}
#endif
	const vmask m = vmask_n(n);

	return vfma(vload_n(val + end - n, m), vgather_n(x, col_idx + end - n, m), a);
}

/* Returns the products of entries [k, end) of a row with x, added up into W partial sums. */
static inline vec FN(row_sums)(const IDX *col_idx, const VAL *val, const VAL *x, int64_t k,
                               int64_t end)
{
	vec a = vzero();

	if (end - k > 4 * W) {
		vec b = vzero(), c = vzero(), d = vzero();

		for (; end - k > 4 * W; k += 4 * W) {
			EK_AHEAD(val + k);
			EK_AHEAD(val + k + W);
			EK_AHEAD(val + k + 2 * W);
			EK_AHEAD(val + k + 3 * W);
			EK_AHEAD(col_idx + k);
			EK_AHEAD(col_idx + k + 2 * W);
			a = vfma(vload(val + k), vgather(x, col_idx + k), a);
			b = vfma(vload(val + k + W), vgather(x, col_idx + k + W), b);
			c = vfma(vload(val + k + 2 * W), vgather(x, col_idx + k + 2 * W), c);
			d = vfma(vload(val + k + 3 * W), vgather(x, col_idx + k + 3 * W), d);
		}
		a = vadd(vadd(a, b), vadd(c, d));
	}
	for (; end - k > W; k += W) {
		EK_AHEAD(val + k);
		EK_AHEAD(col_idx + k);
		a = vfma(vload(val + k), vgather(x, col_idx + k), a);
	}
	EK_AHEAD(val + k);
	EK_AHEAD(col_idx + k);
	return FN(row_rest)(col_idx, val, x, end, end - k, a);
}
