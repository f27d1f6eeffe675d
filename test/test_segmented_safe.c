/* SPDX-License-Identifier: BSD-3-Clause
 * Tests segmented scan and segmented sum by every method of the table: errors on floats against
 * proven bounds, NaN and Inf that must not spread, memory around the arrays, failing allocations,
 * and wrong arguments, which must leave the output as it was. */
#include "../cli/quad.h"
#include "plan/plan.h"
#include "support/exhaust.h"
#include "support/guard.h"
#include "support/random.h"
#include "support/segments.h"
#include "support/support.h"

static ek_status call(ek_context *ctx, const ek_method *m, ek_value type, ek_scan_kind kind,
                      int64_t n, const void *in, const ek_segments *s, void *out)
{
	ek_array_options o = {.size = sizeof o, .method = ek_method_name(m)};

	return segmented_sums(m) ? ek_segmented_sum(ctx, &o, type, n, in, s, out)
	                         : ek_segmented_scan(ctx, &o, type, EK_SUM, kind, n, in, s, out);
}

/* ---- Floats ---------------------------------------------------------------------------------- */

static quad gamma_of(ek_value type, int64_t k)
{
	quad u = type == EK_F64 ? 0x1p-53 : 0x1p-24;

	return (quad)k * u / (1 - (quad)k * u);
}

static quad magnitude(quad a)
{
	return a < 0 ? -a : a;
}

/* Returns the largest error relative to its bound, which should be at most 1. If from_beginning is
 * true, uses the bound of segsum.offset, derived in that method's file. */
static double worst(const ek_method *m, ek_value type, const struct segments *g, const void *in,
                    const void *out, bool from_beginning)
{
	double most = 0;
	quad all = 0;

	for (int64_t s = 0; s < g->count; s++) {
		quad sum = 0, size = 0;

		for (int64_t i = g->offset[s]; i < g->offset[s + 1]; i++) {
			quad v = value_at(type, in, i), bound;

			sum += v;
			size += magnitude(v);
			all += magnitude(v);
			if (segmented_sums(m) && i + 1 < g->offset[s + 1])
				continue;
			bound = gamma_of(type, i - g->offset[s]) * size;
			if (from_beginning)
				bound = gamma_of(type, 2 * 1040 + 8) * all;

			quad error =
				magnitude(value_at(type, out, segmented_sums(m) ? s : i) - sum);
			double ratio = (double)(error == 0 ? 0 : bound == 0 ? 9 : error / bound);

			if (!(ratio <= most))
				most = ratio;
		}
	}
	return most;
}

static void test_bound(void **state)
{
	static const enum shape shapes[] = {SHAPE_ONE, SHAPE_SHORT, SHAPE_POWER, SHAPE_EMPTY};
	struct heap h = HEAP_INIT;
	struct rng r = {7};
	ek_isa level[MAX_LEVELS];
	int levels = test_levels(level);
	int64_t n = 30000;
	void *in = malloc((size_t)n * 8), *out = malloc((size_t)n * 8 * 8);

	(void)state;
	for (int k = 0; k < 4 * 2 * levels; k++) {
		ek_value type = k / 4 % 2 ? EK_F32 : EK_F64;
		ek_context *ctx = heap_context_cut(&h, 1 + k % 3, EK_ISA_LIMIT(level[k / 8]));
		struct segments g;

		segments_make(&g, shapes[k % 4], n, &r);
		for (int64_t i = 0; i < n; i++)
			value_set(type, in, i, rng_real(&r, 20));
		for (const ek_method *m = NULL; (m = segmented_next(m));) {
			ek_segments s = segments_given(&g, false, EK_INT64);
			bool offset = strcmp(ek_method_name(m), "segsum.offset") == 0;

			expect_status(call(ctx, m, type, EK_INCLUSIVE, n, in, &s, out), EK_OK);
			if (!(worst(m, type, &g, in, out, offset) <= 1))
				fail_msg("%s: error over bound", ek_method_name(m));
		}
		segments_free(&g);
		ek_context_destroy(ctx);
	}
	free(in);
	free(out);
	heap_close(&h);
}

/* Tests small segments after a large one. segsum.offset computes a sum as the difference of two
 * scan results, which is inaccurate here: it must violate the ordinary bound, but not its own. */
