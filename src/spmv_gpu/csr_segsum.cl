/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR by segmented sum, step by step (csr_segsum.c). Compile-time parameters: EK_WG,
 * work-items of a group; EACH, entries of a tile for each work-item. If EACH is odd, neighbouring
 * work-items read different banks of local memory. */
#include "prim_body/scan.cl"
#include "prim_body/search.cl"
#define TILE (EK_WG * EACH)

/* Step 1: flags the first entry of each row that has entries. All flags must be 0. */
EK_KERNEL(segsum_flags, EK_WG)
(ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT row_ptr, EK_GLOBAL ek_u8 *EK_RESTRICT flag)
{
	const ek_i64 i = EK_GROUP() * EK_WG + EK_LID();

	if (i < rows && row_ptr[i] < row_ptr[i + 1])
		flag[row_ptr[i]] = 1;
}

/* Step 2: computes the product of each entry. */
EK_KERNEL(segsum_products, EK_WG)
(ek_i64 nnz, const EK_GLOBAL IDX *EK_RESTRICT col_idx, const EK_GLOBAL VAL *EK_RESTRICT val,
 const EK_GLOBAL VAL *EK_RESTRICT x, EK_GLOBAL VAL *EK_RESTRICT product)
{
	const ek_i64 k = EK_GROUP() * EK_WG + EK_LID();

	if (k < nnz)
		product[k] = EK_MUL(EK_STREAM(val + k), EK_LOAD(x + EK_STREAM(col_idx + k)));
}

/* Step 3 for a tile of n entries: replaces the product at each flag by the sum of its segment.
 * `open` is the sum behind the tile, up to the next flag. Returns the sum before the tile's first
 * flag, which includes `open` if there is no flag. Passes and scan go from right to left, since a
 * sum belongs to the place where its segment begins. Has barriers, but none before the first write
 * to `sums` and `marks`. */
EK_FN VAL segsum_tile(int n, VAL open, EK_LOCAL_PTR VAL *product, const EK_LOCAL_PTR ek_u8 *flag,
                      EK_LOCAL_PTR VAL *sums, EK_LOCAL_PTR int *marks)
{
	const int begin = EK_LID() * EACH < n ? EK_LID() * EACH : n;
	const int end = n - begin < EACH ? n : begin + EACH;
	const int at = EK_WG - 1 - EK_LID();
	ek_open own = {at == 0 ? open : (VAL)0, 0};
	VAL sum;

	for (int k = end - 1; k >= begin; k--) {
		own.sum += product[k];
		if (flag[k]) {
			own.sum = 0;
			own.marks = 1;
		}
	}
	ek_segmented_scan(own, at, 1, EK_WG, 0, sums, marks);
	sum = at == 0 ? open : sums[at - 1]; /* the sum behind the lane, up to the next flag */
	for (int k = end - 1; k >= begin; k--) {
		sum += product[k];
		if (flag[k]) {
			product[k] = sum;
			sum = 0;
		}
	}
	return sums[EK_WG - 1];
}

/* Step 3 for entries g * part to (g + 1) * part - 1 in group g, tile by tile from right to left.
 * carry[g] gets the sum before the first flag. */
EK_KERNEL(segsum_parts, EK_WG)
(ek_i64 nnz, ek_i64 part, const EK_GLOBAL ek_u8 *EK_RESTRICT flags,
 EK_GLOBAL VAL *EK_RESTRICT products, EK_GLOBAL VAL *EK_RESTRICT carry)
{
	EK_LOCAL VAL product[TILE], sums[EK_WG];
	EK_LOCAL int marks[EK_WG];
	EK_LOCAL ek_u8 flag[TILE];
	const ek_i64 begin = EK_GROUP() * part, end = nnz - begin < part ? nnz : begin + part;
	VAL open = 0;

	for (ek_i64 k = begin + (end - begin - 1) / TILE * TILE; k >= begin; k -= TILE) {
		const int n = end - k < TILE ? (int)(end - k) : TILE;

		for (int l = EK_LID(); l < n; l += EK_WG) {
			product[l] = products[k + l];
			flag[l] = flags[k + l];
		}
		EK_BARRIER();
		open = segsum_tile(n, open, product, flag, sums, marks);
		EK_BARRIER();
		for (int l = EK_LID(); l < n; l += EK_WG)
			if (flag[l])
				products[k + l] = product[l];
		EK_BARRIER(); /* the next tile overwrites the arrays */
	}
	if (EK_LID() == 0)
		carry[EK_GROUP()] = open;
}

/* Step 3 for the segments that are in several parts: adds the carries of all parts but the first to
 * the sum of the segment, in the order of the parts, with LANES work-items for each part. */
#define LANES 16
EK_KERNEL(segsum_join, EK_WG)
(ek_i64 parts, ek_i64 part, ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT row_ptr,
 const EK_GLOBAL VAL *EK_RESTRICT carry, EK_GLOBAL VAL *EK_RESTRICT product)
{
	EK_LOCAL VAL scratch[EK_WG];
	const int lane = EK_LID() % LANES;
	const ek_i64 t = EK_GROUP() * (EK_WG / LANES) + EK_LID() / LANES + 1;
	ek_i64 row, first = 0, end = 0;
	VAL sum = 0;

	/* The part in which a segment continues for the first time adds all of its carries. */
	if (t < parts) {
		row = ek_upper_bound(row_ptr, 0, rows, t * part) - 1;
		first = row_ptr[row];
		if (first < t * part && first >= (t - 1) * part)
			end = (row_ptr[row + 1] - 1) / part + 1;
	}
	for (ek_i64 k = t + lane; k < end; k += LANES)
		sum += carry[k];
	sum = ek_lanes_sum(sum, LANES, scratch);
	if (end > 0 && lane == 0)
		product[first] += sum;
}

/* Step 4: finishes y from the sums at the first entries of the rows. */
EK_KERNEL(segsum_collect, EK_WG)
(ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT row_ptr, const EK_GLOBAL VAL *EK_RESTRICT product,
 VAL alpha, VAL beta, EK_GLOBAL VAL *y)
{
	const ek_i64 i = EK_GROUP() * EK_WG + EK_LID();

	if (i >= rows)
		return;
	if (row_ptr[i] == row_ptr[i + 1])
		ek_scale(beta, y + i);
	else
		ek_finish(product[row_ptr[i]], alpha, beta, y + i);
}
