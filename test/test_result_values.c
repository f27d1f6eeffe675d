/* SPDX-License-Identifier: BSD-3-Clause
 * Tests ek_result_values, values of sparse results in arrays of the caller: by every method of the
 * processor for each operation with such results, in every type, on awkward shapes, with operands
 * held as CSR and as CSC. The values must be those of a run into C, bit for bit; C itself and what
 * is beside the array must not change. Also tests refused arguments, failing allocations, and
 * several threads that share a plan and C. */
#include "plan/plan.h"
#include "support/contexts.h"
#include "support/exhaust.h"
#include "support/held.h"
#include "support/sparse.h"
#include "support/workers.h"

enum { PRODUCTS_MOST = 100000 };

static struct rng draw;
static struct guard room;

/* The operands of an operation: A, B or P, and D. */
struct problem {
	ek_operation operation;
	const struct shape *shape[3]; /* NULL: there is none */
	int op, op_b;
	ek_value value;
};

static ek_status run(ek_operation o, ek_plan *plan, double alpha, double beta, ek_matrix **C)
{
	return o == EK_SPGEMM   ? ek_spgemm(plan, alpha, beta, C)
	       : o == EK_SPADD  ? ek_spadd(plan, alpha, beta, C)
	       : o == EK_TRIPLE ? ek_triple(plan, alpha, C)
	                        : ek_transpose(plan, C);
}

/* Writes the values of C to guarded memory, and gives C the same values by a run. */
static void check_values(const struct problem *p, ek_plan *plan, double alpha, double beta,
                         ek_matrix *C)
{
	size_t bytes;
	void *before = values_copy(C, &bytes), *after;
	void *val = rng_below(&draw, 2) ? guard_at_end(&room, bytes) : guard_at_begin(&room, bytes);

	assert_true(bytes <= room.size);
	guard_paint(&room, val, bytes);
	expect_status(ek_result_values(plan, alpha, beta, C, C->store.nnz, val), EK_OK);
	guard_check(&room, val, bytes);
	after = values_copy(C, &bytes);
	if (bytes && memcmp(before, after, bytes) != 0)
		fail_msg("%s: C has changed", product_where);
	free(before);
	free(after);
	expect_status(run(p->operation, plan, alpha, beta, &C), EK_OK);
	after = values_copy(C, &bytes);
	if (bytes && memcmp(val, after, bytes) != 0)
		fail_msg("%s: other values than those of a run", product_where);
	free(after);
}

static void check_method(const struct problem *p, const ek_method *m)
{
	static const double factor[] = {1, 0, -1, 2.5, 1.1};
	const double alpha = factor[rng_below(&draw, 5)], beta = factor[rng_below(&draw, 5)];
	ek_context *ctx = contexts_any((int)rng_below(&draw, contexts.levels), 3, &draw);
	const bool csc = rng_below(&draw, 3) == 0;
	const ek_index index = (ek_index)(1 + rng_below(&draw, 3));
	ek_hints hints = {.size = sizeof hints,
	                  .method = name_or_auto(m),
	                  .op = p->op ? EK_OP_T : EK_OP_N,
	                  .op_b = p->op_b ? EK_OP_T : (ek_op)0};
	struct held h[3];
	ek_matrix *C = NULL;
	ek_plan *plan;

	snprintf(product_where, sizeof product_where, "%s %s, op %d of %s, %s, %s, %g, %g",
	         ek_operation_name(p->operation), hints.method, p->op, p->shape[0]->name,
	         csc ? "csc" : "csr", ek_value_name(p->value), alpha, beta);
	for (int k = 0; k < 3; k++)
		if (p->shape[k])
			held_make(&h[k], p->shape[k], csc ? HELD_CSC : HELD_CSR, p->value, index, k,
			          ctx);
	hints.B = p->shape[1] ? h[1].M : NULL;
	hints.D = p->shape[2] ? h[2].M : NULL;
	expect_status(ek_plan_create(p->operation, h[0].M, &hints, &plan), EK_OK);
	expect_status(run(p->operation, plan, alpha, beta, &C), EK_OK);
	for (int second = 1; second >= 0; second--) {
		for (int k = 0; k < 3; k++)
			if (p->shape[k])
				held_values(&h[k], second);
		check_values(p, plan, alpha, beta, C);
	}
	ek_plan_destroy(plan);
	ek_matrix_destroy(C);
	for (int k = 0; k < 3; k++)
		if (p->shape[k])
			held_free(&h[k]);
}

static void check_problem(const struct problem *p)
{
	const ek_method *m = NULL;

	do
		check_method(p, m);
	while ((m = processor_method_next(m, p->operation)));
}

