/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on sliced coordinates, with one group for each slice (scoo.c). `place` tells where the
 * product of each entry goes within its tile, so that the products of a row are side by side.
 * `all_pieces` lists these pieces of rows in the order of their places. The lowest 16 bits of an
 * element tell where the piece begins in the tile, and the others which row of the slice it is in.
 * Compile-time parameters: EK_WG, work-items of a group; EACH, entries of a tile for each
 * work-item; SUMS, row sums in local memory, or 0 if they accumulate in y. */
#define TILE (EK_WG * EACH)

#if SUMS
#define SCOO_BARRIER() EK_BARRIER()
#else
#define SCOO_BARRIER() EK_BARRIER_GLOBAL()
#endif

/* Puts the products of n entries, starting with entry k, into their places in local memory. */
EK_FN void scoo_products(ek_i64 k, int n, const EK_GLOBAL unsigned short *place,
                         const EK_GLOBAL IDX *col_idx, const EK_GLOBAL VAL *val,
                         const EK_GLOBAL VAL *x, EK_LOCAL_PTR VAL *product)
{
	const int lid = EK_LID();
	IDX col[EACH];
	VAL v[EACH];
	int to[EACH];

	for (int e = 0; e < EACH; e++) {
		const int l = lid + e * EK_WG < n ? lid + e * EK_WG : 0;

		col[e] = EK_STREAM(col_idx + k + l);
		v[e] = EK_STREAM(val + k + l);
		to[e] = EK_STREAM(place + k + l);
	}
	for (int e = 0; e < EACH; e++)
		v[e] = EK_MUL(v[e], EK_LOAD(x + col[e]));
	for (int e = 0; e < EACH; e++)
		if (lid + e * EK_WG < n)
			product[to[e]] = v[e];
}

EK_KERNEL(scoo, EK_WG)
(ek_i64 rows, int height, const EK_GLOBAL PTR *EK_RESTRICT slice_ptr,
 const EK_GLOBAL ek_i64 *EK_RESTRICT slice_tile, const EK_GLOBAL ek_i64 *EK_RESTRICT tile_piece,
 const EK_GLOBAL ek_u32 *EK_RESTRICT all_pieces, const EK_GLOBAL unsigned short *EK_RESTRICT place,
 const EK_GLOBAL IDX *EK_RESTRICT col_idx, const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha,
 const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta, EK_GLOBAL VAL *y)
{
	EK_LOCAL VAL product[TILE];
#if SUMS
	EK_LOCAL VAL sum[SUMS];
#endif
	const int lid = EK_LID();
	const ek_i64 slice = EK_GROUP(), first = slice * height, end = slice_ptr[slice + 1];
	const int in_slice = rows - first < height ? (int)(rows - first) : height;
	ek_i64 tile = slice_tile[slice];

	y += first;
	for (int i = lid; i < in_slice; i += EK_WG)
#if SUMS
		sum[i] = 0;
#else
		ek_scale(beta, y + i);
#endif
	SCOO_BARRIER();
	for (ek_i64 k = slice_ptr[slice]; k < end; k += TILE, tile++) {
		const int n = end - k < TILE ? (int)(end - k) : TILE;
		const EK_GLOBAL ek_u32 *piece = all_pieces + tile_piece[tile];
		const int pieces = (int)(tile_piece[tile + 1] - tile_piece[tile]);

		scoo_products(k, n, place, col_idx, val, x, product);
		EK_BARRIER();
		for (int p = lid; p < pieces; p += EK_WG) {
			const int at = (int)(piece[p] & 0xffff);
			const int stop = p + 1 < pieces ? (int)(piece[p + 1] & 0xffff) : n;
			VAL s = product[at];

			for (int l = at + 1; l < stop; l++)
				s += product[l];
			product[at] = s;
		}
		EK_BARRIER();
		for (int p = lid; p < pieces; p += EK_WG) {
			const ek_u32 row = piece[p] >> 16;

			if (p == 0 || piece[p - 1] >> 16 != row) { /* the row's first piece */
				VAL s = product[piece[p] & 0xffff];

				for (int q = p + 1; q < pieces && piece[q] >> 16 == row; q++)
					s += product[piece[q] & 0xffff];
#if SUMS
				sum[row] += s;
#else
				y[row] += EK_MUL(alpha, s);
#endif
			}
		}
		SCOO_BARRIER(); /* the next tile overwrites this one, and may have the same rows */
	}
#if SUMS
	for (int i = lid; i < in_slice; i += EK_WG)
		ek_finish(sum[i], alpha, beta, y + i);
#endif
}
