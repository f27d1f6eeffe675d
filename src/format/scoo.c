/* SPDX-License-Identifier: BSD-3-Clause
 * Sliced coordinates: the rows in slices of `height`, and in each slice the entries by columns, so
 * that x is read in order, and what is read of it serves all rows of the slice. Sums of the slice
 * gather in a buffer that stays in the first-level cache; a row is a number of 16 bits within the
 * slice. With 32-bit indices and values of w bytes: w + 6 bytes an entry and 4 a slice, nothing for
 * rows without entries.
 *
 * Dang and Schmidt make slices as high as the memory for sums allows, and lower where there would
 * not be one for each processor. So here: by default sums take 16 KiB, half of the smallest
 * first-level cache in use, and there are eight slices for each thread. A slice is never cut
 * between threads, so a row with most of the entries keeps one of them busy.
 *
 * Entries of a slice come in CSR's order and are sorted by counting, 11 bits of their columns at a
 * time. By columns means that each row comes back with its columns ascending; values follow the
 * order of CSR in each row, so new values need no new sorting.
 *
 * Dang and Schmidt 2012; Liu 2015, section 5.4.2. */
#include <string.h>

#include "format/scoo.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/scoo.c"
#include "core/for_each.h"

#ifndef EK_SCOO_SORT
#define EK_SCOO_SORT
enum { DIGIT = 11, DIGITS = 1 << DIGIT };

/* The entry in row i and column j, or -1: by bisection in the slice. */
static int64_t scoo_entry(const ek_store *s, int64_t i, int64_t j)
{
	const uint16_t *row = s->array[SCOO_ROW];
	const int64_t slice = i / s->dim[SCOO_HEIGHT], low = i - scoo_first(s, slice);
	const int64_t stop = eki_ptr_at(s, slice + 1);
	int64_t e = eki_ptr_at(s, slice), end = stop;

	while (e < end) {
		const int64_t middle = e + (end - e) / 2, col = eki_idx_at(s, SCOO_COL, middle);

		if (col < j || (col == j && row[middle] < low))
			e = middle + 1;
		else
			end = middle;
	}
	return e < stop && eki_idx_at(s, SCOO_COL, e) == j && row[e] == low ? e : -1;
}
#endif

#if EK_PER_TYPE

/* Entries of slices [begin, end) in CSR's order, and where they begin. */
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

/* Moves n entries from one place to another, sorted by the digit of col - low at `shift`. */
static void FN(scoo_digit)(const IDX *col, const uint16_t *row, int64_t n, IDX low, int64_t shift,
                           IDX *to_col, uint16_t *to_row)
{
	int64_t at[DIGITS] = {0}, before = 0;

	for (int64_t e = 0; e < n; e++)
		at[(int64_t)(col[e] - low) >> shift & (DIGITS - 1)]++;
	for (int digit = 0; digit < DIGITS; digit++) {
		const int64_t count = at[digit];

		at[digit] = before;
		before += count;
	}
	for (int64_t e = 0; e < n; e++) {
		const int64_t to = at[(int64_t)(col[e] - low) >> shift & (DIGITS - 1)]++;

		to_col[to] = col[e];
		to_row[to] = row[e];
	}
}

/* Sorts the entries of slices [begin, end) by column, equal ones staying in their order; `room` has
 * the same arrays. */
static void FN(scoo_sort)(const ek_store *room, ek_store *out, int64_t begin, int64_t end)
{
	const PTR *slice_ptr = out->array[SCOO_PTR];

	for (int64_t k = begin; k < end; k++) {
		const int64_t at = slice_ptr[k], n = slice_ptr[k + 1] - at;

		if (n < 2)
			continue;

		IDX *col = (IDX *)out->array[SCOO_COL] + at, *other = room->array[SCOO_COL];
		uint16_t *row = (uint16_t *)out->array[SCOO_ROW] + at;
		uint16_t *other_row = room->array[SCOO_ROW];
		IDX low = col[0], high = low;
		bool sorted = true;

		for (int64_t e = 1; e < n; e++) {
			sorted &= col[e - 1] <= col[e];
			low = col[e] < low ? col[e] : low;
			high = col[e] > high ? col[e] : high;
		}
		if (sorted)
			continue;
		for (int64_t rest = high - low, shift = 0; rest; rest >>= 2 * DIGIT) {
			FN(scoo_digit)(col, row, n, low, shift, other + at, other_row + at);
			FN(scoo_digit)(other + at, other_row + at, n, low, shift + DIGIT, col, row);
			shift += 2 * DIGIT;
		}
	}
}

