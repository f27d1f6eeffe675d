/* SPDX-License-Identifier: BSD-3-Clause
 * Tests scans by every method of the table. With integers, results must equal those of a loop, for
 * all short lengths, alignments, numbers of threads and instruction sets. Arrays are between guard
 * pages. Sums overflow, so wrapping around is tested too. With floats, errors, found by sums in
 * quadruple precision, must be within the bound in ek.h. */
#include <math.h>

#include "../cli/quad.h"
#include "plan/plan.h"
#include "support/guard.h"
#include "support/heap.h"
#include "support/integers.h"
#include "support/random.h"
#include "support/support.h"

enum { LENGTHS = 1100, STREAM = 9 << 20 };

static struct guard in_pages, out_pages;
static struct rng rng = {1};
static struct heap heap = HEAP_INIT;

static const char *named[16]; /* all methods, and some with parameters */
static int names;

static int setup(void **state)
{
	(void)state;
	for (const ek_method *m = NULL; (m = processor_method_next(m, EK_SCAN));)
		named[names++] = ek_method_name(m);
	named[names++] = "scan.zhang:block=0";
	named[names++] = "scan.zhang:overlap=1";
	named[names++] = "scan.zhang:block=0,overlap=1";
	guard_make(&in_pages, (size_t)STREAM * 4 + 4096);
	guard_make(&out_pages, (size_t)STREAM * 4 + 4096);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	guard_free(&in_pages);
	guard_free(&out_pages);
	heap_close(&heap);
	return 0;
}

/* ---- Integers -------------------------------------------------------------------------------- */

struct job {
	const char *method;
	ek_value type;
	ek_monoid op;
	ek_scan_kind kind;
	int64_t n, block;
	bool in_place, at_end;
	int64_t in_skip, out_skip; /* number of entries before the array, if at_end is false */
};

/* Scans random integers and compares the result with that of a loop. */
static void check(ek_context *ctx, const struct job *j)
{
	size_t size = ek_value_size(j->type);
	char *in = j->at_end ? guard_at_end(&in_pages, (size_t)j->n * size)
	                     : (char *)in_pages.begin + (size_t)j->in_skip * size;
	char *out = j->at_end ? guard_at_end(&out_pages, (size_t)j->n * size)
	                      : (char *)out_pages.begin + (size_t)j->out_skip * size;
	ek_array_options o = {.size = sizeof o, .method = j->method, .block = j->block};
	int64_t sum = integer_identity(j->type, j->op);

	for (int64_t i = 0; i < j->n; i++)
		integer_set(j->type, in, i, (int64_t)rng_next(&rng));
	if (j->in_place)
		memcpy(out, in, (size_t)j->n * size);
	expect_status(ek_scan(ctx, &o, j->type, j->op, j->kind, j->n, j->in_place ? out : in, out),
	              EK_OK);
	for (int64_t i = 0; i < j->n; i++) {
		int64_t before = sum;

		sum = integer_op(j->type, j->op, sum, integer_at(j->type, in, i));
		if (integer_at(j->type, out, i) != (j->kind == EK_INCLUSIVE ? sum : before))
			fail_msg("%s, %s, op %d, kind %d, n %lld, block %lld, entry %lld",
			         j->method, ek_value_name(j->type), (int)j->op, (int)j->kind,
			         (long long)j->n, (long long)j->block, (long long)i);
	}
}

static struct job random_job(const char *name, int64_t n)
{
	return (struct job){.method = name,
	                    .type = rng_next(&rng) & 1 ? EK_INT32 : EK_INT64,
	                    .op = (ek_monoid)(1 + rng_below(&rng, 4)),
	                    .kind = (ek_scan_kind)(1 + rng_below(&rng, 2)),
	                    .n = n,
	                    .block = rng_below(&rng, 3) ? 1 + rng_below(&rng, 130) : 0,
	                    .in_place = rng_next(&rng) & 1,
	                    .at_end = rng_next(&rng) & 1,
	                    .in_skip = rng_below(&rng, 16),
	                    .out_skip = rng_below(&rng, 16)};
}

/* Tests each instruction set, type, operator and kind with one thread, in place and not in
 * place. */
static void test_lengths(void **state)
{
	ek_isa level[MAX_LEVELS];

	(void)state;
	for (int l = test_levels(level); l-- > 0;) {
		ek_context *ctx = heap_context_cut(&heap, 1, EK_ISA_LIMIT(level[l]));

		for (int m = 0; m < names; m++)
			for (int64_t n = 0; n <= LENGTHS; n++)
				for (int k = n < 140 ? 0 : (int)rng_below(&rng, 8); k < 32;
				     k += n < 140 ? 1 : 8) {
					struct job j = random_job(named[m], n);

					j.type = k & 1 ? EK_INT32 : EK_INT64;
					j.kind = k & 2 ? EK_INCLUSIVE : EK_EXCLUSIVE;
					j.op = (ek_monoid)(1 + (k >> 2) % 4);
					j.in_place = k & 16;
					check(ctx, &j);
				}
		ek_context_destroy(ctx);
	}
}

