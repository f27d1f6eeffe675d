/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of operations on sparse vectors and on coordinates with random arguments (array_call.h). */
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

/* ---- Coordinates ----------------------------------------------------------------------------- */

/* Chooses types of indices and values; the quick tiers have a few only. */
static void coo_kinds(struct call *c, struct rng *r)
{
	c->index = (ek_index)(1 + rng_below(r, 3));
	c->type = c->index == EK_I32 ? EK_F64 : EK_F32;
	if (test_tier() >= TIER_FULL)
		c->type = rng_below(r, 2) ? EK_F64 : EK_F32;
}

static ek_value ptr_type(const struct call *c)
{
	return c->index == EK_I32 ? EK_INT32 : EK_INT64;
}

static ek_value idx_type(const struct call *c)
{
	return c->index == EK_I64 ? EK_INT64 : EK_INT32;
}

/* Adds row pointers of a_n rows, of which some are empty and some long, to c->n entries. */
void call_make_to_coo(struct call *c, int64_t most, struct rng *r)
{
	const int64_t mean = 1 + rng_below(r, 1 + rng_below(r, 3000));
	int64_t at = 0;
	char *ptr;

	coo_kinds(c, r);
	c->n = call_length(most, r);
	c->a_n = c->n ? 1 + c->n / mean + rng_below(r, 9) : rng_below(r, 3);
	ptr = call_array(c, IN, (c->a_n + 1) * (int64_t)ek_value_size(ptr_type(c)));
	for (int64_t i = 0; i <= c->a_n; i++) {
		value_set(ptr_type(c), ptr, i, (double)(i == c->a_n ? c->n : at));
		if (i > 0 || rng_below(r, 2))
			at += rng_below(r, 4) ? rng_below(r, 2 * mean) : 0;
		at = at > c->n ? c->n : at;
		at = c->a_n == 0 ? 0 : at;
	}
	call_array(c, OUT, c->n * (int64_t)ek_value_size(idx_type(c)));
}

ek_status call_run_to_coo(ek_context *ctx, const ek_array_options *o, const struct call *c,
                          void *const p[MOST_ARGS])
{
	return ek_csr_to_coo(ctx, o, c->index, c->a_n, p[0], c->n, p[1]);
}

/* Makes coordinates in random order, or sorted, of matrices with few or many rows and columns. */
void call_make_to_csr(struct call *c, int64_t most, struct rng *r)
{
	static const int64_t ends[] = {1, 3, 200, 256, 257, 4000, 65536, 65537, 100000};
	const bool sorted = rng_below(r, 3) == 0;
	char *row, *col, *val;
	int64_t i = 0, j = 0;

	coo_kinds(c, r);
	c->n = call_length(most, r);
	c->a_n = ends[rng_below(r, 9)];
	c->b_n = ends[rng_below(r, 9)];
	row = call_array(c, IN, c->n * (int64_t)ek_value_size(idx_type(c)));
	col = call_array(c, IN, c->n * (int64_t)ek_value_size(idx_type(c)));
	val = call_array(c, IN, c->n * (int64_t)ek_value_size(c->type));
	for (int64_t k = 0; k < c->n; k++) {
		if (!sorted) {
			i = rng_below(r, c->a_n);
			j = rng_below(r, c->b_n);
		} else if (rng_below(r, 3)) { /* else another entry at the same place */
			j += 1 + rng_below(r, 1 + c->b_n / 7);
			i += j >= c->b_n && i + 1 < c->a_n;
			j = j >= c->b_n ? (i + 1 < c->a_n ? 0 : c->b_n - 1) : j;
		}
		value_set(idx_type(c), row, k, (double)i);
		value_set(idx_type(c), col, k, (double)j);
		value_set(c->type, val, k, (double)rng_below(r, 100) - 50);
	}
	call_array(c, OUT, (c->a_n + 1) * (int64_t)ek_value_size(ptr_type(c)));
	call_array(c, OUT, c->n * (int64_t)ek_value_size(idx_type(c)));
	call_array(c, OUT, c->n * (int64_t)ek_value_size(c->type));
	call_array(c, RESULT, sizeof(int64_t));
}

ek_status call_run_to_csr(ek_context *ctx, const ek_array_options *o, const struct call *c,
                          void *const p[MOST_ARGS])
{
	return ek_coo_to_csr(ctx, o, c->type, c->index, c->a_n, c->b_n, c->n, p[0], p[1], p[2],
	                     p[6], p[3], p[4], p[5]);
}
