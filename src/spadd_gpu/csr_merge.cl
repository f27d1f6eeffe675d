/* SPDX-License-Identifier: BSD-3-Clause
 * The sum of sparse matrices on a device (csr_merge.c). Compile-time parameters: VAL, PTR, IDX;
 * EK_WG, work-items of a group; EACH, entries of a work-item.
 *
 * A group has consecutive entries of A, or of B, and finds the row of each by a search between the
 * rows of the first and the last. */
#include "prim_body/search.cl"

/* Returns the row of entry e, which is one of low .. high. */
EK_FN ek_i64 row_of(const EK_GLOBAL PTR *ptr, ek_i64 low, ek_i64 high, ek_i64 e)
{
	return ek_upper_bound(ptr, low + 1, high + 1, e) - 1;
}

/* Returns the first entry in [low, high) whose column is not below j. */
EK_FN PTR column_from(const EK_GLOBAL IDX *col, PTR low, PTR high, IDX j)
{
	while (low < high) {
		const PTR middle = low + (high - low) / 2;

		if (col[middle] < j)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Stores the rows of the first and the last entry of this group in ends. Has a barrier. */
#define FIND_ENDS(ptr, entries)                                                                 \
	EK_LOCAL ek_i64 ends[2];                                                                \
	const ek_i64 begin = EK_GROUP() * (EK_WG * EACH);                                       \
	const ek_i64 end = begin + EK_WG * EACH < (entries) ? begin + EK_WG * EACH : (entries); \
                                                                                                \
	if (EK_LID() < 2)                                                                       \
		ends[EK_LID()] = row_of(ptr, 0, rows - 1, EK_LID() ? end - 1 : begin);          \
	EK_BARRIER()

/* Sets common[e] to 1 if B has an entry at the place of entry e of A, and else to 0. Sets
 * common[entries] to 0. */
EK_KERNEL(find_common, EK_WG)
(ek_i64 rows, ek_i64 entries, const EK_GLOBAL PTR *EK_RESTRICT a_ptr,
 const EK_GLOBAL IDX *EK_RESTRICT a_col, const EK_GLOBAL PTR *EK_RESTRICT b_ptr,
 const EK_GLOBAL IDX *EK_RESTRICT b_col, EK_GLOBAL PTR *EK_RESTRICT common)
{
	FIND_ENDS(a_ptr, entries);
	for (ek_i64 e = begin + EK_LID(); e < end; e += EK_WG) {
		const ek_i64 i = row_of(a_ptr, ends[0], ends[1], e);
		const PTR f = column_from(b_col, b_ptr[i], b_ptr[i + 1], a_col[e]);

		common[e] = f < b_ptr[i + 1] && b_col[f] == a_col[e];
	}
	if (begin == 0 && EK_LID() == 0)
		common[entries] = 0;
}

/* Writes where the rows of C begin. common[e] is now the number of common entries before e. */
EK_KERNEL(row_begins, EK_WG)
(ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT a_ptr, const EK_GLOBAL PTR *EK_RESTRICT b_ptr,
 const EK_GLOBAL PTR *EK_RESTRICT common, EK_GLOBAL ek_i64 *EK_RESTRICT at)
{
	const ek_i64 i = EK_GROUP() * EK_WG + EK_LID();

	if (i <= rows)
		at[i] = (ek_i64)a_ptr[i] + b_ptr[i] - common[a_ptr[i]];
}

/* Writes those entries of C that A has. */
EK_KERNEL(put_a, EK_WG)
(ek_i64 rows, ek_i64 entries, const EK_GLOBAL PTR *EK_RESTRICT a_ptr,
 const EK_GLOBAL IDX *EK_RESTRICT a_col, const EK_GLOBAL VAL *EK_RESTRICT a_val,
 const EK_GLOBAL PTR *EK_RESTRICT b_ptr, const EK_GLOBAL IDX *EK_RESTRICT b_col,
 const EK_GLOBAL VAL *EK_RESTRICT b_val, VAL alpha, VAL beta,
 const EK_GLOBAL PTR *EK_RESTRICT common, EK_GLOBAL IDX *EK_RESTRICT c_col,
 EK_GLOBAL VAL *EK_RESTRICT c_val, int columns)
{
	FIND_ENDS(a_ptr, entries);
	for (ek_i64 e = begin + EK_LID(); e < end; e += EK_WG) {
		const ek_i64 i = row_of(a_ptr, ends[0], ends[1], e);
		const PTR f = column_from(b_col, b_ptr[i], b_ptr[i + 1], a_col[e]);
		const ek_i64 to = e + f - common[e];
		const VAL p = EK_IS_ZERO(alpha) ? (VAL)0 : EK_MUL(alpha, a_val[e]);
		VAL q = 0;

		if (common[e] < common[e + 1] && !EK_IS_ZERO(beta))
			q = EK_MUL(beta, b_val[f]);
		if (columns)
			c_col[to] = a_col[e];
		c_val[to] = p + q;
	}
}

/* Writes those that only B has. */
EK_KERNEL(put_b, EK_WG)
(ek_i64 rows, ek_i64 entries, const EK_GLOBAL PTR *EK_RESTRICT a_ptr,
 const EK_GLOBAL IDX *EK_RESTRICT a_col, const EK_GLOBAL PTR *EK_RESTRICT b_ptr,
 const EK_GLOBAL IDX *EK_RESTRICT b_col, const EK_GLOBAL VAL *EK_RESTRICT b_val, VAL beta,
 const EK_GLOBAL PTR *EK_RESTRICT common, EK_GLOBAL IDX *EK_RESTRICT c_col,
 EK_GLOBAL VAL *EK_RESTRICT c_val, int columns)
{
	FIND_ENDS(b_ptr, entries);
	for (ek_i64 f = begin + EK_LID(); f < end; f += EK_WG) {
		const ek_i64 i = row_of(b_ptr, ends[0], ends[1], f);
		const PTR e = column_from(a_col, a_ptr[i], a_ptr[i + 1], b_col[f]);
		const ek_i64 to = f + e - common[e];

		if (e < a_ptr[i + 1] && a_col[e] == b_col[f])
			continue;
		if (columns)
			c_col[to] = b_col[f];
		c_val[to] = EK_IS_ZERO(beta) ? (VAL)0 : (VAL)0 + EK_MUL(beta, b_val[f]);
	}
}
