/* SPDX-License-Identifier: BSD-3-Clause
 * The problem that is measured: a matrix and matching vectors, or blocks of vectors. The entries of
 * x are random, so that an exchanged or forgotten column of A changes the result. The result of a
 * block is checked column by column. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spmv.h"

void problem_reset(void *problem)
{
	struct problem *p = problem;
	const size_t bytes = (size_t)(p->out * p->shape.width) * ek_value_size(p->value);

	if (p->beta != 0)
		memcpy(p->y, p->y0, bytes);
	else
		memset(p->y, 0xff, bytes); /* all entries become NaN */
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Stores `len` rows of n entries as n columns of `len` entries. */
static void transpose(const struct problem *p, int64_t n, int64_t len, const char *from, char *to)
{
	const int64_t size = (int64_t)ek_value_size(p->value);

#pragma omp parallel for num_threads(p->threads)
	for (int64_t j = 0; j < n; j++)
		for (int64_t i = 0; i < len; i++)
			memcpy(to + (j * len + i) * size, from + (i * n + j) * size, (size_t)size);
}

void problem_to_columns(const struct problem *p)
{
	if (p->y_column != p->y)
		transpose(p, p->shape.width, p->out, p->y, p->y_column);
}

void problem_from_columns(const struct problem *p)
{
	if (p->y_column != p->y)
		transpose(p, p->out, p->shape.width, p->y_column, p->y);
}

int64_t problem_sides(const struct problem *p)
{
	return p->operation == EK_SPMM ? 2 + 2 * p->shape.width : 2;
}

static ek_dense block(const struct problem *p, int64_t rows, int order, const void *data)
{
	const int64_t cols = p->shape.width;

	return ek_block(p->value, rows, cols, order == EK_ROW_MAJOR ? cols : rows, order, data);
}

static void make_sides(struct problem *p)
{
	const int64_t size = (int64_t)ek_value_size(p->value), width = p->shape.width;

	p->side = need(calloc((size_t)problem_sides(p), sizeof *p->side), "blocks");
	p->side[0] = block(p, p->in, p->shape.x_order, p->x);
	p->side[1] = block(p, p->out, p->shape.y_order, p->y);
	for (int64_t j = 0; j < width && p->operation == EK_SPMM; j++) {
		p->side[2 + j] = ek_vector(p->value, p->in, (char *)p->x_column + j * p->in * size);
		p->side[2 + width + j] =
			ek_vector(p->value, p->out, (char *)p->y_column + j * p->out * size);
	}
}

/* ---- Making ---------------------------------------------------------------------------------- */

void *problem_vector(ek_value value, int64_t n)
{
	void *data = data_alloc(n * (int64_t)ek_value_size(value), 1);

	if (data)
		data_random(value, n, data, 0, 1);
	return data;
}

static int arrays(struct problem *p)
{
	ek_view view[3] = {
		{.size = sizeof(ek_view)}, {.size = sizeof(ek_view)}, {.size = sizeof(ek_view)}};

	for (int k = 0; k < 3; k++) {
		static const char *const name[] = {"row_ptr", "col_idx", "val"};
		int code = tool_check(ek_matrix_array(p->A, name[k], &view[k]));

		if (code)
			return code;
		p->csr_bytes += view[k].len * (int64_t)view[k].elem_size;
	}
	p->row_ptr = view[0].data;
	p->col_idx = view[1].data;
	p->val = view[2].data;
	return TOOL_OK;
}

static int vectors(struct problem *p)
{
	const int64_t in = p->in * p->shape.width, out = p->out * p->shape.width;

	p->csr_bytes += (in + out) * (int64_t)ek_value_size(p->value);
	p->x = p->x_column = problem_vector(p->value, in);
	p->y = p->y_column = problem_vector(p->value, out);
	p->y0 = problem_vector(p->value, out);
	if (p->shape.x_order == EK_ROW_MAJOR)
		p->x_column = problem_vector(p->value, in);
	if (p->shape.y_order == EK_ROW_MAJOR)
		p->y_column = problem_vector(p->value, out);
	if (!p->x || !p->y || !p->y0 || !p->x_column || !p->y_column)
		return tool_fail(TOOL_FAILED, "out of memory for the vectors of a product");
	if (p->x_column != p->x)
		transpose(p, p->shape.width, p->in, p->x, p->x_column);
	make_sides(p);
	return TOOL_OK;
}

