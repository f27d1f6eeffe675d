/* SPDX-License-Identifier: BSD-3-Clause
 * Tests SpGEMM by bins: bins and groups of rows, rows that grow, the five memory methods, the text
 * of ek_plan_explain, the limit on memory, and failing allocations. */
#include "plan/plan.h"
#include "spgemm/bins_rows.h"
#include "support/bins.h"
#include "support/exhaust.h"
#include "support/rows.h"
#include "support/support.h"

static struct exhaust e;

static int setup(void **state)
{
	(void)state;
	exhaust_open(&e, 3, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	exhaust_close(&e);
	return 0;
}

/* ---- Matrices and products ------------------------------------------------------------------- */

static ek_matrix *equal_rows(int64_t n, int64_t cols, int64_t length)
{
	return rows_equal(e.ctx, n, cols, length);
}

static ek_matrix *stairs(int64_t n, int64_t step, int64_t length)
{
	return rows_stairs(e.ctx, n, step, length);
}

/* ---- Bins ------------------------------------------------------------------------------------ */

static const struct {
	int64_t bound;
	int bin, group;
} bins_of[] = {{0, 0, 1},    {1, 1, 2},    {2, 2, 3},    {31, 31, 3},  {32, 32, 3},  {33, 33, 4},
               {64, 33, 4},  {65, 34, 4},  {128, 34, 4}, {129, 35, 4}, {256, 35, 4}, {257, 36, 4},
               {512, 36, 4}, {513, 37, 5}, {700, 37, 5}, {2049, 37, 5}};

enum { CASES = sizeof bins_of / sizeof *bins_of, LARGEST = 2049 };

/* Makes a matrix with `copies` rows for each case. */
static ek_matrix *case_rows(int copies)
{
	int64_t length[CASES * 3];

	for (int k = 0; k < copies * CASES; k++)
		length[k] = bins_of[k % CASES].bound;
	return rows_of_lengths(e.ctx, (int64_t)copies * CASES, LARGEST, NULL, length);
}

static void test_bins(void **state)
{
	ek_matrix *A = case_rows(2), *B = stairs(LARGEST, 1, 1);
	ek_plan *plan = bins_plan(A, B, "spgemm.csr.serial");
	int64_t at = 0, total = 0;
	eki_bins b;

	(void)state;
	for (int k = 0; k < CASES; k++) {
		assert_int_equal(eki_bin_of(bins_of[k].bound), bins_of[k].bin);
		assert_int_equal(eki_bin_group_of(bins_of[k].bin), bins_of[k].group);
	}
	assert_int_equal(eki_bin_of(INT64_MAX), EKI_BIN_LONG);
	expect_status(eki_bins_make(&plan->root, &b), EK_OK);
	for (int64_t i = 0; i < 2 * CASES; i++) {
		assert_int_equal(b.at[i], bins_of[i % CASES].bound);
		total += bins_of[i % CASES].bound;
	}
	assert_int_equal(b.total, total);
	assert_int_equal(b.most, LARGEST);
	assert_int_equal(b.begin[EKI_BINS], 2 * CASES);
	for (int bin = 0; bin < EKI_BINS; bin++)
		for (int64_t k = b.begin[bin]; k < b.begin[bin + 1]; k++) {
			assert_int_equal(bins_of[b.row[k] % CASES].bin, bin);
			assert_true(k == b.begin[bin] || b.row[k] > b.row[k - 1]);
		}
	assert_int_equal(b.hybrid_first, total - 2 * (513 + 700 + 2049) + 6 * 256);
	/* 513 and 700 grow to 512 and to the bound; 2049 also to 1024, 2048 */
	assert_int_equal(b.hybrid_most - b.hybrid_first,
	                 2 * (512 + 513 + 512 + 700 + 512 + 1024 + 2048 + 2049));
	assert_int_equal(eki_bins_places(&b, EKI_MEMORY_HYBRID), b.hybrid_first);
	for (int64_t i = 0; i < 2 * CASES; i++) {
		const int64_t bound = bins_of[i % CASES].bound;

		assert_int_equal(b.at[i], at);
		at += bound > EKI_ESC_MOST ? EKI_LONG_FIRST : bound;
	}
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
}

/* Tests rows of all groups, with one product for each entry and with many. */
static void test_groups(void **state)
{
	static const int64_t step[] = {1, 3, 1, 0, 900000000000, INT64_C(1) << 42};
	static const int64_t length[] = {1, 2, 3, 1, 1, 2};
	char text[4096];

	(void)state;
	for (size_t k = 0; k < sizeof step / sizeof *step; k++) {
		ek_matrix *A = case_rows(3), *B = stairs(LARGEST, step[k], length[k]);

		bins_check_memory(A, B, "spgemm.csr.bins", 1, text, sizeof text);
		if (k == 0) {
			expect_text(text, "group 1, empty: 3 rows, bound 0 entries\n");
			expect_text(text, "group 2, copied: 3 rows, bound 3 entries\n");
			expect_text(text, "group 3, heap: 9 rows, bound 195 entries; rows of each "
			                  "bin: 2: 3 31: 3 32: 3\n");
			expect_text(text, "group 4, bitonic ESC: 24 rows");
			expect_text(text, "33: 6 34: 6 35: 6 36: 6\n");
			expect_text(text, "group 5, merge: 9 rows, bound 9786 entries\n");
			expect_text(text, "memory=1\n");
		}
		ek_matrix_destroy(A);
		ek_matrix_destroy(B);
	}
}

/* ---- Rows that grow -------------------------------------------------------------------------- */

/* Computes rows of `lists` lists of `length` entries, each starting `step` columns after the one
 * before, in all memory methods. Checks how often rows grow, and the bytes. */
static void check_growth(int64_t lists, int64_t step, int64_t length, int doublings)
{
	const int64_t entry = 16, rows = 5, bound = lists * length;
	const int64_t states = rows * (int64_t)sizeof(eki_long_row);
	ek_matrix *A = equal_rows(rows, lists, lists), *B = stairs(lists, step, length);
	int64_t capacity = EKI_LONG_FIRST, capped = EKI_LONG_FIRST, uncapped = EKI_LONG_FIRST;
	char text[4096];

	bins_check_memory(A, B, "spgemm.csr.bins", 1, text, sizeof text);
	for (int k = 1; k <= doublings; k++) {
		capacity *= 2;
		uncapped += capacity;
		capped += capacity < bound ? capacity : bound;
	}
	const long long bytes = number_after(text, "last new C: ");

	assert_int_equal(bytes, rows * capped * entry + states);
	assert_int_equal(number_after(text, "temporary bytes ("), rows * uncapped * entry + states);
	assert_int_equal(number_after(text, "beyond their bounds), "), 1 + doublings);
	assert_int_equal(number_after(text, "temporary bytes: hybrid "),
	                 rows * EKI_LONG_FIRST * entry + states);
	assert_int_equal(number_after(text, ", upper bound "), rows * bound * entry);
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
}

static void test_growth(void **state)
{
	(void)state;
	check_growth(100, 0, 30, 0);   /* 30 entries of 3000 products */
	check_growth(3, 0, 256, 0);    /* exactly 256 entries */
	check_growth(257, 1, 2, 1);    /* 258 entries */
	check_growth(3, 0, 257, 1);    /* 257 entries */
	check_growth(4, 85, 257, 1);   /* 512 entries */
	check_growth(4, 86, 257, 2);   /* 515 entries */
	check_growth(513, 1, 1, 2);    /* 513 entries of 513 products */
	check_growth(600, 1, 1, 2);    /* as many entries as products */
	check_growth(1100, 7, 3, 4);   /* 3300 entries: longer than the sequence in scratch */
	check_growth(40, 37, 500, 3);  /* lists longer than what one merge takes */
	check_growth(5, 1500, 900, 5); /* 4500 entries */
}

/* ---- Limits and failures --------------------------------------------------------------------- */

enum { LIMIT = 600000 };

/* Returns the bytes of the arrays of C. */
static long long bytes_of(const ek_matrix *C)
{
	static const char *const array[] = {"row_ptr", "col_idx", "val"};
	long long bytes = 0;

	for (int k = 0; k < 3; k++) {
		ek_view view = {.size = sizeof view};

		expect_status(ek_matrix_array(C, array[k], &view), EK_OK);
		bytes += (long long)((size_t)view.len * view.elem_size);
	}
	return bytes;
}

static void test_limit(void **state)
{
	ek_matrix *A = case_rows(3), *B = stairs(LARGEST, 3, 3), *C = NULL;
	ek_hints hints = {.size = sizeof hints, .method = "spgemm.csr.bins", .B = B};
	char text[4096];
	ek_plan *plan;

	(void)state;
	hints.memory = LIMIT;
	const long long before = atomic_load(&e.heap.bytes);

	atomic_store(&e.heap.peak, before);
	expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_OK);
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	expect_text(text, "memory=3\n");
	expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
	assert_true(atomic_load(&e.heap.peak) - before <= LIMIT + bytes_of(C));
	ek_matrix_destroy(C);
	ek_plan_destroy(plan);
	hints.memory = 1 << 24;
	expect_status(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_OK);
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	expect_text(text, "memory=1\n");
	ek_plan_destroy(plan);
	hints.memory = LIMIT;
	hints.method = "spgemm.csr.bins:memory=2";
	expect_error(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_ELIMIT, "hints.memory");
	hints.memory = 1;
	hints.method = "spgemm.csr.bins";
	expect_error(ek_plan_create(EK_SPGEMM, A, &hints, &plan), EK_ELIMIT, "hints.memory");
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
}

static void test_failures(void **state)
{
	static const char *const method[] = {"spgemm.csr.bins", "spgemm.csr.bins:memory=2",
	                                     "spgemm.csr.bins:memory=3", "spgemm.csr.bins:memory=4",
	                                     "spgemm.csr.bins:memory=5"};
	ek_matrix *A = case_rows(1), *B = stairs(LARGEST, 1, 2);

	(void)state;
	for (int k = 0; k < EKI_MEMORY_METHODS; k++) {
		const struct exhaust_product w = {A, B, method[k]};

		e.arg = &w;
		assert_true(exhaust(&e, method[k], exhaust_multiply, exhaust_free_matrix) > 10);
	}
	ek_matrix_destroy(A);
	ek_matrix_destroy(B);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bins),     cmocka_unit_test(test_groups),
		cmocka_unit_test(test_growth),   cmocka_unit_test(test_limit),
		cmocka_unit_test(test_failures),
	};

	return run_all_tests(tests, setup, teardown);
}
