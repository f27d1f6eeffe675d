/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR, with a work-group for each item of a list (csr_classes.c). Compile-time parameters:
 *   EK_WG      work-items of a group
 *   UNROLL     entries that a work-item loads at once
 *   IN_CACHE   whether the matrix stays in the cache from run to run
 *   RESIDENT   groups that should fit on a multiprocessor at once
 *   FIRST_FAR  the first code of a far entry (csr_narrow.h); defined only with columns in 16 bits
 *   PATTERNS   defined if csr_patterns.cl follows, which then has the kernel
 *
 * An item is four numbers: its first row, its first entry, the end of its entries, and its kind +
 * 256 log2(lanes) + 65536 n. The kinds are:
 *   0  n rows of at most TILE entries: their products go to local memory, in storage order, and
 *      from there `lanes` work-items sum each row
 *   1  n rows, each summed by `lanes` work-items as it is read
 *   2  one row
 *   3  a piece of a row. The first number of the item is not the row but the index of the row in
 *      `many`. There each such row has three numbers: the row, where its partial sums begin in
 *      `partial`, and how many partial sums it has */
#include "prim_body/pieces.cl"
#define TILE   (EK_WG * UNROLL)
#define ROWS   (TILE / 2) /* maximum rows of an item */
#define DIRECT 4          /* entries that a work-item loads at once in items of kind 1 */
#define MOST   (UNROLL > DIRECT ? UNROLL : DIRECT)
#if IN_CACHE
#define ONCE(p) EK_LOAD(p)
#else
#define ONCE(p) EK_STREAM(p)
#endif
#ifdef FIRST_FAR
#define CODE ek_u16
#define COL  int
#else
#define CODE IDX
#define COL  IDX
#endif

/* The column indices of an item, as codes. A 16-bit code below FIRST_FAR is the distance of the
 * column from `base`; any other is FIRST_FAR plus an index into `far`. */
typedef struct columns {
	const EK_GLOBAL CODE *code;
#ifdef FIRST_FAR
	int base;
	const EK_GLOBAL int *far;
#endif
} columns;

/* SLOT(i) is the place of product i in local memory. Places are permuted so that work-items whose
 * rows begin a power of two apart do not all access the same bank. */
#define BANKS   (sizeof(VAL) == 8 ? 4 : 5)
#define SLOT(i) ((i) ^ ((i) >> BANKS & ((1 << BANKS) - 1)))

/* Reads the columns and values of `count` entries that are `step` apart, the first at the pointers
 * `c` and `a`. From there, `left` entries remain before the end. The first `sure` reads are known
 * to be before the end. A read beyond the end reads the last entry again. This needs no branch, so
 * all loads are issued before the work-item waits for any. */
EK_FN void fetch(const EK_GLOBAL CODE *c, const EK_GLOBAL VAL *a, int left, int step,
                 const int count, const int sure, COL *col, VAL *v)
{
#pragma unroll
	for (int j = 0; j < count; j++)
		col[j] = ONCE(c + (j < sure || j * step < left ? j * step : left - 1));
#pragma unroll
	for (int j = 0; j < count; j++)
		v[j] = ONCE(a + (j < sure || j * step < left ? j * step : left - 1));
}

/* Multiplies the values `v`, which fetch has read, by their entries of x. Sets values beyond the
 * end to 0. */
EK_FN void multiply(columns in, const EK_GLOBAL VAL *x, int left, int step, const int count,
                    const int sure, COL *col, VAL *v)
{
#ifdef FIRST_FAR
#pragma unroll
	for (int j = 0; j < count; j++)
		col[j] = col[j] < FIRST_FAR ? in.base + col[j]
		                            : EK_LOAD(in.far + (col[j] - FIRST_FAR));
#endif
#pragma unroll
	for (int j = 0; j < count; j++)
		v[j] = EK_MUL(v[j], EK_LOAD(x + col[j]));
#pragma unroll
	for (int j = 0; j < count; j++)
		v[j] = j < sure || j * step < left ? v[j] : (VAL)0;
}

/* Returns the sum of the products of `count` entries that are `step` apart, starting with entry k.
 * Uses fetch and multiply. */
EK_FN VAL dot(columns in, const EK_GLOBAL VAL *val, PTR k, const EK_GLOBAL VAL *x, int left,
              int step, const int count, const int sure)
{
	COL col[MOST];
	VAL sum, v[MOST];

	fetch(in.code + k, val + k, left, step, count, sure, col, v);
	multiply(in, x, left, step, count, sure, col, v);
	sum = v[0];
#pragma unroll
	for (int j = 1; j < count; j++)
		sum += v[j];
	return sum;
}

/* Returns the sum of v over an aligned set of `lanes` (at most 32) work-items. Only the first
 * work-item of each set gets it. With warps of 32, this function contains no barriers. */
EK_FN VAL few_lanes_sum(VAL v, int lanes, EK_LOCAL_PTR VAL *scratch)
{
#if EK_WARP > 1
	for (int d = lanes / 2; d > 0; d /= 2)
		v += EK_DOWN(v, d, 32);
	return v;
#else
	return lanes > 1 ? ek_lanes_sum(v, lanes, scratch) : v;
#endif
}

