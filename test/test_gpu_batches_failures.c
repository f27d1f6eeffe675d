/* SPDX-License-Identifier: BSD-3-Clause
 * Tests what "spgemm.csr.batches.gpu" leaves behind where a call of the driver fails in a run: a
 * new C is not made, and a C that exists keeps its pattern, with values that are as they were or as
 * the run makes them, since earlier batches have written theirs. B stays on the device, or goes
 * there in slices. */
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

enum { OLD = 12345 }; /* no value of the result */

static void fill(ek_matrix *C)
{
	for (int64_t e = 0; e < C->store.nnz; e++)
		((double *)C->store.array[CSR_VAL])[e] = OLD;
}

/* Returns how many values of C a run has written. The others must be as `fill` left them. */
static int64_t written(const ek_matrix *C, const ek_matrix *right)
{
	const ek_store *c = &C->store, *r = &right->store;
	const double *val = c->array[CSR_VAL], *expected = r->array[CSR_VAL];
	int64_t count = 0;

	assert_int_equal(c->nnz, r->nnz);
	assert_memory_equal(c->array[CSR_PTR], r->array[CSR_PTR],
	                    (size_t)(c->rows + 1) * eki_ptr_size(c->index));
	assert_memory_equal(c->array[CSR_COL], r->array[CSR_COL],
	                    (size_t)c->nnz * eki_idx_size(c->index));
	for (int64_t e = 0; e < c->nnz; e++) {
		if (val[e] != OLD && val[e] != expected[e])
			fail_msg("value %lld is %g, not %d or %g", (long long)e, val[e], OLD,
			         expected[e]);
		count += val[e] != OLD;
	}
	return count;
}

static ek_plan *plan_of(const ek_matrix *A, const ek_matrix *B, const char *method)
{
	const ek_hints hints = {.size = sizeof hints, .method = method, .B = B};
	ek_plan *plan;

	expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_OK);
	return plan;
}

/* Makes call number 0, 1, ... of a run fail, until a run needs fewer: allocations, with all after
 * them, or launches. The runs make a new C, or write into one that exists. */
static void fail_each(ek_context *ctx, ek_plan *plan, const ek_matrix *right, bool launches,
                      bool again)
{
	ek_matrix *C = NULL;
	ek_status status = EK_ENOMEM;
	int64_t most = 0;
	int n;

	expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK); /* compiles kernels */
	expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
	if (!again)
		ek_matrix_destroy(C);
	C = again ? C : NULL;
	budget.launches = launches;
	eki_jobs_trim(ctx->device);
	for (n = 0; status != EK_OK; n++) {
		const int64_t live = budget.live;

		if (again)
			fill(C);
		budget.fail_at = n;
		status = ek_spgemm(plan, 1, 0, &C);
		budget.fail_at = -1;
		eki_jobs_trim(ctx->device);
		assert_true(status == EK_OK || (C != NULL) == again);
		assert_true(status == EK_OK || status == (launches ? EK_EDEVICE : EK_ENOMEM));
		assert_true(status == EK_OK || budget.live == live);
		if (C && status != EK_OK && written(C, right) > most)
			most = written(C, right);
	}
	assert_true(n > 10);
	assert_int_equal(written(C, right), right->store.nnz);
	assert_true(most < right->store.nnz);
	assert_int_equal(most > 0, again); /* batches before the one that failed */
	ek_matrix_destroy(C);
}

static void failures(ek_context *ctx, eki_memory memory)
{
	static const char *const with[] = {"csr.batches.gpu:batch=64",
	                                   "csr.batches.gpu:batch=64,slices=2"};
	const int64_t first[] = {0, 28, 56}, length[] = {4, 4, 4};
	ek_matrix *A = rows_of_lengths(ctx, 3, 60, first, length);
	ek_matrix *B = rows_stairs(ctx, 60, 1, 2), *right = NULL;
	ek_plan *plain = plan_of(A, B, "csr.serial"), *plan;

	expect_status(ek_spgemm(plain, 1, 0, &right), EK_OK);
	for (int m = 0; m < 2; m++) {
		budget_begin(ctx, 0, false);
		plan = plan_of(A, B, with[m]);
		for (int k = 0; k < 4; k++)
			fail_each(ctx, plan, right, k >= 2, k % 2);
		ek_plan_destroy(plan);
		budget_end(ctx);
		assert_true(budget.live == 0 || memory == EKI_MEMORY_SHARED);
	}
	ek_plan_destroy(plain);
	ek_matrix_destroy(right);
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
}

static void test_failures(void **state)
{
	(void)state;
	each_device(failures);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_failures)};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
