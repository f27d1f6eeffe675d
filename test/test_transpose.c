/* SPDX-License-Identifier: BSD-3-Clause
 * Tests transpositions by every method of the table, and by `auto`: in every type, instruction set
 * and number of threads, on awkward shapes, held as CSR and as CSC, into a new C and into an
 * existing one. C must have the bits of a plain loop's result. */
#include "plan/plan.h"
#include "support/plan_case.h"
#include "support/shapes.h"
#include "support/sparse.h"

static struct rng draw;

/* Checks an array of C against that of the expected result. */
static void check_array(const ek_matrix *C, const char *csr, const char *csc, const void *expected,
                        size_t bytes)
{
	ek_view view = {.size = sizeof view};

	expect_status(ek_matrix_array(C, C->transposed ? csc : csr, &view), EK_OK);
	if (view.len * (int64_t)view.elem_size != (int64_t)bytes ||
	    (bytes && memcmp(view.data, expected, bytes) != 0))
		fail_msg("%s: %s is wrong", product_where, csr);
}

static void check_arrays(const ek_matrix *C, const struct typed *t)
{
	check_array(C, "row_ptr", "col_ptr", t->ptr, t->ptr_bytes);
	check_array(C, "col_idx", "row_idx", t->idx, t->idx_bytes);
	check_array(C, "val", "val", t->val, t->val_bytes);
}

/* Fills the values of C with NaN. */
static void poison_values(ek_matrix *C)
{
	if (C->store.nnz > 0)
		memset(C->store.array[CSR_VAL], 0xff,
		       (size_t)C->store.nnz * ek_value_size(C->store.value));
}

static void check_method(const struct shape *s, const ek_method *m, ek_value value, bool csc)
{
	ek_context *ctx = contexts_any((int)rng_below(&draw, contexts.levels), 2, &draw);
	const ek_index index = (ek_index)(1 + rng_below(&draw, 3));
	const ek_hints hints = {.size = sizeof hints, .method = name_or_auto(m)};
	struct typed in, out;
	struct shape T;
	ek_matrix *A, *C = NULL, *same;
	ek_plan *plan;

	snprintf(product_where, sizeof product_where, "%s of %s in %s, %s, index %s, %d threads",
	         hints.method, s->name, csc ? "csc" : "csr", ek_value_name(value),
	         ek_index_name(index), ctx->threads);
	shape_transpose(s, &T);
	typed_make(&in, s, value, index, (int)rng_below(&draw, 2));
	typed_make(&out, &T, value, index, 0);
	expect_status((csc ? typed_csc : typed_csr)(ctx, &in, 0, &A), EK_OK);
	expect_status(ek_plan_create(EK_TRANSPOSE, A, &hints, &plan), EK_OK);
	expect_status(ek_transpose(plan, &C), EK_OK);
	assert_int_equal(C->transposed, csc);
	check_arrays(C, &out);
	same = C;
	for (int second = 1; second >= 0; second--) {
		typed_values(&in, second ? s->val2 : s->val);
		typed_values(&out, second ? T.val2 : T.val);
		expect_status(ek_matrix_values_changed(A), EK_OK);
		poison_values(C);
		expect_status(ek_transpose(plan, &C), EK_OK);
		assert_ptr_equal(C, same);
		check_arrays(C, &out);
	}
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	ek_matrix_destroy(C);
	typed_free(&in);
	typed_free(&out);
	shape_free(&T);
}

static void check_shape(const struct shape *s, int turn)
{
	const ek_method *m = NULL;

	do
		check_method(s, m, turn % 2 ? EK_F32 : EK_F64, turn / 2 % 2);
	while ((m = processor_method_next(m, EK_TRANSPOSE)));
}

static void test_shapes(void **state)
{
	(void)state;
	for (int k = 0; k < shape_count(); k++)
		for (int turn = 0; turn < 8; turn++) {
			struct shape s;

			shape_make(&s, k, turn < 4 ? DATA_REAL : DATA_EXACT);
			check_shape(&s, turn);
			shape_free(&s);
		}
}

/* Tests sizes around powers of two, so that groups, buckets and ranges begin and end anywhere. */
static void test_random(void **state)
{
	(void)state;
	for (int turn = 0; turn < 120; turn++) {
		struct shape s;

		sparse_random(&draw, &s, 1 + rng_below(&draw, 300), 1 + rng_below(&draw, 9000), 40);
		check_shape(&s, turn);
		shape_free(&s);
	}
}

/* ---- Many buckets ---------------------------------------------------------------------------- */

static void compare(const ek_matrix *C, const ek_matrix *D)
{
	for (int k = CSR_PTR; k <= CSR_VAL; k++) {
		const ek_store *c = &C->store, *d = &D->store;
		const size_t size = eki_elem_size(c->format->array[k].elem, c->value, c->index);

		assert_int_equal(c->len[k], d->len[k]);
		if (memcmp(c->array[k], d->array[k], (size_t)c->len[k] * size) != 0)
			fail_msg("%s: %s is wrong", product_where, c->format->array[k].name);
	}
}

