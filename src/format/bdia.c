/* SPDX-License-Identifier: BSD-3-Clause
 * Banded diagonals (BDIA): like DIA, but diagonals beside each other, a band, are kept together and
 * have one offset. The values of a band for 32 rows follow each other, diagonal by diagonal, so a
 * product reads one stream for each band instead of one for each diagonal, and the n diagonals of a
 * band use nearly the same elements of x: 32 + n - 1 for 32 rows. Bands are as wide as possible;
 * a diagonal without neighbours is a band of its own.
 *
 * Each diagonal that has entries, full or not, takes (w + 1/8) bytes for each row, rounded up to a
 * multiple of 32 rows, with values of w bytes. Places without an entry have the value 0; a mask,
 * which products read only if a sum is not finite, distinguishes them from entries.
 *
 * Su and Keutzer 2012 (clSpMV), where the places of a band are ordered by diagonal alone. */
#include <string.h>

#include "format/bdia.h"
#include "format/diagonals.h"
#include "format/mask.h"
#include "format/padding.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/bdia.c"
#include "base/for_each.h"

#include "format/row_runs.h"

#if EK_PER_TYPE

/* Returns the word of the mask that has row i on the diagonal with offset `at`, which is there.
 * Tries band *b first, and sets *b to the band. */
static inline int64_t FN(bdia_find)(const ek_store *s, int64_t *b, int64_t i, int64_t at)
{
	const PTR *band_ptr = s->array[BDIA_PTR];
	const IDX *offset = s->array[BDIA_OFFSET];
	int64_t n = band_ptr[*b + 1] - band_ptr[*b], d = at - offset[*b];

	if (d < 0 || d >= n) {
		*b = eki_upper_bound(offset, 0, bdia_bands(s), at) - 1;
		n = band_ptr[*b + 1] - band_ptr[*b];
		d = at - offset[*b];
	}
	return bdia_word(band_ptr[*b], n, bdia_groups(s), i / BDIA_ROWS, d);
}

static void FN(bdia_clear)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	(void)csr;
	FN(clear_words)(out, BDIA_MASK, BDIA_VAL, begin, end);
}

static inline void FN(bdia_stored_rows)(const ek_store *csr, ek_store *out, int64_t i, int64_t n)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL];
	const uint32_t bits = (UINT32_MAX >> (BDIA_ROWS - n)) << i % BDIA_ROWS;
	uint32_t *mask = out->array[BDIA_MASK];
	int64_t band = 0;

	for (int64_t k = row_ptr[i]; k < row_ptr[i + 1]; k++)
		mask[FN(bdia_find)(out, &band, i, col_idx[k] - i)] |= bits;
}

/* Sets the mask bits of all entries in the rows of groups [begin, end). */
static void FN(bdia_stored)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	FN(each_alike)
	(csr, out, FN(word_row)(csr, begin), FN(word_row)(csr, end), FN(bdia_stored_rows));
}

static inline void FN(bdia_values_rows)(const ek_store *csr, ek_store *out, int64_t i, int64_t n)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL];
	const PTR len = row_ptr[i + 1] - row_ptr[i];
	int64_t band = 0;

	for (int64_t k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
		const VAL *from = (const VAL *)csr->array[CSR_VAL] + k;
		const int64_t word = FN(bdia_find)(out, &band, i, col_idx[k] - i);
		VAL *to = (VAL *)out->array[BDIA_VAL] + word * BDIA_ROWS + i % BDIA_ROWS;

		for (int64_t r = 0; r < n; r++)
			to[r] = from[r * len];
	}
}

static void FN(bdia_values)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	FN(each_alike)(csr, out, begin, end, FN(bdia_values_rows));
}

/* Sets row_ptr[i + 1] to the number of entries of row i, for each row i of groups [begin, end). */
static void FN(bdia_lengths)(const ek_store *in, ek_store *csr, int64_t begin, int64_t end)
{
	const PTR *band_ptr = in->array[BDIA_PTR];
	const uint32_t *mask = in->array[BDIA_MASK];
	const int64_t groups = bdia_groups(in);
	PTR *length = (PTR *)csr->array[CSR_PTR] + 1;

	for (int64_t i = FN(word_row)(in, begin); i < FN(word_row)(in, end); i++)
		length[i] = 0;
	for (int64_t g = begin; g < end; g++)
		for (int64_t b = 0; b < bdia_bands(in); b++) {
			const int64_t n = band_ptr[b + 1] - band_ptr[b];
			const int64_t word = bdia_word(band_ptr[b], n, groups, g, 0);

			for (int64_t d = 0; d < n; d++)
				for (uint32_t left = mask[word + d]; left; left &= left - 1)
					length[BDIA_ROWS * g + __builtin_ctz(left)]++;
		}
}

