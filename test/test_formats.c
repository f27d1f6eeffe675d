/* SPDX-License-Identifier: BSD-3-Clause
 * Every format of the table, with several values of its parameters, on awkward shapes and in all
 * types: there and back without a lost bit, its own check, single entries, conversion in place, and
 * products straight from the converted matrix. A new row of the table is tested without a change
 * here. */
#include "core/ek_core.h"
#include "support/contexts.h"
#include "support/exhaust.h"
#include "support/product.h"

static struct rng draw = {11};

enum { SPECS = 5, FORMATS = 64 };

/* Conversions of each format that were asked for, and that were made; those that it cannot make, as
 * two entries have one place, are in neither. */
static struct {
	int tried, made;
} count[FORMATS];

/* Bytes that a format may take here: with padding or fill some shapes take very much, and then all
 * of it is touched for each product. */
static int64_t wide(void)
{
	return test_tier() == TIER_QUICK ? 4 << 20 : 64 << 20;
}

/* Text number k for format f: defaults, least, greatest, and some in between. */
static void spec(const ek_format *f, int k, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "%s", ek_format_name(f));
	const ek_format_param *p;

	for (int i = 0; k > 0 && (p = ek_format_get_param(f, i)); i++) {
		int64_t v = k == 1 ? p->min : p->max;

		/* Powers of two are what some formats take only. */
		while (k > 2 && v / 2 >= p->min && rng_below(&draw, 3))
			v /= 2;
		used += (size_t)snprintf(text + used, size - used, "%c%s=%lld", i ? ',' : ':',
		                         p->name, (long long)v);
	}
}

static bool same_array(const ek_matrix *A, const ek_matrix *B, const char *name)
{
	ek_view a = {.size = sizeof a}, b = {.size = sizeof b};

	expect_status(ek_matrix_array(A, name, &a), EK_OK);
	expect_status(ek_matrix_array(B, name, &b), EK_OK);
	return a.len == b.len && a.elem_size == b.elem_size &&
	       (!a.len || memcmp(a.data, b.data, (size_t)a.len * a.elem_size) == 0);
}

/* False if the format refuses the matrix, for a reason that holds: two entries in one place, or
 * size. */
static bool converted(const ek_matrix *A, const struct shape *s, const char *text,
                      const ek_format *f, int number, ek_matrix **B)
{
	const ek_convert_options o = {.size = sizeof o, .max_bytes = wide()};
	const ek_status status = ek_matrix_convert(A, text, &o, B);

	if (f->by_column && shape_repeats(s)) {
		expect_error(status, EK_EUNSUPPORTED, ek_format_name(f));
		return false;
	}
	count[number].tried++;
	if (status == EK_ELIMIT)
		return false;
	if (status != EK_OK)
		fail_msg("%s: %s", product_where, ek_error_text());
	count[number].made++;
	return true;
}

/* Formats without padding take every matrix, the others nine of ten. */
static void check_counts(void)
{
	static const char *const every[] = {"csr", "csc", "coo", "csr5", "scoo"};
	int number = 0;

	for (const ek_format *f = NULL; (f = ek_format_next(f)); number++) {
		const char *name = ek_format_name(f);
		const int tried = count[number].tried, made = count[number].made;
		bool all = false;

		for (size_t k = 0; k < sizeof every / sizeof *every; k++)
			all |= strcmp(name, every[k]) == 0;
		print_message("  %s: %d of %d matrices\n", name, made, tried);
		if (all ? made < tried : 10 * made < 9 * tried)
			fail_msg("%s took %d of %d matrices", name, made, tried);
	}
	memset(count, 0, sizeof count);
}

