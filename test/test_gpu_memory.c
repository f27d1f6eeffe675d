/* SPDX-License-Identifier: BSD-3-Clause
 * Tests what happens when a device has too little memory for what the library chose: temporary
 * buffers that nobody uses are freed first; a plan made without a name goes to the device in
 * batches or to the processor, and says so; a product by "spgemm.csr.hash.gpu" is made in two
 * phases instead of one, and in smaller batches. A method that was named is never replaced.
 * Results must have the bits of the processor's reference. The driver counts the memory that it
 * gives (support/budget). */
#include <stdio.h>

#include "gpu/job.h"
#include "support/budget.h"
#include "support/held.h"
#include "support/lengths.h"
#include "support/rows.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

/* Tells whether the matrices of a context are in memory of the device, of which a budget then has
 * to hold all that the library allocates. */
static bool shares_heap(const ek_context *ctx)
{
	return ctx->options.alloc == eki_shared_alloc;
}

/* ---- Temporary buffers ----------------------------------------------------------------------- */

/* Leaves temporary buffers of `bytes` bytes on the device. */
static void leave(ek_context *ctx, int64_t bytes)
{
	eki_buffer *b;
	eki_job job;

	eki_job_begin(ctx->device, &job);
	expect_status(eki_job_buffer(&job, bytes, 1, &b), EK_OK);
	eki_job_end(&job);
}

static void trims(ek_context *ctx, eki_memory memory)
{
	enum { ALL = 1 << 20, LEFT = 100000, MOST = 1000000, OTHER = 1000 };
	void *data = NULL;

	(void)memory;
	budget_begin(ctx, ALL, true);
	leave(ctx, LEFT);
	assert_in_range(budget.live, LEFT, LEFT + (shares_heap(ctx) ? OTHER : 0));
	expect_status(ek_device_alloc(ctx, MOST, &data), EK_OK);
	assert_int_equal(budget.live, MOST);
	ek_device_free(ctx, data);
	leave(ctx, LEFT);
	data = &data;
	expect_status(ek_device_alloc(ctx, 2 * ALL, &data), EK_ENOMEM);
	assert_ptr_equal(data, &data);
	budget_end(ctx);
	assert_int_equal(budget.live, 0);
}

/* ---- Plans ----------------------------------------------------------------------------------- */

enum { ROWS = 4000, COLS = 3000, LENGTH = 10, WIDTH = 3 };

/* What a plan is made for, and what is expected of it with `bytes` of memory. */
struct want {
	ek_operation operation;
	const char *named; /* a method of the device, which then must fail */
	int64_t bytes;
	const char *method; /* the method that must be chosen; NULL: one of the processor */
	const char *says;
	int64_t memory; /* hints.memory */
	bool in_run;    /* whether memory suffices for a plan by name, but not for its runs */
};

static struct {
	ek_matrix *A, *B;
} of;

static ek_status make(const struct want *w, const char *method, ek_plan **plan)
{
	const bool two = w->operation == EK_SPGEMM || w->operation == EK_SPADD;
	const ek_hints hints = {.size = sizeof hints,
	                        .method = method,
	                        .B = two ? of.B : NULL,
	                        .memory = w->memory,
	                        .width = w->operation == EK_SPMM ? WIDTH : 0};

	return ek_plan_create(w->operation, of.A, &hints, plan);
}

/* Multiplies a vector or a block, whose values are small integers, into y. */
static void multiply(const struct want *w, ek_plan *plan, double *y)
{
	static double x[COLS * WIDTH];
	const bool block = w->operation == EK_SPMM;
	const ek_dense X = ek_block(EK_F64, COLS, WIDTH, WIDTH, EK_ROW_MAJOR, x),
		       Y = ek_block(EK_F64, ROWS, WIDTH, WIDTH, EK_ROW_MAJOR, y);
	const ek_dense xv = ek_vector(EK_F64, COLS, x), yv = ek_vector(EK_F64, ROWS, y);

	for (int k = 0; k < COLS * WIDTH; k++)
		x[k] = k % 9 - 4;
	for (int k = 0; k < ROWS * WIDTH; k++)
		y[k] = k % 5;
	expect_status(block ? ek_spmm(plan, 2, &X, -1, &Y) : ek_spmv(plan, 2, &xv, -1, &yv), EK_OK);
}

