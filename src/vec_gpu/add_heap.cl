/* SPDX-License-Identifier: BSD-3-Clause
 * The addition of two sparse vectors on a device by heaps (add_heap.c). Compile-time parameters:
 * those of prim_body/pairs.cl; VAL; EK_WG, work-items of a group; EACH, entries of a work-item.
 *
 * The merge path of both vectors is cut in tiles, and each tile in pieces, one for each work-item.
 * If the two entries of one index are on both sides of a cut, the one of y moves to the piece
 * before it. A tile is an entry shorter than all pieces together, so that a tile with such an entry
 * has room for it; a piece has room for one entry more. If indices do not ascend, what is written
 * is meaningless, but is within the arrays. */
#include "prim_body/pairs.cl"
#include "prim_body/scan.cl"
#include "vec_gpu/terms.cl"

#define KEY_BITS 0 /* of two entries with the same index, any may be the first */
#include "prim_body/heap_fuse.cl"

#define TILE  (EK_WG * EACH - 1)
#define PLACE(k) EK_OWN_PLACE(k)

/* Returns how many entries of x come before diagonal d of the merge path, and sets *j to the number
 * of those of y. */
EK_FN ek_i64 cut(const EK_GLOBAL KEY *x, ek_i64 xn, const EK_GLOBAL KEY *y, ek_i64 yn, ek_i64 d,
                 ek_i64 *j)
{
	const ek_i64 i = ek_merge_cut(x, xn, y, yn, d);

	*j = d - i;
	if (i > 0 && *j < yn && x[i - 1] == y[*j])
		++*j;
	return i;
}

/* Returns n, or the nearer end of 0 .. most. */
EK_FN int within(ek_i64 n, int most)
{
	return n < 0 ? 0 : n > most ? most : (int)n;
}

/* Adds the entries of each tile. The sums of group g go to its places of idx and val, which begin
 * at start[g]; their number goes to place[g]. After the last group, place has a 0. */
EK_KERNEL(add_tiles, EK_WG)
(ek_i64 xn, ek_i64 yn, const EK_GLOBAL KEY *EK_RESTRICT all_x,
 const EK_GLOBAL VAL *EK_RESTRICT x_val, VAL alpha, const EK_GLOBAL KEY *EK_RESTRICT all_y,
 const EK_GLOBAL VAL *EK_RESTRICT y_val, VAL beta,
 EK_GLOBAL ek_i64 *EK_RESTRICT start, EK_GLOBAL KEY *EK_RESTRICT place,
 EK_GLOBAL KEY *EK_RESTRICT idx, EK_GLOBAL VAL *EK_RESTRICT val)
{
	EK_LOCAL KEY all_keys[PLACE(EACH + 1)];
	EK_LOCAL VAL all_values[PLACE(EACH + 1)];
	EK_LOCAL ek_i64 scratch[EK_WG], tile_i[2], tile_j[2];
	EK_LOCAL int piece_i[EK_WG + 1], piece_j[EK_WG + 1];
	EK_LOCAL_PTR KEY *key = all_keys + EK_LID();
	EK_LOCAL_PTR VAL *value = all_values + EK_LID();
	const int lid = EK_LID();
	ek_i64 j;

	if (lid < 2) {
		const ek_i64 d = (EK_GROUP() + lid) * TILE;

		tile_i[lid] = cut(all_x, xn, all_y, yn, d < xn + yn ? d : xn + yn, &j);
		tile_j[lid] = j;
	}
	EK_BARRIER();
	/* The vectors of this tile. */
	const ek_i64 i0 = tile_i[0], j0 = tile_j[0];
	const int nx = within(tile_i[1] - i0, TILE + 1), ny = within(tile_j[1] - j0, TILE + 1 - nx);
	const EK_GLOBAL KEY *x = all_x + i0, *y = all_y + j0;

	piece_i[lid] = (int)cut(x, nx, y, ny, within(lid * EACH, nx + ny), &j);
	piece_j[lid] = (int)j;
	if (lid == 0) {
		piece_i[EK_WG] = nx;
		piece_j[EK_WG] = ny;
	}
	EK_BARRIER();
	const int i = piece_i[lid], k = piece_j[lid];
	const int px = within(piece_i[lid + 1] - i, EACH + 1),
		  n = px + within(piece_j[lid + 1] - k, EACH + 1 - px);

	for (int e = 0; e < n; e++) {
		const int of_x = e < px;
		const ek_i64 at = of_x ? i0 + i + e : j0 + k + e - px;

		key[PLACE(e)] = of_x ? all_x[at] : all_y[at];
		value[PLACE(e)] = of_x ? ek_term(alpha, x_val, at) : ek_term(beta, y_val, at);
	}
	ek_own_heap_make(key, value, n);

	const int head = ek_own_heap_fuse(key, value, n);
	const ek_i64 to = i0 + j0 + ek_scan_before(n - head, scratch);

	for (int e = head; e < n; e++) {
		idx[to + e - head] = key[PLACE(e)];
		val[to + e - head] = value[PLACE(e)];
	}
	if (lid == 0) {
		start[EK_GROUP()] = i0 + j0;
		place[EK_GROUP()] = (KEY)scratch[EK_WG - 1];
		if ((EK_GROUP() + 1) * TILE >= xn + yn)
			place[EK_GROUP() + 1] = 0;
	}
}

/* Copies the sums of each tile to z. place[g] is now the number of those of the tiles before. */
EK_KERNEL(copy_tiles, EK_WG)
(const EK_GLOBAL ek_i64 *EK_RESTRICT start, const EK_GLOBAL KEY *EK_RESTRICT place,
 const EK_GLOBAL KEY *EK_RESTRICT idx, const EK_GLOBAL VAL *EK_RESTRICT val,
 EK_GLOBAL KEY *EK_RESTRICT z_idx, EK_GLOBAL VAL *EK_RESTRICT z)
{
	const ek_i64 from = start[EK_GROUP()], to = place[EK_GROUP()];
	const int n = (int)(place[EK_GROUP() + 1] - to);

	for (int k = EK_LID(); k < n; k += EK_WG) {
		z_idx[to + k] = idx[from + k];
		z[to + k] = val[from + k];
	}
}
