/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on block coordinates (bccoo.c). An index (BCOO) or a bit (BCCOO) for each block tells its
 * block row. Compile-time parameters: EK_WG, work-items of a group; C, columns of a block; EACH,
 * blocks of a tile for each work-item (at most 31); DELTAS, how the columns of BCCOO are read:
 * as indices (0), as differences (1), as distances from a base (2), which each SEGMENT blocks have.
 * ESCAPE stands for a column that does not fit. */
#include "prim_body/scan.cl"
#define SUMS (EK_WG * EACH)

/* The work of one work-item. A piece is EACH consecutive blocks of a tile; the work-item adds up
 * row i of the blocks of one piece. Blocks have r rows, so r neighbouring work-items share a piece,
 * and work-items r apart have neighbouring pieces. If r does not divide EK_WG, the last few
 * work-items have no piece. */
typedef struct block_item {
	int r, i, piece, pieces;
} block_item;

/* The block row that is open when a tile begins. `sum` is the sum, before the tile, of the row that
 * the work-item handles (row i in block_item). `place` is the place of the block row in the list of
 * block rows. */
typedef struct block_open {
	VAL sum;
	ek_i64 place;
} block_open;

/* The destinations of sums. The block row at a place is list[place] if `listed` is not 0, else
 * `place` itself. The sums of block row `head` go to to_head, those of all others to y. */
typedef struct block_out {
	ek_i64 rows;
	const EK_GLOBAL IDX *list;
	int listed;
	ek_i64 head;
	EK_GLOBAL VAL *to_head;
	VAL alpha, beta;
	EK_GLOBAL VAL *y;
} block_out;

EK_FN block_item block_item_of(int r)
{
	block_item me;

	me.r = r;
	me.i = EK_LID() % r;
	me.piece = EK_LID() / r;
	me.pieces = EK_WG / r;
	return me;
}

/* Return the first block of the work-item's piece in a tile of n blocks (block_begin), and the
 * number of blocks of that piece (block_count). */
EK_FN int block_begin(block_item me, int n)
{
	return me.piece * EACH < n ? me.piece * EACH : n;
}
EK_FN int block_count(block_item me, int n)
{
	const int begin = block_begin(me, n);

	return n - begin < EACH ? n - begin : EACH;
}

EK_FN void block_close(const block_out *out, block_item me, ek_i64 place, VAL sum)
{
	const ek_i64 row = out->listed ? (ek_i64)EK_LOAD(out->list + place) : place;
	const ek_i64 at = row * me.r + me.i;

	if (row == out->head)
		out->to_head[me.i] = sum;
	else if (at < out->rows)
		ek_finish(sum, out->alpha, out->beta, out->y + at);
}

/* Finishes the block rows that end in a tile of n blocks. Bit k of `ends` is 1 if block k of the
 * piece is the last of its block row. If `numbered` is not 0, the list of block rows has one
 * element for each block row, else one for each block. The arrays `sums` and `counts` have 2 EK_WG
 * elements each. Contains barriers. */
EK_FN void block_tile(block_item me, int n, ek_u32 ends, int numbered,
                      const EK_LOCAL_PTR VAL *product, EK_LOCAL_PTR VAL *sums,
                      EK_LOCAL_PTR int *counts, block_open *open, const block_out *out)
{
	const int lid = EK_LID(), begin = block_begin(me, n), m = block_count(me, n);
	const int own = EK_POPCOUNT(ends), last = (me.pieces - 1) * me.r + me.i;
	const EK_LOCAL_PTR VAL *from = product + begin * me.r + me.i;
	ek_i64 place = open->place + begin;
	ek_open mine = {me.piece == 0 ? open->sum : (VAL)0, own};
	VAL sum;
	int turn;

	for (int k = 0; k < m; k++) {
		mine.sum += from[k * me.r];
		if (ends >> k & 1)
			mine.sum = 0;
	}
	mine = ek_segmented_scan_turns(mine, lid, me.r, me.r * me.pieces, EK_WG, &turn, sums,
	                               counts);
	sum = me.piece == 0 ? open->sum : sums[turn + lid - me.r];
	if (numbered)
		place = open->place + mine.marks - own;
	for (int k = 0; ends >> k; k++) {
		sum += from[k * me.r];
		if (ends >> k & 1) {
			block_close(out, me, numbered ? place : place + k, sum);
			place += numbered;
			sum = 0;
		}
	}
	open->sum = sums[turn + last];
	open->place += numbered ? counts[turn + last] : n;
	EK_BARRIER(); /* after this barrier, the caller may overwrite the tile */
}

