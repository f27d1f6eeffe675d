/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR by row blocks (csr_adaptive.c), CSR-Stream and CSR-Adaptive in one kernel: Greathouse
 * and Daga 2014, Algorithms 3 and 4. A group multiplies either a block or a piece of a long row,
 * and takes one of three paths. All three go through the same barriers, because with PoCL 3.1 a
 * barrier in a branch mixes up the work-items of a group.
 *
 * Compile-time parameters: EK_WG, work-items of a group; EACH, products of a work-item, so that the
 * largest block has EK_WG * EACH products; AT_ONCE, how many of them a work-item loads at once, a
 * divisor of EACH. */

#define CAPACITY (EK_WG * EACH)
/* PLACE(k) is the place of product k in local memory. If products were stored in order, rows of 8
 * or 16 entries would all begin in the same bank, and be read one after the other. So each segment
 * of BANKS products is permuted. */
#define BANKS    (128 / (int)sizeof(VAL))
#define PLACE(k) ((k) ^ ((k) / BANKS % BANKS))
/* If a row has more than this many products for each of its work-items, their whole warp sums it,
 * so that the other rows need not wait for it. */
#define LONG (EK_WARP > 1 ? 32 : CAPACITY)

/* Returns a partial sum of a row. Of its n entries that start at `col` and `val`, it sums the
 * products of entries 0, step, 2 * step, ... with x. Four loads from each array are in flight at
 * once. */
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

		sum += EK_MUL(v0, EK_LOAD(x + c0));
		sum += EK_MUL(v1, EK_LOAD(x + c1));
		sum += EK_MUL(v2, EK_LOAD(x + c2));
		sum += EK_MUL(v3, EK_LOAD(x + c3));
	}
#pragma unroll 1
	for (; n > 0; n -= step, col += step, val += step)
		sum += EK_MUL(EK_STREAM(val), EK_LOAD(x + EK_STREAM(col)));
	return sum;
}

/* Returns the number of work-items that each row can have if a group has `rows` rows: a power of
 * two, at most `most`. */
EK_FN int lanes_of(int rows, int most)
{
	int lanes = most;

	while (lanes > 1 && lanes * rows > EK_WG)
		lanes /= 2;
	return lanes;
}

/* Puts the products of n > 0 entries, EK_WG * AT_ONCE at most, into local memory. The loads are
 * contiguous, and all of them are issued before the first is used. A work-item without an entry
 * loads the last entry again and puts its product where nothing reads it, so no load waits for a
 * comparison. */
EK_FN void stream_once(const EK_GLOBAL IDX *col, const EK_GLOBAL VAL *val,
                       const EK_GLOBAL VAL *x, int n, EK_LOCAL_PTR VAL *product)
{
	const int lid = EK_LID();
	IDX c[AT_ONCE];
	VAL v[AT_ONCE];

#pragma unroll
	for (int u = 0; u < AT_ONCE; u++) {
		const int k = lid + u * EK_WG < n ? lid + u * EK_WG : n - 1;

		c[u] = EK_STREAM(col + k);
		v[u] = EK_STREAM(val + k);
	}
#pragma unroll
	for (int u = 0; u < AT_ONCE; u++)
		v[u] = EK_MUL(v[u], EK_LOAD(x + c[u]));
#pragma unroll
	for (int u = 0; u < AT_ONCE; u++) /* the index equals PLACE(lid + u * EK_WG) */
		product[u * EK_WG + (PLACE(lid) ^ (u * EK_WG / BANKS % BANKS))] = v[u];
}

/* Does the same for the n > 0 entries of a block. */
EK_FN void stream(const EK_GLOBAL IDX *col, const EK_GLOBAL VAL *val,
                  const EK_GLOBAL VAL *x, int n, EK_LOCAL_PTR VAL *product)
{
#pragma unroll 1
	for (int first = 0; first < n; first += EK_WG * AT_ONCE)
		stream_once(col + first, val + first, x, n - first, product + first);
}

EK_FN VAL streamed_sum(const EK_LOCAL_PTR VAL *product, int k, int end, int step)
{
	VAL sum = 0;

#pragma unroll 4
	for (; k < end; k += step)
		sum += product[PLACE(k)];
	return sum;
}

/* Finishes the rows of a streamed block that were left to the whole warp, one row after the other.
 * Bit k of `left` is 1 if the row of lane k is such a row. In each lane, `i` is the lane's row, and
 * `begin` and `end` are the range of products of that row. */
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

/* Finishes the rows of a streamed block after its first EK_WG rows, with one work-item for each
 * row. */
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

/* Stores the sum of a piece of a long row in partial[part]. If this is the last of the row's
 * `parts` pieces to arrive, adds all their sums, finishes the row, and resets the counter *arrived
 * to 0 for the next launch. The order of additions does not depend on which group is last. Only the
 * first warp of a group calls this; its first lane has the sum of the piece in `sum`. */
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

/* Computes y = alpha A x + beta y by blocks and pieces of long rows. The parameters are:
 *   small     maximum rows of a block that CSR-Vector multiplies
 *   longest   maximum entries of a row that is not cut into pieces
 *   pieces    number of pieces; the first groups multiply them
 *   piece     for each piece, the index of its row among the long rows
 *   long_row  for each long row, its number in the matrix and its first piece
 *   partial   for each piece, its sum
 *   arrived   for each long row, the number of its pieces whose sums are stored
 *   block     for each block, its first row and its first entry */
EK_KERNEL_AT(csr_adaptive, EK_WG, 5)
(int small, ek_i64 longest, ek_i64 pieces, const EK_GLOBAL int *EK_RESTRICT piece,
 const EK_GLOBAL ek_i64 *EK_RESTRICT long_row, EK_GLOBAL VAL *partial, EK_GLOBAL int *arrived,
 const EK_GLOBAL ek_i64 *EK_RESTRICT block, const EK_GLOBAL PTR *EK_RESTRICT row_ptr,
 const EK_GLOBAL IDX *EK_RESTRICT col_idx, const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha,
 const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta, EK_GLOBAL VAL *y EK_LOCAL_PARAMETER(memory))
{
	EK_LOCAL_DECLARE(memory);
	EK_LOCAL_PTR VAL *product = (EK_LOCAL_PTR VAL *)memory; /* of CAPACITY */
	EK_LOCAL VAL scratch[EK_WG / EK_WARP];
	const int lid = EK_LID();
	const ek_i64 group = EK_GROUP();
	const bool in_pieces = group < pieces;
	int number = 0, part = 0, parts = 1, rows = 1; /* blocks set `rows`, pieces the other 3 */
	PTR base, entries;

	/* From here on, row_ptr and y point to the first row of the group, col_idx and val to its
	 * first entry. */
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

	const bool streamed = rows > small && entries <= CAPACITY && !in_pieces;
	const int lanes = lanes_of(rows, streamed ? 32 : EK_WG);
	const int i = lid / lanes, lane = lid & (lanes - 1);
	/* First entry and end of the work-item's row, or of the piece. The loads of a streamed
	 * block, below, do not have to wait for these two. */
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
	sum = ek_lanes_sum(sum, lanes, scratch);
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
