/* SPDX-License-Identifier: BSD-3-Clause
 * Tests aggregates of rows and smoothed prolongators: properties of aggregates, all values of P by
 * another computation, the same bits for all types of indices, forms of A and numbers of threads,
 * refused arguments, and failing allocations. */
#include <math.h>

#include "plan/plan.h"
#include "support/exhaust.h"
#include "support/sparse.h"
#include "support/support.h"

static struct rng draw;

/* Makes a symmetric pattern of n rows with about `most` off-diagonal entries in a row, some of them
 * 0, and a diagonal larger than their sum. Every seventh row has only its diagonal. */
static void symmetric(struct shape *s, int64_t n, int64_t most)
{
	double *dense = calloc((size_t)(n * n + 1), sizeof *dense);

	for (int64_t k = 0; k < n * most / 2; k++) {
		const int64_t i = rng_below(&draw, n), j = rng_below(&draw, n);

		if (i != j && i % 7 && j % 7)
			dense[i * n + j] = dense[j * n + i] =
				rng_below(&draw, 4) ? -rng_real(&draw, 3) : 1e-300;
	}
	*s = (struct shape){.name = "symmetric", .rows = n, .cols = n};
	s->ptr = calloc((size_t)n + 1, sizeof *s->ptr);
	s->col = calloc((size_t)(n * n + 1), sizeof *s->col);
	s->val = calloc((size_t)(n * n + 1), sizeof *s->val);
	s->val2 = calloc((size_t)(n * n + 1), sizeof *s->val2);
	for (int64_t i = 0; i < n; i++) {
		dense[i * n + i] = 1;
		for (int64_t j = 0; j < n; j++)
			dense[i * n + i] += j == i ? 0 : fabs(dense[i * n + j]);
		for (int64_t j = 0; j < n; j++)
			if (dense[i * n + j] != 0) {
				s->col[s->nnz] = j;
				s->val[s->nnz++] =
					dense[i * n + j] == 1e-300 ? 0 : dense[i * n + j];
			}
		s->ptr[i + 1] = s->nnz;
	}
	free(dense);
}

static double at(const struct shape *s, int64_t i, int64_t j)
{
	for (int64_t k = s->ptr[i]; k < s->ptr[i + 1]; k++)
		if (s->col[k] == j)
			return s->val[k];
	return 0;
}

static bool is_strong(const struct shape *s, double strength, int64_t i, int64_t k)
{
	const int64_t j = s->col[k];
	const double root = sqrt(at(s, i, i)) * sqrt(at(s, j, j));

	return j != i && s->val[k] != 0 && fabs(s->val[k]) >= strength * root;
}

static ek_view view_of(const ek_matrix *M, const char *name)
{
	ek_view view = {.size = sizeof view};

	expect_status(ek_matrix_array(M, name, &view), EK_OK);
	return view;
}

static int64_t int_of(const ek_matrix *M, const char *name, int64_t k)
{
	const ek_view v = view_of(M, name);

	return (int64_t)value_at(v.type, v.data, k);
}

/* ---- Aggregates ------------------------------------------------------------------------------ */

/* Reads the aggregate of each row from T, and checks that rows of T have at most one entry, 1. */
static int64_t *aggregates_of(const ek_matrix *T, int64_t *count)
{
	ek_matrix_info info = {.size = sizeof info};

	expect_status(ek_matrix_get_info(T, &info), EK_OK);
	assert_string_equal(info.format, "csr");
	assert_int_equal(ek_matrix_check(T), EK_OK);
	int64_t *of = calloc((size_t)info.rows + 1, sizeof *of);

	for (int64_t i = 0; i < info.rows; i++) {
		const int64_t begin = int_of(T, "row_ptr", i), end = int_of(T, "row_ptr", i + 1);

		assert_true(end - begin == 0 || end - begin == 1);
		of[i] = end > begin ? int_of(T, "col_idx", begin) : -1;
		assert_true(end == begin || int_of(T, "val", begin) == 1);
	}
	*count = info.cols;
	return of;
}

/* Checks what holds for every aggregation: only rows with strong neighbours have an aggregate; each
 * member has a strong neighbour in it; aggregates are numbered by their first rows. */
static void check_aggregates(const struct shape *s, double strength, const int64_t *of,
                             int64_t count)
{
	int64_t next = 0;
	int64_t *size = calloc((size_t)count + 1, sizeof *size);

	for (int64_t i = 0; i < s->rows; i++) {
		bool coupled = false, near = false;

		for (int64_t k = s->ptr[i]; k < s->ptr[i + 1]; k++)
			if (is_strong(s, strength, i, k)) {
				coupled = true;
				near |= of[s->col[k]] == of[i];
			}
		assert_int_equal(of[i] >= 0, coupled);
		if (of[i] < 0)
			continue;
		assert_true(near);
		assert_true(of[i] <= next);
		next += of[i] == next;
		size[of[i]]++;
	}
	assert_int_equal(next, count);
	for (int64_t g = 0; g < count; g++)
		assert_true(size[g] >= 2);
	free(size);
}

