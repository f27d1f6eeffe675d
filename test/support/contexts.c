/* SPDX-License-Identifier: BSD-3-Clause
 * Contexts for all instruction sets and numbers of threads. */
#include "support/contexts.h"

struct contexts contexts = {.heap = HEAP_INIT};

static int setup(int levels)
{
	struct contexts *c = &contexts;
	int count[MAX_COUNTS];

	c->levels = levels;
	c->counts = test_counts(count);
	for (int l = 0; l < c->levels; l++)
		for (int k = 0; k < c->counts; k++)
			c->of[l][k] =
				heap_context_cut(&c->heap, count[k], EK_ISA_LIMIT(c->level[l]));
	return 0;
}

int contexts_setup(void **state)
{
	(void)state;
	return setup(test_levels(contexts.level));
}

int contexts_setup_isas(void **state)
{
	(void)state;
	return setup(test_isas(contexts.level));
}

int contexts_teardown(void **state)
{
	struct contexts *c = &contexts;

	(void)state;
	for (int l = 0; l < c->levels; l++)
		for (int k = 0; k < c->counts; k++)
			ek_context_destroy(c->of[l][k]);
	heap_close(&c->heap);
	return 0;
}

ek_context *contexts_turn(int turn)
{
	return contexts.of[turn % contexts.levels][turn / 3 % contexts.counts];
}

ek_context *contexts_any(int level, int rare, struct rng *r)
{
	return contexts.of[level][rng_below(r, rare) == 0 ? rng_below(r, contexts.counts) : 0];
}
