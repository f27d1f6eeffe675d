/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels for CSR5: the product (csr5.c), with OMEGA neighbouring work-items for each tile, and the
 * conversion from CSR (csr5_make.c), which gives the same arrays as the conversion on the processor
 * (format/csr5.c). Compile-time parameters: EK_WG, work-items of a group; OMEGA and SIGMA, lanes
 * and steps of a tile; WORDS, words of a descriptor for each lane; SEG_BITS, bits of seg_offset
 * (format/csr5.h); EK_LONG: if a row is in at most this many tiles, a single work-item adds up its
 * carries. */
#include "prim_body/scan.cl"
#include "prim_body/search.cl"
#define TILE      (OMEGA * SIGMA)
#define ROW_BITS  ((PTR)(sizeof(PTR) == 4 ? 0x7fffffff : 0x7fffffffffffffff))
#define ROW(tile) ((tile) & ROW_BITS)
/* Number of entries that a lane reads before it adds up their products. */
#define STEPS (SIGMA <= 16 ? SIGMA : (SIGMA + 1) / 2)

/* The data needed to finish the rows of one tile. */
typedef struct csr5_rows {
	VAL alpha, beta;
	EK_GLOBAL VAL *y;           /* entry of y for the tile's first row */
	const EK_GLOBAL IDX *place; /* distance of each row from the first; NULL: consecutive */
	EK_GLOBAL VAL *carry;       /* gets the sum of a first row that began earlier, or NULL */
} csr5_rows;

/* Stores the sum of row k of a tile, counting only the rows that have entries in the tile. */
EK_FN void csr5_row(csr5_rows r, int k, VAL sum)
{
	if (k == 0 && r.carry)
		*r.carry = sum;
	else
		ek_finish(sum, r.alpha, r.beta, r.y + (r.place ? (ek_i64)r.place[k] : k));
}

/* Returns the sum of the heads of lanes `lane` + 1 to `lane` + 1 + `behind`. The head of a lane is
 * the sum of its products before its first flag. In steps d = 1, 2, 4, ... each lane adds the sum
 * of the lane that is d places after it, but only if d <= behind. Contains barriers. */
EK_FN VAL csr5_join(VAL head, int lane, int behind, EK_LOCAL_PTR VAL *scratch)
{
	VAL sum;
#if OMEGA <= EK_WARP
	sum = __shfl_down_sync(0xffffffffu, head, 1, OMEGA);
	sum = lane + 1 < OMEGA ? sum : (VAL)0;
	if (!__any_sync(0xffffffffu, behind > 0))
		return sum;
	for (int d = 1; d < OMEGA; d *= 2) {
		const VAL next = __shfl_down_sync(0xffffffffu, sum, d, OMEGA);

		if (d <= behind)
			sum += next;
	}
#else
	const int lid = EK_LID();

	scratch[lid] = head;
	EK_BARRIER();
	sum = lane + 1 < OMEGA ? scratch[lid + 1] : (VAL)0;
	for (int d = 1; d < OMEGA; d *= 2) {
		EK_BARRIER();
		scratch[lid] = sum;
		EK_BARRIER();
		if (d <= behind)
			sum += scratch[lid + d];
	}
#endif
	return sum;
}

/* Multiplies the entries after the last whole tile, with `lanes` work-items for each of the `rows`
 * rows that have such entries. `rest` has the numbers of these rows, then the position of each
 * row's first entry, then the end of the last row. These positions count from the first entry after
 * the tiles. */
EK_FN void csr5_rest(const EK_GLOBAL ek_i64 *rest, int rows, int lanes,
                     const EK_GLOBAL IDX *col_idx, const EK_GLOBAL VAL *val, csr5_rows r,
                     const EK_GLOBAL VAL *x, EK_LOCAL_PTR VAL *scratch)
{
	const int lane = EK_LID() % lanes;

	for (int begin = 0; begin < rows; begin += EK_WG / lanes) {
		const int k = begin + EK_LID() / lanes;
		VAL sum = 0;

		if (k < rows) {
			const int end = (int)rest[rows + k + 1];

			for (int p = (int)rest[rows + k] + lane; p < end; p += lanes)
				sum += EK_MUL(val[p], x[col_idx[p]]);
		}
		sum = ek_lanes_sum(sum, lanes, scratch);
		if (k < rows && lane == 0) {
			if (k == 0 && r.carry)
				*r.carry = sum;
			else
				ek_finish(sum, r.alpha, r.beta, r.y + rest[k]);
		}
	}
}

