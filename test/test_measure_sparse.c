/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the decisions of hints.measure for sparse products on the processor, with made-up times:
 * which methods are tried, which stays, and for which products a decision holds. */
#define _POSIX_C_SOURCE 200809L /* getpid */
#include <unistd.h>

#include "support/trials_sparse.h"

/* ---- Decisions ------------------------------------------------------------------------------- */

/* The fastest stays, for runs that make C as for those into a C that exists, and the decision holds
 * for a second plan. */
static void fastest_stays(void **state)
{
	(void)state;
	for (int k = 0; k < 8; k++) {
		const bool with_d = k & 1, into = k & 2, predicted = k & 4;
		ek_matrix *C = NULL;
		ek_plan *plan = trials_sparse_for_bins(with_d);

		if (predicted)
			fake.time[0] = 98e3; /* of csr.bins: less than 3 percent */
		trials_sparse_decide(plan, 0.5, into, &C);
		assert_string_equal(ek_plan_method(plan), predicted ? SPARSE_FLAGS : SPARSE_BINS);
		assert_true(plan->trials->list[1].runs == EKI_TRIAL_RUNS);
		for (int i = 0; i < 2; i++)
			assert_true((plan->trials->list[i].plan != NULL) == (i == !predicted));
		trials_sparse_end(plan, C);
	}
}

/* A decision holds for its operands, their ops and the type of C's indices. */
static void decisions_differ(void **state)
{
	struct trials_sparse *s = &trials_sparse;
	ek_matrix *C = NULL, *other = trials_sparse_matrix(ctx, SPARSE_WIDE, 4, 5), *wide;
	ek_plan *plan = trials_sparse_for_bins(false);

	(void)state;
	trials_sparse_decide(plan, 0, true, &C);
	ek_plan_destroy(plan);
	ek_matrix_destroy(C);
	expect_status(convert_types(s->B, EK_F64, EK_I64, &wide), EK_OK);
	for (int k = 0; k < 7; k++) {
		const ek_hints h = {.size = sizeof h,
		                    .calls = 100,
		                    .measure = 1,
		                    .op = k == 1 ? EK_OP_T : 0,
		                    .B = k == 2   ? other
		                         : k == 3 ? wide
		                                  : s->B,
		                    .D = k == 4 ? s->D : NULL,
		                    .index = k == 5 ? EK_I64_32 : 0,
		                    .format = k == 6 ? "csr" : NULL};

		expect_status(ek_plan_create(EK_SPGEMM, s->A, &h, &plan), EK_OK);
		if (plan->trials->known != (k == 0))
			fail_msg("hints %d: a decision was%s found", k, k ? "" : " not");
		ek_plan_destroy(plan);
	}
	ek_matrix_destroy(other);
	ek_matrix_destroy(wide);
}

/* A decision is the same after it was in a file. */
static void decision_in_a_file(void **state)
{
	ek_plan *plan = trials_sparse_for_bins(true);
	ek_matrix *C = NULL;
	char path[64];

	(void)state;
	snprintf(path, sizeof path, "/tmp/ek-measure-sparse-%ld", (long)getpid());
	trials_sparse_decide(plan, 1, true, &C);
	ek_matrix_destroy(C);
	ek_plan_destroy(plan);
	expect_status(ek_wisdom_save(ctx, path), EK_OK);
	fake_reset();
	expect_status(ek_wisdom_load(ctx, path), EK_OK);
	plan = trials_sparse_plan(true, 100);
	assert_true(plan->trials->known);
	assert_string_equal(ek_plan_method(plan), SPARSE_BINS);
	ek_plan_destroy(plan);
	unlink(path);
}

/* Returns the key of the question that a plan for op(A) op_b(B) asks. */
static eki_wisdom_key key_of(ek_matrix *M, ek_op op_b)
{
	const ek_hints h = {.size = sizeof h, .calls = 100, .measure = 1, .B = M, .op_b = op_b};
	eki_wisdom_key key;
	ek_plan *plan;

	expect_status(ek_plan_create(EK_SPGEMM, M, &h, &plan), EK_OK);
	key = plan->trials->key;
	ek_plan_destroy(plan);
	return key;
}

static void op_is_in_the_key(void **state)
{
	(void)state;
	fake_reset();
	const eki_wisdom_key n = key_of(trials_sparse.A, EK_OP_N);
	const eki_wisdom_key t = key_of(trials_sparse.A, EK_OP_T);

	assert_true(n.pattern != t.pattern);
}

/* ---- What is tried --------------------------------------------------------------------------- */

/* csr.bins is not tried where csr.flags has sums for all columns of C at once, since it is then far
 * slower. */