static void test_threads(void **state)
{
	ek_isa level[MAX_LEVELS];
	int count[MAX_COUNTS], levels = test_levels(level);

	(void)state;
	for (int c = test_counts(count); c-- > 0;) {
		ek_context *ctx[MAX_LEVELS];

		for (int l = 0; l < levels; l++)
			ctx[l] = heap_context_cut(&heap, count[c], EK_ISA_LIMIT(level[l]));
		for (int m = 0; m < names; m++) {
			for (int64_t n = 0; n <= LENGTHS; n++) {
				struct job j = random_job(named[m], n);

				check(ctx[n % levels], &j);
			}
			for (int k = 0; k < 12; k++) {
				struct job j = random_job(named[m], 1 + rng_below(&rng, 1 << 19));

				j.block *= 100;
				check(ctx[k % levels], &j);
			}
		}
		for (int l = 0; l < levels; l++)
			ek_context_destroy(ctx[l]);
	}
}

/* Tests outputs larger than the caches, which are written with non-temporal stores, at all
 * alignments. */
static void test_stream(void **state)
{
	ek_isa level[MAX_LEVELS];
	int levels = test_levels(level);

	(void)state;
	for (int skip = 0; skip < 16; skip++)
		for (int threads = 1; threads <= 2; threads++) {
			const bool wide = (skip + threads) & 1;
			ek_context *ctx = heap_context_cut(&heap, threads,
			                                   EK_ISA_LIMIT(level[skip % levels]));
			struct job j = {.method = "scan.blocked",
			                .type = wide ? EK_INT64 : EK_INT32,
			                .op = (ek_monoid)(1 + skip / 4),
			                .kind = skip & 1 ? EK_INCLUSIVE : EK_EXCLUSIVE,
			                .n = STREAM / (wide ? 2 : 1) - skip,
			                .block = skip < 8 ? 0 : 4096 + 777 * skip,
			                .at_end = threads == 1,
			                .out_skip = skip};

			check(ctx, &j);
			ek_context_destroy(ctx);
		}
}

/* ---- Floats ---------------------------------------------------------------------------------- */

/* Returns d of the error bound gamma(d) in ek.h. An entry goes through at most d additions. */
static double depth(const char *method, int64_t n)
{
	return strcmp(method, "scan.blocked") == 0 ? 1040 : (double)n;
}

static void check_bound(const char *method, ek_value type, ek_scan_kind kind, int64_t n,
                        const void *in, const void *out)
{
	double u = type == EK_F32 ? 0x1p-24 : 0x1p-53, k = depth(method, n) * u;
	quad sum = 0, all = 0;

	for (int64_t i = 0; i < n; i++) {
		double x = value_at(type, in, i);
		quad e;

		if (kind == EK_INCLUSIVE)
			sum += x, all += fabs(x);
		e = (quad)value_at(type, out, i) - sum;
		if (!((e < 0 ? -e : e) <= k / (1 - k) * all))
			fail_msg("%s, %s, n %lld, entry %lld: error %g, bound %g", method,
			         ek_value_name(type), (long long)n, (long long)i, (double)e,
			         (double)(k / (1 - k) * all));
		if (kind == EK_EXCLUSIVE)
			sum += x, all += fabs(x);
	}
}

static void test_bounds(void **state)
{
	ek_isa level[MAX_LEVELS];
	const int64_t length[] = {1, 17, 1000, 40000, 300001};

	(void)state;
	for (int l = test_levels(level); l-- > 0;)
		for (int k = 0; k < 20; k++) {
			ek_context *ctx =
				heap_context_cut(&heap, 1 + k % 3, EK_ISA_LIMIT(level[l]));
			ek_value type = k & 1 ? EK_F32 : EK_F64;
			int64_t n = length[k % 5];
			double *in = malloc((size_t)n * 8), *out = malloc((size_t)n * 8);

			for (int64_t i = 0; i < n; i++)
				value_set(type, in, i,
				          k < 10 ? rng_real(&rng, 20) : fabs(rng_real(&rng, 2)));
			for (int m = 0; m < names; m++) {
				ek_scan_kind kind = k & 2 ? EK_INCLUSIVE : EK_EXCLUSIVE;
				ek_array_options o = {.size = sizeof o, .method = named[m]};

				expect_status(ek_scan(ctx, &o, type, EK_SUM, kind, n, in, out),
				              EK_OK);
				check_bound(o.method, type, kind, n, in, out);
			}
			free(in);
			free(out);
			ek_context_destroy(ctx);
		}
}

/* Checks that with ones in f32 the sums of the blocked scan, unlike the plain loop's, do not stop
 * growing at 2^24. */