static void test_hazard(void **state)
{
	int32_t offset[] = {0, 1, 5, 9};
	double in[9] = {1e17, 1, 1, 1, 1, 0.1, 0.2, 0.3, 0.4}, out[3];
	struct segments g = {.n = 9, .count = 3, .offset = (int64_t[]){0, 1, 5, 9}};
	ek_segments s = ek_segment_offsets(3, EK_INT32, offset);
	struct heap h = HEAP_INIT;
	ek_context *ctx = heap_context_cut(&h, 1, EK_ISA_LIMIT(EK_ISA_SCALAR));

	(void)state;
	for (const ek_method *m = NULL; (m = segmented_next(m));) {
		bool offset_way = strcmp(ek_method_name(m), "segsum.offset") == 0;

		if (!segmented_sums(m))
			continue;
		expect_status(call(ctx, m, EK_F64, EK_INCLUSIVE, 9, in, &s, out), EK_OK);
		if (offset_way != (worst(m, EK_F64, &g, in, out, false) > 1))
			fail_msg("%s: the ordinary bound should %shold", ek_method_name(m),
			         offset_way ? "not " : "");
		if (!(worst(m, EK_F64, &g, in, out, true) <= 1))
			fail_msg("%s: error over the bound from the beginning", ek_method_name(m));
	}
	ek_context_destroy(ctx);
	heap_close(&h);
}

