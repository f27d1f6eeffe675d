/* SPDX-License-Identifier: BSD-3-Clause
 * The segmented scan in tiles (segscan_tiles.c). Compile-time parameters: VAL, OP and IDENTITY;
 * EK_WG, work-items of a group; ITEMS, numbers of a work-item. A tile goes through local memory as
 * in scan_tiles.cl, with a mark for each entry that begins a segment. */
#include "prim_body/scan_op.cl"

#define TILE     (EK_WG * ITEMS)
#define PLACE(k) ((k) + (k) / 32)

enum { INCLUSIVE, EXCLUSIVE, LAST }; /* eki_gpu_scanned */

/* Copies the tile of this group and its marks to local memory. Has a barrier. */
EK_FN void tile_load(ek_i64 n, const EK_GLOBAL VAL *in, const EK_GLOBAL ek_u8 *flag,
                     EK_LOCAL_PTR VAL *tile, EK_LOCAL_PTR ek_u8 *mark)
{
	const ek_i64 begin = EK_GROUP() * TILE;

	for (int k = EK_LID(); k < TILE; k += EK_WG) {
		tile[PLACE(k)] = begin + k < n ? in[begin + k] : IDENTITY;
		mark[k] = begin + k < n ? begin + k == 0 || flag[begin + k] : 0;
	}
	EK_BARRIER();
}

/* Returns what this work-item's numbers combine to from the last mark on. Sets *marked to whether
 * there is a mark. */
EK_FN VAL own_open(const EK_LOCAL_PTR VAL *tile, const EK_LOCAL_PTR ek_u8 *mark, int *marked)
{
	const int first = EK_LID() * ITEMS;
	VAL sum = tile[PLACE(first)];

	*marked = mark[first];
	for (int k = 1; k < ITEMS; k++) {
		const VAL own = tile[PLACE(first + k)];

		sum = mark[first + k] ? own : OP(sum, own);
		*marked |= mark[first + k];
	}
	return sum;
}

/* Writes what the numbers of each tile combine to from its last mark on, and whether it has a mark.
 */
EK_KERNEL(tile_opens, EK_WG)
(ek_i64 n, const EK_GLOBAL VAL *EK_RESTRICT in, const EK_GLOBAL ek_u8 *EK_RESTRICT flag,
 EK_GLOBAL VAL *EK_RESTRICT open, EK_GLOBAL ek_u8 *EK_RESTRICT any)
{
	EK_LOCAL VAL tile[PLACE(TILE)], scratch[EK_WG];
	EK_LOCAL ek_u8 mark[TILE];
	EK_LOCAL int marks[EK_WG];
	int marked;
	VAL sum;

	tile_load(n, in, flag, tile, mark);
	sum = own_open(tile, mark, &marked);
	sum = ek_op_segmented_scan(sum, &marked, scratch, marks);
	if (EK_LID() == EK_WG - 1) {
		open[EK_GROUP()] = sum;
		any[EK_GROUP()] = (ek_u8)(marked != 0);
	}
}

/* Scans each tile. before[t] is what the entries up to tile t combine to from their last mark
 * on, if `some` is not 0. Reads the numbers of a tile before it writes them, so `in` and `out`
 * may be the same. */
EK_KERNEL(tile_scans, EK_WG)
(ek_i64 n, int what, int some, const EK_GLOBAL VAL *before, const EK_GLOBAL VAL *in,
 const EK_GLOBAL ek_u8 *flag, EK_GLOBAL VAL *out)
{
	EK_LOCAL VAL tile[PLACE(TILE)], scratch[EK_WG];
	EK_LOCAL ek_u8 mark[TILE];
	EK_LOCAL int marks[EK_WG];
	const ek_i64 begin = EK_GROUP() * TILE;
	const int lid = EK_LID(), first = lid * ITEMS;
	int marked;
	VAL sum;

	tile_load(n, in, flag, tile, mark);
	sum = own_open(tile, mark, &marked);
	ek_op_segmented_scan(sum, &marked, scratch, marks);
	sum = lid > 0 ? scratch[lid - 1] : IDENTITY;
	if (some && EK_GROUP() > 0 && !(lid > 0 && marks[lid - 1]))
		sum = lid > 0 ? OP(before[EK_GROUP() - 1], sum) : before[EK_GROUP() - 1];
	for (int k = 0; k < ITEMS; k++) {
		const VAL own = tile[PLACE(first + k)];
		const VAL last = mark[first + k] ? IDENTITY : sum;

		sum = mark[first + k] ? own : OP(sum, own);
		tile[PLACE(first + k)] = what == EXCLUSIVE ? last : sum;
	}
	EK_BARRIER();
	for (int k = lid; k < TILE; k += EK_WG) {
		const ek_i64 i = begin + k;
		const int ends =
			what != LAST || i + 1 >= n || (k + 1 < TILE ? mark[k + 1] : flag[i + 1]);

		if (i < n && ends)
			out[i] = tile[PLACE(k)];
	}
}
