/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs of keys and values: functions for kernels, the same as in prim_body/pair.h. A line #include
 * "prim_body/pairs.cl" in a kernel is replaced by this text (gpu/prelude.c). The words that
 * describe the types are written by eki_gpu_pairs (prim_gpu/arrays.h), and EK_WG by the kernel.
 * Keys in local memory are kept as the integers by which they are compared. */
#ifndef EK_PAIRS_CL
#define EK_PAIRS_CL

/* Returns the integer by which a key is compared, or the key of such an integer. */
EK_FN KEY ek_order(KEY x)
{
	return FLIP && x < 0 ? x ^ KEY_MOST : x;
}

/* Returns how many of n keys in ascending order are less than the key of order x, or, if `equal` is
 * not 0, at most that key. */
EK_FN ek_i64 ek_rank(const EK_GLOBAL KEY *key, ek_i64 n, KEY x, int equal)
{
	ek_i64 low = 0, high = n;

	while (low < high) {
		const ek_i64 middle = low + (high - low) / 2;
		const KEY at = ek_order(key[middle]);

		if (at < x || (equal && at == x))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Does the same for keys in local memory. */
EK_FN int ek_rank_local(const EK_LOCAL_PTR KEY *key, int n, KEY x, int equal)
{
	int low = 0, high = n;

	while (low < high) {
		const int middle = (low + high) / 2;

		if (key[middle] < x || (equal && key[middle] == x))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns how many of the first d pairs of the merge of two lists come from `a`. Of equal keys,
 * those of `a` come first. Reads only within the lists, even if they are not sorted. */
EK_FN ek_i64 ek_merge_cut(const EK_GLOBAL KEY *a, ek_i64 a_n, const EK_GLOBAL KEY *b, ek_i64 b_n,
                          ek_i64 d)
{
	ek_i64 low = d > b_n ? d - b_n : 0, high = d < a_n ? d : a_n;

	while (low < high) {
		const ek_i64 middle = low + (high - low) / 2;

		if (ek_order(a[middle]) <= ek_order(b[d - middle - 1]))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Does the same for lists in local memory. */
EK_FN int ek_merge_cut_local(const EK_LOCAL_PTR KEY *a, int a_n, const EK_LOCAL_PTR KEY *b, int b_n,
                             int d)
{
	int low = d > b_n ? d - b_n : 0, high = d < a_n ? d : a_n;

	while (low < high) {
		const int middle = (low + high) / 2;

		if (a[middle] <= b[d - middle - 1])
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Copies n pairs to local memory. Has a barrier. */
EK_FN void ek_pairs_load(int n, const EK_GLOBAL KEY *from_key, const EK_GLOBAL VALUE *from_value,
                         EK_LOCAL_PTR KEY *key, EK_LOCAL_PTR VALUE *value)
{
	for (int k = EK_LID(); k < n; k += EK_WG) {
		key[k] = ek_order(from_key[k]);
		if (VALUES)
			value[k] = from_value[k];
	}
	EK_BARRIER();
}

/* Copies n pairs from local memory. The work-items that store a pair need not be those that wrote
 * it, if there was a barrier between. */
EK_FN void ek_pairs_store(int n, const EK_LOCAL_PTR KEY *key, const EK_LOCAL_PTR VALUE *value,
                          EK_GLOBAL KEY *to_key, EK_GLOBAL VALUE *to_value)
{
	for (int k = EK_LID(); k < n; k += EK_WG) {
		to_key[k] = ek_order(key[k]);
		if (VALUES)
			to_value[k] = value[k];
	}
}

/* Loads a_n keys of `a`, then b_n keys of `b`, into local memory. Has a barrier. */
EK_FN void ek_lists_load(int a_n, int b_n, const EK_GLOBAL KEY *a, const EK_GLOBAL KEY *b,
                         EK_LOCAL_PTR KEY *tile)
{
	for (int k = EK_LID(); k < a_n + b_n; k += EK_WG)
		tile[k] = ek_order(k < a_n ? a[k] : b[k - a_n]);
	EK_BARRIER();
}

/* Writes `count` pairs of a merge: pair k is at place from[k] of the tile, whose first a_n places
 * are keys of `a`, and whose others are keys of `b`. Has a barrier. */
EK_FN void ek_lists_store(int count, int a_n, const EK_LOCAL_PTR KEY *tile,
                          const EK_LOCAL_PTR int *from, const EK_GLOBAL VALUE *a_value,
                          const EK_GLOBAL VALUE *b_value, EK_GLOBAL KEY *key,
                          EK_GLOBAL VALUE *value)
{
	EK_BARRIER();
	for (int k = EK_LID(); k < count; k += EK_WG) {
		const int at = from[k];

		key[k] = ek_order(tile[at]);
		if (VALUES)
			value[k] = at < a_n ? a_value[at] : b_value[at - a_n];
	}
}

#endif
