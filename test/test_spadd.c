/* SPDX-License-Identifier: BSD-3-Clause
 * Tests sums of sparse matrices by every method of the table, and by `auto`, in every type and
 * number of threads, on awkward shapes, plain and transposed, held as CSR and as CSC. The reference
 * is that of products, with the identity as B. */
#include "plan/plan.h"
#include "support/held.h"
#include "support/plan_case.h"
#include "support/sparse.h"

static struct rng draw;

/* The sum alpha op(A) + beta op(B). */
struct problem {
	const struct shape *shape[2];
	int op[2];
	ek_value value;
	enum data data;
	struct sparse_reference ref[2]; /* with the first and with the second values */
};

static struct shape identity(int64_t n)
{
	struct shape s = {.name = "identity", .rows = n, .cols = n, .nnz = n};

	s.ptr = calloc((size_t)n + 1, sizeof *s.ptr);
	s.col = calloc((size_t)n + 1, sizeof *s.col);
	s.val = calloc((size_t)n + 1, sizeof *s.val);
	s.val2 = calloc((size_t)n + 1, sizeof *s.val2);
	for (int64_t i = 0; i < n; i++) {
		s.ptr[i + 1] = i + 1;
		s.col[i] = i;
		s.val[i] = s.val2[i] = 1;
	}
	return s;
}

static void references(struct problem *p)
{
	const struct shape *A = p->shape[0];
	struct shape one = identity(p->op[0] ? A->rows : A->cols), b, twice;

	shape_transpose(p->shape[1], &b);
	if (!p->op[1]) {
		shape_transpose(&b, &twice);
		shape_free(&b);
		b = twice;
	}
	for (int second = 0; second < 2; second++)
		sparse_reference_make(&p->ref[second], (struct operand){A, p->op[0]},
		                      (struct operand){&one, 0}, &b, p->value, second);
	shape_free(&one);
	shape_free(&b);
}

static void check(const struct problem *p, const ek_matrix *C, double alpha, double beta,
                  bool second)
{
	char text[400];

	if (!sparse_check(&p->ref[second], C, p->data, alpha, beta, text, sizeof text))
		fail_msg("%s: %s", product_where, text);
}

static void check_method(const struct problem *p, const ek_method *m)
{
	static const double factor[] = {1, 0, -1, 2.5};
	const double alpha = factor[rng_below(&draw, 4)], beta = factor[rng_below(&draw, 4)];
	ek_context *ctx = contexts_any((int)rng_below(&draw, contexts.levels), 2, &draw);
	const bool csc = rng_below(&draw, 3) == 0;
	struct held h[2];
	ek_matrix *C = NULL;
	ek_plan *plan;

	snprintf(product_where, sizeof product_where, "%s, %g op %c of %s + %g op %c of %s, %s, %s",
	         name_or_auto(m), alpha, p->op[0] ? 'T' : 'N', p->shape[0]->name, beta,
	         p->op[1] ? 'T' : 'N', p->shape[1]->name, csc ? "csc" : "csr",
	         ek_value_name(p->value));
	for (int k = 0; k < 2; k++)
		held_make(&h[k], p->shape[k], csc ? HELD_CSC : HELD_CSR, p->value,
		          (ek_index)(1 + rng_below(&draw, 3)), k, ctx);
	const ek_hints hints = {.size = sizeof hints,
	                        .method = name_or_auto(m),
	                        .op = p->op[0] ? EK_OP_T : EK_OP_N,
	                        .B = h[1].M,
	                        .op_b = p->op[1] ? EK_OP_T : EK_OP_N};

	expect_status(ek_plan_create(EK_SPADD, h[0].M, &hints, &plan), EK_OK);
	expect_status(ek_spadd(plan, alpha, beta, &C), EK_OK);
	check(p, C, alpha, beta, false);
	for (int second = 1; second >= 0; second--) {
		for (int k = 0; k < 2; k++)
			held_values(&h[k], second);
		expect_status(ek_spadd(plan, alpha, beta, &C), EK_OK);
		check(p, C, alpha, beta, second);
	}
	ek_plan_destroy(plan);
	ek_matrix_destroy(C);
	for (int k = 0; k < 2; k++)
		held_free(&h[k]);
}

