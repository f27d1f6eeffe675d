/* SPDX-License-Identifier: BSD-3-Clause
 * The diagonal format (DIA): the entry in row i and column i + offset[d], on diagonal d, is at
 * place d * stride + i of val. Offsets ascend; the stride is the number of rows, rounded up a
 * little. Each diagonal that has entries, full or not, takes (w + 1/8) stride bytes with values of
 * w bytes. There are no column indices, so a product moves w bytes for each entry of a full
 * diagonal, while CSR moves w + 4.
 *
 * Places without an entry have the value 0; a mask distinguishes them from entries. A product reads
 * the mask only if a sum is Inf or NaN. Since 0 times Inf may have caused that, such a sum is
 * computed again from the entries alone.
 *
 * Liu 2015, section 5.2.1; Bell and Garland 2009, section 2.1. */
#include <string.h>

#include "format/dia.h"
#include "format/diagonals.h"
#include "format/mask.h"
#include "format/padding.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/dia.c"
#include "base/for_each.h"

#include "format/row_runs.h"

#if EK_PER_TYPE

static void FN(dia_clear)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	(void)csr;
	FN(clear_words)(out, DIA_MASK, DIA_VAL, begin, end);
}

/* Returns the number of the diagonal with offset `at`; tries number d first. */
static inline int64_t FN(dia_find)(const ek_store *s, int64_t d, int64_t at)
{
	const IDX *offset = s->array[DIA_OFFSET];

	if (d < dia_count(s) && offset[d] == at)
		return d;
	return eki_idx_lower_bound(s, DIA_OFFSET, 0, dia_count(s), at);
}

static inline void FN(dia_stored_rows)(const ek_store *csr, ek_store *out, int64_t i, int64_t n)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL];
	const uint32_t bits = (UINT32_MAX >> (32 - n)) << i % 32;
	const int64_t words = out->dim[DIA_STRIDE] / 32;
	uint32_t *mask = out->array[DIA_MASK];

	for (int64_t k = row_ptr[i], d = 0; k < row_ptr[i + 1]; k++, d++) {
		d = FN(dia_find)(out, d, col_idx[k] - i);
		mask[d * words + i / 32] |= bits;
	}
}

/* Sets the mask bits of all entries in the rows that words [begin, end) of a diagonal's mask
 * cover. */
static void FN(dia_stored)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	FN(each_alike)
	(csr, out, FN(word_row)(csr, begin), FN(word_row)(csr, end), FN(dia_stored_rows));
}

static inline void FN(dia_values_rows)(const ek_store *csr, ek_store *out, int64_t i, int64_t n)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL];
	const PTR len = row_ptr[i + 1] - row_ptr[i];

	for (int64_t k = row_ptr[i], d = 0; k < row_ptr[i + 1]; k++, d++) {
		const VAL *from = (const VAL *)csr->array[CSR_VAL] + k;

		d = FN(dia_find)(out, d, col_idx[k] - i);
		VAL *to = (VAL *)out->array[DIA_VAL] + d * out->dim[DIA_STRIDE] + i;

		for (int64_t r = 0; r < n; r++)
			to[r] = from[r * len];
	}
}

static void FN(dia_values)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	FN(each_alike)(csr, out, begin, end, FN(dia_values_rows));
}

/* Sets row_ptr[i + 1] to the number of entries of row i, for each row i that words [begin, end) of
 * a diagonal's mask cover. */
static void FN(dia_lengths)(const ek_store *in, ek_store *csr, int64_t begin, int64_t end)
{
	const uint32_t *mask = in->array[DIA_MASK];
	const int64_t words = in->dim[DIA_STRIDE] / 32;
	PTR *length = (PTR *)csr->array[CSR_PTR] + 1;

	for (int64_t i = FN(word_row)(in, begin); i < FN(word_row)(in, end); i++)
		length[i] = 0;
	for (int64_t g = begin; g < end; g++)
		for (int64_t d = 0; d < dia_count(in); d++)
			for (uint32_t left = mask[d * words + g]; left; left &= left - 1)
				length[32 * g + __builtin_ctz(left)]++;
}

