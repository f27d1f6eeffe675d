/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of C = alpha A B + beta D of one class (csr_hash.c). A group computes a row. Compile-time
 * parameters, besides those of row_table.cl and operands.cl:
 *
 *   SLOTS        slots of the table in local memory. A row uses as many as its entries need
 *   COUNT_SLOTS  the same where no sums are needed
 *
 * How products are divided between work-items is said at row_sums.cl.
 *
 * A row whose columns do not fit into a window is computed window by window, each from the first
 * column that remains. */
#include "prim_body/scan.cl"
#include "spgemm_gpu/operands.cl"
#include "spgemm_gpu/row_table.cl"
#include "spgemm_gpu/row_sums.cl"

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The rows of this launch are list[first], list[first + stride], ... Row i of C has start[i] as its
 * first column, span[i] columns from its first to its last, and at most at[i + 1] - at[i]
 * entries or, if `each` is not 0, at[i]. */
#define ROW_PARAMETERS                                                                         \
	ek_i64 first, ek_i64 stride, const EK_GLOBAL IDX *EK_RESTRICT list,                    \
		const EK_GLOBAL IDX *EK_RESTRICT start, const EK_GLOBAL int *EK_RESTRICT span, \
		const EK_GLOBAL ek_i64 *at, int each

/* Returns how many slots a row uses: all columns of its window, or two for each of its entries. */
EK_FN int slots_for(ek_i64 entries, int span, int most)
{
	const ek_i64 wanted = WINDOW ? ((ek_i64)span + 31) / 32 * 32 : 2 * entries;

	return wanted < most ? (int)wanted : most;
}

/* Returns the smallest value of the work-items that is not -1. Has barriers. */
EK_FN ek_i64 smallest(ek_i64 v, EK_LOCAL_PTR ek_i64 *scratch)
{
	scratch[EK_LID()] = v;
	SYNC();
	EK_ROLLED
	for (int d = EK_WG / 2; d > 0; d /= 2) {
		if (EK_LID() < d) {
			const ek_i64 a = scratch[EK_LID()], b = scratch[EK_LID() + d];

			scratch[EK_LID()] = a < 0 || (b >= 0 && b < a) ? b : a;
		}
		SYNC();
	}
	return scratch[0];
}

/* Declares the local memory of a group whose table has `size` slots, and what it knows of its
 * row. */
#define DECLARE_ROW(size, sums)                                                       \
	DECLARE_MEMORY(size, sums);                                                   \
	const ek_i64 i = list[first + EK_GROUP() * stride];                           \
	const int slots = slots_for(each ? at[i] : at[i + 1] - at[i], span[i], size); \
	const int wide = span[i] > slots;                                             \
	const ek_i64 lists = ek_lists(EK_PRODUCT_ARGUMENTS, i);                       \
	IDX base = start[i];                                                          \
	int fresh = 0

/* Adds the row, or those of its columns that are in the window, to the empty table. `next` becomes
 * the first column of the next window, or -1. */
#define ADD_ROW(mode)                                                  \
	table_clear(keys, sum_of, slots, (mode) == COUNT ? 0 : slots); \
	SYNC();                                                        \
	next = add_row(mode, EK_PRODUCT_ARGUMENTS, m, i, lists, base, slots, wide, &fresh)
#if WINDOW
#define NEXT_WINDOW()                \
	next = smallest(next, ends); \
	base = (IDX)next
#else
#define NEXT_WINDOW() next = -1
#endif

/* Stores the number of entries of row i in length[i] or, if `compact` is not 0, that of the k-th
 * row of the launch in length[k]. */
EK_KERNEL(count_rows, EK_WG)
(EK_PRODUCT_PARAMETERS, ROW_PARAMETERS, EK_GLOBAL ek_i64 *length,
 int compact EK_LOCAL_PARAMETER(table))
{
	DECLARE_ROW(COUNT_SLOTS, 0);
	ek_i64 next;

	do {
		ADD_ROW(COUNT);
#if WINDOW
		fresh += table_count(keys, slots);
#endif
		NEXT_WINDOW();
		SYNC();
	} while (next >= 0);
	ek_scan_before(fresh, ends);
	if (EK_LID() == 0)
		length[compact ? EK_GROUP() : i] = ends[EK_WG - 1];
}

/* Writes row i from place at[i] - begin on. If `store` is not 0, also stores its length. */
EK_KERNEL(make_rows, EK_WG)
(EK_PRODUCT_PARAMETERS, ROW_PARAMETERS, ek_i64 begin, EK_GLOBAL IDX *EK_RESTRICT c_col,
 EK_GLOBAL VAL *EK_RESTRICT c_val, EK_GLOBAL ek_i64 *length, int store EK_LOCAL_PARAMETER(table))
{
	DECLARE_ROW(SLOTS, 1);
	const ek_i64 to = at[i] - begin;
	ek_i64 next, n = 0;

	do {
		ADD_ROW(MAKE);
#if WINDOW
		n += table_write(keys, sum_of, slots, ends, base, c_col + to + n, c_val + to + n);
#else
		n = table_pack(keys, sum_of, slots, slot_of);
		table_sort(keys, sum_of, (int)n);
		for (int k = EK_LID(); k < n; k += EK_WG) {
			c_col[to + k] = base + keys[k];
			c_val[to + k] = sum_of[k];
		}
#endif
		NEXT_WINDOW();
		SYNC();
	} while (next >= 0);
	if (store && EK_LID() == 0)
		length[i] = n;
}

/* Writes the values of row i, whose columns are known. */
EK_KERNEL(value_rows, EK_WG)
(EK_PRODUCT_PARAMETERS, ROW_PARAMETERS, ek_i64 begin, const EK_GLOBAL IDX *EK_RESTRICT c_col,
 EK_GLOBAL VAL *EK_RESTRICT c_val EK_LOCAL_PARAMETER(table))
{
	DECLARE_ROW(SLOTS, 1);
	const ek_i64 end = at[i + 1] - begin;
	ek_i64 next, k = at[i] - begin + EK_LID();

	do {
		ADD_ROW(VALUES);
		for (; k < end && (!WINDOW || c_col[k] - base < slots); k += EK_WG)
			c_val[k] =
				sum_of[table_slot(keys, slots, (int)(c_col[k] - base), 0, &fresh)];
		NEXT_WINDOW();
		SYNC();
	} while (next >= 0);
}
