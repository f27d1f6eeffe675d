/* SPDX-License-Identifier: BSD-3-Clause
 * Speculative segmented sums on CSR (csr_speculative.c): stage 1, and the end of stage 2.
 * Compile-time parameters: LANES, WIDTH, BUNCHES and TILES, which are T, W, B and S in Liu and
 * Vinter 2015, and EK_WG = LANES * BUNCHES; PUBLISHED is defined for stage 1 as it was published
 * (csr_speculative_published.c). A tile is cut into pieces of WIDTH entries, one for
 * each lane. In local memory the pieces begin WIDTH + 1 elements apart, to avoid bank conflicts
 * between lanes. */
#include "prim_body/scan.cl"
#include "prim_body/search.cl"
#define TILE     (LANES * WIDTH)
#define CAPACITY (LANES * (WIDTH + 1))
#define PLACE(j) ((j) / WIDTH * (WIDTH + 1) + (j) % WIDTH)
#define DONE_WG  64 /* work-items of a group of the kernel `complete` */

/* BUNCH_BARRIER is a barrier for the lanes of a bunch. If a bunch is within one warp, its lanes
 * need not wait for the other bunches of the group. */
#if EK_WARP > 1 && EK_WARP % LANES == 0
#define IN_WARP
#define BUNCH_BARRIER() EK_WARP_BARRIER()
#else
#define BUNCH_BARRIER() EK_BARRIER()
#endif

/* Addresses, in `notes`, of the rows that bunches may share with other bunches, and of the partial
 * sums of these rows: one for each bunch as published, its first row. Otherwise two: element 2 b is
 * for the first row of bunch b, and element 2 b + 1 for the row that continues after bunch b; the
 * row is -1 if there is none. notes[0] counts dirty tiles; notes[1] is not used, so that values of
 * 16 bytes would be aligned. */
#ifdef PUBLISHED
#define NOTES 1
#define SCRATCH
#else
#define NOTES   2
#define SCRATCH , EK_GLOBAL VAL *sum /* the scratch for sums that may be in wrong rows */
#endif
#define NOTED_ROWS(notes)          ((notes) + 2)
#define NOTED_ENDS(notes, bunches) ((EK_GLOBAL VAL *)((notes) + 2 + NOTES * (bunches)))

/* Makes the descriptor of the tile that has n entries and starts with entry `begin`: sets head[j]
 * to 1 if a row begins at entry j of the tile, and *dirty to 1 if one of the rows from `start` to
 * stop - 1 is empty. As published, these rows are finished here if beta is not 0. */
EK_FN void describe(const EK_GLOBAL PTR *row_ptr, ek_i64 rows, ek_i64 start,
                    ek_i64 stop, PTR begin, int n, int lane, EK_LOCAL_PTR ek_u8 *head,
                    EK_LOCAL_PTR int *dirty, VAL beta, EK_GLOBAL VAL *y)
{
	for (ek_i64 i = start + lane; i <= stop && i < rows; i += LANES) {
		const PTR first = row_ptr[i];

		if (first == row_ptr[i + 1]) {
			*dirty = 1; /* here i < stop, since row `stop` is not empty */
#ifdef PUBLISHED
			if (!EK_IS_ZERO(beta))
				ek_scale(beta, y + i);
#endif
		} else if (first >= begin && first - begin < n)
			head[first - begin] = 1;
	}
}

EK_FN void multiply(const EK_GLOBAL IDX *col_idx, const EK_GLOBAL VAL *val,
                    const EK_GLOBAL VAL *x, PTR begin, int n, int lane,
                    EK_LOCAL_PTR VAL *product)
{
	for (int k = 0; k < WIDTH; k++) {
		const int j = k * LANES + lane;

		product[PLACE(j)] = j < n ? EK_MUL(val[begin + j], x[col_idx[begin + j]]) : (VAL)0;
	}
}

