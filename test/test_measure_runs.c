/* SPDX-License-Identifier: BSD-3-Clause
 * Tests runs of plans with hints.measure, whose results must be right whatever happens during the
 * trials: runs that are not compared, new values, threads, failing allocations, matrices in other
 * forms. Values are small integers, so that all methods give the same bits. */
#include <pthread.h>

#include "support/trials.h"

enum { THREADS = 3 };

/* ---- Runs that are no trials ----------------------------------------------------------------- */

static void others_are_not_timed(void **state)
{
	(void)state;
	fake_reset();
	ek_plan *plan = make_plan(A, EK_SPMV, EK_OP_N, true, NULL, NULL);
	eki_trials *t = plan->trials;

	run(plan, 0, y);
	for (int k = 0; k < RUNS; k++)
		run(plan, 0.5, y);
	assert_true(t->list[0].runs == 1 && !t->decided);
	run(plan, 0, y);
	assert_true(t->list[0].runs == 2);
	for (int k = 0; k < 600; k++)
		run(plan, 0.5, y);
	assert_true(t->decided && t->now == 0);
	assert_int_equal(ek_wisdom_count(ctx), 0); /* nothing was measured */
	ek_plan_destroy(plan);
}

/* New values reach all candidates; runs that take them over are not compared. */
static void new_values(void **state)
{
	ek_plan *plan, *oracle;
	static double val[N * 64];
	ek_matrix_info info = {.size = sizeof info};

	(void)state;
	expect_status(ek_matrix_get_info(A, &info), EK_OK);
	assert_true(info.nnz <= N * 64);
	for (int i = 0; i < info.nnz; i++)
		val[i] = i % 9 - 4;
	expect_status(ek_matrix_set_values(A, info.nnz, val), EK_OK);
	for (int op = 0; op < 2; op++) {
		fake_reset();
		exact_x();
		plan = make_plan(A, EK_SPMV, op ? EK_OP_T : EK_OP_N, true, NULL, NULL);
		oracle = make_plan(A, EK_SPMV, op ? EK_OP_T : EK_OP_N, false, "csr.serial", NULL);
		for (int k = 0; k < 2 * RUNS; k++) {
			if (k % 4 == 3) {
				for (int i = 0; i < info.nnz; i++)
					val[i] = (i * 7 + k) % 9 - 4;
				expect_status(ek_matrix_set_values(A, info.nnz, val), EK_OK);
			}
			run(plan, 0, y);
			run(oracle, 0, z);
			assert_memory_equal(y, z, N * sizeof *y);
		}
		ek_plan_destroy(plan);
		ek_plan_destroy(oracle);
	}
}

/* ---- Threads --------------------------------------------------------------------------------- */

struct worker {
	ek_plan *plan;
	double y[N], want[N];
	bool wrong;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	const ek_dense xv = ek_vector(EK_F64, N, x), yv = ek_vector(EK_F64, N, w->y);
	char text[2048];

	for (int k = 0; k < RUNS; k++) {
		w->wrong |= ek_spmv(w->plan, 1.5, &xv, 0, &yv) != EK_OK;
		w->wrong |= memcmp(w->y, w->want, sizeof w->y) != 0;
		w->wrong |= ek_plan_explain(w->plan, text, sizeof text) != EK_OK;
		w->wrong |=
			ek_plan_memory(w->plan) <= 0 || !ek_method_find(ek_plan_method(w->plan));
	}
	return NULL;
}

