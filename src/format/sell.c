/* SPDX-License-Identifier: BSD-3-Clause
 * SELL-C-sigma: the rows are cut into chunks of c rows. A chunk has as many places for each of its
 * rows as the longest one needs. The j-th entries of all its rows are stored side by side (sell.h).
 * Within each window of sigma rows the longest rows come first, so that the rows of a chunk have
 * similar lengths; sigma = 1 keeps the order of the rows. With 32-bit indices and values of w
 * bytes, a place takes w + 4 bytes, whether used or not. A row takes 4 bytes for its length and, if
 * sigma > 1, 4 for its number.
 *
 * The default c is the number of lanes of a vector, but at least 4. The default sigma is one of a
 * few values. A larger value is chosen only if it saves bytes: sorting rows makes reads of x less
 * sequential, and y is written out of order. Rows are sorted in linear time, whatever their
 * lengths are (sell_order.c).
 *
 * Padding has the value 0 and the column of the last entry of its row, or of a nearby entry if the
 * row has none.
 *
 * Kreutzer, Hager, Wellein, Fehske and Bishop 2014. For sigma = 1: Monakov, Lokhmotov and Avetisyan
 * 2010; Liu 2015, section 5.4.1. */
#include "format/sell_order.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/sell.c"
#include "base/for_each.h"

#include "format/lanes.h"

#if EK_PER_TYPE

/* Returns the row at position p in the order of the rows. */
static inline int64_t FN(sell_row)(const ek_store *s, int64_t p)
{
	return s->array[SELL_PERM] ? ((const IDX *)s->array[SELL_PERM])[p] : p;
}

static void FN(sell_lengths)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	IDX *len = out->array[SELL_LEN];

	for (int64_t i = begin; i < end; i++)
		len[i] = (IDX)(row_ptr[i + 1] - row_ptr[i]);
}

/* Returns the number of entries of the longest row of a chunk. */
static inline int64_t FN(sell_width)(const ek_store *s, int64_t chunk)
{
	const IDX *len = s->array[SELL_LEN];
	int64_t width = 0;

	for (int64_t p = sell_first(s, chunk); p < sell_first(s, chunk + 1); p++) {
		const int64_t n = len[FN(sell_row)(s, p)];

		width = n > width ? n : width;
	}
	return width;
}

/* Sets chunk_ptr[k + 1] to the number of places of chunk k, for each k in [begin, end). eki_ptr_sum
 * then turns these numbers into pointers. */
static void FN(sell_sizes)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	PTR *chunk_ptr = out->array[SELL_PTR];

	(void)csr;
	for (int64_t k = begin; k < end; k++)
		chunk_ptr[k + 1] = (PTR)(out->dim[SELL_C] * FN(sell_width)(out, k));
}

/* Fills *h with a description of chunk k as a chunk of lanes (padding.h). */
static void FN(sell_chunk)(const ek_store *sell, const ek_store *csr, int64_t k, lane_chunk *h)
{
	const PTR *chunk_ptr = sell->array[SELL_PTR], *row_ptr = csr->array[CSR_PTR];
	const int64_t c = sell->dim[SELL_C];

	h->lanes = c;
	h->steps = (chunk_ptr[k + 1] - chunk_ptr[k]) / c;
	h->at = chunk_ptr[k];
	for (int64_t l = 0, p = k * c; l < c; l++, p++) {
		const int64_t i = p < sell->rows ? FN(sell_row)(sell, p) : -1;
		const int64_t first = i < 0 ? sell->nnz : (int64_t)row_ptr[i];
		const int64_t len = i < 0 ? 0 : (int64_t)row_ptr[i + 1] - first;

		lane_set(h, l, first, len, sell->nnz);
	}
}

static void FN(sell_columns)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	lane_chunk h;

	for (int64_t k = begin; k < end; k++) {
		FN(sell_chunk)(out, csr, k, &h);
		FN(chunk_columns)(&h, csr->array[CSR_COL], out->array[SELL_COL]);
	}
}

static void FN(sell_values)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	lane_chunk h;

	for (int64_t k = begin; k < end; k++) {
		FN(sell_chunk)(out, csr, k, &h);
		FN(chunk_values)(&h, csr->array[CSR_VAL], out->array[SELL_VAL]);
	}
}

/* Copies columns and values of the rows of chunks [begin, end) to `csr`, whose row_ptr is
 * complete. */
static void FN(sell_to_csr)(const ek_store *in, ek_store *csr, int64_t begin, int64_t end)
{
	const PTR *chunk_ptr = in->array[SELL_PTR], *row_ptr = csr->array[CSR_PTR];
	const IDX *len = in->array[SELL_LEN];
	const int64_t c = in->dim[SELL_C];

	for (int64_t p = sell_first(in, begin); p < sell_first(in, end); p++) {
		const int64_t i = FN(sell_row)(in, p);

		FN(lane_to_csr)(in, chunk_ptr[p / c] + p % c, c, len[i], csr, row_ptr[i]);
	}
}

