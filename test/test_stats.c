/* SPDX-License-Identifier: BSD-3-Clause
 * Compares statistics with brute force over sorted triples, for awkward shapes as CSR and as CSC,
 * all symmetries, unsorted rows and duplicates. All numbers of threads must give the same bits. */
#include <math.h>

#include "plan/plan.h"
#include "support/support.h"
#include "support/heap.h"
#include "support/shapes.h"

/* ---- The reference --------------------------------------------------------------------------- */

struct triple {
	int64_t i, j;
	double v;
};

static int by_place(const void *a, const void *b)
{
	const struct triple *p = a, *q = b;

	return p->i != q->i ? (p->i < q->i ? -1 : 1) : p->j < q->j ? -1 : p->j > q->j;
}

static int by_size(const void *a, const void *b)
{
	int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;

	return p < q ? -1 : p > q;
}

static void row_reference(const struct shape *s, ek_stats *r)
{
	int64_t *length = calloc((size_t)s->rows + 1, sizeof *length);
	double squares = 0;

	r->row_mean = s->rows ? (double)s->nnz / (double)s->rows : 0;
	for (int64_t i = 0; i < s->rows; i++) {
		int64_t n = length[i] = s->ptr[i + 1] - s->ptr[i], bin = 0;

		while (n >> bin)
			bin++;
		r->histogram[bin]++;
		r->empty_rows += n == 0;
		squares += ((double)n - r->row_mean) * ((double)n - r->row_mean);
	}
	qsort(length, (size_t)s->rows, sizeof *length, by_size);
	if (s->rows) {
		r->row_min = length[0];
		r->row_max = length[s->rows - 1];
		r->row_median = length[(s->rows - 1) / 2];
		r->row_stddev = sqrt(squares / (double)s->rows);
	}
	free(length);
}

/* Returns the value of ek_stats.symmetric for n sorted triples without duplicates. */
static int symmetry(const struct triple *t, int64_t n)
{
	bool same = true, opposite = true;

	for (int64_t k = 0; k < n; k++) {
		struct triple key = {t[k].j, t[k].i, 0};
		const struct triple *mirror = bsearch(&key, t, (size_t)n, sizeof *t, by_place);

		if (!mirror)
			return 0;
		same &= mirror->v == t[k].v;
		opposite &= mirror->v == -t[k].v;
	}
	return same ? 1 : opposite ? 3 : 2;
}

static void reference(const struct shape *s, ek_stats *r)
{
	struct triple *t = calloc((size_t)s->nnz + 1, sizeof *t);
	char *seen = calloc((size_t)s->cols + 1, 1);
	int64_t n = 0;

	*r = (ek_stats){.size = sizeof *r, .rows = s->rows, .cols = s->cols, .nnz = s->nnz};
	row_reference(s, r);
	for (int64_t i = 0; i < s->rows; i++)
		for (int64_t k = s->ptr[i]; k < s->ptr[i + 1]; k++) {
			t[k] = (struct triple){i, s->col[k], s->val[k]};
			seen[s->col[k]] = 1;
			r->diagonal += s->col[k] == i;
			if (i - s->col[k] > r->lower_bandwidth)
				r->lower_bandwidth = i - s->col[k];
			if (s->col[k] - i > r->upper_bandwidth)
				r->upper_bandwidth = s->col[k] - i;
		}
	for (int64_t j = 0; j < s->cols; j++)
		r->empty_cols += !seen[j];
	qsort(t, (size_t)s->nnz, sizeof *t, by_place);
	for (int64_t k = 0; k < s->nnz; k++)
		if (n > 0 && by_place(&t[n - 1], &t[k]) == 0)
			t[n - 1].v += t[k].v;
		else
			t[n++] = t[k];
	r->duplicates = s->nnz - n;
	r->symmetric = s->rows == s->cols ? symmetry(t, n) : 0;
	free(seen);
	free(t);
}

static int ascends(const struct shape *s)
{
	for (int64_t i = 0; i < s->rows; i++)
		for (int64_t k = s->ptr[i] + 1; k < s->ptr[i + 1]; k++)
			if (s->col[k - 1] > s->col[k])
				return 0;
	return 1;
}

static void same_stats(const char *name, const ek_stats *got, const ek_stats *wanted)
{
	/* All members except the last have 8 bytes, so there is no padding. */
	static const char *const member[] = {
		"size",       "rows",       "cols",       "nnz",
		"row_min",    "row_max",    "row_mean",   "row_stddev",
		"row_median", "empty_rows", "empty_cols", "lower",
		"upper",      "diagonal",   "duplicates", "sorted, symmetric"};
	enum { MEMBERS = sizeof member / sizeof *member };
	ek_stats a = *wanted;

	if (fabs(got->row_stddev - a.row_stddev) <= 1e-12 * a.row_stddev)
		a.row_stddev = got->row_stddev;
	for (int k = 0; k < MEMBERS; k++)
		if (memcmp((const char *)got + 8 * k, (const char *)&a + 8 * k, 8) != 0)
			fail_msg("%s: %s is wrong", name, member[k]);
	assert_memory_equal(got->histogram, a.histogram, sizeof a.histogram);
}

