/* SPDX-License-Identifier: BSD-3-Clause
 * Merges by merge path (merge_path.c). Compile-time parameters: those of prim_body/pairs.cl; EK_WG,
 * work-items of a group; ITEMS, an odd number, pairs of a work-item, so that work-items which write
 * pairs ITEMS apart use different banks of local memory. A tile has EK_WG * ITEMS pairs of the
 * result.
 *
 * The keys of a tile go through local memory. Each work-item merges its part, and leaves the places
 * that its pairs come from; neighbouring work-items then write neighbouring pairs. */
#include "prim_body/pairs.cl"

#define TILE (EK_WG * ITEMS)

/* Merges two lists of `tile`, of which the pairs from d on are this work-item's, at most `count` of
 * them. The lists begin at places a and b. Writes the place of each pair to `from`. */
EK_FN void merge_part(const EK_LOCAL_PTR KEY *tile, int a, int a_n, int b, int b_n, int d,
                      int count, EK_LOCAL_PTR int *from)
{
	int i = ek_merge_cut_local(tile + a, a_n, tile + b, b_n, d), j = d - i;

	for (int k = 0; k < count; k++)
		from[k] = i < a_n && (j >= b_n || tile[a + i] <= tile[b + j]) ? a + i++ : b + j++;
}

/* Writes the pairs begin ... of the merge of two lists, a tile of them. If the lists are not
 * sorted, the result is meaningless, but nothing outside of the lists is read. */
EK_FN void merge_tile(ek_i64 begin, ek_i64 a_n, ek_i64 b_n, const EK_GLOBAL KEY *a,
                      const EK_GLOBAL VALUE *a_value, const EK_GLOBAL KEY *b,
                      const EK_GLOBAL VALUE *b_value, EK_GLOBAL KEY *key, EK_GLOBAL VALUE *value,
                      EK_LOCAL_PTR KEY *tile, EK_LOCAL_PTR int *from, EK_LOCAL_PTR ek_i64 *cut)
{
	const int count = a_n + b_n - begin < TILE ? (int)(a_n + b_n - begin) : TILE;
	const int d = EK_LID() * ITEMS, left = count - d;
	ek_i64 i, j;
	int ai;

	if (EK_LID() < 2)
		cut[EK_LID()] = ek_merge_cut(a, a_n, b, b_n, begin + EK_LID() * count);
	EK_BARRIER();
	i = cut[0];
	j = begin - i;
	ai = cut[1] < i ? 0 : cut[1] - i > count ? count : (int)(cut[1] - i);
	ek_lists_load(ai, count - ai, a + i, b + j, tile);
	if (left > 0)
		merge_part(tile, 0, ai, ai, count - ai, d, left < ITEMS ? left : ITEMS, from + d);
	ek_lists_store(count, ai, tile, from, a_value + i, b_value + j, key + begin, value + begin);
}

/* Merges lists that are longer than a tile together: `per` groups for each merge. */
EK_KERNEL(merge_long, EK_WG)
(ek_i64 a_n, ek_i64 b_n, ek_i64 per, const EK_GLOBAL KEY *a, const EK_GLOBAL VALUE *a_value,
 const EK_GLOBAL KEY *b, const EK_GLOBAL VALUE *b_value, EK_GLOBAL KEY *key, EK_GLOBAL VALUE *value)
{
	EK_LOCAL KEY tile[TILE];
	EK_LOCAL int from[TILE];
	EK_LOCAL ek_i64 cut[2];
	const ek_i64 m = EK_GROUP() / per, to = m * (a_n + b_n);

	merge_tile(EK_GROUP() % per * TILE, a_n, b_n, a + m * a_n, a_value + m * a_n, b + m * b_n,
	           b_value + m * b_n, key + to, value + to, tile, from, cut);
}

/* Merges neighbouring runs of `run` pairs of one array of n pairs: `per` groups for each two runs.
 */
EK_KERNEL(merge_runs, EK_WG)
(ek_i64 n, ek_i64 run, ek_i64 per, const EK_GLOBAL KEY *from_key, const EK_GLOBAL VALUE *from_value,
 EK_GLOBAL KEY *key, EK_GLOBAL VALUE *value)
{
	EK_LOCAL KEY tile[TILE];
	EK_LOCAL int from[TILE];
	EK_LOCAL ek_i64 cut[2];
	const ek_i64 first = EK_GROUP() / per * 2 * run, left = n - first;
	const ek_i64 a_n = left < run ? left : run, b_n = left - a_n < run ? left - a_n : run;
	const ek_i64 begin = EK_GROUP() % per * TILE;
	const EK_GLOBAL KEY *a = from_key + first;
	const EK_GLOBAL VALUE *a_value = from_value + first;

	if (begin < a_n + b_n) /* the same for all work-items of the group */
		merge_tile(begin, a_n, b_n, a, a_value, a + a_n, a_value + a_n, key + first,
		           value + first, tile, from, cut);
}

/* Merges short lists, `several` merges in each group, of `batch` merges. */
EK_KERNEL(merge_short, EK_WG)
(ek_i64 batch, int a_n, int b_n, int several, const EK_GLOBAL KEY *a,
 const EK_GLOBAL VALUE *a_value, const EK_GLOBAL KEY *b, const EK_GLOBAL VALUE *b_value,
 EK_GLOBAL KEY *key, EK_GLOBAL VALUE *value)
{
	EK_LOCAL KEY tile[TILE];
	EK_LOCAL int from[TILE];
	const ek_i64 first = EK_GROUP() * several, to = first * (a_n + b_n);
	const int merges = batch - first < several ? (int)(batch - first) : several;
	const int n = a_n + b_n, count = merges * n, end = EK_LID() * ITEMS + ITEMS;

	ek_lists_load(merges * a_n, merges * b_n, a + first * a_n, b + first * b_n, tile);
	for (int at = EK_LID() * ITEMS, part; at < end && at < count; at += part) {
		const int m = at / n, d = at - m * n;

		part = n - d < end - at ? n - d : end - at;
		merge_part(tile, m * a_n, a_n, merges * a_n + m * b_n, b_n, d, part, from + at);
	}
	ek_lists_store(count, merges * a_n, tile, from, a_value + first * a_n,
	               b_value + first * b_n, key + to, value + to);
}
