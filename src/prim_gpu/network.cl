/* SPDX-License-Identifier: BSD-3-Clause
 * Sorting networks on arrays in global memory (network.c). Compile-time parameters: those of
 * prim_body/pairs.cl; EK_WG, work-items of a group; TILE, a power of two, the pairs that a group
 * sorts in local memory.
 *
 * Each launch does one step of the network, with a comparator for each work-item, or all steps
 * whose strides are less than TILE. A call works on a batch of arrays of n pairs, one after the
 * other; `per` is the number of groups for each of them. */
#include "prim_body/pairs.cl"
#include "prim_body/network.cl"

EK_FN void compare(ek_i64 i, ek_i64 j, EK_GLOBAL KEY *key, EK_GLOBAL VALUE *value)
{
	const KEY a = key[i], b = key[j];

	if (ek_order(a) > ek_order(b)) {
		key[i] = b;
		key[j] = a;
		if (VALUES) {
			const VALUE v = value[i];

			value[i] = value[j];
			value[j] = v;
		}
	}
}

/* Returns the first pair of the array that this group works on. */
EK_FN ek_i64 first_of(ek_i64 n, ek_i64 per)
{
	return EK_GROUP() / per * n;
}

/* Returns the number of this work-item among those that work on the same array. */
EK_FN ek_i64 number_of(ek_i64 per)
{
	return EK_GROUP() % per * EK_WG + EK_LID();
}

/* Sorts each tile by the bitonic network (`odd` is 0) or the odd-even network. */
EK_KERNEL(tile_sort, EK_WG)
(ek_i64 n, int odd, const EK_GLOBAL KEY *key, const EK_GLOBAL VALUE *value, EK_GLOBAL KEY *to_key,
 EK_GLOBAL VALUE *to_value)
{
	EK_LOCAL KEY tile[TILE];
	EK_LOCAL VALUE tile_value[VALUES ? TILE : 1];
	const ek_i64 begin = EK_GROUP() * TILE;
	const int count = n - begin < TILE ? (int)(n - begin) : TILE;

	ek_pairs_load(count, key + begin, value + begin, tile, tile_value);
	if (odd)
		ek_oddeven_sort(count, tile, tile_value);
	else
		ek_bitonic_sort(count, tile, tile_value);
	ek_pairs_store(count, tile, tile_value, to_key + begin, to_value + begin);
}

EK_KERNEL(mirror_step, EK_WG)
(ek_i64 n, ek_i64 size, EK_GLOBAL KEY *key, EK_GLOBAL VALUE *value)
{
	const ek_i64 c = EK_GROUP() * EK_WG + EK_LID(), r = c & (size / 2 - 1), block = 2 * (c - r);

	if (block + size - 1 - r < n)
		compare(block + r, block + size - 1 - r, key, value);
}

EK_KERNEL(half_step, EK_WG)
(ek_i64 n, ek_i64 per, ek_i64 shift, ek_i64 stride, EK_GLOBAL KEY *key, EK_GLOBAL VALUE *value)
{
	const ek_i64 c = number_of(per), i = 2 * c - (c & (stride - 1)) - shift;
	const ek_i64 first = first_of(n, per);

	if (i >= 0 && i + stride < n)
		compare(first + i, first + i + stride, key, value);
}

EK_KERNEL(odd_step, EK_WG)
(ek_i64 n, ek_i64 per, ek_i64 shift, ek_i64 size, ek_i64 stride, EK_GLOBAL KEY *key,
 EK_GLOBAL VALUE *value)
{
	const ek_i64 c = number_of(per), i = 2 * c - (c & (stride - 1)) + stride;
	const ek_i64 first = first_of(n, per) - shift;

	if (((i ^ (i + stride)) & -size) == 0 && i >= shift && i + stride - shift < n)
		compare(first + i, first + i + stride, key, value);
}

/* Does the bitonic network's steps with strides below TILE in each tile. */
EK_KERNEL(tile_halves, EK_WG)
(ek_i64 n, ek_i64 per, EK_GLOBAL KEY *key, EK_GLOBAL VALUE *value)
{
	EK_LOCAL KEY tile[TILE];
	EK_LOCAL VALUE tile_value[VALUES ? TILE : 1];
	const ek_i64 at = EK_GROUP() % per * TILE, begin = first_of(n, per) + at;
	const int count = n - at < TILE ? (int)(n - at) : TILE;

	ek_pairs_load(count, key + begin, value + begin, tile, tile_value);
	for (int stride = TILE / 2; stride > 0; stride /= 2)
		ek_half_step(count, 0, stride, tile, tile_value);
	ek_pairs_store(count, tile, tile_value, key + begin, value + begin);
}
