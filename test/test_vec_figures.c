/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the thesis's examples of adding two sparse vectors (Liu 2015, Figures 7.1 to 7.3), step by
 * step. The numbers are ours; the sizes and events are those of the captions: 4 and 2 entries, of
 * which one index is common; a root that is fused with the first entry of the result, then a root
 * that is put before it; masks, their scan, and the merge. */
#include "prim/prim.h"
#include "support/context.h"
#include "support/support.h"
#include "vec/add.h"

/* x has 4 entries and y has 2; index 5 is common. */
static int32_t xi[] = {0, 2, 5, 7}, yi[] = {3, 5};
static double xv[] = {1, 2, 3, 4}, yv[] = {10, 20};
static const int32_t zi[] = {0, 2, 3, 5, 7};
static const double zv[] = {1, 2, 10, 23, 4};

/* Results, and the arguments of an addition of x and y. */
static int32_t out_idx[6];
static double out_val[6];
static int64_t count;

static eki_array arguments(void)
{
	memset(out_idx, 0xff, sizeof out_idx);
	memset(out_val, 0xff, sizeof out_val);
	count = -1;
	return (eki_array){.operation = EK_SPARSE_ADD,
	                   .type = EK_F64,
	                   .op = EK_SUM,
	                   .x = ek_sparse_vector(EK_F64, EK_INT32, 8, 4, xi, xv),
	                   .y = ek_sparse_vector(EK_F64, EK_INT32, 8, 2, yi, yv),
	                   .z = ek_sparse_vector(EK_F64, EK_INT32, 8, 6, out_idx, out_val),
	                   .count = &count,
	                   .alpha = eki_real(1),
	                   .beta = eki_real(1),
	                   .isa = EK_ISA_SCALAR,
	                   .threads = 1,
	                   .arity = 2};
}

#define EXPECT_IDX(idx, ...)                                         \
	assert_memory_equal((idx), ((const int32_t[]){__VA_ARGS__}), \
	                    sizeof((const int32_t[]){__VA_ARGS__}))
#define EXPECT_VAL(val, ...)                                        \
	assert_memory_equal((val), ((const double[]){__VA_ARGS__}), \
	                    sizeof((const double[]){__VA_ARGS__}))

/* Checks that the heap's nodes are in order: no child is greater than its parent. */
static void expect_heap(const eki_add_heap *h)
{
	for (int64_t k = 1; k < h->nodes; k++)
		assert_true(((int32_t *)h->idx)[(k - 1) / 2] >= ((int32_t *)h->idx)[k]);
}

/* Tests Figure 7.1: the heap holds all 6 entries, index 5 twice. The result grows in the tail. */
static void test_heap(void **state)
{
	const eki_array a = arguments();
	int32_t idx[1 + 6];
	double val[6];
	eki_add_heap h = {.a = &a, .idx = idx + 1, .val = val, .nodes = 6, .first = 6, .all = 6};
	const int32_t *at = idx + 1;

	(void)state;
	eki_add_heap_make(&h);
	expect_heap(&h);
	assert_int_equal(at[0], 7);
	eki_add_heap_step(&h); /* 7 is the result's first entry */
	assert_int_equal(h.first, 5);
	assert_int_equal(at[5], 7);
	eki_add_heap_step(&h); /* the first of the two entries with index 5 is put before it */
	assert_int_equal(h.first, 4);
	EXPECT_IDX(at + 4, 5, 7);
	assert_int_equal(at[0], 5); /* (a): the root has the index of the result's first entry */
	assert_int_equal(h.nodes, 4);
	eki_add_heap_step(&h); /* (b): it is fused, and the result is as long as before */
	expect_heap(&h);
	assert_int_equal(h.nodes, 3);
	assert_int_equal(h.first, 4);
	EXPECT_IDX(at + 4, 5, 7);
	EXPECT_VAL(val + 4, 23, 4);
	assert_int_equal(at[0], 3);
	eki_add_heap_step(&h); /* (c): the next root has another index and is put before */
	expect_heap(&h);
	assert_int_equal(h.nodes, 2);
	assert_int_equal(h.first, 3);
	EXPECT_IDX(at + 3, 3, 5, 7);
	EXPECT_VAL(val + 3, 10, 23, 4);
	while (h.nodes)
		eki_add_heap_step(&h);
	assert_int_equal(h.all - h.first, 5);
	assert_memory_equal(at + h.first, zi, sizeof zi);
	assert_memory_equal(val + h.first, zv, sizeof zv);
}

