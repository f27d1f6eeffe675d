/* SPDX-License-Identifier: BSD-3-Clause
 * The classes of the rows of C = alpha A B + beta D, rows that are copies, and the way of rows from
 * temporary memory to C (hash_classes.c, csr_hash.c). Compile-time parameters: those of
 * operands.cl; EK_WG; LANES, work-items for a row of A; and for classes
 *
 *   SIZES               number of sizes of tables
 *   CAPACITY, COLUMNS   for each size, separated by commas: entries of a hash table, and columns of
 *                       a window */
#include "prim_body/search.cl"
#include "spgemm_gpu/operands.cl"

#define MANY   64   /* a group reads rows of A of more than MANY * LANES entries together */
#define SINGLE (-1) /* span of a row that is a copy */
#define WIDE   0x7fffffff
#define SPARSE 4 /* columns that a window has for each entry, at most, if a table is smaller */

#define FEW    4 /* windows of a row that one group computes one after the other, at least */
#define THIN   8 /* entries in each window, on average, of a row whose windows are shared out */

/* The classes. Rows that fit nowhere have the largest window, which they need several times: one
 * after the other, or FAR, shared out to groups. */
enum { EMPTY, COPY, HASH, WINDOW = HASH + SIZES, FAR = WINDOW + SIZES, CLASSES };

/* ---- Shapes of rows -------------------------------------------------------------------------- */

/* What a row of C consists of. */
typedef struct shape {
	ek_i64 products;
	IDX low, high; /* first and last column; -1 if there are no products */
} shape;

EK_FN void join(shape *s, ek_i64 products, IDX low, IDX high)
{
	if (products == 0)
		return;
	s->low = s->products == 0 || low < s->low ? low : s->low;
	s->high = s->products == 0 || high > s->high ? high : s->high;
	s->products += products;
}

/* Looks at entries k, k + step, ... of A before `end`. */
EK_FN void look(shape *s, ek_i64 k, ek_i64 end, int step, const EK_GLOBAL IDX *a_col,
                const EK_GLOBAL PTR *b_ptr, const EK_GLOBAL IDX *b_col)
{
	for (; k < end; k += step) {
		const PTR low = b_ptr[a_col[k]], high = b_ptr[a_col[k] + 1];

		if (low < high)
			join(s, high - low, b_col[low], b_col[high - 1]);
	}
}

/* Joins the shapes of `lanes` adjacent work-items, in the first of them. Has barriers. */
EK_FN void join_lanes(shape *s, int lanes, EK_LOCAL_PTR ek_i64 *products, EK_LOCAL_PTR IDX *low,
                      EK_LOCAL_PTR IDX *high)
{
	const int lid = EK_LID();

	for (int d = lanes / 2; d > 0; d /= 2) {
		EK_BARRIER();
		products[lid] = s->products;
		low[lid] = s->low;
		high[lid] = s->high;
		EK_BARRIER();
		if (lid % lanes < d)
			join(s, products[lid + d], low[lid + d], high[lid + d]);
	}
}

/* Adds the row of D, if i has one, and stores what the classes need. */
EK_FN void keep(shape s, ek_i64 i, ek_i64 lists, const EK_GLOBAL PTR *d_ptr,
                const EK_GLOBAL IDX *d_col, EK_GLOBAL ek_i64 *bound, EK_GLOBAL IDX *start,
                EK_GLOBAL int *span)
{
	if (HAS_D && d_ptr[i] < d_ptr[i + 1]) {
		join(&s, d_ptr[i + 1] - d_ptr[i], d_col[d_ptr[i]], d_col[d_ptr[i + 1] - 1]);
		lists++;
	}
	const ek_i64 width = s.products ? (ek_i64)s.high - s.low + 1 : 0;

	bound[i] = s.products < width ? s.products : width;
	start[i] = s.products ? s.low : 0;
	span[i] = lists == 1 ? SINGLE : width < WIDE ? (int)width : WIDE;
}

/* Returns the first row in [r, stop) with more than MANY * LANES entries, or stop. */
EK_FN ek_i64 next_long(ek_i64 r, ek_i64 stop, const EK_GLOBAL PTR *a_ptr)
{
	while (r < stop && a_ptr[r + 1] - a_ptr[r] <= MANY * LANES)
		r++;
	return r;
}

/* For each row i of C: bound[i] is an upper bound on its entries, start[i] its first column,
 * span[i] the number of columns from its first to its last, or SINGLE if the row is one list.
 * bound[rows] becomes 0. Long rows have the whole group, which goes from one to the next. PoCL 3.1
 * compiles other forms of this kernel wrong, so that lists are left out: one with a `continue` for
 * short rows, and one where LANES is an argument. */