/* Copies columns and values of the rows of groups [begin, end) to `csr`, whose row_ptr is
 * complete. */
static void FN(bdia_to_csr)(const ek_store *in, ek_store *csr, int64_t begin, int64_t end)
{
	const PTR *band_ptr = in->array[BDIA_PTR], *row_ptr = csr->array[CSR_PTR];
	const IDX *offset = in->array[BDIA_OFFSET];
	const VAL *val = in->array[BDIA_VAL];
	const uint32_t *mask = in->array[BDIA_MASK];
	IDX *col_idx = csr->array[CSR_COL];
	VAL *to = csr->array[CSR_VAL];

	for (int64_t g = begin; g < end; g++) {
		const int64_t first = BDIA_ROWS * g, rows = FN(word_row)(in, g + 1) - first;
		int64_t at[BDIA_ROWS] = {0};

		for (int64_t r = 0; r < rows; r++)
			at[r] = row_ptr[first + r];
		for (int64_t b = 0; b < bdia_bands(in); b++) {
			const int64_t n = band_ptr[b + 1] - band_ptr[b];
			const int64_t word = bdia_word(band_ptr[b], n, bdia_groups(in), g, 0);

			for (int64_t d = 0; d < n; d++)
				for (uint32_t left = mask[word + d]; left; left &= left - 1) {
					const int r = __builtin_ctz(left);

					col_idx[at[r]] = (IDX)(first + r + offset[b] + d);
					to[at[r]++] = val[(word + d) * BDIA_ROWS + r];
				}
		}
	}
}

/* Returns the first faulty band in [begin, end), or `end` if there is none. A band has a diagonal,
 * all of its diagonals have places in the matrix, and it does not touch the band before it. The
 * pointers of bands may be any numbers. */
static int64_t FN(bdia_band_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	const PTR *band_ptr = s->array[BDIA_PTR];
	const IDX *offset = s->array[BDIA_OFFSET];
	const int64_t most = eki_plus(s->rows, s->cols);

	for (int64_t b = begin; b < end; b++) {
		if (band_ptr[b] < 0 || band_ptr[b + 1] <= band_ptr[b] ||
		    band_ptr[b + 1] - band_ptr[b] > most || offset[b] <= -s->rows ||
		    offset[b] > s->cols - (band_ptr[b + 1] - band_ptr[b]))
			return b;
		if (b && (band_ptr[b - 1] < 0 || band_ptr[b - 1] > band_ptr[b] ||
		          band_ptr[b] - band_ptr[b - 1] >= (int64_t)offset[b] - offset[b - 1]))
			return b;
	}
	return end;
}

/* Returns the first faulty word of the mask in [begin, end), or `end` if there is none. A word is
 * faulty if one of its places holds an entry but is outside the matrix, or holds no entry but its
 * value is not 0. */
static int64_t FN(bdia_word_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	const PTR *band_ptr = s->array[BDIA_PTR];
	const IDX *offset = s->array[BDIA_OFFSET];
	const VAL *val = s->array[BDIA_VAL];
	const uint32_t *mask = s->array[BDIA_MASK];
	const int64_t groups = bdia_groups(s);

	for (int64_t word = begin; word < end; word++) {
		const int64_t b = eki_upper_bound(band_ptr, 0, bdia_bands(s), word / groups) - 1;
		const int64_t n = band_ptr[b + 1] - band_ptr[b];
		const int64_t rest = word - band_ptr[b] * groups;

		for (int r = 0; r < BDIA_ROWS; r++) {
			const int64_t i = rest / n * BDIA_ROWS + r;
			const int64_t d = offset[b] + rest % n; /* a place in the first row */
			const int64_t j = i < s->rows && d < s->cols - i ? i + d : -1;

			if (mask[word] >> r & 1 ? j < 0 : !eki_pads(val[word * BDIA_ROWS + r]))
				return word;
		}
	}
	return end;
}

#endif
#if EK_ONCE

/* The bands found so far. Stores them in `out`, unless `out` is NULL. */
struct found {
	ek_store *out;
	int64_t bands, diagonals, last;
};

static void add_diagonal(void *arg, int64_t offset)
{
	struct found *f = arg;

	if (!f->diagonals || offset != f->last + 1) {
		if (f->out) {
			eki_ptr_set(f->out, f->bands, f->diagonals);
			eki_idx_set(f->out, BDIA_OFFSET, f->bands, offset);
		}
		f->bands++;
	}
	f->diagonals++;
	f->last = offset;
}

