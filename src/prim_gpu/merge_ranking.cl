/* SPDX-License-Identifier: BSD-3-Clause
 * Merges by ranks (merge_ranking.c). Compile-time parameters: those of prim_body/pairs.cl; EK_WG,
 * work-items of a group; TILE, the most pairs of a merge that a group does in local memory. Lists
 * `a` have a_n pairs, lists `b` b_n, one after the other. A kernel for long lists has `per` groups
 * for each merge. */
#include "prim_body/pairs.cl"

/* Merges two lists by ranks in local memory, one merge for each group. */
EK_KERNEL(rank_short, EK_WG)
(int a_n, int b_n, const EK_GLOBAL KEY *a, const EK_GLOBAL VALUE *a_value, const EK_GLOBAL KEY *b,
 const EK_GLOBAL VALUE *b_value, EK_GLOBAL KEY *key, EK_GLOBAL VALUE *value)
{
	EK_LOCAL KEY tile[TILE];
	EK_LOCAL int from[TILE];
	const ek_i64 ai = EK_GROUP() * a_n, bi = EK_GROUP() * b_n;

	for (int k = EK_LID(); k < a_n + b_n; k += EK_WG)
		from[k] = k; /* ranks of lists that are not sorted may leave places out */
	ek_lists_load(a_n, b_n, a + ai, b + bi, tile);
	for (int k = EK_LID(); k < a_n + b_n; k += EK_WG) {
		const int rank = k < a_n ? ek_rank_local(tile + a_n, b_n, tile[k], 0)
		                         : ek_rank_local(tile, a_n, tile[k], 1) - a_n;

		from[k + rank] = k;
	}
	ek_lists_store(a_n + b_n, a_n, tile, from, a_value + ai, b_value + bi, key + ai + bi,
	               value + ai + bi);
}

/* Puts each pair into its place in global memory, a work-item for each pair. */
EK_KERNEL(rank_long, EK_WG)
(ek_i64 a_n, ek_i64 b_n, ek_i64 per, const EK_GLOBAL KEY *a, const EK_GLOBAL VALUE *a_value,
 const EK_GLOBAL KEY *b, const EK_GLOBAL VALUE *b_value, EK_GLOBAL KEY *key, EK_GLOBAL VALUE *value)
{
	const ek_i64 m = EK_GROUP() / per, k = EK_GROUP() % per * EK_WG + EK_LID();
	const ek_i64 ai = m * a_n, bi = m * b_n, j = k - a_n;

	if (k < a_n) {
		const KEY x = a[ai + k];
		const ek_i64 to = ai + bi + k + ek_rank(b + bi, b_n, ek_order(x), 0);

		key[to] = x;
		if (VALUES)
			value[to] = a_value[ai + k];
	} else if (j < b_n) {
		const KEY x = b[bi + j];
		const ek_i64 to = ai + bi + j + ek_rank(a + ai, a_n, ek_order(x), 1);

		key[to] = x;
		if (VALUES)
			value[to] = b_value[bi + j];
	}
}
