/* SPDX-License-Identifier: BSD-3-Clause
 * Tests borrowed index arrays whose indices start at 1, as in Fortran. Every method, and every
 * function that reads or converts a matrix, must give the same results as with indices from 0.
 * Arrays and vectors are between guard pages, so that an access before x or y crashes. */
#include <stdio.h>
#include <unistd.h>

#include "io/io.h"
#include "plan/plan.h"
#include "support/contexts.h"
#include "support/held.h"
#include "support/folder.h"
#include "support/product.h"

static struct rng draw;
static unsigned turn;

static void add_one(const struct guard *g, void *array, size_t bytes, size_t size)
{
	guard_read_only(g, false);
	for (size_t k = 0; k < bytes / size; k++)
		if (size == 4)
			((int32_t *)array)[k]++;
		else
			((int64_t *)array)[k]++;
	guard_read_only(g, true);
}

/* Makes the arrays of a product and the expected results, then adds 1 to each index. */
static void make(struct product *p, int shape, enum data data, ek_value value)
{
	product_make(p, shape, data, value, shape + value);
	for (int held = 0; held < 2; held++)
		for (int index = EK_I32; index <= EK_I64; index++) {
			struct typed *t = &p->held[held][index - 1];

			add_one(&t->guard[0], t->ptr, t->ptr_bytes, index == EK_I32 ? 4 : 8);
			add_one(&t->guard[1], t->idx, t->idx_bytes, index == EK_I64 ? 8 : 4);
		}
}

static void run(struct product *p, ek_plan *plan, int op, int values, bool again)
{
	struct run r = {.op = op, .x = again, .y0 = again, .values = values, .at_end = turn & 1};
	const void *y;
	char text[400];

	/* If the plan has its own format, the first run with new values may take memory to convert
	 * the columns to columns from 0. */
	struct heap *watched =
		values == VALUES_SECOND && plan->own[0].format ? NULL : &contexts.heap;

	product_pair(p->data, turn++, &r.alpha, &r.beta);
	if (!product_run(p, watched, plan, &r, &y, text, sizeof text))
		fail_msg("%s: %s", product_where, text);
}

/* Checks that the plan has no copy of the columns if its method can read columns from 1, and else
 * that its memory includes the copy. */
static void check_copy(const struct product *p, const ek_plan *plan, bool transposed)
{
	const unsigned can = transposed ? EKI_BASE1_T : EKI_BASE1_N;

	if (plan->root.method->traits & can)
		assert_true(!plan->own[0].format);
	else if (plan->root.method->format[0] == &ek_format_csr && plan->own[0].format)
		assert_true(ek_plan_memory(plan) >=
		            p->A.nnz * (int64_t)eki_idx_size(plan->own[0].index));
}

static bool check(struct product *p, const ek_method *m, int op, int held)
{
	const ek_index index = (ek_index)(1 + rng_below(&draw, 3));
	ek_context *ctx = contexts_any((int)rng_below(&draw, contexts.levels), 3, &draw);
	ek_hints hints = {.size = sizeof hints,
	                  .method = m ? ek_method_name(m) : "auto",
	                  .op = op ? EK_OP_T : EK_OP_N};
	ek_matrix *A;
	ek_plan *plan;
	ek_status status;

	snprintf(product_where, sizeof product_where, "%s op %c, %s index %s, held as %s, shape %s",
	         hints.method, op ? 'T' : 'N', ek_value_name(p->value), ek_index_name(index),
	         held == HELD_CSC ? "csc" : "csr", p->A.name);
	expect_status(product_matrix(p, ctx, held, index, EK_BORROW | EK_BASE1, &A), EK_OK);
	status = ek_plan_create(EK_SPMV, A, &hints, &plan);
	if (status == EK_OK) {
		check_copy(p, plan, op != held);
		run(p, plan, op, VALUES_FIRST, false);
		run(p, plan, op, VALUES_FIRST, true);
		product_values(p, held, index, VALUES_SECOND);
		expect_status(ek_matrix_values_changed(A), EK_OK);
		run(p, plan, op, VALUES_SECOND, false);
		product_values(p, held, index, VALUES_FIRST);
		ek_plan_destroy(plan);
	} else if (!shape_may_refuse(&p->A, m, status)) {
		fail_msg("%s: no plan: %s", product_where, ek_error_text());
	}
	ek_matrix_destroy(A);
	return status == EK_OK;
}

