/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR by segments of 1 << shift entries, at most EK_WG (csr_segspmv.c): He and others 2014,
 * section III. Each work-item computes one product; segments are summed in local memory. n is the
 * number of entries with padding. Compile-time parameter: EK_WG, work-items of a group. */

/* Sums each segment by one work-item. x is expanded: it has an element for each of the n
 * entries. */
EK_KERNEL(segspmv, EK_WG)
(ek_i64 n, int shift, const EK_GLOBAL VAL *EK_RESTRICT val, const EK_GLOBAL VAL *EK_RESTRICT x,
 EK_GLOBAL VAL *EK_RESTRICT sum)
{
	EK_LOCAL VAL product[EK_WG];
	const int lid = EK_LID();
	const ek_i64 k = EK_GROUP() * EK_WG + lid;
	const ek_i64 segment = (EK_GROUP() * EK_WG >> shift) + lid;

	product[lid] = k < n ? EK_MUL(EK_STREAM(val + k), EK_STREAM(x + k)) : (VAL)0;
	EK_BARRIER();
	if (lid < EK_WG >> shift && segment < n >> shift) {
		VAL v = 0;

		for (int i = 0; i < 1 << shift; i++)
			v += product[(lid << shift) + i];
		sum[segment] = v;
	}
}

/* Sums each segment by a tree, with a work-item for each entry. x is expanded: it has an element
 * for each of the n entries. */
EK_KERNEL(segspmv_r, EK_WG)
(ek_i64 n, int shift, const EK_GLOBAL VAL *EK_RESTRICT val, const EK_GLOBAL VAL *EK_RESTRICT x,
 EK_GLOBAL VAL *EK_RESTRICT sum)
{
	EK_LOCAL VAL scratch[EK_WG];
	const ek_i64 k = EK_GROUP() * EK_WG + EK_LID();
	VAL v = 0;

	if (k < n)
		v = EK_MUL(EK_STREAM(val + k), EK_STREAM(x + k));
	v = ek_lanes_sum(v, 1 << shift, scratch);
	if (k < n && (k & ((1 << shift) - 1)) == 0)
		sum[k >> shift] = v;
}

/* Sums each segment by a tree, with a work-item for each entry. x is not expanded: the kernel
 * gathers entries of x by the columns in `col`, which are -1 for padding. */
EK_KERNEL(segspmv_gather, EK_WG)
(ek_i64 n, int shift, const EK_GLOBAL VAL *EK_RESTRICT val, const EK_GLOBAL IDX *EK_RESTRICT col,
 const EK_GLOBAL VAL *EK_RESTRICT x, EK_GLOBAL VAL *EK_RESTRICT sum)
{
	EK_LOCAL VAL scratch[EK_WG];
	const ek_i64 k = EK_GROUP() * EK_WG + EK_LID();
	const IDX j = k < n ? EK_STREAM(col + k) : -1;
	VAL v = 0;

	if (j >= 0)
		v = EK_MUL(EK_STREAM(val + k), EK_LOAD(x + j));
	v = ek_lanes_sum(v, 1 << shift, scratch);
	if (k < n && (k & ((1 << shift) - 1)) == 0)
		sum[k >> shift] = v;
}

/* Computes y from the sums of segments, with a work-item for each row. Rows of more than MANY
 * segments are summed by the whole warp. */
#define MANY 32
EK_KERNEL(segspmv_rows, EK_WG)
(ek_i64 rows, const EK_GLOBAL ek_i64 *EK_RESTRICT first, const EK_GLOBAL VAL *EK_RESTRICT sum,
 VAL alpha, VAL beta, EK_GLOBAL VAL *y)
{
	const ek_i64 i = EK_GROUP() * EK_WG + EK_LID();
	const ek_i64 begin = i < rows ? first[i] : 0, end = i < rows ? first[i + 1] : 0;
	VAL v = 0;

	if (i < rows && end - begin <= MANY) {
		for (ek_i64 s = begin; s < end; s++)
			v += sum[s];
		ek_finish(v, alpha, beta, y + i);
	}
	for (ek_u32 left = EK_BALLOT(end - begin > MANY); left; left &= left - 1) {
		const int lane = EK_FIRST(left);
		const ek_i64 row = EK_FROM(i, lane), last = EK_FROM(end, lane);

		v = 0;
		for (ek_i64 s = EK_FROM(begin, lane) + EK_LID() % EK_WARP; s < last; s += EK_WARP)
			v += sum[s];
		v = ek_warp_sum(v);
		if (EK_LID() % EK_WARP == 0)
			ek_finish(v, alpha, beta, y + row);
	}
}
