/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on coordinates (coo.c): y += alpha A x. Parameters: EK_WG, EACH, entries that a work-item
 * has of a tile. An odd EACH lets work-items that lie side by side read different banks. */
#define TILE (EK_WG * EACH)

/* A tile in local memory, and the run that is open: the row whose entries came last, and the sum of
 * those before the tile. */
typedef struct coo_run {
	IDX row;
	VAL sum;
} coo_run;

/* Sums from the last work-item with a mark up to this one. Barriers. */
EK_FN VAL coo_scan(VAL sum, int mark, EK_LOCAL_PTR VAL *sums, EK_LOCAL_PTR int *marks)
{
	const int lid = EK_LID();

	for (int d = 1; d < EK_WG; d *= 2) {
		EK_BARRIER();
		sums[lid] = sum;
		marks[lid] = mark;
		EK_BARRIER();
		if (lid >= d) {
			sum = mark ? sum : sums[lid - d] + sum;
			mark |= marks[lid - d];
		}
	}
	return sum;
}

/* Adds the runs that end in a tile of n entries to y, but for that of row `head`, whose sum goes to
 * *to_head; `open` goes on to the run that is open at the end. Barriers. */
EK_FN void coo_tile(int n, EK_LOCAL_PTR IDX *row, EK_LOCAL_PTR VAL *product,
                    EK_LOCAL_PTR VAL *sums, EK_LOCAL_PTR int *marks, coo_run *open, VAL alpha,
                    EK_GLOBAL VAL *y, IDX head, EK_GLOBAL VAL *to_head)
{
	const int lid = EK_LID(), begin = lid * EACH < n ? lid * EACH : n;
	const int end = n - begin < EACH ? n : begin + EACH;
	const IDX before = lid == 0 ? open->row : row[begin - 1];
	IDX now = before;
	VAL sum = lid == 0 ? open->sum : (VAL)0;
	int mark = 0;

	for (int k = begin; k < end; k++) {
		if (row[k] != now) {
			now = row[k];
			sum = 0;
			mark = 1;
		}
		sum += product[k];
	}
	sum = coo_scan(sum, mark, sums, marks);
	EK_BARRIER();
	sums[lid] = sum;
	EK_BARRIER();
	sum = lid == 0 ? open->sum : sums[lid - 1];
	now = before;
	for (int k = begin; k < end; k++) {
		if (row[k] != now) {
			if (now == head)
				*to_head = sum;
			else
				y[now] += alpha * sum;
			now = row[k];
			sum = 0;
		}
		sum += product[k];
	}
	open->row = row[n - 1];
	open->sum = sums[EK_WG - 1];
	EK_BARRIER(); /* the tile may be filled anew */
}

/* Entries [g part, (g + 1) part) for group g. The sums of its first and of its last row, which
 * neighbours may share, go to carries 2 g and 2 g + 1; if these are one row, to the latter. */
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
	coo_run open = {head, 0};

	for (ek_i64 k = begin; k < end; k += TILE) {
		const int n = end - k < TILE ? (int)(end - k) : TILE;

		for (int l = EK_LID(); l < n; l += EK_WG) {
			row[l] = row_idx[k + l];
			product[l] = val[k + l] * x[col_idx[k + l]];
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

/* The carries in their turn, as entries of a matrix whose x is all 1, by one group. */
EK_KERNEL(coo_carries, EK_WG)
(ek_i64 count, const EK_GLOBAL IDX *EK_RESTRICT carry_row,
 const EK_GLOBAL VAL *EK_RESTRICT carry_sum, VAL alpha, EK_GLOBAL VAL *y)
{
	EK_LOCAL IDX row[TILE];
	EK_LOCAL VAL product[TILE], sums[EK_WG];
	EK_LOCAL int marks[EK_WG];
	coo_run open = {carry_row[0], 0};

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
		y[open.row] += alpha * open.sum;
}
