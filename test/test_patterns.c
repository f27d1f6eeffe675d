/* SPDX-License-Identifier: BSD-3-Clause
 * Tests spmv.csr.patterns on matrices built group by group, so that every kind of group, length of
 * a list and limit of the numbers in lists occurs, in each type, instruction set and number of
 * threads. The lists of the plan are decoded and compared with the matrix, and y must be exact. All
 * arrays are between guard pages. */
#include <math.h>

#include "spmv/patterns.h"
#include "support/bound.h"
#include "support/contexts.h"
#include "support/groups.h"
#include "support/support.h"

static const char method[] = "spmv.csr.patterns";
static long met[4]; /* number of groups of each kind so far */

/* ---- One matrix ------------------------------------------------------------------------------ */

/* A matrix with one value type and all index types, its vectors, and the expected A x for both sets
 * of values of A. */
struct trial {
	const struct groups *b;
	ek_value value;
	struct typed arrays[3];
	struct guard x_guard, y_guard;
	void *x, *y, *y0;
	size_t y_bytes;
	struct reference ref[2];
};

/* Makes x, y and y0. x is NaN where A has an empty column. */
static void vectors_make(struct trial *t, int at_end)
{
	const struct shape *s = &t->b->s;
	size_t size = ek_value_size(t->value), x_bytes = (size_t)s->cols * size;
	struct rng rng = {3};

	t->y_bytes = (size_t)s->rows * size;
	guard_make(&t->x_guard, x_bytes);
	guard_make(&t->y_guard, t->y_bytes);
	t->x = (at_end ? guard_at_end : guard_at_begin)(&t->x_guard, x_bytes);
	t->y = (at_end ? guard_at_end : guard_at_begin)(&t->y_guard, t->y_bytes);
	t->y0 = malloc(t->y_bytes);
	poison(t->value, t->x, s->cols);
	for (int64_t k = 0; k < s->nnz; k++)
		value_set(t->value, t->x, s->col[k], 0);
	for (int64_t j = 0; j < s->cols; j++)
		if (!isnan(value_at(t->value, t->x, j)))
			value_set(t->value, t->x, j, rng_integer(&rng, 4));
	for (int64_t i = 0; i < s->rows; i++)
		value_set(t->value, t->y0, i, rng_integer(&rng, 100));
	guard_read_only(&t->x_guard, true);
}

static void trial_make(struct trial *t, const struct groups *b, ek_value value, int at_end)
{
	*t = (struct trial){.b = b, .value = value};
	for (int k = 0; k < 3; k++)
		typed_make(&t->arrays[k], &b->s, value, (ek_index)(k + 1), at_end);
	vectors_make(t, at_end);
	for (int which = 1; which >= 0; which--) {
		typed_values(&t->arrays[0], which ? b->s.val2 : b->s.val);
		reference_make(&t->ref[which], &t->arrays[0], EK_OP_N, t->x);
	}
}

static void trial_free(struct trial *t)
{
	for (int k = 0; k < 3; k++)
		typed_free(&t->arrays[k]);
	for (int k = 0; k < 2; k++)
		reference_free(&t->ref[k]);
	guard_free(&t->x_guard);
	guard_free(&t->y_guard);
	free(t->y0);
}

/* Decodes the lists of group g and checks that they give the columns of its rows. */
static void check_group(const struct shape *s, const patterns *p, int64_t g)
{
	const uint32_t k = p->group[g] & KIND;
	const bool run = k == RUN || k == WIDE_RUN;

	for (int64_t r = 0; r < GROUP; r++) {
		const int64_t *col = s->col + s->ptr[g * GROUP + r];
		int64_t n = s->ptr[g * GROUP + r + 1] - s->ptr[g * GROUP + r];
		const row_shape *shape = &p->shape[(p->group[g] & ~KIND) + (run ? 0 : r)];
		const uint16_t *list = p->list + shape->list;
		int64_t first = shape->first + (run ? r : 0), steps = n > 1;

		assert_int_equal(*list & LENGTH, n);
		for (int64_t e = 0; e < n; e++) {
			int32_t offset = list[1 + e];

			if (k == WIDE_RUN)
				memcpy(&offset, list + 1 + 2 * e, sizeof offset);
			if (first + offset != col[e])
				fail_msg("%s: row %lld, entry %lld: offset %d from %lld, column "
				         "%lld",
				         s->name, (long long)(g * GROUP + r), (long long)e,
				         (int)offset, (long long)first, (long long)col[e]);
			steps += e > 0 && col[e] == col[e - 1] + 1;
		}
		assert_int_equal(!!(*list & STRAIGHT), n > 1 && steps == n);
	}
}

