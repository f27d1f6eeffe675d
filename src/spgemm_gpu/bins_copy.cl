/* SPDX-License-Identifier: BSD-3-Clause
 * SpGEMM by bins (csr_bins.c): rows of one product, and stage 4, which copies rows from their
 * temporary places to C. Compile-time parameter: EK_WG, work-items of a group. */
#include "spgemm_gpu/operands.cl"
#include "spgemm_gpu/bins_rows.cl"

/* Computes the rows of group 2. A work-item has one row. */
EK_KERNEL(copy_products, EK_WG)
(EK_PRODUCT_PARAMETERS, EK_BIN_PARAMETERS)
{
	const ek_i64 k = EK_GROUP() * EK_WG + EK_LID();
	ek_i64 l = 0;
	ek_list list;

	if (k >= count)
		return;
	const ek_i64 i = row[first + k];

	do
		list = ek_list_at(EK_PRODUCT_ARGUMENTS, i, l++, make & MAKE_VAL);
	while (list.n == 0);
	if (make & MAKE_COL)
		col[at[i]] = ek_list_col(EK_PRODUCT_ARGUMENTS, list, 0);
	if (make & MAKE_VAL)
		val[at[i]] = 0 + ek_list_product(EK_PRODUCT_ARGUMENTS, list, 0);
	if (make & MAKE_LENGTH)
		length[i] = 1;
}

/* ---- Stage 4 --------------------------------------------------------------------------------- */

/* Parameters for temporary rows and for C. */
#define EK_ARRANGE_PARAMETERS                                                               \
	const EK_GLOBAL IDX *EK_RESTRICT col, const EK_GLOBAL VAL *EK_RESTRICT val,         \
		const EK_GLOBAL ek_i64 *EK_RESTRICT c_at, EK_GLOBAL IDX *EK_RESTRICT c_col, \
		EK_GLOBAL VAL *EK_RESTRICT c_val

/* Copies rows of one entry. A work-item has one row. */
EK_KERNEL(arrange_single, EK_WG)
(ek_i64 first, ek_i64 count, const EK_GLOBAL ek_i64 *EK_RESTRICT row,
 const EK_GLOBAL ek_i64 *EK_RESTRICT at, EK_ARRANGE_PARAMETERS)
{
	const ek_i64 k = EK_GROUP() * EK_WG + EK_LID();

	if (k >= count)
		return;
	const ek_i64 i = row[first + k];

	c_col[c_at[i]] = col[at[i]];
	c_val[c_at[i]] = val[at[i]];
}

/* Copies n entries. All work-items of the group take part. */
EK_FN void copy_entries(ek_i64 n, const EK_GLOBAL IDX *col, const EK_GLOBAL VAL *val,
                        EK_GLOBAL IDX *to_col, EK_GLOBAL VAL *to_val)
{
	for (ek_i64 k = EK_LID(); k < n; k += EK_WG) {
		to_col[k] = col[k];
		to_val[k] = val[k];
	}
}

/* Copies rows of any length. A group has one row. */
EK_KERNEL(arrange_rows, EK_WG)
(ek_i64 first, const EK_GLOBAL ek_i64 *EK_RESTRICT row, const EK_GLOBAL ek_i64 *EK_RESTRICT at,
 EK_ARRANGE_PARAMETERS)
{
	const ek_i64 i = row[first + EK_GROUP()];

	copy_entries(c_at[i + 1] - c_at[i], col + at[i], val + at[i], c_col + c_at[i],
	             c_val + c_at[i]);
}

/* Copies rows that are listed with their places: item[2 k] is a row, item[2 k + 1] where it is. A
 * group has one row. */
EK_KERNEL(arrange_listed, EK_WG)
(const EK_GLOBAL ek_i64 *EK_RESTRICT item, EK_ARRANGE_PARAMETERS)
{
	const ek_i64 i = item[2 * EK_GROUP()], place = item[2 * EK_GROUP() + 1];

	copy_entries(c_at[i + 1] - c_at[i], col + place, val + place, c_col + c_at[i],
	             c_val + c_at[i]);
}

/* Copies rows to places with more room: item[3 k] is the old place, item[3 k + 1] the new one,
 * item[3 k + 2] the number of entries. A group has one row. */
EK_KERNEL(move_rows, EK_WG)
(const EK_GLOBAL ek_i64 *EK_RESTRICT item, const EK_GLOBAL IDX *EK_RESTRICT col,
 const EK_GLOBAL VAL *EK_RESTRICT val, EK_GLOBAL IDX *EK_RESTRICT to_col,
 EK_GLOBAL VAL *EK_RESTRICT to_val)
{
	const EK_GLOBAL ek_i64 *move = item + 3 * EK_GROUP();

	copy_entries(move[2], col + move[0], val + move[0], to_col + move[1], to_val + move[1]);
}