EK_KERNEL(row_shapes, EK_WG)
(EK_PRODUCT_PARAMETERS, EK_GLOBAL ek_i64 *EK_RESTRICT bound, EK_GLOBAL IDX *EK_RESTRICT start,
 EK_GLOBAL int *EK_RESTRICT span)
{
	EK_LOCAL ek_i64 products[EK_WG];
	EK_LOCAL IDX lows[EK_WG], highs[EK_WG];
	const int lane = EK_LID() % LANES;
	const ek_i64 first = EK_GROUP() * (EK_WG / LANES), i = first + EK_LID() / LANES;
	const ek_i64 stop = first + EK_WG / LANES < rows ? first + EK_WG / LANES : rows;
	const ek_i64 n = i < rows ? a_ptr[i + 1] - a_ptr[i] : 0;
	shape s;

	s.products = 0;
	s.low = s.high = -1;
	if (i < rows && n <= MANY * LANES)
		look(&s, a_ptr[i] + lane, a_ptr[i + 1], LANES, a_col, b_ptr, b_col);
	join_lanes(&s, LANES, products, lows, highs);
	if (i < rows && n <= MANY * LANES && lane == 0)
		keep(s, i, n, d_ptr, d_col, bound, start, span);
	for (ek_i64 r = next_long(first, stop, a_ptr); r < stop;
	     r = next_long(r + 1, stop, a_ptr)) {
		s.products = 0;
		s.low = s.high = -1;
		look(&s, a_ptr[r] + EK_LID(), a_ptr[r + 1], EK_WG, a_col, b_ptr, b_col);
		join_lanes(&s, EK_WG, products, lows, highs);
		if (EK_LID() == 0)
			keep(s, r, a_ptr[r + 1] - a_ptr[r], d_ptr, d_col, bound, start, span);
	}
	if (i == rows && lane == 0)
		bound[rows] = 0;
}

/* ---- Lists of rows by class ------------------------------------------------------------------ */

/* Returns the class of a row of at most n entries. */
EK_FN int class_of(ek_i64 n, int span)
{
	const int capacity[SIZES] = {CAPACITY}, columns[SIZES] = {COLUMNS};
	int hash = 0, window = 0;

	if (n == 0)
		return EMPTY;
	if (span == SINGLE)
		return COPY;
	while (hash < SIZES && capacity[hash] < n)
		hash++;
	while (window < SIZES && columns[window] < span)
		window++;
	/* A window needs no search and no sort. */
	if (window < SIZES && (window <= hash || span <= SPARSE * n))
		return WINDOW + window;
	if (hash < SIZES && span < WIDE)
		return HASH + hash;
	return span < WIDE && span / FEW > columns[SIZES - 1] &&
	                       (ek_i64)span * THIN <= n * columns[SIZES - 1]
	               ? FAR
	               : WINDOW + SIZES - 1;
}

#define CLASS_PARAMETERS                                                           \
	ek_i64 begin, ek_i64 end, const EK_GLOBAL ek_i64 *EK_RESTRICT n, int each, \
		const EK_GLOBAL int *EK_RESTRICT span
/* Returns the bound on the entries of row i: n[i] if `each` is not 0, else n[i + 1] - n[i]. */
#define BOUND(i) (each ? n[i] : n[(i) + 1] - n[i])

/* Counts the rows of each class among the rows [begin, end). A group has EK_WG rows, and counts
 * those of class c in place[c * groups + its number]. */
EK_KERNEL(class_count, EK_WG)
(CLASS_PARAMETERS, ek_i64 groups, EK_GLOBAL ek_i64 *EK_RESTRICT place)
{
	EK_LOCAL int count[CLASSES];
	const ek_i64 i = begin + EK_GROUP() * EK_WG + EK_LID();

	for (int c = EK_LID(); c < CLASSES; c += EK_WG)
		count[c] = 0;
	EK_BARRIER();
	if (i < end)
		EK_LOCAL_ADD(count + class_of(BOUND(i), span[i]), 1);
	EK_BARRIER();
	for (int c = EK_LID(); c < CLASSES; c += EK_WG)
		place[c * groups + EK_GROUP()] = count[c];
	if (EK_GROUP() == 0 && EK_LID() == 0)
		place[CLASSES * groups] = 0;
}

/* Writes the rows [begin, end) to list[begin], ..., class by class, and in order in each class.
 * place[] has the sums of the counts before. */
EK_KERNEL(class_place, EK_WG)
(CLASS_PARAMETERS, ek_i64 groups, const EK_GLOBAL ek_i64 *EK_RESTRICT place,
 EK_GLOBAL IDX *EK_RESTRICT list)
{
	EK_LOCAL int classes[EK_WG];
	const ek_i64 i = begin + EK_GROUP() * EK_WG + EK_LID();
	int own = -1, before = 0;

	if (i < end)
		own = class_of(BOUND(i), span[i]);
	classes[EK_LID()] = own;
	EK_BARRIER();
	for (int k = 0; k < EK_LID(); k++)
		before += classes[k] == own;
	if (i < end)
		list[begin + place[own * groups + EK_GROUP()] + before] = (IDX)i;
}

/* Writes where the classes begin in a list. first[] has CLASSES + 1 numbers. */
EK_KERNEL(class_begin, EK_WG)
(ek_i64 groups, const EK_GLOBAL ek_i64 *EK_RESTRICT place, EK_GLOBAL ek_i64 *EK_RESTRICT first)
{
	for (int c = EK_LID(); c <= CLASSES; c += EK_WG)
		first[c] = place[c * groups];
}

