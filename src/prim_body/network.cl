/* SPDX-License-Identifier: BSD-3-Clause
 * Steps of sorting networks on pairs in local memory: functions for kernels, which define EK_WG and
 * the types of the pairs as for prim_body/pairs.cl: KEY, VALUE, VALUES. If VALUES is 0, keys alone
 * are sorted, and `value` is not used. A line #include "prim_body/network.cl" in a kernel is
 * replaced by this text (gpu/prelude.c).
 *
 * All comparators put the lesser key first. So places from n on need not exist: they would hold
 * keys greater than all others, which no comparator moves. The same holds for places before
 * `shift`, with lesser keys: place k of the network is place k - shift of the arrays. So any length
 * can be sorted, and lists of any two lengths merged. Sizes and strides are powers of two. Steps
 * end with a barrier. Batcher 1968; Liu 2015, Algorithms 14 and 15. */
#ifndef EK_NETWORK_CL
#define EK_NETWORK_CL

EK_FN void ek_compare_local(int i, int j, EK_LOCAL_PTR KEY *key, EK_LOCAL_PTR VALUE *value)
{
	const KEY a = key[i], b = key[j];

	if (a > b) {
		key[i] = b;
		key[j] = a;
		if (VALUES) {
			const VALUE v = value[i];

			value[i] = value[j];
			value[j] = v;
		}
	}
}

/* Returns the number of comparators of a step with this stride on n places. */
EK_FN int ek_comparators(int n, int stride)
{
	return (n + 2 * stride - 1) / (2 * stride) * stride;
}

/* Compares place i of each block of `size` places with place size - 1 - i: the first step by which
 * the bitonic network merges two ascending halves. Has no barrier. */
EK_FN void ek_mirror_compare(int n, int size, EK_LOCAL_PTR KEY *key, EK_LOCAL_PTR VALUE *value)
{
	for (int c = EK_LID(); c < ek_comparators(n, size / 2); c += EK_WG) {
		const int r = c & (size / 2 - 1), block = 2 * (c - r);

		if (block + size - 1 - r < n)
			ek_compare_local(block + r, block + size - 1 - r, key, value);
	}
}

/* Compares the places of the two halves of each block of 2 stride places. Has no barrier. */
EK_FN void ek_half_compare(int n, int shift, int stride, EK_LOCAL_PTR KEY *key,
                           EK_LOCAL_PTR VALUE *value)
{
	for (int c = EK_LID(); c < ek_comparators(n + shift, stride); c += EK_WG) {
		const int i = 2 * c - (c & (stride - 1)) - shift;

		if (i >= 0 && i + stride < n)
			ek_compare_local(i, i + stride, key, value);
	}
}

/* Does the same, and ends with a barrier. */
EK_FN void ek_half_step(int n, int shift, int stride, EK_LOCAL_PTR KEY *key,
                        EK_LOCAL_PTR VALUE *value)
{
	ek_half_compare(n, shift, stride, key, value);
	EK_BARRIER();
}

/* Waits between two steps of the bitonic network, the greater stride of which is given. In steps
 * with strides up to EK_WARP the work-items of a warp keep to places of their own. */
EK_FN void ek_between_steps(int stride)
{
	if (stride > EK_WARP)
		EK_BARRIER();
	else
		EK_WARP_BARRIER();
}

/* Compares, within blocks of `size` places, the second half of each block of 2 stride places with
 * the first half of the next: a later step by which the odd-even network merges. */
EK_FN void ek_odd_step(int n, int shift, int size, int stride, EK_LOCAL_PTR KEY *key,
                       EK_LOCAL_PTR VALUE *value)
{
	for (int c = EK_LID(); c < ek_comparators(n + shift, stride); c += EK_WG) {
		const int i = 2 * c - (c & (stride - 1)) + stride;

		if (((i ^ (i + stride)) & -size) == 0 && i >= shift && i + stride - shift < n)
			ek_compare_local(i - shift, i + stride - shift, key, value);
	}
	EK_BARRIER();
}

/* Sorts n pairs by the bitonic network. Ends with a barrier. */
EK_FN void ek_bitonic_sort(int n, EK_LOCAL_PTR KEY *key, EK_LOCAL_PTR VALUE *value)
{
	EK_ROLLED
	for (int size = 2; size < 2 * n; size *= 2) {
		ek_mirror_compare(n, size, key, value);
		EK_ROLLED
		for (int stride = size / 4; stride > 0; stride /= 2) {
			ek_between_steps(2 * stride);
			ek_half_compare(n, 0, stride, key, value);
		}
		ek_between_steps(size);
	}
	EK_BARRIER();
}

/* Sorts n pairs by the odd-even network. */
EK_FN void ek_oddeven_sort(int n, EK_LOCAL_PTR KEY *key, EK_LOCAL_PTR VALUE *value)
{
	for (int size = 2; size < 2 * n; size *= 2) {
		ek_half_step(n, 0, size / 2, key, value);
		for (int stride = size / 4; stride > 0; stride /= 2)
			ek_odd_step(n, 0, size, stride, key, value);
	}
}

#endif
