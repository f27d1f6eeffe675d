/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of C = alpha A B + beta D that fit no table and have more columns from their first to their
 * last than a few windows (hash_far.c). The windows of a row begin at fixed distances from its
 * first column, and each is the work of a group. A column is in one window, so its products are
 * added in the order of the lists, as elsewhere. Compile-time parameters: those of hash_rows.cl,
 * where WINDOW is 1.
 *
 * Columns are found first, in windows without sums, which are many times as wide: chunks. A group
 * finds its row in unit[], of which the first count + 1 numbers say how many windows the rows
 * before have, and the next count + 1 the same of chunks, plus the number of all windows. */
#include "prim_body/scan.cl"
#include "prim_body/search.cl"
#include "spgemm_gpu/operands.cl"
#include "spgemm_gpu/row_table.cl"
#include "spgemm_gpu/row_sums.cl"

/* The rows of a launch are list[first], ..., list[first + count - 1]. */
#define FAR_PARAMETERS                                                                  \
	ek_i64 first, ek_i64 count, const EK_GLOBAL IDX *EK_RESTRICT list,              \
		const EK_GLOBAL IDX *EK_RESTRICT start, const EK_GLOBAL int *EK_RESTRICT span, \
		const EK_GLOBAL ek_i64 *EK_RESTRICT unit

/* Writes the numbers of windows and of chunks of each row, which are then summed up. */
EK_KERNEL(far_units, EK_WG)
(ek_i64 first, ek_i64 count, const EK_GLOBAL IDX *EK_RESTRICT list,
 const EK_GLOBAL int *EK_RESTRICT span, EK_GLOBAL ek_i64 *EK_RESTRICT unit)
{
	const ek_i64 j = EK_GROUP() * EK_WG + EK_LID();

	if (j <= count) {
		const ek_i64 columns = j < count ? span[list[first + j]] : 0;

		unit[j] = (columns + SLOTS - 1) / SLOTS;
		unit[count + 1 + j] = (columns + COUNT_SLOTS - 1) / COUNT_SLOTS;
	}
}

/* Declares the row of unit u, and the columns of that, of which there are up to `size`. */
#define DECLARE_UNIT(of, u, size)                                                       \
	const ek_i64 j = ek_last_not_above(of, 0, count - 1, u), i = list[first + j];       \
	const ek_i64 off = ((u) - (of)[j]) * (size), left = (span[i] - off + 31) / 32 * 32; \
	const int slots = left < (size) ? (int)left : (size);                           \
	const IDX base = (IDX)(start[i] + off);                                         \
	const ek_i64 lists = ek_lists(EK_PRODUCT_ARGUMENTS, i);                         \
	int fresh = 0

/* Marks the columns of a chunk in an empty bitmap. */
#define MARK_CHUNK()                                                                 \
	DECLARE_MEMORY(COUNT_SLOTS, 0);                                              \
	const EK_GLOBAL ek_i64 *chunk = unit + count + 1;                            \
	DECLARE_UNIT(chunk, chunk[0] + EK_GROUP(), COUNT_SLOTS);                     \
	table_clear(keys, sum_of, slots, 0);                                         \
	SYNC();                                                                      \
	add_row(COUNT, EK_PRODUCT_ARGUMENTS, m, i, lists, base, slots, 1, &fresh)

/* Counts the entries of each chunk. found[] has one more number, which becomes 0. */
EK_KERNEL(far_count, EK_WG)
(EK_PRODUCT_PARAMETERS, FAR_PARAMETERS,
 EK_GLOBAL ek_i64 *EK_RESTRICT found EK_LOCAL_PARAMETER(table))
{
	MARK_CHUNK();
	ek_scan_before(table_count(keys, slots), ends);
	if (EK_LID() == 0)
		found[EK_GROUP()] = ends[EK_WG - 1];
	if (EK_LID() == 0 && EK_GROUP() == 0)
		found[chunk[count] - chunk[0]] = 0;
}

/* Writes the columns of each chunk. found[] has the sums of the counts before. Row i has places
 * from at[i] - begin on. If `store` is not 0, also stores its length. */
EK_KERNEL(far_columns, EK_WG)
(EK_PRODUCT_PARAMETERS, FAR_PARAMETERS, const EK_GLOBAL ek_i64 *EK_RESTRICT found,
 const EK_GLOBAL ek_i64 *at, ek_i64 begin, EK_GLOBAL IDX *EK_RESTRICT c_col,
 EK_GLOBAL ek_i64 *length, int store EK_LOCAL_PARAMETER(table))
{
	MARK_CHUNK();
	const ek_i64 before = found[chunk[j] - chunk[0]];

	table_columns(keys, slots, ends, base, c_col + at[i] - begin + found[EK_GROUP()] - before);
	if (store && EK_LID() == 0 && off == 0)
		length[i] = found[chunk[j + 1] - chunk[0]] - before;
}

/* Writes the values of each window, whose columns are known. Row i has length[i] entries, or
 * at[i + 1] - at[i] if `stored` is 0. */
EK_KERNEL(far_values, EK_WG)
(EK_PRODUCT_PARAMETERS, FAR_PARAMETERS, const EK_GLOBAL ek_i64 *at, ek_i64 begin,
 const EK_GLOBAL IDX *EK_RESTRICT c_col, EK_GLOBAL VAL *EK_RESTRICT c_val,
 const EK_GLOBAL ek_i64 *length, int stored EK_LOCAL_PARAMETER(table))
{
	DECLARE_MEMORY(SLOTS, 1);
	DECLARE_UNIT(unit, EK_GROUP(), SLOTS);
	const ek_i64 to = at[i] - begin, end = to + (stored ? length[i] : at[i + 1] - at[i]);
	ek_i64 k = first_from(c_col, to, end, base, 0);
	ek_i64 high = first_from(c_col, k, end, base, slots);

	/* A window without entries gets no lists. PoCL 3.1 compiled a branch around all this wrong,
	 * so that a work-item went on beyond `high`; so both are looked for once more, too. */
	table_clear(keys, sum_of, slots, k < high ? slots : 0);
	SYNC();
	add_row(VALUES, EK_PRODUCT_ARGUMENTS, m, i, k < high ? lists : 0, base, slots, 1, &fresh);
	k = first_from(c_col, to, end, base, 0) + EK_LID();
	high = first_from(c_col, to, end, base, slots);
	for (; k < high; k += EK_WG)
		c_val[k] = sum_of[c_col[k] - base];
}
