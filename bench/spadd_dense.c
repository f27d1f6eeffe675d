/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench spadd_dense: Y = op(A) + beta Y with a dense Y, for beta = 0, which makes A dense, and
 * beta = 1. ek.h promises the order in which entries of A are added, so results must have the bits
 * of a plain loop. With beta = 1, each call changes Y. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse.h"

struct dense {
	const struct matrix_at *at;
	ek_op op;
	double beta;
	ek_dense y;
	void *before, *after; /* Y before a checked run, and what it must become */
	size_t bytes;         /* of Y */
};

/* ---- The problem ----------------------------------------------------------------------------- */

/* Adds A to `after`, one entry at a time. */
static void add_entries(const struct dense *p)
{
	const ek_view row_ptr = sparse_view(p->at->A, "row_ptr"),
		      col_idx = sparse_view(p->at->A, "col_idx"),
		      val = sparse_view(p->at->A, "val");

	for (int64_t i = 0; i < p->at->info.rows; i++) {
		const int64_t end = (int64_t)sparse_number(&row_ptr, i + 1);

		for (int64_t k = (int64_t)sparse_number(&row_ptr, i); k < end; k++) {
			const int64_t j = (int64_t)sparse_number(&col_idx, k);
			const int64_t row = p->op == EK_OP_T ? j : i,
				      col = p->op == EK_OP_T ? i : j;
			const int64_t at = p->y.order == EK_ROW_MAJOR ? row * p->y.ld + col
			                                              : row + col * p->y.ld;

			if (val.type == EK_F32)
				((float *)p->after)[at] += ((const float *)val.data)[k];
			else
				((double *)p->after)[at] += ((const double *)val.data)[k];
		}
	}
}

/* Makes Y and what it must become. Returns an exit code. */
static int make(struct dense *p, int order)
{
	const int64_t rows = p->op == EK_OP_T ? p->at->info.cols : p->at->info.rows;
	const int64_t cols = p->op == EK_OP_T ? p->at->info.rows : p->at->info.cols;
	const double bytes = (double)rows * (double)cols * (double)ek_value_size(p->at->info.value);
	const int threads = ek_context_threads(p->at->b->ctx);
	const char *lack = text_lack(4 * bytes, "a dense matrix, its check and a bound need ", "");

	if (lack)
		return tool_fail(TOOL_FAILED, "%s", lack);
	p->bytes = (size_t)bytes;
	p->before = need(data_alloc((int64_t)p->bytes, threads), "Y");
	p->after = need(data_alloc((int64_t)p->bytes, threads), "Y");
	p->y = ek_block(p->at->info.value, rows, cols, order == EK_ROW_MAJOR ? cols : rows, order,
	                need(data_alloc((int64_t)p->bytes, threads), "Y"));
	data_random(p->at->info.value, rows * cols, p->before, p->at->b->o.common.seed, threads);
	if (p->beta != 0)
		memcpy(p->after, p->before, p->bytes);
	add_entries(p);
	return TOOL_OK;
}

static void problem_end(struct dense *p)
{
	free(p->before);
	free(p->after);
	free(p->y.data);
}

static void spoil(void *problem)
{
	struct dense *p = problem;

	if (p->beta != 0)
		memcpy(p->y.data, p->before, p->bytes);
	else
		memset(p->y.data, 0xff, p->bytes);
}

static double error(void *problem, const char *method)
{
	const struct dense *p = problem;

	(void)method;
	return memcmp(p->y.data, p->after, p->bytes) == 0 ? 0 : INFINITY;
}

/* ---- The course ------------------------------------------------------------------------------ */

static ek_status make_plan(const void *problem, const char *method, ek_plan **plan)
{
	const struct dense *p = problem;
	const ek_hints hints = {.size = sizeof hints, .method = method, .op = p->op};

	return ek_plan_create(EK_SPADD_DENSE, p->at->A, &hints, plan);
}

static ek_status run_plan(void *problem, ek_plan *plan)
{
	const struct dense *p = problem;

	return ek_spadd_dense(plan, 1, p->beta, &p->y);
}

