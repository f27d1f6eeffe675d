/* SPDX-License-Identifier: BSD-3-Clause
 * Contexts of all instruction sets and numbers of threads, in which small arrays are cut between
 * threads too, with counted memory. One set for each program, made and freed around its tests. */
#ifndef TEST_CONTEXTS_H
#define TEST_CONTEXTS_H

#include "support/heap.h"
#include "support/random.h"
#include "support/support.h"

extern struct contexts {
	struct heap heap; /* of all of them */
	int levels, counts;
	ek_isa level[MAX_LEVELS];
	ek_context *of[MAX_LEVELS][MAX_COUNTS];
} contexts;

/* For run_all_tests, or for the program's own set-up. */
int contexts_setup(void **state);
int contexts_teardown(void **state);

/* Another one of both for each turn. */
ek_context *contexts_turn(int turn);
/* One of a level, of the first number of threads but for once in `rare` times: it takes long to
 * wake the other threads. */
ek_context *contexts_any(int level, int rare, struct rng *r);

#endif