/* Returns to each lane the sum from the last head (first entry of a row) up to the lane's end, and
 * the number of heads up to the lane's end. Sets *before to the result of the preceding lane.
 * Contains barriers, unless a bunch is within one warp. */
EK_FN ek_open scan_lanes(ek_open own, int lane, ek_open *before, EK_LOCAL_PTR VAL *scratch,
                         EK_LOCAL_PTR int *count)
{
#ifdef IN_WARP
	return ek_segmented_scan_warp(own, lane, LANES, before);
#else
	own = ek_segmented_scan(own, lane, 1, LANES, 1, scratch, count);
	before->sum = lane > 0 ? scratch[lane - 1] : (VAL)0;
	before->marks = lane > 0 ? count[lane - 1] : 0;
	return own;
#endif
}

/* Counts a dirty tile in notes[0], and records its first and last row and, unless as published, how
 * many sums it has stored. */
EK_FN void note_dirty(EK_GLOBAL ek_i64 *notes, EK_GLOBAL ek_i64 *speculator, ek_i64 start,
                      ek_i64 stop, int segments)
{
	EK_GLOBAL ek_i64 *tile =
		speculator + (NOTES + 1) * (ek_i64)EK_ATOMIC_ADD((EK_GLOBAL int *)notes, 1);

	tile[0] = start;
	tile[1] = stop;
#ifndef PUBLISHED
	tile[2] = segments;
#endif
}

/* Returns the sum of a lane's products, starting with its last head (first entry of a row), and the
 * number of heads in the lane. As published, also compacts: the sums that end before heads replace
 * the lane's first products; the first of them lacks the products before the lane. */
EK_FN ek_open sum_lane(const EK_LOCAL_PTR ek_u8 *head, EK_LOCAL_PTR VAL *product)
{
	ek_open own = {(VAL)0, 0};

	for (int k = 0; k < WIDTH; k++) {
		const VAL v = product[k];

		if (head[k]) {
#ifdef PUBLISHED
			product[own.marks] = own.sum;
#endif
			own.sum = 0;
			own.marks++;
		}
		own.sum += v;
	}
	return own;
}

/* The destinations of the sums of a bunch. */
typedef struct target {
	ek_i64 first; /* the first row of the bunch */
	EK_GLOBAL VAL *end, *y;
	VAL alpha, beta;
#ifndef PUBLISHED
	EK_GLOBAL VAL *sum;
#endif
} target;

/* Stores the sum of a row. The sum of the bunch's first row, which may have begun before the bunch,
 * goes to *end. If `wrong` is not 0, `row` may be the wrong row, and the sum goes to the scratch
 * `sum`. Otherwise it goes to y; as published, always. */
EK_FN void store_row(ek_i64 row, VAL v, int wrong, const target *to)
{
	if (row == to->first)
		*to->end = v;
#ifndef PUBLISHED
	else if (wrong)
		to->sum[row] = v;
#endif
	else
		ek_finish(v, to->alpha, to->beta, to->y + row);
}

/* Returns the row of entry k of a tile that has entries of rows `start` to `stop`. */
EK_FN ek_i64 row_of(const EK_GLOBAL PTR *row_ptr, ek_i64 start, ek_i64 stop, ek_i64 k)
{
	return ek_upper_bound(row_ptr, start + 1, stop + 1, k) - 1;
}

#ifdef PUBLISHED

/* Stores the `count` sums that sum_lane has compacted. `v` and `heads` are the partial sum and the
 * number of heads before the lane, `start` and `stop` the first and the last row of the tile. If
 * `find` is not 0, the rows are not guessed but searched for; the lane begins with entry
 * `begin`. */
EK_FN void store_lane(const EK_LOCAL_PTR ek_u8 *head, EK_LOCAL_PTR VAL *product, int count, VAL v,
                      int heads, ek_i64 start, ek_i64 stop, int find, ek_i64 begin,
                      const EK_GLOBAL PTR *row_ptr, const target *to)
{
	if (count > 0)
		product[0] += v;
	if (!find) {
		for (int k = 0; k < count; k++)
			store_row(start + heads + k, product[k], 0, to);
		return;
	}
	for (int k = 0, n = 0; k < WIDTH; k++)
		if (head[k])
			store_row(row_of(row_ptr, start, stop, begin + k - 1), product[n++], 0, to);
}

