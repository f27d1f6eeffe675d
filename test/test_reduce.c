/* SPDX-License-Identifier: BSD-3-Clause
 * Tests reductions by every method of the table. With integers, results must equal those of a loop,
 * for all short lengths, alignments, numbers of threads and instruction sets. Arrays are between
 * guard pages. With floats, errors, found by sums in quadruple precision, must be within the bound
 * in ek.h. Any number of threads must give the same bits. */
#include <math.h>

#include "../cli/quad.h"
#include "plan/plan.h"
#include "support/guard.h"
#include "support/heap.h"
#include "support/integers.h"
#include "support/random.h"
#include "support/support.h"

enum { LENGTHS = 1100, LONG = 300007 };

static struct guard pages;
static struct rng rng = {2};
static struct heap heap = HEAP_INIT;

static int setup(void **state)
{
	(void)state;
	guard_make(&pages, (size_t)LONG * 8 + 4096);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	guard_free(&pages);
	heap_close(&heap);
	return 0;
}

/* Checks all operators on n random integers. If `skip` is negative, the array ends at a guard page;
 * otherwise it begins `skip` entries after a guard page. For n = 0 the result must be the
 * operator's identity. */
static void check(ek_context *ctx, const char *method, ek_value type, int64_t n, int skip)
{
	size_t size = ek_value_size(type);
	char *in = skip < 0 ? guard_at_end(&pages, (size_t)n * size)
	                    : (char *)pages.begin + (size_t)skip * size;
	ek_array_options o = {.size = sizeof o, .method = method};

	for (int64_t i = 0; i < n; i++)
		integer_set(type, in, i, (int64_t)rng_next(&rng));
	for (int op = EK_SUM; op <= EK_OR; op++) {
		int64_t sum = integer_identity(type, (ek_monoid)op), room = 0;

		for (int64_t i = 0; i < n; i++)
			sum = integer_op(type, (ek_monoid)op, sum, integer_at(type, in, i));
		expect_status(ek_reduce(ctx, &o, type, (ek_monoid)op, n, n ? in : NULL, &room),
		              EK_OK);
		if (integer_at(type, &room, 0) != sum)
			fail_msg("%s, %s, op %d, n %lld", method, ek_value_name(type), op,
			         (long long)n);
	}
}

static void test_integers(void **state)
{
	ek_isa level[MAX_LEVELS];
	int count[MAX_COUNTS];

	(void)state;
	for (int l = test_levels(level); l-- > 0;)
		for (int c = test_counts(count); c-- > 0;) {
			ek_context *ctx = heap_context_cut(&heap, count[c], EK_ISA_LIMIT(level[l]));

			for (const ek_method *m = NULL;
			     (m = processor_method_next(m, EK_REDUCE));) {
				for (int64_t n = 0; n <= LENGTHS; n++)
					check(ctx, ek_method_name(m), n & 1 ? EK_INT32 : EK_INT64,
					      n, (int)rng_below(&rng, 17) - 1);
				for (int64_t n = 0; n <= LENGTHS; n++)
					check(ctx, ek_method_name(m), n & 1 ? EK_INT64 : EK_INT32,
					      n, -1);
				for (int k = 0; k < 5; k++)
					check(ctx, ek_method_name(m), EK_INT32,
					      rng_below(&rng, LONG), k - 1);
			}
			ek_context_destroy(ctx);
		}
}

/* ---- Floats ---------------------------------------------------------------------------------- */

/* Returns the depth of the method's tree of additions, which determines the error bound in ek.h. */
static double depth(const char *method, int64_t n)
{
	if (strcmp(method, "reduce.simd") == 0)
		return 1040;
	if (strcmp(method, "reduce.tree") == 0)
		return ceil(log2((double)n));
	return (double)(n - 1);
}

static void check_bound(const char *method, ek_value type, int64_t n, const void *in, double result)
{
	double k = depth(method, n) * (type == EK_F32 ? 0x1p-24 : 0x1p-53);
	quad sum = 0, all = 0, e;

	for (int64_t i = 0; i < n; i++)
		sum += value_at(type, in, i), all += fabs(value_at(type, in, i));
	e = (quad)result - sum;
	if (!((e < 0 ? -e : e) <= k / (1 - k) * all))
		fail_msg("%s, %s, n %lld: error %g, bound %g", method, ek_value_name(type),
		         (long long)n, (double)e, (double)(k / (1 - k) * all));
}

/* Checks that sums are within the bound, and have the same bits for any number of threads. */
static void test_bounds(void **state)
{
	const int64_t length[] = {1, 2, 3, 100, 1025, 40000, LONG, LONG};
	const int count[] = {1, 2, 3, 5, 7, 8};
	ek_isa level[MAX_LEVELS];
	double *in = malloc((size_t)LONG * 8), first = 0;

	(void)state;
	for (int l = test_levels(level); l-- > 0;)
		for (int k = 0; k < 16; k++) {
			ek_value type = k & 1 ? EK_F32 : EK_F64;
			int64_t n = length[k / 2];

			for (int64_t i = 0; i < n; i++)
				value_set(type, in, i, rng_real(&rng, k & 2 ? 20 : 2));
			for (const ek_method *m = NULL; (m = processor_method_next(m, EK_REDUCE));)
				for (int c = 0; c < 6; c++) {
					ek_context *ctx = heap_context_cut(&heap, count[c],
					                                   EK_ISA_LIMIT(level[l]));
					ek_array_options o = {.size = sizeof o,
					                      .method = ek_method_name(m)};
					double room = 0;

					expect_status(
						ek_reduce(ctx, &o, type, EK_SUM, n, in, &room),
						EK_OK);
					if (c == 0)
						check_bound(o.method, type, n, in,
						            value_at(type, &room, 0)),
							first = room;
					assert_memory_equal(&room, &first, sizeof room);
					ek_context_destroy(ctx);
				}
		}
	free(in);
}

/* Checks that one NaN anywhere makes maximum and minimum NaN. */
static void test_nan(void **state)
{
	ek_isa level[MAX_LEVELS];
	double in[3000];

	(void)state;
	for (int l = test_levels(level); l-- > 0;) {
		ek_context *ctx = heap_context_cut(&heap, 2, EK_ISA_LIMIT(level[l]));

		for (const ek_method *m = NULL; (m = processor_method_next(m, EK_REDUCE));)
			for (int k = 0; k < 200; k++) {
				ek_value type = k & 1 ? EK_F32 : EK_F64;
				ek_monoid op = k & 2 ? EK_MAX : EK_MIN;
				ek_array_options o = {.size = sizeof o,
				                      .method = ek_method_name(m)};
				int64_t n = 1 + rng_below(&rng, 3000);
				double room = 0;

				for (int64_t i = 0; i < n; i++)
					value_set(type, in, i, (double)rng_below(&rng, 9));
				value_set(type, in, rng_below(&rng, n), k & 4 ? NAN : -1);
				expect_status(ek_reduce(ctx, &o, type, op, n, in, &room), EK_OK);
				room = value_at(type, &room, 0);
				assert_true(k & 4          ? isnan(room)
				            : op == EK_MIN ? room == -1
				                           : room >= -1);
			}
		ek_context_destroy(ctx);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_nan),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
