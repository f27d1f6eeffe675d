/* SPDX-License-Identifier: BSD-3-Clause
 * Tests calls that may happen at the same time: many threads with plans of one const matrix,
 * contexts and matrices made by several threads, error messages of each thread, and calls from a
 * parallel region of the caller. This test is also for the thread sanitizer, in a build without
 * OpenMP, whose run time the sanitizer does not see. */
#ifdef _OPENMP
#include <omp.h>
#endif

#include "plan/plan.h"
#include "support/context.h"
#include "support/support.h"
#include "support/shapes.h"
#include "support/workers.h"

enum { ROUNDS = 30 };

static _Atomic int made, refused; /* plans */
static struct shape shape;
static struct typed arrays;
static const ek_matrix *shared;
static double *x[2], *expected[2][2]; /* expected[op][k] is the product with x[k] */

static int setup(void **state)
{
	ek_matrix *A = NULL;
	int64_t longest;

	for (int k = 0; k < shape_count(); k++) /* a shape of medium size with all row lengths */
		if (strcmp(shape_name(k), "power-law") == 0)
			shape_free(&shape), shape_make(&shape, k, DATA_EXACT);
	typed_make(&arrays, &shape, EK_F64, EK_I32, 1);
	context_setup_cut(state);
	if (typed_csr(ctx, &arrays, EK_BORROW, &A) != EK_OK)
		return -1;
	shared = A;
	longest = shape.rows > shape.cols ? shape.rows : shape.cols;
	for (int v = 0; v < 2; v++) {
		x[v] = calloc((size_t)longest, sizeof **x);
		for (int64_t j = 0; j < longest; j++)
			x[v][j] = (double)(j % (7 - 2 * v) - 3);
		for (int op = 0; op < 2; op++)
			expected[op][v] = calloc((size_t)longest, sizeof **x);
		for (int64_t i = 0; i < shape.rows; i++)
			for (int64_t k = shape.ptr[i]; k < shape.ptr[i + 1]; k++) {
				expected[0][v][i] += shape.val[k] * x[v][shape.col[k]];
				expected[1][v][shape.col[k]] += shape.val[k] * x[v][i];
			}
	}
	return 0;
}

static int teardown(void **state)
{
	ek_matrix_destroy((ek_matrix *)(uintptr_t)shared);
	typed_free(&arrays);
	shape_free(&shape);
	for (int v = 0; v < 2; v++) {
		free(x[v]);
		free(expected[0][v]);
		free(expected[1][v]);
	}
	return context_teardown(state);
}

/* Runs a product of the shared matrix and checks it. x, alpha and beta depend on the round. `y` and
 * its expected value `want` continue from the previous round. */
static void multiply(ek_plan *plan, int op, int round, double *y, double *want)
{
	int64_t n = op ? shape.cols : shape.rows, m = op ? shape.rows : shape.cols;
	double alpha = round % 3 - 1.5, beta = round % 4 - 1;
	const double *product = expected[op][round & 1];
	ek_dense xv = ek_vector(EK_F64, m, x[round & 1]), yv = ek_vector(EK_F64, n, y);

	for (int64_t i = 0; i < n; i++)
		want[i] = alpha * product[i] + beta * want[i];
	if (ek_spmv(plan, alpha, &xv, beta, &yv) != EK_OK)
		worker_fault("a product failed");
	for (int64_t i = 0; i < n; i++)
		if (!(y[i] == want[i])) {
			worker_fault("a product is wrong");
			return;
		}
}

/* Makes a plan. Returns NULL if the format of the method would be too large. */
static ek_plan *plan_of(const ek_matrix *A, const char *method, int op)
{
	ek_hints hints = {.size = sizeof hints, .method = method, .op = op ? EK_OP_T : EK_OP_N};
	const ek_method *m = ek_method_find(method);
	ek_plan *plan = NULL;
	ek_status status = ek_plan_create(EK_SPMV, A, &hints, &plan);

	if (status == EK_OK)
		made++;
	else if (status == EK_ELIMIT && m && m->format[0] != &ek_format_csr)
		refused++; /* the long rows would need too much padding */
	else
		worker_fault("no plan");
	return plan;
}

static void plan_and_multiply(const ek_matrix *A, const char *method, int op, int rounds)
{
	double *y = calloc((size_t)(shape.rows + shape.cols), sizeof *y);
	double *want = calloc((size_t)(shape.rows + shape.cols), sizeof *want);
	ek_plan *plan = plan_of(A, method, op);

	for (int k = 0; plan && k < rounds; k++)
		multiply(plan, op, k, y, want);
	ek_plan_destroy(plan);
	free(want);
	free(y);
}

/* ---- Several threads ------------------------------------------------------------------------- */

static void plans_of_one_matrix(int number)
{
	const ek_method *m = NULL;

	for (int op = 0; op < 2; op++)
		plan_and_multiply(shared, "auto", op ^ (number & 1), ROUNDS);
	while ((m = matrix_method_next(m)))
		for (int op = 0; op < 2; op++)
			if (ek_method_supports(m, op ? EK_OP_T : EK_OP_N, EK_REPRO_RUN))
				plan_and_multiply(shared, ek_method_name(m), op, 5);
}

static void test_one_matrix(void **state)
{
	(void)state;
	made = refused = 0;
	run_workers(WORKERS, plans_of_one_matrix);
	assert_true(made > 5 * refused);
}

/* A plan that all threads run at once, each with its own y. */
static struct {
	ek_plan *plan;
	int op;
} common;