/* Tells whether row i comes before row j in the sorted order: if it is longer, or of the same
 * length and i < j. */
static inline bool FN(sell_before)(const IDX *len, int64_t i, int64_t j)
{
	return len[i] > len[j] || (len[i] == len[j] && i < j);
}

static inline bool FN(sell_in_window)(const ek_store *s, int64_t i, int64_t window)
{
	return i >= 0 && i < s->rows && i / s->dim[SELL_SIGMA] == window;
}

/* Returns the first position in [begin, end) with a wrong row length or row number, or `end` if
 * there is none. In a window each row must come after the one before it in the order of
 * sell_before, so no row can occur twice. */
static int64_t FN(sell_row_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	const IDX *len = s->array[SELL_LEN], *perm = s->array[SELL_PERM];
	const int64_t sigma = s->dim[SELL_SIGMA], most = s->len[SELL_COL] / s->dim[SELL_C];

	for (int64_t p = begin; p < end; p++) {
		if (len[p] < 0 || len[p] > most)
			return p;
		if (!s->len[SELL_PERM])
			continue;
		if (!FN(sell_in_window)(s, perm[p], p / sigma))
			return p;
		if (p % sigma && (!FN(sell_in_window)(s, perm[p - 1], p / sigma) ||
		                  !FN(sell_before)(len, perm[p - 1], perm[p])))
			return p;
	}
	return end;
}

/* Returns the first faulty chunk in [begin, end), or `end` if there is none. A chunk is faulty if
 * its number of places does not match its longest row, if a column is out of range, or if padding
 * is not 0. */
static int64_t FN(sell_chunk_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	const PTR *chunk_ptr = s->array[SELL_PTR];
	const IDX *len = s->array[SELL_LEN];
	const int64_t c = s->dim[SELL_C];

	for (int64_t k = begin; k < end; k++) {
		const int64_t steps = FN(sell_width)(s, k);

		if (chunk_ptr[k] < 0 || chunk_ptr[k + 1] < chunk_ptr[k] ||
		    chunk_ptr[k + 1] > s->len[SELL_COL] ||
		    chunk_ptr[k + 1] - chunk_ptr[k] != c * steps)
			return k;
		for (int64_t l = 0; l < c; l++) {
			const int64_t p = k * c + l;
			const int64_t n = p < s->rows ? len[FN(sell_row)(s, p)] : 0;

			if (FN(lane_fault)(s, chunk_ptr[k] + l, c, steps, n))
				return k;
		}
	}
	return end;
}

#endif
#if EK_ONCE

static ek_status layout(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	const int64_t lanes = eki_lanes(ctx->isa, csr->value);
	int64_t *dim = out->dim, places = 0;

	EK_RETURN_IF(eki_row_lengths_check(csr, out->format));
	if (!dim[SELL_C])
		dim[SELL_C] = lanes < 4 ? 4 : lanes;
	if (dim[SELL_SIGMA]) {
		dim[SELL_SIGMA] = sell_sigma(dim[SELL_SIGMA], dim[SELL_C]);
		EK_RETURN_IF(eki_sell_order(ctx, csr, out, &places));
	} else {
		EK_RETURN_IF(eki_sell_sigma(ctx, csr, out, &places));
	}
	if (places > eki_ptr_max(csr->index))
		return eki_fail(EK_ELIMIT,
		                "format sell would take %lld places for this matrix, more than "
		                "index type %s counts",
		                (long long)places, ek_index_name(csr->index));
	out->len[SELL_PTR] = sell_chunks(out) + 1;
	out->len[SELL_COL] = out->len[SELL_VAL] = places;
	out->len[SELL_LEN] = csr->rows;
	out->len[SELL_PERM] = dim[SELL_SIGMA] > 1 ? csr->rows : 0;
	return EK_OK;
}

static ek_status pattern(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const lengths[EK_NTYPE] = EK_BY_TYPE(sell_lengths);
	static eki_fill_fn *const sizes[EK_NTYPE] = EK_BY_TYPE(sell_sizes);
	static eki_fill_fn *const columns[EK_NTYPE] = EK_BY_TYPE(sell_columns);
	const int64_t chunks = sell_chunks(out);
	ek_store units = *out;
	int64_t places;

	if (out->len[SELL_PERM])
		EK_RETURN_IF(eki_sell_order(ctx, csr, out, &places));
	eki_fill(ctx, lengths, csr, out, csr->rows, csr->rows);
	eki_fill(ctx, sizes, csr, out, chunks, csr->rows);
	units.rows = chunks;
	eki_ptr_sum(ctx, &units);
	eki_fill(ctx, columns, csr, out, chunks, out->len[SELL_COL]);
	return EK_OK;
}

