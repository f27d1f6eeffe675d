/* SPDX-License-Identifier: BSD-3-Clause
 * Speculative segmented sums on CSR (csr_speculative.c): stage 1, and the end of stage 2.
 * Parameters: LANES (T), WIDTH (W), BUNCHES (B) and TILES (S) of Liu and Vinter 2015, and
 * EK_WG = LANES * BUNCHES. A tile is cut into pieces of WIDTH entries, one for each lane; in local
 * memory they lie WIDTH + 1 apart, so that lanes do not meet in the same bank. */
#define TILE     (LANES * WIDTH)
#define ROOM     (LANES * (WIDTH + 1))
#define PLACE(j) ((j) / WIDTH * (WIDTH + 1) + (j) % WIDTH)
#define DONE_WG  64 /* of the kernel `complete` */

/* Lanes of a warp need not wait for the other bunches of their group. */
#if defined(__CUDACC__) && 32 % LANES == 0
#define IN_WARP
#define BUNCH_BARRIER() __syncwarp()
#else
#define BUNCH_BARRIER() EK_BARRIER()
#endif

/* Where the rows that bunches share go: rows[2 b] and ends[2 b] are the first row of bunch b and
 * its sum there, [2 b + 1] the row that goes on behind b, or -1. notes[0] counts dirty tiles. */
#define NOTED_ROWS(notes)          ((notes) + 1)
#define NOTED_ENDS(notes, bunches) ((EK_GLOBAL VAL *)((notes) + 1 + 2 * (bunches)))

