/* SPDX-License-Identifier: BSD-3-Clause
 * Tests slices of columns of matrices that do not fit a device (both/sparse_columns.c), which need
 * none: where columns are cut, and that threads share the work on few long rows. Products with such
 * slices are tested in test_gpu_slices.c. */
#include "both/sparse.h"
#include "support/context.h"
#include "support/held.h"
#include "support/rows.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

enum { ROWS = 400, EACH = 50 };

/* Cuts a matrix with rows of these lengths, from these columns on, in up to `count` slices, and
 * checks that they have all columns, and all entries. */
static eki_slices cut(int64_t cols, const int64_t *first, const int64_t *length, int count)
{
	ek_matrix *M = rows_of_lengths(ctx, ROWS, cols, first, length);
	int64_t entries = 0;
	eki_columns c;
	eki_slices s;

	expect_status(eki_columns_count(ctx, &M->store, &c), EK_OK);
	assert_int_equal(c.before[c.count], M->store.nnz);
	eki_columns_cut(&c, count, &s);
	assert_in_range(s.count, 1, count);
	assert_int_equal(s.first[0], 0);
	assert_int_equal(s.first[s.count], cols);
	for (int k = 0; k < s.count; k++) {
		int64_t in = 0;

		assert_true(s.first[k] < s.first[k + 1]);
		for (int64_t e = 0; e < M->store.nnz; e++)
			in += eki_col_at(&M->store, e) >= s.first[k] &&
			      eki_col_at(&M->store, e) < s.first[k + 1];
		assert_true(in <= s.entries);
		entries += in;
	}
	assert_int_equal(entries, M->store.nnz);
	eki_columns_free(ctx, &c);
	ek_matrix_destroy(M);
	return s;
}

/* Columns with entries may be few of very many, at their begin, somewhere, or at their end: slices
 * have nearly equal numbers of entries. Among them are rows that have none. */
static void few_of_many(void **state)
{
	static const int64_t cols = INT64_C(1) << 40;
	const int64_t from[] = {0, INT64_C(123456789012), cols - ROWS * EACH};

	(void)state;
	for (int where = 0; where < 3; where++)
		for (int count = 1; count <= 8; count++) {
			int64_t first[ROWS], length[ROWS], nnz = 0;
			eki_slices s;

			for (int i = 0; i < ROWS; i++) {
				first[i] = from[where] + (ROWS - 1 - i) * EACH;
				length[i] = i % 10 == 3 ? 0 : EACH;
				nnz += length[i];
			}
			s = cut(cols, first, length, count);
			assert_int_equal(s.count, count);
			assert_true(s.entries <= nnz / count + EACH);
		}
}

/* One column, and no entries. */
static void one_slice(void **state)
{
	int64_t first[ROWS], length[ROWS] = {0};

	(void)state;
	for (int i = 0; i < ROWS; i++)
		first[i] = 77;
	for (int with = 0; with < 2; with++) {
		eki_slices s = cut(100, first, length, 5);

		assert_int_equal(s.count, 1);
		assert_int_equal(s.entries, with ? ROWS : 0);
		for (int i = 0; i < ROWS; i++)
			length[i] = 1;
	}
}

/* ---- Threads --------------------------------------------------------------------------------- */

static int most_parts; /* most parts of a call of `counting` */

static void counting(void *user, int threads, int parts, void (*part)(void *arg, int part),
                     void *arg)
{
	(void)user;
	(void)threads;
	most_parts = parts > most_parts ? parts : most_parts;
	for (int k = 0; k < parts; k++)
		part(arg, k);
}

/* Checks that the last work was in so many parts, or more. */
static void expect_parts(int least)
{
	assert_true(most_parts >= least);
	most_parts = 0;
}

/* Takes a matrix apart, gives its values back, and puts it together, in so many parts or more. */
static void take_apart(const ek_matrix *M, int least)
{
	const eki_problem problem = {.index = M->store.index};
	const eki_step step = {
		.ctx = ctx, .problem = &problem, .threads = 3, .in = {&M->store, &M->store}};
	const int64_t columns[] = {0, M->store.cols / 3, M->store.cols};
	ek_store part[2], joined = {0};
	ek_matrix *whole;
	size_t bytes;
	void *values = values_copy(M, &bytes);

	for (int k = 0; k < 2; k++) {
		expect_status(eki_slice_make(&step, &M->store, 0, M->store.rows, &columns[k], true,
		                             &part[k]),
		              EK_OK);
		expect_parts(least);
	}
	memset(M->store.array[CSR_VAL], 0, bytes);
	for (int k = 0; k < 2; k++) {
		eki_slice_return(&step, &part[k], 0, columns[k], &M->store);
		expect_parts(least);
	}
	assert_memory_equal(M->store.array[CSR_VAL], values, bytes);
	expect_status(eki_slices_join(&step, part, 2, 1, &joined), EK_OK);
	expect_parts(least);
	expect_status(eki_matrix_from_store(ctx, &joined, &whole), EK_OK);
	assert_null(different_array(whole, M));
	ek_matrix_destroy(whole);
	free(values);
}

/* Threads take few rows at a time if these are long. */
static void long_rows(void **state)
{
	static const struct {
		int64_t rows, length;
		int least;
	} of[] = {{9, 1 << 16, 3}, {100, 1 << 13, 5}, {10000, 2, 3}};

	(void)state;
	ctx->options.parallel = counting;
	for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
		ek_matrix *M = rows_equal(ctx, of[k].rows, of[k].length, of[k].length);

		most_parts = 0;
		take_apart(M, of[k].least);
		ek_matrix_destroy(M);
	}
	ctx->options.parallel = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(few_of_many),
	                                   cmocka_unit_test(one_slice),
	                                   cmocka_unit_test(long_rows)};

	return run_all_tests(tests, context_setup_cut, context_teardown);
}
#endif
