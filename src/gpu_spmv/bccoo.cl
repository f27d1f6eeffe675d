/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on block coordinates, block rows told by an index or by a bit for each block (bccoo.c).
 * Parameters: EK_WG; C, columns of a block; EACH, up to 31, blocks that a work-item has of a tile.
 */
#define SUMS (EK_WG * EACH)

/* A work-item of a group adds up row i of the blocks of one piece, EACH blocks of a tile that
 * follow each other; work-items r apart have neighbouring pieces. Those that are left over, as
 * r does not divide EK_WG, have none. */
typedef struct block_item {
	int r, i, piece, pieces;
} block_item;

/* What is open before a tile: the sum of row i of the block row that goes on, and the place in the
 * list of block rows. */
typedef struct block_open {
	VAL sum;
	ek_i64 place;
} block_open;

/* Where sums go: block row list[place], or `place` itself, to y, but `head` to to_head. */
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

/* The first block of the piece in a tile of n, and how many it has. */
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

/* Closes the block rows that end in a tile of n blocks. Bit k of `ends`: block k of the piece is
 * the last of its block row. A place of the list belongs to a block row if `numbered`, else to a
 * block.
 * The scan has two halves of `sums` and `counts` in turn, for one barrier a step. Barriers. */
EK_FN void block_tile(block_item me, int n, ek_u32 ends, int numbered,
                      const EK_LOCAL_PTR VAL *product, EK_LOCAL_PTR VAL *sums,
                      EK_LOCAL_PTR int *counts, block_open *open, const block_out *out)
{
	const int lid = EK_LID(), begin = block_begin(me, n), m = block_count(me, n);
	const int own = EK_POPCOUNT(ends), last = (me.pieces - 1) * me.r + me.i;
	const EK_LOCAL_PTR VAL *from = product + begin * me.r + me.i;
	ek_i64 place = open->place + begin;
	VAL sum = me.piece == 0 ? open->sum : (VAL)0;
	int count = own, turn = 0;

	for (int k = 0; k < m; k++) {
		sum += from[k * me.r];
		if (ends >> k & 1)
			sum = 0;
	}
	for (int d = me.r; d < me.r * me.pieces; d *= 2) {
		sums[turn + lid] = sum;
		counts[turn + lid] = count;
		EK_BARRIER();
		if (lid >= d) {
			sum = count ? sum : sums[turn + lid - d] + sum;
			count += counts[turn + lid - d];
		}
		turn = EK_WG - turn;
	}
	sums[turn + lid] = sum;
	counts[turn + lid] = count;
	EK_BARRIER();
	sum = me.piece == 0 ? open->sum : sums[turn + lid - me.r];
	if (numbered)
		place = open->place + count - own;
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
	EK_BARRIER(); /* the tile may be filled anew */
}

/* ---- Products -------------------------------------------------------------------------------- */

typedef struct block_matrix {
	IDX cols;
	const EK_GLOBAL IDX *col;
	const EK_GLOBAL VAL *val;
	const EK_GLOBAL ek_u8 *mask;
	const EK_GLOBAL VAL *x;
} block_matrix;

/* Row i of block k times x, from its entries alone. */
EK_FN VAL block_exact(const block_matrix *A, block_item me, ek_i64 k)
{
	const int places = me.r * C;
	const EK_GLOBAL ek_u8 *mask = A->mask + k * ((places + 7) / 8);
	VAL sum = 0;

	for (int j = 0; j < C; j++) {
		const int place = C >= me.r ? me.i * C + j : j * me.r + me.i;

		if (mask[place / 8] >> (place % 8) & 1)
			sum += A->val[k * places + place] * A->x[A->col[k] * C + j];
	}
	return sum;
}

/* A sum for each row of the n blocks from `first` on. All loads come first. Blocks beyond n are the
 * last once more, and columns beyond the right end of x, where blocks have fill, are its last.
 * Where fill met Inf or NaN, the sum is made again. */
EK_FN void block_products(const block_matrix *A, block_item me, ek_i64 first, int n,
                          EK_LOCAL_PTR VAL *product)
{
	const int line = C >= me.r ? me.i * C : me.i, step = C >= me.r ? 1 : me.r;
	const EK_GLOBAL IDX *col = A->col + first;
	const EK_GLOBAL VAL *val = A->val + first * (me.r * C) + line;
	VAL sum[EACH];

#pragma unroll
	for (int e = 0; e < EACH; e++) {
		const int at = e * me.pieces + me.piece, k = at < n ? at : n - 1;
		const IDX j0 = EK_LOAD(col + k) * C, left = A->cols - j0;
		const EK_GLOBAL VAL *v = val + k * (me.r * C), *x = A->x + j0;

		sum[e] = 0;
#pragma unroll
		for (int j = 0; j < C; j++)
			sum[e] += EK_LOAD(v + j * step) * EK_LOAD(x + (j < left ? j : left - 1));
	}
#pragma unroll
	for (int e = 0; e < EACH; e++) {
		const int at = e * me.pieces + me.piece;

		if (me.piece < me.pieces && at < n) {
			if (!(sum[e] - sum[e] == 0))
				sum[e] = block_exact(A, me, first + at);
			product[at * me.r + me.i] = sum[e];
		}
	}
}