/* Returns the sum of products k, k + step, k + 2 * step, ..., up to but not including product
 * `end`. Reads them from local memory, four at a time. */
EK_FN VAL staged_sum(const EK_LOCAL_PTR VAL *product, int k, int end, int step)
{
	VAL sum = 0;

#pragma unroll 1
	for (; k < end; k += 4 * step) {
		const VAL a = product[SLOT(k)];
		const VAL b = k + step < end ? product[SLOT(k + step)] : (VAL)0;
		const VAL c = k + 2 * step < end ? product[SLOT(k + 2 * step)] : (VAL)0;
		const VAL d = k + 3 * step < end ? product[SLOT(k + 3 * step)] : (VAL)0;

		sum = sum + a + b + c + d;
	}
	return sum;
}

/* Adds up products [begin, end), which are those of a row, on `lanes` work-items. Only the first of
 * these gets the sum. With warps, a row of more than 32 products for each work-item is summed by
 * the whole warp, one such row after the other. */
EK_FN VAL staged_row(const EK_LOCAL_PTR VAL *product, int begin, int end, int lanes,
                     EK_LOCAL_PTR VAL *scratch)
{
	const int lane = EK_LID() & (lanes - 1);
	VAL sum = 0;
#if EK_WARP > 1
	const bool far = end - begin > 32 * lanes;
	ek_u32 rest = EK_BALLOT(far && lane == 0);

	if (!far)
		sum = staged_sum(product, begin + lane, end, lanes);
	sum = few_lanes_sum(sum, lanes, scratch);
	for (; rest; rest &= rest - 1) {
		const int from = EK_FIRST(rest);
		const int b = EK_FROM(begin, from);
		const int e = EK_FROM(end, from);
		VAL s = staged_sum(product, b + EK_LID() % 32, e, 32);

		for (int d = 16; d > 0; d /= 2)
			s += EK_XOR(s, d);
		if (EK_LID() % 32 == from)
			sum = s;
	}
#else
	sum = few_lanes_sum(staged_sum(product, begin + lane, end, lanes), lanes, scratch);
#endif
	return sum;
}

/* Multiplies an item of kind 0. row_ptr and y point to the first row of the item. */
EK_FN void staged_rows(const EK_GLOBAL PTR *row_ptr, columns in,
                       const EK_GLOBAL VAL *val, VAL alpha, const EK_GLOBAL VAL *x, VAL beta,
                       EK_GLOBAL VAL *y, PTR begin, PTR end, int rows, int log_lanes,
                       EK_LOCAL_PTR VAL *product, EK_LOCAL_PTR int *start,
                       EK_LOCAL_PTR VAL *scratch)
{
	const int lid = EK_LID(), entries = (int)(end - begin), left = entries - lid;
	const int lanes = 1 << log_lanes;
	const EK_GLOBAL CODE *c = in.code + begin + lid;
	const EK_GLOBAL VAL *a = val + begin + lid;
	const bool full = entries > TILE - EK_WG;
	COL col[MOST];
	VAL v[MOST];

	if (full)
		fetch(c, a, left, EK_WG, UNROLL, UNROLL - 1, col, v);
	else if (entries > 0)
		fetch(c, a, left, EK_WG, UNROLL, 0, col, v);
#pragma unroll 2
	for (int r = lid; r < rows; r += EK_WG)
		start[r] = (int)(EK_LOAD(row_ptr + r) - begin);
	if (lid == 0)
		start[rows] = entries;
	if (entries > 0) {
		multiply(in, x, left, EK_WG, UNROLL, 0, col, v);
#pragma unroll
		for (int j = 0; j < UNROLL; j++)
			product[SLOT(lid + j * EK_WG)] = v[j];
	}
	EK_BARRIER();
	for (int at = 0; at < rows; at += EK_WG >> log_lanes) {
		const int r = at + (lid >> log_lanes), there = r < rows;
		const VAL sum = staged_row(product, there ? start[r] : 0, there ? start[r + 1] : 0,
		                           lanes, scratch);

		if (there && (lid & (lanes - 1)) == 0)
			ek_finish(sum, alpha, beta, y + r);
	}
}

/* Multiplies an item of kind 1. row_ptr and y point to the first row of the item. */
EK_FN void direct_rows(const EK_GLOBAL PTR *row_ptr, columns in,
                       const EK_GLOBAL VAL *val, VAL alpha, const EK_GLOBAL VAL *x, VAL beta,
                       EK_GLOBAL VAL *y, int rows, int log_lanes, EK_LOCAL_PTR VAL *scratch)
{
	const int lanes = 1 << log_lanes, lane = EK_LID() & (lanes - 1), step = EK_WG >> log_lanes;
	int r = EK_LID() >> log_lanes;
	PTR b = 0, e = 0;

	if (r < rows) {
		b = EK_LOAD(row_ptr + r) + lane;
		e = EK_LOAD(row_ptr + r + 1);
	}
	for (int at = 0; at < rows; at += step) {
		const PTR end = e, k = b;
		VAL sum = 0;

		b = e = 0;
		if (r + step < rows) { /* the next row's bounds, loaded with this row's entries */
			b = EK_LOAD(row_ptr + r + step) + lane;
			e = EK_LOAD(row_ptr + r + step + 1);
		}
		for (int at_k = 0, left = (int)(end - k); at_k < left; at_k += DIRECT * lanes)
			sum += dot(in, val, k + at_k, x, left - at_k, lanes, DIRECT, 1);
		sum = few_lanes_sum(sum, lanes, scratch);
		if (r < rows && lane == 0)
			ek_finish(sum, alpha, beta, y + r);
		r += step;
	}
}

