/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench spgemm: C = A^2, or A A^T if A is not square, method by method. Each call of a method makes
 * a plan and C and frees those of the call before, so that both are in new memory, as in programs that
 * multiply once. Each method also takes part as "NAME again", which replaces the values of an existing
 * C. Peers make a new C in each call too. The unit of the ratios is spgemm.csr.textbook. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spgemm.h"

/* One of our methods. */
struct ours {
	struct spgemm *p;
	const char *method;
	bool again;
	ek_plan *plan;
	ek_matrix *C;
};

/* ---- Our methods ----------------------------------------------------------------------------- */

static ek_status make_plan(const struct spgemm *p, const char *method, int64_t calls,
                           ek_plan **plan)
{
	const ek_hints hints = {
		.size = sizeof hints, .method = method, .B = p->A, .op_b = p->op_b, .calls = calls};

	return ek_plan_create(EK_SPGEMM, p->A, &hints, plan);
}

static void drop(struct ours *o)
{
	ek_matrix_destroy(o->C);
	ek_plan_destroy(o->plan);
	o->C = NULL;
	o->plan = NULL;
}

static void run(void *entrant, int64_t calls)
{
	struct entrant *e = entrant;
	struct ours *o = e->own;

	for (; calls > 0 && !e->record.failed; calls--) {
		if (!o->again)
			drop(o);
		if (!o->plan)
			e->record.failed =
				make_plan(o->p, o->method, o->again ? 1000 : 1, &o->plan) != EK_OK;
		if (!e->record.failed)
			e->record.failed = ek_spgemm(o->plan, 1, 0, &o->C) != EK_OK;
	}
}

/* Spoils the values of an existing C or, if `back`, takes C for the check. */
static bool move(struct entrant *e, bool back)
{
	struct ours *o = e->own;

	if (back) {
		o->p->result = o->C;
	} else if (o->C) {
		const ek_view val = spgemm_view(o->C, "val");
		void *bad = malloc((size_t)val.len * val.elem_size + 1);

		if (bad) {
			memset(bad, 0xff, (size_t)val.len * val.elem_size); /* NaN */
			ek_matrix_set_values(o->C, val.len, bad);
		}
		free(bad);
	}
	return true;
}

static void release(void *own)
{
	drop(own);
}

static void enter_ours(struct field *f, const char *method, bool again)
{
	struct entrant *e =
		entrant_add(f, RECORD_OURS, method, again ? " again" : "", sizeof(struct ours));
	struct ours *o = e->own;
	ek_plan *plan;

	*o = (struct ours){.p = f->problem, .method = method, .again = again};
	e->calls.run = run;
	e->move = move;
	e->release = release;
	const double start = tool_seconds();

	if (make_plan(o->p, method, 1, &plan) == EK_OK) {
		e->record.v[V_PREPARE_MS] = 1e3 * (tool_seconds() - start);
		e->record.v[V_BYTES] = (double)ek_plan_memory(plan);
		ek_plan_destroy(plan);
	}
	entrant_check(e);
	if (again && !e->record.failed)
		entrant_check(e); /* into the C that the first run made */
}

static void enter_both(struct field *f, const char *method)
{
	enter_ours(f, method, false);
	enter_ours(f, method, true);
}

static void enter(struct field *f)
{
	struct spgemm *p = f->problem;
	const char *names = methods_named(f->bench);
	char name[TOOL_METHOD];

	f->unit = "spgemm.csr.textbook";
	for (const ek_method *m = NULL; !names && (m = ek_method_next(m));)
		if (ek_method_operation(m) == EK_SPGEMM)
			enter_both(f, ek_method_name(m));
	while (names && tool_method_next_of(EK_SPGEMM, &names, name))
		enter_both(f, keep("%s", name));
	if (!entered(f, f->unit))
		enter_ours(f, f->unit, false);
	enter_peers(f, &p->peer);
}

/* ---- The problem ----------------------------------------------------------------------------- */

static void problem_free(struct spgemm *p)
{
	ek_matrix_destroy(p->C);
	ek_matrix_destroy(p->size);
}

