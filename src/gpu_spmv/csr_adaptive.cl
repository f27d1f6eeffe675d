/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR by row blocks (csr_adaptive.c), CSR-Stream and CSR-Adaptive in one kernel: Greathouse
 * and Daga 2014, Algorithms 3 and 4. A group has a block or a piece of a long row, and goes one of
 * three ways. All meet the same barriers: PoCL 3.1 does not keep work-items apart behind a barrier
 * that stands in a branch.
 *
 * Parameters: EK_WG; EACH, products of a work-item, EK_WG * EACH is the largest block. */

#define ROOM (EK_WG * EACH)
/* Where product k lies. Rows of 8 or 16 entries would all begin in one of the banks that local
 * memory has, and be read one after the other; so places within a stretch are exchanged. */
#define BANKS    (128 / (int)sizeof(VAL))
#define PLACE(k) ((k) ^ ((k) / BANKS % BANKS))
/* A row with more products than LONG for each of its work-items is left to all that run in step with
 * them, so that the others need not wait for it. */
#define LONG (EK_WARP > 1 ? 32 : ROOM)

/* Sum of every step-th product of n entries of a row; four of each array are under way at once. */
EK_FN VAL products_sum(const EK_GLOBAL IDX *col, const EK_GLOBAL VAL *val,
                       const EK_GLOBAL VAL *x, PTR n, int step)
{
	VAL sum = 0;

#pragma unroll 1
	for (; n > 3 * step; n -= 4 * step, col += 4 * step, val += 4 * step) {
		const IDX c0 = EK_STREAM(col), c1 = EK_STREAM(col + step);
		const IDX c2 = EK_STREAM(col + 2 * step), c3 = EK_STREAM(col + 3 * step);
		const VAL v0 = EK_STREAM(val), v1 = EK_STREAM(val + step);
		const VAL v2 = EK_STREAM(val + 2 * step), v3 = EK_STREAM(val + 3 * step);

		sum += v0 * EK_LOAD(x + c0);
		sum += v1 * EK_LOAD(x + c1);
		sum += v2 * EK_LOAD(x + c2);
		sum += v3 * EK_LOAD(x + c3);
	}
#pragma unroll 1
	for (; n > 0; n -= step, col += step, val += step)
		sum += EK_STREAM(val) * EK_LOAD(x + EK_STREAM(col));
	return sum;
}

/* The largest power of two of work-items, `most` or less, that each of `rows` rows can have. */
EK_FN int lanes_of(int rows, int most)
{
	int lanes = most;

	while (lanes > 1 && lanes * rows > EK_WG)
		lanes /= 2;
	return lanes;
}

/* The products of n > 0 entries to local memory, from contiguous loads, all of which are under way
 * before the first is used. Work-items without an entry take the last one again, and put it where
 * nobody reads: so nothing waits for a comparison. */
EK_FN void stream(const EK_GLOBAL IDX *col, const EK_GLOBAL VAL *val,
                  const EK_GLOBAL VAL *x, int n, EK_LOCAL_PTR VAL *product)
{
	const int lid = EK_LID();
	IDX c[EACH];
	VAL v[EACH];

#pragma unroll
	for (int u = 0; u < EACH; u++) {
		const int k = lid + u * EK_WG < n ? lid + u * EK_WG : n - 1;

		c[u] = EK_STREAM(col + k);
		v[u] = EK_STREAM(val + k);
	}
#pragma unroll
	for (int u = 0; u < EACH; u++)
		v[u] *= EK_LOAD(x + c[u]);
#pragma unroll
	for (int u = 0; u < EACH; u++) /* PLACE(lid + u * EK_WG) */
		product[u * EK_WG + (PLACE(lid) ^ (u * EK_WG / BANKS % BANKS))] = v[u];
}

EK_FN VAL streamed_sum(const EK_LOCAL_PTR VAL *product, int k, int end, int step)
{
	VAL sum = 0;

#pragma unroll 4
	for (; k < end; k += step)
		sum += product[PLACE(k)];
	return sum;
}

/* Of a streamed block the rows of which the work-items that run in step have taken `left`, row i
 * being that of a work-item, products [begin, end): by all of these, one row after the other. */
EK_FN void left_rows(ek_u32 left, int i, int begin, int end, VAL alpha, VAL beta, EK_GLOBAL VAL *y,
                     const EK_LOCAL_PTR VAL *product)
{
	for (; left; left &= left - 1) {
		const int lane = EK_FIRST(left), row = EK_FROM(i, lane);
		const VAL sum = ek_warp_sum(streamed_sum(product,
		                                         EK_FROM(begin, lane) + EK_LID() % EK_WARP,
		                                         EK_FROM(end, lane), EK_WARP));

		if (EK_LID() % EK_WARP == 0)
			ek_finish(sum, alpha, beta, y + row);
	}
}

/* The rows of a streamed block behind the first EK_WG, by one work-item each. */
EK_FN void more_rows(const EK_GLOBAL PTR *row_ptr, PTR base, int rows, VAL alpha, VAL beta,
                     EK_GLOBAL VAL *y, const EK_LOCAL_PTR VAL *product)
{
	for (int first = EK_WG; first < rows; first += EK_WG) {
		const int i = first + EK_LID();
		const int begin = i < rows ? (int)(row_ptr[i] - base) : 0;
		const int end = i < rows ? (int)(row_ptr[i + 1] - base) : 0;

		if (i < rows && end - begin <= LONG)
			ek_finish(streamed_sum(product, begin, end, 1), alpha, beta, y + i);
		left_rows(EK_BALLOT(end - begin > LONG), i, begin, end, alpha, beta, y, product);
	}
}