/* Returns the sum of the products of an item of kind 2 or 3, which has `entries` entries; only the
 * first work-item gets the result. */
EK_FN VAL group_sum(columns in, const EK_GLOBAL VAL *val, PTR begin, const EK_GLOBAL VAL *x,
                    int entries, EK_LOCAL_PTR VAL *scratch)
{
	const int lid = EK_LID();
	int k = 0;
	VAL sum = 0;

#pragma unroll 1
	for (; k + TILE <= entries; k += TILE)
		sum += dot(in, val, begin + k + lid, x, TILE, EK_WG, UNROLL, UNROLL);
	if (k < entries)
		sum += dot(in, val, begin + k + lid, x, entries - k - lid, EK_WG, UNROLL, 0);
	return ek_lanes_sum(sum, EK_WG, scratch);
}

EK_FN columns columns_here(const EK_GLOBAL CODE *code, const EK_GLOBAL int *far,
                           const EK_GLOBAL PTR *window)
{
	columns in;

	in.code = code;
#ifdef FIRST_FAR
	in.base = (int)EK_LOAD(window + 2 * EK_GROUP());
	in.far = far + EK_LOAD(window + 2 * EK_GROUP() + 1);
#endif
	return in;
}

/* Multiplies the item whose four numbers are `row`, `begin`, `end` and `what`. The array `start`
 * has space for ROWS + 1 numbers. */
EK_FN void class_item(PTR row, PTR begin, PTR end, PTR what, columns in,
                      const EK_GLOBAL PTR *many, const EK_GLOBAL PTR *row_ptr,
                      const EK_GLOBAL VAL *val, VAL alpha, const EK_GLOBAL VAL *x, VAL beta,
                      EK_GLOBAL VAL *y, EK_GLOBAL VAL *partial, EK_GLOBAL int *arrived,
                      EK_LOCAL_PTR VAL *product, EK_LOCAL_PTR int *start,
                      EK_LOCAL_PTR int *before, EK_LOCAL_PTR VAL *scratch)
{
	const int kind = (int)(what & 255), log_lanes = (int)(what >> 8 & 255);
	const int n = (int)(what >> 16);

	if (kind == 0) {
		staged_rows(row_ptr + row, in, val, alpha, x, beta, y + row, begin, end, n,
		            log_lanes, product, start, scratch);
	} else if (kind == 1) {
		direct_rows(row_ptr + row, in, val, alpha, x, beta, y + row, n, log_lanes,
		            scratch);
	} else {
		/* In bounds for kind 2 too, since compilers may load from it before they branch. */
		const EK_GLOBAL PTR *one = many + (kind == 3 ? 3 * row : 0);
		PTR i = row;
		int done = 1;
		VAL sum = group_sum(in, val, begin, x, (int)(end - begin), scratch);

		if (kind == 3) {
			i = EK_LOAD(one);
			done = ek_last_piece(&sum, EK_LOAD(one + 1), (int)EK_LOAD(one + 2),
			                     partial, arrived + row, before, scratch);
		}
		if (done && EK_LID() == 0)
			ek_finish(sum, alpha, beta, y + i);
	}
}

#ifndef PATTERNS
EK_KERNEL_AT(csr_classes, EK_WG, RESIDENT)
(const EK_GLOBAL PTR *EK_RESTRICT item, const EK_GLOBAL PTR *EK_RESTRICT many,
 const EK_GLOBAL PTR *EK_RESTRICT row_ptr, const EK_GLOBAL CODE *EK_RESTRICT code,
 const EK_GLOBAL int *EK_RESTRICT far, const EK_GLOBAL PTR *EK_RESTRICT window,
 const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha, const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta,
 EK_GLOBAL VAL *y, EK_GLOBAL VAL *partial, EK_GLOBAL int *arrived)
{
	EK_LOCAL VAL product[TILE];
	EK_LOCAL int start[ROWS + 1], before;
#if EK_WARP > 1
	/* scratch and product are never in use at the same time */
	EK_LOCAL_PTR VAL *const scratch = product;
#else
	EK_LOCAL VAL scratch[EK_WG];
#endif
	const EK_GLOBAL PTR *mine = item + 4 * EK_GROUP();

	class_item(EK_LOAD(mine), EK_LOAD(mine + 1), EK_LOAD(mine + 2), EK_LOAD(mine + 3),
	           columns_here(code, far, window), many, row_ptr, val, alpha, x, beta, y, partial,
	           arrived, product, start, &before, scratch);
}
#endif
