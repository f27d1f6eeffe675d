/* SPDX-License-Identifier: BSD-3-Clause
 * Lets the n-th allocation of the host's memory fail while a plan for both kinds of core, or by
 * batches, is made, and while it makes a sparse product, for n = 0, 1, ... The plan must then be
 * refused, or be right all the same: with too little memory for a matrix on the device, that goes
 * there in batches. Leaks show when the contexts are destroyed, since they keep compiled
 * programs. */
#include "both/both.h"
#include "support/held.h"
#include "support/lengths.h"
#include "support/rows.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

enum { ROWS = 60, COLS = 50, WIDTH = 3 };

static struct rng rng = {3};

/* Runs the plan with a block of ones and -1 in Y, and checks a few sums of a matrix of ones. */
static void check_run(ek_plan *plan, ek_operation operation, ek_matrix *A)
{
	double x[COLS * WIDTH], y[ROWS * WIDTH];
	const int64_t width = operation == EK_SPMM ? WIDTH : 1;
	const ek_dense X = ek_block(EK_F64, COLS, width, COLS, EK_COL_MAJOR, x),
		       Y = ek_block(EK_F64, ROWS, width, width, EK_ROW_MAJOR, y);
	const ek_dense xv = ek_vector(EK_F64, COLS, x), yv = ek_vector(EK_F64, ROWS, y);

	for (int k = 0; k < COLS * WIDTH; k++)
		x[k] = 1;
	for (int k = 0; k < ROWS * WIDTH; k++)
		y[k] = -1;
	expect_status(operation == EK_SPMM ? ek_spmm(plan, 2, &X, 1, &Y)
	                                   : ek_spmv(plan, 2, &xv, 1, &yv),
	              EK_OK);
	for (int64_t i = 0; i < ROWS; i++) {
		double sum = 0;

		for (int64_t k = eki_ptr_at(&A->store, i); k < eki_ptr_at(&A->store, i + 1); k++)
			sum += ((const double *)A->store.array[CSR_VAL])[k];
		for (int64_t j = 0; j < width; j++)
			assert_true(y[i * width + j] == 2 * sum - 1);
	}
}

static void exhaust(ek_context *ctx, struct heap *heap, ek_operation operation, const char *method,
                    bool persistent)
{
	const ek_hints hints = {
		.size = sizeof hints, .method = method, .width = operation == EK_SPMM ? WIDTH : 0};
	ek_matrix *A;
	long n = 0, calls, refused = 0;

	expect_status(ek_matrix_generate(ctx, "uniform:rows=60,cols=50,k=3", EK_F64, EK_I32, &A),
	              EK_OK);
	for (int64_t k = 0; k < A->store.nnz; k++)
		((double *)A->store.array[CSR_VAL])[k] = rng_below(&rng, 5);
	do {
		ek_plan *plan = NULL;
		ek_status status;

		heap_fail(heap, n, persistent);
		status = ek_plan_create(operation, A, &hints, &plan);
		calls = heap->calls;
		heap_fail(heap, -1, false);
		if (status == EK_OK)
			check_run(plan, operation, A);
		else
			assert_int_equal(status, EK_ENOMEM);
		refused += status != EK_OK;
		ek_plan_destroy(plan);
	} while (n++ < calls);
	assert_true(refused > 5);
	ek_matrix_destroy(A);
}

static void test_host_memory(void **state)
{
	static const char *const with[] = {"csr.split.gpu:share=300", "csr.split.gpu:side=2",
	                                   "csr.split.gpu", "csr.batches.gpu:batch=64"};

	(void)state;
	need_device();
	for (int k = 0; k < devices.count; k++)
		for (size_t j = 0; devices.of[k].heap && j < sizeof with / sizeof *with; j++)
			for (int both = 0; both < 4; both++) {
				const bool blocks = both & 1;
				char name[64];

				snprintf(name, sizeof name, "%s.%s", blocks ? "spmm" : "spmv",
				         with[j]);
				exhaust(devices.of[k].ctx, devices.of[k].heap,
				        blocks ? EK_SPMM : EK_SPMV, name, both & 2);
			}
}

/* Lets allocations fail while a plan for a sparse product is made, and while it makes C. */
static void exhaust_product(ek_context *ctx, struct heap *heap, const char *method, bool persistent)
{
	ek_matrix *A = rows_equal(ctx, 4, 30, 3), *B = rows_stairs(ctx, 30, 1, 2), *R = NULL;
	ek_hints hints = {.size = sizeof hints, .method = "csr.serial", .B = B};
	long n = 0, calls, refused = 0;
	ek_plan *plan = NULL;

	expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_OK);
	expect_status(ek_spgemm(plan, 2, 0, &R), EK_OK);
	ek_plan_destroy(plan);
	hints.method = method;
	do {
		ek_matrix *C = NULL;
		ek_status status;

		plan = NULL;
		heap_fail(heap, n, persistent);
		status = ek_plan_create(EK_SPGEMM, A, &hints, &plan);
		if (status == EK_OK)
			status = ek_spgemm(plan, 2, 0, &C);
		calls = heap->calls;
		heap_fail(heap, -1, false);
		if (status == EK_OK)
			assert_null(different_array(C, R));
		else
			assert_int_equal(status, EK_ENOMEM);
		assert_true((C != NULL) == (status == EK_OK));
		refused += status != EK_OK;
		ek_matrix_destroy(C);
		ek_plan_destroy(plan);
	} while (n++ < calls);
	assert_true(refused > 5);
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
	ek_matrix_destroy(R);
}

static void test_products(void **state)
{
	static const char *const with[] = {"csr.batches.gpu:batch=64",
	                                   "csr.batches.gpu:batch=64,slices=2",
	                                   "csr.split.gpu:share=300,batch=64"};

	(void)state;
	need_device();
	for (int k = 0; k < devices.count; k++)
		for (int j = 0; devices.of[k].heap && j < EKI_COUNT(with); j++)
			for (int persistent = 0; persistent < 2; persistent++)
				exhaust_product(devices.of[k].ctx, devices.of[k].heap, with[j],
				                persistent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_memory),
		cmocka_unit_test(test_products),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
