/* SPDX-License-Identifier: BSD-3-Clause
 * Product with CSR5 (csr5.c), with OMEGA neighbouring work-items for each tile. csr5_make.cl
 * follows in the same program. Compile-time parameters: EK_WG, work-items of a group; OMEGA and
 * SIGMA, lanes and steps of a tile; WORDS, words of a descriptor for each lane; SEG_BITS, bits of
 * seg_offset (format/csr5.h); EK_LONG: if a row is in at most this many tiles, a single work-item
 * adds up its carries. */
#include "prim_body/scan.cl"
#include "prim_body/search.cl"
#define TILE      (OMEGA * SIGMA)
#define ROW_BITS  ((PTR)(sizeof(PTR) == 4 ? 0x7fffffff : 0x7fffffffffffffff))
#define ROW(tile) ((tile) & ROW_BITS)
/* Number of entries that a lane reads before it adds up their products. */
#define STEPS (SIGMA <= 16 ? SIGMA : SIGMA <= 32 ? (SIGMA + 1) / 2 : (SIGMA + 2) / 3)
/* The flags of a lane: their type, how many there are, and the two words that hold them, of which
 * the second is used if SIGMA > 32. */
#if SIGMA > 32
typedef ek_u64 csr5_flags;
#define HIGH(flags)            ((ek_u32)((flags) >> 32))
#define COUNT(flags)           (EK_POPCOUNT((ek_u32)(flags)) + EK_POPCOUNT(HIGH(flags)))
#define FLAGS_OF(word)         ((word)[0] | (csr5_flags)(word)[OMEGA] << 32)
#define FLAGS_PUT(word, flags) ((word)[0] = (ek_u32)(flags), (word)[OMEGA] = HIGH(flags))
#else
typedef ek_u32 csr5_flags;
#define COUNT(flags)           EK_POPCOUNT(flags)
#define FLAGS_OF(word)         ((word)[0] & 0xffffffffu >> (32 - SIGMA))
#define FLAGS_PUT(word, flags) ((word)[0] = (flags))
#endif

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
	sum = EK_DOWN(head, 1, OMEGA);
	sum = lane + 1 < OMEGA ? sum : (VAL)0;
	if (!EK_BALLOT(behind > 0))
		return sum;
	for (int d = 1; d < OMEGA; d *= 2) {
		const VAL next = EK_DOWN(sum, d, OMEGA);

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
EK_FN int csr5_lane(csr5_rows r, csr5_flags flags, int k, const EK_GLOBAL IDX *col_idx,
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
	csr5_flags flags = 0;
	ek_u32 offsets = 0;
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
		flags = FLAGS_OF(word);
#if WORDS > 1
		offsets = word[(WORDS - 1) * OMEGA];
#else
		offsets = word[0] >> SIGMA;
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
