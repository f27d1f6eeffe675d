/* SPDX-License-Identifier: BSD-3-Clause
 * Tests when x is fetched ahead: if no cache holds it and its places are new, and for op N only. */
#define _POSIX_C_SOURCE 200809L
#include "support/support.h"
#include "drive/drive.h"

static ek_context *ctx;

/* Tells whether x is fetched ahead for a matrix, if the last-level cache has `cache` bytes. */
static bool far_apart(const char *spec, ek_op op, double cache, eki_far_unit unit)
{
	eki_machine machine = *ctx->machine;
	const eki_machine *old = ctx->machine;
	ek_hints hints = {.size = sizeof hints, .op = op, .method = "spmv.csr.serial"};
	ek_matrix *A;
	ek_plan *plan;
	bool far;

	machine.cache_bytes = cache;
	ctx->machine = &machine;
	expect_status(ek_matrix_generate(ctx, spec, EK_F64, EK_I32, &A), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	far = eki_far_apart(&plan->root, CSR_COL, unit);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	ctx->machine = old;
	return far;
}

static void test_far(void **state)
{
	static const char scattered[] = "uniform:rows=20000,cols=200000,k=5";
	static const char stencil[] = "poisson2d5:nx=300,ny=300",
			  few[] = "uniform:rows=5000,cols=200000,k=5";
	const double small = 1 << 17, large = 1 << 24;

	(void)state;
	for (int u = 0; u < 2; u++) {
		const eki_far_unit unit = u ? EKI_FAR_LINE : EKI_FAR_PAGE;

		assert_true(far_apart(scattered, EK_OP_N, small, unit));
		assert_false(far_apart(scattered, EK_OP_N, large, unit));
		assert_false(far_apart(scattered, EK_OP_T, small, unit));
		assert_false(far_apart(stencil, EK_OP_N, small, unit));
		assert_false(far_apart(few, EK_OP_N, small, unit));
	}
}

static int setup(void **state)
{
	ek_options options = {.size = sizeof options, .threads = 1};

	(void)state;
	unsetenv("EK_METHOD");
	return ek_context_create(&options, &ctx) != EK_OK;
}

static int teardown(void **state)
{
	(void)state;
	ek_context_destroy(ctx);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_far)};

	return cmocka_run_group_tests(tests, setup, teardown);
}
