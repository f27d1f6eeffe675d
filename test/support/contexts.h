/* SPDX-License-Identifier: BSD-3-Clause
 * Contexts for all instruction sets and numbers of threads. Their memory is counted, and they
 * divide even small arrays between threads. A program makes one set before its tests and frees it
 * after them. */
#ifndef TEST_CONTEXTS_H
#define TEST_CONTEXTS_H

#include "support/heap.h"
#include "support/random.h"
#include "support/support.h"

extern struct contexts {
	struct heap heap; /* the memory of all contexts */
	int levels, counts;
	ek_isa level[MAX_ISAS];
	ek_context *of[MAX_ISAS][MAX_COUNTS];
} contexts;

/* Set-up and tear-down for run_all_tests; a program's own set-up and tear-down may call them. */
int contexts_setup(void **state);
int contexts_setup_isas(void **state); /* with all of test_isas */
int contexts_teardown(void **state);

/* Returns one of the contexts: each turn has another instruction set, every third turn another
 * number of threads. */
ek_context *contexts_turn(int turn);
/* Returns a context of instruction set number `level`: in most calls with the first number of
 * threads, in about one of `rare` with a random number, since waking threads takes long. */
ek_context *contexts_any(int level, int rare, struct rng *r);

#endif
