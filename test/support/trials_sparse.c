/* SPDX-License-Identifier: BSD-3-Clause
 * Sparse products of plans with hints.measure. */
#define _POSIX_C_SOURCE 200809L /* unsetenv */
#include "support/trials_sparse.h"

struct trials_sparse trials_sparse;

/* Entry k of a row is in the k-th of `each` equal ranges of columns. */
ek_matrix *trials_sparse_matrix(ek_context *c, int64_t cols, int each, int seed)
{
	static int32_t ptr[SPARSE_ROWS + 1], col[SPARSE_ROWS * 8];
	static double val[SPARSE_ROWS * 8];
	const int64_t range = cols / each;
	ek_matrix *M;

	for (int i = 0; i < SPARSE_ROWS; i++) {
		ptr[i + 1] = (i + 1) * each;
		for (int k = 0; k < each; k++) {
			col[i * each + k] =
				(int32_t)(k * range + (i * 37 + k * 11 + seed) % 53 % range);
			val[i * each + k] = (i + k) % 9 - 4;
		}
	}
	expect_status(ek_matrix_from_csr(c, EK_F64, EK_I32, SPARSE_ROWS, cols, ptr, col, val,
	                                 EK_COPY, &M),
	              EK_OK);
	return M;
}

void trials_sparse_values(ek_matrix *M, int seed)
{
	static double val[SPARSE_ROWS * 8];
	ek_matrix_info info = {.size = sizeof info};

	expect_status(ek_matrix_get_info(M, &info), EK_OK);
	for (int k = 0; k < info.nnz; k++)
		val[k] = (k + seed) % 7 - 3;
	expect_status(ek_matrix_set_values(M, info.nnz, val), EK_OK);
}

static ek_plan *make(const char *method, bool with_d, bool measure, int64_t calls)
{
	const struct trials_sparse *s = &trials_sparse;
	const ek_hints h = {.size = sizeof h,
	                    .method = method,
	                    .calls = calls,
	                    .measure = measure,
	                    .B = s->B,
	                    .D = with_d ? s->D : NULL};
	ek_plan *plan;

	expect_status(ek_plan_create(EK_SPGEMM, s->A, &h, &plan), EK_OK);
	return plan;
}

void trials_sparse_open(ek_context *c, int64_t cols)
{
	struct trials_sparse *s = &trials_sparse;

	s->A = trials_sparse_matrix(c, SPARSE_ROWS, 5, 0);
	s->B = trials_sparse_matrix(c, cols, 4, 1);
	s->D = trials_sparse_matrix(c, cols, 3, 2);
	for (int d = 0; d < 2; d++)
		s->right[d] = make("csr.serial", d, false, 0);
}

void trials_sparse_close(void)
{
	struct trials_sparse *s = &trials_sparse;

	ek_plan_destroy(s->right[0]);
	ek_plan_destroy(s->right[1]);
	ek_matrix_destroy(s->A);
	ek_matrix_destroy(s->B);
	ek_matrix_destroy(s->D);
	memset(s, 0, sizeof *s);
}

ek_plan *trials_sparse_plan(bool with_d, int64_t calls)
{
	return make(NULL, with_d, true, calls);
}

static void expect_same(const ek_matrix *C, const ek_matrix *right)
{
	static const char *const names[] = {"row_ptr", "col_idx", "val"};

	for (int k = 0; k < 3; k++) {
		ek_view got = {.size = sizeof got}, want = got;

		expect_status(ek_matrix_array(C, names[k], &got), EK_OK);
		expect_status(ek_matrix_array(right, names[k], &want), EK_OK);
		assert_int_equal(got.len, want.len);
		if (memcmp(got.data, want.data, (size_t)got.len * (k == 2 ? 8 : 4)) != 0)
			fail_msg("%s of C is wrong", names[k]);
	}
}

void trials_sparse_check(const ek_plan *plan, double beta, const ek_matrix *C)
{
	ek_matrix *right = NULL;

	expect_status(
		ek_spgemm(trials_sparse.right[plan->problem.A[2].M != NULL], 1.5, beta, &right),
		EK_OK);
	expect_same(C, right);
	ek_matrix_destroy(right);
}

void trials_sparse_run(ek_plan *plan, double beta, ek_matrix **C)
{
	expect_status(ek_spgemm(plan, 1.5, beta, C), EK_OK);
	trials_sparse_check(plan, beta, *C);
}

int trials_sparse_setup(void **state)
{
	unsetenv("EK_METHOD");
	context_setup(state);
	ctx->timing = fake_time;
	trials_machine(ctx);
	trials_sparse_open(ctx, SPARSE_WIDE);
	return 0;
}

int trials_sparse_teardown(void **state)
{
	trials_sparse_close();
	return context_teardown(state);
}

ek_plan *trials_sparse_for_bins(bool with_d)
{
	fake_reset();
	fake_set(ek_method_find(SPARSE_BINS), 50e3);
	ek_plan *plan = trials_sparse_plan(with_d, 100);

	assert_false(plan->trials->decided);
	assert_int_equal(plan->trials->count, 2);
	assert_string_equal(plan->trials->list[0].method->name, SPARSE_FLAGS);
	assert_string_equal(plan->trials->list[1].method->name, SPARSE_BINS);
	return plan;
}

void trials_sparse_decide(ek_plan *plan, double beta, bool into, ek_matrix **C)
{
	for (int k = 0; k < RUNS && !plan->trials->decided; k++) {
		if (!into) {
			ek_matrix_destroy(*C);
			*C = NULL;
		}
		trials_sparse_run(plan, beta, C);
	}
	assert_true(plan->trials->decided);
}

void trials_sparse_end(ek_plan *plan, ek_matrix *C)
{
	const bool with_d = plan->problem.A[2].M != NULL;
	char text[1 << 14];
	ek_plan *second;

	trials_sparse_run(plan, 0.25, &C);
	ek_matrix_destroy(C);
	C = NULL;
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	assert_non_null(strstr(text, "measured and decided"));
	assert_null(strstr(text, "stays for vectors"));
	second = trials_sparse_plan(with_d, plan->problem.calls);
	assert_true(second->trials->known && second->trials->count == 1);
	assert_string_equal(ek_plan_method(second), ek_plan_method(plan));
	trials_sparse_run(second, 0, &C);
	ek_matrix_destroy(C);
	ek_plan_destroy(second);
	ek_plan_destroy(plan);
}