/* ---- Prolongators ---------------------------------------------------------------------------- */

/* Computes entry (i, g) of P by its definition, and the magnitude of its terms. */
static double entry_of(const struct shape *s, double strength, double step, const double *d,
                       const int64_t *of, int64_t i, int64_t g, double *size)
{
	double sum = 0;

	*size = of[i] == g;
	for (int64_t k = s->ptr[i]; k < s->ptr[i + 1]; k++) {
		const int64_t j = s->col[k];

		if (of[j] == g && (j == i || is_strong(s, strength, i, k))) {
			const double a = (j == i ? d[i] : s->val[k]) / d[i] * step;

			sum -= a;
			*size += fabs(a);
		}
	}
	return (of[i] == g) + sum;
}

static void check_prolongator(const struct shape *s, const ek_aggregation *o, ek_value value,
                              const int64_t *of, int64_t count, const ek_matrix *P)
{
	const double u = value == EK_F32 ? 0x1p-23 : 0x1p-48;
	const ek_view val = view_of(P, "val");
	double *d = calloc((size_t)s->rows + 1, sizeof *d), bound = 1, size;

	for (int64_t i = 0; i < s->rows; i++) {
		double others = 0;

		d[i] = at(s, i, i);
		for (int64_t k = s->ptr[i]; k < s->ptr[i + 1]; k++)
			if (is_strong(s, o->strength, i, k))
				others += fabs(s->val[k]);
			else if (s->col[k] != i)
				d[i] += s->val[k];
		bound = fmax(bound, 1 + others / fabs(d[i]));
	}
	const double step = (o->omega ? o->omega : 4.0 / 3) / bound;

	assert_int_equal(ek_matrix_check(P), EK_OK);
	for (int64_t i = 0; i < s->rows; i++) {
		int64_t k = int_of(P, "row_ptr", i);
		const int64_t end = int_of(P, "row_ptr", i + 1);

		for (int64_t g = 0; g < count; g++) {
			const double p = entry_of(s, o->strength, step, d, of, i, g, &size);

			if (k < end && int_of(P, "col_idx", k) == g)
				assert_true(fabs(value_at(val.type, val.data, k++) - p) <=
				            u * size);
			else
				assert_true(size == 0);
		}
		assert_int_equal(k, end);
	}
	free(d);
}

static void check_both(const struct shape *s, const ek_aggregation *o, ek_value value,
                       const ek_matrix *T, const ek_matrix *P)
{
	int64_t count, *of = aggregates_of(T, &count);

	check_aggregates(s, o->strength, of, count);
	check_prolongator(s, o, value, of, count, P);
	free(of);
}

/* ---- Random matrices ------------------------------------------------------------------------- */

static void same_bits(const ek_matrix *M, const ek_matrix *first, const char *name)
{
	const ek_view a = view_of(M, name), b = view_of(first, name);

	assert_int_equal(a.len, b.len);
	for (int64_t e = 0; e < a.len; e++)
		assert_true(value_at(a.type, a.data, e) == value_at(b.type, b.data, e));
}

/* Checks a matrix in CSR and CSC, with all types of indices and some numbers of threads. */
static void check_matrix(const struct shape *s, const ek_aggregation *o, ek_value value)
{
	static struct heap heap = HEAP_INIT;
	ek_context *first_ctx = NULL;
	ek_matrix *T1 = NULL, *P1 = NULL;

	for (int turn = 0; turn < 6; turn++) {
		ek_context *ctx = heap_context_cut(&heap, 1 + turn % 4, 0);
		struct typed typed;
		ek_matrix *A, *T, *P;

		/* the matrix is symmetric, so its arrays are those of its transpose */
		typed_make(&typed, s, value, (ek_index)(1 + turn % 3), turn & 1);
		expect_status((turn & 1 ? typed_csc : typed_csr)(ctx, &typed, 0, &A), EK_OK);
		expect_status(ek_aggregate(A, o, &T), EK_OK);
		expect_status(ek_prolongator(A, o, &P), EK_OK);
		if (!T1) {
			check_both(s, o, value, T, P);
			T1 = T;
			P1 = P;
			first_ctx = ctx;
		} else {
			same_bits(T, T1, "col_idx");
			same_bits(P, P1, "row_ptr");
			same_bits(P, P1, "col_idx");
			same_bits(P, P1, "val");
			ek_matrix_destroy(T);
			ek_matrix_destroy(P);
		}
		ek_matrix_destroy(A);
		typed_free(&typed);
		if (ctx != first_ctx)
			ek_context_destroy(ctx);
	}
	ek_matrix_destroy(T1);
	ek_matrix_destroy(P1);
	ek_context_destroy(first_ctx);
	heap_close(&heap);
}

static void test_random(void **state)
{
	static const int64_t size[] = {0, 1, 2, 8, 30, 120};

	(void)state;
	for (int k = 0; k < 24; k++) {
		const ek_aggregation o = {
			.size = sizeof o, .strength = 0.02 * (k % 3), .omega = k & 4 ? 1 : 0};
		struct shape s;

		symmetric(&s, size[k % 6], 1 + k % 9);
		if (k & 1) /* values that are exact in both types */
			for (int64_t e = 0; e < s.nnz; e++)
				s.val[e] = (double)(float)s.val[e];
		check_matrix(&s, &o, k & 1 ? EK_F32 : EK_F64);
		shape_free(&s);
	}
}

