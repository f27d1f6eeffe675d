/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench dense_spmm: Y = X op(A) with dense blocks, for each op, number of rows of X, and order
 * of X and Y. This is Y^T = op(A)^T X^T, and the transpose of a row-major block is the same memory
 * read as column-major. So data, exact results and peers are those of `ek bench spmm` for that
 * product. */
#include <math.h>
#include <string.h>

#include "sparse.h"
#include "spmv.h"

/* One of our methods, with the X and Y that it is given. */
struct ours {
	ek_plan *plan;
	ek_dense x, y;
};

/* ---- Entrants -------------------------------------------------------------------------------- */

static void run(void *entrant, int64_t calls)
{
	struct entrant *e = entrant;
	const struct ours *o = e->own;

	for (; calls > 0; calls--)
		e->record.failed |= ek_dense_spmm(o->plan, 1, &o->x, 0, &o->y) != EK_OK;
}

static void release(void *own)
{
	ek_plan_destroy(((struct ours *)own)->plan);
}

/* Returns the transpose of a block, in the same memory. */
static ek_dense turned(const ek_dense *block)
{
	return ek_block(block->value, block->cols, block->rows, block->ld,
	                block->order == EK_ROW_MAJOR ? EK_COL_MAJOR : EK_ROW_MAJOR, block->data);
}

static void enter_ours(struct field *f, const char *name, bool hidden)
{
	struct entrant *e = entrant_add(f, RECORD_OURS, "", name, sizeof(struct ours));
	const struct problem *p = f->problem;
	const ek_hints hints = {.size = sizeof hints,
	                        .method = e->record.method,
	                        .op = p->op == EK_OP_T ? EK_OP_N : EK_OP_T,
	                        .calls = p->peer.calls,
	                        .width = p->peer.width};
	struct ours *o = e->own;
	const double start = tool_seconds();

	*o = (struct ours){.x = turned(&p->side[0]), .y = turned(&p->side[1])};
	entrant_shorten(e);
	e->calls.run = run;
	e->release = release;
	e->hidden = hidden;
	if (ek_plan_create(EK_DENSE_SPMM, p->A, &hints, &o->plan) != EK_OK) {
		e->record.failed = true;
		e->record.why = keep("%s", ek_error_text());
		return;
	}
	e->record.v[V_PREPARE_MS] = 1e3 * (tool_seconds() - start);
	entrant_chose(e, name, o->plan);
	e->record.v[V_SIZE] = 1 + (double)ek_plan_memory(o->plan) / f->c->v[V_CSR_BYTES];
	entrant_check(e);
}

static void enter(struct field *f)
{
	struct problem *p = f->problem;

	enter_methods(f, enter_ours);
	enter_peers(f, &p->peer);
	enter_reads(f, p->csr_bytes, p->peer.threads, false);
}

/* ---- Measuring ------------------------------------------------------------------------------- */

/* Measures one case; `order` has the bits X_BY_ROWS and Y_BY_ROWS. */
static int measure(struct bench *b, const struct tool_source *source, ek_matrix *A, ek_op op,
                   int64_t rows, int64_t order)
{
	static const char *const names[] = {"col", "row", "row:col", "col:row"};
	struct problem p = {0};

	b->o.common.op = op == EK_OP_T ? EK_OP_N : EK_OP_T;
	int code = problem_make(&p, b, rows, order & X_BY_ROWS ? EK_COL_MAJOR : EK_ROW_MAJOR,
	                        order & Y_BY_ROWS ? EK_COL_MAJOR : EK_ROW_MAJOR, A);
	struct bench_case *c = code ? NULL : case_of_matrix(b, source, A, &code);

	if (c) {
		c->op = op == EK_OP_T ? "t" : "n";
		c->what = op == EK_OP_T ? "Y = X A^T" : "Y = X A";
		c->variant = order == X_BY_ROWS   ? names[2]
		             : order == Y_BY_ROWS ? names[3]
		                                  : names[order != 0];
		c->name = keep("%s%s, %lld row%s, %s", c->matrix, op == EK_OP_T ? "^T" : "",
		               (long long)rows, rows == 1 ? "" : "s", c->variant);
		c->bytes = c->v[V_BYTES] = (double)p.csr_bytes;
		c->flops = 2 * (double)p.peer.nnz * (double)rows;
		c->v[V_WIDTH] = (double)rows;
		code = measure_case(b, c, &p, NULL);
	}
	problem_free(&p);
	return code;
}

