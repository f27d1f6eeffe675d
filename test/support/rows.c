/* SPDX-License-Identifier: BSD-3-Clause
 * Matrices with given row lengths. */
#include "support/support.h"
#include "support/rows.h"

ek_matrix *rows_of_lengths(ek_context *ctx, int64_t n, int64_t cols, const int64_t *first,
                           const int64_t *length)
{
	int64_t *row_ptr = calloc((size_t)n + 1, sizeof *row_ptr), nnz = 0;
	ek_matrix *M;

	for (int64_t i = 0; i < n; i++)
		row_ptr[i + 1] = nnz += length[i];
	int64_t *col = calloc((size_t)nnz + 1, sizeof *col);
	double *val = calloc((size_t)nnz + 1, sizeof *val);

	for (int64_t i = 0; i < n; i++)
		for (int64_t k = 0; k < length[i]; k++) {
			col[row_ptr[i] + k] = (first ? first[i] : 0) + k;
			val[row_ptr[i] + k] = (double)((i + 3 * k) % 7 - 3);
		}
	expect_status(
		ek_matrix_from_csr(ctx, EK_F64, EK_I64, n, cols, row_ptr, col, val, EK_COPY, &M),
		EK_OK);
	free(row_ptr);
	free(col);
	free(val);
	return M;
}

ek_matrix *rows_equal(ek_context *ctx, int64_t n, int64_t cols, int64_t length)
{
	int64_t *lengths = calloc((size_t)n + 1, sizeof *lengths);
	ek_matrix *M;

	for (int64_t i = 0; i < n; i++)
		lengths[i] = length;
	M = rows_of_lengths(ctx, n, cols, NULL, lengths);
	free(lengths);
	return M;
}

ek_matrix *rows_stairs(ek_context *ctx, int64_t n, int64_t step, int64_t length)
{
	int64_t *first = calloc((size_t)n + 1, sizeof *first);
	int64_t *lengths = calloc((size_t)n + 1, sizeof *lengths);
	ek_matrix *M;

	for (int64_t i = 0; i < n; i++) {
		first[i] = step * i;
		lengths[i] = length;
	}
	M = rows_of_lengths(ctx, n, (n - 1) * step + length, first, lengths);
	free(first);
	free(lengths);
	return M;
}

void expect_text(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in: %s", part, text);
}

void expect_explained(const ek_plan *plan, const char *part)
{
	char text[4096];

	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	expect_text(text, part);
}

long long number_after(const char *text, const char *part)
{
	expect_text(text, part);
	return strtoll(strstr(text, part) + strlen(part), NULL, 10);
}