static void check_info(const ek_matrix *A, const ek_matrix *B, const ek_format *f)
{
	ek_matrix_info a = {.size = sizeof a}, b = a;

	expect_status(ek_matrix_get_info(A, &a), EK_OK);
	expect_status(ek_matrix_get_info(B, &b), EK_OK);
	assert_string_equal(b.format, ek_format_name(f));
	assert_true(a.rows == b.rows && a.cols == b.cols && a.nnz == b.nnz);
	assert_true(a.value == b.value && a.index == b.index && !b.borrowed);
}

static bool same_csr(const ek_matrix *A, const ek_matrix *B)
{
	return same_array(A, B, "row_ptr") && same_array(A, B, "col_idx") &&
	       same_array(A, B, "val");
}

/* The matrix as it was; only from formats that go by columns with these in order. */
static void check_round_trip(const ek_matrix *A, const ek_matrix *B, const ek_format *f)
{
	ek_matrix *C, *columns, *sorted;
	bool same;

	expect_status(ek_matrix_convert(B, "csr", NULL, &C), EK_OK);
	expect_status(ek_matrix_check(C), EK_OK);
	if (f->by_column || f == &ek_format_csc) {
		expect_status(ek_matrix_convert(A, "csc", NULL, &columns), EK_OK);
		expect_status(ek_matrix_convert(columns, "csr", NULL, &sorted), EK_OK);
		same = same_csr(sorted, C);
		ek_matrix_destroy(columns);
		ek_matrix_destroy(sorted);
	} else {
		same = same_csr(A, C);
	}
	if (!same)
		fail_msg("%s: not the matrix that it was", product_where);
	ek_matrix_destroy(C);
}

static void check_in_place(const ek_matrix *A, const ek_matrix *B, const char *text)
{
	const ek_convert_options o = {.size = sizeof o, .max_bytes = wide()};
	const ek_store *b = &B->store;
	ek_matrix *C;

	expect_status(ek_matrix_convert(A, "csr", NULL, &C), EK_OK);
	expect_status(ek_matrix_convert_in_place(C, text, &o), EK_OK);
	for (int k = 0; k < EKI_MAX_ARRAYS && b->format->array[k].name && !B->transposed; k++)
		if (!same_array(B, C, b->format->array[k].name))
			fail_msg("%s in place: %s differs", product_where,
			         b->format->array[k].name);
	expect_status(ek_matrix_check(C), EK_OK);
	ek_matrix_destroy(C);
}

/* Some entries, and some places without one. */
static void check_entries(const struct shape *s, ek_matrix *B)
{
	for (int n = 0; n < 20 && s->rows && s->cols; n++) {
		const int64_t i = rng_below(&draw, s->rows);
		const int64_t k = s->ptr[i], end = s->ptr[i + 1];
		const int64_t j = k < end && n % 4 ? s->col[k + rng_below(&draw, end - k)]
		                                   : rng_below(&draw, s->cols);
		double sum = 0, got = 7, before;
		int found = 0;

		for (int64_t e = k; e < end; e++)
			if (s->col[e] == j) {
				const double v =
					B->store.value == EK_F64 ? s->val[e] : (float)s->val[e];

				sum = found++ ? sum + v : v;
			}
		expect_status(ek_matrix_get(B, i, j, &got), EK_OK);
		if (memcmp(&got, &sum, sizeof got) != 0)
			fail_msg("%s: entry (%lld, %lld) is %g, not %g", product_where,
			         (long long)i, (long long)j, got, sum);
		before = got;
		if (found != 1) {
			expect_error(ek_matrix_set(B, i, j, 1), EK_EINVAL,
			             found ? "several" : "no entry");
			continue;
		}
		expect_status(ek_matrix_set(B, i, j, 3.5), EK_OK);
		expect_status(ek_matrix_get(B, i, j, &got), EK_OK);
		assert_true(got == 3.5);
		expect_status(ek_matrix_set(B, i, j, before), EK_OK);
	}
}

