/* SPDX-License-Identifier: BSD-3-Clause
 * The scan in tiles (scan_tiles.c). Compile-time parameters: VAL, OP and IDENTITY; EK_WG, work-
 * items of a group; ITEMS, numbers of a work-item. A tile has EK_WG * ITEMS numbers, which go
 * through local memory: neighbouring work-items read and write neighbouring numbers of global
 * memory, and each of them then has consecutive ones. PLACE skips a number after every 32, so that
 * work-items that are ITEMS numbers apart use different banks. */
#include "prim_body/scan_op.cl"

#define TILE     (EK_WG * ITEMS)
#define PLACE(k) ((k) + (k) / 32)

/* Copies the tile of this group to local memory, with the identity in place of numbers past the
 * end. Has a barrier. */
EK_FN void tile_load(ek_i64 n, const EK_GLOBAL VAL *in, EK_LOCAL_PTR VAL *tile)
{
	const ek_i64 begin = EK_GROUP() * TILE;

	for (int k = EK_LID(); k < TILE; k += EK_WG)
		tile[PLACE(k)] = begin + k < n ? in[begin + k] : IDENTITY;
	EK_BARRIER();
}

/* Returns what this work-item's numbers combine to. */
EK_FN VAL own_total(const EK_LOCAL_PTR VAL *tile)
{
	const int first = EK_LID() * ITEMS;
	VAL sum = tile[PLACE(first)];

	for (int k = 1; k < ITEMS; k++)
		sum = OP(sum, tile[PLACE(first + k)]);
	return sum;
}

/* Writes what the numbers of each tile combine to. */
EK_KERNEL(tile_totals, EK_WG)
(ek_i64 n, const EK_GLOBAL VAL *EK_RESTRICT in, EK_GLOBAL VAL *EK_RESTRICT total)
{
	EK_LOCAL VAL tile[PLACE(TILE)], scratch[EK_WG];
	VAL sum;

	tile_load(n, in, tile);
	sum = ek_op_scan(own_total(tile), scratch);
	if (EK_LID() == EK_WG - 1)
		total[EK_GROUP()] = sum;
}

/* Scans each tile. before[t] is what comes before tile t, if `some` is not 0. Reads a number of
 * `in` before it writes that of `out`, so the arrays may be the same. */
EK_KERNEL(tile_scans, EK_WG)
(ek_i64 n, int exclusive, int some, const EK_GLOBAL VAL *before, const EK_GLOBAL VAL *in,
 EK_GLOBAL VAL *out)
{
	EK_LOCAL VAL tile[PLACE(TILE)], scratch[EK_WG];
	const ek_i64 begin = EK_GROUP() * TILE;
	const int first = EK_LID() * ITEMS;
	VAL sum;

	tile_load(n, in, tile);
	ek_op_scan(own_total(tile), scratch);
	sum = EK_LID() > 0 ? scratch[EK_LID() - 1] : IDENTITY;
	if (some && EK_GROUP() > 0)
		sum = OP(before[EK_GROUP()], sum);
	for (int k = 0; k < ITEMS; k++) {
		const VAL own = tile[PLACE(first + k)], last = sum;

		sum = begin + first + k == 0 ? own : OP(sum, own);
		tile[PLACE(first + k)] = exclusive ? last : sum;
	}
	EK_BARRIER();
	for (int k = EK_LID(); k < TILE; k += EK_WG)
		if (begin + k < n)
			out[begin + k] = tile[PLACE(k)];
}