static ek_status combine(const struct want *w, ek_plan *plan, ek_matrix **C)
{
	return w->operation == EK_SPGEMM  ? ek_spgemm(plan, 2, 0, C)
	       : w->operation == EK_SPADD ? ek_spadd(plan, 2, -3, C)
	                                  : ek_transpose(plan, C);
}

/* Checks the results of a plan. */
static void right(const struct want *w, ek_plan *plan)
{
	static double y[ROWS * WIDTH], expected[ROWS * WIDTH];
	const bool dense = w->operation == EK_SPMV || w->operation == EK_SPMM;
	ek_matrix *C = NULL, *R = NULL;
	ek_plan *serial;

	expect_status(make(&(struct want){.operation = w->operation}, "csr.serial", &serial),
	              EK_OK);
	if (dense) {
		multiply(w, plan, y);
		multiply(w, serial, expected);
		assert_memory_equal(y, expected, sizeof y);
	}
	for (int again = 0; again < 2 && !dense; again++) {
		expect_status(combine(w, plan, &C), EK_OK);
		expect_status(combine(w, serial, &R), EK_OK);
		assert_null(different_array(C, R));
	}
	ek_matrix_destroy(C);
	ek_matrix_destroy(R);
	ek_plan_destroy(serial);
}

/* Checks that a plan by name fails, or its run, and changes nothing. */
static void named_fails(const struct want *w)
{
	ek_plan *plan = NULL;
	ek_matrix *C = NULL;
	char method[64];

	snprintf(method, sizeof method, "%s on device ", w->named);
	if (w->in_run) {
		expect_status(make(w, w->named, &plan), EK_OK);
		expect_error(combine(w, plan, &C), EK_ENOMEM, "no room for ");
		assert_null(C);
		ek_plan_destroy(plan);
	} else {
		expect_error(make(w, w->named, &plan), EK_ENOMEM, "no room for ");
		expect_text(ek_error_text(), method);
		assert_null(plan);
	}
}

static void check(ek_context *ctx, const struct want *w)
{
	ek_plan *plan;

	budget_begin(ctx, w->bytes, true);
	named_fails(w);
	expect_status(make(w, NULL, &plan), EK_OK);
	if (w->method)
		assert_string_equal(ek_plan_method(plan), w->method);
	else
		assert_null(strstr(ek_plan_method(plan), ".gpu"));
	expect_explained(plan, w->says);
	right(w, plan);
	ek_plan_destroy(plan);
	budget_end(ctx);
	assert_int_equal(budget.live, 0);
}

/* Calls check with all that is expected, on a device that says that it is a GPU, since sparse
 * results are the processor's where the device is one. */
static void check_all(ek_context *ctx, const struct want *w, size_t count)
{
	const ek_device_info info = ctx->device->info;

	snprintf(ctx->device->info.kind, sizeof info.kind, "gpu");
	for (size_t k = 0; k < count; k++)
		check(ctx, &w[k]);
	ctx->device->info = info;
	ek_matrix_destroy(of.A);
	ek_matrix_destroy(of.B);
	of.A = of.B = NULL;
}

#define CHECK_ALL(ctx, list) check_all(ctx, list, sizeof(list) / sizeof *(list))

