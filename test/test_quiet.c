/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that the library leaves standard output and error, errno, locale and rounding mode
 * alone. */
#define _GNU_SOURCE /* setenv, fileno, dup2 */
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <unistd.h>

#include "support/support.h"

/* Makes some library calls that succeed and some that fail. */
static void use_library(void)
{
	static const int32_t ptr[] = {0, 2, 3}, col[] = {0, 1, 1}, bad[] = {0, 1, 9};
	static const double val[] = {1, 2, 3}, x[] = {0.1, 0.3};
	double y[2];
	ek_dense xv = ek_vector(EK_F64, 2, x), yv = ek_vector(EK_F64, 2, y);
	ek_hints hints = {.size = sizeof hints, .method = "no-such"};
	ek_context *ctx = NULL;
	ek_matrix *A = NULL;
	ek_plan *plan = NULL;
	char text[2048];

	setenv("EK_THREADS", "2", 1);
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	assert_int_equal(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 2, 2, ptr, bad, val, 0, &A),
	                 EK_ERANGE);
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 2, 2, ptr, col, val, EK_COPY, &A),
	              EK_OK);
	assert_int_equal(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_EINVAL);
	expect_status(ek_plan_create(EK_SPMV, A, NULL, &plan), EK_OK);
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	expect_status(ek_spmv(plan, 1, &xv, 0, &yv), EK_OK);
	assert_int_equal(ek_spmv(plan, 1, &xv, 0, NULL), EK_EINVAL);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	unsetenv("EK_THREADS");
}

static void test_prints_nothing(void **state)
{
	FILE *out = tmpfile(), *err = tmpfile();
	int saved[2];

	(void)state;
	assert_true(out && err);
	fflush(stdout);
	fflush(stderr);
	saved[0] = dup(STDOUT_FILENO);
	saved[1] = dup(STDERR_FILENO);
	dup2(fileno(out), STDOUT_FILENO);
	dup2(fileno(err), STDERR_FILENO);
	use_library();
	fflush(stdout);
	fflush(stderr);
	dup2(saved[0], STDOUT_FILENO);
	dup2(saved[1], STDERR_FILENO);
	close(saved[0]);
	close(saved[1]);
	assert_int_equal(lseek(fileno(out), 0, SEEK_END), 0);
	assert_int_equal(lseek(fileno(err), 0, SEEK_END), 0);
	fclose(out);
	fclose(err);
}

static unsigned control_word(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_stmxcsr() &
	       ~0x3fu; /* keeps rounding, masks and flush-to-zero, not the flags */
#else
	return (unsigned)fegetround();
#endif
}

static void test_leaves_state_alone(void **state)
{
	static const int mode[] = {FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO};
	char *before, *after;

	(void)state;
	setlocale(LC_ALL, "");
	before = strdup(setlocale(LC_ALL, NULL));
	for (int k = 0; k < 3; k++) {
		unsigned word;

		fesetround(mode[k]);
		word = control_word();
		errno = 1234;
		use_library();
		assert_int_equal(errno, 1234);
		assert_int_equal(control_word(), word);
		assert_int_equal(fegetround(), mode[k]);
	}
	fesetround(FE_TONEAREST);
	after = setlocale(LC_ALL, NULL);
	assert_string_equal(before, after);
	free(before);
	setlocale(LC_ALL, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prints_nothing),
		cmocka_unit_test(test_leaves_state_alone),
	};

	unsetenv("EK_METHOD");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
