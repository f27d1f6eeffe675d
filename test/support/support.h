/* SPDX-License-Identifier: BSD-3-Clause
 * The header that every test includes: cmocka, checks of a status and its message, and the settings
 * from the environment (EK_TEST_TIER, EK_ISA, EK_THREADS). */
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

#include "evenkeel/ek.h"

/* Stops the test, with the library's message, if `status` is not `expected`. */
#define expect_status(status, expected) \
	expect_status_at((status), (expected), #status, __FILE__, __LINE__)
void expect_status_at(ek_status status, ek_status expected, const char *what, const char *file,
                      int line);

/* Stops the test if `status` is not `expected` or the library's message does not contain `part`. */
#define expect_error(status, expected, part) \
	expect_error_at((status), (expected), (part), #status, __FILE__, __LINE__)
void expect_error_at(ek_status status, ek_status expected, const char *part, const char *what,
                     const char *file, int line);

/* Converts A to B, in CSR with the given types. */
ek_status convert_types(const ek_matrix *A, ek_value value, ek_index index, ek_matrix **B);

/* Runs an array of tests as cmocka_run_group_tests does, but counts a failed tear-down, for which
 * cmocka only prints a message, as an error. Tear-downs find leaks and files left behind. */
#define run_all_tests(tests, setup, teardown) \
	run_group(tests, sizeof(tests) / sizeof *(tests), setup, teardown)
int run_group(const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
              CMFixtureFunction teardown);

enum tier { TIER_BRIEF, TIER_QUICK, TIER_FULL, TIER_LONG };
/* Returns the tier that EK_TEST_TIER names: brief, quick (the default), full or long. */
enum tier test_tier(void);

enum { MAX_LEVELS = 3, MAX_ISAS = 5, MAX_COUNTS = 4 };
/* Stores in `level` the instruction sets to test, and returns their number: scalar, AVX2,
 * AVX-512 and NEON as far as the processor has them, or only the set that EK_ISA names. For code
 * that does not gather. */
int test_levels(ek_isa level[MAX_LEVELS]);
/* Stores in `isa` the instruction sets to test for code that gathers: those of test_levels and
 * their forms with loads. */
int test_isas(ek_isa isa[MAX_ISAS]);
/* Stores in `count` the numbers of threads to test, and returns how many there are: 1, 2, 3 and 7,
 * or only the number that EK_THREADS gives. */
int test_counts(int count[MAX_COUNTS]);

/* Restarts the program with threads that sleep while they wait, unless OMP_WAIT_POLICY is set. With
 * more threads than processors, threads that spin would take most of the time. */
void test_passive_threads(char **argv);

/* Read and write element i of an array of any type of numbers. */
double value_at(ek_value value, const void *v, int64_t i);
void value_set(ek_value value, void *v, int64_t i, double to);
/* Returns the next method of an operation after m, as ek_method_next does for all methods. */
const ek_method *operation_next(const ek_method *m, ek_operation operation);
/* Tells whether a method needs a device. */
static inline bool needs_device(const ek_method *m)
{
	return strcmp(ek_method_device(m), "cpu") != 0;
}
/* Tells whether a method divides products between a device and the processor. */
static inline bool uses_both(const ek_method *m)
{
	return strcmp(ek_method_device(m), "cpu+gpu") == 0;
}
/* Returns the next method of any operation after m that runs on the processor. */
static inline const ek_method *any_processor_method_next(const ek_method *m)
{
	while ((m = ek_method_next(m)) && needs_device(m))
		;
	return m;
}
/* Returns the next method of an operation after m that runs on the processor. */
static inline const ek_method *processor_method_next(const ek_method *m, ek_operation operation)
{
	while ((m = operation_next(m, operation)) && needs_device(m))
		;
	return m;
}
/* Returns the next method of SpMV after m that runs on the processor. */
static inline const ek_method *matrix_method_next(const ek_method *m)
{
	return processor_method_next(m, EK_SPMV);
}
/* Returns the next method of an operation after m that runs on a device. */
static inline const ek_method *device_method_next(const ek_method *m, ek_operation operation)
{
	while ((m = operation_next(m, operation)) && !needs_device(m))
		;
	return m;
}
/* Returns the name of a method, or "auto" for NULL. */
static inline const char *name_or_auto(const ek_method *m)
{
	return m ? ek_method_name(m) : "auto";
}
/* Computes y = alpha op(A) x + beta y with the plan; x has n entries, y has m. */
void multiply_f64(ek_plan *plan, double alpha, const double *x, int64_t n, double beta, double *y,
                  int64_t m);
/* Checks that a `bad` x_j, which may be NaN or infinite, reaches only the rows with an entry in
 * column j. For each j = 0, step, 2 step, ..., x_j is `bad` and the rest of x is 1. Then op(B) x
 * must equal op(A) x as the oracle computes it. Fails with a message that has `what` and the
 * place. */
void check_leak(const ek_matrix *A, const ek_matrix *B, ek_op op, double bad, int64_t step,
                const char *what);
/* Fills v with NaN or, if v has integers, a number that no test uses. */
void poison(ek_value value, void *v, int64_t n);

#endif
