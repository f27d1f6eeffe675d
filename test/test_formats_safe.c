/* SPDX-License-Identifier: BSD-3-Clause
 * Tests formats with damaged arrays, in which one byte is changed, and with failing allocations. A
 * new row of the table is tested without a change here. */
#include "plan/plan.h"
#include "support/exhaust.h"
#include "support/guard.h"
#include "support/product.h"
#include "support/support.h"

enum { ROWS = 61, COLS = 50, WHOLE_COLS = 40 };

static struct guard x_guard, y_guard;

/* Runs products and conversions of a damaged matrix that ek_matrix_check accepted. They must not
 * access memory outside the arrays. */
static void use(const ek_matrix *B)
{
	ek_matrix_info info = {.size = sizeof info};
	ek_matrix *C;
	ek_plan *plan;
	double value;

	expect_status(ek_matrix_get_info(B, &info), EK_OK);
	for (int op = 0; op < 2; op++) {
		const int64_t nx = op ? info.rows : info.cols, ny = op ? info.cols : info.rows;
		void *x = guard_at_end(&x_guard, (size_t)nx * sizeof(double));
		void *y = guard_at_end(&y_guard, (size_t)ny * sizeof(double));
		const ek_dense X = ek_vector(EK_F64, nx, x), Y = ek_vector(EK_F64, ny, y);
		ek_hints hints = {.size = sizeof hints, .op = op ? EK_OP_T : EK_OP_N};

		expect_status(ek_plan_create(EK_SPMV, B, &hints, &plan), EK_OK);
		expect_status(ek_spmv(plan, 1, &X, 0, &Y), EK_OK);
		ek_plan_destroy(plan);
	}
	expect_status(ek_matrix_convert(B, "csr", NULL, &C), EK_OK);
	ek_matrix_destroy(C);
	for (int64_t i = 0; i < ROWS; i += 12)
		expect_status(ek_matrix_get(B, i, i % 7, &value), EK_OK);
}

/* Changes one byte of array k at a time, first in several bits, then in one bit. Adds the number of
 * bytes to *all, and of those whose first change the check found to *found. An array of values adds
 * nothing: there the check must find every change of padding. */
static void break_array(ek_matrix *B, int k, int *found, int *all)
{
	const eki_elem elem = B->store.format->array[k].elem;
	const size_t size = eki_elem_size(elem, EK_F64, EK_I32);
	const size_t bytes = (size_t)B->store.len[k] * size;
	unsigned char *byte = B->store.array[k];
	int seen = 0;

	for (size_t at = 0; at < bytes; at += elem == EKI_VALUE ? size : 1) {
		byte[at] ^= 0x85;
		if (ek_matrix_check(B) == EK_ERANGE)
			seen++;
		else if (elem != EKI_VALUE)
			use(B);
		byte[at] ^= 0x85;
		byte[at] ^= 1; /* usually gives another valid row or column */
		if (ek_matrix_check(B) != EK_ERANGE)
			use(B);
		byte[at] ^= 1;
	}
	if (elem == EKI_VALUE)
		assert_in_range(B->store.len[k] - seen, 0, B->store.nnz);
	*found += elem == EKI_VALUE ? 0 : seen;
	*all += elem == EKI_VALUE ? 0 : (int)bytes;
}

static void break_dims(ek_matrix *B)
{
	ek_matrix *C;

	for (int k = 0; k < EKI_MAX_DIMS; k++) {
		int64_t *dim = &B->store.dim[k], was = *dim;
		const int64_t wrong[] = {was - 1,        was + 1,   -1,
		                         INT64_MIN,      INT64_MAX, INT64_MAX / 2 + 1,
		                         INT32_MAX + 1LL};

		for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
			*dim = wrong[w];
			if (ek_matrix_check(B) == EK_ERANGE)
				continue;
			use(B);
			/* Converting types remakes the arrays, with the changed parameters. */
			expect_status(eki_matrix_retype(B, NULL, EK_F32, EK_I64, &C), EK_OK);
			ek_matrix_destroy(C);
		}
		*dim = was;
	}
}

