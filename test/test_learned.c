/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the choice by learned rules: the features of small matrices, that a plan has the method of
 * a rule that is sure and measures otherwise, exact results, and what has no rules. The table
 * itself may be learned again, so nothing here depends on its rows. */
#include <math.h>

#include "plan/plan.h"
#include "support/context.h"
#include "support/support.h"

enum { TEXT = 16384 };

/* What the rules were learned on. */
static const struct training {
	ek_value value;
	ek_index index;
	int threads;
} trainings[] = {
#define LEARNED_ON(value, index, threads) {EK_##value, EK_##index, threads},
#define RULE(method, near, cases, ...)
#include "plan/learned.def"
#undef LEARNED_ON
#undef RULE
};

static bool trained(ek_value value, ek_index index, int threads)
{
	for (size_t k = 0; k < sizeof trainings / sizeof *trainings; k++)
		if (trainings[k].value == value && trainings[k].index == index &&
		    trainings[k].threads == threads)
			return true;
	return false;
}

static ek_plan *plan_of(const ek_matrix *A, ek_hints hints, char text[TEXT])
{
	ek_plan *plan = NULL;

	hints.size = sizeof hints;
	hints.method = "learned";
	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	expect_status(ek_plan_explain(plan, text, TEXT), EK_OK);
	return plan;
}

/* Makes a generated pattern with small integers as values. */
static ek_matrix *integers(const char *spec)
{
	ek_matrix *A = NULL, *B = NULL;
	ek_view ptr = {.size = sizeof ptr}, col = {.size = sizeof col};

	expect_status(ek_matrix_generate(ctx, spec, EK_F64, EK_I32, &A), EK_OK);
	expect_status(ek_matrix_array(A, "row_ptr", &ptr), EK_OK);
	expect_status(ek_matrix_array(A, "col_idx", &col), EK_OK);
	ek_matrix_info info = {.size = sizeof info};

	expect_status(ek_matrix_get_info(A, &info), EK_OK);
	double *val = malloc((size_t)(info.nnz + 1) * sizeof *val);

	for (int64_t k = 0; k < info.nnz; k++)
		val[k] = (double)(k % 7) - 3;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, info.rows, info.cols, ptr.data,
	                                 col.data, val, EK_COPY, &B),
	              EK_OK);
	free(val);
	ek_matrix_destroy(A);
	return B;
}

/* Compares y = op(A) x by a plan with that by the plain loop, bit for bit, in several runs, during
 * which a plan may try methods. */
static void check_product(const ek_matrix *A, ek_plan *plan, ek_op op)
{
	ek_matrix_info info = {.size = sizeof info};
	ek_hints hints = {.size = sizeof hints, .method = "csr.serial", .op = op};
	ek_plan *serial = NULL;

	expect_status(ek_matrix_get_info(A, &info), EK_OK);
	const int64_t in = op == EK_OP_T ? info.rows : info.cols;
	const int64_t out = op == EK_OP_T ? info.cols : info.rows;
	double *x = malloc((size_t)(in + 1) * sizeof *x);
	double *y = malloc((size_t)(2 * out + 1) * sizeof *y);

	for (int64_t j = 0; j < in; j++)
		x[j] = (double)(j % 5) - 2;
	ek_dense vx = ek_vector(EK_F64, in, x), vy = ek_vector(EK_F64, out, y),
		 vz = ek_vector(EK_F64, out, y + out);

	expect_status(ek_plan_create(EK_SPMV, A, &hints, &serial), EK_OK);
	expect_status(ek_spmv(serial, 2, &vx, 0, &vy), EK_OK);
	for (int run = 0; run < 40; run++) {
		expect_status(ek_spmv(plan, 2, &vx, 0, &vz), EK_OK);
		for (int64_t i = 0; i < out; i++)
			assert_true(y[i] == y[out + i]);
	}
	ek_plan_destroy(serial);
	free(x);
	free(y);
}

/* ---- Features -------------------------------------------------------------------------------- */