/* Copies columns and values to `csr`, whose row_ptr is complete. Copies only the rows that words
 * [begin, end) of a diagonal's mask cover. */
static void FN(dia_to_csr)(const ek_store *in, ek_store *csr, int64_t begin, int64_t end)
{
	const IDX *offset = in->array[DIA_OFFSET];
	const VAL *val = in->array[DIA_VAL];
	const uint32_t *mask = in->array[DIA_MASK];
	const int64_t words = in->dim[DIA_STRIDE] / 32;
	const PTR *row_ptr = csr->array[CSR_PTR];
	IDX *col_idx = csr->array[CSR_COL];
	VAL *to = csr->array[CSR_VAL];

	for (int64_t g = begin; g < end; g++) {
		int64_t at[32] = {0};

		for (int64_t r = 0; r < FN(word_row)(in, g + 1) - 32 * g; r++)
			at[r] = row_ptr[32 * g + r];
		for (int64_t d = 0; d < dia_count(in); d++)
			for (uint32_t left = mask[d * words + g]; left; left &= left - 1) {
				const int r = __builtin_ctz(left);

				col_idx[at[r]] = (IDX)(32 * g + r + offset[d]);
				to[at[r]++] = val[(d * words + g) * 32 + r];
			}
	}
}

/* Returns the first diagonal in [begin, end) whose offset is out of range or not greater than that
 * of the diagonal before it. Returns `end` if there is none. */
static int64_t FN(dia_offset_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	const IDX *offset = s->array[DIA_OFFSET];

	for (int64_t d = begin; d < end; d++)
		if ((d && offset[d] <= offset[d - 1]) || offset[d] <= -s->rows ||
		    offset[d] >= s->cols)
			return d;
	return end;
}

/* Returns the first faulty place in [begin, end), or `end` if there is none. A place is faulty if
 * it holds an entry but is outside the matrix, or if it holds no entry but its value is not 0. */
static int64_t FN(dia_place_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	const IDX *offset = s->array[DIA_OFFSET];
	const VAL *val = s->array[DIA_VAL];
	const uint32_t *mask = s->array[DIA_MASK];
	const int64_t stride = s->dim[DIA_STRIDE];

	for (int64_t k = begin; k < end; k++) {
		const int64_t i = k % stride, d = offset[k / stride];
		const int64_t j = i < s->rows && d < s->cols - i ? i + d : -1;

		if (mask_has(mask, k) ? j < 0 : !eki_pads(val[k]))
			return k;
	}
	return end;
}

#endif
#if EK_ONCE

/* The diagonals found so far; stores their offsets in `out`, unless `out` is NULL. */
struct found {
	ek_store *out;
	int64_t count;
};

static void add_diagonal(void *arg, int64_t offset)
{
	struct found *f = arg;

	if (f->out)
		eki_idx_set(f->out, DIA_OFFSET, f->count, offset);
	f->count++;
}

static ek_status layout(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	struct found f = {0};

	EK_RETURN_IF(eki_diagonals(ctx, csr, add_diagonal, &f));
	out->dim[DIA_STRIDE] = dia_stride(csr->rows);
	out->len[DIA_OFFSET] = f.count;
	out->len[DIA_VAL] = eki_times(f.count, out->dim[DIA_STRIDE]);
	out->len[DIA_MASK] = mask_words(out->len[DIA_VAL]);
	return EK_OK;
}

static ek_status pattern(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const clear[EK_NTYPE] = EK_BY_TYPE(dia_clear);
	static eki_fill_fn *const stored[EK_NTYPE] = EK_BY_TYPE(dia_stored);
	struct found f = {.out = out};

	EK_RETURN_IF(eki_diagonals(ctx, csr, add_diagonal, &f));
	eki_fill(ctx, clear, csr, out, out->len[DIA_MASK], out->len[DIA_VAL]);
	eki_fill(ctx, stored, csr, out, out->dim[DIA_STRIDE] / 32, csr->nnz);
	return EK_OK;
}