/* Adds up the products of a lane, whose entries are OMEGA apart, and finishes the rows that begin
 * and end in the lane. The first row that begins in the lane is row k of the tile. Sets *head to
 * the sum before the first flag, and *sum to the sum from the last flag on; *sum must be 0 at the
 * call. Returns 1 + the number of the row that *sum belongs to, or k if the lane has no flag. */
EK_FN int csr5_lane(csr5_rows r, ek_u32 flags, int k, const EK_GLOBAL IDX *col_idx,
                    const EK_GLOBAL VAL *val, const EK_GLOBAL VAL *x, VAL *head, VAL *sum)
{
	const int first = k;

#pragma unroll 1
	for (int step = 0; step < SIGMA; step += STEPS) {
		VAL product[STEPS];

#pragma unroll
		for (int j = 0; j < STEPS; j++)
			if (step + j < SIGMA)
				product[j] = EK_MUL(val[(step + j) * OMEGA],
				                    x[col_idx[(step + j) * OMEGA]]);
#pragma unroll
		for (int j = 0; j < STEPS; j++)
			if (step + j < SIGMA) {
				if (flags >> (step + j) & 1) {
					if (k > first)
						csr5_row(r, k - 1, *sum);
					else
						*head = *sum;
					k++;
					*sum = 0;
				}
				*sum += product[j];
			}
	}
	if (k == first)
		*head = *sum;
	return k;
}

/* Multiplies the whole tiles. If there are entries after the tiles (rest_rows > 0), the first group
 * multiplies these entries. span[t] is 0 if a row begins at the first entry of tile t. */
EK_KERNEL(csr5, EK_WG)
(ek_i64 tiles, const EK_GLOBAL PTR *EK_RESTRICT tile_ptr, const EK_GLOBAL ek_u32 *EK_RESTRICT desc,
 const EK_GLOBAL PTR *EK_RESTRICT empty_ptr, const EK_GLOBAL IDX *EK_RESTRICT empty_offset,
 const EK_GLOBAL IDX *EK_RESTRICT col_idx, const EK_GLOBAL VAL *EK_RESTRICT val,
 const EK_GLOBAL PTR *EK_RESTRICT span, const EK_GLOBAL ek_i64 *EK_RESTRICT rest, int rest_rows,
 int rest_lanes, VAL alpha, const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta, EK_GLOBAL VAL *y,
 EK_GLOBAL VAL *EK_RESTRICT carry)
{
	EK_LOCAL VAL scratch[OMEGA <= EK_WARP ? EK_WG / EK_WARP : EK_WG];
	const int lane = EK_LID() % OMEGA;
	const ek_i64 t = (EK_GROUP() - (rest_rows > 0)) * (EK_WG / OMEGA) + EK_LID() / OMEGA;
	csr5_rows r = {alpha, beta, y, 0, 0};
	ek_u32 flags = 0, offsets = 0;
	VAL sum = 0, head = 0;
	int first = 0, k = 0;

	if (rest_rows > 0 && EK_GROUP() == 0) {
		r.carry = span[tiles] != 0 ? carry + tiles : 0;
		csr5_rest(rest, rest_rows, rest_lanes, col_idx + tiles * TILE, val + tiles * TILE,
		          r, x, scratch);
		return;
	}
	if (t < tiles) {
		const EK_GLOBAL ek_u32 *word = desc + t * (WORDS * OMEGA) + lane;
		const PTR row = tile_ptr[t];

		r.carry = span[t] != 0 ? carry + t : 0;
		r.y = y + ROW(row);
		if (row < 0)
			r.place = empty_offset + empty_ptr[t];
		flags = word[0];
#if WORDS == 2
		offsets = word[OMEGA];
#else
		offsets = flags >> SIGMA;
		flags &= 0xffffffffu >> (32 - SIGMA);
#endif
		first = (int)(offsets >> SEG_BITS);
		k = csr5_lane(r, flags, first, col_idx + t * TILE + lane, val + t * TILE + lane, x,
		              &head, &sum);
	}
	head = csr5_join(head, lane, (int)(offsets & ((1u << SEG_BITS) - 1)), scratch);
	if (k > first)
		csr5_row(r, k - 1, sum + head);
}

/* ---- Carries and empty rows ------------------------------------------------------------------ */

