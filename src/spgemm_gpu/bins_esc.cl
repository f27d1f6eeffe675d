/* SPDX-License-Identifier: BSD-3-Clause
 * SpGEMM by bins (csr_bins.c): the bitonic ESC method for rows of 33 to 512 products: expand, sort,
 * compress. Compile-time parameters: PRODUCTS, the power of two that is the greatest number of
 * products in the bin; EK_WG, work-items of a group, PRODUCTS / 2; KEY, an integer type for keys.
 *
 * A group has one row. The work-items share the products evenly, whatever the lengths of the lists:
 * the lengths of EK_WG lists are scanned, and each product finds its list there. A key is a column
 * and, in its low bits, the number of the product. Values stay where they are; only keys are
 * sorted, by the bitonic network of prim_body/network.cl, in which each work-item compares one pair
 * in a step.
 *
 * To compress, work-items mark the products that begin a column, and a scan of the marks gives the
 * places in the row. The work-item that has a mark adds up its segment in the order of the
 * products.
 *
 * Liu 2015, sections 4.5.2 and 7.4.2. */
#include "spgemm_gpu/operands.cl"
#include "spgemm_gpu/bins_rows.cl"
#include "prim_body/scan.cl"

#define VALUES 0 /* keys alone are sorted */
#define VALUE  KEY
#include "prim_body/network.cl"

#define KEY_BITS    9
#define NUMBER(key) ((int)((key) & ((1 << KEY_BITS) - 1)))

EK_KERNEL(esc_rows, EK_WG)
(EK_PRODUCT_PARAMETERS, EK_BIN_PARAMETERS)
{
	EK_LOCAL KEY key[PRODUCTS];
	EK_LOCAL VAL product[PRODUCTS];
	EK_LOCAL ek_i64 scratch[EK_WG];
	const int lid = EK_LID();
	const ek_i64 i = row[first + EK_GROUP()], lists = ek_lists(EK_PRODUCT_ARGUMENTS, i);
	int n = 0;

	/* Expand. */
	for (ek_i64 begin = 0; begin < lists; begin += EK_WG) {
		int some;

		ek_scan_before(begin + lid < lists
		                       ? ek_list_at(EK_PRODUCT_ARGUMENTS, i, begin + lid, 0).n
		                       : 0,
		               scratch);
		some = (int)scratch[EK_WG - 1];
		for (int k = lid; k < some; k += EK_WG) {
			int low = 0, end = EK_WG;

			while (low < end) {
				const int middle = (low + end) / 2;

				if (scratch[middle] <= k)
					low = middle + 1;
				else
					end = middle;
			}
			const ek_i64 e = k - (low > 0 ? scratch[low - 1] : 0);
			const ek_list list =
				ek_list_at(EK_PRODUCT_ARGUMENTS, i, begin + low, make & MAKE_VAL);

			key[n + k] = (KEY)ek_list_col(EK_PRODUCT_ARGUMENTS, list, e) << KEY_BITS |
			             (KEY)(n + k);
			product[n + k] = ek_list_product(EK_PRODUCT_ARGUMENTS, list, e);
		}
		n += some;
		EK_BARRIER();
	}
	for (int k = n + lid; k < PRODUCTS; k += EK_WG)
		key[k] = (KEY)(((ek_u64)1 << (8 * sizeof(KEY) - 1)) - 1); /* after all others */
	EK_BARRIER();
	ek_bitonic_sort(PRODUCTS, key, key);

	/* Compress. */
	int mark[2];

	for (int k = 0; k < 2; k++) {
		const int p = 2 * lid + k;

		mark[k] = p < n && (p == 0 || key[p] >> KEY_BITS != key[p - 1] >> KEY_BITS);
	}
	ek_i64 place = ek_scan_before(mark[0] + mark[1], scratch);

	for (int k = 0; k < 2; k++) {
		const int p = 2 * lid + k;

		if (!mark[k])
			continue;
		VAL sum = 0 + product[NUMBER(key[p])];

		for (int e = p + 1; e < n && key[e] >> KEY_BITS == key[p] >> KEY_BITS; e++)
			sum += product[NUMBER(key[e])];
		if (make & MAKE_COL)
			col[at[i] + place] = (IDX)(key[p] >> KEY_BITS);
		if (make & MAKE_VAL)
			val[at[i] + place] = sum;
		place++;
	}
	if (make & MAKE_LENGTH && lid == 0)
		length[i] = scratch[EK_WG - 1];
}