static void test_long(void **state)
{
	int64_t n = test_tier() >= TIER_FULL ? (int64_t)1 << 27 : ((int64_t)1 << 25) + 12345;
	float *in = malloc((size_t)n * 4), *out = malloc((size_t)n * 4);
	ek_context *ctx = heap_context_cut(&heap, 2, 0);
	ek_array_options serial = {.size = sizeof serial, .method = "scan.serial"};

	(void)state;
	for (int64_t i = 0; i < n; i++)
		in[i] = 1;
	expect_status(ek_scan(ctx, NULL, EK_F32, EK_SUM, EK_INCLUSIVE, n, in, out), EK_OK);
	for (int64_t i = 0; i < n; i++)
		if (!(fabs((double)out[i] - (double)(i + 1)) <= 1040 * 0x1p-24 * (double)(i + 1)))
			fail_msg("entry %lld is %g", (long long)i, (double)out[i]);
	assert_true(out[n - 1] == (float)n);
	expect_status(ek_scan(ctx, &serial, EK_F32, EK_SUM, EK_INCLUSIVE, n, in, out), EK_OK);
	assert_true(out[n - 1] == 0x1p24f);
	ek_context_destroy(ctx);
	free(in);
	free(out);
}

/* Checks that scan.blocked gives the same bits for any number of threads, also in place. The
 * longest blocks have more tiles than those whose sums a thread keeps. */
static void test_same_bits(void **state)
{
	const int count[] = {1, 2, 3, 5, 7, 8};
	const int64_t blocks[] = {1000, 0, 290000};
	const int64_t n = 300007;
	ek_isa level[MAX_LEVELS];
	double *in = malloc((size_t)n * 8),
	       *out[2] = {malloc((size_t)n * 8), malloc((size_t)n * 8)};

	(void)state;
	for (int l = test_levels(level); l-- > 0;)
		for (int k = 0; k < 12; k++) {
			ek_value type = k & 1 ? EK_F32 : EK_F64;
			ek_array_options o = {
				.size = sizeof o, .method = "scan.blocked", .block = blocks[k / 4]};

			for (int64_t i = 0; i < n; i++)
				value_set(type, in, i, rng_real(&rng, 20));
			for (int c = 0; c < 6; c++) {
				ek_context *ctx =
					heap_context_cut(&heap, count[c], EK_ISA_LIMIT(level[l]));

				const bool in_place = c % 2;

				if (in_place)
					memcpy(out[1], in, (size_t)n * 8);
				expect_status(ek_scan(ctx, &o, type, EK_SUM,
				                      k & 2 ? EK_INCLUSIVE : EK_EXCLUSIVE, n,
				                      in_place ? out[1] : in, out[c > 0]),
				              EK_OK);
				ek_context_destroy(ctx);
				if (c > 0)
					assert_memory_equal(out[0], out[1],
					                    (size_t)n * ek_value_size(type));
			}
		}
	free(in);
	free(out[0]);
	free(out[1]);
}

/* Checks that a NaN reaches all results from its own place to the end, and none before, and that an
 * infinite sum stays infinite. */
static void test_special(void **state)
{
	const int64_t n = 20000;
	ek_isa level[MAX_LEVELS];
	double *in = malloc((size_t)n * 8), *out = malloc((size_t)n * 8);

	(void)state;
	for (int l = test_levels(level); l-- > 0;)
		for (int m = 0; m < names; m++)
			for (int k = 0; k < 24; k++) {
				ek_context *ctx =
					heap_context_cut(&heap, 1 + k % 3, EK_ISA_LIMIT(level[l]));
				ek_value type = k & 1 ? EK_F32 : EK_F64;
				ek_monoid op = (ek_monoid)(1 + k / 2 % 3);
				double special = k < 12 ? NAN : INFINITY, sum;
				int64_t at = rng_below(&rng, n);
				ek_array_options o = {
					.size = sizeof o, .method = named[m], .block = 1000};

				for (int64_t i = 0; i < n; i++)
					value_set(type, in, i, (double)rng_below(&rng, 9));
				value_set(type, in, at, special);
				expect_status(ek_scan(ctx, &o, type, op, EK_INCLUSIVE, n, in, out),
				              EK_OK);
				sum = op == EK_MAX ? -INFINITY : op == EK_MIN ? INFINITY : 0;
				for (int64_t i = 0; i < n; i++) {
					double x = value_at(type, in, i),
					       y = value_at(type, out, i);

					if (op == EK_SUM || isnan(x) || isnan(sum))
						sum += x;
					else if (op == EK_MAX ? x > sum : x < sum)
						sum = x;
					assert_true(isnan(sum) ? isnan(y) : y == sum);
				}
				ek_context_destroy(ctx);
			}
	free(in);
	free(out);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths), cmocka_unit_test(test_threads),
		cmocka_unit_test(test_stream),  cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_long),    cmocka_unit_test(test_same_bits),
		cmocka_unit_test(test_special),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
