/* SPDX-License-Identifier: BSD-3-Clause
 * The two steps of CSR-Stream: storing the products of a segment of entries in a small buffer, and
 * summing rows from that buffer. Included by files that use base/for_each.h, in every pass. */
/* Writes the products of entries [k, end) with x to `buf`. */
static inline void FN(products)(const IDX *col_idx, const VAL *val, const VAL *x, int64_t k,
                                int64_t end, VAL *buf)
{
	for (; end - k >= W; k += W, buf += W) {
		EK_AHEAD(val + k);
		EK_AHEAD(col_idx + k);
		vstore(buf, vmul(vload(val + k), vgather(x, col_idx + k)));
	}
	if (k < end) {
		vmask m = vmask_n(end - k);

		vstore_n(buf, vmul(vload_n(val + k, m), vgather_n(x, col_idx + k, m)), m);
	}
}

/* Returns W partial sums of the n products that begin at `p`. */
static inline vec FN(buffer_sums)(const VAL *p, int64_t n)
{
	vec sum = vzero();

	for (; n > W; n -= W, p += W)
		sum = vadd(sum, vload(p));
	return vadd(sum, vload_n(p, vmask_n(n)));
}

/* Returns the sums of W rows, one in each lane. `buf` begins with the product of entry `base`;
 * row_ptr[0] is the row pointer of the first row. */
static inline vec FN(buffer_rows)(const VAL *buf, int64_t base, const PTR *row_ptr)
{
	vec row[W];

	EK_UNROLL
	for (int r = 0; r < W; r++)
		row[r] = FN(buffer_sums)(buf + (row_ptr[r] - base), row_ptr[r + 1] - row_ptr[r]);
	return vsum_rows(row);
}