static ek_matrix *transposed(const ek_matrix *A, const char *method)
{
	const ek_hints hints = {.size = sizeof hints, .method = method};
	ek_matrix *C = NULL;
	ek_plan *plan;

	expect_status(ek_plan_create(EK_TRANSPOSE, A, &hints, &plan), EK_OK);
	expect_status(ek_transpose(plan, &C), EK_OK);
	poison_values(C);
	expect_status(ek_transpose(plan, &C), EK_OK);
	ek_plan_destroy(plan);
	return C;
}

static void check_generated(ek_context *ctx, const char *spec, ek_value value, ek_index index)
{
	const ek_method *m = NULL;
	ek_matrix *A, *first;

	expect_status(ek_matrix_generate(ctx, spec, value, index, &A), EK_OK);
	first = transposed(A, "transpose.csr.serial");
	while ((m = processor_method_next(m, EK_TRANSPOSE))) {
		ek_matrix *C, *twice;

		snprintf(product_where, sizeof product_where, "%s of %s, %s, index %s, %d threads",
		         ek_method_name(m), spec, ek_value_name(value), ek_index_name(index),
		         ctx->threads);
		C = transposed(A, ek_method_name(m));
		compare(C, first);
		twice = transposed(C, ek_method_name(m));
		compare(twice, A); /* the generators sort rows */
		ek_matrix_destroy(C);
		ek_matrix_destroy(twice);
	}
	ek_matrix_destroy(first);
	ek_matrix_destroy(A);
}

/* Tests generated matrices with a machine of small caches, so that there are many buckets. */
static void test_generated(void **state)
{
	static const char *const spec[] = {"uniform:rows=3000,cols=70000,k=20",
	                                   "densecol:rows=4000,cols=4000,k=9",
	                                   "arrow:n=30000",
	                                   "denserow:rows=9000,cols=9000,k=3",
	                                   "rmat:scale=13,factor=8",
	                                   "hypersparse:rows=100000,cols=300000",
	                                   "dense:rows=300,cols=200",
	                                   "dense:rows=20000,cols=3",
	                                   "banded:n=6000,lower=9,upper=3",
	                                   "lp:rows=40,cols=100000,mean=900"};

	(void)state;
	for (size_t k = 0; k < sizeof spec / sizeof *spec; k++)
		for (int threads = 1; threads <= 3; threads++) {
			ek_context *ctx = heap_context_cut(&contexts.heap, threads, 0);
			eki_machine small = *ctx->machine;

			small.core_bytes = 1 << 15;
			ctx->machine = &small;
			check_generated(ctx, spec[k], threads == 2 ? EK_F32 : EK_F64,
			                (ek_index)(1 + (k + (size_t)threads) % 3));
			ek_context_destroy(ctx);
		}
}

static void test_large(void **state)
{
	const ek_options options = {.size = sizeof options, .threads = 2};
	ek_context *ctx;

	(void)state;
	expect_status(ek_context_create(&options, &ctx), EK_OK);
	check_generated(ctx, "uniform:rows=150000,cols=400000,k=12", EK_F64, EK_I32);
	ek_context_destroy(ctx);
}

/* Tests a matrix with entries only in a few neighbouring columns, for which no buckets are made. */
static void test_few_columns(void **state)
{
	enum { ROWS = 5000, EACH = 8 };
	static int32_t ptr[ROWS + 1], col[ROWS * EACH];
	static double val[ROWS * EACH];
	char text[2000];
	ek_context *ctx = heap_context_cut(&contexts.heap, 3, 0);
	eki_machine small = *ctx->machine;
	const ek_hints hints = {.size = sizeof hints, .method = "csr.radix"};
	ek_matrix *A, *C, *D;
	ek_plan *plan;

	(void)state;
	small.core_bytes = 1 << 15;
	ctx->machine = &small;
	for (int k = 0; k < ROWS * EACH; k++) {
		col[k] = 777776 + (k * 7 & 7);
		val[k] = k;
	}
	for (int i = 0; i <= ROWS; i++)
		ptr[i] = i * EACH;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, ROWS, 1000000, ptr, col, val, 0, &A),
	              EK_OK);
	expect_status(ek_plan_create(EK_TRANSPOSE, A, &hints, &plan), EK_OK);
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	assert_non_null(strstr(text, "no buckets fit the columns"));
	ek_plan_destroy(plan);
	C = transposed(A, "csr.radix");
	D = transposed(A, "csr.serial");
	compare(C, D);
	ek_matrix_destroy(A);
	ek_matrix_destroy(C);
	ek_matrix_destroy(D);
	ek_context_destroy(ctx);
}