static ek_status values(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const fn[EK_NTYPE] = EK_BY_TYPE(dia_values);

	eki_fill(ctx, fn, csr, out, csr->rows, csr->nnz);
	return EK_OK;
}

static ek_status to_csr(const ek_context *ctx, const ek_store *in, ek_store *csr)
{
	static eki_fill_fn *const lengths[EK_NTYPE] = EK_BY_TYPE(dia_lengths);
	static eki_fill_fn *const fn[EK_NTYPE] = EK_BY_TYPE(dia_to_csr);

	eki_fill_csr(ctx, lengths, fn, in, csr, mask_words(in->rows));
	return EK_OK;
}

static ek_status check(const ek_context *ctx, const ek_store *s)
{
	static eki_fault_fn *const offset_fault[EK_NTYPE] = EK_BY_TYPE(dia_offset_fault);
	static eki_fault_fn *const place_fault[EK_NTYPE] = EK_BY_TYPE(dia_place_fault);
	const int type = eki_type(s->value, s->index);
	const int64_t stride = dia_stride(s->rows), places = eki_times(dia_count(s), stride);
	int64_t stored, k;

	if (s->dim[DIA_STRIDE] != stride)
		return eki_fail(EK_ERANGE, "a diagonal has %lld places; %lld are expected",
		                (long long)s->dim[DIA_STRIDE], (long long)stride);
	EK_RETURN_IF(eki_len_check(s, (int64_t[]){dia_count(s), places, mask_words(places)}));
	k = eki_first_fault(ctx, s, offset_fault[type], dia_count(s));
	if (k < dia_count(s))
		return eki_fail(EK_ERANGE,
		                "offset[%lld] is %lld; offsets ascend, from %lld to %lld",
		                (long long)k, (long long)eki_idx_at(s, DIA_OFFSET, k),
		                (long long)(1 - s->rows), (long long)s->cols - 1);
	k = eki_first_fault(ctx, s, place_fault[type], places);
	if (k < places)
		return eki_fail(EK_ERANGE,
		                "row %lld of diagonal %lld has an entry outside the matrix, or a "
		                "value that is no entry",
		                (long long)(k % stride),
		                (long long)eki_idx_at(s, DIA_OFFSET, k / stride));
	stored = mask_count(s->array[DIA_MASK], s->len[DIA_MASK]);
	if (stored != s->nnz)
		return eki_fail(EK_ERANGE, "the mask has %lld entries, the matrix %lld",
		                (long long)stored, (long long)s->nnz);
	return EK_OK;
}

static bool find(const ek_store *s, int64_t i, int64_t j, eki_place *at)
{
	const int64_t d = eki_idx_lower_bound(s, DIA_OFFSET, 0, dia_count(s), j - i);
	const int64_t place = d * s->dim[DIA_STRIDE] + i;

	if (at->array >= 0) /* the only entry in row i and column j was found before */
		return false;
	if (d == dia_count(s) || eki_idx_at(s, DIA_OFFSET, d) != j - i ||
	    !mask_has(s->array[DIA_MASK], place))
		return false;
	*at = (eki_place){DIA_VAL, place};
	return true;
}

const ek_format ek_format_dia = {
	.name = "dia",
	.text = "diagonals, side by side, without column indices",
	.source = "Liu 2015, section 5.2.1; Bell and Garland 2009",
	.array = {{"offset", EKI_IDX}, {"val", EKI_VALUE}, {"mask", EKI_WORD}},
	.check = check,
	.convert = {10, 40},
	.layout = layout,
	.pattern = pattern,
	.values = values,
	.to_csr = to_csr,
	.find = find,
	.by_column = true,
};

#endif
