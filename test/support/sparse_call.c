/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of operations on sparse vectors with random arguments (array_call.h). */
#include "support/array_call.h"
#include "support/support.h"

/* Chooses types of values and indices. Each combination is another program, so the quick tiers have
 * a few only. */
static void kinds(struct call *c, struct rng *r)
{
	static const struct {
		ek_value type, index;
	} few[] = {{EK_F32, EK_INT32}, {EK_F64, EK_INT64}, {EK_INT64, EK_INT32}};
	const int64_t which = rng_below(r, 3);

	c->type = few[which].type;
	c->offset_type = few[which].index;
	if (test_tier() >= TIER_FULL) {
		c->type = (ek_value)(1 + rng_below(r, 4));
		c->offset_type = rng_below(r, 2) ? EK_INT32 : EK_INT64;
	}
}

/* Adds a vector of n entries, whose indices are up to 2 `gap` apart. */
static void vector(struct call *c, int64_t n, int64_t first, int64_t gap, struct rng *r)
{
	char *idx = call_array(c, IN, n * (int64_t)ek_value_size(c->offset_type));
	char *val = call_array(c, IN, n * (int64_t)ek_value_size(c->type));

	for (int64_t k = 0; k < n; k++) {
		value_set(c->offset_type, idx, k, (double)first);
		value_set(c->type, val, k, (double)rng_below(r, 100) - 50);
		first += 1 + rng_below(r, 2 * gap - 1);
		c->n = first > c->n ? first : c->n;
	}
}

/* Makes vectors that have few or many indices in common, all of them, or none since one is after
 * the other. */
void call_make_add(struct call *c, int64_t most, struct rng *r)
{
	static const double factor[] = {1, 0, -1, 3};
	const int64_t gap = rng_below(r, 4) ? 1 + rng_below(r, 4) : 1;

	kinds(c, r);
	c->alpha = factor[rng_below(r, 4)];
	c->beta = factor[rng_below(r, 4)];
	c->a_n = call_length(most / 2, r);
	c->b_n = rng_below(r, 3) ? call_length(most / 2, r) : c->a_n;
	c->n = 1;
	vector(c, c->a_n, rng_below(r, 3), gap, r);
	vector(c, c->b_n, rng_below(r, 5) ? rng_below(r, 3) : c->n + 5,
	       rng_below(r, 3) ? gap : 1 + rng_below(r, 100), r);
	call_array(c, OUT, (c->a_n + c->b_n) * (int64_t)ek_value_size(c->offset_type));
	call_array(c, OUT, (c->a_n + c->b_n) * (int64_t)ek_value_size(c->type));
	call_array(c, RESULT, sizeof(int64_t));
}

ek_status call_run_add(ek_context *ctx, const ek_array_options *o, const struct call *c,
                       void *const p[MOST_ARGS])
{
	const ek_sparse x = ek_sparse_vector(c->type, c->offset_type, c->n, c->a_n, p[0], p[1]);
	const ek_sparse y = ek_sparse_vector(c->type, c->offset_type, c->n, c->b_n, p[2], p[3]);
	const ek_sparse z =
		ek_sparse_vector(c->type, c->offset_type, c->n, c->a_n + c->b_n, p[4], p[5]);

	return ek_sparse_add(ctx, o, c->alpha, &x, c->beta, &y, p[6], &z);
}