static void test_products(void **state)
{
	const int step = test_tier() <= TIER_QUICK ? 2 : 1;
	long plans = 0;

	(void)state;
	for (int shape = 0; shape < shape_count(); shape += step) {
		const ek_value value = shape / step % 2 ? EK_F32 : EK_F64;
		const ek_method *m = NULL;
		struct product p;

		make(&p, shape, shape / step % 3 ? DATA_EXACT : DATA_REAL, value);
		do
			for (int k = 0; k < 4; k++) {
				const ek_op op = (k & 1) != k / 2 ? EK_OP_T : EK_OP_N;

				if (!m || ek_method_supports(m, op, EK_REPRO_RUN))
					plans += check(&p, m, k & 1, k / 2);
			}
		while ((m = matrix_method_next(m)));
		product_free(&p);
	}
	print_message("  %ld plans\n", plans);
	assert_true(plans > 1000);
}

/* ---- Results from a matrix ------------------------------------------------------------------- */

static void same_formats(const ek_matrix *A, const ek_matrix *B)
{
	for (const ek_format *f = NULL; (f = ek_format_next(f));) {
		ek_matrix *a = NULL, *b = NULL;
		const ek_status status = ek_matrix_convert(A, ek_format_name(f), NULL, &a);

		assert_int_equal(status, ek_matrix_convert(B, ek_format_name(f), NULL, &b));
		if (status == EK_OK) {
			assert_null(different_array(a, b));
			ek_matrix_destroy(a);
			ek_matrix_destroy(b);
		}
	}
}

static void same_entries(const ek_matrix *A, const ek_matrix *B, const struct shape *s)
{
	for (int64_t i = 0; i < s->rows && i < 40; i++)
		for (int64_t j = 0; j < s->cols && j < 40; j++) {
			double a = 1, b = 2;

			expect_status(ek_matrix_get(A, i, j, &a), EK_OK);
			expect_status(ek_matrix_get(B, i, j, &b), EK_OK);
			assert_true(a == b);
		}
}

static void same_files(const ek_matrix *A, const ek_matrix *B, const char *form)
{
	char *text[2] = {NULL, NULL};
	long bytes[2];

	for (int k = 0; k < 2; k++) {
		FILE *f;

		expect_status(ek_matrix_write(k ? B : A, in_folder("base1"), form), EK_OK);
		f = fopen(path, "rb");
		assert_non_null(f);
		fseek(f, 0, SEEK_END);
		bytes[k] = ftell(f);
		rewind(f);
		text[k] = malloc((size_t)bytes[k]);
		assert_int_equal(fread(text[k], 1, (size_t)bytes[k], f), bytes[k]);
		fclose(f);
		unlink(path);
	}
	assert_int_equal(bytes[0], bytes[1]);
	assert_memory_equal(text[0], text[1], (size_t)bytes[0]);
	free(text[0]);
	free(text[1]);
}

static void same_stats(const ek_matrix *A, const ek_matrix *B)
{
	ek_stats a, b;

	memset(&a, 0, sizeof a);
	memset(&b, 0, sizeof b);
	a.size = b.size = sizeof a;
	expect_status(ek_matrix_stats(A, &a), EK_OK);
	expect_status(ek_matrix_stats(B, &b), EK_OK);
	assert_memory_equal(&a, &b, sizeof a);
}

/* Checks that A uses the caller's arrays, that base 1 is reported, and that A is valid. */
static void check_views(const ek_matrix *A, const struct typed *t, bool columns)
{
	ek_matrix_info info = {.size = sizeof info};
	ek_view view = {.size = sizeof view};

	expect_status(ek_matrix_get_info(A, &info), EK_OK);
	assert_true(info.base == 1 && info.borrowed);
	expect_status(ek_matrix_array(A, columns ? "col_ptr" : "row_ptr", &view), EK_OK);
	assert_ptr_equal(view.data, t->ptr);
	expect_status(ek_matrix_array(A, columns ? "row_idx" : "col_idx", &view), EK_OK);
	assert_ptr_equal(view.data, t->idx);
	expect_status(ek_matrix_check(A), EK_OK);
}

static void test_same(void **state)
{
	const int step = test_tier() <= TIER_QUICK ? 3 : 1;

	(void)state;
	for (int shape = 0; shape < shape_count(); shape += step)
		for (int held = 0; held < 2; held++) {
			const ek_index index = (ek_index)(1 + (shape + held) % 3);
			struct product p;
			ek_matrix *A, *B;

			make(&p, shape, DATA_EXACT, EK_F64);
			snprintf(product_where, sizeof product_where, "held %d, shape %s", held,
			         p.A.name);
			expect_status(product_matrix(&p, contexts_turn(shape), held, index,
			                             EK_BORROW | EK_BASE1, &A),
			              EK_OK);
			expect_status(product_matrix(&p, contexts_turn(shape), held, index,
			                             EK_COPY | EK_BASE1, &B),
			              EK_OK);
			check_views(A, &p.held[held][index - 1], held == HELD_CSC);
			same_stats(A, B);
			same_entries(A, B, &p.A);
			same_formats(A, B);
			same_files(A, B, "mtx");
			if (eki_xxhash_version())
				same_files(A, B, "ekm");
			ek_matrix_destroy(A);
			ek_matrix_destroy(B);
			product_free(&p);
		}
}

