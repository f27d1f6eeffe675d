/* SPDX-License-Identifier: BSD-3-Clause
 * Compares assembly from coordinates, and transposition, with brute force: with one and several
 * threads, entries in order and in random order, duplicates, and all types. */
#include "plan/plan.h"
#include "support/support.h"
#include "support/heap.h"
#include "support/shapes.h"

/* Coordinates of a shape. A stable sort by row, then column, puts entry rank[k] at place k. */
struct coo {
	int64_t nnz, *row, *col, *rank;
	double *val;
};

static void *room(int64_t n, size_t size)
{
	return calloc((size_t)n + 1, size);
}

static const struct coo *sorting;

static int by_place(const void *a, const void *b)
{
	int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
	const struct coo *c = sorting;

	if (c->row[p] != c->row[q])
		return c->row[p] < c->row[q] ? -1 : 1;
	if (c->col[p] != c->col[q])
		return c->col[p] < c->col[q] ? -1 : 1;
	return p < q ? -1 : p > q;
}

/* Makes the coordinates of a shape, in random order if `shuffle`, and twice as many, some of them
 * repeated, if `repeat`. */
static void coo_make(struct coo *c, const struct shape *s, bool shuffle, bool repeat)
{
	struct rng rng = {7};
	int64_t n = 0;

	c->nnz = s->nnz * (repeat ? 2 : 1);
	c->row = room(c->nnz, sizeof *c->row);
	c->col = room(c->nnz, sizeof *c->col);
	c->rank = room(c->nnz, sizeof *c->rank);
	c->val = room(c->nnz, sizeof *c->val);
	for (int64_t i = 0; i < s->rows; i++)
		for (int64_t k = s->ptr[i]; k < s->ptr[i + 1]; k++)
			for (int again = 0; again <= repeat; again++) {
				c->row[n] = i;
				c->col[n] = s->col[again ? s->ptr[i] : k];
				c->val[n] = (double)(n % 1000 + 1);
				n++;
			}
	for (int64_t k = 0; k < c->nnz; k++) {
		int64_t o = shuffle ? k + rng_below(&rng, c->nnz - k) : k;
		int64_t row = c->row[k], col = c->col[k];

		c->row[k] = c->row[o], c->col[k] = c->col[o];
		c->row[o] = row, c->col[o] = col;
		c->rank[k] = k;
	}
	sorting = c;
	qsort(c->rank, (size_t)c->nnz, sizeof *c->rank, by_place);
}

static void coo_free(struct coo *c)
{
	free(c->row);
	free(c->col);
	free(c->rank);
	free(c->val);
}

static void *narrow(const int64_t *from, int64_t n, ek_index index)
{
	void *to = room(n, 8);

	for (int64_t k = 0; k < n; k++)
		if (index == EK_I64)
			((int64_t *)to)[k] = from[k];
		else
			((int32_t *)to)[k] = (int32_t)from[k];
	return to;
}

static void *values(const double *from, int64_t n, ek_value value)
{
	void *to = room(n, 8);

	for (int64_t k = 0; k < n; k++)
		value_set(value, to, k, from[k]);
	return to;
}

static int64_t order_at(const void *order, ek_index index, int64_t k)
{
	return index == EK_I32 ? ((const int32_t *)order)[k] : ((const int64_t *)order)[k];
}

/* Compares the sorted entries of `c`, one by one, with the store. If `order` is not NULL, it must
 * give the position of each entry in the store. */
static void compare(const struct coo *c, unsigned policy, const ek_store *s, const void *order)
{
	int64_t out = -1, row = -1;

	for (int64_t k = 0; k < c->nnz; k++) {
		int64_t e = c->rank[k], last = k ? c->rank[k - 1] : 0;
		bool again = k && c->row[e] == c->row[last] && c->col[e] == c->col[last];
		static double sum;

		sum = again && policy == EK_DUP_SUM ? sum + c->val[e] : c->val[e];
		out += !(again && policy);
		for (; row < c->row[e]; row++)
			assert_int_equal(eki_ptr_at(s, row + 1), out);
		assert_int_equal(eki_col_at(s, out), c->col[e]);
		if (k + 1 == c->nnz || !policy || c->row[c->rank[k + 1]] != c->row[e] ||
		    c->col[c->rank[k + 1]] != c->col[e])
			assert_true(eki_val_at(s, out) == sum);
		if (order && policy != EK_DUP_LAST)
			assert_int_equal(order_at(order, s->index, e), out);
	}
	for (; row < s->rows; row++)
		assert_int_equal(eki_ptr_at(s, row + 1), out + 1);
	assert_int_equal(s->nnz, out + 1);
}