/* ---- Products -------------------------------------------------------------------------------- */

typedef struct block_matrix {
	IDX cols;
	const EK_GLOBAL IDX *col;
	const EK_GLOBAL VAL *val;
	const EK_GLOBAL ek_u8 *mask;
	const EK_GLOBAL VAL *x;
#if DELTAS
	const EK_GLOBAL short *delta;
	const EK_GLOBAL IDX *base;
#endif
#if DELTAS == 1
	EK_LOCAL_PTR IDX *column; /* columns of the blocks of a tile */
#endif
} block_matrix;

/* Returns the column of block k of the tile that begins with block `first`. */
EK_FN IDX block_column(const block_matrix *A, ek_i64 first, int k)
{
#if DELTAS == 1
	return A->column[k];
#elif DELTAS == 2
	const int d = EK_LOAD(A->delta + first + k);

	return d == ESCAPE ? EK_LOAD(A->col + first + k)
	                   : EK_LOAD(A->base + (first + k) / SEGMENT) + (ek_u16)d;
#else
	return EK_LOAD(A->col + first + k);
#endif
}

/* Returns the product of row i of block k with x, leaving out fill. */
EK_FN VAL block_exact(const block_matrix *A, block_item me, ek_i64 k)
{
	const int places = me.r * C;
	const EK_GLOBAL ek_u8 *mask = A->mask + k * ((places + 7) / 8);
	VAL sum = 0;

	for (int j = 0; j < C; j++) {
		const int place = C >= me.r ? me.i * C + j : j * me.r + me.i;

		if (mask[place / 8] >> (place % 8) & 1)
			sum += EK_MUL(A->val[k * places + place], A->x[A->col[k] * C + j]);
	}
	return sum;
}

/* Multiplies all rows of n blocks, starting with block `first`, by x, and stores the products. All
 * loads are issued before the work-item waits for any. A load beyond the n blocks reads the last
 * block again. A load beyond the end of x, where blocks have only fill, reads the last entry of x.
 * Sums that are Inf or NaN are computed again without fill. */
EK_FN void block_products(const block_matrix *A, block_item me, ek_i64 first, int n,
                          EK_LOCAL_PTR VAL *product)
{
	const int line = C >= me.r ? me.i * C : me.i, step = C >= me.r ? 1 : me.r;
	const EK_GLOBAL VAL *val = A->val + first * (me.r * C) + line;
	VAL sum[EACH];

#pragma unroll
	for (int e = 0; e < EACH; e++) {
		const int at = e * me.pieces + me.piece, k = at < n ? at : n - 1;
		const IDX j0 = block_column(A, first, k) * C, left = A->cols - j0;
		const EK_GLOBAL VAL *v = val + k * (me.r * C), *x = A->x + j0;

		sum[e] = 0;
#pragma unroll
		for (int j = 0; j < C; j++)
			sum[e] += EK_MUL(EK_LOAD(v + j * step),
			                 EK_LOAD(x + (j < left ? j : left - 1)));
	}
#pragma unroll
	for (int e = 0; e < EACH; e++) {
		const int at = e * me.pieces + me.piece;

		if (me.piece < me.pieces && at < n) {
			if (!EK_IS_FINITE(sum[e]))
				sum[e] = block_exact(A, me, first + at);
			product[at * me.r + me.i] = sum[e];
		}
	}
}

/* ---- Kernels --------------------------------------------------------------------------------- */

/* Stores the sum of the last block row of group g as a carry. The group has blocks g * part to (g +
 * 1) * part - 1. It may share its first block row, carry[2 g], and its last, carry[2 g + 1], with
 * neighbouring groups. So the sums of these two go to places 2 g and 2 g + 1 of carry_sum. If both
 * are the same block row, place 2 g becomes 0. */
EK_FN void block_carry(block_item me, ek_i64 g, const EK_GLOBAL IDX *carry, VAL sum,
                       EK_GLOBAL VAL *carry_sum)
{
	if (me.piece != 0)
		return;
	carry_sum[(2 * g + 1) * me.r + me.i] = sum;
	if (carry[2 * g] == carry[2 * g + 1])
		carry_sum[2 * g * me.r + me.i] = 0;
}