static void products(ek_context *ctx, eki_memory memory)
{
	static const struct want want[] = {
		{EK_SPMV, "csr.vector.gpu", 300000, "spmv.csr.batches.gpu",
	         ": A goes there in batches\n", 0, false},
		{EK_SPMV, "csr.vector.gpu", 60000, NULL, ": the processor does it\n", 0, false},
		{EK_SPMM, "csr.columns.gpu", 300000, "spmm.csr.batches.gpu",
	         " has too little memory for spmm.", 0, false},
	};
	ek_plan *plan;

	(void)memory;
	if (shares_heap(ctx))
		return;
	of.A = rows_equal(ctx, ROWS, COLS, LENGTH);
	budget_begin(ctx, 60000, true);
	expect_status(make(&want[1], NULL, &plan), EK_OK);
	double there[1];
	ek_dense x = ek_vector(EK_F64, COLS, there), y = ek_vector(EK_F64, ROWS, there);

	x.where = y.where = EK_ON_DEVICE;
	expect_error(ek_spmv(plan, 1, &x, 0, &y), EK_EINVAL, "x is on a device");
	ek_plan_destroy(plan);
	budget_end(ctx);
	CHECK_ALL(ctx, want);
}

static void sparse_products(ek_context *ctx, eki_memory memory)
{
	static const char hash[] = " has too little memory for spgemm.csr.hash.gpu: ";
	static const struct want want[] = {
		{EK_SPGEMM, "csr.hash.gpu", 440000, "spgemm.csr.batches.gpu", hash, 0, false},
		{EK_SPGEMM, "csr.hash.gpu", 440000, NULL, hash, 1 << 24, false},
		{EK_SPGEMM, "csr.hash.gpu", 200000, NULL,
	         "spgemm.csr.hash.gpu: the processor does it\n", 0, false},
	};
	static const struct want large[] = {
		{EK_SPGEMM, "csr.hash.gpu", 440000, "spgemm.csr.batches.gpu",
	         "B goes to the device in ", 0, false},
	};

	(void)memory;
	if (shares_heap(ctx))
		return;
	of.A = rows_equal(ctx, 2000, 10000, 5);
	of.B = rows_stairs(ctx, 10000, 1, 1);
	CHECK_ALL(ctx, want);
	of.A = rows_equal(ctx, 2000, 10000, 5);
	of.B = rows_stairs(ctx, 10000, 1, 4); /* has more entries than row pointers */
	CHECK_ALL(ctx, large);
}

/* Checks sums and transposes also in contexts for both kinds of core. */
static void other_results(ek_context *ctx, eki_memory memory)
{
	static const struct want want[] = {
		{EK_SPADD, "csr.merge.gpu", 1500000, NULL,
	         "spadd.csr.merge.gpu: the processor does it\n", 0, true},
		{EK_SPADD, "csr.merge.gpu", 700000, NULL,
	         "spadd.csr.merge.gpu: the processor does it\n", 0, false},
		{EK_TRANSPOSE, "csr.radix.gpu", 700000, NULL,
	         "transpose.csr.radix.gpu: the processor does it\n", 0, false},
	};

	(void)memory;
	if (shares_heap(ctx))
		return;
	for (int together = 0; together < 2; together++) {
		ctx->together = together;
		of.A = rows_equal(ctx, ROWS, COLS, LENGTH);
		of.B = rows_equal(ctx, ROWS, COLS, LENGTH + 1);
		CHECK_ALL(ctx, want);
	}
	ctx->together = false;
}

/* Checks that a sum is the device's if its arrays fit one by one, although the driver does not give
 * as much at a time as all of them take, and the processor's if the longest does not fit. */