/* Makes the exact result of each column. The old y is read from where the result will be stored, by
 * columns. */
static int oracles(struct problem *p)
{
	int code = TOOL_OK;

	p->oracle = need(calloc((size_t)p->shape.width, sizeof *p->oracle), "the check");
	memcpy(p->y, p->y0, (size_t)(p->out * p->shape.width) * ek_value_size(p->value));
	problem_to_columns(p);
	for (int64_t j = 0; j < p->shape.width && !code; j++) {
		const bool vectors = p->operation == EK_SPMV;
		const ek_dense *x = vectors ? &p->side[0] : &p->side[2 + j];
		const ek_dense *y0 = vectors ? &p->side[1] : &p->side[2 + p->shape.width + j];

		code = oracle_make(p->A, p->op, p->alpha, x, p->beta, y0, p->threads,
		                   &p->oracle[j]);
	}
	return code;
}

/* Bytes that a struct oracle has for each entry of y. */
#define ORACLE_BYTES 24

/* Checks that there is memory for the vectors and their exact results. Returns an exit code. */
static int fits(const struct problem *p)
{
	const double size = (double)ek_value_size(p->value);
	const char *lack =
		text_lack((double)p->shape.width * (2 * size * (double)p->in +
	                                            (3 * size + ORACLE_BYTES) * (double)p->out),
	                  "vectors and their check need ", "");

	return lack ? tool_fail(TOOL_FAILED, "%s", lack) : TOOL_OK;
}

int problem_make(struct problem *p, const struct bench *bench, const struct shape *shape,
                 ek_matrix *A)
{
	const struct tool_options *options = &bench->o.common;
	ek_matrix_info info = {.size = sizeof info};
	int code = tool_check(ek_matrix_get_info(A, &info));
	bool wide = info.value == EK_F64;

	*p = (struct problem){.A = A,
	                      .operation = bench->op->operation,
	                      .shape = *shape,
	                      .rows = info.rows,
	                      .cols = info.cols,
	                      .nnz = info.nnz,
	                      .value = info.value,
	                      .index = info.index,
	                      .op = options->op,
	                      .threads = ek_context_threads(bench->ctx),
	                      .calls = options->calls,
	                      .reproducible = options->reproducible,
	                      .alpha = wide ? options->alpha : (float)options->alpha,
	                      .beta = wide ? options->beta : (float)options->beta};
	if (!code)
		code = arrays(p);
	if (code)
		return code;
	p->in = p->op == EK_OP_T ? p->rows : p->cols;
	p->out = p->op == EK_OP_T ? p->cols : p->rows;
	code = fits(p);
	if (!code)
		code = vectors(p);
	return code ? code : oracles(p);
}

double problem_error(void *problem, const char *method)
{
	const struct problem *p = problem;
	const int64_t column = p->out * (int64_t)ek_value_size(p->value);
	double worst = 0;

	(void)method;
	problem_to_columns(p);
	for (int64_t j = 0; j < p->shape.width; j++)
		worst = fmax(worst,
		             oracle_check(p->oracle[j], (char *)p->y_column + j * column).worst);
	return worst;
}

void problem_free(struct problem *p)
{
	for (int64_t j = 0; p->oracle && j < p->shape.width; j++)
		oracle_free(p->oracle[j]);
	free(p->oracle);
	free(p->side);
	if (p->x_column != p->x)
		free(p->x_column);
	if (p->y_column != p->y)
		free(p->y_column);
	free(p->x);
	free(p->y);
	free(p->y0);
}