static void runs_of_one_plan(int number)
{
	double *y = calloc((size_t)(shape.rows + shape.cols), sizeof *y);
	double *want = calloc((size_t)(shape.rows + shape.cols), sizeof *want);

	for (int k = 0; k < 10; k++)
		multiply(common.plan, common.op, k + number, y, want);
	free(want);
	free(y);
}

/* Runs each plan in all threads. Values change before these start, so all notice it at once. */
static void test_one_plan(void **state)
{
	(void)state;
	for (const ek_method *m = NULL; (m = matrix_method_next(m));)
		for (int op = 0; op < 2; op++) {
			if (!ek_method_supports(m, op ? EK_OP_T : EK_OP_N, EK_REPRO_RUN))
				continue;
			common.plan = plan_of(shared, ek_method_name(m), op);
			if (!common.plan)
				continue;
			common.op = op;
			expect_status(ek_matrix_values_changed((ek_matrix *)(uintptr_t)shared),
			              EK_OK);
			run_workers(WORKERS, runs_of_one_plan);
			ek_plan_destroy(common.plan);
		}
}

static void questions(int number)
{
	(void)number;
	for (int k = 0; k < ROUNDS; k++) {
		ek_matrix_info info = {.size = sizeof info};
		ek_stats stats = {.size = sizeof stats};
		ek_view view = {.size = sizeof view};

		if (ek_matrix_get_info(shared, &info) != EK_OK || info.nnz != shape.nnz ||
		    ek_matrix_array(shared, "val", &view) != EK_OK ||
		    ek_matrix_check(shared) != EK_OK || ek_matrix_stats(shared, &stats) != EK_OK ||
		    stats.nnz != shape.nnz)
			worker_fault("a question about the matrix");
	}
}

static void test_questions(void **state)
{
	(void)state;
	run_workers(WORKERS, questions);
}

/* Makes a new context in each round, and a matrix and a plan in it or in the shared one. */
static void own_objects(int number)
{
	(void)number;
	for (int k = 0; k < ROUNDS; k++) {
		ek_options options = {.size = sizeof options, .threads = 1 + k % 3};
		ek_context *own = NULL;
		ek_matrix *A = NULL;

		if (ek_context_create(&options, &own) != EK_OK) {
			worker_fault("no context");
			return;
		}
		if (typed_csr(k & 1 ? own : ctx, &arrays, k & 2 ? EK_COPY : EK_BORROW, &A) == EK_OK)
			plan_and_multiply(A, "auto", k & 1, 2);
		else
			worker_fault("no matrix");
		ek_matrix_destroy(A);
		ek_context_destroy(own);
	}
}

static void test_own_objects(void **state)
{
	(void)state;
	run_workers(WORKERS, own_objects);
}

/* Checks that ek_error_text gives the message of the last failure in the calling thread. */
static void own_messages(int number)
{
	char part[64];

	if (ek_error_text()[0])
		worker_fault("a new thread has a message");
	snprintf(part, sizeof part, "rows is %d;", -1 - number);
	for (int k = 0; k < 20 * ROUNDS; k++) {
		ek_matrix *A;

		if (ek_matrix_from_csr(ctx, EK_F64, EK_I32, -1 - number, 1, NULL, NULL, NULL, 0,
		                       &A) != EK_EINVAL ||
		    !strstr(ek_error_text(), part))
			worker_fault("the message of another thread");
	}
}

static void test_messages(void **state)
{
	(void)state;
	run_workers(WORKERS, own_messages);
}

/* ---- A caller's parallel region -------------------------------------------------------------- */

static void inside_region(int threads, int levels)
{
	(void)threads;
	(void)levels;
#ifdef _OPENMP
	int before = omp_get_max_active_levels();

	omp_set_max_active_levels(levels);
#pragma omp parallel num_threads(threads)
	plan_and_multiply(shared, "auto", omp_get_thread_num() & 1, 10);
	omp_set_max_active_levels(before);
#else
	plan_and_multiply(shared, "auto", 0, 10);
#endif
}

/* Maximum number of nested active parallel regions. If OpenMP runs the library's threads, the
 * library gets one thread with one level, and its own threads, in a nested region, with two. */
enum { MOST_LEVELS = 2 };

static void test_inside_region(void **state)
{
	(void)state;
	worker_faults_clear();
	for (int threads = 1; threads <= 4; threads++)
		for (int levels = 1; levels <= MOST_LEVELS; levels++)
			inside_region(threads, levels);
	worker_faults_none();
}

/* Checks that results do not depend on a caller's dynamic adjustment or number of threads, and that
 * the library does not change these settings. */
static void test_callers_settings(void **state)
{
	(void)state;
	worker_faults_clear();
#ifdef _OPENMP
	int threads = omp_get_max_threads(), dynamic = omp_get_dynamic();

	for (int k = 1; k <= 3; k++) {
		omp_set_num_threads(k);
		omp_set_dynamic(k & 1);
		plan_and_multiply(shared, "auto", k & 1, 3);
		assert_int_equal(omp_get_max_threads(), k);
		assert_int_equal(omp_get_dynamic(), k & 1);
	}
	omp_set_num_threads(threads);
	omp_set_dynamic(dynamic);
#endif
	worker_faults_none();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_matrix),    cmocka_unit_test(test_one_plan),
		cmocka_unit_test(test_questions),     cmocka_unit_test(test_own_objects),
		cmocka_unit_test(test_messages),      cmocka_unit_test(test_callers_settings),
		cmocka_unit_test(test_inside_region),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
