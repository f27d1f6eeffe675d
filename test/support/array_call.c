/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of primitives on arrays. */
#include "support/array_call.h"

#include "support/inputs.h"
#include "support/support.h"

enum { CANARY = 16 };

/* ---- Arguments ------------------------------------------------------------------------------- */

char *call_array(struct call *c, enum role role, int64_t bytes)
{
	struct arg *a = &c->arg[c->args++];

	*a = (struct arg){role, bytes, malloc((size_t)bytes + CANARY)};
	memset(a->data, 0x5a, (size_t)bytes + CANARY);
	return a->data;
}

static int64_t size_of(const struct call *c)
{
	return (int64_t)ek_value_size(c->type);
}

int64_t call_length(int64_t most, struct rng *r)
{
	const int64_t tile = INT64_C(1) << rng_below(r, 13), n = tile * rng_below(r, 4);
	const int64_t any = rng_below(r, most + 1);

	switch (rng_below(r, 4)) {
	case 0: return any % 40;
	case 1: return any;
	default: return n + rng_below(r, 3) - (n > 0) > most ? any : n + rng_below(r, 3) - (n > 0);
	}
}

/* Chooses a type, and an operator for it. */
static void type_and_op(struct call *c, struct rng *r)
{
	c->type = (ek_value)(1 + rng_below(r, 4));
	c->monoid = (ek_monoid)(1 + rng_below(r, c->type <= EK_F64 ? 3 : 4));
	c->kind = rng_below(r, 2) ? EK_INCLUSIVE : EK_EXCLUSIVE;
	c->in_place = rng_below(r, 3) == 0;
}

/* Makes numbers whose sums are exact in every order. */
static void numbers(struct call *c, void *to, int64_t n, struct rng *r)
{
	for (int64_t i = 0; i < n; i++)
		value_set(c->type, to, i, (double)rng_below(r, 100) - 50);
}

static void in_and_out(struct call *c, int64_t n, struct rng *r)
{
	numbers(c, call_array(c, c->in_place ? BOTH : IN, n * size_of(c)), n, r);
	if (!c->in_place)
		call_array(c, OUT, n * size_of(c));
}

static void make_reduce(struct call *c, int64_t most, struct rng *r)
{
	type_and_op(c, r);
	c->n = call_length(most, r);
	numbers(c, call_array(c, IN, c->n * size_of(c)), c->n, r);
	call_array(c, RESULT, size_of(c));
}

static void make_scan(struct call *c, int64_t most, struct rng *r)
{
	type_and_op(c, r);
	c->n = call_length(most, r);
	in_and_out(c, c->n, r);
}

/* Makes segments of c->n entries, by flags or by offsets, some of them empty. */
static void segments(struct call *c, struct rng *r)
{
	const int64_t mean = 1 + rng_below(r, 1 + rng_below(r, 3000));
	int64_t at = 0;

	c->flags = rng_below(r, 2);
	c->offset_type = rng_below(r, 2) ? EK_INT32 : EK_INT64;
	if (c->flags) {
		uint8_t *flag = (uint8_t *)call_array(c, IN, c->n);

		for (int64_t i = 0; i < c->n; i++) {
			flag[i] = rng_below(r, mean) ? 0 : (uint8_t)(1 + rng_below(r, 255));
			c->count += flag[i] || i == 0;
		}
		return;
	}
	c->count = c->n ? 1 + c->n / mean + rng_below(r, 3) : rng_below(r, 4);
	char *offset = call_array(c, IN, (c->count + 1) * (int64_t)ek_value_size(c->offset_type));

	for (int64_t s = 0; s <= c->count; s++) {
		value_set(c->offset_type, offset, s, (double)(s == c->count ? c->n : at));
		if (s > 0 || rng_below(r, 2))
			at += rng_below(r, 4) ? rng_below(r, 2 * mean) : 0;
		at = at > c->n ? c->n : at;
	}
}

static void make_segscan(struct call *c, int64_t most, struct rng *r)
{
	type_and_op(c, r);
	c->n = call_length(most, r);
	segments(c, r);
	in_and_out(c, c->n, r);
}

static void make_segsum(struct call *c, int64_t most, struct rng *r)
{
	type_and_op(c, r);
	c->n = call_length(most, r);
	segments(c, r);
	numbers(c, call_array(c, IN, c->n * size_of(c)), c->n, r);
	call_array(c, OUT, c->count * size_of(c));
}

/* Returns the bits of the number with a rank. */
static uint64_t bits_of_rank(ek_value type, uint64_t rank)
{
	const int last = 8 * (int)ek_value_size(type) - 1;
	const uint64_t top = UINT64_C(1) << last, all = top | (top - 1);

	if (type == EK_INT32 || type == EK_INT64)
		return (rank - top) & all;
	return rank >= top ? rank - top : (top - 1 - rank) | top;
}