/* y = op(B) x by the format's methods, exact or within the bound, and again after new values. */
static void check_products(struct product *p, ek_matrix *B)
{
	const int64_t n = B->store.nnz;
	const size_t size = ek_value_size(p->value);

	for (int op = 0; op < 2; op++) {
		const ek_hints hints = {.size = sizeof hints, .op = op ? EK_OP_T : EK_OP_N};
		struct run run = {.op = op, .x = 1, .alpha = 2, .beta = 0.5, .at_end = op};
		char text[400];
		const void *y;
		ek_plan *plan;
		void *val = malloc((size_t)n * size + 1);

		expect_status(ek_plan_create(EK_SPMV, B, &hints, &plan), EK_OK);
		if (!product_run(p, &contexts.heap, plan, &run, &y, text, sizeof text))
			fail_msg("%s, %s: %s", product_where, ek_plan_method(plan), text);
		/* A format that goes by columns takes new values in that order. */
		const bool in_order = !B->store.format->by_column || shape_ascending(&p->A);

		for (int which = VALUES_SECOND; which >= VALUES_FIRST && in_order; which--) {
			const struct shape *held = B->transposed ? &p->T : &p->A;
			const double *from = which ? held->val2 : held->val;

			for (int64_t k = 0; k < n; k++)
				value_set(p->value, val, k, from[k]);
			expect_status(ek_matrix_set_values(B, n, val), EK_OK);
			run.values = which;
			if (!product_run(p, &contexts.heap, plan, &run, &y, text, sizeof text))
				fail_msg("%s, %s, other values: %s", product_where,
				         ek_plan_method(plan), text);
		}
		free(val);
		ek_plan_destroy(plan);
	}
}

static void check_format(struct product *p, ek_context *ctx, ek_index index, const ek_format *f,
                         int number, int turn)
{
	char text[80];
	ek_matrix *A, *B;

	spec(f, turn % SPECS, text, sizeof text);
	snprintf(product_where, sizeof product_where, "%s %s/%s, shape %s, %s, %d threads", text,
	         ek_value_name(p->value), ek_index_name(index), p->A.name, ek_isa_name(ctx->isa),
	         ctx->threads);
	expect_status(product_matrix(p, ctx, HELD_CSR, index, 0, &A), EK_OK);
	if (converted(A, &p->A, text, f, number, &B)) {
		check_info(A, B, f);
		expect_status(ek_matrix_check(B), EK_OK);
		check_round_trip(A, B, f);
		check_entries(&p->A, B);
		check_products(p, B);
		if (turn % 3 == 0)
			check_in_place(A, B, text);
		ek_matrix_destroy(B);
	}
	ek_matrix_destroy(A);
}

/* Each format for each shape and value type with all index types; with two for the larger shapes, and
 * fewer in the quick tier. */
static void walk(enum data data)
{
	int turn = 0;

	for (int shape = 0; shape < shape_count(); shape++)
		for (int value = EK_F32; value <= EK_F64; value++) {
			struct product p;
			int number = 0;

			product_make(&p, shape, data, (ek_value)value, shape + value);

			const int turns = (p.A.nnz > 1000 ? 1 : 2) + (test_tier() != TIER_QUICK);

			for (const ek_format *f = NULL; (f = ek_format_next(f)); number++)
				for (int k = 0; k < turns; k++, turn++) {
					ek_context *ctx = contexts_turn(turn);

					assert_true(number < FORMATS);
					check_format(&p, ctx,
					             (ek_index)(1 + (shape + number + k) % 3), f,
					             number, (int)rng_below(&draw, 3 * SPECS));
				}
			product_free(&p);
		}
	check_counts();
}

static void test_integers(void **state)
{
	(void)state;
	walk(DATA_EXACT);
}

static void test_reals(void **state)
{
	(void)state;
	walk(DATA_REAL);
}

/* ---- What must be refused -------------------------------------------------------------------- */

/* A long row and many short ones. */
static ek_matrix *arrow(ek_context *ctx)
{
	ek_matrix *A;

	expect_status(ek_matrix_generate(ctx, "arrow:n=3000", EK_F64, EK_I32, &A), EK_OK);
	return A;
}

