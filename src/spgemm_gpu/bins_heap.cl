/* SPDX-License-Identifier: BSD-3-Clause
 * SpGEMM by bins (csr_bins.c): the heap method for rows of 2 to 32 products. Compile-time
 * parameters: PRODUCTS, the number of products of each row of the bin; KEY, an integer type for
 * keys; EK_WG, work-items of a group.
 *
 * A work-item has one row. All products of the row go into a heap of pairs (key, value), whose root
 * has the greatest key. Then the root is removed until the heap is empty. If it has the column of
 * the first entry of the resulting sequence, it is fused with that entry; otherwise it becomes a
 * new first entry. The sequence grows from the end of the array, where the heap leaves room.
 *
 * A key is a column and, in its low bits, the complement of the product's number, so products of
 * one column leave the heap in the order in which they are added.
 *
 * The heap is in local memory, with neighbouring work-items in neighbouring places, so they use
 * different banks wherever in their heaps they are. No work-item reads the places of another one.
 *
 * Liu 2015, section 7.4.1. */
#include "spgemm_gpu/operands.cl"
#include "spgemm_gpu/bins_rows.cl"

#define ARITY    4 /* children of a node, as in the processor's heap */
#define KEY_BITS 5
#define PLACE(k) ((k)*EK_WG)

/* Puts a pair into the hole at node `at` of a heap of n nodes, or below it. */
EK_FN void heap_down(EK_LOCAL_PTR KEY *key, EK_LOCAL_PTR VAL *value, int n, int at, KEY k, VAL v)
{
	for (int child = ARITY * at + 1; child < n; child = ARITY * at + 1) {
		int best = child;

		for (int c = child + 1; c < child + ARITY && c < n; c++)
			if (key[PLACE(c)] > key[PLACE(best)])
				best = c;
		if (key[PLACE(best)] < k)
			break;
		key[PLACE(at)] = key[PLACE(best)];
		value[PLACE(at)] = value[PLACE(best)];
		at = best;
	}
	key[PLACE(at)] = k;
	value[PLACE(at)] = v;
}

/* Removes the roots of a heap of all products, and fuses them. Returns where the sequence
 * begins. */
EK_FN int fuse_roots(EK_LOCAL_PTR KEY *key, EK_LOCAL_PTR VAL *value)
{
	int head = PRODUCTS;

	for (int n = PRODUCTS - 1; n >= 0; n--) {
		const KEY root = key[0];
		const VAL v = value[0];

		if (n > 0)
			heap_down(key, value, n, 0, key[PLACE(n)], value[PLACE(n)]);
		if (head < PRODUCTS && key[PLACE(head)] >> KEY_BITS == root >> KEY_BITS) {
			value[PLACE(head)] += v;
		} else {
			head--;
			key[PLACE(head)] = root;
			value[PLACE(head)] = 0 + v;
		}
	}
	return head;
}

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
			value[PLACE(n)] = ek_list_product(EK_PRODUCT_ARGUMENTS, list, e);
		}
	}
	for (int node = (PRODUCTS - 2) / ARITY; node >= 0; node--)
		heap_down(key, value, PRODUCTS, node, key[PLACE(node)], value[PLACE(node)]);
	const int head = fuse_roots(key, value);

	for (int e = head; e < PRODUCTS && make & MAKE_COL; e++)
		col[at[i] + e - head] = (IDX)(key[PLACE(e)] >> KEY_BITS);
	for (int e = head; e < PRODUCTS && make & MAKE_VAL; e++)
		val[at[i] + e - head] = value[PLACE(e)];
	if (make & MAKE_LENGTH)
		length[i] = PRODUCTS - head;
}
