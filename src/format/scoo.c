/* SPDX-License-Identifier: BSD-3-Clause
 * Sliced coordinates (SCOO): the rows are cut into slices of `height` rows, and the entries of each
 * slice are sorted by column. So x is read in order, and each element of x is read once for all
 * rows of the slice. The sums of a slice are collected in a part of y that, with the default
 * height, stays in the first-level cache. The row of an entry is stored as its 16-bit number in its
 * slice. With 32-bit indices and values of w bytes, an entry takes w + 6 bytes and a slice takes
 * 4 bytes. Rows without entries take no memory.
 *
 * Dang and Schmidt make slices as high as the memory for sums allows, or lower if there would
 * otherwise be fewer slices than processors. The default height follows their rule. The sums of a
 * slice take 16 KiB, half of the smallest first-level cache in use, or less if there would
 * otherwise be fewer than eight slices for each thread. A slice is never divided among threads, so
 * a row that has most of the entries keeps one thread busy after the others are done.
 * Taller slices share more reads of x, but their sums are in the second-level cache.
 *
 * The entries of a slice are taken in CSR's order and sorted by column, with a radix sort of 11
 * bits at a time. So each row has ascending columns after conversion back to CSR. Within a row,
 * entries keep CSR's order, so new values can be filled in without sorting again.
 *
 * Dang and Schmidt 2012; Liu 2015, section 5.4.2. */
#include <string.h>

#include "format/scoo.h"
#include "prim_body/radix.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/scoo.c"
#include "base/for_each.h"

#ifndef EK_SCOO_SORT
#define EK_SCOO_SORT
enum { DIGIT = 11, DIGITS = 1 << DIGIT };
enum { BAND = 1 << 13 }; /* rows of a slice that are taken at a time */

struct scoo_sought {
	const ek_store *s;
	int64_t row, j;
};

static bool scoo_before(const void *of, int64_t e)
{
	const struct scoo_sought *at = of;
	const int64_t col = eki_idx_at(at->s, SCOO_COL, e);

	return col < at->j ||
	       (col == at->j && ((const uint16_t *)at->s->array[SCOO_ROW])[e] < at->row);
}

/* Returns the position of the entry in row i and column j, or -1 if there is none. */
static int64_t scoo_entry(const ek_store *s, int64_t i, int64_t j)
{
	const uint16_t *row = s->array[SCOO_ROW];
	const int64_t slice = i / s->dim[SCOO_HEIGHT], low = i - scoo_first(s, slice);
	const int64_t stop = eki_ptr_at(s, slice + 1);
	const int64_t e = eki_search(eki_ptr_at(s, slice), stop, scoo_before,
	                             &(struct scoo_sought){s, low, j});

	return e < stop && eki_idx_at(s, SCOO_COL, e) == j && row[e] == low ? e : -1;
}
#endif

#if EK_PER_TYPE

/* Copies the columns and row numbers of slices [begin, end), still in CSR's order, and sets
 * slice_ptr. */
static void FN(scoo_expand)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *from = csr->array[CSR_COL];
	PTR *slice_ptr = out->array[SCOO_PTR];
	IDX *col_idx = out->array[SCOO_COL];
	uint16_t *row = out->array[SCOO_ROW];

	for (int64_t k = begin; k < end; k++) {
		const int64_t first = scoo_first(out, k), n = scoo_rows(out, k);

		slice_ptr[k + 1] = row_ptr[first + n];
		for (int64_t i = 0; i < n; i++)
			for (int64_t e = row_ptr[first + i]; e < row_ptr[first + i + 1]; e++) {
				col_idx[e] = from[e];
				row[e] = (uint16_t)i;
			}
	}
}

struct FN(scoo_entries) {
	const IDX *col;
	const uint16_t *row;
	IDX low, *to_col;
	uint16_t *to_row;
	int64_t shift;
};

static inline int64_t FN(scoo_digit)(const void *of, int64_t e)
{
	const struct FN(scoo_entries) *s = of;

	return (int64_t)(s->col[e] - s->low) >> s->shift & (DIGITS - 1);
}

