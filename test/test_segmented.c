/* SPDX-License-Identifier: BSD-3-Clause
 * Tests segmented scan and segmented sum by every method of the table. With integers, results must
 * be exact, in all types: for all short lengths and some long ones, for segments given by flags and
 * by offsets, for segments that end at edges of vectors and blocks, and for empty segments. */
#include "plan/plan.h"
#include "support/random.h"
#include "support/segments.h"
#include "support/support.h"

enum { MAX_SHORT = 1100 };

struct run {
	ek_context *ctx;
	const ek_method *method;
	struct segments *g;
	ek_value type;
	ek_monoid op;
	ek_scan_kind kind;
	bool flags, place;
	int in_shift, out_shift; /* distance from a multiple of 64 bytes, in entries */
	int64_t block;
};

static void fill(struct rng *r, ek_value type, void *in, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		if (type == EK_INT64)
			((int64_t *)in)[i] = (int64_t)rng_next(r);
		else if (type == EK_INT32)
			((int32_t *)in)[i] = (int32_t)rng_next(r);
		else
			value_set(type, in, i, rng_integer(r, 8));
	}
}

static void check(const struct run *c, const void *in, const char *out)
{
	size_t size = ek_value_size(c->type);
	bool sum = segmented_sums(c->method);

	for (int64_t s = 0, k = 0; s < c->g->count; s++) {
		int64_t begin = c->g->offset[s], end = c->g->offset[s + 1];
		long double total = number_identity(c->type, sum ? EK_SUM : c->op);

		if (c->flags && begin == end)
			continue;
		for (int64_t i = begin; i < end; i++) {
			long double before = total;

			total = number_join(c->type, sum ? EK_SUM : c->op, total,
			                    number_at(c->type, in, i));
			if (sum)
				continue;
			if (number_at(c->type, out, i) !=
			    (c->kind == EK_EXCLUSIVE ? before : total))
				fail_msg("%s %s op %d kind %d: entry %lld of %lld",
				         ek_method_name(c->method), ek_value_name(c->type), c->op,
				         c->kind, (long long)i, (long long)c->g->n);
		}
		if (sum && number_at(c->type, out, k) != total)
			fail_msg("%s %s %s: sum %lld of %lld over %lld", ek_method_name(c->method),
			         ek_value_name(c->type), c->flags ? "flags" : "offsets",
			         (long long)k, (long long)c->g->count, (long long)c->g->n);
		k++;
	}
	for (size_t k = 0; k < 64; k++) /* nothing after the result may be written */
		if (out[(size_t)(sum ? segments_count(c->g, c->flags) : c->g->n) * size + k] !=
		    0x5a)
			fail_msg("%s wrote behind its output", ek_method_name(c->method));
}

/* Makes one call, on arrays in `room`, and checks its result. */
static void call(struct run *c, struct rng *r, char *room)
{
	ek_array_options o = {.size = sizeof o,
	                      .method = ek_method_name(c->method),
	                      .block = c->block,
	                      .flags = rng_below(r, 3) ? 0 : EK_TRUSTED};
	size_t size = ek_value_size(c->type);
	int64_t n = c->g->n, count = segments_count(c->g, c->flags);
	int64_t out_len = segmented_sums(c->method) ? count : n;
	size_t bytes = (size_t)(n > count ? n : count) * size + 256;
	char *in = room + (size_t)c->in_shift * size, *out = room + (bytes + 63) / 64 * 64;
	char *kept = out + (bytes + 63) / 64 * 64;
	ek_segments s = segments_given(c->g, c->flags, rng_below(r, 2) ? EK_INT32 : EK_INT64);

	out += (size_t)c->out_shift * size;
	fill(r, c->type, in, n);
	memcpy(kept, in, (size_t)n * size);
	if (c->place)
		out = in;
	memset(out + (size_t)(c->place ? n : 0) * size, 0x5a,
	       (size_t)(c->place ? 0 : out_len) * size + 64);
	if (segmented_sums(c->method))
		expect_status(ek_segmented_sum(c->ctx, &o, c->type, n, in, &s, out), EK_OK);
	else
		expect_status(
			ek_segmented_scan(c->ctx, &o, c->type, c->op, c->kind, n, in, &s, out),
			EK_OK);
	check(c, kept, out);
}

/* Makes a call with random type, operator, alignments and other properties. */
static void call_some(ek_context *ctx, const ek_method *m, struct segments *g, struct rng *r,
                      char *room)
{
	static const ek_value types[] = {EK_F32, EK_F64, EK_INT32, EK_INT64};
	struct run c = {.ctx = ctx, .method = m, .g = g, .type = types[rng_below(r, 4)]};
	int lanes = 64 / (int)ek_value_size(c.type);

	c.op = (ek_monoid)(1 + rng_below(r, c.type == EK_F32 || c.type == EK_F64 ? 3 : 4));
	c.kind = rng_below(r, 2) ? EK_INCLUSIVE : EK_EXCLUSIVE;
	c.flags = rng_below(r, 2);
	c.place = !segmented_sums(m) && rng_below(r, 3) == 0;
	c.in_shift = (int)rng_below(r, lanes);
	c.out_shift = rng_below(r, 2) ? (int)rng_below(r, lanes) : 0;
	c.block = rng_below(r, 2) ? 64 * rng_below(r, 4) : 0;
	call(&c, r, room);
}

