/* SPDX-License-Identifier: BSD-3-Clause
 * Sums of rows that lie in the lanes of vectors, an entry of each row side by side: of SELL-C-sigma
 * and BRC. Included in each pass of core/for_each.h.
 *
 * Entries of the first lane are at places `at`, at + step and so on, below `end`; those of the
 * others beside them. */

/* `wide` vectors of lanes, a constant, which hides the time of the additions. Gives the place
 * behind the last step. */
static inline __attribute__((always_inline)) int64_t
FN(lane_sums)(const IDX *col_idx, const VAL *val, const VAL *x, int64_t step, int64_t at,
              int64_t end, const int wide, vec *sum)
{
	EK_UNROLL
	for (int k = 0; k < wide; k++)
		sum[k] = vzero();
	for (; at < end; at += step) {
		EK_UNROLL
		for (int k = 0; k < wide; k++) {
			const VAL *a = val + at + k * W;
			const IDX *c = col_idx + at + k * W;

			EK_AHEAD(a);
			EK_AHEAD(c);
			sum[k] = vfma(vload(a), vgather(x, c), sum[k]);
		}
	}
	return at;
}

/* Less than a vector of lanes. */
static inline vec FN(lane_sums_n)(const IDX *col_idx, const VAL *val, const VAL *x, int64_t step,
                                  int64_t at, int64_t end, vmask m)
{
	vec sum = vzero();

	for (; at < end; at += step) {
		EK_AHEAD(val + at);
		EK_AHEAD(col_idx + at);
		sum = vfma(vload_n(val + at, m), vgather_n(x, col_idx + at, m), sum);
	}
	return sum;
}