/* Adds n random keys, in ascending runs of `run` keys, and their values, which count from `first`.
 */
static void pairs(struct call *c, enum role role, int64_t n, int64_t run, int64_t first,
                  struct rng *r)
{
	char *key = call_array(c, role, n * size_of(c)), *value;

	if (role != OUT)
		input_make((enum input)rng_below(r, INPUTS), c->type, n, r, key);
	for (int64_t i = 0; role != OUT && run > 0 && i < n; i += run) {
		uint64_t *rank = malloc((size_t)run * sizeof *rank);

		ranks_sorted(c->type, key + i * size_of(c), run, rank);
		for (int64_t k = 0; k < run; k++)
			bits_set(c->type, key, i + k, bits_of_rank(c->type, rank[k]));
		free(rank);
	}
	value = call_array(c, role, n * (int64_t)c->value_size);
	for (int64_t i = 0; role != OUT && c->value_size && i < n; i++)
		value_set(c->value_size == 8 ? EK_INT64 : EK_INT32, value, i, (double)(first + i));
}

/* Chooses types of keys and values. Each combination is another program, and drivers take long to
 * compile, so the quick tiers have a few only. */
static void kinds(struct call *c, struct rng *r)
{
	static const struct {
		ek_value type;
		size_t value_size;
	} few[] = {{EK_INT32, 4}, {EK_F32, 0}, {EK_F64, 8}};
	const int64_t which = rng_below(r, 3);

	c->type = few[which].type;
	c->value_size = few[which].value_size;
	if (test_tier() >= TIER_FULL) {
		c->type = (ek_value)(1 + rng_below(r, 4));
		c->value_size = 4 * (size_t)rng_below(r, 3);
	}
}

static void make_sort(struct call *c, int64_t most, struct rng *r)
{
	kinds(c, r);
	c->n = call_length(most, r);
	pairs(c, BOTH, c->n, 0, 0, r);
}

static void make_merge(struct call *c, int64_t most, struct rng *r)
{
	kinds(c, r);
	c->batch = rng_below(r, 3) ? 1 + rng_below(r, 1 + rng_below(r, 30)) : 1;
	c->a_n = call_length(most / 2, r) / c->batch;
	c->b_n = rng_below(r, 3) ? call_length(most / 2, r) / c->batch : c->a_n;
	pairs(c, IN, c->batch * c->a_n, c->a_n, 0, r);
	pairs(c, IN, c->batch * c->b_n, c->b_n, 1000000, r);
	pairs(c, OUT, c->batch * (c->a_n + c->b_n), 0, 0, r);
}

