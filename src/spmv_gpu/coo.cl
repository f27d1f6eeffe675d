/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on coordinates (coo.c): y += alpha A x. Compile-time parameters: EK_WG, work-items of a
 * group; EACH, entries of a tile for each work-item. If EACH is odd, neighbouring work-items read
 * different banks of local memory. */
#include "prim_body/scan.cl"
#define TILE (EK_WG * EACH)

/* The run (the consecutive entries of one row) that continues into a tile: its row, and the sum of
 * its products before the tile. */
typedef struct coo_run {
	IDX row;
	VAL sum;
} coo_run;

/* Adds to y the sums of the runs that end in a tile of n entries. (A run is the consecutive entries
 * of one row.) The sum of row `head` goes to *to_head instead. *open is the run that continues into
 * the tile; it becomes the run that is open at the end of the tile. Contains barriers. */
EK_FN void coo_tile(int n, EK_LOCAL_PTR IDX *row, EK_LOCAL_PTR VAL *product,
                    EK_LOCAL_PTR VAL *sums, EK_LOCAL_PTR int *marks, coo_run *open, VAL alpha,
                    EK_GLOBAL VAL *y, IDX head, EK_GLOBAL VAL *to_head)
{
	const int lid = EK_LID(), begin = lid * EACH < n ? lid * EACH : n;
	const int end = n - begin < EACH ? n : begin + EACH;
	const IDX before = lid == 0 ? open->row : row[begin - 1];
	IDX now = before;
	ek_open own = {lid == 0 ? open->sum : (VAL)0, 0};
	VAL sum;

	for (int k = begin; k < end; k++) {
		if (row[k] != now) {
			now = row[k];
			own.sum = 0;
			own.marks = 1;
		}
		own.sum += product[k];
	}
	ek_segmented_scan(own, lid, 1, EK_WG, 0, sums, marks);
	sum = lid == 0 ? open->sum : sums[lid - 1];
	now = before;
	for (int k = begin; k < end; k++) {
		if (row[k] != now) {
			if (now == head)
				*to_head = sum;
			else
				y[now] += EK_MUL(alpha, sum);
			now = row[k];
			sum = 0;
		}
		sum += product[k];
	}
	open->row = row[n - 1];
	open->sum = sums[EK_WG - 1];
	EK_BARRIER(); /* after this barrier, the caller may overwrite the tile */
}

/* Multiplies entries g * part to (g + 1) * part - 1 in group g, and adds the sums of rows to y. The
 * sums of the group's first and last row, which it may share with neighbouring groups, go to
 * carries 2 g and 2 g + 1 instead. If both are the same row, carry 2 g + 1 gets its sum and carry 2
 * g becomes 0. */
EK_KERNEL(coo_runs, EK_WG)
(ek_i64 nnz, ek_i64 part, const EK_GLOBAL IDX *EK_RESTRICT row_idx,
 const EK_GLOBAL IDX *EK_RESTRICT col_idx, const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha,
 const EK_GLOBAL VAL *EK_RESTRICT x, EK_GLOBAL VAL *y, EK_GLOBAL IDX *carry_row,
 EK_GLOBAL VAL *carry_sum)
{
	EK_LOCAL IDX row[TILE];
	EK_LOCAL VAL product[TILE], sums[EK_WG];
	EK_LOCAL int marks[EK_WG];
	const ek_i64 g = EK_GROUP(), begin = g * part;
	const ek_i64 end = nnz - begin < part ? nnz : begin + part;
	const IDX head = row_idx[begin];
	coo_run open = {head, (VAL)0};

	for (ek_i64 k = begin; k < end; k += TILE) {
		const int n = end - k < TILE ? (int)(end - k) : TILE;

		for (int l = EK_LID(); l < n; l += EK_WG) {
			row[l] = row_idx[k + l];
			product[l] = EK_MUL(val[k + l], x[col_idx[k + l]]);
		}
		EK_BARRIER();
		coo_tile(n, row, product, sums, marks, &open, alpha, y, head, carry_sum + 2 * g);
	}
	if (EK_LID() == 0) {
		carry_row[2 * g] = head;
		carry_row[2 * g + 1] = open.row;
		carry_sum[2 * g + 1] = open.sum;
		if (open.row == head)
			carry_sum[2 * g] = 0;
	}
}

/* Adds the carries of all groups to y, as if they were entries of a matrix and all entries of x
 * were 1. Launched with one group. */
EK_KERNEL(coo_carries, EK_WG)
(ek_i64 count, const EK_GLOBAL IDX *EK_RESTRICT carry_row,
 const EK_GLOBAL VAL *EK_RESTRICT carry_sum, VAL alpha, EK_GLOBAL VAL *y)
{
	EK_LOCAL IDX row[TILE];
	EK_LOCAL VAL product[TILE], sums[EK_WG];
	EK_LOCAL int marks[EK_WG];
	coo_run open = {carry_row[0], (VAL)0};

	for (ek_i64 k = 0; k < count; k += TILE) {
		const int n = count - k < TILE ? (int)(count - k) : TILE;

		for (int l = EK_LID(); l < n; l += EK_WG) {
			row[l] = carry_row[k + l];
			product[l] = carry_sum[k + l];
		}
		EK_BARRIER();
		coo_tile(n, row, product, sums, marks, &open, alpha, y, -1, y);
	}
	if (EK_LID() == 0)
		y[open.row] += EK_MUL(alpha, open.sum);
}
