/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that primitives which the table calls reproducible give the same bytes with every
 * instruction set and number of threads. The order of work could affect rounding in sums of floats,
 * and in sorting and merging the order of values with equal keys. */
#include "plan/plan.h"
#include "support/contexts.h"

enum { N = 3000, LISTS = 3, ROOM = 2 * N };

static double number[N], sorted[2][N / 2];
static int64_t key[2][N], ascending[2][N / 2], offset[N + 1], segments;
static uint8_t flag[N];

/* The output of a method, all bytes of which are compared. */
typedef struct result {
	double out[ROOM];
	int64_t key[ROOM], value[ROOM], count;
} result;

static int by_double(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void make_inputs(void)
{
	struct rng r = {7};

	for (int i = 0; i < N; i++) {
		number[i] =
			ldexp((double)rng_below(&r, 1 << 30) - (1 << 29), (int)rng_below(&r, 40));
		flag[i] = i == 0 || rng_below(&r, 9) == 0;
		if (flag[i])
			offset[segments++] = i;
		key[0][i] = rng_below(&r, 20); /* many keys are equal */
		key[1][i] = i;
	}
	offset[segments] = N;
	for (int l = 0; l < 2; l++)
		for (int i = 0; i < N / 2; i++) {
			sorted[l][i] = (double)rng_below(&r, 50);
			ascending[l][i] = (i ? ascending[l][i - 1] : 0) + 1 + rng_below(&r, 3);
		}
	qsort(sorted[0], N / 2, sizeof(double), by_double);
	qsort(sorted[1], N / 2, sizeof(double), by_double);
}

static ek_status sort_pairs(ek_context *ctx, const ek_array_options *o, result *to)
{
	ek_pairs pairs = ek_key_value(EK_INT64, 8, N, to->key, to->value);

	memcpy(to->key, key[0], sizeof key[0]);
	memcpy(to->value, key[1], sizeof key[1]);
	return ek_sort(ctx, o, &pairs);
}

static ek_status merge_pairs(ek_context *ctx, const ek_array_options *o, result *to)
{
	const ek_pairs a = ek_key_value(EK_F64, 8, N / 2, sorted[0], key[1]);
	const ek_pairs b = ek_key_value(EK_F64, 8, N / 2, sorted[1], key[1] + N / 2);
	const ek_pairs out = ek_key_value(EK_F64, 8, N, to->out, to->value);

	return ek_merge(ctx, o, 1, &a, &b, &out);
}

static ek_status compact_pairs(ek_context *ctx, const ek_array_options *o, result *to)
{
	const ek_pairs in = ek_key_value(EK_INT64, 8, N, key[1], number);
	const ek_pairs out = ek_key_value(EK_INT64, 8, N, to->key, to->out);

	return ek_compact(ctx, o, &in, flag, &to->count, &out);
}

/* Calls a method for a sparse vector and a dense one. */
static ek_status call_dense(ek_context *ctx, const ek_method *m, const ek_array_options *o,
                            result *to)
{
	const int64_t n = ascending[0][N / 2 - 1] + 1;
	const ek_sparse x = ek_sparse_vector(EK_F64, EK_INT64, n, N / 2, ascending[0], number);
	const ek_sparse gathered =
		ek_sparse_vector(EK_F64, EK_INT64, n, N / 2, ascending[0], to->value);
	const ek_dense y = ek_vector(EK_F64, n, to->out);

	for (int64_t i = 0; i < n; i++)
		to->out[i] = number[(i + N / 3) % N];
	switch (ek_method_operation(m)) {
	case EK_SPARSE_DOT_DENSE: return ek_sparse_dot_dense(ctx, o, &x, &y, to->value);
	case EK_SPARSE_AXPY: return ek_sparse_axpy(ctx, o, 0.3, &x, &y);
	case EK_GATHER: return ek_gather(ctx, o, &y, &gathered);
	case EK_GATHER_ZERO: return ek_gather_zero(ctx, o, &y, &gathered);
	default: return ek_scatter(ctx, o, &x, &y);
	}
}

/* Calls a method for a dense matrix and a sparse vector. */
static ek_status call_gemvi(ek_context *ctx, const ek_array_options *o, result *to)
{
	const int64_t n = ascending[0][63] + 1, rows = N / n;
	const ek_dense A = ek_block(EK_F64, rows, n, n, EK_ROW_MAJOR, number);
	const ek_dense y = ek_vector(EK_F64, rows, to->out);
	const ek_sparse x = ek_sparse_vector(EK_F64, EK_INT64, n, 64, ascending[0], number);

	for (int64_t i = 0; i < rows; i++)
		to->out[i] = number[(i + N / 3) % N];
	return ek_gemvi(ctx, o, 0.3, &A, &x, 0.7, &y);
}

/* Calls a method for two sparse vectors, or two sets of pairs. */
static ek_status call_two(ek_context *ctx, const ek_method *m, const ek_array_options *o,
                          result *to)
{
	const int64_t n = INT64_MAX;
	const ek_sparse x = ek_sparse_vector(EK_F64, EK_INT64, n, N / 2, ascending[0], number);
	const ek_sparse y =
		ek_sparse_vector(EK_F64, EK_INT64, n, N / 2, ascending[1], number + N / 2);
	const ek_sparse z = ek_sparse_vector(EK_F64, EK_INT64, n, N, to->key, to->out);
	const ek_pairs a = ek_key_value(EK_INT64, 8, N / 2, x.idx, x.val);
	const ek_pairs b = ek_key_value(EK_INT64, 8, N / 2, y.idx, y.val);
	const ek_pairs out = ek_key_value(EK_INT64, 8, N, to->key, to->out);

	switch (ek_method_operation(m)) {
	case EK_SPARSE_DOT: return ek_sparse_dot(ctx, o, &x, &y, to->value);
	case EK_SPARSE_ADD: return ek_sparse_add(ctx, o, 0.3, &x, 0.7, &y, &to->count, &z);
	case EK_PAIRS_UNION:
		return ek_pairs_union(ctx, o, EK_F64, EK_SUM, &a, &b, &to->count, &out);
	default: return ek_pairs_intersection(ctx, o, EK_F64, EK_SUM, &a, &b, &to->count, &out);
	}
}

static ek_status call(ek_context *ctx, const ek_method *m, result *to)
{
	const ek_array_options o = {.size = sizeof o, .method = ek_method_name(m)};
	const ek_segments s = ek_segment_offsets(segments, EK_INT64, offset);

	switch (ek_method_operation(m)) {
	case EK_ARRAY_ADD:
		return ek_array_add(ctx, &o, EK_F64, N / 2, number, number + N / 2, to->out);
	case EK_COMPACT: return compact_pairs(ctx, &o, to);
	case EK_REDUCE: return ek_reduce(ctx, &o, EK_F64, EK_SUM, N, number, to->out);
	case EK_SCAN: return ek_scan(ctx, &o, EK_F64, EK_SUM, EK_INCLUSIVE, N, number, to->out);
	case EK_SEGMENTED_SCAN:
		return ek_segmented_scan(ctx, &o, EK_F64, EK_SUM, EK_EXCLUSIVE, N, number, &s,
		                         to->out);
	case EK_SEGMENTED_SUM: return ek_segmented_sum(ctx, &o, EK_F64, N, number, &s, to->out);
	case EK_SORT: return sort_pairs(ctx, &o, to);
	case EK_MERGE: return merge_pairs(ctx, &o, to);
	case EK_KSELECT:
		return ek_kselect(ctx, &o, EK_F64, LISTS, N / LISTS, 100, number, to->out, NULL);
	case EK_SET_UNION:
		return ek_set_union(ctx, &o, EK_INT64, N / 2, ascending[0], N / 2, ascending[1],
		                    &to->count, to->key);
	case EK_SET_INTERSECTION:
		return ek_set_intersection(ctx, &o, EK_INT64, N / 2, ascending[0], N / 2,
		                           ascending[1], &to->count, to->key);
	case EK_SPARSE_DOT_DENSE:
	case EK_SPARSE_AXPY:
	case EK_GATHER:
	case EK_GATHER_ZERO:
	case EK_SCATTER: return call_dense(ctx, m, &o, to);
	case EK_GEMVI: return call_gemvi(ctx, &o, to);
	case EK_TO_COO: return ek_csr_to_coo(ctx, &o, EK_I64, segments, offset, N, to->key);
	case EK_TO_CSR:
		return ek_coo_to_csr(ctx, &o, EK_F64, EK_I64, 20, 20, N / 2, key[0], key[0] + N / 2,
		                     number, &to->count, to->value, to->key, to->out);
	case EK_SPARSE_DOT:
	case EK_SPARSE_ADD:
	case EK_PAIRS_UNION:
	case EK_PAIRS_INTERSECTION: return call_two(ctx, m, &o, to);
	default: fail_msg("%s: no call for its operation", ek_method_name(m)); return EK_OK;
	}
}

static void check_row(const ek_method *m)
{
	static result first, again;

	for (int k = 0; k < contexts.levels * contexts.counts; k++) {
		const int level = k % contexts.levels, count = k / contexts.levels;
		result *to = k ? &again : &first;

		memset(to, 0x5a, sizeof *to);
		expect_status(call(contexts.of[level][count], m, to), EK_OK);
		if (to->count >= 0 && to->count <= ROOM) {
			/* the space after a set or a sum may have any content */
			memset(to->key + to->count, 0,
			       (size_t)(ROOM - to->count) * sizeof *to->key);
			memset(to->out + to->count, 0,
			       (size_t)(ROOM - to->count) * sizeof *to->out);
		}
		if (k && memcmp(&first, &again, sizeof first) != 0)
			fail_msg("%s: %s with %d threads gives other bits than %s with %d",
			         ek_method_name(m), ek_isa_name(contexts.level[level]),
			         contexts.of[level][count]->threads, ek_isa_name(contexts.level[0]),
			         contexts.of[0][0]->threads);
	}
}

static void test_all(void **state)
{
	int rows = 0;

	(void)state;
	make_inputs();
	for (const ek_method *m = NULL; (m = ek_method_next(m));)
		if (ek_method_supports(m, (ek_op)0, EK_REPRO_STRICT)) {
			check_row(m);
			rows++;
		}
	assert_true(rows > 10);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, contexts_setup_isas, contexts_teardown);
}