/* Where the rows of a slice begin in CSR. */
static inline void FN(scoo_starts)(const ek_store *scoo, const ek_store *csr, int64_t slice,
                                   PTR *next)
{
	memcpy(next, (const PTR *)csr->array[CSR_PTR] + scoo_first(scoo, slice),
	       (size_t)scoo_rows(scoo, slice) * sizeof *next);
}

/* Values of slices [begin, end). Entries of a row come in CSR's order, unless that is another now
 * than the one that the format was made of: then each is looked for. */
static void FN(scoo_values)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR], *slice_ptr = out->array[SCOO_PTR];
	const IDX *col_idx = out->array[SCOO_COL], *from_col = csr->array[CSR_COL];
	const uint16_t *row = out->array[SCOO_ROW];
	const VAL *from = csr->array[CSR_VAL];
	VAL *val = out->array[SCOO_VAL];
	PTR next[SCOO_MAX_HEIGHT];

	for (int64_t k = begin; k < end; k++) {
		bool same = true;

		FN(scoo_starts)(out, csr, k, next);
		for (int64_t e = slice_ptr[k]; e < slice_ptr[k + 1]; e++) {
			const PTR at = next[row[e]]++;

			val[e] = from[at];
			same &= from_col[at] == col_idx[e];
		}
		for (int64_t i = scoo_first(out, k); !same && i < scoo_first(out, k + 1); i++)
			for (int64_t at = row_ptr[i]; at < row_ptr[i + 1]; at++)
				val[scoo_entry(out, i, from_col[at])] = from[at];
	}
}

/* Lengths of the rows of slices [begin, end), from which eki_ptr_sum makes row_ptr. */
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

static void FN(scoo_to_csr)(const ek_store *in, ek_store *csr, int64_t begin, int64_t end)
{
	const PTR *slice_ptr = in->array[SCOO_PTR];
	const IDX *col_idx = in->array[SCOO_COL];
	const uint16_t *row = in->array[SCOO_ROW];
	const VAL *val = in->array[SCOO_VAL];
	IDX *to_col = csr->array[CSR_COL];
	VAL *to_val = csr->array[CSR_VAL];
	PTR next[SCOO_MAX_HEIGHT];

	for (int64_t k = begin; k < end; k++) {
		FN(scoo_starts)(in, csr, k, next);
		for (int64_t e = slice_ptr[k]; e < slice_ptr[k + 1]; e++) {
			const PTR to = next[row[e]]++;

			to_col[to] = col_idx[e];
			to_val[to] = val[e];
		}
	}
}

/* First slice in [begin, end) with wrong pointers, or an entry outside or out of order, or end. */
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

/* The most rows whose sums have room, halved while threads have less than eight slices each. */
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
	ek_store room = {.format = &ek_format_scoo, .value = csr->value, .index = csr->index};
	int64_t len[EKI_MAX_ARRAYS] = {[SCOO_COL] = csr->nnz, [SCOO_ROW] = csr->nnz};

	EK_RETURN_IF(eki_store_alloc(ctx, &room, len));
	eki_ptr_set(out, 0, 0);
	eki_fill(ctx, expand, csr, out, slices, csr->nnz);
	eki_fill(ctx, sort, &room, out, slices, csr->nnz);
	eki_store_free(ctx, &room);
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

	eki_fill(ctx, lengths, in, csr, scoo_slices(in), in->nnz);
	eki_ptr_sum(csr);
	eki_fill(ctx, fn, in, csr, scoo_slices(in), in->nnz);
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
	const int64_t e = at->array < 0 ? scoo_entry(s, i, j) : -1; /* no place has two */

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
	.layout = layout,
	.pattern = pattern,
	.values = values,
	.to_csr = to_csr,
	.find = find,
	.by_column = true,
};

#endif