static void enter(struct field *f)
{
	const struct dense *p = f->problem;

	enter_plans(f);
	if (p->beta == 0)
		enter_copies(f, p->before, p->y.data, (int64_t)p->bytes / 2,
		             ek_context_threads(p->at->b->ctx));
}

static int measure(struct dense *p)
{
	const char *order = p->y.order == EK_ROW_MAJOR ? "row" : "col";
	const bool adds = p->beta != 0;
	int code = TOOL_OK;
	struct bench_case *c =
		case_of_op(p->at, p->op, keep("%s, %s", adds ? "beta 1" : "beta 0", order), &code);

	if (!c)
		return code;
	c->what = keep("Y = %s%s", p->op == EK_OP_T ? "A^T" : "A", adds ? " + Y" : "");
	/* With beta = 1, only places of Y at which A has an entry are read and written. */
	c->bytes = c->v[V_CSR_BYTES] +
	           (adds ? 2 * c->v[V_NNZ] * (double)ek_value_size(p->at->info.value)
	                 : (double)p->bytes);
	c->v[V_BYTES] = c->bytes;
	return measure_case(p->at->b, c, p, NULL);
}

/* Measures both values of beta. */
static int one(const struct matrix_at *at, const int64_t value[MOST_LISTS])
{
	int code = TOOL_OK;

	for (int beta = 0; beta < 2 && (!code || code == TOOL_FAILED); beta++) {
		struct dense p = {.at = at, .op = (ek_op)value[1], .beta = beta};
		int this = make(&p, (int)value[0]);

		if (!this)
			this = measure(&p);
		problem_end(&p);
		code = this ? this : code;
	}
	return code;
}

/* ---- Output ---------------------------------------------------------------------------------- */

static const char *title(const struct bench *b, const struct bench_case *c)
{
	(void)b;
	return keep("%s  %s; %s\n%s", c->name, text_matrix(c), c->what, text_run(c));
}

static const struct column columns[] = {
	{"method", BLOCK | PAGE | LEFT | SWATCH, VALUES, NULL, cell_method,
         "after ->, the method that auto chose"},
	{"ms", BLOCK | PAGE | LESS, V_MS, NULL, NULL, "median time of a call"},
	INTERVAL_COLUMN(BLOCK | PAGE | LESS),
	{"GB/s", BLOCK | PAGE, V_GBPS, "%.2f", NULL, ""},
	{"of bound", BLOCK | PAGE, V_OF_BOUND, "%.3f", NULL,
         "GB/s divided by those of the faster of two copies to half of Y, which read and write as "
         "many bytes as Y has (-: beta 1, or less than 1 MB)"},
	{"vs serial", BLOCK | PAGE | RATIO, V_VS_SERIAL, "%.2f", NULL,
         "speed divided by that of the plain method with one thread"},
	{"plan ms", BLOCK | PAGE | LESS, V_PREPARE_MS, NULL, NULL, "time to make the plan"},
	PARAMETERS_COLUMN(BLOCK | PAGE),
	{"", BLOCK | LEFT, VALUES, NULL, cell_best, "* the fastest of ours; or FAILED"},
	{.head = NULL}};

const struct operation bench_spadd_dense = {
	PLAN_OPERATION("spadd_dense", EK_SPADD_DENSE, "variant",
                       "bytes gbps bound bound_gbps of_bound unit vs_serial error"),
	.text = "Y = op(A) + beta Y with a dense Y and beta 0 and 1",
	.help = "Times sums of a sparse and a dense matrix, method by method, in turn and in "
		"rounds, for each op and order of Y, with beta = 0 and 1. Every result is checked "
		"first.\v"
		"Example: ek bench spadd_dense poisson2d5:nx=60,ny=60 --order row,col --op n,t\n"
		"Exit status 1: a result was wrong.",
	.options = "suite html rounds time method order_a op_a",
	.defaults = "time=1 order=row,col op=n",
	.lists = {LIST_OF(value_size), LIST_OF(op_a)},
	.moves = "bytes of A, and of Y or, with beta 1, twice those of its entries that change",
	.spoil = spoil,
	.error = error,
	.heading = "Sparse plus dense, method by method",
};