static void threads_share_a_plan(void **state)
{
	static struct worker w[THREADS];
	pthread_t thread[THREADS];

	(void)state;
	exact_x();
	for (int round = 0; round < 5; round++) {
		fake_reset();
		ek_plan *plan = make_plan(A, EK_SPMV, EK_OP_N, true, NULL, NULL);
		ek_plan *oracle = make_plan(A, EK_SPMV, EK_OP_N, false, "csr.serial", NULL);

		fake_set(plan->trials->list[tryable(plan, 0)].method, 50e3);
		for (int k = 0; k < round * 4; k++)
			run(plan, 0, y);
		for (int k = 0; k < THREADS; k++) {
			w[k].plan = plan;
			w[k].wrong = false;
			run(oracle, 0, w[k].want);
			assert_int_equal(pthread_create(&thread[k], NULL, work, &w[k]), 0);
		}
		for (int k = 0; k < THREADS; k++) {
			pthread_join(thread[k], NULL);
			assert_false(w[k].wrong);
		}
		run_until_decided(plan);
		assert_true(plan->trials->users == 0);
		for (int k = 0; k < EKI_TRIED_MOST; k++)
			assert_null(plan->trials->loser[k]);
		ek_plan_destroy(plan);
		ek_plan_destroy(oracle);
	}
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Makes the n-th allocation of the trials fail: all runs succeed nevertheless. */
static void allocations_fail(void **state)
{
	long n = 0;
	bool failed = true;

	(void)state;
	exact_x();
	ek_plan *oracle = make_plan(A, EK_SPMV, EK_OP_N, false, "csr.serial", NULL);

	run(oracle, 0, z);
	for (; failed; n++) {
		for (int persistent = 0; persistent < 2; persistent++) {
			fake_reset();
			ek_plan *plan = make_plan(A, EK_SPMV, EK_OP_N, true, NULL, NULL);
			const int64_t before = ek_plan_memory(plan);

			heap_fail(&heap, n, persistent);
			for (int k = 0; k < RUNS; k++) {
				run(plan, 0, y);
				assert_memory_equal(y, z, N * sizeof *y);
			}
			failed = atomic_load(&heap.calls) > n;
			heap_fail(&heap, -1, false);
			assert_true(plan->trials->decided);
			assert_true(plan->trials->now != 0 || ek_plan_memory(plan) == before);
			ek_plan_destroy(plan);
		}
	}
	assert_true(n > 2);
	ek_plan_destroy(oracle);
}

/* Makes the n-th allocation of ek_plan_create fail. */
static void creation_fails(void **state)
{
	const ek_hints h = {.size = sizeof h, .calls = 100, .measure = 1};
	bool failed = true;

	(void)state;
	fake_reset();
	for (long n = 0; failed; n++) {
		const long live = atomic_load(&heap.live);
		ek_plan *plan = NULL;

		heap_fail(&heap, n, true);
		const ek_status status = ek_plan_create(EK_SPMV, A, &h, &plan);

		failed = atomic_load(&heap.calls) > n;
		heap_fail(&heap, -1, false);
		expect_status(status, failed ? EK_ENOMEM : EK_OK);
		assert_true((plan != NULL) != failed);
		ek_plan_destroy(plan);
		assert_int_equal(atomic_load(&heap.live), live);
	}
}

static void memory_is_counted(void **state)
{
	(void)state;
	fake_reset();
	ek_plan *plan = make_plan(A, EK_SPMV, EK_OP_N, true, NULL, NULL);
	int64_t least = ek_plan_memory(plan), most = least;

	assert_true(least > ek_plan_memory(plan->trials->list[0].plan));
	for (int k = 0; k < RUNS; k++) {
		run(plan, 0, y);
		most = ek_plan_memory(plan) > most ? ek_plan_memory(plan) : most;
	}
	assert_true(most > least && ek_plan_memory(plan) < most);
	ek_plan_destroy(plan);
}

/* ---- Matrices -------------------------------------------------------------------------------- */

/* Tries matrices in other forms, and a format in the hints. The caller destroys the matrix during
 * the trials. */
static void other_matrices(void **state)
{
	static const char *const held[] = {"csc", "ell", "sell", "csr"};
	ek_plan *oracle = make_plan(A, EK_SPMV, EK_OP_N, false, "csr.serial", NULL);
	ek_prediction prediction = {.size = sizeof prediction};

	(void)state;
	exact_x();
	run(oracle, 0, z);
	for (size_t k = 0; k < sizeof held / sizeof *held; k++) {
		const ek_convert_options all = {.size = sizeof all, .max_bytes = -1};
		ek_matrix *B;
		ek_plan *plan;

		fake_reset();
		expect_status(ek_matrix_convert(A, held[k], &all, &B), EK_OK);
		plan = make_plan(B, EK_SPMV, EK_OP_N, true, NULL, k == 3 ? "csc" : NULL);
		for (int i = 0; i < RUNS; i++) {
			run(plan, 0, y);
			assert_memory_equal(y, z, N * sizeof *y);
			if (i == 2)
				expect_error(ek_matrix_convert_in_place(B, "coo", NULL), EK_EINVAL,
				             "A has 1 live plan");
			if (i == 3)
				ek_matrix_destroy(B);
		}
		assert_true(plan->trials->decided);
		expect_status(ek_plan_predict(plan, 10, &prediction), EK_OK);
		assert_true(prediction.run > 0);
		ek_plan_destroy(plan);
	}
	ek_plan_destroy(oracle);
}

/* Columns that start at 1: some candidates read them, and others a copy. */
static void columns_from_one(void **state)
{
	ek_view ptr = {.size = sizeof ptr}, col = ptr, val = ptr;
	ek_matrix_info info = {.size = sizeof info};
	int32_t *ptr1, *col1;
	ek_matrix *B;

	(void)state;
	expect_status(ek_matrix_get_info(A, &info), EK_OK);
	expect_status(ek_matrix_array(A, "row_ptr", &ptr), EK_OK);
	expect_status(ek_matrix_array(A, "col_idx", &col), EK_OK);
	expect_status(ek_matrix_array(A, "val", &val), EK_OK);
	ptr1 = malloc((size_t)ptr.len * sizeof *ptr1);
	col1 = malloc((size_t)col.len * sizeof *col1);
	for (int64_t k = 0; k < ptr.len; k++)
		ptr1[k] = ((const int32_t *)ptr.data)[k] + 1;
	for (int64_t k = 0; k < col.len; k++)
		col1[k] = ((const int32_t *)col.data)[k] + 1;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, N, N, ptr1, col1, val.data,
	                                 EK_BORROW | EK_BASE1, &B),
	              EK_OK);
	for (int op = 0; op < 2; op++) {
		ek_plan *oracle =
			make_plan(A, EK_SPMV, op ? EK_OP_T : EK_OP_N, false, "csr.serial", NULL);

		fake_reset();
		ek_plan *plan = make_plan(B, EK_SPMV, op ? EK_OP_T : EK_OP_N, true, NULL, NULL);

		run(oracle, 0, z);
		for (int k = 0; k < RUNS; k++) {
			run(plan, 0, y);
			assert_memory_equal(y, z, N * sizeof *y);
		}
		assert_true(tryable(plan, 0) && plan->trials->list[tryable(plan, 0)].runs > 0);
		ek_plan_destroy(plan);
		ek_plan_destroy(oracle);
	}
	ek_matrix_destroy(B);
	free(ptr1);
	free(col1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(others_are_not_timed),
		cmocka_unit_test(memory_is_counted),
		cmocka_unit_test(creation_fails),
		cmocka_unit_test(new_values), /* from here on the values are small integers */
		cmocka_unit_test(threads_share_a_plan),
		cmocka_unit_test(allocations_fail),
		cmocka_unit_test(other_matrices),
		cmocka_unit_test(columns_from_one),
	};

	return run_all_tests(tests, trials_setup, trials_teardown);
}
