/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that conversions accept the format parameters that a matrix reports. */
#include "support/support.h"

/* Converts A to the format `asked`, then to the format and parameters that the result reports,
 * which must be accepted and give the same format. */
static void same_again(const ek_matrix *A, const char *asked)
{
	ek_convert_options o = {.size = sizeof o, .max_bytes = -1};
	ek_matrix_info a = {.size = sizeof a}, b = {.size = sizeof b};
	const ek_format_param *param;
	const ek_format *f;
	ek_matrix *B, *C;
	char text[128];
	int k, used;

	expect_status(ek_matrix_convert(A, asked, &o, &B), EK_OK);
	expect_status(ek_matrix_get_info(B, &a), EK_OK);
	f = ek_format_find(a.format);
	used = snprintf(text, sizeof text, "%s", a.format);
	for (k = 0; (param = ek_format_get_param(f, k)); k++)
		used += snprintf(text + used, sizeof text - (size_t)used, "%s%s=%lld",
		                 k ? "," : ":", param->name, (long long)a.dim[k]);
	for (; k < 4; k++)
		assert_true(a.dim[k] == 0);
	expect_status(ek_matrix_convert(A, text, &o, &C), EK_OK);
	expect_status(ek_matrix_get_info(C, &b), EK_OK);
	assert_memory_equal(a.dim, b.dim, sizeof a.dim);
	assert_true(a.bytes == b.bytes);
	ek_matrix_destroy(C);
	o.value = EK_F32; /* conversions to another value type keep the parameters */
	expect_status(ek_matrix_convert(B, text, &o, &C), EK_OK);
	expect_status(ek_matrix_get_info(C, &b), EK_OK);
	assert_memory_equal(a.dim, b.dim, sizeof a.dim);
	ek_matrix_destroy(C);
	ek_matrix_destroy(B);
}

static void test_parameters(void **state)
{
	static const char *const spec[] = {"arrow:n=300", "poisson2d5:nx=9,ny=9",
	                                   "uniform:rows=40,cols=30,k=0",
	                                   "uniform:rows=1,cols=30,k=3"};
	static const char *const most[] = {"sell:c=7,sigma=65536",
	                                   "sell:c=64,sigma=65535",
	                                   "hyb:width=0",
	                                   "hyb:width=9",
	                                   "csr5:omega=64,sigma=32",
	                                   "csr5:omega=64,sigma=48",
	                                   "brc:height=64,width=1048576,window=1073741824",
	                                   "scoo:height=65536"};
	ek_context *ctx = NULL;

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	for (size_t k = 0; k < sizeof spec / sizeof *spec; k++) {
		ek_matrix *A;

		expect_status(ek_matrix_generate(ctx, spec[k], EK_F64, EK_I32, &A), EK_OK);
		for (const ek_format *f = NULL; (f = ek_format_next(f));)
			same_again(A, ek_format_name(f));
		for (size_t m = 0; m < sizeof most / sizeof *most; m++)
			same_again(A, most[m]);
		ek_matrix_destroy(A);
	}
	ek_context_destroy(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_parameters)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