static void few_are_tried(void **state)
{
	const ek_hints h = {.size = sizeof h, .calls = 100, .measure = 1, .B = trials_sparse.A};
	char text[8192];
	ek_plan *plan;
	ek_matrix *C = NULL;

	(void)state;
	fake_reset();
	expect_status(ek_plan_create(EK_SPGEMM, trials_sparse.A, &h, &plan), EK_OK);
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	assert_non_null(strstr(text, "measured nothing: no other method"));
	expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
	ek_matrix_destroy(C);
	ek_plan_destroy(plan);
}

/* Makes a matrix whose row i has `each` entries from column step * i on, `step` apart. In the first
 * `far` rows the last one is in the last column instead. */
static ek_matrix *band(int64_t cols, int step, int each, int far)
{
	static int32_t ptr[SPARSE_ROWS + 1], col[SPARSE_ROWS * 3];
	static double val[SPARSE_ROWS * 3];
	ek_matrix *M;

	for (int i = 0; i < SPARSE_ROWS; i++) {
		const int first = i < SPARSE_ROWS - each ? i : SPARSE_ROWS - each;

		ptr[i + 1] = each * (i + 1);
		for (int k = 0; k < each; k++) {
			col[each * i + k] = step * (first + k);
			val[each * i + k] = 1 + k;
		}
		if (i < far)
			col[each * (i + 1) - 1] = (int32_t)(cols - 1);
	}
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, SPARSE_ROWS, cols, ptr, col, val,
	                                 EK_COPY, &M),
	              EK_OK);
	return M;
}

/* Nor where C is wide, but most of its rows fit a window, or are copies of rows of B. */
static void rows_are_wide(void **state)
{
	static const struct {
		int lists, far, far_d; /* entries in a row of A; far rows of B, and of D */
		bool tried;
	} row[] = {{3, 0, 0, false},          {3, SPARSE_ROWS / 3, 0, false},
	           {3, SPARSE_ROWS, 0, true}, {3, 2 * SPARSE_ROWS / 3, 0, true},
	           {3, 0, SPARSE_ROWS, true}, {1, SPARSE_ROWS, 0, false}};

	(void)state;
	fake_reset();
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		ek_matrix *M = band(SPARSE_ROWS, 1, row[k].lists, 0);
		ek_matrix *B = band(SPARSE_WIDE, 100, 3, row[k].far);
		ek_matrix *D = row[k].far_d ? band(SPARSE_WIDE, 100, 3, row[k].far_d) : NULL;
		const ek_hints h = {.size = sizeof h, .calls = 100, .measure = 1, .B = B, .D = D};
		ek_plan *plan;

		expect_status(ek_plan_create(EK_SPGEMM, M, &h, &plan), EK_OK);
		if ((plan->trials->count == 2) != row[k].tried)
			fail_msg("row %d: %s is%s tried", (int)k, SPARSE_BINS,
			         row[k].tried ? " not" : "");
		ek_plan_destroy(plan);
		ek_matrix_destroy(M);
		ek_matrix_destroy(B);
		ek_matrix_destroy(D);
	}
}

/* A hard limit on memory leaves none for a second plan, and the hint takes none. */
static void memory_is_limited(void **state)
{
	ek_hints h = {.size = sizeof h,
	              .calls = 100,
	              .measure = 1,
	              .B = trials_sparse.B,
	              .memory = 1 << 24};
	char text[8192];
	ek_plan *plan;
	ek_matrix *C = NULL;

	(void)state;
	expect_status(ek_plan_create(EK_SPGEMM, trials_sparse.A, &h, &plan), EK_OK);
	assert_null(plan->trials);
	assert_true(ek_plan_memory(plan) <= h.memory);
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	assert_non_null(strstr(text, "\nmeasured nothing: hints.memory"));
	trials_sparse_run(plan, 0, &C);
	ek_matrix_destroy(C);
	ek_plan_destroy(plan);
	h.reproducible = EK_REPRO_STRICT;
	expect_error(ek_plan_create(EK_SPGEMM, trials_sparse.A, &h, &plan), EK_EINVAL,
	             "EK_REPRO_STRICT");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fastest_stays),      cmocka_unit_test(decisions_differ),
		cmocka_unit_test(decision_in_a_file), cmocka_unit_test(op_is_in_the_key),
		cmocka_unit_test(few_are_tried),      cmocka_unit_test(rows_are_wide),
		cmocka_unit_test(memory_is_limited),
	};

	return run_all_tests(tests, trials_sparse_setup, trials_sparse_teardown);
}
