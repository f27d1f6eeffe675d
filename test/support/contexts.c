/* SPDX-License-Identifier: BSD-3-Clause
 * Contexts of all instruction sets and numbers of threads. */
#include "support/contexts.h"
#include "core/ek_core.h"

void contexts_make(struct contexts *c)
{
	int count[MAX_COUNTS];

	c->levels = test_levels(c->level);
	c->counts = test_counts(count);
	for (int l = 0; l < c->levels; l++) {
		for (int k = 0; k < c->counts; k++) {
			ek_options o = {.size = sizeof o,
			                .threads = count[k],
			                .isa_limit = EK_ISA_LIMIT(c->level[l])};

			expect_status(ek_context_create(&o, &c->of[l][k]), EK_OK);
			c->of[l][k]->small_work = 0;
		}
	}
}

void contexts_free(struct contexts *c)
{
	for (int l = 0; l < c->levels; l++)
		for (int k = 0; k < c->counts; k++)
			ek_context_destroy(c->of[l][k]);
	c->levels = 0;
}

ek_context *contexts_any(const struct contexts *c, int level, int rare, struct rng *r)
{
	return c->of[level][rng_below(r, rare) == 0 ? rng_below(r, c->counts) : 0];
}
