/* SPDX-License-Identifier: BSD-3-Clause
 * Checks that all tests share, and settings from the environment. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>
#include <unistd.h>

#include "base/base.h"
#include "support/support.h"

void expect_status_at(ek_status status, ek_status expected, const char *what, const char *file,
                      int line)
{
	if (status == expected)
		return;
	print_error("%s:%d: %s\n  gave \"%s\" instead of \"%s\"; last message: %s\n", file, line,
	            what, ek_status_text(status), ek_status_text(expected), ek_error_text());
	_fail(file, line);
}

void expect_error_at(ek_status status, ek_status expected, const char *part, const char *what,
                     const char *file, int line)
{
	expect_status_at(status, expected, what, file, line);
	if (strstr(ek_error_text(), part))
		return;
	print_error("%s:%d: %s\n  the message lacks \"%s\": %s\n", file, line, what, part,
	            ek_error_text());
	_fail(file, line);
}

static CMFixtureFunction group_teardown;
static int torn_down; /* 1 if the tear-down succeeded, 0 if an assertion in it failed */

static int watched_teardown(void **state)
{
	const int failed = group_teardown ? group_teardown(state) : 0;

	torn_down = !failed;
	return failed;
}

int run_group(const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
              CMFixtureFunction teardown)
{
	int errors;

	group_teardown = teardown;
	errors = _cmocka_run_group_tests("tests", tests, count, setup, watched_teardown);
	return errors ? errors : !torn_down;
}

enum tier test_tier(void)
{
	static const char *const names[] = {"brief", "quick", "full", "long"};
	const char *text = getenv("EK_TEST_TIER");

	for (int k = TIER_BRIEF; text && k <= TIER_LONG; k++)
		if (strcmp(text, names[k]) == 0)
			return (enum tier)k;
	return TIER_QUICK;
}

/* Returns the instruction set of a context with options.isa_limit = limit. */
static ek_isa isa_with(int limit)
{
	const ek_options options = {.size = sizeof options, .isa_limit = limit};
	ek_context *ctx = NULL;
	ek_isa isa;

	expect_status(ek_context_create(&options, &ctx), EK_OK);
	isa = ek_context_isa(ctx);
	ek_context_destroy(ctx);
	return isa;
}

/* Stores the instruction sets that the processor has, with or without those that gather by loads,
 * or the one that EK_ISA names. */
static int isas_here(bool with_loads, ek_isa *isa)
{
	int count = 0;

	if (getenv("EK_ISA") && *getenv("EK_ISA")) {
		*isa = isa_with(0);
		return 1;
	}
	for (int k = 0; k < EK_NISA; k++)
		if ((with_loads || eki_isa_level((ek_isa)k) == (ek_isa)k) &&
		    isa_with(EK_ISA_LIMIT(k)) == (ek_isa)k)
			isa[count++] = (ek_isa)k;
	return count;
}

int test_levels(ek_isa level[MAX_LEVELS])
{
	return isas_here(false, level);
}

int test_isas(ek_isa isa[MAX_ISAS])
{
	return isas_here(true, isa);
}

int test_counts(int count[MAX_COUNTS])
{
	const char *text = getenv("EK_THREADS");

	memcpy(count, (int[]){1, 2, 3, 7}, 4 * sizeof *count);
	if (!text || !*text)
		return MAX_COUNTS;
	count[0] = atoi(text);
	return 1;
}

void test_passive_threads(char **argv)
{
	if (getenv("OMP_WAIT_POLICY"))
		return;
	setenv("OMP_WAIT_POLICY", "passive", 1);
	execv("/proc/self/exe", argv); /* without such a file, the program goes on */
}

double value_at(ek_value value, const void *v, int64_t i)
{
	switch (value) {
	case EK_F32: return (double)((const float *)v)[i];
	case EK_INT32: return (double)((const int32_t *)v)[i];
	case EK_INT64: return (double)((const int64_t *)v)[i];
	case EK_F64: break;
	}
	return ((const double *)v)[i];
}

void value_set(ek_value value, void *v, int64_t i, double to)
{
	switch (value) {
	case EK_F32: ((float *)v)[i] = (float)to; return;
	case EK_INT32: ((int32_t *)v)[i] = (int32_t)to; return;
	case EK_INT64: ((int64_t *)v)[i] = (int64_t)to; return;
	case EK_F64: ((double *)v)[i] = to; return;
	}
}

void poison(ek_value value, void *v, int64_t n)
{
	int floats = value == EK_F32 || value == EK_F64;

	for (int64_t i = 0; i < n; i++)
		value_set(value, v, i, floats ? (double)NAN : -77777);
}

ek_status convert_types(const ek_matrix *A, ek_value value, ek_index index, ek_matrix **B)
{
	ek_convert_options o = {.size = sizeof o, .value = value, .index = index};

	return ek_matrix_convert(A, "csr", &o, B);
}

void multiply_f64(ek_plan *plan, double alpha, const double *x, int64_t n, double beta, double *y,
                  int64_t m)
{
	const ek_dense X = ek_vector(EK_F64, n, x), Y = ek_vector(EK_F64, m, y);

	expect_status(ek_spmv(plan, alpha, &X, beta, &Y), EK_OK);
}

const ek_method *operation_next(const ek_method *m, ek_operation operation)
{
	while ((m = ek_method_next(m)) && ek_method_operation(m) != operation)
		;
	return m;
}

void check_leak(const ek_matrix *A, const ek_matrix *B, ek_op op, double bad, int64_t step,
                const char *what)
{
	const ek_hints hints = {.size = sizeof hints, .op = op};
	const ek_hints plain = {.size = sizeof plain,
	                        .op = op,
	                        .method =
	                                op == EK_OP_T ? "spmv.csr.transposed" : "spmv.csr.serial"};
	ek_matrix_info info = {.size = sizeof info};
	ek_plan *with, *without;
	double *x, *y, *z;
	int64_t n, m;

	expect_status(ek_matrix_get_info(A, &info), EK_OK);
	n = op == EK_OP_N ? info.cols : info.rows;
	m = op == EK_OP_N ? info.rows : info.cols;
	x = malloc((size_t)n * sizeof *x);
	y = malloc((size_t)m * sizeof *y);
	z = malloc((size_t)m * sizeof *z);
	expect_status(ek_plan_create(EK_SPMV, B, &hints, &with), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A, &plain, &without), EK_OK);
	for (int64_t j = 0; j < n; j += step) {
		for (int64_t i = 0; i < n; i++)
			x[i] = i == j ? bad : 1;
		multiply_f64(with, 1, x, n, 0, y, m);
		multiply_f64(without, 1, x, n, 0, z, m);
		for (int64_t i = 0; i < m; i++)
			if (isnan(y[i]) ? !isnan(z[i]) : y[i] != z[i])
				fail_msg("%s, op %c, x[%lld] = %g: y[%lld] is %g, not %g", what,
				         op == EK_OP_T ? 'T' : 'N', (long long)j, bad, (long long)i,
				         y[i], z[i]);
	}
	ek_plan_destroy(with);
	ek_plan_destroy(without);
	free(x);
	free(y);
	free(z);
}
