/* SPDX-License-Identifier: BSD-3-Clause
 * Tests devices named "cpu+...", for both kinds of core: which names are refused, and what is then
 * chosen for products. */
#include "both/both.h"
#include "support/lengths.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

/* ---- Names ----------------------------------------------------------------------------------- */

static void test_refused_names(void **state)
{
	static const char *const bad[] = {"cpu+",      "cpu+cpu",  "cpu+opencl:", "cpu+cpu+opencl",
	                                  "cpu+other", "cpu +gpu", "+gpu",        "cpu+opencl:0x"};

	(void)state;
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
		const ek_options o = {.size = sizeof o, .device = bad[k]};
		ek_context *ctx = NULL;

		expect_error(ek_context_create(&o, &ctx), EK_EINVAL, "cpu+gpu");
		assert_null(ctx);
	}
}

/* Returns the method that the context chooses for A. */
static const char *chosen(const ek_matrix *A, ek_operation operation, const char *format,
                          ek_reproducible level)
{
	const ek_hints hints = {.size = sizeof hints, .format = format, .reproducible = level};
	const char *name;
	ek_plan *plan;

	expect_status(ek_plan_create(operation, A, &hints, &plan), EK_OK);
	name = ek_plan_method(plan);
	ek_plan_destroy(plan);
	return name;
}

static void choices(ek_context *one, eki_memory memory)
{
	char name[64];
	const ek_options o = {
		.size = sizeof o, .device = name, .device_memory = (ek_device_memory)memory};
	ek_device_info info = {.size = sizeof info};
	ek_context *ctx;
	ek_matrix *A;

	expect_status(ek_context_get_device(one, &info), EK_OK);
	for (int both = 0; both < 2; both++) {
		snprintf(name, sizeof name, "%s%s", both ? "cpu+" : "", info.name);
		expect_status(ek_context_create(&o, &ctx), EK_OK);
		expect_status(ek_context_get_device(ctx, &info), EK_OK);
		assert_string_equal(info.name, name + (both ? 4 : 0));
		expect_status(
			ek_matrix_generate(ctx, "uniform:rows=99,cols=99,k=3", EK_F64, EK_I32, &A),
			EK_OK);
		assert_int_equal(
			strcmp(chosen(A, EK_SPMV, NULL, EK_REPRO_RUN), "spmv.csr.split.gpu") == 0,
			both);
		assert_int_equal(
			strcmp(chosen(A, EK_SPMM, NULL, EK_REPRO_RUN), "spmm.csr.split.gpu") == 0,
			both);
		assert_int_equal(
			strcmp(chosen(A, EK_SPMV, "csc", EK_REPRO_RUN), "spmv.csr.split.gpu") == 0,
			both);
		assert_string_equal(chosen(A, EK_SPMV, "sell", EK_REPRO_RUN), "spmv.sell.gpu");
		assert_string_equal(
			ek_method_device(ek_method_find(chosen(A, EK_SPMV, NULL, EK_REPRO_STRICT))),
			"cpu");
		ek_matrix_destroy(A);
		ek_context_destroy(ctx);
	}
}

static void test_choices(void **state)
{
	(void)state;
	each_device(choices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused_names),
		cmocka_unit_test(test_choices),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
