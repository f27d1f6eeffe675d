/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench dense_spmm: Y = X op(A) with dense blocks, for each op, number of rows of X, and order
 * of X and Y. This is Y^T = op(A)^T X^T, and the transpose of a row-major block is the same memory
 * read as column-major. So data, exact results and peers are those of `ek bench spmm` for that
 * product. */
#include "spmv.h"

/* ---- Entrants -------------------------------------------------------------------------------- */

static ek_status make_plan(const void *problem, const char *method, ek_plan **plan)
{
	const struct problem *p = problem;
	const ek_hints hints = {.size = sizeof hints,
	                        .method = method,
	                        .op = p->op == EK_OP_T ? EK_OP_N : EK_OP_T,
	                        .calls = p->peer.calls,
	                        .width = p->peer.width};

	return ek_plan_create(EK_DENSE_SPMM, p->A, &hints, plan);
}

/* Returns the transpose of a block, in the same memory. */
static ek_dense turned(const ek_dense *block)
{
	return ek_block(block->value, block->cols, block->rows, block->ld,
	                block->order == EK_ROW_MAJOR ? EK_COL_MAJOR : EK_ROW_MAJOR, block->data);
}

static ek_status run_plan(void *problem, ek_plan *plan)
{
	const struct problem *p = problem;
	const ek_dense x = turned(&p->side[0]), y = turned(&p->side[1]);

	return ek_dense_spmm(plan, 1, &x, 0, &y);
}

static void enter(struct field *f)
{
	struct problem *p = f->problem;

	enter_plans(f);
	enter_peers(f, &p->peer);
	enter_reads(f, p->csr_bytes, p->peer.threads, false);
}

/* ---- Measuring ------------------------------------------------------------------------------- */

/* Measures one number of rows and one order, which has the bits X_BY_ROWS and Y_BY_ROWS. */
static int one(const struct matrix_at *at, const int64_t value[MOST_LISTS])
{
	static const char *const names[] = {"col", "row:col", "col:row", "row"};
	const int64_t rows = value[0], order = value[1];
	const ek_op op = (ek_op)value[2];
	struct bench *b = at->b;
	struct problem p = {0};

	b->o.common.op = op == EK_OP_T ? EK_OP_N : EK_OP_T;
	int code = problem_make(&p, b, rows, order & X_BY_ROWS ? EK_COL_MAJOR : EK_ROW_MAJOR,
	                        order & Y_BY_ROWS ? EK_COL_MAJOR : EK_ROW_MAJOR, at->A);
	struct bench_case *c = code ? NULL
	                            : case_of_op(at, op,
	                                         keep("%lld row%s, %s", (long long)rows,
	                                              rows == 1 ? "" : "s", names[order]),
	                                         &code);

	if (c) {
		c->what = op == EK_OP_T ? "Y = X A^T" : "Y = X A";
		c->variant = names[order];
		c->bytes = c->v[V_BYTES] = (double)p.csr_bytes;
		c->flops = 2 * (double)p.peer.nnz * (double)rows;
		c->v[V_WIDTH] = (double)rows;
		code = measure_case(b, c, &p, NULL);
	}
	problem_free(&p);
	return code;
}

/* ---- Output ---------------------------------------------------------------------------------- */

static const char *title(const struct bench *b, const struct bench_case *c)
{
	(void)b;
	return keep("%s  %s; %s\n%s; reads %.1f GB/s", c->name, text_matrix(c), c->what,
	            text_run(c), c->v[V_BOUND_GBPS]);
}

static const struct column columns[] = {
	{"method", BLOCK | PAGE | LEFT | SWATCH, VALUES, NULL, cell_method,
         "after ->, the method that auto chose"},
	{"ms", BLOCK | PAGE | LESS, V_MS, NULL, NULL, "median time of a product"},
	INTERVAL_COLUMN(BLOCK | PAGE | LESS),
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
	PARAMETERS_COLUMN(BLOCK | PAGE),
	{"", BLOCK | LEFT, VALUES, NULL, cell_best, "* the fastest of ours; or FAILED"},
	{.head = NULL}};

const struct operation bench_dense_spmm = {
	PLAN_OPERATION("dense_spmm", EK_DENSE_SPMM, "columns order",
                       "size bytes gflops gbps bound bound_gbps of_bound unit vs_serial "
                       "vs_best_peer error"),
	.text = "Y = X op(A) with dense blocks, with peers and the read bound",
	.help = "Times products with a dense block on the left of A, method by method, in turn and "
		"in rounds, for each op, number of rows and order of the blocks, and compares them "
		"with other libraries, which multiply the transposes, and with the read bandwidth "
		"of the memory. Every result is checked first.\v"
		"Example: ek bench dense_spmm cant.mtx --rows 1,8,32 --order row,col --peers\n"
		"Exit status 1: a result was wrong.",
	.options = "suite html rounds time peers peer_dir method rows_x order op_a",
	.defaults = "time=1 rows=8 order=row,col op=n",
	.lists = {LIST_OF(columns), LIST_OF(order), LIST_OF(op_a)},
	.moves = "bytes of A, X and Y, each once",
	.spoil = problem_reset,
	.error = problem_error,
	.peers = EK_SPMM,
	.heading = "Dense blocks times sparse matrix, method by method",
};