/* Writes where, in each class of a list, rows from a row on begin, for `rows` rows: asked[] has
 * them, and then where classes begin. One group does all. */
EK_KERNEL(class_cut, EK_WG)
(int rows, const EK_GLOBAL ek_i64 *EK_RESTRICT asked, const EK_GLOBAL IDX *EK_RESTRICT list,
 EK_GLOBAL ek_i64 *EK_RESTRICT found)
{
	for (int t = EK_LID(); t < rows * CLASSES; t += EK_WG) {
		const ek_i64 row = asked[t / CLASSES];
		const EK_GLOBAL ek_i64 *first = asked + rows + t % CLASSES;
		ek_i64 low = first[0], high = first[1];

		while (low < high) {
			const ek_i64 middle = low + (high - low) / 2;

			if (list[middle] < row)
				low = middle + 1;
			else
				high = middle;
		}
		found[t] = low;
	}
}

/* Writes the bounds of rows list[first], list[first + stride], ... one after the other. */
EK_KERNEL(sample_bounds, EK_WG)
(ek_i64 first, ek_i64 count, ek_i64 stride, const EK_GLOBAL IDX *EK_RESTRICT list,
 const EK_GLOBAL ek_i64 *EK_RESTRICT bound, EK_GLOBAL ek_i64 *EK_RESTRICT out)
{
	const ek_i64 k = EK_GROUP() * EK_WG + EK_LID();

	if (k < count)
		out[k] = bound[list[first + k * stride]];
}

/* ---- Rows that are copies -------------------------------------------------------------------- */

/* Writes rows that consist of one list, in the same way as make_rows (hash_rows.cl). If `columns`
 * is 0, their columns are known. A row has `lanes` work-items. */
EK_KERNEL(copy_rows, EK_WG)
(EK_PRODUCT_PARAMETERS, int lanes, ek_i64 first, ek_i64 count,
 const EK_GLOBAL IDX *EK_RESTRICT list, const EK_GLOBAL ek_i64 *at, ek_i64 begin,
 EK_GLOBAL IDX *EK_RESTRICT c_col, EK_GLOBAL VAL *EK_RESTRICT c_val, EK_GLOBAL ek_i64 *length,
 int store, int columns)
{
	const ek_i64 unit = EK_GROUP() * (EK_WG / lanes) + EK_LID() / lanes;
	const int lane = EK_LID() & (lanes - 1);

	if (unit >= count)
		return;
	const ek_i64 i = list[first + unit];
	const EK_GLOBAL IDX *col = b_col;
	const EK_GLOBAL VAL *val = b_val;
	int read = !EK_IS_ZERO(alpha);
	VAL factor = 0;
	PTR from, stop;

	if (a_ptr[i] < a_ptr[i + 1]) {
		const PTR k = a_ptr[i];

		from = b_ptr[a_col[k]];
		stop = b_ptr[a_col[k] + 1];
		if (read)
			factor = EK_MUL(alpha, a_val[k]);
	} else {
		from = d_ptr[i];
		stop = d_ptr[i + 1];
		col = d_col;
		val = d_val;
		factor = beta;
		read = !EK_IS_ZERO(beta);
	}
	const ek_i64 to = at[i] - begin - from;

	for (PTR e = from + lane; e < stop; e += lanes) {
		if (columns)
			c_col[to + e] = col[e];
		c_val[to + e] = read ? (VAL)0 + EK_MUL(factor, val[e]) : (VAL)0;
	}
	if (store && lane == 0)
		length[i] = stop - from;
}

/* ---- From temporary rows to C ---------------------------------------------------------------- */

/* Copies temporary rows, which begin at from[i], to C, where they begin at at[i]. A group copies
 * EK_WG * EACH entries. */
EK_KERNEL(arrange, EK_WG)
(ek_i64 rows, const EK_GLOBAL ek_i64 *EK_RESTRICT from, const EK_GLOBAL ek_i64 *EK_RESTRICT at,
 const EK_GLOBAL IDX *EK_RESTRICT from_col, const EK_GLOBAL VAL *EK_RESTRICT from_val,
 EK_GLOBAL IDX *EK_RESTRICT c_col, EK_GLOBAL VAL *EK_RESTRICT c_val)
{
	EK_LOCAL ek_i64 ends[2];
	const ek_i64 begin = EK_GROUP() * (EK_WG * EACH);
	const ek_i64 end = begin + EK_WG * EACH < at[rows] ? begin + EK_WG * EACH : at[rows];

	if (EK_LID() < 2)
		ends[EK_LID()] = ek_last_not_above(at, 0, rows - 1, EK_LID() ? end - 1 : begin);
	EK_BARRIER();
	for (ek_i64 e = begin + EK_LID(); e < end; e += EK_WG) {
		const ek_i64 i = ek_last_not_above(at, ends[0], ends[1], e);
		const ek_i64 k = from[i] + e - at[i];

		c_col[e] = from_col[k];
		c_val[e] = from_val[k];
	}
}