static int contexts(ek_context *ctx[MAX_LEVELS * MAX_COUNTS])
{
	ek_isa level[MAX_LEVELS];
	int counts[MAX_COUNTS], levels = test_levels(level), number = test_counts(counts);

	for (int k = 0; k < levels * number; k++) {
		ek_options o = {.size = sizeof o,
		                .threads = counts[k / levels],
		                .isa_limit = EK_ISA_LIMIT(level[k % levels])};

		expect_status(ek_context_create(&o, &ctx[k]), EK_OK);
		ctx[k]->small_work = 0;
	}
	return levels * number;
}

static void test_short(void **state)
{
	ek_context *ctx[MAX_LEVELS * MAX_COUNTS];
	int number = contexts(ctx);
	struct rng r = {1};
	char *room = aligned_alloc(64, 1 << 16);

	(void)state;
	for (int64_t n = 0; n <= MAX_SHORT; n++) {
		struct segments g;
		int step = test_tier() > TIER_QUICK ? 1 : n < 200 ? 2 : 6;

		segments_make(&g, (enum shape)(n % SHAPES), n, &r);
		for (const ek_method *m = NULL; (m = segmented_next(m));)
			for (int k = (int)rng_below(&r, step); k < number; k += step)
				call_some(ctx[k], m, &g, &r, room);
		segments_free(&g);
	}
	free(room);
	for (int k = 0; k < number; k++)
		ek_context_destroy(ctx[k]);
}

static void test_long(void **state)
{
	ek_context *ctx[MAX_LEVELS * MAX_COUNTS];
	int number = contexts(ctx);
	struct rng r = {2};
	char *room = aligned_alloc(64, 1 << 24);
	int rounds = test_tier() <= TIER_QUICK ? 1 : 8;

	(void)state;
	for (int round = 0; round < rounds * SHAPES; round++) {
		struct segments g;

		segments_make(&g, (enum shape)(round % SHAPES), 20000 + rng_below(&r, 80000), &r);
		for (const ek_method *m = NULL; (m = segmented_next(m));)
			for (int k = 0; k < number; k++)
				call_some(ctx[k], m, &g, &r, room);
		segments_free(&g);
	}
	free(room);
	for (int k = 0; k < number; k++)
		ek_context_destroy(ctx[k]);
}

/* Checks that the library chooses a method if none is named, and that its result is right. */
static void test_default(void **state)
{
	struct rng r = {3};
	int64_t n = INT64_C(1) << 20;
	struct segments g;
	struct run c = {.g = &g, .type = EK_INT64, .op = EK_SUM, .kind = EK_INCLUSIVE};
	int64_t *in = malloc((size_t)n * 8), *out = malloc((size_t)n * 8 + 64);

	(void)state;
	segments_make(&g, SHAPE_POWER, n, &r);
	fill(&r, c.type, in, n);
	for (c.flags = false;; c.flags = true) {
		ek_segments s = segments_given(&g, c.flags, EK_INT32);

		expect_status(ek_context_create(NULL, &c.ctx), EK_OK);
		memset(out, 0x5a, (size_t)n * 8 + 64);
		expect_status(ek_segmented_sum(c.ctx, NULL, c.type, n, in, &s, out), EK_OK);
		c.method = ek_method_find("segsum.serial");
		check(&c, in, (char *)out);
		memset(out, 0x5a, (size_t)n * 8 + 64);
		expect_status(ek_segmented_scan(c.ctx, NULL, c.type, c.op, c.kind, n, in, &s, out),
		              EK_OK);
		c.method = ek_method_find("segscan.serial");
		check(&c, in, (char *)out);
		ek_context_destroy(c.ctx);
		if (c.flags)
			break;
	}
	segments_free(&g);
	free(in);
	free(out);
}

/* Tests arrays so long that results are written with non-temporal stores. These fill whole cache
 * lines, and the array of sums does not begin at one. The tested methods are those that the library
 * may choose; the instruction sets take turns. */
static void test_past_caches(void **state)
{
	ek_isa level[MAX_LEVELS];
	int levels = test_levels(level), calls = 0;
	struct rng r = {4};
	int64_t n = (INT64_C(1) << 22) + 3;
	struct segments g;
	struct run c = {.g = &g, .type = EK_INT64, .op = EK_SUM, .kind = EK_EXCLUSIVE};
	char *in = aligned_alloc(64, (size_t)n / 8 * 64 + 128);
	char *out = aligned_alloc(64, (size_t)n / 8 * 64 + 256);

	(void)state;
	segments_make(&g, SHAPE_EACH, n, &r);
	fill(&r, c.type, in, n);
	for (const ek_method *m = NULL; (m = segmented_next(m));)
		for (int by = 0; by < (m->cost ? 2 : 0); by++) {
			ek_segments s = segments_given(&g, by, EK_INT64);
			ek_options o = {.size = sizeof o,
			                .threads = 2,
			                .isa_limit = EK_ISA_LIMIT(level[calls++ % levels])};
			ek_array_options how = {.size = sizeof how, .method = ek_method_name(m)};
			char *to = out + (segmented_sums(m) ? 8 : 0);

			c.method = m;
			c.flags = by;
			expect_status(ek_context_create(&o, &c.ctx), EK_OK);
			memset(to, 0x5a, (size_t)n * 8 + 64);
			expect_status(segmented_sums(m)
			                      ? ek_segmented_sum(c.ctx, &how, c.type, n, in, &s, to)
			                      : ek_segmented_scan(c.ctx, &how, c.type, c.op, c.kind,
			                                          n, in, &s, to),
			              EK_OK);
			check(&c, in, to);
			ek_context_destroy(c.ctx);
		}
	segments_free(&g);
	free(in);
	free(out);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short), cmocka_unit_test(test_long),
		cmocka_unit_test(test_default), cmocka_unit_test(test_past_caches)};

	(void)argc;
	test_passive_threads(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
