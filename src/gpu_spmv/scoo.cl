/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on sliced coordinates, a group for each slice (scoo.c). `place` tells where the product of
 * an entry goes within its tile, so that those of a row lie side by side; `piece` has the pieces of
 * the rows of a tile in that order, where each begins and, from bit 16 on, its row in the slice.
 * Parameters: EK_WG; EACH, entries of a tile for each work-item; SUMS, row sums that local memory
 * has room for, 0: they gather in y. */
#define TILE (EK_WG * EACH)

#if SUMS
#define SCOO_BARRIER() EK_BARRIER()
#else
#define SCOO_BARRIER() EK_BARRIER_GLOBAL()
#endif

/* The products of the n entries from k on, to their places. */
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
		v[e] *= EK_LOAD(x + col[e]);
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
		y[i] = beta == 0 ? (VAL)0 : beta * y[i];
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

			if (p == 0 || piece[p - 1] >> 16 != row) { /* the first of the row */
				VAL s = product[piece[p] & 0xffff];

				for (int q = p + 1; q < pieces && piece[q] >> 16 == row; q++)
					s += product[piece[q] & 0xffff];
#if SUMS
				sum[row] += s;
#else
				y[row] += alpha * s;
#endif
			}
		}
		SCOO_BARRIER(); /* the tile may be filled anew, and rows come again */
	}
#if SUMS
	for (int i = lid; i < in_slice; i += EK_WG)
		ek_finish(sum[i], alpha, beta, y + i);
#endif
}
