/* SPDX-License-Identifier: BSD-3-Clause
 * Compares the division of work between threads with a walk in single steps, on all shapes. */
#include "plan/plan.h"
#include "support/support.h"
#include "support/shapes.h"

static const int parts_list[] = {1, 2, 3, 4, 7, 16, 63};

static ek_store store_of(const struct typed *t)
{
	return (ek_store){.format = &ek_format_csr,
	                  .value = t->value,
	                  .index = t->index,
	                  .rows = t->rows,
	                  .cols = t->cols,
	                  .nnz = t->nnz,
	                  .array = {t->ptr, t->idx, t->val},
	                  .len = {t->rows + 1, t->nnz, t->nnz},
	                  .borrowed = ~0u};
}

/* Calls fn with every shape in two index types. */
static void for_shapes(void (*fn)(const ek_store *, const struct shape *))
{
	int count = shape_count();

	for (int k = 0; k < count; k++)
		for (int index = EK_I32; index <= EK_I64_32; index++) {
			struct shape s;
			struct typed t;
			ek_store store;

			shape_make(&s, k, DATA_EXACT);
			typed_make(&t, &s, EK_F32, (ek_index)index, 1);
			store = store_of(&t);
			fn(&store, &s);
			typed_free(&t);
			shape_free(&s);
		}
}

static void check_row_of(const ek_store *store, const struct shape *s)
{
	for (int64_t i = 0; i < s->rows; i++)
		for (int64_t k = s->ptr[i]; k < s->ptr[i + 1]; k++)
			if (eki_row_of(store, k) != i)
				fail_msg("%s: entry %lld lies in row %lld, not %lld", s->name,
				         (long long)k, (long long)i,
				         (long long)eki_row_of(store, k));
}

static void test_row_of(void **state)
{
	(void)state;
	for_shapes(check_row_of);
}

/* Compares eki_merge_search with a walk along the merge path, on which a row ends as soon as all
 * its entries are used. */
static void check_merge(const ek_store *store, const struct shape *s)
{
	int64_t row = 0, entry = 0;

	for (int64_t d = 0; d <= s->rows + s->nnz; d++) {
		int64_t r, e;

		eki_merge_search(store, d, &r, &e);
		if (r != row || e != entry)
			fail_msg("%s: diagonal %lld cuts at row %lld, entry %lld, not %lld, %lld",
			         s->name, (long long)d, (long long)row, (long long)entry,
			         (long long)r, (long long)e);
		if (row < s->rows && s->ptr[row + 1] <= entry)
			row++;
		else
			entry++;
	}
}

static void test_merge_search(void **state)
{
	(void)state;
	for_shapes(check_merge);
}

static void check_rows(const ek_store *store, const struct shape *s)
{
	int64_t longest = 0, bound[64];

	for (int64_t i = 0; i < s->rows; i++)
		if (s->ptr[i + 1] - s->ptr[i] > longest)
			longest = s->ptr[i + 1] - s->ptr[i];
	for (size_t k = 0; k < sizeof parts_list / sizeof *parts_list; k++) {
		int parts = parts_list[k];
		int64_t most = (s->rows + s->nnz) / parts + 1 + longest + 1;

		memset(bound, 0xff, sizeof bound);
		eki_partition_rows(store, parts, bound);
		assert_int_equal(bound[0], 0);
		assert_int_equal(bound[parts], s->rows);
		for (int p = 0; p < parts; p++) {
			int64_t begin = bound[p], end = bound[p + 1];

			assert_true(begin <= end);
			if (s->ptr[end] - s->ptr[begin] + end - begin > most)
				fail_msg("%s: part %d of %d has rows %lld to %lld", s->name, p,
				         parts, (long long)begin, (long long)end);
		}
	}
}

static void test_partition_rows(void **state)
{
	(void)state;
	for_shapes(check_rows);
}

/* Checks parts of the merge path: each entry is in one part, each row ends in one part, and all
 * parts have equal work. */
static void check_path_parts(const ek_store *store, const struct shape *s)
{
	for (size_t k = 0; k < sizeof parts_list / sizeof *parts_list; k++) {
		int parts = parts_list[k];
		int64_t work = s->rows + s->nnz, row = 0, entry = 0;

		for (int p = 1; p <= parts; p++) {
			int64_t r, e;

			eki_merge_search(store, eki_cut(work, parts, p), &r, &e);
			assert_true(r >= row && e >= entry);
			assert_in_range(r - row + e - entry, work / parts, work / parts + 1);
			row = r;
			entry = e;
		}
		assert_int_equal(row, s->rows);
		assert_int_equal(entry, s->nnz);
	}
}

static void test_path_parts(void **state)
{
	(void)state;
	for_shapes(check_path_parts);
}

static void test_cut(void **state)
{
	static const int64_t n[] = {0, 1, 2, 6, 7, 8, 100, INT64_MAX};

	(void)state;
	for (size_t k = 0; k < sizeof n / sizeof *n; k++)
		for (int parts = 1; parts <= 64; parts++) {
			assert_int_equal(eki_cut(n[k], parts, 0), 0);
			assert_int_equal(eki_cut(n[k], parts, parts), n[k]);
			for (int p = 0; p < parts; p++)
				assert_in_range(eki_cut(n[k], parts, p + 1) -
				                        eki_cut(n[k], parts, p),
				                n[k] / parts, n[k] / parts + (n[k] % parts != 0));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_row_of),
		cmocka_unit_test(test_merge_search),
		cmocka_unit_test(test_partition_rows),
		cmocka_unit_test(test_path_parts),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
