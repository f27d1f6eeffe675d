/* SPDX-License-Identifier: BSD-3-Clause
 * CSR5: the product (csr5.c), OMEGA neighbouring work-items for a tile, and the conversion
 * (csr5_make.c), which gives the same arrays as that of the processor (format/csr5.c).
 * Parameters: EK_WG, OMEGA, SIGMA; WORDS of a descriptor for each lane, and SEG_BITS, those of
 * seg_offset (format/csr5.h); EK_LONG: rows with parts in more tiles are added up by groups. */
#define TILE      (OMEGA * SIGMA)
#define ROW_BITS  ((PTR)(sizeof(PTR) == 4 ? 0x7fffffff : 0x7fffffffffffffff))
#define ROW(tile) ((tile) & ROW_BITS)
/* Steps whose entries are read before they are added. */
#define STEPS (SIGMA <= 16 ? SIGMA : (SIGMA + 1) / 2)

/* What the rows of one tile are finished with. */
typedef struct csr5_rows {
	VAL alpha, beta;
	EK_GLOBAL VAL *y;           /* of the tile's first row */
	const EK_GLOBAL IDX *place; /* how far rows are from the first; 0: one after the other */
	EK_GLOBAL VAL *carry;       /* takes the first row, which began in a tile before, or 0 */
} csr5_rows;

/* The sum of row k of those that have entries in the tile. */
EK_FN void csr5_row(csr5_rows r, int k, VAL sum)
{
	if (k == 0 && r.carry)
		*r.carry = sum;
	else
		ek_finish(sum, r.alpha, r.beta, r.y + (r.place ? (ek_i64)r.place[k] : k));
}

/* What the `behind` + 1 lanes behind this one have before their first flag, `head`. A sum over 1,
 * 2, 4, ... lanes is added only where all of them count. Barrier. */
EK_FN VAL csr5_join(VAL head, int lane, int behind, EK_LOCAL_PTR VAL *room)
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

	room[lid] = head;
	EK_BARRIER();
	sum = lane + 1 < OMEGA ? room[lid + 1] : (VAL)0;
	for (int d = 1; d < OMEGA; d *= 2) {
		EK_BARRIER();
		room[lid] = sum;
		EK_BARRIER();
		if (d <= behind)
			sum += room[lid + d];
	}
#endif
	return sum;
}

/* The entries behind the last whole tile: `lanes` work-items for each of the `rows` rows that have
 * some. rest: these rows, then where their entries begin and, last, end, counted from `first`. */
EK_FN void csr5_rest(const EK_GLOBAL ek_i64 *rest, int rows, int lanes,
                     const EK_GLOBAL IDX *col_idx, const EK_GLOBAL VAL *val, csr5_rows r,
                     const EK_GLOBAL VAL *x, EK_LOCAL_PTR VAL *room)
{
	const int lane = EK_LID() % lanes;

	for (int begin = 0; begin < rows; begin += EK_WG / lanes) {
		const int k = begin + EK_LID() / lanes;
		VAL sum = 0;

		if (k < rows) {
			const int end = (int)rest[rows + k + 1];

			for (int p = (int)rest[rows + k] + lane; p < end; p += lanes)
				sum += val[p] * x[col_idx[p]];
		}
		sum = ek_lanes_sum(sum, lanes, room);
		if (k < rows && lane == 0) {
			if (k == 0 && r.carry)
				*r.carry = sum;
			else
				ek_finish(sum, r.alpha, r.beta, r.y + rest[k]);
		}
	}
}

/* Adds up the entries of a lane, OMEGA apart, and finishes the rows that begin and end there; row
 * k is the first of them. *head: what is before the first flag; *sum (0 before): behind the last.
 * Gives the row of *sum, plus 1; k if the lane has no flag. */
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
				product[j] = val[(step + j) * OMEGA] *
				             x[col_idx[(step + j) * OMEGA]];
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

/* Whole tiles, and what is behind them, if any (rest_rows > 0), by the first group. span[t]: 0 if
 * tile t begins with a row of its own. */
