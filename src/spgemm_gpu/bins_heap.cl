/* SPDX-License-Identifier: BSD-3-Clause
 * SpGEMM by bins (csr_bins.c): the heap method for rows of 2 to 32 products. Compile-time
 * parameters: PRODUCTS, the number of products of each row of the bin; KEY, an integer type for
 * keys; EK_WG, work-items of a group.
 *
 * A work-item has one row. All products of the row go into a heap of its own in local memory
 * (prim_body/heap_fuse.cl), whose roots are removed and fused into the row.
 *
 * A key is a column and, in its low bits, the complement of the product's number, so products of
 * one column leave the heap in the order in which they are added.
 *
 * Liu 2015, section 7.4.1. */
#include "spgemm_gpu/operands.cl"
#include "spgemm_gpu/bins_rows.cl"

#define KEY_BITS 5
#include "prim_body/heap_fuse.cl"

#define PLACE(k) EK_OWN_PLACE(k)

EK_KERNEL(heap_rows, EK_WG)
(EK_PRODUCT_PARAMETERS, EK_BIN_PARAMETERS)
{
	EK_LOCAL KEY all_keys[PLACE(PRODUCTS)];
	EK_LOCAL VAL all_values[PLACE(PRODUCTS)];
	const ek_i64 k = EK_GROUP() * EK_WG + EK_LID();
	EK_LOCAL_PTR KEY *key = all_keys + EK_LID();
	EK_LOCAL_PTR VAL *value = all_values + EK_LID();
	int n = 0;

	if (k >= count)
		return;
	const ek_i64 i = row[first + k], lists = ek_lists(EK_PRODUCT_ARGUMENTS, i);

	for (ek_i64 l = 0; l < lists; l++) {
		const ek_list list = ek_list_at(EK_PRODUCT_ARGUMENTS, i, l, make & MAKE_VAL);

		for (ek_i64 e = 0; e < list.n; e++, n++) {
			key[PLACE(n)] = (KEY)ek_list_col(EK_PRODUCT_ARGUMENTS, list, e)
			                        << KEY_BITS |
			                (KEY)((1 << KEY_BITS) - 1 - n);
			value[PLACE(n)] = 0 + ek_list_product(EK_PRODUCT_ARGUMENTS, list, e);
		}
	}
	ek_own_heap_make(key, value, PRODUCTS);
	const int head = ek_own_heap_fuse(key, value, PRODUCTS);

	for (int e = head; e < PRODUCTS && make & MAKE_COL; e++)
		col[at[i] + e - head] = (IDX)(key[PLACE(e)] >> KEY_BITS);
	for (int e = head; e < PRODUCTS && make & MAKE_VAL; e++)
		val[at[i] + e - head] = value[PLACE(e)];
	if (make & MAKE_LENGTH)
		length[i] = PRODUCTS - head;
}
