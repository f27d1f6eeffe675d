/* SPDX-License-Identifier: BSD-3-Clause
 * Makes, reads and writes the vectors and blocks of products. Files hold one column after another;
 * blocks in memory are column- or row-major. */
#include <stdlib.h>
#include <string.h>

#include "product.h"

size_t block_bytes(const ek_dense *v)
{
	return (size_t)v->rows * (size_t)v->cols * ek_value_size(v->value);
}

/* Returns the position of entry i, j in v->data. */
static int64_t place(const ek_dense *v, int64_t i, int64_t j)
{
	return v->order == EK_ROW_MAJOR ? i * v->ld + j : i + j * v->ld;
}

double block_get(const ek_dense *v, int64_t i, int64_t j)
{
	const int64_t k = place(v, i, j);

	return v->value == EK_F32 ? (double)((const float *)v->data)[k]
	                          : ((const double *)v->data)[k];
}

void block_set(const ek_dense *v, int64_t i, int64_t j, double number)
{
	const int64_t k = place(v, i, j);

	if (v->value == EK_F32)
		((float *)v->data)[k] = (float)number;
	else
		((double *)v->data)[k] = number;
}

/* Makes a block of zeros. Allocates an extra byte, so that NULL always means failure. */
int block_make(ek_value value, int64_t rows, int64_t cols, int order, ek_dense *v)
{
	const int64_t size = (int64_t)ek_value_size(value);
	int64_t bytes = 0;
	/* Leaves room for the extra byte, and keeps sizes computed later from overflowing. */
	const bool fits = !__builtin_mul_overflow(cols, size, &bytes) &&
	                  !__builtin_mul_overflow(rows, bytes, &bytes) &&
	                  (uint64_t)bytes < SIZE_MAX / 2;
	void *data = fits ? calloc((size_t)bytes + 1, 1) : NULL;

	*v = ek_block(value, rows, cols, order == EK_ROW_MAJOR ? cols : rows, order, data);
	if (data)
		return TOOL_OK;
	return tool_fail(TOOL_FAILED, "out of memory for %lld x %lld entries", (long long)rows,
	                 (long long)cols);
}

static void copy(const ek_dense *from, const ek_dense *to)
{
	for (int64_t j = 0; j < from->cols; j++)
		for (int64_t i = 0; i < from->rows; i++)
			block_set(to, i, j, block_get(from, i, j));
}

int block_column(const ek_dense *v, int64_t j, ek_dense *column)
{
	const int code = block_make(v->value, v->rows, 1, EK_COL_MAJOR, column);

	for (int64_t i = 0; i < v->rows && !code; i++)
		block_set(column, i, 0, block_get(v, i, j));
	return code;
}

int block_read(ek_context *ctx, const struct tool_options *common, const char *path, ek_value value,
               int64_t rows, int64_t cols, int order, ek_dense *v)
{
	const ek_read_options o = tool_read_options(common);
	int64_t n, m;
	void *data;
	int code = tool_input(ek_dense_read(ctx, path, value, &o, &n, &m, &data));

	if (code != TOOL_OK)
		return code;
	const int64_t expected = cols ? cols : m;
	const ek_dense all = ek_block(value, n, m, n, EK_COL_MAJOR, data);

	if (n != rows || m != expected)
		code = tool_fail(
			TOOL_INPUT,
			"%s: has %lld row%s and %lld column%s; a %s with %lld row%s and %lld "
			"column%s is expected",
			path, (long long)n, n == 1 ? "" : "s", (long long)m, m == 1 ? "" : "s",
			cols == 1 ? "vector" : "block", (long long)rows, rows == 1 ? "" : "s",
			(long long)expected, expected == 1 ? "" : "s");
	if (code == TOOL_OK)
		code = block_make(value, rows, expected, order, v);
	if (code == TOOL_OK)
		copy(&all, v);
	ek_free(ctx, data, block_bytes(&all));
	return code;
}

int block_write(ek_context *ctx, const char *path, const ek_dense *v)
{
	ek_dense columns = *v;
	int code = TOOL_OK;

	if (v->order == EK_ROW_MAJOR) {
		code = block_make(v->value, v->rows, v->cols, EK_COL_MAJOR, &columns);
		if (code == TOOL_OK)
			copy(v, &columns);
	}
	if (code == TOOL_OK)
		code = tool_check(
			ek_dense_write(ctx, path, v->value, v->rows, v->cols, columns.data));
	if (v->order == EK_ROW_MAJOR)
		free(columns.data);
	return code;
}