static ek_status values(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const fn[EK_NTYPE] = EK_BY_TYPE(sell_values);

	eki_fill(ctx, fn, csr, out, sell_chunks(out), out->len[SELL_VAL]);
	return EK_OK;
}

static ek_status to_csr(const ek_context *ctx, const ek_store *in, ek_store *csr)
{
	static eki_fill_fn *const fn[EK_NTYPE] = EK_BY_TYPE(sell_to_csr);

	eki_ptr_of_lengths(ctx, in, SELL_LEN, csr);
	eki_fill(ctx, fn, in, csr, sell_chunks(in), in->nnz);
	return EK_OK;
}

static ek_status check(const ek_context *ctx, const ek_store *s)
{
	static eki_fault_fn *const row_fault[EK_NTYPE] = EK_BY_TYPE(sell_row_fault);
	static eki_fault_fn *const chunk_fault[EK_NTYPE] = EK_BY_TYPE(sell_chunk_fault);
	const int64_t c = s->dim[SELL_C], sigma = s->dim[SELL_SIGMA], places = s->len[SELL_COL];
	const int type = eki_type(s->value, s->index);
	int64_t total, at;

	if (c < 1 || c > SELL_MAX_C || sigma < 1 || sigma > SELL_MAX_SIGMA ||
	    sigma != sell_sigma(sigma, c))
		return eki_fail(EK_ERANGE, "c is %lld and sigma %lld", (long long)c,
		                (long long)sigma);

	const int64_t chunks = sell_chunks(s);

	EK_RETURN_IF(eki_len_check(
		s, (int64_t[]){chunks + 1, places, places, s->rows, sigma > 1 ? s->rows : 0}));
	at = eki_first_fault(ctx, s, row_fault[type], s->rows);
	if (at < s->rows)
		return eki_fail(EK_ERANGE,
		                "row_len or perm[%lld]: of each %lld rows the longest come first",
		                (long long)at, (long long)sigma);
	at = eki_first_fault(ctx, s, chunk_fault[type], chunks);
	if (at < chunks)
		return eki_fail(EK_ERANGE,
		                "chunk %lld: it is shorter than its longest row, or a column is "
		                "not 0 to %lld, or padding is not 0",
		                (long long)at, (long long)s->cols - 1);
	total = eki_idx_sum(s, SELL_LEN);
	if (total != s->nnz || eki_ptr_at(s, 0) != 0 || eki_ptr_at(s, chunks) != places)
		return eki_fail(EK_ERANGE,
		                "chunks have room for %lld places and %lld entries; the matrix has "
		                "%lld and %lld",
		                (long long)(eki_ptr_at(s, chunks) - eki_ptr_at(s, 0)),
		                (long long)total, (long long)places, (long long)s->nnz);
	return EK_OK;
}

/* Returns the position of row i, found by bisection in its window, which is sorted. */
static int64_t place_of(const ek_store *s, int64_t i)
{
	const int64_t sigma = s->dim[SELL_SIGMA], len = eki_idx_at(s, SELL_LEN, i);
	int64_t p = i / sigma * sigma, end = s->rows - p < sigma ? s->rows : p + sigma;

	if (sigma == 1)
		return i;
	while (p < end) {
		const int64_t middle = p + (end - p) / 2, row = eki_idx_at(s, SELL_PERM, middle);
		const int64_t n = eki_idx_at(s, SELL_LEN, row);

		if (n > len || (n == len && row < i))
			p = middle + 1;
		else
			end = middle;
	}
	return p;
}

static bool find(const ek_store *s, int64_t i, int64_t j, eki_place *at)
{
	const int64_t c = s->dim[SELL_C], p = place_of(s, i);
	const int64_t k = eki_ptr_at(s, p / c) + p % c;

	return eki_row_find(s, k, k + eki_idx_at(s, SELL_LEN, i) * c, c, j, at);
}

const ek_format ek_format_sell = {
	.name = "sell",
	.text = "SELL-C-sigma: chunks of rows, each padded to its longest row",
	.source = "Kreutzer et al. 2014; Liu 2015, section 5.4.1; Monakov et al. 2010",
	.param = {{"c", 1, SELL_MAX_C, "rows of a chunk; best the width of one or more vectors"},
                  {"sigma", 1, SELL_MAX_SIGMA,
                   "of that many rows the longest come first; rounded up to a multiple of c, or "
                   "down at the end of the range"},
                  {0}},
	.array = {{"chunk_ptr", EKI_PTR},
                  {"col_idx", EKI_IDX},
                  {"val", EKI_VALUE},
                  {"row_len", EKI_IDX},
                  {"perm", EKI_IDX}},
	.check = check,
	.convert = {4, 20},
	.layout = layout,
	.pattern = pattern,
	.values = values,
	.to_csr = to_csr,
	.find = find,
};

#endif