static inline void FN(scoo_place)(const void *of, int64_t e, int64_t to)
{
	const struct FN(scoo_entries) *s = of;

	s->to_col[to] = s->col[e];
	s->to_row[to] = s->row[e];
}

/* Copies n entries to s.to_col and s.to_row, sorted by one digit of s.col - s.low. The digit has
 * DIGIT bits and begins at bit s.shift. */
static void FN(scoo_pass)(int64_t n, struct FN(scoo_entries) s)
{
	int64_t at[DIGITS];

	eki_radix_pass(n, DIGITS, at, FN(scoo_digit), FN(scoo_place), &s);
}

/* Sorts the entries of each slice in [begin, end) by column. Entries with the same column keep
 * their order. `scratch` has arrays of columns and row numbers that are as long as those of
 * `out`. */
static void FN(scoo_sort)(const ek_store *scratch, ek_store *out, int64_t begin, int64_t end)
{
	const PTR *slice_ptr = out->array[SCOO_PTR];

	for (int64_t k = begin; k < end; k++) {
		const int64_t at = slice_ptr[k], n = slice_ptr[k + 1] - at;

		if (n < 2)
			continue;

		IDX *col = (IDX *)out->array[SCOO_COL] + at;
		IDX *other = (IDX *)scratch->array[SCOO_COL] + at;
		uint16_t *row = (uint16_t *)out->array[SCOO_ROW] + at;
		uint16_t *other_row = (uint16_t *)scratch->array[SCOO_ROW] + at;
		IDX low = col[0], high = low;
		bool sorted = true;

		for (int64_t e = 1; e < n; e++) {
			sorted &= col[e - 1] <= col[e];
			low = col[e] < low ? col[e] : low;
			high = col[e] > high ? col[e] : high;
		}
		if (sorted)
			continue;

		struct FN(scoo_entries) there = {col, row, low, other, other_row, 0};
		struct FN(scoo_entries) back = {other, other_row, low, col, row, DIGIT};

		for (int64_t rest = high - low; rest; rest >>= 2 * DIGIT) {
			FN(scoo_pass)(n, there);
			FN(scoo_pass)(n, back);
			there.shift += 2 * DIGIT;
			back.shift += 2 * DIGIT;
		}
	}
}

/* Moves entry `at` of `csr` to entry e of `scoo`, or back. Tells whether both have the same column
 * then. */
typedef bool FN(scoo_move)(const ek_store *scoo, const ek_store *csr, int64_t e, PTR at);

/* Calls `move` for all entries of a slice. The entries of each row are taken in CSR's order. Tells
 * whether all calls returned true. A slice is gone through once for each BAND rows, since their
 * pointers are on the stack: filling in new values takes no memory. */
static inline bool FN(scoo_each)(const ek_store *scoo, const ek_store *csr, int64_t slice,
                                 FN(scoo_move) * move)
{
	const PTR *slice_ptr = scoo->array[SCOO_PTR], *row_ptr = csr->array[CSR_PTR];
	const uint16_t *row = scoo->array[SCOO_ROW];
	const int64_t rows = scoo_rows(scoo, slice);
	PTR next[BAND];
	bool all = true;

	for (int64_t low = 0; low < rows; low += BAND) {
		const int64_t n = rows - low < BAND ? rows - low : BAND;

		memcpy(next, row_ptr + scoo_first(scoo, slice) + low, (size_t)n * sizeof *next);
		for (int64_t e = slice_ptr[slice]; e < slice_ptr[slice + 1]; e++)
			if (row[e] >= low && row[e] < low + n)
				all &= move(scoo, csr, e, next[row[e] - low]++);
	}
	return all;
}

static inline bool FN(scoo_take)(const ek_store *scoo, const ek_store *csr, int64_t e, PTR at)
{
	((VAL *)scoo->array[SCOO_VAL])[e] = ((const VAL *)csr->array[CSR_VAL])[at];
	return ((const IDX *)scoo->array[SCOO_COL])[e] == ((const IDX *)csr->array[CSR_COL])[at];
}

