/* SPDX-License-Identifier: BSD-3-Clause
 * Merges by networks (merge_network.c). Compile-time parameters: those of prim_body/pairs.cl;
 * EK_WG, work-items of a group; TILE, the most pairs of a merge that a group does in local memory.
 * Lists `a` have a_n pairs, lists `b` b_n, one after the other. A kernel for long lists has `per`
 * groups for each merge. */
#include "prim_body/pairs.cl"
#include "prim_body/network.cl"

/* Merges two lists in local memory by the last stage of a network, one merge for each group. The
 * odd-even network (`odd` is not 0) has two ascending halves of `side` places; the first list ends
 * at the end of the first one. The bitonic one has 2 side places, and the first list in descending
 * order. `side` is a power of two. */
EK_KERNEL(network_short, EK_WG)
(int a_n, int b_n, int odd, int side, const EK_GLOBAL KEY *a, const EK_GLOBAL VALUE *a_value,
 const EK_GLOBAL KEY *b, const EK_GLOBAL VALUE *b_value, EK_GLOBAL KEY *key, EK_GLOBAL VALUE *value)
{
	EK_LOCAL KEY tile[TILE];
	EK_LOCAL VALUE tile_value[VALUES ? TILE : 1];
	const ek_i64 ai = EK_GROUP() * a_n, bi = EK_GROUP() * b_n;
	const int n = a_n + b_n, shift = side - a_n;

	for (int k = EK_LID(); k < n; k += EK_WG) {
		const ek_i64 at = k >= a_n ? bi + k - a_n : odd ? ai + k : ai + a_n - 1 - k;

		tile[k] = ek_order(k < a_n ? a[at] : b[at]);
		if (VALUES)
			tile_value[k] = k < a_n ? a_value[at] : b_value[at];
	}
	EK_BARRIER();
	if (odd) {
		ek_half_step(n, shift, side, tile, tile_value);
		for (int stride = side / 2; stride > 0; stride /= 2)
			ek_odd_step(n, shift, 2 * side, stride, tile, tile_value);
	} else {
		for (int stride = side; stride > 0; stride /= 2)
			ek_half_step(n, 0, stride, tile, tile_value);
	}
	ek_pairs_store(n, tile, tile_value, key + ai + bi, value + ai + bi);
}

/* Copies the lists of each merge to the result, one after the other, the first one in descending
 * order if `turned` is not 0. */
EK_KERNEL(lay_lists, EK_WG)
(ek_i64 a_n, ek_i64 b_n, ek_i64 per, int turned, const EK_GLOBAL KEY *a,
 const EK_GLOBAL VALUE *a_value, const EK_GLOBAL KEY *b, const EK_GLOBAL VALUE *b_value,
 EK_GLOBAL KEY *key, EK_GLOBAL VALUE *value)
{
	const ek_i64 m = EK_GROUP() / per, k = EK_GROUP() % per * EK_WG + EK_LID();
	const ek_i64 to = m * (a_n + b_n) + k;

	if (k < a_n) {
		const ek_i64 at = m * a_n + (turned ? a_n - 1 - k : k);

		key[to] = a[at];
		if (VALUES)
			value[to] = a_value[at];
	} else if (k < a_n + b_n) {
		const ek_i64 at = m * b_n + k - a_n;

		key[to] = b[at];
		if (VALUES)
			value[to] = b_value[at];
	}
}