/* For each block k of a tile, sets mark[k] to 1 if the next block is in another block row, else to
 * 0. Block end - 1 is the last one of the group and is not marked. */
EK_FN void block_marks(const EK_GLOBAL IDX *row, ek_i64 first, int n, ek_i64 end,
                       EK_LOCAL_PTR ek_u8 *mark)
{
	for (int k = EK_LID(); k < n; k += EK_WG)
		mark[k] = first + k + 1 < end &&
		          EK_LOAD(row + first + k) != EK_LOAD(row + first + k + 1);
}

EK_FN ek_u32 block_marked(block_item me, int n, const EK_LOCAL_PTR ek_u8 *mark)
{
	const int begin = block_begin(me, n), m = block_count(me, n);
	ek_u32 ends = 0;

	for (int k = 0; k < m; k++)
		ends |= (ek_u32)mark[begin + k] << k;
	return ends;
}

#if !DELTAS
EK_KERNEL(bcoo, EK_WG)
(ek_i64 rows, ek_i64 cols, ek_i64 blocks, ek_i64 part, int r,
 const EK_GLOBAL IDX *EK_RESTRICT carry, const EK_GLOBAL IDX *EK_RESTRICT block_row,
 const EK_GLOBAL IDX *EK_RESTRICT block_col, const EK_GLOBAL VAL *EK_RESTRICT val,
 const EK_GLOBAL ek_u8 *EK_RESTRICT mask, VAL alpha,
 const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta, EK_GLOBAL VAL *y, EK_GLOBAL VAL *carry_sum)
{
	EK_LOCAL VAL product[SUMS], sums[2 * EK_WG];
	EK_LOCAL int counts[2 * EK_WG];
	EK_LOCAL ek_u8 mark[SUMS];
	const block_item me = block_item_of(r);
	const block_matrix A = {(IDX)cols, block_col, val, mask, x};
	const ek_i64 g = EK_GROUP(), begin = g * part;
	const ek_i64 end = blocks - begin < part ? blocks : begin + part;
	const block_out out = {rows,  block_row, 1,    carry[2 * g], carry_sum + 2 * g * r,
	                       alpha, beta,      y};
	block_open open = {(VAL)0, begin};

	for (ek_i64 k = begin; k < end; k += me.pieces * EACH) {
		const int n = end - k < me.pieces * EACH ? (int)(end - k) : me.pieces * EACH;

		block_products(&A, me, k, n, product);
		block_marks(block_row, k, n, end, mark);
		EK_BARRIER();
		block_tile(me, n, block_marked(me, n, mark), 0, product, sums, counts, &open, &out);
	}
	block_carry(me, g, carry, open.sum, carry_sum);
}
#endif

#if DELTAS == 1
/* Finds the columns of the n blocks of a tile that begins with block `first`. A work-item goes
 * through the differences of a segment from its beginning, even if that is before the tile. */
EK_FN void block_columns(const block_matrix *A, ek_i64 first, int n)
{
	const ek_i64 segment = first / SEGMENT;
	const int segments = (int)((first + n - 1) / SEGMENT - segment) + 1;

	for (int s = EK_LID(); s < segments; s += EK_WG) {
		const ek_i64 begin = (segment + s) * SEGMENT;
		const int skip = begin < first ? (int)(first - begin) : 0;
		const int m = first + n - begin < SEGMENT ? (int)(first + n - begin) : SEGMENT;
		IDX at = EK_LOAD(A->base + segment + s);

		for (int k = 0; k < m; k++) {
			const int d = EK_LOAD(A->delta + begin + k);

			at = d != ESCAPE ? at + d : EK_LOAD(A->col + begin + k);
			if (k >= skip)
				A->column[begin + k - first] = at;
		}
	}
}
#endif

/* Returns the bits of `flag` for m blocks, starting with block k. The bit of block end - 1, the
 * last block of the group, is returned as 0, because the sum of the group's last block row is
 * carried. */
EK_FN ek_u32 block_flags(const EK_GLOBAL ek_u32 *flag, ek_i64 k, int m, ek_i64 end)
{
	const int shift = (int)(k % 32);
	ek_u32 bits = 0;

	if (m > 0)
		bits = EK_LOAD(flag + k / 32) >> shift;
	if (shift + m > 32)
		bits |= EK_LOAD(flag + k / 32 + 1) << (32 - shift);
	if (k + m == end)
		m--;
	return m > 0 ? bits & (0xffffffffu >> (32 - m)) : 0;
}

