/* SPDX-License-Identifier: BSD-3-Clause
 * The measured problem: a matrix and matching vectors, or blocks of vectors. The entries of x are
 * random, so that a swapped or forgotten column of A changes the result. The result of a block is
 * checked column by column. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spmv.h"

void problem_reset(void *problem)
{
	struct problem *p = problem;
	const size_t bytes = (size_t)(p->out * p->peer.width) * ek_value_size(p->peer.type);

	if (p->peer.beta != 0)
		memcpy(p->y, p->y0, bytes);
	else
		memset(p->y, 0xff, bytes); /* all entries become NaN */
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Stores `len` rows of n entries as n columns of `len` entries. */
static void transpose(const struct problem *p, int64_t n, int64_t len, const char *from, char *to)
{
	const int64_t size = (int64_t)ek_value_size(p->peer.type);

#pragma omp parallel for num_threads(p->peer.threads)
	for (int64_t j = 0; j < n; j++)
		for (int64_t i = 0; i < len; i++)
			memcpy(to + (j * len + i) * size, from + (i * n + j) * size, (size_t)size);
}

void problem_to_columns(const struct problem *p)
{
	if (p->y_column != p->y)
		transpose(p, p->peer.width, p->out, p->y, p->y_column);
}

void problem_from_columns(const struct problem *p)
{
	if (p->y_column != p->y)
		transpose(p, p->out, p->peer.width, p->y_column, p->y);
}

int64_t problem_sides(const struct problem *p)
{
	return p->peer.operation == EK_SPMM ? 2 + 2 * p->peer.width : 2;
}

static ek_dense block(const struct problem *p, int64_t rows, int order, const void *data)
{
	const int64_t cols = p->peer.width;

	return ek_block(p->peer.type, rows, cols, order == EK_ROW_MAJOR ? cols : rows, order, data);
}

static void make_sides(struct problem *p)
{
	const int64_t size = (int64_t)ek_value_size(p->peer.type), width = p->peer.width;

	p->side = need(calloc((size_t)problem_sides(p), sizeof *p->side), "blocks");
	p->side[0] = block(p, p->in, p->peer.x_order, p->x);
	p->side[1] = block(p, p->out, p->peer.y_order, p->y);
	for (int64_t j = 0; j < width && p->peer.operation == EK_SPMM; j++) {
		p->side[2 + j] =
			ek_vector(p->peer.type, p->in, (char *)p->x_column + j * p->in * size);
		p->side[2 + width + j] =
			ek_vector(p->peer.type, p->out, (char *)p->y_column + j * p->out * size);
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

static int vectors(struct problem *p)
{
	const int64_t in = p->in * p->peer.width, out = p->out * p->peer.width;

	p->csr_bytes += (in + out) * (int64_t)ek_value_size(p->peer.type);
	p->x = p->x_column = problem_vector(p->peer.type, in);
	p->y = p->y_column = problem_vector(p->peer.type, out);
	p->y0 = problem_vector(p->peer.type, out);
	if (p->peer.x_order == EK_ROW_MAJOR)
		p->x_column = problem_vector(p->peer.type, in);
	if (p->peer.y_order == EK_ROW_MAJOR)
		p->y_column = problem_vector(p->peer.type, out);
	if (!p->x || !p->y || !p->y0 || !p->x_column || !p->y_column)
		return tool_fail(TOOL_FAILED, "out of memory for the vectors of a product");
	if (p->x_column != p->x)
		transpose(p, p->peer.width, p->in, p->x, p->x_column);
	make_sides(p);
	p->peer.x = p->x;
	p->peer.y = p->y;
	return TOOL_OK;
}

/* Computes the exact result of each column, reading the old y, by columns, where it will be
 * stored. */
static int oracles(struct problem *p)
{
	int code = TOOL_OK;

	p->oracle = need(calloc((size_t)p->peer.width, sizeof *p->oracle), "the check");
	memcpy(p->y, p->y0, (size_t)(p->out * p->peer.width) * ek_value_size(p->peer.type));
	problem_to_columns(p);
	for (int64_t j = 0; j < p->peer.width && !code; j++) {
		const bool vectors = p->peer.operation == EK_SPMV;
		const ek_dense *x = vectors ? &p->side[0] : &p->side[2 + j];
		const ek_dense *y0 = vectors ? &p->side[1] : &p->side[2 + p->peer.width + j];

		code = oracle_make(p->A, p->op, p->peer.alpha, x, p->peer.beta, y0, p->peer.threads,
		                   &p->oracle[j]);
	}
	return code;
}

/* Bytes that a struct oracle has for each entry of y. */
#define ORACLE_BYTES 24

/* Checks that there is memory for the vectors and their exact results. Returns an exit code. */
static int fits(const struct problem *p)
{
	const double size = (double)ek_value_size(p->peer.type);
	const char *lack =
		text_lack((double)p->peer.width * (2 * size * (double)p->in +
	                                           (3 * size + ORACLE_BYTES) * (double)p->out),
	                  "vectors and their check need ", "");

	return lack ? tool_fail(TOOL_FAILED, "%s", lack) : TOOL_OK;
}

int problem_make(struct problem *p, const struct bench *bench, int64_t width, int x_order,
                 int y_order, ek_matrix *A)
{
	const struct tool_options *options = &bench->o.common;
	ek_matrix_info info = {.size = sizeof info};
	int code = tool_check(ek_matrix_get_info(A, &info));
	const bool wide = info.value == EK_F64;

	*p = (struct problem){.A = A,
	                      .index = info.index,
	                      .op = options->op,
	                      .calls = options->calls,
	                      .max_bytes = bench->o.max_bytes,
	                      .reproducible = options->reproducible,
	                      .csr_bytes = info.bytes};
	if (code)
		return code;
	p->peer = peer_problem(bench, A, p->op == EK_OP_T);
	p->peer.width = width;
	p->peer.x_order = x_order;
	p->peer.y_order = y_order;
	p->peer.calls = p->calls ? p->calls : 1000;
	p->peer.alpha = wide ? options->alpha : (float)options->alpha;
	p->peer.beta = wide ? options->beta : (float)options->beta;
	p->in = p->op == EK_OP_T ? p->peer.rows : p->peer.cols;
	p->out = p->op == EK_OP_T ? p->peer.cols : p->peer.rows;
	code = fits(p);
	if (!code)
		code = vectors(p);
	return code ? code : oracles(p);
}

double problem_error(void *problem, const char *method)
{
	const struct problem *p = problem;
	const int64_t column = p->out * (int64_t)ek_value_size(p->peer.type);
	double worst = 0;

	(void)method;
	problem_to_columns(p);
	for (int64_t j = 0; j < p->peer.width; j++)
		worst = fmax(worst,
		             oracle_check(p->oracle[j], (char *)p->y_column + j * column).worst);
	return worst;
}

void problem_free(struct problem *p)
{
	for (int64_t j = 0; p->oracle && j < p->peer.width; j++)
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