/* Sets *M to |A|. */
static ek_status absolute(const struct spgemm *p, const ek_matrix_info *info, ek_matrix **M)
{
	const ek_view val = spgemm_view(p->A, "val");
	void *copy = need(malloc((size_t)val.len * val.elem_size + 1), "|A|");
	ek_status status;

	for (int64_t k = 0; k < val.len; k++)
		if (val.type == EK_F32)
			((float *)copy)[k] = fabsf(((const float *)val.data)[k]);
		else
			((double *)copy)[k] = fabs(((const double *)val.data)[k]);
	status = ek_matrix_from_csr(p->ctx, info->value, info->index, info->rows, info->cols,
	                            spgemm_view(p->A, "row_ptr").data,
	                            spgemm_view(p->A, "col_idx").data, copy, EK_COPY | EK_TRUSTED,
	                            M);
	free(copy);
	return status;
}

static ek_status product_of(const struct spgemm *p, const ek_matrix *A, const char *method,
                            ek_matrix **C)
{
	const ek_hints hints = {
		.size = sizeof hints, .method = method, .B = A, .op_b = p->op_b, .calls = 1};
	ek_plan *plan;
	ek_status status = ek_plan_create(EK_SPGEMM, A, &hints, &plan);

	if (status == EK_OK) {
		status = ek_spgemm(plan, 1, 0, C);
		ek_plan_destroy(plan);
	}
	return status;
}

/* Counts the products: for each entry of A, the entries of the row of B. */
static void count(struct spgemm *p, const ek_matrix_info *info)
{
	const ek_view row_ptr = spgemm_view(p->A, "row_ptr"),
		      col_idx = spgemm_view(p->A, "col_idx");
	int64_t *length = need(calloc((size_t)info->cols + 1, sizeof *length), "row lengths");

	for (int64_t i = 0; i < info->rows; i++) {
		const double n = spgemm_number(&row_ptr, i + 1) - spgemm_number(&row_ptr, i);

		p->row_max = fmax(p->row_max, n);
		if (p->op_b == EK_OP_N)
			length[i] = (int64_t)n;
	}
	for (int64_t k = 0; p->op_b == EK_OP_T && k < info->nnz; k++)
		length[(int64_t)spgemm_number(&col_idx, k)]++;
	for (int64_t k = 0; k < info->nnz; k++)
		p->products += (double)length[(int64_t)spgemm_number(&col_idx, k)];
	free(length);
}

static int problem_make(struct spgemm *p, const struct bench *b, ek_matrix *A)
{
	ek_matrix_info info = {.size = sizeof info};
	ek_matrix *size;

	*p = (struct spgemm){.A = A, .ctx = b->ctx};
	if (ek_matrix_get_info(A, &info) != EK_OK)
		return tool_fail(TOOL_FAILED, "%s", ek_error_text());
	p->op_b = info.rows == info.cols ? EK_OP_N : EK_OP_T;
	count(p, &info);
	p->peer = (ek_peer_problem){.operation = EK_SPGEMM,
	                            .type = info.value,
	                            .threads = ek_context_threads(b->ctx),
	                            .device = -1,
	                            .rows = info.rows,
	                            .cols = info.cols,
	                            .nnz = info.nnz,
	                            .row_ptr = spgemm_view(A, "row_ptr").data,
	                            .col_idx = spgemm_view(A, "col_idx").data,
	                            .val = spgemm_view(A, "val").data,
	                            .value_bytes = (int)ek_value_size(info.value),
	                            .ptr_bytes = info.index == EK_I32 ? 4 : 8,
	                            .idx_bytes = info.index == EK_I64 ? 8 : 4,
	                            .transposed = p->op_b == EK_OP_T,
	                            .alpha = 1,
	                            .result = &p->from_peer};
	if (product_of(p, A, "spgemm.csr.serial", &p->C) != EK_OK ||
	    absolute(p, &info, &size) != EK_OK)
		return tool_fail(TOOL_FAILED, "reference: %s", ek_error_text());
	const ek_status status = product_of(p, size, NULL, &p->size);

	ek_matrix_destroy(size);
	return status == EK_OK ? TOOL_OK : tool_fail(TOOL_FAILED, "reference: %s", ek_error_text());
}

static int matrix(struct bench *b, const struct tool_source *source, ek_matrix *A)
{
	ek_matrix_info info = {.size = sizeof info};
	struct spgemm p;
	int code = problem_make(&p, b, A);
	struct bench_case *c = code ? NULL : case_of_matrix(b, source, A, &code);

	if (c && ek_matrix_get_info(p.C, &info) == EK_OK) {
		c->op = p.op_b == EK_OP_T ? "t" : "n";
		c->flops = 2 * p.products;
		c->v[V_PRODUCTS] = p.products;
		c->v[V_RESULT_NNZ] = (double)info.nnz;
		c->v[V_COMPRESSION] = p.products / fmax(1, (double)info.nnz);
		c->bytes = c->v[V_CSR_BYTES] + (double)info.bytes;
		code = measure_case(b, c, &p, NULL);
	}
	problem_free(&p);
	return code;
}

