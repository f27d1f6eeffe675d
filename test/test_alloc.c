/* SPDX-License-Identifier: BSD-3-Clause
 * Tests every public call that can allocate: its n-th allocation fails, for n = 0, 1, ... until the
 * call succeeds. */
#include "plan/plan.h"
#include "support/exhaust.h"
#include "support/support.h"

/* A matrix of 60 rows. One row has 40 entries, whose columns are unsorted and repeated. Each other
 * row has 2 entries. */
enum { ROWS = 60, COLS = 50, NNZ = 40 + 2 * (ROWS - 1) };
static int32_t ptr[ROWS + 1], col[NNZ], row[NNZ], ptr1[ROWS + 1], col1[NNZ], row1[NNZ];
static double val[NNZ];

static void fill(void)
{
	int k = 0;

	for (int i = 0; i < ROWS; i++) {
		for (int t = 0; t < (i == 7 ? 40 : 2); t++, k++) {
			row[k] = i;
			col[k] = i == 7 ? t * 37 % 30 : (i + t * 11) % COLS;
			val[k] = k + 1;
			row1[k] = row[k] + 1;
			col1[k] = col[k] + 1;
		}
		ptr[i + 1] = k;
	}
	for (int i = 0; i <= ROWS; i++)
		ptr1[i] = ptr[i] + 1;
}

static struct exhaust e;

static int setup(void **state)
{
	(void)state;
	fill();
	exhaust_open(&e, 3, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	exhaust_close(&e);
	return 0;
}

static ek_status make_context(struct exhaust *x)
{
	ek_options options = heap_options(&x->heap, 2);

	return ek_context_create(&options, (ek_context **)&x->out);
}

static void free_context(struct exhaust *x)
{
	ek_context_destroy(x->out);
}

static void free_matrix(struct exhaust *x)
{
	ek_matrix_destroy(x->out);
}

static void free_plan(struct exhaust *x)
{
	ek_plan_destroy(x->out);
}

static void test_context(void **state)
{
	(void)state;
	assert_true(exhaust(&e, "ek_context_create", make_context, free_context) > 0);
}

/* ---- Matrices from arrays -------------------------------------------------------------------- */

enum kind { CSR, CSC, COO };
struct source {
	const char *name;
	enum kind kind;
	unsigned flags;
};

static ek_status make_matrix(struct exhaust *x)
{
	const struct source *s = x->arg;
	bool base1 = s->flags & EK_BASE1;
	const int32_t *p = base1 ? ptr1 : ptr, *c = base1 ? col1 : col, *r = base1 ? row1 : row;
	ek_matrix **A = (ek_matrix **)&x->out;

	if (s->kind == CSR)
		return ek_matrix_from_csr(x->ctx, EK_F64, EK_I32, ROWS, COLS, p, c, val, s->flags,
		                          A);
	if (s->kind == CSC)
		return ek_matrix_from_csc(x->ctx, EK_F64, EK_I32, COLS, ROWS, p, c, val, s->flags,
		                          A);
	return ek_matrix_from_coo(x->ctx, EK_F64, EK_I32, ROWS, COLS, NNZ, r, c, val, s->flags, A);
}

static void test_matrices(void **state)
{
	static const struct source list[] = {
		{"from_csr, borrow", CSR, 0},
		{"from_csr, copy", CSR, EK_COPY},
		{"from_csr, copy, base 1", CSR, EK_COPY | EK_BASE1},
		{"from_csr, copy, sum", CSR, EK_COPY | EK_DUP_SUM},
		{"from_csr, copy, last, base 1", CSR, EK_COPY | EK_BASE1 | EK_DUP_LAST},
		{"from_csc, borrow", CSC, 0},
		{"from_csc, copy, sum", CSC, EK_COPY | EK_DUP_SUM},
		{"from_coo", COO, 0},
		{"from_coo, last, base 1", COO, EK_BASE1 | EK_DUP_LAST},
		{"from_coo, keep order", COO, EK_KEEP_ORDER},
		{"from_coo, keep order, base 1", COO, EK_KEEP_ORDER | EK_BASE1},
	};

	(void)state;
	for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
		e.arg = &list[k];
		assert_true(exhaust(&e, list[k].name, make_matrix, free_matrix) > 0);
	}
}