static void make_kselect(struct call *c, int64_t most, struct rng *r)
{
	kinds(c, r);
	c->value_size = 0;
	c->lists = rng_below(r, 3) ? 1 + rng_below(r, 1 + rng_below(r, 20)) : 1;
	c->n = 1 + call_length(most - 1, r) / c->lists;
	c->k = rng_below(r, 4) ? 1 + rng_below(r, c->n) : rng_below(r, 2) ? 1 : c->n;
	char *in = call_array(c, IN, c->lists * c->n * size_of(c));

	for (int64_t j = 0; j < c->lists; j++)
		input_make((enum input)rng_below(r, INPUTS), c->type, c->n, r,
		           in + j * c->n * size_of(c));
	call_array(c, OUT, c->lists * size_of(c));
	if (rng_below(r, 2))
		call_array(c, OUT, c->lists * c->k * size_of(c));
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static ek_status run_reduce(ek_context *ctx, const ek_array_options *o, const struct call *c,
                            void *const p[MOST_ARGS])
{
	return ek_reduce(ctx, o, c->type, c->monoid, c->n, p[0], p[1]);
}

static ek_status run_scan(ek_context *ctx, const ek_array_options *o, const struct call *c,
                          void *const p[MOST_ARGS])
{
	return ek_scan(ctx, o, c->type, c->monoid, c->kind, c->n, p[0], p[c->in_place ? 0 : 1]);
}

static ek_segments segments_at(const struct call *c, const void *p)
{
	return c->flags ? ek_segment_flags(c->count, p)
	                : ek_segment_offsets(c->count, c->offset_type, p);
}

static ek_status run_segscan(ek_context *ctx, const ek_array_options *o, const struct call *c,
                             void *const p[MOST_ARGS])
{
	const ek_segments s = segments_at(c, p[0]);

	return ek_segmented_scan(ctx, o, c->type, c->monoid, c->kind, c->n, p[1], &s,
	                         p[c->in_place ? 1 : 2]);
}

static ek_status run_segsum(ek_context *ctx, const ek_array_options *o, const struct call *c,
                            void *const p[MOST_ARGS])
{
	const ek_segments s = segments_at(c, p[0]);

	return ek_segmented_sum(ctx, o, c->type, c->n, p[1], &s, p[2]);
}

static ek_status run_sort(ek_context *ctx, const ek_array_options *o, const struct call *c,
                          void *const p[MOST_ARGS])
{
	const ek_pairs pairs = ek_key_value(c->type, c->value_size, c->n, p[0], p[1]);

	return ek_sort(ctx, o, &pairs);
}

static ek_status run_merge(ek_context *ctx, const ek_array_options *o, const struct call *c,
                           void *const p[MOST_ARGS])
{
	const ek_pairs a = ek_key_value(c->type, c->value_size, c->a_n, p[0], p[1]);
	const ek_pairs b = ek_key_value(c->type, c->value_size, c->b_n, p[2], p[3]);
	const ek_pairs out = ek_key_value(c->type, c->value_size, 0, p[4], p[5]);

	return ek_merge(ctx, o, c->batch, &a, &b, &out);
}

static ek_status run_kselect(ek_context *ctx, const ek_array_options *o, const struct call *c,
                             void *const p[MOST_ARGS])
{
	return ek_kselect(ctx, o, c->type, c->lists, c->n, c->k, p[0], p[1],
	                  c->args > 2 ? p[2] : NULL);
}

const struct array_op array_ops[] = {
	{EK_REDUCE, make_reduce, run_reduce},
	{EK_SCAN, make_scan, run_scan},
	{EK_SEGMENTED_SCAN, make_segscan, run_segscan},
	{EK_SEGMENTED_SUM, make_segsum, run_segsum},
	{EK_SORT, make_sort, run_sort},
	{EK_MERGE, make_merge, run_merge},
	{EK_KSELECT, make_kselect, run_kselect},
	{EK_SPARSE_ADD, call_make_add, call_run_add},
	{EK_TO_COO, call_make_to_coo, call_run_to_coo},
	{EK_TO_CSR, call_make_to_csr, call_run_to_csr},
};
const int array_op_count = sizeof array_ops / sizeof *array_ops;

/* ---- Running --------------------------------------------------------------------------------- */

void call_free(struct call *c)
{
	for (int k = 0; k < c->args; k++)
		free(c->arg[k].data);
}

void call_freed(char *after[MOST_ARGS])
{
	for (int k = 0; k < MOST_ARGS; k++)
		free(after[k]);
}

ek_status call_run(const struct array_op *op, ek_context *ctx, const ek_array_options *o,
                   const struct call *c, bool there, char *after[MOST_ARGS])
{
	void *p[MOST_ARGS] = {NULL};
	ek_status status;

	for (int k = 0; k < MOST_ARGS; k++)
		after[k] = NULL;
	for (int k = 0; k < c->args; k++) {
		const struct arg *a = &c->arg[k];
		const int64_t bytes = a->bytes + CANARY;

		p[k] = after[k] = malloc((size_t)bytes);
		memcpy(after[k], a->data, (size_t)bytes);
		if (!there || a->role == RESULT)
			continue;
		expect_status(ek_device_alloc(ctx, bytes, &p[k]), EK_OK);
		expect_status(ek_device_write(ctx, p[k], after[k], bytes), EK_OK);
	}
	status = op->run(ctx, o, c, p);
	for (int k = 0; k < c->args; k++) {
		const struct arg *a = &c->arg[k];
		const int64_t bytes = a->bytes + CANARY;

		if (there && a->role != RESULT) {
			expect_status(ek_device_read(ctx, p[k], after[k], bytes), EK_OK);
			ek_device_free(ctx, p[k]);
		}
		if (memcmp(after[k] + a->bytes, a->data + a->bytes, CANARY) != 0)
			fail_msg("%s wrote past the end of array %d", o->method, k);
		if (a->role == IN && memcmp(after[k], a->data, (size_t)a->bytes) != 0)
			fail_msg("%s wrote to input %d", o->method, k);
	}
	return status;
}

void call_text(const struct call *c, char *text, size_t size)
{
	snprintf(text, size,
	         "%s, %s, op %d, kind %d, values of %d bytes, n %lld, %s %s, count %lld, lists "
	         "%lld, k %lld, a_n %lld, b_n %lld, batch %lld%s",
	         ek_operation_name(c->op), ek_value_name(c->type), (int)c->monoid, (int)c->kind,
	         (int)c->value_size, (long long)c->n, c->flags ? "flags" : "offsets",
	         c->offset_type ? ek_value_name(c->offset_type) : "", (long long)c->count,
	         (long long)c->lists, (long long)c->k, (long long)c->a_n, (long long)c->b_n,
	         (long long)c->batch, c->in_place ? ", in place" : "");
}