/* ---- Adopted arrays, and later messages ------------------------------------------------------ */

static void test_adopted(void **state)
{
	static const int32_t p1[] = {1, 2, 2, 4}, c1[] = {3, 4, 1}, bad[] = {3, 5, 1};
	static const double v1[] = {1, 2, 4};
	const long live = atomic_load(&heap.live);
	int32_t *p = heap_block(&heap, sizeof p1), *c = heap_block(&heap, sizeof c1);
	double *v = heap_block(&heap, sizeof v1), got = 0;
	ek_context *ctx = heap_context(&heap, 1, 0);
	ek_matrix *A = NULL;

	(void)state;
	memcpy(p, p1, sizeof p1);
	memcpy(c, bad, sizeof bad);
	memcpy(v, v1, sizeof v1);
	expect_error(
		ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 4, p, c, v, EK_ADOPT | EK_BASE1, &A),
		EK_ERANGE, "col_idx(2) is 5 (in row 3); 1 to 4");
	assert_memory_equal(p, p1, sizeof p1);
	assert_memory_equal(c, bad, sizeof bad);
	memcpy(c, c1, sizeof c1);
	expect_status(
		ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 4, p, c, v, EK_ADOPT | EK_BASE1, &A),
		EK_OK);
	assert_memory_equal(p, ((int32_t[]){0, 1, 1, 3}), sizeof p1);
	assert_memory_equal(c, ((int32_t[]){2, 3, 0}), sizeof c1);
	expect_status(ek_matrix_get(A, 2, 3, &got), EK_OK);
	assert_true(got == 2);
	expect_status(ek_matrix_check(A), EK_OK);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	assert_int_equal(atomic_load(&heap.live), live);
}

/* Checks that messages of later errors count positions from 1 too if indices start at 1. */
static void test_messages(void **state)
{
	static const int32_t ptr[2][4] = {{0, 1, 1, 3}, {1, 2, 2, 4}};
	static const int32_t idx[2][3] = {{2, 3, 3}, {3, 4, 4}};
	static const double big[] = {1, 2, 1e300};
	static const char *const twice[2][2] = {{"in row 2 two entries have the same column",
	                                         "in column 2 two entries have the same row"},
	                                        {"in row 3 two entries have the same column",
	                                         "in column 3 two entries have the same row"}};
	static const char *const range[2][2] = {
		{"entry 2 (row 2, column 3)", "entry 2 (row 3, column 2)"},
		{"entry 3 (row 3, column 4)", "entry 3 (row 4, column 3)"}};
	ek_convert_options f32 = {.size = sizeof f32, .value = EK_F32};
	ek_hints bcsr = {.size = sizeof bcsr, .format = "bcsr"};

	(void)state;
	for (int k = 0; k < 8; k++) {
		const int base = k & 1, csc = k / 2 & 1;
		const unsigned flags = (base ? EK_BASE1 : 0) | (k / 4 ? EK_COPY : EK_BORROW);
		ek_context *ctx = contexts_turn(k);
		ek_matrix *A = NULL, *B = NULL;
		ek_plan *plan = NULL;

		expect_status(csc ? ek_matrix_from_csc(ctx, EK_F64, EK_I32, 4, 3, ptr[base],
		                                       idx[base], big, flags, &A)
		                  : ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 4, ptr[base],
		                                       idx[base], big, flags, &A),
		              EK_OK);
		expect_error(ek_plan_create(EK_SPMV, A, &bcsr, &plan), EK_EUNSUPPORTED,
		             twice[base][csc]);
		expect_error(ek_matrix_convert(A, csc ? "csc" : "csr", &f32, &B), EK_EOVERFLOW,
		             range[base][csc]);
		ek_matrix_destroy(A);
	}
}

static int setup(void **state)
{
	return contexts_setup_isas(state) || folder_setup(state);
}

static int teardown(void **state)
{
	const int first = folder_teardown(state);

	return contexts_teardown(state) || first;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_adopted),
		cmocka_unit_test(test_messages),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