static void test_features(void **state)
{
	/* 4 x 5, rows of 3, 0, 2 and 1 entries on the diagonals 0, 1, 4, -1, 0, 0 */
	static const int32_t ptr[] = {0, 3, 3, 5, 6}, col[] = {0, 1, 4, 1, 2, 3};
	static const int32_t ptr1[] = {1, 4, 4, 6, 7}, col1[] = {1, 2, 5, 2, 3, 4};
	static const double val[] = {1, 1, 1, 1, 1, 1};
	double f[EKI_LEARN_FEATURES];
	ek_matrix *A;

	(void)state;
	for (int base = 0; base < 2; base++) {
		expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, 4, 5, base ? ptr1 : ptr,
		                                 base ? col1 : col, val,
		                                 EK_BORROW | (base ? EK_BASE1 : 0), &A),
		              EK_OK);
		expect_status(eki_learn_features(ctx, &A->store, 50, 3, f), EK_OK);
		assert_true(f[EKI_LEARN_rows] == 4 && f[EKI_LEARN_cols] == 5);
		assert_true(f[EKI_LEARN_nnz] == 6 && f[EKI_LEARN_row_max] == 3);
		assert_true(f[EKI_LEARN_row_mean] == 1.5);
		assert_true(f[EKI_LEARN_diagonals] == 4);
		/* 3 of 4 places of the main one, the 1 of diagonal 4; 1 of 4 and 1 of 3 */
		assert_true(f[EKI_LEARN_true_diagonals] == 0.5);
		assert_true(f[EKI_LEARN_er_dia] == 6. / 16);
		assert_true(f[EKI_LEARN_er_ell] == 6. / 12);
		assert_true(f[EKI_LEARN_calls] == 50 && f[EKI_LEARN_threads] == 3);
		assert_true(f[EKI_LEARN_value_bytes] == 8);
		ek_matrix_destroy(A);
	}
}

/* Rows whose number falls as k^-2 have that exponent; rows of one length have none. */
static void test_power(void **state)
{
	enum { MOST = 1 << 15 };
	static int32_t ptr[MOST], col[MOST];
	double f[EKI_LEARN_FEATURES], val[1] = {0};
	ek_store csr = {.format = &ek_format_csr, .value = EK_F64, .index = EK_I32, .cols = 64};
	int rows = 0;

	(void)state;
	for (int range = 0; range < 5; range++) /* 2^(10 - range) rows with 2^range entries */
		for (int k = 0; k < 1024 >> range; k++, rows++) {
			ptr[rows + 1] = ptr[rows] + (1 << range);
			for (int n = 0; n < 1 << range; n++)
				col[ptr[rows] + n] = n;
		}
	csr.rows = rows;
	csr.nnz = ptr[rows];
	csr.array[CSR_PTR] = ptr;
	csr.array[CSR_COL] = col;
	csr.array[CSR_VAL] = val;
	expect_status(eki_learn_features(ctx, &csr, 1, 1, f), EK_OK);
	assert_true(fabs(f[EKI_LEARN_power] - 2) < 1e-9);
	csr.rows = 1024;
	csr.nnz = 1024;
	expect_status(eki_learn_features(ctx, &csr, 1, 1, f), EK_OK);
	assert_true(f[EKI_LEARN_power] == 0);
}

/* ---- Plans ----------------------------------------------------------------------------------- */

static void test_plans(void **state)
{
	static const char *const specs[] = {
		"dense:rows=1,cols=1",
		"dense:rows=1,cols=3000",
		"dense:rows=3000,cols=1",
		"poisson2d5:nx=40,ny=40",
		"poisson3d27:nx=9,ny=9,nz=9",
		"powerlaw:rows=3000,cols=3000,max=2500",
		"arrow:n=2000,width=1",
		"uniform:rows=2000,cols=2000,k=9",
		"fem:nx=5,ny=5,nz=5,dof=3",
		"hypersparse:rows=30000,cols=30000,mean=0.01",
		"denserow:rows=2000,cols=2000,k=3",
		"emptyrows:rows=2000,cols=90,k=3,leading=0.3,interleaved=0.3,trailing=0.3"};
	static const int64_t calls[] = {8, 50, 0};
	char text[TEXT];

	(void)state;
	for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
		ek_matrix *A = integers(specs[s]);

		for (int k = 0; k < 6; k++) {
			const int threads = k < 3 ? 1 : 3;
			ek_plan *plan = plan_of(
				A, (ek_hints){.calls = calls[k % 3], .threads = threads}, text);
			const char *rule = strstr(text, "rule "), *sure;

			assert_non_null(rule);
			assert_non_null(strstr(rule, "features rows="));
			sure = strstr(rule, "confidence ");
			assert_non_null(sure);
			if (!trained(EK_F64, EK_I32, threads))
				assert_non_null(strstr(text, "learned with this "));
			if (strstr(text, "no learned rule decides")) {
				assert_non_null(strstr(text, "measured "));
			} else {
				assert_non_null(strstr(text, "why      a learned rule"));
				assert_true(atoi(sure + strlen("confidence ")) >= 80);
				assert_non_null(strstr(rule, ek_plan_method(plan)));
			}
			check_product(A, plan, EK_OP_N);
			ek_plan_destroy(plan);
		}
		ek_matrix_destroy(A);
	}
}