/* Checks the shape as CSR and as CSC, which must give the same statistics, except for `sorted`. */
static void check_shape(ek_context *ctx, const struct shape *s, ek_value value, ek_index index)
{
	ek_stats wanted, got = {.size = sizeof got};
	struct shape turned;
	struct typed t;
	ek_matrix *A;

	reference(s, &wanted);
	wanted.sorted = ascends(s);
	typed_make(&t, s, value, index, 1);
	expect_status(typed_csr(ctx, &t, EK_BORROW, &A), EK_OK);
	expect_status(ek_matrix_stats(A, &got), EK_OK);
	same_stats(s->name, &got, &wanted);
	ek_matrix_destroy(A);
	typed_free(&t);

	shape_transpose(s, &turned);
	wanted.sorted = ascends(&turned);
	typed_make(&t, &turned, value, index, 0);
	expect_status(typed_csc(ctx, &t, EK_BORROW, &A), EK_OK);
	expect_status(ek_matrix_stats(A, &got), EK_OK);
	same_stats(s->name, &got, &wanted);
	ek_matrix_destroy(A);
	typed_free(&t);
	shape_free(&turned);
}

/* ---- Matrices -------------------------------------------------------------------------------- */

enum { NONE, EQUAL, PATTERN, SKEW, KINDS };

/* Makes an n x n shape with symmetry `kind`, from `entries` random entries. `messy` shuffles rows
 * and splits some entries into two at the same place. */
static void square(struct shape *s, int64_t n, int entries, int kind, bool diagonal, bool messy)
{
	struct rng rng = {(uint64_t)(n * 31 + kind)};
	double *dense = calloc((size_t)(n * n), sizeof *dense);

	*s = (struct shape){.rows = n, .cols = n};
	snprintf(s->name, sizeof s->name, "square:%d kind %d diagonal %d messy %d", (int)n, kind,
	         diagonal, messy);
	for (int e = 0; e < entries; e++) {
		int64_t i = rng_below(&rng, n), j = rng_below(&rng, n);

		if (i == j && (!diagonal || kind == SKEW))
			continue;
		dense[i * n + j] = rng_integer(&rng, 50);
		if (kind != NONE && i != j)
			dense[j * n + i] = kind == EQUAL  ? dense[i * n + j]
			                   : kind == SKEW ? -dense[i * n + j]
			                                  : rng_integer(&rng, 50);
	}
	s->ptr = calloc((size_t)n + 1, sizeof *s->ptr);
	s->col = calloc((size_t)(2 * n * n) + 1, sizeof *s->col);
	s->val = calloc((size_t)(2 * n * n) + 1, sizeof *s->val);
	s->val2 = calloc((size_t)(2 * n * n) + 1, sizeof *s->val2);
	for (int64_t i = 0; i < n; i++) {
		for (int64_t k = 0; k < n; k++) {
			int64_t j = messy ? (k * 7 + i) % n : k;
			bool twice = messy && (i + j) % 5 == 0;

			for (int part = 0; dense[i * n + j] != 0 && part <= twice; part++) {
				s->col[s->nnz] = j;
				s->val[s->nnz++] =
					twice && part == 0 ? 3 : dense[i * n + j] - 3 * twice;
			}
		}
		s->ptr[i + 1] = s->nnz;
	}
	free(dense);
}

static void test_shapes(void **state)
{
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	int count = shape_count();

	(void)state;
	for (int k = 0; k < count; k++) {
		struct shape s;

		shape_make(&s, k, DATA_EXACT);
		check_shape(ctx, &s, k % 2 ? EK_F32 : EK_F64, (ek_index)(EK_I32 + k % 3));
		shape_free(&s);
	}
	ek_context_destroy(ctx);
	heap_close(&heap);
}

static void test_symmetry(void **state)
{
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 3, 0);
	int seen[4] = {0};

	(void)state;
	for (int kind = 0; kind < KINDS; kind++)
		for (int form = 0; form < 4; form++)
			for (int64_t n = 1; n < 45; n += 11) {
				struct shape s;
				ek_stats r;

				square(&s, n, (int)(4 * n), kind, form & 1, form & 2);
				reference(&s, &r);
				seen[r.symmetric]++;
				check_shape(ctx, &s, EK_F64, EK_I32);
				check_shape(ctx, &s, EK_F32, EK_I64);
				shape_free(&s);
			}
	for (int k = 0; k < 4; k++)
		assert_true(seen[k] > 3);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