static bool has_repeats(const struct coo *c)
{
	for (int64_t k = 1; k < c->nnz; k++)
		if (c->row[c->rank[k]] == c->row[c->rank[k - 1]] &&
		    c->col[c->rank[k]] == c->col[c->rank[k - 1]])
			return true;
	return false;
}

static void check_assembly(const struct coo *c, const struct shape *s, ek_value value,
                           ek_index index, int threads)
{
	static const unsigned policies[] = {0, EK_DUP_SUM, EK_DUP_LAST, EK_DUP_ERROR};
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context_cut(&heap, threads, 0);
	void *row = narrow(c->row, c->nnz, index), *col = narrow(c->col, c->nnz, index);
	void *val = values(c->val, c->nnz, value);
	bool repeats = has_repeats(c);

	for (int k = 0; k < 8; k++) {
		unsigned policy = policies[k / 2];
		ek_store out = {0};
		void *order = NULL;
		ek_status status = eki_assemble(ctx, value, index, s->rows, s->cols, c->nnz, row,
		                                col, val, policy, &out, k & 1 ? &order : NULL);

		if (policy == EK_DUP_ERROR && repeats) {
			expect_error(status, EK_ERANGE, "repeats row");
			continue;
		}
		expect_status(status, EK_OK);
		expect_status(out.format->check(ctx, &out), EK_OK);
		compare(c, policy, &out, order);
		eki_store_free(ctx, &out);
		eki_free(ctx, order, c->nnz, eki_ptr_size(index));
	}
	free(row);
	free(col);
	free(val);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

static void test_assemble(void **state)
{
	static const int threads[] = {1, 2, 3, 7};
	int count = shape_count(), turn = 0;

	(void)state;
	for (int k = 0; k < count; k++) {
		struct shape s;

		shape_make(&s, k, DATA_EXACT);
		for (int mode = 0; mode < 4; mode++, turn++) {
			struct coo c;

			if (s.nnz > 50000 && mode != k % 4)
				continue;
			coo_make(&c, &s, mode & 1, mode / 2);
			check_assembly(&c, &s, turn & 1 ? EK_F32 : EK_F64, (ek_index)(1 + turn % 3),
			               threads[(turn + turn / 4) % 4]);
			coo_free(&c);
		}
		shape_free(&s);
	}
}

/* ---- Transposition --------------------------------------------------------------------------- */

static void check_transpose(const struct shape *s, const struct shape *expected, ek_value value,
                            ek_index index, int threads)
{
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context_cut(&heap, threads, 0);
	struct typed t;
	ek_store in, out;
	ek_matrix *A;
	void *from = NULL;

	typed_make(&t, s, value, index, threads & 1);
	expect_status(typed_csr(ctx, &t, EK_BORROW, &A), EK_OK);
	in = A->store;
	for (int with = 0; with < 2; with++) {
		expect_status(eki_transpose(ctx, &in, &out, with ? &from : NULL), EK_OK);
		expect_status(out.format->check(ctx, &out), EK_OK);
		assert_int_equal(out.rows, s->cols);
		assert_int_equal(out.cols, s->rows);
		assert_int_equal(out.nnz, s->nnz);
		for (int64_t j = 0; j <= out.rows; j++)
			assert_int_equal(eki_ptr_at(&out, j), expected->ptr[j]);
		for (int64_t k = 0; k < out.nnz; k++) {
			assert_int_equal(eki_col_at(&out, k), expected->col[k]);
			assert_true(eki_val_at(&out, k) == expected->val[k]);
			if (with)
				assert_true(eki_val_at(&in, order_at(from, index, k)) ==
				            expected->val[k]);
		}
		eki_store_free(ctx, &out);
	}
	eki_free(ctx, from, s->nnz, eki_ptr_size(index));
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	typed_free(&t);
	heap_close(&heap);
}

static void test_transpose(void **state)
{
	static const int threads[] = {1, 2, 3, 7};
	int count = shape_count();

	(void)state;
	for (int k = 0; k < count; k++) {
		struct shape s, o;

		shape_make(&s, k, DATA_EXACT);
		shape_transpose(&s, &o);
		for (int t = 0; t < 4; t++)
			check_transpose(&s, &o, (k + t) & 1 ? EK_F32 : EK_F64,
			                (ek_index)(1 + (k + t) % 3), threads[t]);
		shape_free(&s);
		shape_free(&o);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_assemble),
		cmocka_unit_test(test_transpose),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
