/* SPDX-License-Identifier: BSD-3-Clause
 * Compressed sparse rows (CSR), the format that all others are converted from and to. Row i has
 * entries row_ptr[i] .. row_ptr[i + 1] - 1 of col_idx and val. With 32-bit indices and values of w
 * bytes, the format takes w nnz + 4 nnz + 4 (rows + 1) bytes.
 *
 * A row may have several entries in one column, and its columns may be in any order. A method that
 * needs distinct or ascending columns says so in its function `applies`. */
#include "matrix/matrix.h"
#define EK_FILE "format/csr.c"
#include "base/for_each.h"

#if EK_PER_TYPE

/* Returns the first row i in [begin, end) with row_ptr[i] > row_ptr[i + 1], or `end` if there is
 * none. */
static int64_t FN(csr_ptr_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	const PTR *row_ptr = s->array[CSR_PTR];

	for (int64_t i = begin; i < end; i++)
		if (row_ptr[i] > row_ptr[i + 1])
			return i;
	return end;
}

#endif

/* Returns the first entry k in [begin, end) whose column is outside the matrix, or `end` if there
 * is none. The loop over a block of entries has no early exit, so that it vectorises. Columns are
 * compared as unsigned numbers: those below the base become very large, so a single comparison
 * finds them too. */
static int64_t FN(csr_col_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	const IDX *col_idx = s->array[CSR_COL];
	const uint64_t cols = (uint64_t)s->cols, base = (uint64_t)s->base;

	for (int64_t block = begin; block < end; block += 4096) {
		int64_t stop = end - block < 4096 ? end : block + 4096;
		IDX low = (IDX)base, high = (IDX)base;

		for (int64_t k = block; k < stop; k++) {
			low = col_idx[k] < low ? col_idx[k] : low;
			high = col_idx[k] > high ? col_idx[k] : high;
		}
		if (low < (IDX)base || (uint64_t)high - base >= cols)
			for (int64_t k = block; k < stop; k++)
				if ((uint64_t)col_idx[k] - base >= cols)
					return k;
	}
	return end;
}

#if EK_ONCE

int64_t eki_col_fault(const ek_context *ctx, const ek_store *s)
{
	static eki_fault_fn *const col_fault[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr_col_fault);

	return eki_first_fault(ctx, s, col_fault[ctx->isa][eki_type(s->value, s->index)], s->nnz);
}

/* Names of the arrays in messages: word[0] has those of CSR, word[1] those of CSC. */
static const struct {
	const char *ptr, *idx, *line;
} word[2] = {{"row_ptr", "col_idx", "row"}, {"col_ptr", "row_idx", "column"}};

static ek_status csr_check(const ek_context *ctx, const ek_store *s)
{
	static eki_fault_fn *const ptr_fault[EK_NTYPE] = EK_BY_TYPE(csr_ptr_fault);
	const char *ptr = word[s->columns].ptr;
	int64_t k;

	EK_RETURN_IF(eki_len_check(s, (int64_t[]){s->rows + 1, s->nnz, s->nnz}));
	if (eki_ptr_at(s, 0) != s->base)
		return eki_fail(EK_ERANGE, "%s is %lld; %d is expected%s",
		                eki_place_of(ptr, 0, s->base).text, (long long)eki_ptr_at(s, 0),
		                s->base, s->base ? " with EK_BASE1" : "");
	k = eki_first_fault(ctx, s, ptr_fault[eki_type(s->value, s->index)], s->rows);
	if (k < s->rows)
		return eki_fail(EK_ERANGE, "%s decreases from %s = %lld to %s = %lld", ptr,
		                eki_place_of(ptr, k, s->base).text, (long long)eki_ptr_at(s, k),
		                eki_place_of(ptr, k + 1, s->base).text,
		                (long long)eki_ptr_at(s, k + 1));
	if (eki_ptr_at(s, s->rows) != s->nnz + s->base)
		return eki_fail(EK_ERANGE, "%s is %lld, the matrix has %lld entries",
		                eki_place_of(ptr, s->rows, s->base).text,
		                (long long)eki_ptr_at(s, s->rows), (long long)s->nnz);
	k = eki_col_fault(ctx, s);
	if (k < s->nnz)
		return eki_fail(EK_ERANGE, "%s is %lld (in %s %lld); %d to %lld are possible",
		                eki_place_of(word[s->columns].idx, k, s->base).text,
		                (long long)eki_col_at(s, k), word[s->columns].line,
		                (long long)eki_row_of(s, k + s->base) + s->base, s->base,
		                (long long)s->cols - 1 + s->base);
	return EK_OK;
}

static bool csr_find(const ek_store *s, int64_t i, int64_t j, eki_place *at)
{
	return eki_row_find(s, eki_ptr_at(s, i), eki_ptr_at(s, i + 1), 1, j + s->base, at);
}

const ek_format ek_format_csr = {
	.name = "csr",
	.text = "compressed sparse rows: the hub, and what callers bring",
	.source = "Liu 2015, section 5.2.4",
	.array = {{"row_ptr", EKI_PTR}, {"col_idx", EKI_IDX}, {"val", EKI_VALUE}},
	.check = csr_check,
	.find = csr_find,
};

/* The format CSC, which only provides names: a matrix in CSC is stored as the CSR of its transpose,
 * so no store has this format (reshape/convert.c). */
const ek_format ek_format_csc = {
	.name = "csc",
	.text = "compressed sparse columns: CSR of the transpose",
	.source = "Liu 2015, section 5.2.4, of the transpose",
	.array = {{"col_ptr", EKI_PTR}, {"row_idx", EKI_IDX}, {"val", EKI_VALUE}},
	.check = csr_check,
	.find = csr_find,
};

#endif
