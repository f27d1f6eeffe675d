/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench spmspv: y = op(A) x with sparse x and y, method by method, for each density of x. x has
 * an entry at a random place of each --spread indices. Values are checked against sums in twice
 * double precision, and those of our methods must equal those of the first, spmspv.csr.serial, bit
 * for bit.
 *
 * The bytes of a run are the least that a method by columns moves: the entries of x and y, and
 * those entries of A that are multiplied. Methods by rows read all of A. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "sparse.h"

struct spmspv {
	const struct matrix_at *at;
	ek_op op;
	int64_t spread;
	ek_sparse x, y, first; /* y is space for a result; `first` is that of the first method */
	int64_t count, first_count; /* number of their entries */
	struct array_sum *exact;    /* for each row of op(A), with the number of its products */
	double products, entries;   /* of all rows; entries of y */
	ek_peer_problem peer;
	ek_peer_result from_peer; /* y of the peer being checked, as a matrix of one row */
	int64_t entry_bytes;      /* bytes of an index and a value */
};

/* ---- The problem ----------------------------------------------------------------------------- */

/* Makes a vector of n indices with space for nnz entries. */
static ek_sparse vector(const struct spmspv *p, int64_t n, int64_t nnz)
{
	const ek_value index = p->at->info.index == EK_I64 ? EK_INT64 : EK_INT32;
	const int64_t size = (int64_t)ek_value_size(p->at->info.value);
	const int threads = ek_context_threads(p->at->b->ctx);
	void *idx = need(data_alloc(nnz * (int64_t)ek_value_size(index), threads), "a vector");
	void *val = need(data_alloc(nnz * size, threads), "a vector");

	return ek_sparse_vector(p->at->info.value, index, n, nnz, idx, val);
}

static void make_vectors(struct spmspv *p)
{
	const bool turned = p->op == EK_OP_T;
	const int64_t in = turned ? p->at->info.rows : p->at->info.cols;
	const int64_t out = turned ? p->at->info.cols : p->at->info.rows;
	const int64_t some = in / p->spread ? in / p->spread : in > 0;
	const int64_t most = out < p->at->info.nnz ? out : p->at->info.nnz;
	const int threads = ek_context_threads(p->at->b->ctx);

	p->x = vector(p, in, some);
	data_indices(&p->x, p->at->b->o.common.seed, threads);
	data_random(p->x.value, some, p->x.val, p->at->b->o.common.seed + 1, threads);
	p->y = vector(p, out, most);
	p->first = vector(p, out, most);
	p->entry_bytes = (int64_t)(ek_value_size(p->x.index) + ek_value_size(p->x.value));
}

/* Computes the sums of all rows of op(A), and counts the products and the entries of y. */
static void make_exact(struct spmspv *p)
{
	const ek_view row_ptr = sparse_view(p->at->A, "row_ptr"),
		      col_idx = sparse_view(p->at->A, "col_idx"),
		      val = sparse_view(p->at->A, "val");
	int64_t *place = need(calloc((size_t)p->x.n + 1, sizeof *place), "the check");

	p->exact = need(calloc((size_t)p->y.n + 1, sizeof *p->exact), "the check");
	for (int64_t k = 0; k < p->x.nnz; k++)
		place[data_index(&p->x, k)] = k + 1;
	for (int64_t i = 0; i < p->at->info.rows; i++) {
		const int64_t end = (int64_t)sparse_number(&row_ptr, i + 1);

		for (int64_t k = (int64_t)sparse_number(&row_ptr, i); k < end; k++) {
			const int64_t j = (int64_t)sparse_number(&col_idx, k);
			const int64_t at = place[p->op == EK_OP_T ? i : j];
			struct array_sum *sum = &p->exact[p->op == EK_OP_T ? j : i];

			if (at == 0)
				continue;
			array_add_product(sum, sparse_number(&val, k),
			                  array_number(p->x.value, p->x.val, at - 1));
			p->entries += sum->count++ == 0;
			p->products++;
		}
	}
	free(place);
}

static void set_peer(struct spmspv *p)
{
	p->peer = peer_problem(p->at->b, p->at->A, p->op == EK_OP_T);
	p->peer.b_col_idx = p->x.idx;
	p->peer.b_val = p->x.val;
	p->peer.b_nnz = p->x.nnz;
	p->peer.result = &p->from_peer;
}

