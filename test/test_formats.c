/* SPDX-License-Identifier: BSD-3-Clause
 * Tests every format of the table, with several values of its parameters, on awkward shapes and in
 * all types. Conversion to the format and back must keep every bit. Also tests the format's own
 * check, single entries, conversion in place, and products of the converted matrix. A new row of
 * the table is tested without a change here. */
#include "plan/plan.h"
#include "support/contexts.h"
#include "support/exhaust.h"
#include "support/held.h"
#include "support/product.h"

static struct rng draw = {11};

enum { SPECS = 5, FORMATS = 64 };

/* For each format: how many conversions to it were tried, and how many succeeded. Those that must
 * fail, because two entries have the same place, are not counted. */
static struct {
	int tried, made;
} count[FORMATS];

/* Returns the limit for the size of a converted matrix, in bytes. Without it, some matrices would
 * have so much padding or fill that products would be very slow. */
static int64_t wide(void)
{
	return test_tier() <= TIER_QUICK ? 4 << 20 : 64 << 20;
}

/* Writes the name of format f with its parameters: none, and so the defaults, if k is 0; the least
 * values if k is 1; the greatest if k is 2; else the greatest, each halved a random number of
 * times. */
static void spec(const ek_format *f, int k, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "%s", ek_format_name(f));
	const ek_format_param *p;

	for (int i = 0; k > 0 && (p = ek_format_get_param(f, i)); i++) {
		int64_t v = k == 1 ? p->min : p->max;

		assert_true(i < EKI_FORMAT_DIMS);
		/* Halving keeps powers of two, which some formats require. */
		while (k > 2 && v / 2 >= p->min && rng_below(&draw, 3))
			v /= 2;
		used += (size_t)snprintf(text + used, size - used, "%c%s=%lld", i ? ',' : ':',
		                         p->name, (long long)v);
	}
}

/* Converts A to B. Returns false if the format refuses the matrix for a valid reason: two entries
 * in the same place, or too many bytes. */
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

/* Checks that formats without padding accepted all matrices, and others at least nine tenths. */
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

/* Checks that converting B back to CSR gives the bits of A or, if B places entries by their
 * columns, of a copy of A with ascending columns in each row. */
static void check_round_trip(const ek_matrix *A, const ek_matrix *B, const ek_format *f)
{
	ek_matrix *C, *columns, *sorted;
	bool same;

	expect_status(ek_matrix_convert(B, "csr", NULL, &C), EK_OK);
	expect_status(ek_matrix_check(C), EK_OK);
	if (f->by_column || f == &ek_format_csc) {
		expect_status(ek_matrix_convert(A, "csc", NULL, &columns), EK_OK);
		expect_status(ek_matrix_convert(columns, "csr", NULL, &sorted), EK_OK);
		same = !different_array(sorted, C);
		ek_matrix_destroy(columns);
		ek_matrix_destroy(sorted);
	} else {
		same = !different_array(A, C);
	}
	if (!same)
		fail_msg("%s: not the matrix that it was", product_where);
	ek_matrix_destroy(C);
}

static void check_in_place(const ek_matrix *A, const ek_matrix *B, const char *text)
{
	const ek_convert_options o = {.size = sizeof o, .max_bytes = wide()};
	ek_matrix *C;

	expect_status(ek_matrix_convert(A, "csr", NULL, &C), EK_OK);
	expect_status(ek_matrix_convert_in_place(C, text, &o), EK_OK);
	if (!B->transposed && different_array(B, C))
		fail_msg("%s in place: %s differs", product_where, different_array(B, C));
	expect_status(ek_matrix_check(C), EK_OK);
	ek_matrix_destroy(C);
}

/* Checks ek_matrix_get and ek_matrix_set, at some entries and at some places without an entry. */
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

/* Checks y = alpha op(B) x + beta y, computed by a plan of `auto`, before and after B gets new
 * values. With integer data the result must be exact, with real data within the bound. */
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
		/* A format that places entries by their columns takes new values in that order,
		 * which may not be the order of p->A. */
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

/* Checks each format for each shape and value type. Small shapes are checked with three index
 * types, larger shapes with two. In the quick tier, both numbers are smaller by one; in the brief
 * tier, both are one. */
static void walk(enum data data)
{
	int turn = 0;

	for (int shape = 0; shape < shape_count(); shape++)
		for (int value = EK_F32; value <= EK_F64; value++) {
			struct product p;
			int number = 0;

			product_make(&p, shape, data, (ek_value)value, shape + value);

			const int turns = p.A.nnz > 1000 || test_tier() == TIER_BRIEF ? 1 : 2;
			const int all = turns + (test_tier() > TIER_QUICK);

			for (const ek_format *f = NULL; (f = ek_format_next(f)); number++)
				for (int k = 0; k < all; k++, turn++) {
					ek_context *ctx = contexts_turn(turn + shape);

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

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_reals),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, contexts_setup_isas, contexts_teardown);
}
