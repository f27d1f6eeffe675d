/* SPDX-License-Identifier: BSD-3-Clause
 * Conversion from CSR to CSR5 (csr5_make.c), which gives the same arrays as the conversion on the
 * processor (format/csr5.c), and what the product needs besides. Follows csr5.cl, which explains
 * the compile-time parameters. */
/* Returns 1 + the number of the first row from row i on that has entries, or `rows` if there is
 * none. */
EK_FN ek_i64 csr5_next(const EK_GLOBAL PTR *row_ptr, ek_i64 rows, ek_i64 i)
{
	return row_ptr[i + 1] > row_ptr[i] ? i + 1
	                                   : ek_upper_bound(row_ptr, i + 1, rows, row_ptr[i]);
}

/* Finds, for each tile, the row of its first entry. */
EK_KERNEL(csr5_first_rows, EK_WG)
(ek_i64 tiles, ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT row_ptr, EK_GLOBAL PTR *tile_ptr)
{
	const ek_i64 t = EK_GROUP() * EK_WG + EK_LID();

	if (t < tiles)
		tile_ptr[t] = (PTR)(ek_upper_bound(row_ptr, 0, rows, t * TILE) - 1);
}

/* Makes the descriptors, with a work-item for each lane of each tile. The work-item flags the rows
 * that begin in its lane, and counts flags of the tile to find y_offset and seg_offset. If a row in
 * tile t is empty, the highest bit of tile_ptr[t] is set, and count[t] becomes the number of rows
 * with entries in the tile. Otherwise count[t] becomes 0. */
EK_KERNEL(csr5_describe, EK_WG)
(ek_i64 tiles, ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT row_ptr, EK_GLOBAL PTR *tile_ptr,
 EK_GLOBAL ek_u32 *desc, EK_GLOBAL PTR *count)
{
	EK_LOCAL csr5_flags all[EK_WG];
	EK_LOCAL int gap[EK_WG];
	EK_LOCAL ek_i64 scratch[EK_WG];
	const int lid = EK_LID(), lane = lid % OMEGA, lanes = lid - lane;
	const ek_i64 t = EK_GROUP() * (EK_WG / OMEGA) + lid / OMEGA;
	const ek_i64 begin = t * TILE + lane * SIGMA;
	csr5_flags flags = 0;
	ek_u32 y_offset = 0, seg_offset = 0;
	PTR row = 0;
	int empty = 0;

	if (t < tiles) {
		row = tile_ptr[t];
		flags = lane == 0; /* flag of the tile's first entry; the search skips its row */
		for (ek_i64 i = ek_upper_bound(row_ptr, row, rows, begin - (lane > 0)), next;
		     i < rows && row_ptr[i] < begin + SIGMA; i = next) {
			flags |= (csr5_flags)1 << (int)(row_ptr[i] - begin);
			next = csr5_next(row_ptr, rows, i);
			empty |= next > i + 1;
		}
	}
	all[lid] = flags;
	gap[lid] = empty;
	EK_BARRIER_GLOBAL(); /* now all lanes have read tile_ptr[t], which is written below */
	y_offset = (ek_u32)(ek_scan_before(COUNT(flags), scratch) -
	                    (lanes > 0 ? scratch[lanes - 1] : 0));
	while (lane + 1 + (int)seg_offset < OMEGA && all[lid + 1 + (int)seg_offset] == 0)
		seg_offset++;
	if (t >= tiles)
		return;
	desc += t * (WORDS * OMEGA) + lane;
#if WORDS > 1
	FLAGS_PUT(desc, flags);
	desc[(WORDS - 1) * OMEGA] = seg_offset | y_offset << SEG_BITS;
#else
	desc[0] = flags | (seg_offset | y_offset << SEG_BITS) << SIGMA;
#endif
	if (lane == OMEGA - 1) {
		for (int l = 0; l < OMEGA; l++)
			empty |= gap[lanes + l];
		tile_ptr[t] = empty ? row | ~ROW_BITS : row;
		count[t] = empty ? (PTR)(y_offset + (ek_u32)COUNT(flags)) : 0;
	}
}

/* Replaces count[0 .. n - 1] by exclusive prefix sums; sets count[n] and *found to the sum of all.
 * Launched with one group. */
EK_KERNEL(csr5_scan, EK_WG)(ek_i64 n, EK_GLOBAL PTR *count, EK_GLOBAL ek_i64 *found)
{
	EK_LOCAL ek_i64 scratch[EK_WG];
	const ek_i64 each = (n + EK_WG - 1) / EK_WG, begin = EK_LID() * each;
	const ek_i64 end = begin + each < n ? begin + each : n;
	ek_i64 sum = 0;

	for (ek_i64 k = begin; k < end; k++)
		sum += count[k];
	sum = ek_scan_before(sum, scratch);
	for (ek_i64 k = begin; k < end; k++) {
		const PTR own = count[k];

		count[k] = (PTR)sum;
		sum += own;
	}
	if (EK_LID() == EK_WG - 1) {
		count[n] = (PTR)sum;
		*found = sum;
	}
}

