/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR by merge path (csr_merge.c). Compile-time parameters: EK_WG, work-items of a group;
 * ITEMS, steps of the path for each work-item. A tile, the work of a group, is EK_WG * ITEMS steps
 * of the path. */
#include "prim_body/scan.cl"
#include "prim_body/search.cl"
#define TILE    (EK_WG * ITEMS)
#define NEVER   0x7fffffff
#define CARRIES 16 /* work-items that add the carries of one row */

/* Sets start[t], for each t < count, to the row that is open at step t * TILE of the path. This
 * equals the number of rows that end before that step. */
EK_KERNEL(merge_search, EK_WG)
(ek_i64 count, ek_i64 rows, ek_i64 nnz, const EK_GLOBAL PTR *EK_RESTRICT row_ptr,
 EK_GLOBAL PTR *start)
{
	const ek_i64 t = EK_GROUP() * EK_WG + EK_LID();

	if (t < count) {
		const ek_i64 d = t * TILE < rows + nnz ? t * TILE : rows + nnz;

		start[t] = (PTR)ek_merge_path(row_ptr + 1, rows, nnz, d);
	}
}

/* Puts the products of the first `entries` entries of `col_idx` and `val` into local memory. */
EK_FN void stage_products(const EK_GLOBAL IDX *col_idx, const EK_GLOBAL VAL *val,
                          const EK_GLOBAL VAL *x, int entries, EK_LOCAL_PTR VAL *product)
{
	IDX col[ITEMS];
	VAL v[ITEMS];

	if (entries == 0)
		return;
#pragma unroll
	for (int j = 0; j < ITEMS; j++) {
		const int k = EK_LID() + j * EK_WG;

		col[j] = EK_STREAM(col_idx + (k < entries ? k : entries - 1));
	}
#pragma unroll
	for (int j = 0; j < ITEMS; j++) {
		const int k = EK_LID() + j * EK_WG;

		v[j] = EK_STREAM(val + (k < entries ? k : entries - 1));
	}
#pragma unroll
	for (int j = 0; j < ITEMS; j++)
		product[EK_LID() + j * EK_WG] = EK_MUL(v[j], EK_LOAD(x + col[j]));
}

/* Multiplies one tile in each group. carry[t] gets the partial sum of the row that is open at the
 * end of tile t. If the first row that ends in tile t began in an earlier tile, head[t] gets the
 * sum of its products in tile t. */
EK_KERNEL_AT(merge_tiles, EK_WG, 5)
(ek_i64 rows, ek_i64 nnz, const EK_GLOBAL PTR *EK_RESTRICT start,
 const EK_GLOBAL PTR *EK_RESTRICT row_ptr, const EK_GLOBAL IDX *EK_RESTRICT col_idx,
 const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha, const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta,
 EK_GLOBAL VAL *y, EK_GLOBAL VAL *carry, EK_GLOBAL VAL *head)
{
	EK_LOCAL VAL product[TILE], sums[EK_WG];
	EK_LOCAL int row_end[TILE + 1], known[EK_WG];
	const ek_i64 from = EK_GROUP() * TILE;
	const ek_i64 to = from + TILE < rows + nnz ? from + TILE : rows + nnz;
	const PTR row = EK_LOAD(start + EK_GROUP()), next = EK_LOAD(start + EK_GROUP() + 1);
	const PTR begin = (PTR)(from - row), d = EK_LID() * ITEMS;
	const int count = (int)(next - row), entries = (int)(to - next - begin);
	int r, k, first = -1;
	VAL sum = 0, of_first = 0, before;
	ek_open open;

	stage_products(col_idx + begin, val + begin, x, entries, product);
	for (r = EK_LID(); r < count; r += EK_WG)
		row_end[r] = (int)(EK_LOAD(row_ptr + row + r + 1) - begin);
	if (EK_LID() == 0)
		row_end[count] = NEVER;
	EK_BARRIER();
	r = ek_merge_path_local(row_end, count, entries,
	                        (int)d < count + entries ? (int)d : count + entries);
	k = (int)d - r;
	for (int j = 0; j < ITEMS && (int)d + j < count + entries; j++)
		if (k < row_end[r]) {
			sum += product[k++];
		} else {
			if (first < 0) {
				first = r;
				of_first = sum;
			} else {
				ek_finish(sum, alpha, beta, y + row + r);
			}
			sum = 0;
			r++;
		}
	/* `before` gets the partial sum, over earlier work-items, of the row that is open at the
	 * first step of this work-item. */
	open.sum = sum;
	open.marks = first >= 0;
	ek_segmented_scan(open, EK_LID(), 1, EK_WG, 0, sums, known);
	before = EK_LID() > 0 ? sums[EK_LID() - 1] : (VAL)0;
	if (first == 0 && EK_LOAD(row_ptr + row) < begin)
		head[EK_GROUP()] = before + of_first;
	else if (first >= 0)
		ek_finish(before + of_first, alpha, beta, y + row + first);
	if (EK_LID() == EK_WG - 1)
		carry[EK_GROUP()] = sums[EK_WG - 1];
}

/* Finishes the rows that are in more than one tile. The product of such a row and x is the sum of
 * the carries of all its tiles except the last, plus the head of the last tile. */
EK_KERNEL(merge_carries, EK_WG)
(ek_i64 tiles, ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT start,
 const EK_GLOBAL PTR *EK_RESTRICT row_ptr, const EK_GLOBAL VAL *EK_RESTRICT carry,
 const EK_GLOBAL VAL *EK_RESTRICT head, VAL alpha, VAL beta, EK_GLOBAL VAL *y)
{
	EK_LOCAL VAL scratch[EK_WG];
	const int lane = EK_LID() % CARRIES;
	const ek_i64 t = EK_GROUP() * (EK_WG / CARRIES) + EK_LID() / CARRIES;
	const ek_i64 row = t < tiles ? start[t + 1] : rows;
	ek_i64 last = -1; /* the tile in which the row ends */
	VAL sum = 0;

	if (row < rows && (row_ptr[row] + row) / TILE == t)
		last = (row_ptr[row + 1] + row) / TILE;
	for (ek_i64 k = t + lane; k < last; k += CARRIES)
		sum += carry[k];
	sum = ek_lanes_sum(sum, CARRIES, scratch);
	if (t < last && lane == 0)
		ek_finish(sum + head[last], alpha, beta, y + row);
}