/* Checks that NaN and infinity stay in their segment, except with segsum.offset. */
static void test_spread(void **state)
{
	enum { LENGTH = 7, COUNT = 500, N = LENGTH * COUNT };
	static double in[N], out[N];
	static int64_t offset[COUNT + 1];
	ek_isa level[MAX_LEVELS];
	int levels = test_levels(level);
	struct heap h = HEAP_INIT;

	(void)state;
	for (int i = 0; i < N; i++)
		in[i] = i / LENGTH % 3 ? 1 : i % 2 ? (double)INFINITY : -(double)INFINITY;
	for (int s = 0; s <= COUNT; s++)
		offset[s] = (int64_t)s * LENGTH;
	for (int k = 0; k < 3 * levels; k++) {
		ek_context *ctx = heap_context_cut(&h, 1 + k % 3, EK_ISA_LIMIT(level[k / 3]));
		ek_segments g = ek_segment_offsets(COUNT, EK_INT64, offset);

		for (const ek_method *m = NULL; (m = segmented_next(m));) {
			if (strcmp(ek_method_name(m), "segsum.offset") == 0)
				continue;
			expect_status(call(ctx, m, EK_F64, EK_INCLUSIVE, N, in, &g, out), EK_OK);
			for (int i = 0; i < (segmented_sums(m) ? COUNT : N); i++) {
				int s = segmented_sums(m) ? i : i / LENGTH;
				int last = segmented_sums(m) ? LENGTH : i % LENGTH + 1;

				if (s % 3 ? out[i] != last : last > 1 && out[i] == out[i])
					fail_msg("%s: entry %d is %g", ek_method_name(m), i,
					         out[i]);
			}
		}
		ek_context_destroy(ctx);
	}
	heap_close(&h);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void guarded(ek_context *ctx, const struct guard *page, const struct segments *g,
                    ek_value type, bool flags, bool end)
{
	ek_segments s = segments_given(g, flags, EK_INT32);
	void *(*place)(const struct guard *, size_t) = end ? guard_at_end : guard_at_begin;
	size_t bytes = (size_t)g->n * ek_value_size(type);
	void *in = place(&page[0], bytes);

	for (int64_t i = 0; i < g->n; i++)
		value_set(type, in, i, (double)(i % 9));
	if (flags)
		s.flag = memcpy(place(&page[1], (size_t)g->n), g->flag, (size_t)g->n);
	else
		s.offset = memcpy(place(&page[1], (size_t)(s.count + 1) * 4), g->offset32,
		                  (size_t)(s.count + 1) * 4);
	for (const ek_method *m = NULL; (m = segmented_next(m));)
		for (int place_too = 0; place_too <= !segmented_sums(m); place_too++) {
			size_t size =
				ek_value_size(type) * (size_t)(segmented_sums(m) ? s.count : g->n);

			expect_status(call(ctx, m, type, EK_EXCLUSIVE, g->n, in, &s,
			                   place_too ? in : place(&page[2], size)),
			              EK_OK);
		}
}

static void test_guards(void **state)
{
	static const ek_value types[] = {EK_F32, EK_F64, EK_INT32, EK_INT64};
	struct heap h = HEAP_INIT;
	struct rng r = {9};
	struct guard page[3];
	ek_isa level[MAX_LEVELS];
	int levels = test_levels(level);

	(void)state;
	for (int k = 0; k < 3; k++)
		guard_make(&page[k], 1 << 18);
	for (int k = 0; k < levels * 2; k++) {
		ek_context *ctx = heap_context_cut(&h, 1 + k % 2 * 2, EK_ISA_LIMIT(level[k / 2]));

		for (int64_t n = 1; n < 5000; n += n < 150 ? 1 : 331) {
			struct segments g;

			segments_make(&g, (enum shape)rng_below(&r, SHAPES), n, &r);
			for (int way = 0; way < 4; way++)
				guarded(ctx, page, &g, types[rng_below(&r, 4)], way & 1, way & 2);
			segments_free(&g);
		}
		ek_context_destroy(ctx);
	}
	for (int k = 0; k < 3; k++)
		guard_free(&page[k]);
	heap_close(&h);
}

static ek_status exhausting(struct exhaust *e)
{
	static const uint8_t flag[100] = {1, 0, 0, 1};
	static const double in[100] = {1, 2, 3};
	double out[100];
	ek_segments s = ek_segment_flags(2, flag);
	ek_status status;

	memcpy(out, e->room, sizeof out);
	status = call(e->ctx, e->arg, EK_F64, EK_INCLUSIVE, 100, in, &s, out);
	if (status == EK_OK)
		e->out = NULL;
	else
		memcpy(e->room, out, sizeof out);
	return status;
}

static void test_exhaust(void **state)
{
	(void)state;
	for (const ek_method *m = NULL; (m = segmented_next(m));) {
		struct exhaust e = {0};

		exhaust_open(&e, 3, m);
		exhaust(&e, ek_method_name(m), exhausting, NULL);
		exhaust_close(&e);
	}
}

/* ---- Arguments ------------------------------------------------------------------------------- */

struct wrong {
	int64_t at, to; /* the fault: offset[at] is changed to `to` */
	const char *text;
};

static void untouched(const double *out, int n)
{
	for (int i = 0; i < n; i++)
		if (out[i] != -77)
			fail_msg("entry %d of the output was touched", i);
}

static void test_segments(void **state)
{
	enum { N = 5000, COUNT = 2500 };
	static const struct wrong wrong[] = {
		{0, 1, "segments.offset[0] is 1"},
		{0, -1, "segments.offset[0] is -1"},
		{7, 17, "segments.offset[8] is 16"},
		{2000, N + 1, "segments.offset[2000] is 5001"},
		{2000, -5, "segments.offset[2000] is -5"},
		{1500, 0, "segments.offset[1500] is 0"},
		{COUNT, N - 1, "segments.offset[2500], the last, is 4999"},
		{COUNT, N + 1, "segments.offset[2500], the last, is 5001"},
	};
	static const uint8_t flag[N] = {0, 1, 0, 255};
	static int64_t offset[COUNT + 1];
	static int32_t offset32[COUNT + 1];
	static double in[N], out[N];
	struct heap h = HEAP_INIT;

	(void)state;
	for (int k = 0; k < N; k++)
		out[k] = -77;
	for (int threads = 1; threads <= 3; threads += 2) {
		ek_context *ctx = heap_context_cut(&h, threads, 0);

		for (const ek_method *m = NULL; (m = segmented_next(m));) {
			for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
				ek_segments s = ek_segment_offsets(COUNT, EK_INT64, offset);
				ek_segments s32 = ek_segment_offsets(COUNT, EK_INT32, offset32);

				for (int i = 0; i <= COUNT; i++)
					offset32[i] = (int32_t)(offset[i] = 2 * i);
				offset32[wrong[k].at] =
					(int32_t)(offset[wrong[k].at] = wrong[k].to);
				expect_error(call(ctx, m, EK_F64, EK_INCLUSIVE, N, in, &s, out),
				             EK_ERANGE, wrong[k].text);
				expect_error(call(ctx, m, EK_F64, EK_INCLUSIVE, N, in, &s32, out),
				             EK_ERANGE, wrong[k].text);
			}
			for (int64_t count = 2; count <= 4; count += 2) {
				ek_segments s = ek_segment_flags(count, flag);

				if (segmented_sums(m))
					expect_error(
						call(ctx, m, EK_F64, EK_INCLUSIVE, N, in, &s, out),
						EK_EINVAL, "segments.flag begins 3 segments");
			}
		}
		ek_context_destroy(ctx);
	}
	untouched(out, N);
	heap_close(&h);
}

