/* SPDX-License-Identifier: BSD-3-Clause
 * Multiplies consecutive entries of a row by x, W at a time. Included by files that use
 * base/for_each.h, in every pass. */
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

	vmask m = vmask_n(end - k);

	return vfma(vload_n(val + k, m), vgather_n(x, col_idx + k, m), a);
}