/* Tests Figure 7.2: 4 and 2 entries are expanded, sorted by bitonic sort, and compressed by a scan
 * of the heads of segments and a segmented sum. */
static void test_esc(void **state)
{
	const eki_array a = arguments();
	int32_t idx[6];
	double val[6];
	uint8_t head[6];
	int64_t segment[6];
	eki_add_esc e = {.a = &a, .n = 6, .idx = idx, .val = val, .head = head, .segment = segment};

	(void)state;
	eki_add_esc_expand(&e);
	EXPECT_IDX(idx, 0, 2, 5, 7, 3, 5);
	EXPECT_VAL(val, 1, 2, 3, 4, 10, 20);
	eki_add_esc_sort(&e);
	EXPECT_IDX(idx, 0, 2, 3, 5, 5, 7);
	assert_true(val[3] + val[4] == 23);
	eki_add_esc_scan(&e);
	assert_memory_equal(head, ((const uint8_t[]){1, 1, 1, 1, 0, 1}), 6);
	assert_memory_equal(segment, ((const int64_t[]){1, 2, 3, 4, 4, 5}), sizeof segment);
	eki_add_esc_compress(&e);
	assert_memory_equal(out_idx, zi, sizeof zi);
	assert_memory_equal(out_val, zv, sizeof zv);
}

/* Tests Figure 7.3: the result starts as x. Index 5 of y is found there and fused; index 3 is not,
 * so its mask is set, and it is copied behind x. */
static void test_merge(void **state)
{
	const eki_array a = arguments();
	int32_t idx[6];
	double val[6];
	uint8_t mask[2];
	int64_t place[2];
	eki_add_merge m = {.a = &a, .idx = idx, .val = val, .mask = mask, .place = place};

	(void)state;
	eki_add_merge_fuse(&m);
	EXPECT_IDX(idx, 0, 2, 5, 7);
	EXPECT_VAL(val, 1, 2, 23, 4);
	assert_memory_equal(mask, ((const uint8_t[]){1, 0}), 2);
	eki_add_merge_scan(&m);
	assert_int_equal(place[0], 0);
	assert_int_equal(m.more, 1);
	eki_add_merge_copy(&m);
	EXPECT_IDX(idx, 0, 2, 5, 7, 3);
	EXPECT_VAL(val, 1, 2, 23, 4, 10);
	eki_add_merge_join(&m);
	assert_memory_equal(out_idx, zi, sizeof zi);
	assert_memory_equal(out_val, zv, sizeof zv);
}

/* Tests Algorithm 27, which chooses by the upper bound of the result's length: "add.bound" has the
 * bits of the method that it chooses. All methods keep sums that are 0. */
static void test_methods(void **state)
{
	static const struct {
		int64_t nnz;
		const char *method;
	} bound[] = {{1, "add.heap"},
	             {16, "add.heap"},
	             {17, "add.esc"},
	             {256, "add.esc"},
	             {257, "add.merge"}};
	static int32_t idx[300], to_idx[600];
	static float val[300], to_val[600];

	(void)state;
	for (int k = 0; k < 300; k++) {
		idx[k] = 2 * k;
		val[k] = (float)k / 3;
	}
	for (size_t b = 0; b < sizeof bound / sizeof *bound; b++)
		for (const ek_method *m = NULL; (m = processor_method_next(m, EK_SPARSE_ADD));) {
			const int64_t n = bound[b].nnz;
			ek_heap_counts counts = {.size = sizeof counts, .compare = -1};
			const ek_array_options o = {
				.size = sizeof o, .method = ek_method_name(m), .counts = &counts};
			const ek_sparse x = ek_sparse_vector(EK_F32, EK_INT32, 600, n, idx, val);
			const ek_sparse z =
				ek_sparse_vector(EK_F32, EK_INT32, 600, 2 * n, to_idx, to_val);
			const bool counted = strcmp(ek_method_name(m), "add.heap") == 0 ||
			                     (strcmp(ek_method_name(m), "add.bound") == 0 &&
			                      strcmp(bound[b].method, "add.heap") == 0);

			expect_status(ek_sparse_add(ctx, &o, 1, &x, -1, &x, &count, &z), EK_OK);
			assert_int_equal(count, n);
			for (int k = 0; k < n; k++)
				assert_true(to_idx[k] == idx[k] && to_val[k] == 0);
			/* Only the heap method counts heap operations. */
			assert_int_equal(counts.compare != -1, counted);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap),
		cmocka_unit_test(test_esc),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_methods),
	};

	return run_all_tests(tests, context_setup, context_teardown);
}