static void test_limit(void **state)
{
	ek_convert_options o = {.size = sizeof o};
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context(&heap, 2, 0);
	ek_matrix *A = arrow(ctx), *B = NULL;

	(void)state;
	heap.limit = 4 << 20; /* nothing of the size of ELL, 108 MB, is asked for */
	expect_error(ek_matrix_convert(A, "ell", NULL, &B), EK_ELIMIT, "the limit is");
	expect_error(ek_matrix_convert(A, "dia", NULL, &B), EK_ELIMIT, "format dia would take");
	expect_error(ek_matrix_convert_in_place(A, "ell", NULL), EK_ELIMIT,
	             "format ell would take");
	assert_int_equal(heap.refused, 0);
	heap.limit = 0;
	o.max_bytes = 1000;
	expect_error(ek_matrix_convert(A, "coo", &o, &B), EK_ELIMIT, "the limit is 1000 bytes");
	o.max_bytes = -1;
	expect_status(ek_matrix_convert(A, "ell", &o, &B), EK_OK);
	ek_matrix_destroy(B);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

static void test_arguments(void **state)
{
	ek_convert_options o = {.size = 3};
	ek_context *ctx = contexts.of[0][0];
	ek_matrix *A = arrow(ctx), *B = NULL;
	double x = 7;

	(void)state;
	expect_error(ek_matrix_convert(A, NULL, NULL, &B), EK_EINVAL, "format is NULL");
	expect_error(ek_matrix_convert(A, "crs", NULL, &B), EK_EINVAL, "\"crs\"; these exist: csr");
	expect_error(ek_matrix_convert(A, "", NULL, &B), EK_EINVAL, "these exist");
	expect_error(ek_matrix_convert(A, "csr5:rho=4", NULL, &B), EK_EINVAL, "omega sigma");
	expect_error(ek_matrix_convert(A, "csr5:sigma=0", NULL, &B), EK_EINVAL, "from 1 to 32");
	expect_error(ek_matrix_convert(A, "csr5:sigma=", NULL, &B), EK_EINVAL, "from 1 to 32");
	expect_error(ek_matrix_convert(A, "csr5:sigma", NULL, &B), EK_EINVAL, "from 1 to 32");
	expect_error(ek_matrix_convert(A, "csr5:omega=6", NULL, &B), EK_EINVAL, "power of two");
	expect_error(ek_matrix_convert(A, "coo:c=1", NULL, &B), EK_EINVAL, "none");
	expect_error(ek_matrix_convert(A, "coo", &o, &B), EK_EINVAL, "options.size is 3");
	o = (ek_convert_options){.size = sizeof o, .max_bytes = -2};
	expect_error(ek_matrix_convert(A, "coo", &o, &B), EK_EINVAL, "max_bytes is -2");
	expect_error(ek_matrix_convert(A, "coo", NULL, NULL), EK_EINVAL, "B,");
	assert_null(B);
	expect_error(ek_matrix_get(A, 3000, 0, &x), EK_EINVAL, "(3000, 0)");
	expect_error(ek_matrix_get(A, 0, -1, &x), EK_EINVAL, "(0, -1)");
	expect_error(ek_matrix_get(A, 0, 0, NULL), EK_EINVAL, "value");
	expect_error(ek_matrix_set(A, 2, 1, 1), EK_EINVAL, "no entry");
	assert_true(x == 7);
	expect_error(ek_matrix_convert(A, "csr5:sigma=4,sigma=4", NULL, &B), EK_EINVAL,
	             "sigma is given twice");
	expect_error(ek_matrix_convert(A, "hyb:width=0,width=0", NULL, &B), EK_EINVAL,
	             "width is given twice");
	assert_null(B);
	ek_matrix_destroy(A);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_reals),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, contexts_setup, contexts_teardown);
}
