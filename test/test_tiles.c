/* SPDX-License-Identifier: BSD-3-Clause
 * Tests plans of spmv.csr.forward: the bytes that a run moves, failures of the n-th allocation
 * while tiles are made, and refused matrices. Also tests the tiles of a transposed copy, whose
 * values come from A. */
#include "plan/plan.h"
#include "spmv/panels.h"
#include "support/exhaust.h"
#include "support/support.h"

static const char method[] = "spmv.csr.forward";
static struct exhaust e;

static int setup(void **state)
{
	(void)state;
	exhaust_open(&e, 3, NULL);
	e.ctx->machine = eki_machine_fixed(); /* same choice of methods on every computer */
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	exhaust_close(&e);
	return 0;
}

static ek_matrix *generate(const char *spec, ek_index index)
{
	ek_matrix *A = NULL;

	expect_status(ek_matrix_generate(e.ctx, spec, EK_F64, index, &A), EK_OK);
	return A;
}

/* Checks that a run moves 2 or 6 bytes less per entry than plain CSR, as columns take 16 bits. */
static void test_bytes(void **state)
{
	(void)state;
	for (int wide = 0; wide < 2; wide++)
		for (int index = EK_I32; index <= EK_I64; index++) {
			ek_hints hints = {.size = sizeof hints, .method = method};
			int64_t saved = index == EK_I64 ? 6 : 2, csr;
			ek_matrix_info info = {.size = sizeof info};
			ek_matrix *A = generate(wide ? "uniform:rows=3000,cols=65537,k=200"
			                             : "uniform:rows=3000,cols=65536,k=200",
			                        (ek_index)index);
			ek_plan *plan;

			expect_status(ek_matrix_get_info(A, &info), EK_OK);
			csr = info.bytes + (info.rows + info.cols) * 8;
			expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
			if (wide)
				assert_in_range(ek_plan_bytes(plan), csr - saved * info.nnz - 24000,
				                csr - saved * info.nnz);
			else
				assert_int_equal(ek_plan_bytes(plan), csr - saved * info.nnz);
			assert_true(ek_plan_memory(plan) >= info.nnz * (wide ? 10 : 2));
			ek_plan_destroy(plan);
			ek_matrix_destroy(A);
		}
}

static ek_status make_plan(struct exhaust *x)
{
	ek_hints hints = {.size = sizeof hints, .method = method};

	return ek_plan_create(EK_SPMV, x->arg, &hints, (ek_plan **)&x->out);
}

static void free_plan(struct exhaust *x)
{
	ek_plan_destroy(x->out);
}

static void test_no_memory(void **state)
{
	static const char *const spec[] = {"uniform:rows=50,cols=1000,k=9",
	                                   "uniform:rows=50,cols=200000,k=9"};

	(void)state;
	for (int k = 0; k < 2; k++) {
		ek_matrix *A = generate(spec[k], EK_I32);

		e.arg = A;
		assert_true(exhaust(&e, spec[k], make_plan, free_plan) >= (k ? 10 : 4));
		ek_matrix_destroy(A);
	}
}

/* Checks that a matrix of one entry in 5001 panels of columns, which would have too many tiles, is
 * refused with a message that names the method, and that `auto` takes another. Matrices with one
 * panel need no tiles, so they are accepted with any number of rows. */
static void test_too_many_tiles(void **state)
{
	int64_t rows[2] = {0, 1}, col = 5000LL * PANEL;
	double one = 1;
	ek_hints hints = {.size = sizeof hints, .method = method};
	ek_plan *plan = NULL;
	ek_matrix *A;

	(void)state;
	expect_status(
		ek_matrix_from_csr(e.ctx, EK_F64, EK_I64, 1, col + 1, rows, &col, &one, 0, &A),
		EK_OK);
	expect_error(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_EUNSUPPORTED, method);
	assert_null(plan);
	expect_status(ek_plan_create(EK_SPMV, A, NULL, &plan), EK_OK);
	assert_string_not_equal(ek_plan_method(plan), method);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
}

/* ---- Transposed copies ----------------------------------------------------------------------- */

enum { LONG = 240000, SHORT = 5000 };

static void multiply(ek_matrix *A, const char *by, ek_plan **plan, const double *x, double *y)
{
	ek_hints hints = {.size = sizeof hints, .method = by, .op = EK_OP_T};
	ek_dense xv = ek_vector(EK_F64, LONG, x), yv = ek_vector(EK_F64, SHORT, y);

	if (!*plan)
		expect_status(ek_plan_create(EK_SPMV, A, &hints, plan), EK_OK);
	expect_status(ek_spmv(*plan, 2, &xv, 0, &yv), EK_OK);
}

/* Tests a transposed copy whose x is larger than a cache and whose columns are scattered, so that
 * the plan chooses tiles for it. */
static void test_copy(void **state)
{
	ek_matrix *A = generate("uniform:rows=240000,cols=5000,k=3", EK_I32);
	int64_t nnz = A->store.nnz;
	double *x = malloc(LONG * sizeof *x), *y = malloc(2 * SHORT * sizeof *y);
	double *val = malloc((size_t)nnz * sizeof *val);
	ek_plan *plan = NULL, *plain = NULL;

	(void)state;
	for (int64_t k = 0; k < LONG; k++)
		x[k] = (double)(k % 9) - 4;
	for (int turn = 0; turn < 3; turn++) {
		for (int64_t k = 0; k < nnz; k++)
			val[k] = (double)(k % (7 + turn)) - 3;
		expect_status(ek_matrix_set_values(A, nnz, val), EK_OK);
		multiply(A, "spmv.csr.copy_t", &plan, x, y);
		multiply(A, "spmv.csr.serial", &plain, x, y + SHORT);
		for (int i = 0; i < SHORT; i++)
			assert_true(y[i] == y[SHORT + i]);
	}
	assert_string_equal(plan->root.child->method->name, method);
	ek_plan_destroy(plan);
	ek_plan_destroy(plain);
	ek_matrix_destroy(A);
	free(val);
	free(x);
	free(y);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_too_many_tiles),
		cmocka_unit_test(test_copy),
	};

	return run_all_tests(tests, setup, teardown);
}
