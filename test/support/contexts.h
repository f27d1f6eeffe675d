/* SPDX-License-Identifier: BSD-3-Clause
 * Contexts of all instruction sets and numbers of threads, in which small arrays are cut between
 * threads too; for tests that take one by lot. */
#ifndef TEST_CONTEXTS_H
#define TEST_CONTEXTS_H

#include "support/random.h"
#include "support/support.h"

struct contexts {
	int levels, counts;
	ek_isa level[MAX_LEVELS];
	ek_context *of[MAX_LEVELS][MAX_COUNTS];
};

void contexts_make(struct contexts *c);
void contexts_free(struct contexts *c);
/* One of a level, of the first number of threads but for once in `rare` times: it takes long to
 * wake the other threads. */
ek_context *contexts_any(const struct contexts *c, int level, int rare, struct rng *r);

#endif