static void check_kept(const struct groups *b, const ek_plan *plan)
{
	const patterns *p = plan->root.aux;

	for (int64_t g = 0; g < b->s.rows / GROUP; g++) {
		uint32_t k = p->group[g] & KIND;

		if (b->kind[g] != GROUPS_ANY && k != (uint32_t)b->kind[g])
			fail_msg("%s: group %lld is of kind %d, not %d", b->s.name, (long long)g,
			         (int)(k >> 30), (int)(b->kind[g] >> 30));
		met[k >> 30]++;
		if (k != CSR)
			check_group(&b->s, p, g);
	}
}

static void check_run(struct trial *t, ek_plan *plan, double alpha, double beta, int which,
                      const char *where)
{
	const struct shape *s = &t->b->s;
	ek_dense x = ek_vector(t->value, s->cols, t->x), y = ek_vector(t->value, s->rows, t->y);
	long calls = atomic_load(&contexts.heap.calls);
	int64_t fault;

	if (beta == 0)
		poison(t->value, t->y, s->rows);
	else
		memcpy(t->y, t->y0, t->y_bytes);
	expect_status(ek_spmv(plan, alpha, &x, beta, &y), EK_OK);
	assert_int_equal(atomic_load(&contexts.heap.calls), calls);
	fault = exact_fault(&t->ref[which], alpha, beta, t->y0, t->y);
	if (fault >= 0)
		fail_msg("%s, alpha %g, beta %g, values %d: y[%lld] = %.17g; A x is %.17g there",
		         where, alpha, beta, which, (long long)fault,
		         value_at(t->value, t->y, fault), (double)t->ref[which].sum[fault]);
}