/* Tests transposed copies, with the origin of each entry, by counting and by buckets. */
static void test_copies(void **state)
{
	(void)state;
	for (int buckets = 0; buckets < 2; buckets++)
		for (int index = EK_I32; index <= EK_I64; index++) {
			ek_context *ctx = heap_context_cut(&contexts.heap, 1 + index, 0);
			eki_machine other = *ctx->machine;
			ek_matrix *A, *D;
			ek_store out = {0};
			void *from;

			other.scatter_far = other.scatter_entry = buckets ? 1e6 : 0;
			ctx->machine = &other;
			snprintf(product_where, sizeof product_where, "copy, %s buckets, index %d",
			         buckets ? "with" : "without", index);
			expect_status(ek_matrix_generate(ctx, "uniform:rows=30000,k=8", EK_F64,
			                                 (ek_index)index, &A),
			              EK_OK);
			D = transposed(A, "csr.serial");
			expect_status(eki_transpose(ctx, &A->store, &out, &from), EK_OK);
			compare(&(ek_matrix){.store = out}, D);
			for (int64_t k = 0; k < out.nnz; k++) {
				const int64_t at = index == EK_I32 ? ((int32_t *)from)[k]
				                                   : ((int64_t *)from)[k];

				assert_true(eki_val_at(&A->store, at) == eki_val_at(&out, k));
				assert_true(eki_row_of(&A->store, at) == eki_col_at(&out, k));
			}
			eki_free(ctx, from, out.nnz, eki_ptr_size(out.index));
			eki_store_free(ctx, &out);
			ek_matrix_destroy(A);
			ek_matrix_destroy(D);
			ek_context_destroy(ctx);
		}
}

/* ---- Other matrices -------------------------------------------------------------------------- */

/* Checks that duplicates keep their order, unsorted rows are read as they are, NaN keep their bits,
 * and indices may begin at 1. */
static void test_as_given(void **state)
{
	static const int32_t ptr[] = {0, 4, 4, 7}, ptr1[] = {1, 5, 5, 8};
	static const int32_t col[] = {3, 0, 3, 0, 2, 0, 3}, col1[] = {4, 1, 4, 1, 3, 1, 4};
	static const uint64_t val[] = {1, 0x7ff0000000000123, 0xfff8000000000042, 4, 5, 1u << 31,
	                               7};
	static const int32_t row_ptr[] = {0, 3, 3, 4, 7}, row[] = {0, 0, 2, 2, 0, 0, 2};
	const uint64_t expected[] = {val[1], val[3], val[5], val[4], val[0], val[2], val[6]};
	ek_context *ctx = contexts.of[0][0];
	const ek_method *m = NULL;

	(void)state;
	do
		for (int base = 0; base < 2; base++) {
			const ek_hints hints = {.size = sizeof hints, .method = name_or_auto(m)};
			ek_matrix *A, *C = NULL;
			ek_plan *plan;

			snprintf(product_where, sizeof product_where, "%s from %d", hints.method,
			         base);
			expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 4,
			                                 base ? ptr1 : ptr, base ? col1 : col, val,
			                                 EK_BORROW | (base ? EK_BASE1 : 0), &A),
			              EK_OK);
			expect_status(ek_plan_create(EK_TRANSPOSE, A, &hints, &plan), EK_OK);
			for (int again = 0; again < 2; again++) {
				expect_status(ek_transpose(plan, &C), EK_OK);
				check_array(C, "row_ptr", "", row_ptr, sizeof row_ptr);
				check_array(C, "col_idx", "", row, sizeof row);
				check_array(C, "val", "", expected, sizeof expected);
				poison_values(C);
			}
			ek_plan_destroy(plan);
			ek_matrix_destroy(A);
			ek_matrix_destroy(C);
		}
	while ((m = processor_method_next(m, EK_TRANSPOSE)));
}

/* Checks that a matrix in another format, and its new values, are transposed by way of CSR. */
static void test_other_format(void **state)
{
	ek_context *ctx = contexts.of[0][0];
	double val[64];
	ek_matrix *csr, *A, *C = NULL, *D;
	ek_plan *plan;

	(void)state;
	expect_status(ek_matrix_generate(ctx, "banded:n=20,lower=1,upper=0", EK_F64, EK_I32, &csr),
	              EK_OK);
	expect_status(ek_matrix_convert(csr, "ell", NULL, &A), EK_OK);
	expect_status(ek_plan_create(EK_TRANSPOSE, A, NULL, &plan), EK_OK);
	expect_status(ek_transpose(plan, &C), EK_OK);
	D = transposed(csr, "csr.serial");
	compare(C, D);
	ek_matrix_destroy(D);
	for (int k = 0; k < 64; k++)
		val[k] = 100 + k;
	expect_status(ek_matrix_set_values(csr, csr->store.nnz, val), EK_OK);
	expect_status(ek_matrix_set_values(A, csr->store.nnz, val), EK_OK);
	expect_status(ek_transpose(plan, &C), EK_OK);
	D = transposed(csr, "csr.serial");
	compare(C, D);
	ek_matrix_destroy(D);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	ek_matrix_destroy(C);
	ek_matrix_destroy(csr);
}

static int setup(void **state)
{
	draw.state = 23;
	return contexts_setup(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_given), cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_random),   cmocka_unit_test(test_generated),
		cmocka_unit_test(test_large),    cmocka_unit_test(test_few_columns),
		cmocka_unit_test(test_copies),   cmocka_unit_test(test_other_format),
	};

	(void)argc;
	test_passive_threads(argv);
	return run_all_tests(tests, setup, contexts_teardown);
}