/* Records the first row of a bunch. If the last row continues after the bunch (`whole` is 0), its
 * partial sum v goes to y, unless it is the first row, too. */
EK_FN void note_ends(ek_i64 first, ek_i64 last, int whole, VAL v, EK_GLOBAL ek_i64 *noted,
                     const target *to)
{
	if (!whole)
		store_row(last, v, 0, to);
	*noted = first;
}

#else

/* Stores the sum of each row that ends directly before a head in this lane. (A head is the first
 * entry of a row.) `v` and `heads` are the partial sum and the number of heads before the lane;
 * `start` is the first row of the tile. */
EK_FN void store_lane(const EK_LOCAL_PTR ek_u8 *head, const EK_LOCAL_PTR VAL *product, VAL v,
                      int heads, ek_i64 start, int dirty, const target *to)
{
	for (int k = 0; k < WIDTH; k++) {
		if (head[k]) {
			store_row(start + heads, v, dirty && heads > 0, to);
			v = 0;
			heads++;
		}
		v += product[k];
	}
}

/* Records the first row of a bunch. If the last row continues after the bunch (`whole` is 0),
 * stores its partial sum v, and records that row too if it is not the first. */
EK_FN void note_ends(ek_i64 first, ek_i64 last, int whole, VAL v, EK_GLOBAL ek_i64 *noted,
                     const target *to)
{
	const int two = !whole && last > first;

	if (!whole)
		to->end[two] = v;
	noted[0] = first;
	noted[1] = two ? last : -1;
}

#endif