/* Checks that arrays which a failed call should have adopted still belong to the caller. */
static void test_adopt(void **state)
{
	void *p = heap_block(&e.heap, sizeof ptr), *c = heap_block(&e.heap, sizeof col),
	     *v = heap_block(&e.heap, sizeof val);
	ek_matrix *A = NULL;

	(void)state;
	memcpy(p, ptr, sizeof ptr);
	memcpy(c, col, sizeof col);
	memcpy(v, val, sizeof val);
	heap_fail(&e.heap, 0, true);
	expect_status(ek_matrix_from_csr(e.ctx, EK_F64, EK_I32, ROWS, COLS, p, c, v, EK_ADOPT, &A),
	              EK_ENOMEM);
	heap_fail(&e.heap, -1, false);
	assert_null(A);
	assert_memory_equal(c, col, sizeof col);
	expect_status(ek_matrix_from_csr(e.ctx, EK_F64, EK_I32, ROWS, COLS, p, c, v, EK_ADOPT, &A),
	              EK_OK);
	ek_matrix_destroy(A);
}

/* ---- Matrices from matrices ------------------------------------------------------------------ */

static ek_status convert(struct exhaust *x)
{
	return convert_types(x->arg, EK_F32, EK_I64, (ek_matrix **)&x->out);
}

static ek_status stats(struct exhaust *x)
{
	ek_stats s = {.size = sizeof s};
	ek_status status = ek_matrix_stats(x->arg, &s);

	if (status != EK_OK && s.rows != 0)
		x->room[0] = 0; /* the loop reports this change as a changed output */
	return status;
}

static ek_status no_new_memory(struct exhaust *x)
{
	ek_matrix *A = (ek_matrix *)(uintptr_t)x->arg;
	ek_matrix_info info = {.size = sizeof info};
	ek_view view = {.size = sizeof view};

	EK_RETURN_IF(ek_matrix_get_info(A, &info));
	EK_RETURN_IF(ek_matrix_array(A, "val", &view));
	EK_RETURN_IF(ek_matrix_check(A));
	EK_RETURN_IF(ek_matrix_set_values(A, NNZ, val));
	return ek_matrix_values_changed(A);
}

static void test_matrix_functions(void **state)
{
	(void)state;
	for (int kind = CSR; kind <= CSC; kind++) {
		ek_matrix *A;

		e.arg = &(struct source){"", (enum kind)kind, EK_COPY};
		expect_status(make_matrix(&e), EK_OK);
		e.arg = A = e.out;
		assert_true(exhaust(&e, "ek_matrix_convert", convert, free_matrix) > 0);
		exhaust(&e, "ek_matrix_stats", stats, NULL);
		assert_int_equal(exhaust(&e, "info, array, check, set_values", no_new_memory, NULL),
		                 0);
		ek_matrix_destroy(A);
	}
}

static ek_status generate(struct exhaust *x)
{
	return ek_matrix_generate(x->ctx, x->arg, EK_F64, EK_I32, (ek_matrix **)&x->out);
}

static void test_generate(void **state)
{
	static const char *const spec[] = {"uniform:rows=200,cols=150,k=4"};

	(void)state;
	for (size_t k = 0; k < sizeof spec / sizeof *spec; k++) {
		e.arg = spec[k];
		assert_true(exhaust(&e, spec[k], generate, free_matrix) > 0);
	}
}

/* ---- Plans ----------------------------------------------------------------------------------- */

struct wish {
	const ek_matrix *A;
	ek_hints hints;
};

static ek_status make_plan(struct exhaust *x)
{
	const struct wish *w = x->arg;

	return ek_plan_create(EK_SPMV, w->A, &w->hints, (ek_plan **)&x->out);
}

/* Runs a plan while all allocations fail. Runs must not allocate. */
static void run_without_memory(const struct wish *w)
{
	static double x[ROWS], y[ROWS];
	int64_t n = w->hints.op == EK_OP_N ? ROWS : COLS, m = ROWS + COLS - n;
	ek_dense xv = ek_vector(EK_F64, m, x), yv = ek_vector(EK_F64, n, y);
	char text[2048];
	ek_plan *plan;

	expect_status(make_plan(&e), EK_OK);
	plan = e.out;
	heap_fail(&e.heap, 0, true);
	expect_status(ek_spmv(plan, 1, &xv, 0, &yv), EK_OK);
	expect_status(ek_matrix_values_changed((ek_matrix *)(uintptr_t)w->A), EK_OK);
	expect_status(ek_spmv(plan, 2, &xv, 1, &yv), EK_OK);
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	heap_fail(&e.heap, -1, false);
	ek_plan_destroy(plan);
}