/* Measures all cases of a matrix. A wrong result does not stop it; any other failure does. */
static int matrix(struct bench *b, const struct tool_source *source, ek_matrix *A)
{
	const struct list *rows = &b->o.columns, *orders = &b->o.order, *ops = &b->o.op_a;
	const int count = ops->count * rows->count * orders->count;
	int code = TOOL_OK;

	for (int k = 0; k < count && (!code || code == TOOL_FAILED); k++) {
		const int rest = k / rows->count;
		const int this =
			measure(b, source, A, (ek_op)ops->value[rest / orders->count],
		                rows->value[k % rows->count], orders->value[rest % orders->count]);

		code = this ? this : code;
	}
	return code;
}

/* ---- Output ---------------------------------------------------------------------------------- */

static const char *title(const struct bench *b, const struct bench_case *c)
{
	const double *v = c->v;

	(void)b;
	return keep("%s  %s x %s, %s nonzeros; %s\n%s, index %s, %s, %s; reads %.1f GB/s", c->name,
	            text_count(v[V_ROWS]), text_count(v[V_COLS]), text_count(v[V_NNZ]), c->what,
	            c->value, c->index, text_many(v[V_THREADS], "thread"),
	            text_many(v[V_ROUNDS], "round"), v[V_BOUND_GBPS]);
}

static const struct column columns[] = {
	{"method", BLOCK | PAGE | LEFT | SWATCH, VALUES, NULL, cell_method,
         "after ->, the method that auto chose"},
	{"ms", BLOCK | PAGE | LESS, V_MS, NULL, NULL, "median time of a product"},
	{"GFlop/s", BLOCK | PAGE, V_GFLOPS, "%.2f", NULL, "two for each nonzero and row of X"},
	{"GB/s", BLOCK | PAGE, V_GBPS, "%.2f", NULL, ""},
	{"of bound", BLOCK | PAGE, V_OF_BOUND, "%.3f", NULL,
         "GB/s divided by the bandwidth at which the same threads read as many bytes (-: less than "
         "1 MB)"},
	{"vs serial", BLOCK | PAGE | RATIO, V_VS_SERIAL, "%.2f", NULL,
         "speed divided by that of the plain method with one thread"},
	{"vs best peer", BLOCK | PAGE | RATIO | PEERS, V_VS_PEER, "%.2f", NULL,
         "speed divided by that of the fastest other library, with the transposes"},
	{"plan ms", BLOCK | PAGE | LESS, V_PREPARE_MS, NULL, NULL, "time to make the plan"},
	{"size", BLOCK | PAGE | LESS, V_SIZE, "%.2f", NULL,
         "bytes of A and the plan divided by those of A"},
	{"error", BLOCK | PAGE | LESS, V_ERROR, "%.3f", NULL,
         "largest error divided by its proven bound; at most 1 is accepted"},
	{"", BLOCK | LEFT, VALUES, NULL, cell_best, "* the fastest of ours; or FAILED"},
	{.head = NULL}};

const struct operation bench_dense_spmm = {
	.name = "dense_spmm",
	.text = "Y = X op(A) with dense blocks, with peers and the read bound",
	.help = "Times products with a dense block on the left of A, method by method, in turn and "
                "in "
		"rounds, for each op, number of rows and order of the blocks, and compares them "
                "with "
		"other libraries, which multiply the transposes, and with the read bandwidth of "
                "the "
		"memory. Every result is checked first.\v"
		"Example: ek bench dense_spmm cant.mtx --rows 1,8,32 --order row,col --peers\n"
		"Exit status 1: a result was wrong.",
	.usage = "[MATRIX...]",
	.options = "suite html rounds time peers peer_dir method rows_x order op_a",
	.defaults = "time=1 rows=8 order=row,col op=n",
	.children = sparse_children,
	.check = check_matrices,
	.fields =
		"op method chosen device isa version matrix source rows cols nnz row_max row_mean "
		"row_stddev group transpose columns order value index threads runs rounds "
		"disturbed ms ms_min ms_p10 ms_p90 prepare_ms size bytes gflops gbps bound "
		"bound_gbps of_bound unit vs_serial vs_best_peer error commit machine date",
	.problem = "cases",
	.moves = "bytes of A, X and Y, each once",
	.columns = columns,
	.walk = walk_matrices,
	.matrix = matrix,
	.each = table_case,
	.enter = enter,
	.spoil = problem_reset,
	.error = problem_error,
	.operation = EK_DENSE_SPMM,
	.peers = EK_SPMM,
	.title = title,
	.heading = "Dense blocks times sparse matrix, method by method",
	.place = sparse_place,
};
