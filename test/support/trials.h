/* SPDX-License-Identifier: BSD-3-Clause
 * Plans with hints.measure for tests: the matrix that they multiply with, made-up times of
 * runs, and runs of vectors and blocks. */
#ifndef TEST_TRIALS_H
#define TEST_TRIALS_H

#include "plan/plan.h"
#include "support/context.h"
#include "support/support.h"

enum { N = 6000, WIDTH = 2, RUNS = 80, NAMED = 16 };

/* Made-up times in nanoseconds: `usual` and those of some methods for runs, `prepares` for
 * preparations. */
struct fake {
	double usual, prepares;
	const ek_method *method[NAMED];
	double time[NAMED];
	int count;
	const ek_method *last; /* method of the last run that was timed */
};
extern struct fake fake;

/* Makes all times equal and forgets all decisions. */
void fake_reset(void);
/* Sets the time of a method's runs. */
void fake_set(const ek_method *m, double time);
/* Returns the time that a run of a method is said to take. */
double fake_time(const ek_method *m, bool prepares, double ns);

extern ek_matrix *A;
extern double x[N * WIDTH], y[N * WIDTH], z[N * WIDTH];

/* Gives a context a machine on which methods are near each other, so that there are trials,
 * whatever the processor. */
void trials_machine(ek_context *c);
int trials_setup(void **state);
int trials_teardown(void **state);
/* Fills x with small integers, so that every order of summation gives the same bits. */
void exact_x(void);
ek_plan *make_plan(const ek_matrix *M, ek_operation operation, ek_op op, bool measure,
                   const char *method, const char *format);
/* Runs a plan with x, and with `to` as the result. */
void run(ek_plan *plan, double beta, double *to);
size_t result_bytes(const ek_plan *plan); /* bytes of the result of a run */
void run_until_decided(ek_plan *plan);
/* Returns the number of the next candidate that takes less than a product to prepare, or 0. */
int tryable(const ek_plan *plan, int after);
/* Makes a plan with A whose trials choose a candidate that is not the predicted one. */
ek_plan *decide(ek_operation operation, ek_op op);

#endif