/* ---- Known cases ----------------------------------------------------------------------------- */

/* Tests a path of rows, where most aggregates have three rows. */
static void test_path(void **state)
{
	enum { N = 9 };
	static int32_t ptr[N + 1], col[3 * N];
	static double val[3 * N];
	ek_context *ctx;
	ek_matrix *A, *P;
	int32_t k = 0;

	(void)state;
	for (int i = 0; i < N; i++) {
		for (int j = i ? i - 1 : 0; j <= i + 1 && j < N; j++) {
			col[k] = j;
			val[k++] = i == j ? 2 : -1;
		}
		ptr[i + 1] = k;
	}
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, N, N, ptr, col, val, 0, &A), EK_OK);
	expect_status(ek_prolongator(A, NULL, &P), EK_OK);
	for (int g = 0; g < 3; g++)
		for (int i = 0; i < N; i++) {
			/* aggregates {0, 1}, {2, 3, 4}, {5, 6, 7}; row 8 joins the last */
			double p;

			expect_status(ek_matrix_get(P, i, g, &p), EK_OK);
			assert_true(g != 1 || i < 1 || i > 3 || fabs(p - i / 3.0) < 1e-15);
		}
	ek_matrix_destroy(A);
	ek_matrix_destroy(P);
	ek_context_destroy(ctx);
}

static void test_arguments(void **state)
{
	static const int32_t ptr[] = {0, 2, 4, 6}, col[] = {0, 1, 0, 1, 0, 2};
	static double val[] = {2, -1, -1, 2, 1, 0};
	ek_aggregation o = {.size = sizeof o};
	ek_context *ctx;
	ek_matrix *A, *wide, *out = NULL;

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 3, ptr, col, val, 0, &A), EK_OK);
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 2, 3, ptr, col, val, 0, &wide),
	              EK_OK);
	expect_error(ek_aggregate(NULL, NULL, &out), EK_EINVAL, "A is NULL");
	expect_error(ek_aggregate(A, NULL, NULL), EK_EINVAL, "T, where the result goes, is NULL");
	expect_error(ek_prolongator(A, NULL, NULL), EK_EINVAL, "P, where the result goes, is NULL");
	expect_error(ek_aggregate(wide, NULL, &out), EK_EINVAL,
	             "A is 2 x 3; a square matrix is expected");
	expect_error(ek_aggregate(A, NULL, &out), EK_EINVAL,
	             "row 2 of A, from 0, has the diagonal 0; it must be finite and not 0");
	val[5] = INFINITY;
	expect_error(ek_prolongator(A, NULL, &out), EK_EINVAL, "row 2 of A, from 0");
	val[5] = -1;
	o.strength = 0.9;
	expect_error(ek_prolongator(A, &o, &out), EK_EINVAL,
	             "row 2 of A, from 0, has the diagonal 0 when its weak entries are added");
	o.strength = -1;
	expect_error(ek_aggregate(A, &o, &out), EK_EINVAL, "options.strength is -1");
	o.strength = NAN;
	expect_error(ek_aggregate(A, &o, &out), EK_EINVAL, "options.strength is nan");
	o = (ek_aggregation){.size = sizeof o, .omega = 2};
	expect_error(ek_prolongator(A, &o, &out), EK_EINVAL, "options.omega is 2");
	assert_null(out);
	ek_matrix_destroy(A);
	ek_matrix_destroy(wide);
	ek_context_destroy(ctx);
}

/* ---- Failing allocations --------------------------------------------------------------------- */

static ek_status aggregate(struct exhaust *e)
{
	return ek_aggregate(e->arg, NULL, (ek_matrix **)&e->out);
}

static ek_status prolong(struct exhaust *e)
{
	return ek_prolongator(e->arg, NULL, (ek_matrix **)&e->out);
}

static void destroy(struct exhaust *e)
{
	ek_matrix_destroy(e->out);
}

static void test_failures(void **state)
{
	static struct exhaust e;
	struct shape s;
	struct typed typed;
	ek_matrix *A;

	(void)state;
	symmetric(&s, 60, 5);
	typed_make(&typed, &s, EK_F64, EK_I32, 1);
	exhaust_open(&e, 3, NULL);
	expect_status(typed_csc(e.ctx, &typed, 0, &A), EK_OK);
	e.arg = A;
	assert_true(exhaust(&e, "ek_aggregate", aggregate, destroy) > 5);
	assert_true(exhaust(&e, "ek_prolongator", prolong, destroy) > 9);
	ek_matrix_destroy(A);
	exhaust_close(&e);
	typed_free(&typed);
	shape_free(&s);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_path),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_failures),
	};

	(void)argc;
	draw.state = 33;
	test_passive_threads(argv);
	return run_all_tests(tests, NULL, NULL);
}