/* Does all four operations with a shape: its transpose, its sum with another matrix, its product
 * with one, with and without D, and a Galerkin product where it is P. */
static void check_shape(const struct shape *s, ek_value value)
{
	struct shape a, b, d, e;

	sparse_random(&draw, &b, s->cols, 12, 4);
	sparse_random(&draw, &d, s->rows, 12, 3);
	sparse_random(&draw, &e, s->rows, s->cols, 3);
	sparse_random(&draw, &a, s->rows, s->rows, 2);
	const struct problem transpose = {EK_TRANSPOSE, {s, NULL, NULL}, 0, 0, value};
	const struct problem sum = {EK_SPADD, {s, &e, NULL}, 0, 0, value};
	const struct problem sum_t = {EK_SPADD, {s, s, NULL}, 1, 1, value};
	const struct problem product = {EK_SPGEMM, {s, &b, NULL}, 0, 0, value};
	const struct problem product_d = {EK_SPGEMM, {s, &b, &d}, 0, 0, value};
	const struct problem triple = {EK_TRIPLE, {&a, s, NULL}, 0, 0, value};

	check_problem(&transpose);
	check_problem(&sum);
	check_problem(&sum_t);
	if (sparse_products((struct operand){s, 0}, (struct operand){&b, 0}) < PRODUCTS_MOST) {
		check_problem(&product);
		check_problem(&product_d);
	}
	if (sparse_triples((struct operand){&a, 0}, (struct operand){s, 0}) < PRODUCTS_MOST)
		check_problem(&triple);
	shape_free(&a);
	shape_free(&b);
	shape_free(&d);
	shape_free(&e);
}

static void test_shapes(void **state)
{
	(void)state;
	for (int k = 0; k < shape_count(); k++)
		for (int turn = 0; turn < 2; turn++) {
			struct shape s;

			if (test_tier() == TIER_BRIEF && turn != k % 2)
				continue;
			shape_make(&s, k, turn ? DATA_EXACT : DATA_REAL);
			check_shape(&s, turn ? EK_F32 : EK_F64);
			shape_free(&s);
		}
}

/* ---- Arguments ------------------------------------------------------------------------------- */

/* A^T A for a matrix of 40 rows, made by a plan, which has a copy of A^T. */
static struct square {
	struct shape s;
	struct held h;
	ek_plan *plan;
	ek_matrix *C;
} square;

static void square_open(ek_context *ctx, const char *method)
{
	ek_hints hints = {.size = sizeof hints, .method = method, .op = EK_OP_T};

	sparse_random(&draw, &square.s, 40, 40, 5);
	held_make(&square.h, &square.s, HELD_CSR, EK_F64, EK_I32, 1, ctx);
	hints.B = square.h.M;
	square.C = NULL;
	expect_status(ek_plan_create(EK_SPGEMM, square.h.M, &hints, &square.plan), EK_OK);
	expect_status(ek_spgemm(square.plan, 1, 0, &square.C), EK_OK);
}

static void square_close(void)
{
	ek_plan_destroy(square.plan);
	ek_matrix_destroy(square.C);
	held_free(&square.h);
	shape_free(&square.s);
}

static void expect_refused(ek_plan *plan, const ek_matrix *C, int64_t count, void *val,
                           const char *part)
{
	expect_error(ek_result_values(plan, 1, 0, C, count, val), EK_EINVAL, part);
}

static void test_arguments(void **state)
{
	ek_context *ctx = contexts.of[0][0];
	ek_plan *other;
	double *val;
	int64_t n;

	(void)state;
	square_open(ctx, NULL);
	n = square.C->store.nnz;
	val = calloc((size_t)n + 1, sizeof *val);
	expect_refused(NULL, square.C, n, val, "plan is NULL");
	expect_refused(square.plan, NULL, n, val, "C, the result of an earlier run, is NULL");
	expect_refused(square.plan, square.h.M, n, val, "C was not made by a run of this plan");
	expect_refused(square.plan, square.C, n - 1, val, "but C has");
	expect_refused(square.plan, square.C, n, NULL, "val is NULL");
	expect_refused(square.plan, square.C, n, (char *)val + 1, "not aligned");
	expect_refused(square.plan, square.C, n, square.C->store.array[CSR_VAL],
	               "val overlaps the array val of C");
	expect_refused(square.plan, square.C, n, square.C->store.array[CSR_PTR],
	               "val overlaps the array row_ptr of C");
	expect_refused(square.plan, square.C, n, square.h.typed.val,
	               "val overlaps the array");
	expect_status(ek_plan_create(EK_SPMV, square.h.M, NULL, &other), EK_OK);
	expect_refused(other, square.C, n, val, "C was not made by a run of this plan");
	ek_plan_destroy(other);
	for (int64_t k = 0; k <= n; k++)
		assert_true(val[k] == 0);
	expect_status(ek_matrix_convert_in_place(square.C, "coo", NULL), EK_OK);
	expect_refused(square.plan, square.C, n, val, "was converted since");
	free(val);
	square_close();
}