/* The first warp of a group whose piece of a long row has `sum`, in its first work-item: leaves it
 * in partial[part], and if those of all `parts` are there by now, adds them in their order,
 * whichever group it is, and leaves the counter at 0 for the next launch. */
EK_FN void arrive(VAL sum, int part, int parts, VAL alpha, VAL beta, EK_GLOBAL VAL *y,
                  EK_GLOBAL VAL *partial, EK_GLOBAL int *arrived)
{
	const int lid = EK_LID();
	int last = 0;

	if (lid == 0) {
		ek_leave(partial + part, sum);
		EK_FENCE();
		last = EK_ATOMIC_ADD(arrived, 1) == parts - 1;
	}
	if (EK_FROM(last, 0)) {
		EK_FENCE();
		sum = 0;
		for (int k = lid; k < parts; k += EK_WARP)
			sum += ek_found(partial + k);
		sum = ek_warp_sum(sum);
		if (lid == 0) {
			ek_finish(sum, alpha, beta, y);
			EK_ATOMIC_SET(arrived, 0);
		}
	}
}

/* small: a block of so many rows or fewer goes the way of CSR-Vector. longest: a row of more entries
 * is done in pieces, by the first groups. block: the first row and entry of each block. piece: for
 * each piece of a long row, the number of that row among the long ones; of each of these, long_row
 * has the row and its first piece, `partial` a sum for each piece, `arrived` how many are there. */
EK_KERNEL_AT(csr_adaptive, EK_WG, 5)
(int small, ek_i64 longest, ek_i64 pieces, const EK_GLOBAL int *EK_RESTRICT piece,
 const EK_GLOBAL ek_i64 *EK_RESTRICT long_row, EK_GLOBAL VAL *partial, EK_GLOBAL int *arrived,
 const EK_GLOBAL ek_i64 *EK_RESTRICT block, const EK_GLOBAL PTR *EK_RESTRICT row_ptr,
 const EK_GLOBAL IDX *EK_RESTRICT col_idx, const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha,
 const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta, EK_GLOBAL VAL *y)
{
	EK_LOCAL VAL product[ROOM], room[EK_WG / EK_WARP];
	const int lid = EK_LID();
	const ek_i64 group = EK_GROUP();
	const bool in_pieces = group < pieces;
	int number = 0, part = 0, parts = 1, rows = 1; /* of the long row; of the block */
	PTR base, entries;

	/* What the group has: rows from y on, entries from col_idx and val on. */
	if (in_pieces) {
		number = piece[group];
		row_ptr += long_row[2 * number];
		y += long_row[2 * number];
		partial += long_row[2 * number + 1];
		part = (int)(group - long_row[2 * number + 1]);
		parts = (int)(long_row[2 * number + 3] - long_row[2 * number + 1]);
		entries = (row_ptr[1] - row_ptr[0] - 1) / parts + 1;
		base = row_ptr[0] + entries * part;
		if (entries > row_ptr[1] - base)
			entries = row_ptr[1] - base;
	} else {
		const EK_GLOBAL ek_i64 *own = block + 2 * (group - pieces);

		base = (PTR)own[1];
		entries = (PTR)own[3] - base;
		rows = entries > longest ? 0 : (int)(own[2] - own[0]);
		row_ptr += own[0];
		y += own[0];
	}
	col_idx += base;
	val += base;

	const bool streamed = rows > small && entries <= ROOM && !in_pieces;
	const int lanes = lanes_of(rows, streamed ? 32 : EK_WG);
	const int i = lid / lanes, lane = lid & (lanes - 1);
	/* Where the own row, or the piece, begins and ends; not used before the loads below. */
	const PTR from = in_pieces || i >= rows ? base : row_ptr[i];
	const PTR to = in_pieces ? base + entries : i >= rows ? base : row_ptr[i + 1];
	VAL sum = 0;

	if (!streamed)
		sum = products_sum(col_idx + (from - base) + lane, val + (from - base) + lane, x,
		                   to - from - lane, lanes);
	else if (entries > 0)
		stream(col_idx, val, x, (int)entries, product);
	EK_BARRIER();

	const bool left = streamed && to - from > LONG * lanes;

	if (streamed && !left)
		sum = streamed_sum(product, (int)(from - base) + lane, (int)(to - base), lanes);
	sum = ek_lanes_sum(sum, lanes, room);
	if (i < rows && lane == 0 && !left && !in_pieces)
		ek_finish(sum, alpha, beta, y + i);
	if (streamed) {
		left_rows(EK_BALLOT(left && lane == 0), i, (int)(from - base), (int)(to - base),
		          alpha, beta, y, product);
		more_rows(row_ptr, base, rows, alpha, beta, y, product);
	}
	if (in_pieces && lid < EK_WARP)
		arrive(sum, part, parts, alpha, beta, y, partial, arrived + number);
}