EK_KERNEL(speculate, EK_WG)
(ek_i64 rows, ek_i64 nnz, ek_i64 bunches, const EK_GLOBAL PTR *EK_RESTRICT row_ptr,
 const EK_GLOBAL IDX *EK_RESTRICT col_idx, const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha,
 const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta, EK_GLOBAL VAL *y, EK_GLOBAL ek_i64 *notes,
 EK_GLOBAL ek_i64 *speculator SCRATCH)
{
	EK_LOCAL VAL products[BUNCHES * CAPACITY], scratches[EK_WG], transmitter[BUNCHES];
	EK_LOCAL ek_i64 offsets[BUNCHES * (TILES + 1)];
	EK_LOCAL int wholes[BUNCHES * (TILES + 1)]; /* 1 at each tile boundary where a row begins */
	EK_LOCAL int counts[EK_WG], dirty[BUNCHES];
	EK_LOCAL ek_u8 heads_of[BUNCHES * TILE];
	const int lane = EK_LID() % LANES, mine = EK_LID() / LANES;
	const ek_i64 bunch = EK_GROUP() * BUNCHES + mine, entry = bunch * TILES * TILE;
	EK_LOCAL_PTR VAL *product = products + mine * CAPACITY, *scratch = scratches + mine * LANES;
	EK_LOCAL_PTR ek_u8 *head = heads_of + mine * TILE;
	EK_LOCAL_PTR ek_i64 *offset = offsets + mine * (TILES + 1);
	EK_LOCAL_PTR int *whole = wholes + mine * (TILES + 1), *count = counts + mine * LANES;
	EK_GLOBAL VAL *end = NOTED_ENDS(notes, bunches) + NOTES * bunch;

	for (int i = lane; i <= TILES; i += LANES) {
		const PTR k = (PTR)(entry + i * TILE < nnz ? entry + i * TILE : nnz);

		offset[i] = ek_upper_bound(row_ptr, 1, rows + 1, k) - 1;
		whole[i] = row_ptr[offset[i]] == k;
	}
	for (int i = 0; i < TILES; i++) {
		const ek_i64 begin = entry + i * TILE;
		const int n = begin >= nnz ? 0 : nnz - begin < TILE ? (int)(nnz - begin) : TILE;
		ek_open own, before;

		BUNCH_BARRIER(); /* all lanes have read the previous tile's data in local memory */
		for (int j = lane; j < TILE; j += LANES)
			head[j] = 0;
		if (lane == 0)
			dirty[mine] = 0;
		BUNCH_BARRIER();
		const ek_i64 start = offset[i], stop = offset[i + 1];
		target to = {offset[0], end, y, alpha, beta};

		if (n > 0)
			describe(row_ptr, rows, start, stop, (PTR)begin, n, lane, head,
			         dirty + mine, beta, y);
		multiply(col_idx, val, x, (PTR)begin, n, lane, product);
		BUNCH_BARRIER();
		if (lane == 0 && n > 0) {
			head[0] = 0; /* no row of this tile ends before its first entry */
			if (i > 0 && !whole[i])
				product[0] += transmitter[mine];
		}
		own = sum_lane(head + lane * WIDTH, product + lane * (WIDTH + 1));
		own = scan_lanes(own, lane, &before, scratch, count);
		const int is_dirty = dirty[mine];
#ifdef PUBLISHED
		const int guess = is_dirty && EK_IS_ZERO(beta), wrong = 0;

		store_lane(head + lane * WIDTH, product + lane * (WIDTH + 1),
		           own.marks - before.marks, before.sum, before.marks, start, stop,
		           is_dirty && !guess, begin + lane * WIDTH, row_ptr, &to);
#else
		const int guess = is_dirty, wrong = guess && own.marks > 0;

		to.sum = sum;
		store_lane(head + lane * WIDTH, product + lane * (WIDTH + 1), before.sum,
		           before.marks, start, is_dirty, &to);
#endif
		BUNCH_BARRIER(); /* the transmitter has been read by now */
		if (lane == LANES - 1 && n > 0) {
			if (whole[i + 1])
				store_row(is_dirty && !guess
				                  ? row_of(row_ptr, start, stop, begin + n - 1)
				                  : start + own.marks,
				          own.sum, wrong, &to);
			transmitter[mine] = own.sum;
			if (guess)
				note_dirty(notes, speculator, start, stop,
				           own.marks + whole[i + 1]);
		}
	}
	if (lane == LANES - 1 && bunch < bunches) {
		const target to = {offset[0], end, y, alpha, beta};

		note_ends(offset[0], offset[TILES], whole[TILES], transmitter[mine],
		          NOTED_ROWS(notes) + NOTES * bunch, &to);
	}
}

#ifndef PUBLISHED

/* Finishes y in the rows noted by bunches, and in the pieces of rows of dirty tiles: piece p is
 * rows pieces[2 p] to pieces[2 p + 1] - 1. */
EK_KERNEL(complete, DONE_WG)
(ek_i64 bunches, const EK_GLOBAL ek_i64 *notes, const EK_GLOBAL ek_i64 *pieces,
 const EK_GLOBAL VAL *sum, VAL alpha, VAL beta, EK_GLOBAL VAL *y)
{
	const ek_i64 noted = (2 * bunches + DONE_WG - 1) / DONE_WG; /* groups for the rows noted */
	const ek_i64 piece = EK_GROUP() - noted;

	if (piece < 0) {
		const ek_i64 k = EK_GROUP() * DONE_WG + EK_LID();
		const ek_i64 row = k < 2 * bunches ? NOTED_ROWS(notes)[k] : -1;

		if (row >= 0)
			ek_finish(((const EK_GLOBAL VAL *)(notes + 2 + 2 * bunches))[k], alpha,
			          beta, y + row);
	} else {
		for (ek_i64 i = pieces[2 * piece] + EK_LID(); i < pieces[2 * piece + 1];
		     i += DONE_WG)
			ek_finish(sum[i], alpha, beta, y + i);
	}
}

#endif