static ek_status layout(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	struct found f = {0};

	EK_RETURN_IF(eki_diagonals(ctx, csr, add_diagonal, &f));
	out->len[BDIA_PTR] = f.bands + 1;
	out->len[BDIA_OFFSET] = f.bands;
	out->len[BDIA_MASK] = eki_times(f.diagonals, bdia_groups(csr));
	out->len[BDIA_VAL] = eki_times(out->len[BDIA_MASK], BDIA_ROWS);
	return EK_OK;
}

static ek_status pattern(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const clear[EK_NTYPE] = EK_BY_TYPE(bdia_clear);
	static eki_fill_fn *const stored[EK_NTYPE] = EK_BY_TYPE(bdia_stored);
	struct found f = {.out = out};

	EK_RETURN_IF(eki_diagonals(ctx, csr, add_diagonal, &f));
	eki_ptr_set(out, f.bands, f.diagonals);
	eki_fill(ctx, clear, csr, out, out->len[BDIA_MASK], out->len[BDIA_VAL]);
	eki_fill(ctx, stored, csr, out, bdia_groups(csr), csr->nnz);
	return EK_OK;
}

static ek_status values(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const fn[EK_NTYPE] = EK_BY_TYPE(bdia_values);

	eki_fill(ctx, fn, csr, out, csr->rows, csr->nnz);
	return EK_OK;
}

static ek_status to_csr(const ek_context *ctx, const ek_store *in, ek_store *csr)
{
	static eki_fill_fn *const lengths[EK_NTYPE] = EK_BY_TYPE(bdia_lengths);
	static eki_fill_fn *const fn[EK_NTYPE] = EK_BY_TYPE(bdia_to_csr);

	eki_fill_csr(ctx, lengths, fn, in, csr, bdia_groups(in));
	return EK_OK;
}

static ek_status check(const ek_context *ctx, const ek_store *s)
{
	static eki_fault_fn *const band_fault[EK_NTYPE] = EK_BY_TYPE(bdia_band_fault);
	static eki_fault_fn *const word_fault[EK_NTYPE] = EK_BY_TYPE(bdia_word_fault);
	const int type = eki_type(s->value, s->index);
	const int64_t bands = bdia_bands(s);
	int64_t words, stored, k;

	EK_RETURN_IF(eki_len_check(
		s, (int64_t[]){bands + 1, bands, s->len[BDIA_VAL], s->len[BDIA_MASK]}));
	k = eki_first_fault(ctx, s, band_fault[type], bands);
	if (k < bands || eki_ptr_at(s, 0) != 0)
		return eki_fail(EK_ERANGE,
		                "band %lld: bands have a diagonal or more, ascend from %lld to "
		                "%lld, and do not touch each other",
		                (long long)k, (long long)(1 - s->rows), (long long)s->cols - 1);
	words = eki_times(eki_ptr_at(s, bands), bdia_groups(s));
	EK_RETURN_IF(eki_len_check(
		s, (int64_t[]){bands + 1, bands, eki_times(words, BDIA_ROWS), words}));
	k = eki_first_fault(ctx, s, word_fault[type], words);
	if (k < words)
		return eki_fail(EK_ERANGE,
		                "mask[%lld] has an entry outside the matrix, or belongs to a value "
		                "that is no entry",
		                (long long)k);
	stored = mask_count(s->array[BDIA_MASK], words);
	if (stored != s->nnz)
		return eki_fail(EK_ERANGE, "the mask has %lld entries, the matrix %lld",
		                (long long)stored, (long long)s->nnz);
	return EK_OK;
}

static bool find(const ek_store *s, int64_t i, int64_t j, eki_place *at)
{
	const int64_t b = eki_idx_lower_bound(s, BDIA_OFFSET, 0, bdia_bands(s), j - i + 1) - 1;
	int64_t first, n, d, place;

	if (at->array >= 0 || b < 0) /* there is at most one entry in row i and column j */
		return false;
	first = eki_ptr_at(s, b);
	n = eki_ptr_at(s, b + 1) - first;
	d = j - i - eki_idx_at(s, BDIA_OFFSET, b);
	if (d >= n)
		return false;
	place = bdia_word(first, n, bdia_groups(s), i / BDIA_ROWS, d) * BDIA_ROWS + i % BDIA_ROWS;
	if (!mask_has(s->array[BDIA_MASK], place))
		return false;
	*at = (eki_place){BDIA_VAL, place};
	return true;
}

const ek_format ek_format_bdia = {
	.name = "bdia",
	.text = "bands of diagonals, 32 rows of a band at a time, without column indices",
	.source = "Su and Keutzer 2012",
	.array = {{"band_ptr", EKI_PTR},
                  {"offset", EKI_IDX},
                  {"val", EKI_VALUE},
                  {"mask", EKI_WORD}},
	.check = check,
	.layout = layout,
	.pattern = pattern,
	.values = values,
	.to_csr = to_csr,
	.find = find,
	.by_column = true,
};

#endif