/* What has no rules is measured. */
static void test_without_rules(void **state)
{
	ek_matrix *A = integers("uniform:rows=900,cols=700,k=6"), *B = NULL;
	char text[TEXT];
	ek_plan *plan;

	(void)state;
	plan = plan_of(A, (ek_hints){.op = EK_OP_T}, text);
	assert_non_null(strstr(text, "no learned rule decides: the rules are for op N"));
	check_product(A, plan, EK_OP_T);
	ek_plan_destroy(plan);
	plan = plan_of(A, (ek_hints){.calls = 7}, text);
	assert_non_null(strstr(text, "no learned rule decides: too few calls are announced"));
	check_product(A, plan, EK_OP_N);
	ek_plan_destroy(plan);
	plan = plan_of(A, (ek_hints){.format = "sell"}, text);
	assert_non_null(strstr(text, "no learned rule decides: a format was asked for"));
	check_product(A, plan, EK_OP_N);
	ek_plan_destroy(plan);
	expect_status(ek_matrix_convert(A, "csc", NULL, &B), EK_OK);
	plan = plan_of(B, (ek_hints){.op = EK_OP_T}, text); /* op N of the rows that B stores */
	assert_non_null(strstr(text, "features rows=700"));
	ek_plan_destroy(plan);
	ek_matrix_destroy(B);
	expect_status(ek_matrix_convert(A, "ell", NULL, &B), EK_OK);
	plan = plan_of(B, (ek_hints){0}, text);
	assert_non_null(strstr(text, "no learned rule decides: A is not in csr"));
	ek_plan_destroy(plan);
	ek_matrix_destroy(B);
	ek_matrix_destroy(A);
	expect_status(ek_matrix_from_csr(ctx, EK_F32, EK_I32, 0, 4, (int32_t[]){0}, NULL, NULL,
	                                 EK_COPY, &A),
	              EK_OK);
	plan = plan_of(A, (ek_hints){0}, text);
	assert_non_null(strstr(text, "no learned rule decides: A has no entries"));
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
}

/* What no rule was learned with is measured, whatever its features are. */
static void test_unseen(void **state)
{
	static const ek_value values[] = {EK_F32, EK_F64};
	static const ek_index indices[] = {EK_I32, EK_I64};
	ek_matrix *A = NULL;
	char text[TEXT];

	(void)state;
	for (int k = 0; k < 12; k++) {
		const ek_value value = values[k % 2];
		const ek_index index = indices[k / 2 % 2];
		const int threads = k / 4 + 1;

		expect_status(ek_matrix_generate(ctx, "poisson2d5:nx=40,ny=40", value, index, &A),
		              EK_OK);
		ek_plan *plan = plan_of(A, (ek_hints){.threads = threads}, text);
		const char *why = strstr(text, "decides: no rule was learned with this ");

		assert_true((why == NULL) == trained(value, index, threads));
		assert_non_null(strstr(text, "features rows=1600"));
		ek_plan_destroy(plan);
		ek_matrix_destroy(A);
	}
}

/* Without memory for the counters of diagonals, the largest block here, runs are measured. */
static void test_no_memory(void **state)
{
	struct heap small = HEAP_INIT;
	ek_context *const own = heap_context(&small, 1, 0);
	ek_hints hints = {.size = sizeof hints, .method = "learned", .calls = 50};
	ek_matrix *A = NULL;
	ek_plan *plan = NULL;
	char text[TEXT];

	(void)state;
	expect_status(ek_matrix_generate(own, "diagonal:n=20000", EK_F64, EK_I32, &A), EK_OK);
	small.limit = 39999 * sizeof(int32_t) - 1;
	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	assert_true(small.refused > 0);
	small.limit = 0;
	expect_status(ek_plan_explain(plan, text, TEXT), EK_OK);
	assert_non_null(strstr(text, "no learned rule decides: the features cannot be found"));
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	ek_context_destroy(own);
	heap_close(&small);
}

static void test_refused(void **state)
{
	ek_matrix *A = integers("poisson2d5:nx=5,ny=5");
	ek_hints hints = {.size = sizeof hints, .method = "learned"};
	ek_plan *plan = NULL;

	(void)state;
	expect_error(ek_plan_create(EK_SPMM, A, &hints, &plan), EK_EUNSUPPORTED,
	             "operation spmm has no learned rules");
	hints.reproducible = EK_REPRO_STRICT;
	expect_error(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_EINVAL, "EK_REPRO_STRICT");
	assert_null(plan);
	ek_matrix_destroy(A);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_features), cmocka_unit_test(test_power),
		cmocka_unit_test(test_plans),    cmocka_unit_test(test_without_rules),
		cmocka_unit_test(test_unseen),   cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_refused),
	};

	return run_all_tests(tests, context_setup, context_teardown);
}