/* ---- Kernels --------------------------------------------------------------------------------- */

/* Group g has blocks [g part, (g + 1) part). Sums of its first and of its last block row,
 * carry[2 g] and carry[2 g + 1], which neighbours may share, go there in carry_sum; if these are
 * one block row, to the latter. */
EK_FN void block_carry(block_item me, ek_i64 g, const EK_GLOBAL IDX *carry, VAL sum,
                       EK_GLOBAL VAL *carry_sum)
{
	if (me.piece != 0)
		return;
	carry_sum[(2 * g + 1) * me.r + me.i] = sum;
	if (carry[2 * g] == carry[2 * g + 1])
		carry_sum[2 * g * me.r + me.i] = 0;
}

/* Block k of a tile is marked if the next is of another block row; behind `end`, the last of the
 * list does not tell. */
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
	block_open open = {0, begin};

	for (ek_i64 k = begin; k < end; k += me.pieces * EACH) {
		const int n = end - k < me.pieces * EACH ? (int)(end - k) : me.pieces * EACH;

		block_products(&A, me, k, n, product);
		block_marks(block_row, k, n, end, mark);
		EK_BARRIER();
		block_tile(me, n, block_marked(me, n, mark), 0, product, sums, counts, &open, &out);
	}
	block_carry(me, g, carry, open.sum, carry_sum);
}

/* The bits of `flag` for m blocks from k on; that of block end - 1 is left out: what the last block
 * row of a group adds up to is carried. */
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

/* filled_row, with `listed`, has the block rows that are not empty; `number`, for each group, the
 * place in it of the first one. */
EK_KERNEL(bccoo, EK_WG)
(ek_i64 rows, ek_i64 cols, ek_i64 blocks, ek_i64 part, int r,
 const EK_GLOBAL IDX *EK_RESTRICT carry, const EK_GLOBAL ek_i64 *EK_RESTRICT number,
 const EK_GLOBAL ek_u32 *EK_RESTRICT bit_flag, int listed,
 const EK_GLOBAL IDX *EK_RESTRICT filled_row, const EK_GLOBAL IDX *EK_RESTRICT block_col,
 const EK_GLOBAL VAL *EK_RESTRICT val, const EK_GLOBAL ek_u8 *EK_RESTRICT mask, VAL alpha,
 const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta, EK_GLOBAL VAL *y, EK_GLOBAL VAL *carry_sum)
{
	EK_LOCAL VAL product[SUMS], sums[2 * EK_WG];
	EK_LOCAL int counts[2 * EK_WG];
	const block_item me = block_item_of(r);
	const block_matrix A = {(IDX)cols, block_col, val, mask, x};
	const ek_i64 g = EK_GROUP(), begin = g * part;
	const ek_i64 end = blocks - begin < part ? blocks : begin + part;
	const block_out out = {rows,  filled_row, listed, carry[2 * g], carry_sum + 2 * g * r,
	                       alpha, beta,       y};
	block_open open = {0, number[g]};

	for (ek_i64 k = begin; k < end; k += me.pieces * EACH) {
		const int n = end - k < me.pieces * EACH ? (int)(end - k) : me.pieces * EACH;
		const ek_u32 ends = block_flags(bit_flag, k + block_begin(me, n),
		                                block_count(me, n), end);

		block_products(&A, me, k, n, product);
		EK_BARRIER();
		block_tile(me, n, ends, 1, product, sums, counts, &open, &out);
	}
	block_carry(me, g, carry, open.sum, carry_sum);
}

/* The carries in their turn, as if they were blocks of one column and x were 1, by one group. */
EK_KERNEL(block_carries, EK_WG)
(ek_i64 rows, ek_i64 count, int r, const EK_GLOBAL IDX *EK_RESTRICT carry,
 const EK_GLOBAL VAL *EK_RESTRICT carry_sum, VAL alpha, VAL beta, EK_GLOBAL VAL *y)
{
	EK_LOCAL VAL product[SUMS], sums[2 * EK_WG];
	EK_LOCAL int counts[2 * EK_WG];
	EK_LOCAL ek_u8 mark[SUMS];
	const block_item me = block_item_of(r);
	const block_out out = {rows, carry, 1, -1, y, alpha, beta, y};
	block_open open = {0, 0};

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