/* Fills empty_offset: for each tile in which some rows are empty, stores the distances from the
 * tile's first row to each row that has entries in the tile. */
EK_KERNEL(csr5_places, EK_WG)
(ek_i64 tiles, ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT row_ptr,
 const EK_GLOBAL PTR *EK_RESTRICT tile_ptr, const EK_GLOBAL ek_u32 *EK_RESTRICT desc,
 const EK_GLOBAL PTR *EK_RESTRICT empty_ptr, EK_GLOBAL IDX *empty_offset)
{
	const int lane = EK_LID() % OMEGA;
	const ek_i64 t = EK_GROUP() * (EK_WG / OMEGA) + EK_LID() / OMEGA;
	const ek_i64 begin = t * TILE + lane * SIGMA;

	if (t >= tiles || empty_ptr[t] == empty_ptr[t + 1])
		return;
	const PTR row = ROW(tile_ptr[t]);
	ek_u32 offsets = desc[t * (WORDS * OMEGA) + (WORDS - 1) * OMEGA + lane];
#if WORDS == 1
	offsets >>= SIGMA;
#endif
	empty_offset += empty_ptr[t] + (PTR)(offsets >> SEG_BITS);
	if (lane == 0)
		*empty_offset++ = 0;
	for (ek_i64 i = ek_upper_bound(row_ptr, row, rows, begin - (lane > 0));
	     i < rows && row_ptr[i] < begin + SIGMA;) {
		i = csr5_next(row_ptr, rows, i);
		*empty_offset++ = (IDX)(i - 1 - row);
	}
}

/* Defines a kernel that copies column indices or values from the order of CSR to that of tiles. */
#define CSR5_TRANSPOSE(name, TYPE)                                                             \
	EK_KERNEL(name, EK_WG)                                                                 \
	(ek_i64 nnz, const EK_GLOBAL TYPE *EK_RESTRICT from, EK_GLOBAL TYPE *EK_RESTRICT to)   \
	{                                                                                      \
		const ek_i64 k = EK_GROUP() * EK_WG + EK_LID(), first = k / TILE * TILE;       \
		const int p = (int)(k - first);                                                \
                                                                                               \
		if (k < nnz)                                                                   \
			to[k] = from[first + TILE <= nnz                                       \
			                     ? first + p % OMEGA * SIGMA + p / OMEGA           \
			                     : k];                                             \
	}
CSR5_TRANSPOSE(csr5_transpose_col, IDX)
CSR5_TRANSPOSE(csr5_transpose_val, VAL)

/* ---- Data that the product needs in addition to the format ----------------------------------- */

/* Computes span[t] for each of `parts` tiles; the entries after the whole tiles count as one more
 * tile. span[t] is 0 if a row begins with tile t. Otherwise the first row of tile t began in an
 * earlier tile. If it began in tile t - 1, span[t] is the number of tiles, from tile t on, in which
 * the row continues; if it began before tile t - 1, span[t] is -1. Tiles with span[t] > EK_LONG are
 * listed in `longer`, in any order, and found[0] counts them. */
EK_KERNEL(csr5_spans, EK_WG)
(ek_i64 tiles, ek_i64 parts, ek_i64 rest_row, const EK_GLOBAL PTR *EK_RESTRICT row_ptr,
 const EK_GLOBAL PTR *EK_RESTRICT tile_ptr, EK_GLOBAL PTR *span, EK_GLOBAL ek_i64 *longer,
 EK_GLOBAL int *found)
{
	const ek_i64 t = EK_GROUP() * EK_WG + EK_LID();

	if (t >= parts)
		return;
	const ek_i64 row = t < tiles ? (ek_i64)ROW(tile_ptr[t]) : rest_row;
	PTR n = 0;

	if (row_ptr[row] < t * TILE)
		n = row_ptr[row] < (t - 1) * TILE
		            ? (PTR)-1
		            : (PTR)((row_ptr[row + 1] - 1) / TILE - t + 1);
	span[t] = n;
	if (n > EK_LONG)
		longer[EK_ATOMIC_ADD(found, 1)] = t;
}

/* Sets found[1] to 1 if a row has no entries. */
EK_KERNEL(csr5_find_empty, EK_WG)
(ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT row_ptr, EK_GLOBAL int *found)
{
	const ek_i64 i = EK_GROUP() * EK_WG + EK_LID();

	if (i < rows && row_ptr[i] == row_ptr[i + 1] && EK_ATOMIC_READ(found + 1) == 0)
		EK_ATOMIC_SET(found + 1, 1);
}
