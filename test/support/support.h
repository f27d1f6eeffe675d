/* SPDX-License-Identifier: BSD-3-Clause
 * What every test includes: cmocka, checks of a status with its message, and what the environment
 * asks for (EK_TEST_TIER, EK_ISA, EK_THREADS). */
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evenkeel/ek.h"

/* Stops the test, with the library's message, if `status` is not `expected`. */
#define expect_status(status, expected) \
	expect_status_at((status), (expected), #status, __FILE__, __LINE__)
void expect_status_at(ek_status status, ek_status expected, const char *what, const char *file,
                      int line);

/* The same, and the message must contain `part`. */
#define expect_error(status, expected, part) \
	expect_error_at((status), (expected), (part), #status, __FILE__, __LINE__)
void expect_error_at(ek_status status, ek_status expected, const char *part, const char *what,
                     const char *file, int line);

/* B = A in CSR with other types. */
ek_status convert_types(const ek_matrix *A, ek_value value, ek_index index, ek_matrix **B);

/* cmocka_run_group_tests for an array of tests whose tear-down finds leaks and left files: a
 * tear-down that fails is an error here, whereas cmocka only prints a message. */
#define run_all_tests(tests, setup, teardown) \
	run_group(tests, sizeof(tests) / sizeof *(tests), setup, teardown)
int run_group(const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
              CMFixtureFunction teardown);

enum tier { TIER_QUICK, TIER_FULL, TIER_LONG };
enum tier test_tier(void); /* EK_TEST_TIER: quick (default), full, long */

enum { MAX_LEVELS = 3, MAX_COUNTS = 4 };
/* Instruction sets to test: all that the processor has, or the one that EK_ISA names. */
int test_levels(ek_isa level[MAX_LEVELS]);
/* Thread counts to test: 1, 2, 3 and 7, or what EK_THREADS says. */
int test_counts(int count[MAX_COUNTS]);

/* Starts the program again with threads that sleep while they wait, unless the environment decides
 * that: with more threads than processors, waiting actively takes most of the time. */
void test_passive_threads(char **argv);

/* Arrays of any type of numbers. */
double value_at(ek_value value, const void *v, int64_t i);
void value_set(ek_value value, void *v, int64_t i, double to);
/* ek_method_next among the methods of one operation. */
const ek_method *operation_next(const ek_method *m, ek_operation operation);
/* Those of matrices, which plans are made of, that run on the processor. */
static inline const ek_method *matrix_method_next(const ek_method *m)
{
	while ((m = operation_next(m, EK_SPMV)) && *ek_method_device(m) != 'c')
		;
	return m;
}
/* And those that run on a device. */
static inline const ek_method *device_method_next(const ek_method *m)
{
	while ((m = operation_next(m, EK_SPMV)) && *ek_method_device(m) != 'g')
		;
	return m;
}
/* y = alpha op(A) x + beta y by the plan, with n entries of x and m of y. */
void multiply_f64(ek_plan *plan, double alpha, const double *x, int64_t n, double beta, double *y,
                  int64_t m);
/* Fails with `what` and the place unless op(B) x is op(A) x by the oracle, A square, for each x of
 * ones but for one entry, which is `bad`: what is not finite reaches the rows with an entry there,
 * and no other row. That entry is x_j, j = 0, step, 2 step, ... */
void check_leak(const ek_matrix *A, const ek_matrix *B, ek_op op, double bad, int64_t step,
                const char *what);
/* Fills with NaN, or with a number that no test uses. */
void poison(ek_value value, void *v, int64_t n);

#endif