static void check_problem(struct problem *p)
{
	const ek_method *m = NULL;

	references(p);
	do
		check_method(p, m);
	while ((m = processor_method_next(m, EK_SPADD)));
	for (int k = 0; k < 2; k++)
		sparse_reference_free(&p->ref[k]);
}

static void walk(enum data data)
{
	for (int k = 0; k < shape_count(); k++)
		for (int turn = 0; turn < 4; turn++) {
			struct shape a, b;

			if (test_tier() == TIER_BRIEF && turn != k % 4)
				continue;
			shape_make(&a, k, data);
			sparse_random(&draw, &b, turn & 1 ? a.cols : a.rows,
			              turn & 1 ? a.rows : a.cols, 5);
			struct problem p = {.shape = {&a, turn < 2 ? &b : &a},
			                    .op = {0, turn == 1},
			                    .value = turn % 2 ? EK_F32 : EK_F64,
			                    .data = data};

			if (turn == 3)
				p.op[0] = p.op[1] = 1;
			check_problem(&p);
			shape_free(&a);
			shape_free(&b);
		}
}

static void test_integer_data(void **state)
{
	(void)state;
	walk(DATA_EXACT);
}

static void test_real_data(void **state)
{
	(void)state;
	walk(DATA_REAL);
}

/* Tests C made in one pass, which needs the library's own heap, in several batches. */
static void test_large(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 3; threads++) {
		const ek_options options = {.size = sizeof options, .threads = threads};
		ek_matrix *A, *B, *C = NULL, *D = NULL;
		ek_hints hints = {.size = sizeof hints};
		ek_context *own;
		ek_plan *plan;

		expect_status(ek_context_create(&options, &own), EK_OK);
		expect_status(ek_matrix_generate(own, "uniform:rows=20000,k=7,seed=1", EK_F64,
		                                 EK_I32, &A),
		              EK_OK);
		expect_status(ek_matrix_generate(own, "banded:n=20000,lower=3,upper=4", EK_F64,
		                                 EK_I32, &B),
		              EK_OK);
		hints.B = B;
		expect_status(ek_plan_create(EK_SPADD, A, &hints, &plan), EK_OK);
		expect_status(ek_spadd(plan, 2, -1, &C), EK_OK);
		ek_plan_destroy(plan);
		hints.method = "spadd.csr.serial";
		expect_status(ek_plan_create(EK_SPADD, A, &hints, &plan), EK_OK);
		expect_status(ek_spadd(plan, 2, -1, &D), EK_OK);
		ek_plan_destroy(plan);
		expect_status(ek_matrix_check(C), EK_OK);
		assert_null(different_array(C, D));
		ek_matrix_destroy(A);
		ek_matrix_destroy(B);
		ek_matrix_destroy(C);
		ek_matrix_destroy(D);
		ek_context_destroy(own);
	}
}

static void test_refused(void **state)
{
	ek_context *own = contexts.of[0][0];
	ek_hints hints = {.size = sizeof hints};
	ek_matrix *A, *B, *C = NULL;
	ek_plan *plan = NULL;

	(void)state;
	expect_status(ek_matrix_generate(own, "diagonal:n=3", EK_F64, EK_I32, &A), EK_OK);
	expect_status(ek_matrix_generate(own, "diagonal:n=4", EK_F64, EK_I32, &B), EK_OK);
	expect_error(ek_plan_create(EK_SPADD, A, NULL, &plan), EK_EINVAL, "hints.B is NULL");
	hints.B = B;
	expect_error(ek_plan_create(EK_SPADD, A, &hints, &plan), EK_EINVAL,
	             "op(A) is 3 x 3 and op(B) 4 x 4; equal sizes are expected");
	hints.B = A;
	hints.D = A;
	expect_error(ek_plan_create(EK_SPADD, A, &hints, &plan), EK_EINVAL,
	             "hints.D is set, but operation spadd takes two matrices");
	hints.D = NULL;
	expect_status(ek_plan_create(EK_SPADD, A, &hints, &plan), EK_OK);
	expect_error(ek_spgemm(plan, 1, 1, &C), EK_EINVAL, "plan is for operation spadd");
	expect_error(ek_spadd(plan, 1, 1, NULL), EK_EINVAL, "C, where the result goes, is NULL");
	assert_null(C);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
}

static int setup(void **state)
{
	draw.state = 21;
	return contexts_setup(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integer_data),
		cmocka_unit_test(test_real_data),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_refused),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, contexts_teardown);
}