/* ---- Failing allocations --------------------------------------------------------------------- */

static double written[2000];

/* Values of the operand have changed, so the run copies them first. */
static ek_status write_values(struct exhaust *e)
{
	const int64_t n = square.C->store.nnz;
	ek_status status;

	(void)e;
	assert_true(n <= (int64_t)(sizeof written / sizeof *written));
	memset(written, 0x7f, sizeof written);
	expect_status(ek_matrix_values_changed(square.h.M), EK_OK);
	status = ek_result_values(square.plan, 2, 0, square.C, n, written);
	for (size_t k = 0; status != EK_OK && k < sizeof written; k++)
		assert_int_equal(((const char *)written)[k], 0x7f);
	return status;
}

static void test_failures(void **state)
{
	static struct exhaust e;
	const ek_method *m = NULL;

	(void)state;
	exhaust_open(&e, 3, NULL);
	do {
		square_open(e.ctx, name_or_auto(m));
		assert_true(exhaust(&e, "values", write_values, NULL) > 0);
		square_close();
	} while ((m = processor_method_next(m, EK_SPGEMM)));
	exhaust_close(&e);
}

/* Checks that values do not go to row pointers of the caller, of which the matrix has a copy. */
static void test_base1(void **state)
{
	int64_t ptr[] = {1, 2, 3}, col[] = {1, 2};
	double val[] = {1, 1};
	ek_hints hints = {.size = sizeof hints};
	ek_context *ctx;
	ek_matrix *A, *C = NULL;
	ek_plan *plan;

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I64, 2, 2, ptr, col, val,
	                                 EK_BORROW | EK_BASE1, &A),
	              EK_OK);
	hints.B = A;
	expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_OK);
	expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
	expect_refused(plan, C, 2, ptr, "overlaps the array row_ptr of");
	assert_true(ptr[0] == 1 && ptr[1] == 2 && ptr[2] == 3);
	ek_plan_destroy(plan);
	ek_matrix_destroy(C);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
}

/* Checks that a run for values alone leaves the columns of C as they are, by methods that do not
 * read them. */
static void test_columns_stay(void **state)
{
	static const char *const method[] = {"csr.serial", "csr.textbook"};
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 1, 0);

	(void)state;
	for (int m = 0; m < 2; m++) {
		square_open(ctx, method[m]);
		const int64_t n = square.C->store.nnz;
		int32_t *col = square.C->store.array[CSR_COL];
		int32_t *was = malloc((size_t)n * sizeof *was);

		assert_non_null(was);
		memcpy(was, col, (size_t)n * sizeof *was);
		col[0] = was[n - 1]; /* what no run would write there, unless it is the same */
		expect_status(ek_result_values(square.plan, 1, 0, square.C, n, written), EK_OK);
		if (col[0] != was[n - 1])
			fail_msg("%s wrote columns", ek_plan_method(square.plan));
		memcpy(col, was, (size_t)n * sizeof *was);
		free(was);
		square_close();
	}
	ek_context_destroy(ctx);
	heap_close(&heap);
}

/* ---- Threads --------------------------------------------------------------------------------- */

static void work(int number)
{
	const int64_t n = square.C->store.nnz;
	double *val = calloc((size_t)n, sizeof *val);

	(void)number;
	for (int k = 0; k < 5; k++)
		if (ek_result_values(square.plan, 1, 0, square.C, n, val) != EK_OK ||
		    memcmp(val, square.C->store.array[CSR_VAL], (size_t)n * sizeof *val) != 0)
			worker_fault(ek_plan_method(square.plan));
	free(val);
}

static void test_threads(void **state)
{
	const ek_method *m = NULL;

	(void)state;
	do {
		square_open(contexts.of[0][contexts.counts - 1], name_or_auto(m));
		run_workers(WORKERS, work);
		square_close();
	} while ((m = processor_method_next(m, EK_SPGEMM)));
}

static int setup(void **state)
{
	draw.state = 31;
	guard_make(&room, 1 << 22);
	return contexts_setup(state);
}

static int teardown(void **state)
{
	guard_free(&room);
	return contexts_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_columns_stay),
		cmocka_unit_test(test_base1),
		cmocka_unit_test(test_threads),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