/* The last of row_ptr[0], ..., row_ptr[rows] that is at most k. */
EK_FN ek_i64 last_row(const EK_GLOBAL PTR *row_ptr, ek_i64 rows, PTR k)
{
	ek_i64 low = 0, high = rows + 1;

	while (high - low > 1) {
		const ek_i64 middle = low + (high - low) / 2;

		if (row_ptr[middle] <= k)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The descriptor of a tile of n entries from `begin` on, head[j] being set if a row begins at entry
 * j; *dirty if rows start ... stop - 1 have an empty one among them. */
EK_FN void describe(const EK_GLOBAL PTR *row_ptr, ek_i64 rows, ek_i64 start,
                    ek_i64 stop, PTR begin, int n, int lane, EK_LOCAL_PTR ek_u8 *head,
                    EK_LOCAL_PTR int *dirty)
{
	for (ek_i64 i = start + lane; i <= stop && i < rows; i += LANES) {
		const PTR first = row_ptr[i];

		if (first == row_ptr[i + 1])
			*dirty = 1; /* so it lies before `stop`, which is not empty */
		else if (first >= begin && first - begin < n)
			head[first - begin] = 1;
	}
}

EK_FN void multiply(const EK_GLOBAL IDX *col_idx, const EK_GLOBAL VAL *val,
                    const EK_GLOBAL VAL *x, PTR begin, int n, int lane,
                    EK_LOCAL_PTR VAL *product)
{
	for (int k = 0; k < WIDTH; k++) {
		const int j = k * LANES + lane;

		product[PLACE(j)] = j < n ? val[begin + j] * x[col_idx[begin + j]] : (VAL)0;
	}
}

/* Lane by lane, what was found from the last head up to its end, and the heads up to there.
 * Barriers, unless a bunch lies in a warp. */
EK_FN void scan_lanes(int lane, VAL *v, int *heads, EK_LOCAL_PTR VAL *room, EK_LOCAL_PTR int *count)
{
	for (int d = 1; d < LANES; d *= 2) {
#ifdef IN_WARP
		const VAL before = __shfl_up_sync(0xffffffffu, *v, d, LANES);
		const int others = __shfl_up_sync(0xffffffffu, *heads, d, LANES);
#else
		VAL before;
		int others;

		BUNCH_BARRIER();
		room[lane] = *v;
		count[lane] = *heads;
		BUNCH_BARRIER();
		before = lane >= d ? room[lane - d] : (VAL)0;
		others = lane >= d ? count[lane - d] : 0;
#endif
		if (lane >= d) {
			if (*heads == 0)
				*v += before;
			*heads += others;
		}
	}
}

/* What the lane before holds; 0 for the first one. Barriers as above. */
EK_FN void lane_before(int lane, VAL *v, int *heads, EK_LOCAL_PTR VAL *room,
                       EK_LOCAL_PTR int *count)
{
#ifdef IN_WARP
	*v = __shfl_up_sync(0xffffffffu, *v, 1, LANES);
	*heads = __shfl_up_sync(0xffffffffu, *heads, 1, LANES);
#else
	BUNCH_BARRIER();
	room[lane] = *v;
	count[lane] = *heads;
	BUNCH_BARRIER();
	if (lane > 0) {
		*v = room[lane - 1];
		*heads = count[lane - 1];
	}
#endif
	if (lane == 0) {
		*v = 0;
		*heads = 0;
	}
}

/* Counts a dirty tile, and notes its rows and how many sums it has stored. */
EK_FN void note_dirty(EK_GLOBAL ek_i64 *notes, EK_GLOBAL ek_i64 *speculator, ek_i64 start,
                      ek_i64 stop, int segments)
{
	EK_GLOBAL ek_i64 *tile =
		speculator + 3 * (ek_i64)EK_ATOMIC_ADD((EK_GLOBAL int *)notes, 1);

	tile[0] = start;
	tile[1] = stop;
	tile[2] = segments;
}

/* Adds up the entries of a lane behind its last head. */
EK_FN void sum_lane(const EK_LOCAL_PTR ek_u8 *head, const EK_LOCAL_PTR VAL *product, VAL *v,
                    int *heads)
{
	*v = 0;
	*heads = 0;
	for (int k = 0; k < WIDTH; k++) {
		if (head[k]) {
			*v = 0;
			++*heads;
		}
		*v += product[k];
	}
}

/* Where sums of a bunch go. */
typedef struct target {
	ek_i64 first; /* row of the bunch */
	EK_GLOBAL VAL *end, *sum, *y;
	VAL alpha, beta;
} target;

/* Takes the sum of a row: *end if it is the first of the bunch, which may have begun before that;
 * else y, or, if it may be the wrong row, the scratch. */
EK_FN void store_row(ek_i64 row, VAL v, int wrong, const target *to)
{
	if (row == to->first)
		*to->end = v;
	else if (wrong)
		to->sum[row] = v;
	else
		ek_finish(v, to->alpha, to->beta, to->y + row);
}

/* Stores the sums of all rows that end before a head of this lane; v and heads are what there was
 * before it, `start` is the first row of the tile. */
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

/* Which row a bunch ends in, and what it has of it if that goes on behind it. */
EK_FN void note_ends(ek_i64 first, ek_i64 last, int whole, VAL v, EK_GLOBAL ek_i64 *noted,
                     EK_GLOBAL VAL *end)
{
	const int two = !whole && last > first;

	if (!whole)
		end[two] = v;
	noted[0] = first;
	noted[1] = two ? last : -1;
}

EK_KERNEL(speculate, EK_WG)
(ek_i64 rows, ek_i64 nnz, ek_i64 bunches, const EK_GLOBAL PTR *EK_RESTRICT row_ptr,
 const EK_GLOBAL IDX *EK_RESTRICT col_idx, const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha,
 const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta, EK_GLOBAL VAL *y, EK_GLOBAL VAL *sum,
 EK_GLOBAL ek_i64 *notes, EK_GLOBAL ek_i64 *speculator)
{
	EK_LOCAL VAL products[BUNCHES * ROOM], rooms[EK_WG], transmitter[BUNCHES];
	EK_LOCAL ek_i64 offsets[BUNCHES * (TILES + 1)];
	EK_LOCAL int wholes[BUNCHES * (TILES + 1)]; /* does a row begin at that boundary? */
	EK_LOCAL int counts[EK_WG], dirty[BUNCHES];
	EK_LOCAL ek_u8 heads_of[BUNCHES * TILE];
	const int lane = EK_LID() % LANES, mine = EK_LID() / LANES;
	const ek_i64 bunch = EK_GROUP() * BUNCHES + mine, entry = bunch * TILES * TILE;
	EK_LOCAL_PTR VAL *product = products + mine * ROOM, *room = rooms + mine * LANES;
	EK_LOCAL_PTR ek_u8 *head = heads_of + mine * TILE;
	EK_LOCAL_PTR ek_i64 *offset = offsets + mine * (TILES + 1);
	EK_LOCAL_PTR int *whole = wholes + mine * (TILES + 1), *count = counts + mine * LANES;
	EK_GLOBAL VAL *end = NOTED_ENDS(notes, bunches) + 2 * bunch;

	for (int i = lane; i <= TILES; i += LANES) {
		const PTR k = (PTR)(entry + i * TILE < nnz ? entry + i * TILE : nnz);

		offset[i] = last_row(row_ptr, rows, k);
		whole[i] = row_ptr[offset[i]] == k;
	}
	for (int i = 0; i < TILES; i++) {
		const ek_i64 begin = entry + i * TILE;
		const int n = begin >= nnz ? 0 : nnz - begin < TILE ? (int)(nnz - begin) : TILE;
		VAL v, before;
		int heads, heads_before;

		BUNCH_BARRIER(); /* what the tile before had in local memory was read */
		for (int j = lane; j < TILE; j += LANES)
			head[j] = 0;
		if (lane == 0)
			dirty[mine] = 0;
		BUNCH_BARRIER();
		const ek_i64 start = offset[i], stop = offset[i + 1];
		const target to = {offset[0], end, sum, y, alpha, beta};

		if (n > 0)
			describe(row_ptr, rows, start, stop, (PTR)begin, n, lane, head, dirty + mine);
		multiply(col_idx, val, x, (PTR)begin, n, lane, product);
		BUNCH_BARRIER();
		if (lane == 0 && n > 0) {
			head[0] = 0; /* the first segment ends nothing */
			if (i > 0 && !whole[i])
				product[0] += transmitter[mine];
		}
		sum_lane(head + lane * WIDTH, product + lane * (WIDTH + 1), &v, &heads);
		scan_lanes(lane, &v, &heads, room, count);
		before = v;
		heads_before = heads;
		lane_before(lane, &before, &heads_before, room, count);
		store_lane(head + lane * WIDTH, product + lane * (WIDTH + 1), before, heads_before,
		           start, dirty[mine], &to);
		BUNCH_BARRIER(); /* the transmitter was read */
		if (lane == LANES - 1 && n > 0) {
			if (whole[i + 1])
				store_row(start + heads, v, dirty[mine] && heads > 0, &to);
			transmitter[mine] = v;
			if (dirty[mine])
				note_dirty(notes, speculator, start, stop, heads + whole[i + 1]);
		}
	}
	if (lane == LANES - 1 && bunch < bunches)
		note_ends(offset[0], offset[TILES], whole[TILES], transmitter[mine],
		          NOTED_ROWS(notes) + 2 * bunch, end);
}

/* y of the rows noted, and of the pieces of dirty tiles: pieces[2 g] ... pieces[2 g + 1] - 1. */
EK_KERNEL(complete, DONE_WG)
(ek_i64 bunches, const EK_GLOBAL ek_i64 *notes, const EK_GLOBAL ek_i64 *pieces,
 const EK_GLOBAL VAL *sum, VAL alpha, VAL beta, EK_GLOBAL VAL *y)
{
	const ek_i64 noted = (2 * bunches + DONE_WG - 1) / DONE_WG; /* groups for these */
	const ek_i64 piece = EK_GROUP() - noted;

	if (piece < 0) {
		const ek_i64 k = EK_GROUP() * DONE_WG + EK_LID();
		const ek_i64 row = k < 2 * bunches ? NOTED_ROWS(notes)[k] : -1;

		if (row >= 0)
			ek_finish(((const EK_GLOBAL VAL *)(notes + 1 + 2 * bunches))[k], alpha,
			          beta, y + row);
	} else {
		for (ek_i64 i = pieces[2 * piece] + EK_LID(); i < pieces[2 * piece + 1];
		     i += DONE_WG)
			ek_finish(sum[i], alpha, beta, y + i);
	}
}
