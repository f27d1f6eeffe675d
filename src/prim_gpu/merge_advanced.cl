/* SPDX-License-Identifier: BSD-3-Clause
 * Merges by the bitonic network, three steps at a time (merge_advanced.c). Compile-time parameters:
 * those of prim_body/pairs.cl; EK_WG, work-items of a group; TILE, the most pairs of a merge that a
 * group does in local memory. Lists `a` have a_n pairs, lists `b` b_n, one after the other. A
 * kernel for long lists has `per` groups for each merge. */
#include "prim_body/pairs.cl"
#include "prim_body/network.cl"

/* Does the three steps of the bitonic network with strides 4 q, 2 q and q on the pairs of places
 * first, first + q ... first + 7 q, as far as these are less than n. */
EK_FN void eight_order(ek_i64 first, ek_i64 q, ek_i64 n, KEY *key, VALUE *value)
{
	for (int d = 4; d > 0; d /= 2)
		for (int k = 0; k < 8; k++)
			if (!(k & d) && first + (k + d) * q < n && key[k] > key[k + d]) {
				const KEY x = key[k];

				key[k] = key[k + d];
				key[k + d] = x;
				if (VALUES) {
					const VALUE v = value[k];

					value[k] = value[k + d];
					value[k + d] = v;
				}
			}
}

/* Returns the first place of the eight of number c, which are q apart: those with three bits 0. */
EK_FN ek_i64 eight_first(ek_i64 c, ek_i64 q)
{
	return 8 * c - 7 * (c & (q - 1));
}

/* Does three steps on n pairs in local memory. Has a barrier. */
EK_FN void eight_step_local(int n, int q, EK_LOCAL_PTR KEY *tile, EK_LOCAL_PTR VALUE *tile_value)
{
	for (int c = EK_LID(); c < (n + 8 * q - 1) / (8 * q) * q; c += EK_WG) {
		const int first = (int)eight_first(c, q);
		KEY key[8];
		VALUE value[8];

		for (int k = 0; k < 8 && first + k * q < n; k++) {
			key[k] = tile[first + k * q];
			if (VALUES)
				value[k] = tile_value[first + k * q];
		}
		eight_order(first, q, n, key, value);
		for (int k = 0; k < 8 && first + k * q < n; k++) {
			tile[first + k * q] = key[k];
			if (VALUES)
				tile_value[first + k * q] = value[k];
		}
	}
	EK_BARRIER();
}

/* Does three steps on n pairs in global memory, eight pairs for each work-item. */
EK_KERNEL(eight_step, EK_WG)
(ek_i64 n, ek_i64 per, ek_i64 q, EK_GLOBAL KEY *to_key, EK_GLOBAL VALUE *to_value)
{
	const ek_i64 c = EK_GROUP() % per * EK_WG + EK_LID(), first = eight_first(c, q);
	const ek_i64 begin = EK_GROUP() / per * n;
	KEY key[8];
	VALUE value[8];

	for (int k = 0; k < 8 && first + k * q < n; k++) {
		key[k] = ek_order(to_key[begin + first + k * q]);
		if (VALUES)
			value[k] = to_value[begin + first + k * q];
	}
	eight_order(first, q, n, key, value);
	for (int k = 0; k < 8 && first + k * q < n; k++) {
		to_key[begin + first + k * q] = ek_order(key[k]);
		if (VALUES)
			to_value[begin + first + k * q] = value[k];
	}
}

/* Merges two lists in local memory by the last stage of the bitonic network, one merge for each
 * group. The network has 2 side places, a power of two, and the first list in descending order. */
EK_KERNEL(advanced_short, EK_WG)
(int a_n, int b_n, int side, const EK_GLOBAL KEY *a, const EK_GLOBAL VALUE *a_value,
 const EK_GLOBAL KEY *b, const EK_GLOBAL VALUE *b_value, EK_GLOBAL KEY *key, EK_GLOBAL VALUE *value)
{
	EK_LOCAL KEY tile[TILE];
	EK_LOCAL VALUE tile_value[VALUES ? TILE : 1];
	const ek_i64 ai = EK_GROUP() * a_n, bi = EK_GROUP() * b_n;
	const int n = a_n + b_n;
	int stride = side;

	for (int k = EK_LID(); k < n; k += EK_WG) {
		const ek_i64 at = k >= a_n ? bi + k - a_n : ai + a_n - 1 - k;

		tile[k] = ek_order(k < a_n ? a[at] : b[at]);
		if (VALUES)
			tile_value[k] = k < a_n ? a_value[at] : b_value[at];
	}
	EK_BARRIER();
	for (; stride >= 4; stride /= 8)
		eight_step_local(n, stride / 4, tile, tile_value);
	for (; stride > 0; stride /= 2)
		ek_half_step(n, 0, stride, tile, tile_value);
	ek_pairs_store(n, tile, tile_value, key + ai + bi, value + ai + bi);
}