static void test_arguments(void **state)
{
	static const uint8_t flag[8] = {1};
	int64_t offset[2] = {0, 8}, one = 1;
	double in[8] = {0}, out[8];
	struct heap h = HEAP_INIT;
	ek_context *ctx = heap_context_cut(&h, 2, 0);
	ek_segments f = ek_segment_flags(1, flag), both = f;
	ek_segments o = ek_segment_offsets(1, EK_INT64, offset);
	ek_segments none = ek_segment_flags(1, NULL);
	ek_segments typed = ek_segment_offsets(1, EK_F64, offset);
	ek_segments crooked = ek_segment_offsets(0, EK_INT64, (char *)offset + 2);
	ek_segments negative = ek_segment_offsets(-1, EK_INT64, offset);
	ek_segments many = ek_segment_flags(9, flag), over = ek_segment_flags(1, (uint8_t *)out);
	ek_segments outside = ek_segment_offsets(0, EK_INT64, &one);

	(void)state;
	both.offset = offset;
	for (int k = 0; k < 8; k++)
		out[k] = -77;
#define SCAN(type, op, kind, n, in, s, out) \
	ek_segmented_scan(ctx, NULL, type, op, kind, n, in, s, out)
#define SUM(type, n, in, s, out) ek_segmented_sum(ctx, NULL, type, n, in, s, out)
	expect_error(SCAN((ek_value)9, EK_SUM, EK_INCLUSIVE, 8, in, &f, out), EK_EINVAL, "type");
	expect_error(SCAN(EK_F64, EK_OR, EK_INCLUSIVE, 8, in, &f, out), EK_EINVAL, "EK_OR");
	expect_error(SCAN(EK_F64, EK_SUM, (ek_scan_kind)0, 8, in, &f, out), EK_EINVAL, "kind");
	expect_error(SCAN(EK_F64, EK_SUM, EK_INCLUSIVE, -1, in, &f, out), EK_EINVAL, "n is -1");
	expect_error(SCAN(EK_F64, EK_SUM, EK_INCLUSIVE, 8, NULL, &f, out), EK_EINVAL, "in is NULL");
	expect_error(SCAN(EK_F64, EK_SUM, EK_INCLUSIVE, 8, in, &f, NULL), EK_EINVAL, "out is NULL");
	expect_error(SCAN(EK_F64, EK_SUM, EK_INCLUSIVE, 7, out, &f, out + 1), EK_EINVAL,
	             "in and out overlap");
	expect_error(SCAN(EK_F64, EK_SUM, EK_INCLUSIVE, 8, in, &over, out), EK_EINVAL,
	             "segments.flag and out overlap");
	expect_error(SCAN(EK_F64, EK_SUM, EK_INCLUSIVE, 8, in, NULL, out), EK_EINVAL, "segments");
	expect_error(SCAN(EK_F64, EK_SUM, EK_INCLUSIVE, 8, in, &both, out), EK_EINVAL,
	             "flag and offset");
	expect_error(SUM(EK_F64, 8, in, &none, out), EK_EINVAL, "neither flag nor offset");
	expect_error(SUM(EK_F64, 8, in, &typed, out), EK_EINVAL, "segments.offset_type is 2");
	expect_error(SUM(EK_F64, 0, in, &crooked, out), EK_EINVAL, "aligned");
	expect_error(SUM(EK_F64, 8, in, &negative, out), EK_EINVAL, "segments.count is -1");
	expect_error(SUM(EK_F64, 8, in, &many, out), EK_EINVAL, "segments.count is 9");
	expect_error(SUM(EK_F64, 8, in, NULL, out), EK_EINVAL, "segments");
	expect_error(SUM((ek_value)0, 8, in, &f, out), EK_EINVAL, "type");
	expect_error(SUM(EK_F64, 8, out, &f, out), EK_EINVAL, "in and out overlap");
	expect_error(SUM(EK_F64, 0, NULL, &outside, NULL), EK_ERANGE, "segments.offset[0] is 1");
	expect_error(SUM(EK_INT64, 8, in, &o, offset), EK_EINVAL, "segments.offset and out");
	untouched(out, 8);
	none.count = 0;
	expect_status(SUM(EK_F64, 0, NULL, &none, NULL), EK_OK);
	expect_status(SCAN(EK_F64, EK_SUM, EK_INCLUSIVE, 0, NULL, &none, NULL), EK_OK);
	ek_context_destroy(ctx);
	heap_close(&h);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bound),    cmocka_unit_test(test_hazard),
		cmocka_unit_test(test_spread),   cmocka_unit_test(test_guards),
		cmocka_unit_test(test_exhaust),  cmocka_unit_test(test_segments),
		cmocka_unit_test(test_arguments)};
	(void)argc;
	test_passive_threads(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