static inline bool FN(scoo_give)(const ek_store *scoo, const ek_store *csr, int64_t e, PTR at)
{
	((VAL *)csr->array[CSR_VAL])[at] = ((const VAL *)scoo->array[SCOO_VAL])[e];
	((IDX *)csr->array[CSR_COL])[at] = ((const IDX *)scoo->array[SCOO_COL])[e];
	return true;
}

/* Copies the values of slices [begin, end). Assumes that the entries of each row are still in the
 * order that they had in CSR when the format was made. If this is wrong for a slice, searches the
 * slice for the place of each entry. */
static void FN(scoo_values)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *from_col = csr->array[CSR_COL];
	const VAL *from = csr->array[CSR_VAL];
	VAL *val = out->array[SCOO_VAL];

	for (int64_t k = begin; k < end; k++) {
		const bool same = FN(scoo_each)(out, csr, k, FN(scoo_take));

		for (int64_t i = scoo_first(out, k); !same && i < scoo_first(out, k + 1); i++)
			for (int64_t at = row_ptr[i]; at < row_ptr[i + 1]; at++)
				val[scoo_entry(out, i, from_col[at])] = from[at];
	}
}

/* Sets row_ptr[i + 1] to the number of entries of row i, for each row i of slices [begin, end).
 * eki_ptr_sum then turns these numbers into pointers. */
static void FN(scoo_lengths)(const ek_store *in, ek_store *csr, int64_t begin, int64_t end)
{
	const PTR *slice_ptr = in->array[SCOO_PTR];
	const uint16_t *row = in->array[SCOO_ROW];

	for (int64_t k = begin; k < end; k++) {
		PTR *len = (PTR *)csr->array[CSR_PTR] + scoo_first(in, k) + 1;

		memset(len, 0, (size_t)scoo_rows(in, k) * sizeof *len);
		for (int64_t e = slice_ptr[k]; e < slice_ptr[k + 1]; e++)
			len[row[e]]++;
	}
}

/* Copies columns and values of slices [begin, end) to `csr`, whose row_ptr is complete. */
static void FN(scoo_to_csr)(const ek_store *in, ek_store *csr, int64_t begin, int64_t end)
{
	for (int64_t k = begin; k < end; k++)
		FN(scoo_each)(in, csr, k, FN(scoo_give));
}

/* Returns the first slice in [begin, end) with wrong pointers, or with an entry that is out of
 * range or out of order. Returns `end` if there is none. */
static int64_t FN(scoo_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	const PTR *slice_ptr = s->array[SCOO_PTR];
	const IDX *col_idx = s->array[SCOO_COL];
	const uint16_t *row = s->array[SCOO_ROW];

	for (int64_t k = begin; k < end; k++) {
		const int64_t first = slice_ptr[k], stop = slice_ptr[k + 1];

		if (first < 0 || stop < first || stop > s->nnz)
			return k;
		for (int64_t e = first; e < stop; e++) {
			if (col_idx[e] < 0 || col_idx[e] >= s->cols || row[e] >= scoo_rows(s, k))
				return k;
			if (e > first && (col_idx[e] < col_idx[e - 1] ||
			                  (col_idx[e] == col_idx[e - 1] && row[e] <= row[e - 1])))
				return k;
		}
	}
	return end;
}

#endif
#if EK_ONCE

enum { SUM_BYTES = 1 << 14 };

/* Returns the default height: the number of rows whose sums take SUM_BYTES, halved until there are
 * at least eight slices for each thread. */
static int64_t height_for(const ek_context *ctx, const ek_store *csr)
{
	int64_t height = SUM_BYTES / (int64_t)ek_value_size(csr->value);

	while (height > 1 && csr->rows / height < 8 * (int64_t)ctx->threads)
		height /= 2;
	return height;
}

static ek_status layout(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	int64_t *dim = out->dim;

	dim[SCOO_HEIGHT] = dim[SCOO_HEIGHT] ? dim[SCOO_HEIGHT] : height_for(ctx, csr);
	out->len[SCOO_PTR] = scoo_slices(out) + 1;
	out->len[SCOO_COL] = out->len[SCOO_VAL] = out->len[SCOO_ROW] = csr->nnz;
	return EK_OK;
}

