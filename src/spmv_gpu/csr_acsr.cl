/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR by bins of rows (csr_acsr.c), with a kernel for each number of lanes. Compile-time
 * parameters: EK_WG, work-items of a group; EACH, entries that a lane loads at once. */
#include "prim_body/pieces.cl"

/* The arrays of a product. */
typedef struct acsr {
	const EK_GLOBAL PTR *row_ptr;
	const EK_GLOBAL IDX *col_idx;
	const EK_GLOBAL VAL *val, *x;
} acsr;

/* Returns the sum of up to EACH products, of entries k, k + lanes, k + 2 lanes, ... From entry k on
 * there are `left` entries before the end. A read beyond the end reads the last entry again, so
 * that all loads are issued without a branch; its product does not count. */
EK_FN VAL acsr_some(acsr A, PTR k, int left, const int lanes)
{
	IDX col[EACH];
	VAL v[EACH], sum = 0;

	A.col_idx += k;
	A.val += k;
#pragma unroll
	for (int j = 0; j < EACH; j++)
		col[j] = EK_LOAD(A.col_idx + (j * lanes < left ? j * lanes : left - 1));
#pragma unroll
	for (int j = 0; j < EACH; j++)
		v[j] = EK_LOAD(A.val + (j * lanes < left ? j * lanes : left - 1));
#pragma unroll
	for (int j = 0; j < EACH; j++)
		v[j] = EK_MUL(v[j], EK_LOAD(A.x + col[j]));
#pragma unroll
	for (int j = 0; j < EACH; j++)
		sum += j * lanes < left ? v[j] : (VAL)0;
	return sum;
}

/* Returns the sum of a lane's products of entries [begin, begin + n), n > 0. */
EK_FN VAL acsr_lane(acsr A, PTR begin, int n, int lane, const int lanes)
{
	VAL sum = 0;

	if (lanes < EK_WG)
		return acsr_some(A, begin + lane, n - lane, lanes); /* n is at most EACH * lanes */
#pragma unroll 1
	for (int k = lane; k - lane < n; k += EACH * lanes)
		sum += acsr_some(A, begin + k, n - k, lanes);
	return sum;
}

/* Multiplies the `rows` rows of a bin, whose numbers are in `list`, with `lanes` work-items for
 * each row. If lanes < EK_WG, no row has more than EACH * lanes entries. */
EK_FN void acsr_bin(acsr A, ek_i64 rows, const EK_GLOBAL PTR *list, VAL alpha, VAL beta,
                    EK_GLOBAL VAL *y, const int lanes, EK_LOCAL_PTR VAL *scratch)
{
	const int lane = EK_LID() & (lanes - 1);
	const ek_i64 r = EK_GROUP() * (EK_WG / lanes) + EK_LID() / lanes;
	PTR i = 0;
	VAL sum = 0;

	if (r < rows) {
		i = EK_LOAD(list + r);
		const PTR begin = EK_LOAD(A.row_ptr + i);

		sum = acsr_lane(A, begin, (int)(EK_LOAD(A.row_ptr + i + 1) - begin), lane, lanes);
	}
	if (lanes > 1)
		sum = ek_lanes_sum(sum, lanes, scratch);
	if (r < rows && lane == 0)
		ek_finish(sum, alpha, beta, y + i);
}

/* Defines the kernel of bins that have `lanes` work-items for each row. `first` is the position in
 * `list` of the bin's first row. */
#define ACSR_BIN(lanes)                                                                          \
	EK_KERNEL(acsr_##lanes, EK_WG)                                                           \
	(ek_i64 first, ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT list,                       \
	 const EK_GLOBAL PTR *EK_RESTRICT row_ptr, const EK_GLOBAL IDX *EK_RESTRICT col_idx,     \
	 const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha, const EK_GLOBAL VAL *EK_RESTRICT x,    \
	 VAL beta, EK_GLOBAL VAL *y)                                                             \
	{                                                                                        \
		EK_LOCAL VAL scratch[EK_WG];                                                     \
		const acsr A = {row_ptr, col_idx, val, x};                                       \
                                                                                                 \
		acsr_bin(A, rows, list + first, alpha, beta, y, lanes, scratch);                 \
	}
ACSR_BIN(1)
ACSR_BIN(2)
ACSR_BIN(4)
ACSR_BIN(8)
ACSR_BIN(16)
ACSR_BIN(32)
ACSR_BIN(64)
ACSR_BIN(128)
ACSR_BIN(256)

/* Multiplies y by beta in the rows without entries. */
EK_KERNEL(acsr_none, EK_WG)
(ek_i64 first, ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT list, VAL beta, EK_GLOBAL VAL *y)
{
	const ek_i64 r = EK_GROUP() * EK_WG + EK_LID();

	if (r < rows)
		ek_scale(beta, y + EK_LOAD(list + first + r));
}

/* Multiplies the longest rows, with a group for each piece of a row. `piece` has three numbers for
 * each piece: the index of its row in `many`, its first entry, and how many entries it has. `many`
 * has three numbers for each row: the row, where its partial sums begin in `partial`, and how many
 * there are. */
EK_KERNEL(acsr_pieces, EK_WG)
(const EK_GLOBAL PTR *EK_RESTRICT piece, const EK_GLOBAL PTR *EK_RESTRICT many,
 const EK_GLOBAL PTR *EK_RESTRICT row_ptr, const EK_GLOBAL IDX *EK_RESTRICT col_idx,
 const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha, const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta,
 EK_GLOBAL VAL *y, EK_GLOBAL VAL *partial, EK_GLOBAL int *arrived)
{
	EK_LOCAL VAL scratch[EK_WG];
	EK_LOCAL int before;
	const acsr A = {row_ptr, col_idx, val, x};
	const EK_GLOBAL PTR *own = piece + 3 * EK_GROUP(), *row = many + 3 * EK_LOAD(own);
	VAL sum = acsr_lane(A, EK_LOAD(own + 1), (int)EK_LOAD(own + 2), EK_LID(), EK_WG);

	sum = ek_lanes_sum(sum, EK_WG, scratch);
	if (ek_last_piece(&sum, EK_LOAD(row + 1), (int)EK_LOAD(row + 2), partial,
	                  arrived + EK_LOAD(own), &before, scratch) &&
	    EK_LID() == 0)
		ek_finish(sum, alpha, beta, y + EK_LOAD(row));
}