/* ---- What is shown --------------------------------------------------------------------------- */

static const char *title(const struct bench *b, const struct bench_case *c)
{
	const double *v = c->v;

	return keep(
		"%s  %s x %s, %s nonzeros; A%s: %s products, %s nonzeros, %.2f products for each\n"
		"%s, index %s, %s, %s",
		bold(b, c->name), text_count(v[V_ROWS]), text_count(v[V_COLS]),
		text_count(v[V_NNZ]), *c->op == 't' ? " A^T" : "^2", text_count(v[V_PRODUCTS]),
		text_count(v[V_RESULT_NNZ]), v[V_COMPRESSION], c->value, c->index,
		text_many(v[V_THREADS], "thread"), text_many(v[V_ROUNDS], "round"));
}

static const struct column columns[] = {
	{"method", BLOCK | PAGE | SUM | PAGE_SUM | LEFT | SWATCH, VALUES, "name", NULL,
         "\"again\" replaces the values of an existing C; the others make it, in new memory"},
	{"ms", BLOCK | PAGE | LESS, V_MS, NULL, NULL, "median time of a call"},
	{"GFlop/s", BLOCK | SUM | PAGE, V_GFLOPS, "%.2f", NULL, "two for each product"},
	{"vs textbook", BLOCK | SUM | PAGE | PAGE_SUM | RATIO, V_VS_CSR, "%.2f", NULL,
         "speed divided by that of spgemm.csr.textbook"},
	{"vs best peer", BLOCK | SUM | PAGE | PAGE_SUM | RATIO | PEERS, V_VS_PEER, "%.2f", NULL,
         "speed divided by that of the fastest other library"},
	{"plan ms", BLOCK | PAGE | LESS, V_PREPARE_MS, NULL, NULL,
         "time to make the plan, which the time of a call includes"},
	{"plan bytes", BLOCK | PAGE | LESS, V_BYTES, ",", NULL, "bytes that the plan holds"},
	{"error", BLOCK | PAGE | LESS, V_ERROR, "%.3f", NULL,
         "largest difference from spgemm.csr.serial over twice the proven bound"},
	{"", BLOCK | LEFT, VALUES, NULL, cell_best, "* the fastest of ours; or FAILED"},
	{.head = NULL}};

static void end(const struct bench *b, FILE *out)
{
	if (b->count > 1)
		table_groups(b, out, NULL);
}

static const char *place(const struct bench *b)
{
	return keep("%s · %s", text_many(b->cases[0].v[V_THREADS], "thread"),
	            ek_isa_name(ek_context_isa(b->ctx)));
}

static const struct argp_child children[] = {{&tool_common_argp, 0, "Common options:", 3}, {0}};

const struct operation bench_spgemm = {
	.name = "spgemm",
	.text = "C = A^2, sparse, method by method, with peers",
	.help = "Times the product of a sparse matrix with itself (or, if it is not square, with "
		"its "
		"transpose), method by method, in turn and in rounds, and compares it with other "
		"libraries. Every result is checked first.\v"
		"Each call makes a plan and C, in new memory; NAME again replaces the values of C. "
		"Peers make C in each call, too: peer.mkl.unsorted leaves the rows unsorted, all "
		"others sort them. Exit status 1: a result was wrong.",
	.usage = "[MATRIX...]",
	.children = children,
	.options = "suite html rounds time peers peer_dir method",
	.defaults = "time=3",
	.check = check_matrices,
	.fields = "op method device isa version matrix source rows cols nnz row_max row_mean "
		  "row_stddev group transpose value index products result_nnz compression threads "
		  "runs rounds disturbed ms ms_min ms_p10 ms_p90 prepare_ms bytes gflops unit "
		  "vs_csr vs_best_peer error commit machine date",
	.problem = "matrices",
	.columns = columns,
	.walk = walk_matrices,
	.matrix = matrix,
	.each = table_case,
	.end = end,
	.title = title,
	.place = place,
	.enter = enter,
	.spoil = spgemm_spoil,
	.error = spgemm_error,
	.operation = EK_SPGEMM,
	.heading = "Sparse matrix times sparse matrix, method by method",
};
