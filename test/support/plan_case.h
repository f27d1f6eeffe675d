/* SPDX-License-Identifier: BSD-3-Clause
 * A plan of SpMV or SpMM to test on the processor: a method, and what varies between its tests. */
#ifndef TEST_SUPPORT_PLAN_CASE_H
#define TEST_SUPPORT_PLAN_CASE_H

#include "support/contexts.h"
#include "support/product.h"

struct plan_case {
	const ek_method *method; /* NULL for `auto` */
	int op, held;
	ek_reproducible repro;
	ek_index index;
	int isa, count; /* indices into contexts.of */
};

/* Returns case k of 0 to 7 for a method, each with another op, store and reproducibility, and with
 * the rest drawn at random. */
static inline struct plan_case plan_case_draw(const ek_method *method, int k, struct rng *draw)
{
	return (struct plan_case){.method = method,
	                          .op = k & 1,
	                          .held = k / 2 & 1,
	                          .repro = (ek_reproducible)(k / 4),
	                          .index = (ek_index)(1 + rng_below(draw, 3)),
	                          .isa = (int)rng_below(draw, contexts.levels),
	                          .count = (int)rng_below(draw, contexts.counts)};
}

/* Writes to product_where which plan is tested, and with which matrix. */
static inline void plan_case_where(const struct plan_case *c, ek_value value, const char *shape,
                                   enum data data)
{
	snprintf(product_where, sizeof product_where,
	         "%s op %c %s, %s index %s, held as %s, %s, %d threads, shape %s, %s data",
	         name_or_auto(c->method), c->op ? 'T' : 'N', c->repro ? "strict" : "run",
	         ek_value_name(value), ek_index_name(c->index), c->held == HELD_CSC ? "csc" : "csr",
	         ek_isa_name(contexts.level[c->isa]), contexts.of[c->isa][c->count]->threads, shape,
	         data == DATA_EXACT ? "integer" : "real");
}

#endif
