/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the row blocks of CSR-Adaptive. Each row must be in one block, each block must have as many
 * rows as fit, and there must not be more blocks than eki_row_blocks_most allows. The rows are
 * those of all shapes, and some made for this test. */
#include "plan/plan.h"
#include "spmv/row_blocks.h"
#include "support/shapes.h"
#include "support/support.h"

static const eki_row_limit limits[] = {
	{1, 1}, {4, 1000000}, {4, 3}, {1000000, 7}, {32, 32}, {1024, 1024}, {INT64_MAX, INT64_MAX},
};
enum { LIMITS = sizeof limits / sizeof *limits };

/* Checks the number and sizes of the blocks of rows [begin, end), and that none has room left. */
static void check_blocks(const ek_store *csr, const int64_t *ptr, const char *name, int64_t begin,
                         int64_t end, eki_row_limit limit)
{
	const int64_t most = eki_row_blocks_most(end - begin, ptr[end] - ptr[begin], limit);
	int64_t *first = malloc((size_t)(most + 1) * sizeof *first);
	const int64_t count = eki_row_blocks(csr, begin, end, limit, first);

	assert_true(count <= most);
	assert_true(first[0] == begin && first[count] == end);
	for (int64_t b = 0; b < count; b++) {
		const int64_t rows = first[b + 1] - first[b];
		const int64_t entries = ptr[first[b + 1]] - ptr[first[b]];

		if (rows < 1 || rows > limit.rows || (entries > limit.entries && rows > 1))
			fail_msg("%s: block %lld has %lld rows and %lld entries", name,
			         (long long)b, (long long)rows, (long long)entries);
		if (b + 1 < count && rows < limit.rows && entries <= limit.entries &&
		    ptr[first[b + 1] + 1] - ptr[first[b]] <= limit.entries)
			fail_msg("%s: block %lld has room for one more row", name, (long long)b);
	}
	free(first);
}

static void check_all(const ek_store *csr, const int64_t *ptr, const char *name)
{
	for (int k = 0; k < LIMITS; k++) {
		check_blocks(csr, ptr, name, 0, csr->rows, limits[k]);
		check_blocks(csr, ptr, name, csr->rows / 3, csr->rows, limits[k]);
		check_blocks(csr, ptr, name, csr->rows / 3, csr->rows / 2, limits[k]);
	}
}

static void test_shapes(void **state)
{
	(void)state;
	for (int k = 0; k < shape_count(); k++)
		for (int index = EK_I32; index <= EK_I64_32; index++) {
			struct shape s;
			struct typed t;

			shape_make(&s, k, DATA_EXACT);
			typed_make(&t, &s, EK_F32, (ek_index)index, 1);
			check_all(&(ek_store){.format = &ek_format_csr,
			                      .value = t.value,
			                      .index = t.index,
			                      .rows = t.rows,
			                      .cols = t.cols,
			                      .nnz = t.nnz,
			                      .array = {t.ptr}},
			          s.ptr, s.name);
			typed_free(&t);
			shape_free(&s);
		}
}

/* Expects rows of lengths len[0], len[1], ... to be cut into blocks whose first rows are in
 * `blocks`, the last number of which is the end of the last block. */
static void expect_blocks(const int *len, int rows, int entries, const int *blocks, int count)
{
	int64_t ptr[33] = {0}, first[64];
	const eki_row_limit limit = {entries, INT64_MAX};
	ek_store csr = {.index = EK_I64, .rows = rows, .array = {ptr}};

	for (int i = 0; i < rows; i++)
		ptr[i + 1] = ptr[i] + len[i];
	csr.nnz = ptr[rows];
	check_blocks(&csr, ptr, "lengths", 0, rows, limit);
	assert_int_equal(eki_row_blocks(&csr, 0, rows, limit, first), count);
	for (int b = 0; b <= count; b++)
		assert_int_equal(first[b], blocks[b]);
}

#define EXPECT(entries, len, blocks)                                  \
	expect_blocks(len, sizeof len / sizeof *len, entries, blocks, \
	              (int)(sizeof blocks / sizeof *blocks) - 1)

static void test_lengths(void **state)
{
	/* Rows that fill a block exactly, a row that does not fit, and a block of only the last
	 * row. */
	static const int full[] = {2, 2, 2, 1, 2, 4, 1}, full_b[] = {0, 2, 4, 5, 6, 7};
	/* A row too long for a block is its own block, also at both ends. */
	static const int longs[] = {5, 1, 1, 9, 8, 1, 5}, longs_b[] = {0, 1, 3, 4, 5, 6, 7};
	/* Empty rows join the block before them or, at the beginning and after a row that is too
	 * long, the block after them. */
	static const int empty[] = {0, 0, 4, 0, 0, 5, 0, 1, 0, 0, 0};
	static const int empty_b[] = {0, 5, 6, 11};
	static const int only[] = {0, 0, 0}, only_b[] = {0, 3};
	static const int one[] = {7}, one_b[] = {0, 1};

	(void)state;
	EXPECT(4, full, full_b);
	EXPECT(4, longs, longs_b);
	EXPECT(4, empty, empty_b);
	EXPECT(4, only, only_b);
	EXPECT(4, one, one_b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