/* Tests NaN, which equals nothing, not even itself. */
static void test_nan(void **state)
{
	int32_t ptr[] = {0, 2, 4}, col[] = {0, 1, 0, 1};
	double val[] = {1, 2, 2, 1};
	ek_stats s = {.size = sizeof s};
	ek_context *ctx = NULL;
	ek_matrix *A;

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 2, 2, ptr, col, val, EK_BORROW, &A),
	              EK_OK);
	expect_status(ek_matrix_stats(A, &s), EK_OK);
	assert_int_equal(s.symmetric, 1);
	val[3] = (double)NAN;
	expect_status(ek_matrix_stats(A, &s), EK_OK);
	assert_int_equal(s.symmetric, 2);
	val[1] = (double)NAN;
	expect_status(ek_matrix_stats(A, &s), EK_OK);
	assert_int_equal(s.symmetric, 2);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
}

/* Checks that threads do not change the bits of statistics and features of large matrices. */
static void test_threads(void **state)
{
	static const char *const spec[] = {
		"powerlaw:rows=90000,cols=80000", "poisson2d5:nx=200,ny=210,values=integer",
		"circuit:n=60000,longest=50000", "emptyrows:rows=70000,cols=300000"};
	int count[MAX_COUNTS], counts = test_counts(count);

	(void)state;
	for (size_t k = 0; k < sizeof spec / sizeof *spec; k++) {
		ek_stats first, s;
		eki_features ours, f;

		for (int c = 0; c < counts; c++) {
			ek_options options = {.size = sizeof options, .threads = count[c]};
			ek_context *ctx = NULL;
			ek_matrix *A;

			memset(&s, 0, sizeof s);
			memset(&f, 0, sizeof f);
			s.size = sizeof s;
			expect_status(ek_context_create(&options, &ctx), EK_OK);
			expect_status(ek_matrix_generate(ctx, spec[k], EK_F64, EK_I32, &A), EK_OK);
			expect_status(ek_matrix_stats(A, &s), EK_OK);
			expect_status(eki_row_stats(ctx, &A->store, &f), EK_OK);
			if (c == 0) {
				first = s;
				ours = f;
			}
			assert_memory_equal(&s, &first, sizeof s);
			assert_memory_equal(&f, &ours, sizeof f);
			ek_matrix_destroy(A);
			ek_context_destroy(ctx);
		}
	}
}

static void test_row_stats(void **state)
{
	ek_context *ctx = NULL;
	int count = shape_count();

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	for (int k = 0; k < count; k++) {
		struct shape s;
		struct typed t;
		ek_stats r = {0};
		eki_features f;
		ek_matrix *A;
		int64_t few = 0, changes = 0;

		shape_make(&s, k, DATA_EXACT);
		typed_make(&t, &s, EK_F64, EK_I64, 1);
		expect_status(typed_csr(ctx, &t, EK_BORROW, &A), EK_OK);
		row_reference(&s, &r);
		memset(&f, 0xff, sizeof f);
		expect_status(eki_row_stats(ctx, &A->store, &f), EK_OK);
		for (int64_t i = 0; i < s.rows; i++) {
			int64_t n = s.ptr[i + 1] - s.ptr[i];

			few += n <= 8;
			changes += i > 0 && n != s.ptr[i] - s.ptr[i - 1];
		}
		assert_true(fabs(f.short_share * (double)s.rows - (double)few) < 0.01);
		assert_true(fabs(f.mixed_share * (double)s.rows - (double)changes) < 0.01);
		assert_int_equal(f.stats.row_min, r.row_min);
		assert_int_equal(f.stats.row_max, r.row_max);
		assert_int_equal(f.stats.empty_rows, r.empty_rows);
		ek_matrix_destroy(A);
		typed_free(&t);
		shape_free(&s);
	}
	ek_context_destroy(ctx);
}

static void test_refusals(void **state)
{
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	struct shape s;
	struct typed t;
	ek_matrix *A;

	(void)state;
	square(&s, 30, 100, EQUAL, true, true);
	typed_make(&t, &s, EK_F64, EK_I32, 1);
	for (int columns = 0; columns < 2; columns++) {
		ek_stats got = {.size = sizeof got}, before = {.size = 3};
		ek_status status = EK_ENOMEM;

		expect_status((columns ? typed_csc : typed_csr)(ctx, &t, EK_BORROW, &A), EK_OK);
		for (long n = 0; status != EK_OK; n++) {
			heap_fail(&heap, n, false);
			status = ek_matrix_stats(A, &got);
			heap_fail(&heap, -1, false);
			if (status != EK_OK)
				assert_int_equal(status, EK_ENOMEM);
			assert_true((got.nnz == 0) == (status != EK_OK));
		}
		expect_error(ek_matrix_stats(A, NULL), EK_EINVAL, "stats");
		expect_error(ek_matrix_stats(A, &before), EK_EINVAL, "stats.size is 3");
		expect_error(ek_matrix_stats(NULL, &got), EK_EINVAL, "A is NULL");
		ek_matrix_destroy(A);
	}
	typed_free(&t);
	shape_free(&s);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),    cmocka_unit_test(test_symmetry),
		cmocka_unit_test(test_nan),       cmocka_unit_test(test_threads),
		cmocka_unit_test(test_row_stats), cmocka_unit_test(test_refusals),
	};

	(void)argc;
	test_passive_threads(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