/* Adds the carries to the rows that span several tiles: each row gets the carries of all of its
 * tiles except the first. Also scales y in the rows without entries. The first `longs` groups each
 * handle one row that spans many tiles; `longer` lists these rows. The next groups have a work-item
 * for each of `parts` tiles. The last groups have a work-item for each of `empty_rows` rows;
 * `empty_rows` is either 0 or the number of all rows. csr5_spans fills `span` and `longer`. */
EK_KERNEL(csr5_calibrate, EK_WG)
(ek_i64 tiles, ek_i64 parts, ek_i64 longs, ek_i64 empty_rows, ek_i64 rest_row,
 const EK_GLOBAL PTR *EK_RESTRICT row_ptr, const EK_GLOBAL PTR *EK_RESTRICT tile_ptr,
 const EK_GLOBAL PTR *EK_RESTRICT span, const EK_GLOBAL ek_i64 *EK_RESTRICT longer,
 const EK_GLOBAL VAL *EK_RESTRICT carry, VAL alpha, VAL beta, EK_GLOBAL VAL *y)
{
	EK_LOCAL VAL scratch[EK_WG];
	const int lid = EK_LID();
	const ek_i64 group = EK_GROUP() - longs, groups = (parts + EK_WG - 1) / EK_WG;
	ek_i64 t = group * EK_WG + lid;
	VAL sum = 0;
	PTR n = 0;

	if (group >= groups) {
		t -= groups * EK_WG;
		if (t < empty_rows && row_ptr[t] == row_ptr[t + 1])
			ek_scale(beta, y + t);
		return;
	}
	if (group < 0) {
		t = longer[EK_GROUP()];
		n = span[t];
		for (PTR k = lid; k < n; k += EK_WG)
			sum += carry[t + k];
		sum = ek_lanes_sum(sum, EK_WG, scratch);
		n = lid == 0;
	} else if (t < parts) {
		n = span[t] > EK_LONG ? 0 : span[t];
		for (int k = 0; k < (int)n; k++)
			sum += carry[t + k];
	}
	if (n > 0)
		y[t < tiles ? (ek_i64)ROW(tile_ptr[t]) : rest_row] += EK_MUL(alpha, sum);
}

/* ---- Conversion ------------------------------------------------------------------------------ */

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
	EK_LOCAL ek_u32 all[EK_WG];
	EK_LOCAL int gap[EK_WG];
	const int lid = EK_LID(), lane = lid % OMEGA, lanes = lid - lane;
	const ek_i64 t = EK_GROUP() * (EK_WG / OMEGA) + lid / OMEGA;
	const ek_i64 begin = t * TILE + lane * SIGMA;
	ek_u32 flags = 0, y_offset = 0, seg_offset = 0;
	PTR row = 0;
	int empty = 0;

	if (t < tiles) {
		row = tile_ptr[t];
		flags = lane == 0; /* flag of the tile's first entry; the search skips its row */
		for (ek_i64 i = ek_upper_bound(row_ptr, row, rows, begin - (lane > 0)), next;
		     i < rows && row_ptr[i] < begin + SIGMA; i = next) {
			flags |= 1u << (int)(row_ptr[i] - begin);
			next = csr5_next(row_ptr, rows, i);
			empty |= next > i + 1;
		}
	}
	all[lid] = flags;
	gap[lid] = empty;
	EK_BARRIER_GLOBAL(); /* now all lanes have read tile_ptr[t], which is written below */
	for (int l = 0; l < lane; l++)
		y_offset += (ek_u32)EK_POPCOUNT(all[lanes + l]);
	while (lane + 1 + (int)seg_offset < OMEGA && all[lid + 1 + (int)seg_offset] == 0)
		seg_offset++;
	if (t >= tiles)
		return;
	desc += t * (WORDS * OMEGA) + lane;
#if WORDS == 2
	desc[0] = flags;
	desc[OMEGA] = seg_offset | y_offset << SEG_BITS;
#else
	desc[0] = flags | (seg_offset | y_offset << SEG_BITS) << SIGMA;
#endif
	if (lane == OMEGA - 1) {
		for (int l = 0; l < OMEGA; l++)
			empty |= gap[lanes + l];
		tile_ptr[t] = empty ? row | ~ROW_BITS : row;
		count[t] = empty ? (PTR)(y_offset + (ek_u32)EK_POPCOUNT(flags)) : 0;
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