static ek_status make_plan(const void *problem, const char *method, ek_plan **plan)
{
	const struct spmspv *p = problem;
	const ek_hints hints = {.size = sizeof hints, .method = method, .op = p->op, .calls = 1000};

	return ek_plan_create(EK_SPMSPV, p->at->A, &hints, plan);
}

static ek_status run_plan(void *problem, ek_plan *plan)
{
	struct spmspv *p = problem;

	return ek_spmspv(plan, 1, &p->x, &p->count, &p->y);
}

/* Runs the first method, whose bits all others must have. */
static int run_first(struct spmspv *p)
{
	ek_plan *plan = NULL;
	ek_status status = make_plan(p, ek_method_name(method_first(EK_SPMSPV)), &plan);

	if (status == EK_OK)
		status = ek_spmspv(plan, 1, &p->x, &p->first_count, &p->first);
	ek_plan_destroy(plan);
	return tool_check(status);
}

static void problem_end(struct spmspv *p)
{
	const ek_sparse *v[] = {&p->x, &p->y, &p->first};

	for (int k = 0; k < 3; k++) {
		free(v[k]->idx);
		free(v[k]->val);
	}
	free(p->exact);
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static void spoil(void *problem)
{
	struct spmspv *p = problem;

	memset(&p->from_peer, 0, sizeof p->from_peer);
	memset(p->y.idx, 0xff, (size_t)p->y.nnz * ek_value_size(p->y.index));
	memset(p->y.val, 0xff, (size_t)p->y.nnz * ek_value_size(p->y.value));
	p->count = -1;
}

/* Returns the largest error of the first `count` entries of y over its bound, gamma(k + 2) |A||x|
 * with k products; infinity if the pattern is wrong. */
static double compare(const struct spmspv *p, const ek_sparse *y, int64_t count)
{
	const bool is_float = y->value == EK_F32;
	const double u = is_float ? 0x1p-24 : 0x1p-53, eta = is_float ? 0x1p-149 : 0x1p-1074;
	double worst = 0;
	int64_t at = 0;

	for (int64_t i = 0; i < p->y.n; i++) {
		const struct array_sum *sum = &p->exact[i];
		const double k = (double)sum->count, terms = (k + 2) * u;

		if (sum->count == 0)
			continue;
		if (at >= count || data_index(y, at) != i)
			return INFINITY;
		const double bound = terms / (1 - terms) * sum->absolute + k * eta;
		const double error =
			fabs((array_number(y->value, y->val, at++) - sum->high) - sum->low);

		worst = error <= bound ? fmax(worst, error / bound) : INFINITY;
	}
	return at == count ? worst : INFINITY;
}

static bool same_bits(const struct spmspv *p)
{
	const size_t count = (size_t)p->first_count;

	return p->count == p->first_count &&
	       memcmp(p->y.idx, p->first.idx, count * ek_value_size(p->y.index)) == 0 &&
	       memcmp(p->y.val, p->first.val, count * ek_value_size(p->y.value)) == 0;
}

static double error(void *problem, const char *method)
{
	const struct spmspv *p = problem;
	const ek_peer_result *r = &p->from_peer;
	const bool by_peer = r->val;
	ek_sparse y = p->y;

	(void)method;
	if (!by_peer)
		return same_bits(p) ? compare(p, &y, p->count) : INFINITY;
	y.index = r->idx_bytes == 4 ? EK_INT32 : EK_INT64;
	y.idx = (void *)r->col_idx;
	y.val = (void *)r->val;
	return compare(p, &y, ((const int64_t *)r->row_ptr)[1]);
}

/* ---- The course ------------------------------------------------------------------------------ */

static void enter(struct field *f)
{
	const struct spmspv *p = f->problem;

	enter_plans(f);
	enter_peers(f, &p->peer);
	enter_reads(f, (int64_t)f->c->bytes + 1, p->peer.threads, false);
}

static int measure(struct spmspv *p)
{
	int code = run_first(p);
	struct bench_case *c =
		code ? NULL
		     : case_of_op(p->at, p->op, keep("spread %s", text_size(p->spread)), &code);

	if (!c)
		return code;
	c->what = p->op == EK_OP_T ? "y = A^T x" : "y = A x";
	c->flops = 2 * p->products;
	c->bytes = ((double)p->x.nnz + p->products + p->entries) * (double)p->entry_bytes;
	c->v[V_BYTES] = c->bytes;
	c->v[V_N] = (double)p->x.nnz;
	c->v[V_PRODUCTS] = p->products;
	c->v[V_RESULT_NNZ] = p->entries;
	return measure_case(p->at->b, c, p, NULL);
}

static int one(const struct matrix_at *at, const int64_t value[MOST_LISTS])
{
	struct spmspv p = {.at = at, .spread = value[0], .op = (ek_op)value[1]};
	int code;

	make_vectors(&p);
	make_exact(&p);
	set_peer(&p);
	code = measure(&p);
	problem_end(&p);
	return code;
}

/* ---- Output ---------------------------------------------------------------------------------- */

static const char *title(const struct bench *b, const struct bench_case *c)
{
	const double *v = c->v;

	(void)b;
	return keep("%s  %s; %s\nentries of x: %s, products: %s, entries of y: %s; %s", c->name,
	            text_matrix(c), c->what, text_count(v[V_N]), text_count(v[V_PRODUCTS]),
	            text_count(v[V_RESULT_NNZ]), text_run(c));
}

static const struct column columns[] = {
	{"method", BLOCK | PAGE | LEFT | SWATCH, VALUES, NULL, cell_method,
         "after ->, the method that auto chose"},
	{"ms", BLOCK | PAGE | LESS, V_MS, NULL, NULL, "median time of a product"},
	INTERVAL_COLUMN(BLOCK | PAGE | LESS),
	{"GB/s", BLOCK | PAGE, V_GBPS, "%.3g", NULL, ""},
	{"of bound", BLOCK | PAGE, V_OF_BOUND, "%.3f", NULL,
         "GB/s divided by the bandwidth at which the same threads read as many bytes (-: less than "
         "1 MB)"},
	{"vs serial", BLOCK | PAGE | RATIO, V_VS_SERIAL, "%.2f", NULL,
         "speed divided by that of the plain method with one thread, by rows"},
	{"vs best peer", BLOCK | PAGE | RATIO | PEERS, V_VS_PEER, "%.2f", NULL,
         "speed divided by that of the fastest other library"},
	{"plan ms", BLOCK | PAGE | LESS, V_PREPARE_MS, NULL, NULL, "time to make the plan"},
	{"size", BLOCK | PAGE | LESS, V_SIZE, "%.2f", NULL,
         "bytes of A and the plan divided by those of A"},
	{"error", BLOCK | PAGE | LESS, V_ERROR, "%.3f", NULL,
         "largest error divided by its proven bound; ours must have the bits of the plain method, "
         "too"},
	PARAMETERS_COLUMN(BLOCK | PAGE),
	{"", BLOCK | LEFT, VALUES, NULL, cell_best, "* the fastest of ours; or FAILED"},
	{.head = NULL}};

const struct operation bench_spmspv = {
	PLAN_OPERATION("spmspv", EK_SPMSPV, "variant n products result_nnz",
                       "size bytes gflops gbps bound bound_gbps of_bound unit vs_serial "
                       "vs_best_peer error"),
	.text = "y = op(A) x with sparse x and y, for densities of x, with peers",
	.help = "Times products with sparse vectors, method by method, in turn and in rounds, for "
		"each density of x, and compares them with other libraries. Every result is "
		"checked first.\v"
		"Example: ek bench spmspv cant.mtx --spread 1,256 --op n,t --peers\n"
		"Exit status 1: a result was wrong.",
	.options = "suite html rounds time peers peer_dir method spread_x op_a",
	.defaults = "time=1 spread=1,16,256,4096,65536 op=n",
	.lists = {LIST_OF(length), LIST_OF(op_a)},
	.moves = "bytes of the entries of A that are multiplied, of x and of y",
	.spoil = spoil,
	.error = error,
	.heading = "Sparse matrix times sparse vector, method by method",
};