/* Makes a matrix with short rows, some of them empty, and a full last row. */
static ek_matrix *make(ek_context *ctx, int cols)
{
	int32_t ptr[ROWS + 1] = {0}, col[5 * ROWS + COLS];
	double val[5 * ROWS + COLS];
	int n = 0;
	ek_matrix *A;

	for (int i = 0; i < ROWS; i++) {
		const int len = i == ROWS - 1 ? cols : i % 6, step = i == ROWS - 1 ? 1 : 3 + i % 5;

		for (int j = 0; j < len; j++) {
			col[n] = i == ROWS - 1 ? j : i % 11 + j * step;
			val[n++] = 1 + i;
		}
		ptr[i + 1] = n;
	}
	expect_status(
		ek_matrix_from_csr(ctx, EK_F64, EK_I32, ROWS, cols, ptr, col, val, EK_COPY, &A),
		EK_OK);
	return A;
}

static void break_format(const ek_matrix *A, const char *format)
{
	int found = 0, all = 0;
	ek_matrix *B;

	expect_status(ek_matrix_convert(A, format, NULL, &B), EK_OK);
	for (int k = 0; k < EKI_MAX_ARRAYS && B->store.format->array[k].name; k++)
		break_array(B, k, &found, &all);
	break_dims(B);
	print_message("  %s: %d of %d changes found\n", format, found, all);
	assert_true(2 * found > all);
	ek_matrix_destroy(B);
}

/* Breaks A in those of `count` formats with parameters that are in the table of formats: the tests
 * of templates have another table. */
static void break_each(const ek_matrix *A, const char *const *format, size_t count)
{
	for (size_t k = 0; k < count; k++) {
		char name[32];

		snprintf(name, sizeof name, "%.*s", (int)strcspn(format[k], ":"), format[k]);
		if (ek_format_find(name))
			break_format(A, format[k]);
	}
}

/* Changes each byte of the pattern and each parameter. Either the check finds the change, or
 * products and conversions must stay inside the arrays. The check must also find padding that is
 * not 0. */
static void test_broken(void **state)
{
	/* Parameters that cause more padding than what the formats choose for this matrix. */
	static const char *const other[] = {"ell:order=1",           "hyb:width=7",
	                                    "sell:c=8,sigma=16",     "brc:height=8,width=7",
	                                    "bcsr:r=2,c=3",          "bcoo:r=3,c=2",
	                                    "bccoo:r=3,c=3",         "bell:r=2,c=3",
	                                    "sbell:r=3,c=2,h=4",     "bccoo:r=1,c=2,deltas=1",
	                                    "bccoo:r=2,c=1,deltas=2"};
	/* Blocks of which none reaches beyond the last column. */
	static const char *const whole[] = {"bcsr:r=1,c=8", "bell:r=1,c=8", "sbell:r=1,c=8,h=8",
	                                    "sbell:r=1,c=8,h=64"};
	struct heap heap = HEAP_INIT;
	ek_context *ctx = heap_context_cut(&heap, 2, 0);
	ek_matrix *A;

	(void)state;
	product_catch_crashes();
	guard_make(&x_guard, ROWS * sizeof(double));
	guard_make(&y_guard, ROWS * sizeof(double));
	A = make(ctx, COLS);
	for (const ek_format *f = NULL; (f = ek_format_next(f));)
		break_format(A, ek_format_name(f));
	break_each(A, other, sizeof other / sizeof *other);
	ek_matrix_destroy(A);
	A = make(ctx, WHOLE_COLS);
	break_each(A, whole, sizeof whole / sizeof *whole);
	ek_matrix_destroy(A);
	guard_free(&x_guard);
	guard_free(&y_guard);
	ek_context_destroy(ctx);
	heap_close(&heap);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static const char *exhausted; /* format to which convert_call converts */

static ek_status convert_call(struct exhaust *e)
{
	return ek_matrix_convert(e->arg, exhausted, NULL, (ek_matrix **)&e->out);
}

static void convert_release(struct exhaust *e)
{
	ek_matrix_destroy(e->out);
}

static void test_memory(void **state)
{
	struct exhaust e = {0};
	ek_matrix *A;

	(void)state;
	exhaust_open(&e, 2, NULL);
	expect_status(ek_matrix_generate(e.ctx, "poisson2d5:nx=20,ny=20", EK_F64, EK_I32, &A),
	              EK_OK);
	e.arg = A;
	for (const ek_format *f = NULL; (f = ek_format_next(f));) {
		exhausted = ek_format_name(f);
		assert_true(exhaust(&e, exhausted, convert_call, convert_release) > 1);
	}
	ek_matrix_destroy(A);
	exhaust_close(&e);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_memory),
	};

	(void)argc;
	test_passive_threads(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