static void one_by_one(ek_context *ctx, eki_memory memory)
{
	static const struct want want = {.operation = EK_SPADD};
	const int64_t longest = 8 * ROWS * (2 * LENGTH + 1);
	const ek_device_info info = ctx->device->info;

	(void)memory;
	if (shares_heap(ctx))
		return;
	of.A = rows_equal(ctx, ROWS, COLS, LENGTH);
	of.B = rows_equal(ctx, ROWS, COLS, LENGTH + 1);
	call_device(ctx, "gpu");
	for (int fits = 0; fits < 2; fits++) {
		ek_plan *plan;

		budget_begin(ctx, 1 << 24, true);
		budget.array = longest - !fits;
		expect_status(make(&want, NULL, &plan), EK_OK);
		assert_int_equal(strcmp(ek_plan_method(plan), "spadd.csr.merge.gpu") == 0, fits);
		right(&want, plan);
		ek_plan_destroy(plan);
		budget_end(ctx);
	}
	ctx->device->info = info;
	ek_matrix_destroy(of.A);
	ek_matrix_destroy(of.B);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static const struct want hash_product = {.operation = EK_SPGEMM};

/* Makes C with `bytes` more than a plan takes, by a new plan or, with `again`, into a C that the
 * plan made before. Returns the entries of a batch that the plan says it went on with, 0 if it says
 * nothing, or -1 if there is too little memory. */
static int64_t made_with(int64_t bytes, bool again, ek_plan *serial)
{
	static const char says[] = "in batches of at most ";
	int64_t entries = -1;
	ek_matrix *C = NULL, *R = NULL;
	char text[4096];
	ek_status status;
	ek_plan *plan;

	expect_status(make(&hash_product, "csr.hash.gpu", &plan), EK_OK);
	expect_explained(plan, "one phase, through temporary rows");
	if (again)
		expect_status(ek_spgemm(plan, 2, 0, &C), EK_OK);
	eki_jobs_trim(of.A->ctx->device);
	budget.bytes = budget.live + bytes;
	status = ek_spgemm(plan, 2, 0, &C);
	budget.bytes = 0;
	assert_true(status == EK_OK || status == EK_ENOMEM);
	assert_true(status == EK_OK || (C != NULL) == again);
	if (status == EK_OK) {
		expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
		entries = strstr(text, says) ? number_after(text, says) : 0;
	}
	expect_status(status == EK_OK ? EK_OK : ek_spgemm(plan, 2, 0, &C), EK_OK);
	expect_status(ek_spgemm(serial, 2, 0, &R), EK_OK);
	assert_null(different_array(C, R));
	poison(EK_F64, C->store.array[CSR_VAL], C->store.nnz);
	expect_status(ek_spgemm(plan, 2, 0, &C), EK_OK); /* in the smaller batches */
	assert_null(different_array(C, R));
	ek_matrix_destroy(C);
	ek_matrix_destroy(R);
	ek_plan_destroy(plan);
	return entries;
}

/* C has 300 rows of up to 200 entries. One phase takes twice their bytes; a batch of all of them
 * takes these bytes once, and one of the longest row 3200. */
static void runs(ek_context *ctx, eki_memory memory)
{
	enum { C_ROWS = 300, INNER = 50, EACH = 4, BOUND = C_ROWS * INNER * EACH, ENTRY = 16 };
	ek_plan *serial;

	(void)memory;
	if (shares_heap(ctx)) /* kernels write to C itself, so nothing can be smaller */
		return;
	of.A = rows_equal(ctx, C_ROWS, INNER, INNER);
	of.B = rows_stairs(ctx, INNER, EACH, EACH);
	expect_status(make(&hash_product, "csr.serial", &serial), EK_OK);
	budget_begin(ctx, 0, false);
	for (int again = 0; again < 2; again++) {
		int64_t before = BOUND, now;

		assert_int_equal(made_with(3 * BOUND * ENTRY, again, serial), 0);
		now = made_with(BOUND * ENTRY + BOUND * ENTRY / 2, again, serial);
		assert_int_equal(now, again ? 0 : BOUND);
		for (int64_t part = 2; part < 64; part *= 4, before = now) {
			now = made_with(BOUND * ENTRY / part + 20000, again, serial);
			assert_in_range(now, INNER * EACH, before - 1);
		}
		assert_int_equal(made_with(2000, again, serial), -1);
	}
	budget_end(ctx);
	ek_plan_destroy(serial);
	ek_matrix_destroy(of.A);
	ek_matrix_destroy(of.B);
	of.A = of.B = NULL;
}

ON_EACH_DEVICE(trims)
ON_EACH_DEVICE(products)
ON_EACH_DEVICE(sparse_products)
ON_EACH_DEVICE(other_results)
ON_EACH_DEVICE(one_by_one)
ON_EACH_DEVICE(runs)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trims),           cmocka_unit_test(test_products),
		cmocka_unit_test(test_sparse_products), cmocka_unit_test(test_other_results),
		cmocka_unit_test(test_one_by_one),      cmocka_unit_test(test_runs),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