static void test_plans(void **state)
{
	ek_matrix *A;
	const ek_method *m = NULL;

	(void)state;
	e.arg = &(struct source){"", CSR, 0};
	expect_status(make_matrix(&e), EK_OK);
	A = e.out;
	do
		for (int k = 0; k < 4; k++) {
			const char *method = m ? ek_method_name(m) : "auto";
			struct wish w = {A,
			                 {.size = sizeof(ek_hints),
			                  .method = method,
			                  .op = k & 1 ? EK_OP_T : EK_OP_N,
			                  .reproducible = (ek_reproducible)(k / 2)}};
			char name[80];

			if (m && !ek_method_supports(m, w.hints.op, w.hints.reproducible))
				continue;
			snprintf(name, sizeof name, "%s op %c%s", method, k & 1 ? 'T' : 'N',
			         k / 2 ? " strict" : "");
			e.arg = &w;
			if (make_plan(&e) == EK_EUNSUPPORTED)
				continue;
			free_plan(&e);
			assert_true(exhaust(&e, name, make_plan, free_plan) > 0);
			run_without_memory(&w);
		}
	while ((m = matrix_method_next(m)));
	ek_matrix_destroy(A);
}

/* ---- Runs after new values ------------------------------------------------------------------- */

enum { NEW = 5 }; /* new value of all entries */

struct rerun {
	ek_matrix *A;
	ek_plan *plan;
};

static ek_status run_again(struct exhaust *t)
{
	const struct rerun *r = t->arg;
	double x[COLS] = {0}, y[ROWS];
	const ek_dense xv = ek_vector(EK_F64, COLS, x), yv = ek_vector(EK_F64, ROWS, y);
	ek_status status;

	for (int j = 0; j < COLS; j++)
		x[j] = 1;
	for (int i = 0; i < ROWS; i++)
		y[i] = -1;
	EK_RETURN_IF(ek_matrix_values_changed(r->A));
	status = ek_spmv(r->plan, 1, &xv, 0, &yv);
	for (int i = 0; i < ROWS; i++)
		assert_true(y[i] == (status == EK_OK ? NEW * (ptr[i + 1] - ptr[i]) : -1));
	return status;
}

/* Checks that a plan with its own copy of the matrix takes memory for new values only in the cases
 * that ek.h lists at ek_spmv. */
static void test_new_values(void **state)
{
	static const char *const held[] = {"csr", "csc", "ell", "csr5"};
	static const char *const copied[] = {"csr", "csc", "sell"};
	double new[NNZ];
	ek_matrix *A;

	(void)state;
	for (int k = 0; k < NNZ; k++)
		new[k] = NEW;
	e.arg = &(struct source){"", CSR, EK_COPY};
	expect_status(make_matrix(&e), EK_OK);
	A = e.out;
	for (int from = 0; from < 4; from++)
		for (int to = 0; to < 3; to++) {
			const ek_hints hints = {.size = sizeof hints, .format = copied[to]};
			const bool takes = from > 1 || (to < 2 && from != to);
			struct rerun r;
			char name[80];

			expect_status(ek_matrix_convert(A, held[from], NULL, &r.A), EK_OK);
			expect_status(ek_plan_create(EK_SPMV, r.A, &hints, &r.plan), EK_OK);
			expect_status(ek_matrix_set_values(r.A, NNZ, new), EK_OK);
			e.arg = &r;
			snprintf(name, sizeof name, "new values, %s of %s", copied[to], held[from]);
			assert_true((exhaust(&e, name, run_again, NULL) > 0) == takes);
			ek_plan_destroy(r.plan);
			ek_matrix_destroy(r.A);
		}
	ek_matrix_destroy(A);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_context),    cmocka_unit_test(test_matrices),
		cmocka_unit_test(test_adopt),      cmocka_unit_test(test_plans),
		cmocka_unit_test(test_new_values), cmocka_unit_test(test_matrix_functions),
		cmocka_unit_test(test_generate),
	};

	return run_all_tests(tests, setup, teardown);
}