static void check_case(struct trial *t, struct typed *arrays, ek_context *ctx)
{
	ek_hints hints = {.size = sizeof hints, .method = method};
	const struct shape *s = &t->b->s;
	ek_matrix *A;
	ek_plan *plan;
	char where[160];

	snprintf(where, sizeof where, "%s, %s, index %s, %s, %d threads", s->name,
	         ek_value_name(t->value), ek_index_name(arrays->index), ek_isa_name(ctx->isa),
	         ctx->threads);
	typed_values(arrays, s->val);
	expect_status(typed_csr(ctx, arrays, EK_BORROW, &A), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	check_kept(t->b, plan);
	check_run(t, plan, 1, 0, 0, where);
	check_run(t, plan, 2, -1, 0, where);
	typed_values(arrays, s->val2);
	expect_status(ek_matrix_values_changed(A), EK_OK);
	check_run(t, plan, 1, 0, 1, where);
	check_run(t, plan, 2, -1, 1, where);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
}

/* Checks a matrix with all types, instruction sets and numbers of threads, and frees its shape. */
static void check_matrix(struct groups *b)
{
	for (int value = EK_F32; value <= EK_F64; value++)
		for (int at_end = 0; at_end < 2; at_end++) {
			struct trial t;

			trial_make(&t, b, (ek_value)value, at_end);
			for (int k = 0; k < 3 * contexts.levels * contexts.counts; k++)
				check_case(&t, &t.arrays[k % 3],
				           contexts.of[k / 3 % contexts.levels]
				                      [k / 3 / contexts.levels]);
			trial_free(&t);
		}
	shape_free(&b->s);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void test_kinds(void **state)
{
	static struct groups b; /* too large for the stack */

	(void)state;
	for (int k = 0; k < groups_count(); k++) {
		groups_make(&b, k);
		check_matrix(&b);
	}
	print_message("  groups: %ld RUN, %ld WIDE_RUN, %ld EACH, %ld CSR\n", met[RUN >> 30],
	              met[WIDE_RUN >> 30], met[EACH >> 30], met[CSR >> 30]);
	for (int k = 0; k < 4; k++)
		assert_true(met[k] > 0);
}

/* Checks that on a stencil, a run moves, besides values and vectors, at most an eighth of the bytes
 * of the index arrays of CSR. */
static void check_bytes(const char *stencil)
{
	for (int value = EK_F32; value <= EK_F64; value++)
		for (int index = EK_I32; index <= EK_I64; index++)
			for (int count = 0; count < contexts.counts; count++) {
				ek_hints hints = {.size = sizeof hints, .method = method};
				ek_matrix_info info = {.size = sizeof info};
				int64_t least, all;
				ek_matrix *A;
				ek_plan *plan;

				expect_status(ek_matrix_generate(contexts.of[0][count],
				                                 stencil,
				                                 (ek_value)value, (ek_index)index,
				                                 &A),
				              EK_OK);
				expect_status(ek_matrix_get_info(A, &info), EK_OK);
				expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
				least = (info.nnz + info.rows + info.cols) *
				        (int64_t)ek_value_size((ek_value)value);
				all = info.bytes + (info.rows + info.cols) *
				                           (int64_t)ek_value_size((ek_value)value);
				assert_in_range(ek_plan_bytes(plan), least,
				                least + (all - least) / 8);
				ek_plan_destroy(plan);
				ek_matrix_destroy(A);
			}
}

/* Checks a stencil whose rows span fewer than 2^16 columns, and one whose rows span more. */
static void test_bytes(void **state)
{
	(void)state;
	check_bytes("poisson2d9:nx=200,ny=200");
	check_bytes("poisson2d9:nx=40000,ny=5");
}

static eki_features sampled(const char *spec)
{
	eki_features f = {.calls = 1000};
	ek_matrix *A;

	expect_status(ek_matrix_generate(contexts.of[0][0], spec, EK_F64, EK_I32, &A), EK_OK);
	assert_true(eki_sample_shapes(&A->store, &f));
	ek_matrix_destroy(A);
	return f;
}

/* Checks what predictions are made from: entries that need no column of 32 bits. */
static void test_shares(void **state)
{
	(void)state;
	const eki_features narrow = sampled("poisson2d9:nx=200,ny=200");
	const eki_features run = sampled("poisson2d9:nx=40000,ny=5");
	const eki_features wide = sampled("uniform:rows=3000,cols=1000000,k=8");

	assert_true(narrow.narrow_share == 1 && narrow.run_share > 0.9);
	assert_true(run.narrow_share > 0.9 && run.run_share > 0.9);
	assert_true(wide.narrow_share < 0.1 && wide.run_share == 0);
}

/* Checks that pairs of equal rows, with other distances in each pair, have no lists of 32-bit
 * offsets: no run could use them, and they would take room. */
static void test_no_useless_lists(void **state)
{
	enum { ROWS = 800, EACH_ROW = 20 };
	static int32_t ptr[ROWS + 1], col[ROWS * EACH_ROW];
	static double val[ROWS * EACH_ROW];
	ek_hints hints = {.size = sizeof hints, .method = method};
	ek_matrix *A;
	ek_plan *plan;

	(void)state;
	for (int i = 0; i <= ROWS; i++)
		ptr[i] = i * EACH_ROW;
	for (int k = 0; k < ROWS * EACH_ROW; k++)
		col[k] = k % EACH_ROW * (4000 + k / EACH_ROW / 2);
	expect_status(ek_matrix_from_csr(contexts.of[0][0], EK_F64, EK_I32, ROWS, 100000, ptr, col,
	                                 val, EK_BORROW, &A),
	              EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	assert_true(ek_plan_memory(plan) < ROWS * EACH_ROW / 2);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
}

/* Checks that more than 2^31 columns are refused, since offsets are added to a 32-bit column. */
static void test_too_many_columns(void **state)
{
	const int64_t ptr[] = {0, 1}, col[] = {INT64_C(1) << 31};
	const double val[] = {1};
	ek_hints hints = {.size = sizeof hints, .method = method};
	ek_plan *plan = NULL;
	ek_matrix *A;

	(void)state;
	expect_status(ek_matrix_from_csr(contexts.of[0][0], EK_F64, EK_I64, 1, col[0] + 1, ptr, col,
	                                 val, EK_BORROW, &A),
	              EK_OK);
	expect_error(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_EUNSUPPORTED, method);
	assert_null(plan);
	ek_matrix_destroy(A);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_no_useless_lists),
		cmocka_unit_test(test_too_many_columns),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, contexts_setup_isas, contexts_teardown);
}