static ek_status pattern(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const expand[EK_NTYPE] = EK_BY_TYPE(scoo_expand);
	static eki_fill_fn *const sort[EK_NTYPE] = EK_BY_TYPE(scoo_sort);
	const int64_t slices = scoo_slices(out);
	ek_store scratch = {.format = &ek_format_scoo, .value = csr->value, .index = csr->index};
	int64_t len[EKI_MAX_ARRAYS] = {[SCOO_COL] = csr->nnz, [SCOO_ROW] = csr->nnz};

	EK_RETURN_IF(eki_store_alloc(ctx, &scratch, len));
	eki_ptr_set(out, 0, 0);
	eki_fill(ctx, expand, csr, out, slices, csr->nnz);
	eki_fill(ctx, sort, &scratch, out, slices, csr->nnz);
	eki_store_free(ctx, &scratch);
	return EK_OK;
}

static ek_status values(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const fn[EK_NTYPE] = EK_BY_TYPE(scoo_values);

	eki_fill(ctx, fn, csr, out, scoo_slices(out), csr->nnz);
	return EK_OK;
}

static ek_status to_csr(const ek_context *ctx, const ek_store *in, ek_store *csr)
{
	static eki_fill_fn *const lengths[EK_NTYPE] = EK_BY_TYPE(scoo_lengths);
	static eki_fill_fn *const fn[EK_NTYPE] = EK_BY_TYPE(scoo_to_csr);

	eki_fill_csr(ctx, lengths, fn, in, csr, scoo_slices(in));
	return EK_OK;
}

static ek_status check(const ek_context *ctx, const ek_store *s)
{
	static eki_fault_fn *const fault[EK_NTYPE] = EK_BY_TYPE(scoo_fault);
	const int64_t nnz = s->nnz;
	int64_t k;

	if (s->dim[SCOO_HEIGHT] < 1 || s->dim[SCOO_HEIGHT] > SCOO_MAX_HEIGHT)
		return eki_fail(EK_ERANGE, "height is %lld; 1 to %d are possible",
		                (long long)s->dim[SCOO_HEIGHT], SCOO_MAX_HEIGHT);

	const int64_t slices = scoo_slices(s);

	EK_RETURN_IF(eki_len_check(s, (int64_t[]){slices + 1, nnz, nnz, nnz}));
	if (eki_ptr_at(s, 0) != 0 || eki_ptr_at(s, slices) != nnz)
		return eki_fail(EK_ERANGE,
		                "slice_ptr goes from %lld to %lld; 0 and %lld are expected",
		                (long long)eki_ptr_at(s, 0), (long long)eki_ptr_at(s, slices),
		                (long long)nnz);
	k = eki_first_fault(ctx, s, fault[eki_type(s->value, s->index)], slices);
	if (k < slices)
		return eki_fail(EK_ERANGE,
		                "slice %lld: its entries are not in the order of columns and rows, "
		                "or outside",
		                (long long)k);
	return EK_OK;
}

static bool find(const ek_store *s, int64_t i, int64_t j, eki_place *at)
{
	/* If an entry was found before, there is no other with the same row and column. */
	const int64_t e = at->array < 0 ? scoo_entry(s, i, j) : -1;

	if (e >= 0)
		*at = (eki_place){SCOO_VAL, e};
	return e >= 0;
}

const ek_format ek_format_scoo = {
	.name = "scoo",
	.text = "sliced coordinates: entries of a slice of rows by columns",
	.source = "Liu 2015, section 5.4.2; Dang and Schmidt 2012",
	.param = {{"height", 1, SCOO_MAX_HEIGHT, "rows of a slice"}, {0}, {0}},
	.array = {{"slice_ptr", EKI_PTR},
                  {"col_idx", EKI_IDX},
                  {"val", EKI_VALUE},
                  {"row_low", EKI_HALF}},
	.check = check,
	.convert = {15, 60},
	.layout = layout,
	.pattern = pattern,
	.values = values,
	.to_csr = to_csr,
	.find = find,
	.by_column = true,
};

#endif