/* Multiplies a BCCOO matrix by x; block_carries adds the carries afterwards. If `listed` is not 0,
 * filled_row lists the block rows that are not empty. number[g] is the index of the first block row
 * of group g among the block rows that are not empty. With DELTAS, columns are found from `delta`
 * and base_col, and block_col is read where a column does not fit. */
EK_KERNEL(bccoo, EK_WG)
(ek_i64 rows, ek_i64 cols, ek_i64 blocks, ek_i64 part, int r,
 const EK_GLOBAL IDX *EK_RESTRICT carry, const EK_GLOBAL ek_i64 *EK_RESTRICT number,
 const EK_GLOBAL ek_u32 *EK_RESTRICT bit_flag, int listed,
 const EK_GLOBAL IDX *EK_RESTRICT filled_row,
#if DELTAS
 const EK_GLOBAL short *EK_RESTRICT delta, const EK_GLOBAL IDX *EK_RESTRICT base_col,
#endif
 const EK_GLOBAL IDX *EK_RESTRICT block_col, const EK_GLOBAL VAL *EK_RESTRICT val,
 const EK_GLOBAL ek_u8 *EK_RESTRICT mask, VAL alpha, const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta,
 EK_GLOBAL VAL *y, EK_GLOBAL VAL *carry_sum)
{
	EK_LOCAL VAL product[SUMS], sums[2 * EK_WG];
	EK_LOCAL int counts[2 * EK_WG];
#if DELTAS == 1
	EK_LOCAL IDX column[SUMS];
	const block_matrix A = {(IDX)cols, block_col, val, mask, x, delta, base_col, column};
#elif DELTAS == 2
	const block_matrix A = {(IDX)cols, block_col, val, mask, x, delta, base_col};
#else
	const block_matrix A = {(IDX)cols, block_col, val, mask, x};
#endif
	const block_item me = block_item_of(r);
	const ek_i64 g = EK_GROUP(), begin = g * part;
	const ek_i64 end = blocks - begin < part ? blocks : begin + part;
	const block_out out = {rows,  filled_row, listed, carry[2 * g], carry_sum + 2 * g * r,
	                       alpha, beta,       y};
	block_open open = {(VAL)0, number[g]};

	for (ek_i64 k = begin; k < end; k += me.pieces * EACH) {
		const int n = end - k < me.pieces * EACH ? (int)(end - k) : me.pieces * EACH;
		const ek_u32 ends = block_flags(bit_flag, k + block_begin(me, n),
		                                block_count(me, n), end);

#if DELTAS == 1
		block_columns(&A, k, n);
		EK_BARRIER();
#endif
		block_products(&A, me, k, n, product);
		EK_BARRIER();
		block_tile(me, n, ends, 1, product, sums, counts, &open, &out);
	}
	block_carry(me, g, carry, open.sum, carry_sum);
}

/* Adds up the carries of all groups, as if each carry were a block of one column and all entries of
 * x were 1. Launched with one group. */
EK_KERNEL(block_carries, EK_WG)
(ek_i64 rows, ek_i64 count, int r, const EK_GLOBAL IDX *EK_RESTRICT carry,
 const EK_GLOBAL VAL *EK_RESTRICT carry_sum, VAL alpha, VAL beta, EK_GLOBAL VAL *y)
{
	EK_LOCAL VAL product[SUMS], sums[2 * EK_WG];
	EK_LOCAL int counts[2 * EK_WG];
	EK_LOCAL ek_u8 mark[SUMS];
	const block_item me = block_item_of(r);
	const block_out out = {rows, carry, 1, -1, y, alpha, beta, y};
	block_open open = {(VAL)0, 0};

	for (ek_i64 k = 0; k < count; k += me.pieces * EACH) {
		const int n = count - k < me.pieces * EACH ? (int)(count - k) : me.pieces * EACH;

		for (int l = EK_LID(); l < n * r; l += EK_WG)
			product[l] = carry_sum[k * r + l];
		block_marks(carry, k, n, count, mark);
		EK_BARRIER();
		block_tile(me, n, block_marked(me, n, mark), 0, product, sums, counts, &open, &out);
	}
	if (me.piece == 0)
		block_close(&out, me, count - 1, open.sum);
}
