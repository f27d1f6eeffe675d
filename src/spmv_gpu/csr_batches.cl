/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV with a batch of the entries of CSR (csr_batches.c): entries [begin, end), which lie in rows
 * [first, last), in col_idx and val, which start with entry `begin`. LANES work-items for each row.
 * A row that has begun in an earlier batch is added to y. Compile-time parameters: EK_WG,
 * work-items of a group; LANES, a power of two. */
EK_KERNEL(csr_batches, EK_WG)
(ek_i64 first, ek_i64 last, ek_i64 begin, ek_i64 end, const EK_GLOBAL PTR *EK_RESTRICT row_ptr,
 const EK_GLOBAL IDX *EK_RESTRICT col_idx, const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha,
 const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta, EK_GLOBAL VAL *y)
{
	const int lane = EK_LID() % LANES;
	const ek_i64 i = first + EK_GROUP() * (EK_WG / LANES) + EK_LID() / LANES;
	int goes_on = 0;
	VAL sum = 0;

	if (i < last) {
		const ek_i64 from = row_ptr[i] < begin ? begin : row_ptr[i];
		const ek_i64 to = row_ptr[i + 1] < end ? row_ptr[i + 1] : end;

		goes_on = row_ptr[i] < begin;
		for (ek_i64 k = from + lane; k < to; k += LANES)
			sum += EK_MUL(val[k - begin], x[col_idx[k - begin]]);
	}
#if LANES > 1
	EK_LOCAL VAL scratch[EK_WG];

	sum = ek_lanes_sum(sum, LANES, scratch);
#endif
	if (i < last && lane == 0)
		ek_finish(sum, alpha, goes_on ? (VAL)1 : beta, y + i);
}