EK_KERNEL(csr5, EK_WG)
(ek_i64 tiles, const EK_GLOBAL PTR *EK_RESTRICT tile_ptr, const EK_GLOBAL ek_u32 *EK_RESTRICT desc,
 const EK_GLOBAL PTR *EK_RESTRICT empty_ptr, const EK_GLOBAL IDX *EK_RESTRICT empty_offset,
 const EK_GLOBAL IDX *EK_RESTRICT col_idx, const EK_GLOBAL VAL *EK_RESTRICT val,
 const EK_GLOBAL PTR *EK_RESTRICT span, const EK_GLOBAL ek_i64 *EK_RESTRICT rest, int rest_rows,
 int rest_lanes, VAL alpha, const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta, EK_GLOBAL VAL *y,
 EK_GLOBAL VAL *EK_RESTRICT carry)
{
	EK_LOCAL VAL room[OMEGA <= EK_WARP ? EK_WG / EK_WARP : EK_WG];
	const int lane = EK_LID() % OMEGA;
	const ek_i64 t = (EK_GROUP() - (rest_rows > 0)) * (EK_WG / OMEGA) + EK_LID() / OMEGA;
	csr5_rows r = {alpha, beta, y, 0, 0};
	ek_u32 flags = 0, offsets = 0;
	VAL sum = 0, head = 0;
	int first = 0, k = 0;

	if (rest_rows > 0 && EK_GROUP() == 0) {
		r.carry = span[tiles] != 0 ? carry + tiles : 0;
		csr5_rest(rest, rest_rows, rest_lanes, col_idx + tiles * TILE, val + tiles * TILE,
		          r, x, room);
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
	head = csr5_join(head, lane, (int)(offsets & ((1u << SEG_BITS) - 1)), room);
	if (k > first)
		csr5_row(r, k - 1, sum + head);
}

/* ---- What tiles leave over ------------------------------------------------------------------- */

/* Adds to rows that go on over several tiles what those behind the first have of them, and does the
 * rows without entries. Groups: one for each of the `longs` rows that go on over many tiles, named
 * by `longer`; then a work-item for each of `parts` tiles; then one for each of `empty_rows` rows
 * (0, or all). span and longer: see csr5_spans. */
EK_KERNEL(csr5_calibrate, EK_WG)
(ek_i64 tiles, ek_i64 parts, ek_i64 longs, ek_i64 empty_rows, ek_i64 rest_row,
 const EK_GLOBAL PTR *EK_RESTRICT row_ptr, const EK_GLOBAL PTR *EK_RESTRICT tile_ptr,
 const EK_GLOBAL PTR *EK_RESTRICT span, const EK_GLOBAL ek_i64 *EK_RESTRICT longer,
 const EK_GLOBAL VAL *EK_RESTRICT carry, VAL alpha, VAL beta, EK_GLOBAL VAL *y)
{
	EK_LOCAL VAL room[EK_WG];
	const int lid = EK_LID();
	const ek_i64 group = EK_GROUP() - longs, groups = (parts + EK_WG - 1) / EK_WG;
	ek_i64 t = group * EK_WG + lid;
	VAL sum = 0;
	PTR n = 0;

	if (group >= groups) {
		t -= groups * EK_WG;
		if (t < empty_rows && row_ptr[t] == row_ptr[t + 1])
			y[t] = beta == 0 ? (VAL)0 : beta * y[t];
		return;
	}
	if (group < 0) {
		t = longer[EK_GROUP()];
		n = span[t];
		for (PTR k = lid; k < n; k += EK_WG)
			sum += carry[t + k];
		sum = ek_lanes_sum(sum, EK_WG, room);
		n = lid == 0;
	} else if (t < parts) {
		n = span[t] > EK_LONG ? 0 : span[t];
		for (int k = 0; k < (int)n; k++)
			sum += carry[t + k];
	}
	if (n > 0)
		y[t < tiles ? (ek_i64)ROW(tile_ptr[t]) : rest_row] += alpha * sum;
}

/* ---- Conversion ------------------------------------------------------------------------------ */

/* The first of the rows [low, high) that begins behind entry k, or high. */
EK_FN ek_i64 csr5_behind(const EK_GLOBAL PTR *row_ptr, ek_i64 low, ek_i64 high, ek_i64 k)
{
	while (low < high) {
		const ek_i64 middle = low + (high - low) / 2;

		if (row_ptr[middle] <= k)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The row behind that in which the first entry of row i lies. */
EK_FN ek_i64 csr5_next(const EK_GLOBAL PTR *row_ptr, ek_i64 rows, ek_i64 i)
{
	return row_ptr[i + 1] > row_ptr[i] ? i + 1 : csr5_behind(row_ptr, i + 1, rows, row_ptr[i]);
}

/* The rows in which tiles begin. */
EK_KERNEL(csr5_first_rows, EK_WG)
(ek_i64 tiles, ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT row_ptr, EK_GLOBAL PTR *tile_ptr)
{
	const ek_i64 t = EK_GROUP() * EK_WG + EK_LID();

	if (t < tiles)
		tile_ptr[t] = (PTR)(csr5_behind(row_ptr, 0, rows, t * TILE) - 1);
}

/* A work-item for each lane of each tile finds the rows that begin in the lane; offsets are counted
 * over the flags of the tile. Sets the highest bit of tile_ptr, and count: how many rows have
 * entries in the tile, or 0 if none is empty in it. */
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
		flags = lane == 0; /* and the row to which that entry belongs is no longer sought */
		for (ek_i64 i = csr5_behind(row_ptr, row, rows, begin - (lane > 0)), next;
		     i < rows && row_ptr[i] < begin + SIGMA; i = next) {
			flags |= 1u << (int)(row_ptr[i] - begin);
			next = csr5_next(row_ptr, rows, i);
			empty |= next > i + 1;
		}
	}
	all[lid] = flags;
	gap[lid] = empty;
	EK_BARRIER_GLOBAL(); /* tile_ptr[t] was read, and is written below */
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

/* One group: count[0 .. n - 1] become the sums of those before; count[n] and *found that of all. */
EK_KERNEL(csr5_scan, EK_WG)(ek_i64 n, EK_GLOBAL PTR *count, EK_GLOBAL ek_i64 *found)
{
	EK_LOCAL PTR part[EK_WG];
	const ek_i64 each = (n + EK_WG - 1) / EK_WG, begin = EK_LID() * each;
	const ek_i64 end = begin + each < n ? begin + each : n;
	PTR sum = 0;

	for (ek_i64 k = begin; k < end; k++)
		sum += count[k];
	part[EK_LID()] = sum;
	EK_BARRIER();
	sum = 0;
	for (int k = 0; k < EK_LID(); k++)
		sum += part[k];
	for (ek_i64 k = begin; k < end; k++) {
		const PTR own = count[k];

		count[k] = sum;
		sum += own;
	}
	if (EK_LID() == EK_WG - 1)
		*found = count[n] = sum;
}

/* How far the rows with entries in a tile are from its first row, where rows are empty. */
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
	for (ek_i64 i = csr5_behind(row_ptr, row, rows, begin - (lane > 0));
	     i < rows && row_ptr[i] < begin + SIGMA;) {
		i = csr5_next(row_ptr, rows, i);
		*empty_offset++ = (IDX)(i - 1 - row);
	}
}

/* Entries from the order of CSR to that of tiles. */
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

/* ---- What the product needs beside the format ------------------------------------------------ */

/* span[t] for `parts` tiles, what is behind the whole ones counted as one: 0 if a row begins with
 * the tile. Else its first row goes on from tiles before: if it began in the last of them, the
 * number of tiles, this one counted, in which it goes on; if not, -1. Tiles with numbers above
 * EK_LONG go to `longer`, in any order, and found[0] counts them. */
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

/* found[1] = 1 if a row has no entries. */
EK_KERNEL(csr5_find_empty, EK_WG)
(ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT row_ptr, EK_GLOBAL int *found)
{
	const ek_i64 i = EK_GROUP() * EK_WG + EK_LID();

	if (i < rows && row_ptr[i] == row_ptr[i + 1] && EK_ATOMIC_READ(found + 1) == 0)
		EK_ATOMIC_SET(found + 1, 1);
}
