/* SPDX-License-Identifier: BSD-3-Clause
 * Tests ek_array_add by every method: equality with a loop for all types, short lengths,
 * alignments, numbers of threads and instruction sets, at guard pages, in place in both ways, for
 * lengths that are written past the caches, and refused arguments. */
#include <math.h>

#include "plan/plan.h"
#include "support/guard.h"
#include "support/heap.h"
#include "support/integers.h"
#include "support/random.h"
#include "support/support.h"

enum { LENGTHS = 300, LONG = 100003, PLACES = 3 };

static struct guard page[PLACES];
static struct rng rng = {4};
static struct heap heap = HEAP_INIT;

static int setup(void **state)
{
	(void)state;
	for (int k = 0; k < PLACES; k++)
		guard_make(&page[k], (size_t)LONG * 8 + 4096);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int k = 0; k < PLACES; k++)
		guard_free(&page[k]);
	heap_close(&heap);
	return 0;
}

static void fill(ek_value type, void *to, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		if (type == EK_F32 || type == EK_F64)
			value_set(type, to, i, rng_real(&rng, 20));
		else
			integer_set(type, to, i, (int64_t)rng_next(&rng));
}

/* Sets out[i] to a[i] + b[i] in the arithmetic of the type. */
static void add(ek_value type, int64_t n, const void *a, const void *b, void *out)
{
	for (int64_t i = 0; i < n; i++)
		if (type == EK_F32)
			((float *)out)[i] = ((const float *)a)[i] + ((const float *)b)[i];
		else if (type == EK_F64)
			((double *)out)[i] = ((const double *)a)[i] + ((const double *)b)[i];
		else
			integer_set(type, out, i,
			            integer_op(type, EK_SUM, integer_at(type, a, i),
			                       integer_at(type, b, i)));
}

/* Checks one sum. `place` says which of the arrays end at guard pages, and `same` whether `out` is
 * an array of its own (0), a (1), b (2), or a, b and out are one (3). */
static void check(ek_context *ctx, const char *method, ek_value type, int64_t n, int place,
                  int same)
{
	const size_t bytes = (size_t)n * ek_value_size(type);
	const ek_array_options o = {.size = sizeof o, .method = method};
	char *at[PLACES], *right = malloc(bytes + 1);

	for (int k = 0; k < PLACES; k++)
		at[k] = place >> k & 1
		                ? guard_at_end(&page[k], bytes)
		                : (char *)page[k].begin + (size_t)(place % 5) * ek_value_size(type);
	if (same == 3)
		at[1] = at[0];
	fill(type, at[0], n);
	if (same < 3)
		fill(type, at[1], n);
	add(type, n, at[0], at[1], right);
	if (same == 0)
		memset(at[2], 0x5a, bytes);
	else
		at[2] = same == 2 ? at[1] : at[0];
	expect_status(ek_array_add(ctx, &o, type, n, at[0], at[1], at[2]), EK_OK);
	if (memcmp(at[2], right, bytes) != 0)
		fail_msg("%s, %s, n %lld, place %d, same %d", method, ek_value_name(type),
		         (long long)n, place, same);
	free(right);
}

static void test_sums(void **state)
{
	ek_isa level[MAX_LEVELS];
	int count[MAX_COUNTS];

	(void)state;
	for (int l = test_levels(level); l-- > 0;)
		for (int c = test_counts(count); c-- > 0;) {
			ek_context *ctx = heap_context_cut(&heap, count[c], EK_ISA_LIMIT(level[l]));

			for (const ek_method *m = NULL;
			     (m = processor_method_next(m, EK_ARRAY_ADD));)
				for (int type = EK_F32; type <= EK_INT64; type++) {
					for (int64_t n = 0; n <= LENGTHS; n += 1 + n / 20)
						check(ctx, ek_method_name(m), (ek_value)type, n,
						      (int)rng_below(&rng, 8),
						      (int)rng_below(&rng, 4));
					check(ctx, ek_method_name(m), (ek_value)type, LONG, type,
					      type % 4);
				}
			ek_context_destroy(ctx);
		}
}

/* Checks arrays so long that sums are written past the caches, of every alignment to vectors. */
static void test_long(void **state)
{
	enum { N = 13 << 20 };
	float *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b), *out = malloc(N * sizeof *b);
	ek_context *ctx;

	(void)state;
	expect_status(
		ek_context_create(&(ek_options){.size = sizeof(ek_options), .threads = 2}, &ctx),
		EK_OK);
	fill(EK_F32, a, N);
	fill(EK_F32, b, N);
	for (int from = 0; from < 2; from++) {
		memset(out, 0x5a, N * sizeof *out);
		expect_status(ek_array_add(ctx, NULL, EK_F32, N - 7, a + from, b, out + 3 * from),
		              EK_OK);
		for (int64_t i = 0; i < N - 7; i++)
			if (out[3 * from + i] != a[from + i] + b[i])
				fail_msg("entry %lld", (long long)i);
	}
	ek_context_destroy(ctx);
	free(a);
	free(b);
	free(out);
}

static void test_arguments(void **state)
{
	const double a[4] = {1, 2, 3, 4};
	double out[6] = {7, 7, 7, 7, 7, 7}, before[6];
	ek_array_options o = {.size = sizeof o, .method = "scan.serial"};
	const void *odd = (const char *)a + 1;
	ek_context *ctx = NULL;

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	memcpy(before, out, sizeof out);
	expect_error(ek_array_add(NULL, NULL, EK_F64, 4, a, a, out), EK_EINVAL, "ctx");
	expect_error(ek_array_add(ctx, NULL, (ek_value)9, 4, a, a, out), EK_EINVAL, "type is 9");
	expect_error(ek_array_add(ctx, NULL, EK_F64, -1, a, a, out), EK_EINVAL, "n is -1");
	expect_error(ek_array_add(ctx, NULL, EK_F64, INT64_MAX, a, a, out), EK_EOVERFLOW, "n is");
	expect_error(ek_array_add(ctx, NULL, EK_F64, 4, NULL, a, out), EK_EINVAL, "a is NULL");
	expect_error(ek_array_add(ctx, NULL, EK_F64, 4, a, NULL, out), EK_EINVAL, "b is NULL");
	expect_error(ek_array_add(ctx, NULL, EK_F64, 4, a, a, NULL), EK_EINVAL, "out is NULL");
	expect_error(ek_array_add(ctx, NULL, EK_F64, 3, a, odd, out), EK_EINVAL, "b lies at");
	expect_error(ek_array_add(ctx, NULL, EK_F64, 4, out + 1, a, out), EK_EINVAL,
	             "a and out overlap");
	expect_error(ek_array_add(ctx, NULL, EK_F64, 4, a, out + 1, out), EK_EINVAL,
	             "b and out overlap");
	expect_error(ek_array_add(ctx, &o, EK_F64, 4, a, a, out), EK_EINVAL, "scan.serial");
	assert_memory_equal(out, before, sizeof out);
	expect_status(ek_array_add(ctx, NULL, EK_F64, 0, NULL, NULL, NULL), EK_OK);
	ek_context_destroy(ctx);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_arguments),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
