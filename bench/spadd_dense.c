/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench spadd_dense: Y = op(A) + beta Y with a dense Y, for beta = 0, which makes A dense, and
 * beta = 1. ek.h promises the order in which entries of A are added, so results must have the bits
 * of a plain loop. With beta = 1, each call changes Y. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse.h"

struct dense {
	const ek_matrix *A;
	ek_matrix_info info;
	struct bench *b;
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
	const ek_view row_ptr = sparse_view(p->A, "row_ptr"),
		      col_idx = sparse_view(p->A, "col_idx"), val = sparse_view(p->A, "val");

	for (int64_t i = 0; i < p->info.rows; i++) {
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
	const int64_t rows = p->op == EK_OP_T ? p->info.cols : p->info.rows;
	const int64_t cols = p->op == EK_OP_T ? p->info.rows : p->info.cols;
	const double bytes = (double)rows * (double)cols * (double)ek_value_size(p->info.value);
	const int threads = ek_context_threads(p->b->ctx);
	const char *lack = text_lack(4 * bytes, "a dense matrix, its check and a bound need ", "");

	if (lack)
		return tool_fail(TOOL_FAILED, "%s", lack);
	p->bytes = (size_t)bytes;
	p->before = need(data_alloc((int64_t)p->bytes, threads), "Y");
	p->after = need(data_alloc((int64_t)p->bytes, threads), "Y");
	p->y = ek_block(p->info.value, rows, cols, order == EK_ROW_MAJOR ? cols : rows, order,
	                need(data_alloc((int64_t)p->bytes, threads), "Y"));
	data_random(p->info.value, rows * cols, p->before, p->b->o.common.seed, threads);
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

/* ---- Entrants -------------------------------------------------------------------------------- */

static void run(void *entrant, int64_t calls)
{
	struct entrant *e = entrant;
	const struct dense *p = e->field->problem;
	ek_plan **plan = e->own;

	for (; calls > 0; calls--)
		e->record.failed |= ek_spadd_dense(*plan, 1, p->beta, &p->y) != EK_OK;
}

static void release(void *own)
{
	ek_plan_destroy(*(ek_plan **)own);
}

static void enter_ours(struct field *f, const char *name, bool hidden)
{
	struct entrant *e = entrant_add(f, RECORD_OURS, "", name, sizeof(ek_plan *));
	const struct dense *p = f->problem;
	const ek_hints hints = {.size = sizeof hints, .method = e->record.method, .op = p->op};
	ek_plan **plan = e->own;
	const double start = tool_seconds();

	entrant_shorten(e);
	e->calls.run = run;
	e->release = release;
	e->hidden = hidden;
	if (ek_plan_create(EK_SPADD_DENSE, p->A, &hints, plan) != EK_OK) {
		e->record.failed = true;
		e->record.why = keep("%s", ek_error_text());
		return;
	}
	e->record.v[V_PREPARE_MS] = 1e3 * (tool_seconds() - start);
	entrant_chose(e, name, *plan);
	entrant_check(e);
}

static void enter(struct field *f)
{
	const struct dense *p = f->problem;

	enter_methods(f, enter_ours);
	if (p->beta == 0)
		enter_copies(f, p->before, p->y.data, (int64_t)p->bytes / 2,
		             ek_context_threads(p->b->ctx));
}

/* ---- Measuring ------------------------------------------------------------------------------- */

static int measure(struct dense *p, const struct tool_source *source)
{
	const char *order = p->y.order == EK_ROW_MAJOR ? "row" : "col";
	int code = TOOL_OK;
	struct bench_case *c = case_of_matrix(p->b, source, p->A, &code);

	if (!c)
		return code;
	c->op = p->op == EK_OP_T ? "t" : "n";
	c->what = keep("Y = %s%s", p->op == EK_OP_T ? "A^T" : "A", p->beta != 0 ? " + Y" : "");
	c->variant = keep("%s, %s", p->beta != 0 ? "beta 1" : "beta 0", order);
	c->name = keep("%s%s, %s", c->matrix, p->op == EK_OP_T ? "^T" : "", c->variant);
	/* With beta = 1, only places of Y at which A has an entry are read and written. */
	c->bytes = c->v[V_CSR_BYTES] +
	           (p->beta != 0 ? 2 * c->v[V_NNZ] * (double)ek_value_size(p->info.value)
	                         : (double)p->bytes);
	c->v[V_BYTES] = c->bytes;
	return measure_case(p->b, c, p, NULL);
}

/* Measures all ops, orders of Y and betas with a matrix. A wrong result does not stop it; any other
 * failure does. */
static int matrix(struct bench *b, const struct tool_source *source, ek_matrix *A)
{
	const struct list *ops = &b->o.op_a, *orders = &b->o.value_size;
	int code = TOOL_OK;

	for (int k = 0; k < 2 * ops->count * orders->count && (!code || code == TOOL_FAILED); k++) {
		struct dense p = {.A = A,
		                  .info = {.size = sizeof p.info},
		                  .b = b,
		                  .op = (ek_op)ops->value[k / 2 / orders->count],
		                  .beta = k % 2};
		int this = tool_check(ek_matrix_get_info(A, &p.info));

		if (!this)
			this = make(&p, (int)orders->value[k / 2 % orders->count]);
		if (!this)
			this = measure(&p, source);
		problem_end(&p);
		code = this ? this : code;
	}
	return code;
}

/* ---- Output ---------------------------------------------------------------------------------- */

static const char *title(const struct bench *b, const struct bench_case *c)
{
	const double *v = c->v;

	(void)b;
	return keep("%s  %s x %s, %s nonzeros; %s\n%s, index %s, %s, %s", c->name,
	            text_count(v[V_ROWS]), text_count(v[V_COLS]), text_count(v[V_NNZ]), c->what,
	            c->value, c->index, text_many(v[V_THREADS], "thread"),
	            text_many(v[V_ROUNDS], "round"));
}

static const struct column columns[] = {
	{"method", BLOCK | PAGE | LEFT | SWATCH, VALUES, NULL, cell_method,
         "after ->, the method that auto chose"},
	{"ms", BLOCK | PAGE | LESS, V_MS, NULL, NULL, "median time of a call"},
	{"GB/s", BLOCK | PAGE, V_GBPS, "%.2f", NULL, ""},
	{"of bound", BLOCK | PAGE, V_OF_BOUND, "%.3f", NULL,
         "GB/s divided by those of the faster of two copies to half of Y, which read and write as "
         "many bytes as Y has (-: beta 1, or less than 1 MB)"},
	{"vs serial", BLOCK | PAGE | RATIO, V_VS_SERIAL, "%.2f", NULL,
         "speed divided by that of the plain method with one thread"},
	{"plan ms", BLOCK | PAGE | LESS, V_PREPARE_MS, NULL, NULL, "time to make the plan"},
	{"", BLOCK | LEFT, VALUES, NULL, cell_best, "* the fastest of ours; or FAILED"},
	{.head = NULL}};

const struct operation bench_spadd_dense = {
	.name = "spadd_dense",
	.text = "Y = op(A) + beta Y with a dense Y and beta 0 and 1",
	.help = "Times sums of a sparse and a dense matrix, method by method, in turn and in "
                "rounds, "
		"for each op and order of Y, with beta = 0 and 1. Every result is checked first.\v"
		"Example: ek bench spadd_dense poisson2d5:nx=60,ny=60 --order row,col --op n,t\n"
		"Exit status 1: a result was wrong.",
	.usage = "[MATRIX...]",
	.options = "suite html rounds time method order_a op_a",
	.defaults = "time=1 order=row,col op=n",
	.children = sparse_children,
	.check = check_matrices,
	.fields =
		"op method chosen device isa version matrix source rows cols nnz row_max row_mean "
		"row_stddev group transpose variant value index threads runs rounds disturbed ms "
		"ms_min ms_p10 ms_p90 prepare_ms bytes gbps bound bound_gbps of_bound unit "
		"vs_serial error commit machine date",
	.problem = "cases",
	.moves = "bytes of A, and of Y or, with beta 1, twice those of its entries that change",
	.columns = columns,
	.walk = walk_matrices,
	.matrix = matrix,
	.each = table_case,
	.enter = enter,
	.spoil = spoil,
	.error = error,
	.operation = EK_SPADD_DENSE,
	.title = title,
	.heading = "Sparse plus dense, method by method",
	.place = sparse_place,
};
