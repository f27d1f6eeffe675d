/* SPDX-License-Identifier: BSD-3-Clause
 * Calls each public function with one bad argument at a time. The status must be right, the message
 * must name the argument, and outputs must stay unchanged. The memory hooks keep freed blocks
 * readable, so that destroyed objects can be passed. */
#define _POSIX_C_SOURCE 200809L /* unsetenv */
#include "plan/plan.h"
#include "support/support.h"
#include "support/heap.h"

static struct heap heap = {.fail_at = -1, .keep = true};
static ek_context *ctx, *dead_ctx;
static ek_matrix *A, *dead_A, *small32;
static ek_plan *plan, *dead_plan;

static int32_t ptr[] = {0, 1, 1, 3}, col[] = {0, 0, 1}, row[] = {0, 2, 2};
static double val[] = {1, 2, 3}, x[4], y[4];

static int setup(void **state)
{
	static const int32_t p1[] = {0, 0};
	int bad = 0;

	(void)state;
	unsetenv("EK_METHOD");
	ctx = heap_context(&heap, 2, 0);
	dead_ctx = heap_context(&heap, 2, 0);
	bad |= ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 2, ptr, col, val, 0, &A);
	bad |= ek_matrix_from_csr(ctx, EK_F64, EK_I32, 3, 2, ptr, col, val, 0, &dead_A);
	bad |= ek_matrix_from_csr(ctx, EK_F32, EK_I32, 1, 1, p1, NULL, NULL, 0, &small32);
	bad |= ek_plan_create(EK_SPMV, A, NULL, &plan);
	bad |= ek_plan_create(EK_SPMV, A, NULL, &dead_plan);
	ek_plan_destroy(dead_plan);
	ek_matrix_destroy(dead_A);
	ek_context_destroy(dead_ctx);
	return bad;
}

static int teardown(void **state)
{
	(void)state;
	ek_plan_destroy(plan);
	ek_matrix_destroy(small32);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	heap_close(&heap);
	return 0;
}

/* ---- Matrices from arrays -------------------------------------------------------------------- */

/* The arguments of ek_matrix_from_csr, _csc and _coo. */
struct make {
	ek_context *ctx;
	ek_value value;
	ek_index index;
	int64_t rows, cols, nnz;
	const void *first, *second, *val; /* the two index arrays, then the values */
	unsigned flags;
	int no_result;
};

static const struct make good_csr = {NULL, EK_F64, EK_I32, 3, 2, 3, ptr, col, val, 0, 0};
static const struct make good_coo = {NULL, EK_F64, EK_I32, 3, 2, 3, row, col, val, 0, 0};

enum { CSR, CSC, COO };

static void expect_refused(int kind, const struct make *m, ek_status status, const char *part)
{
	ek_matrix *const before = (ek_matrix *)(void *)&x;
	ek_matrix *out = before, **A_out = m->no_result ? NULL : &out;
	long live = atomic_load(&heap.live);
	ek_status s;

	if (kind == CSR)
		s = ek_matrix_from_csr(m->ctx, m->value, m->index, m->rows, m->cols, m->first,
		                       m->second, m->val, m->flags, A_out);
	else if (kind == CSC)
		s = ek_matrix_from_csc(m->ctx, m->value, m->index, m->cols, m->rows, m->first,
		                       m->second, m->val, m->flags, A_out);
	else
		s = ek_matrix_from_coo(m->ctx, m->value, m->index, m->rows, m->cols, m->nnz,
		                       m->first, m->second, m->val, m->flags, A_out);
	expect_error(s, status, part);
	assert_ptr_equal(out, before);
	assert_int_equal(atomic_load(&heap.live), live);
}

/* Checks that a call is refused whose arguments are good except for `field`, which is `bad`. */
#define REFUSED(kind, field, bad, status, part)                       \
	do {                                                          \
		struct make m_ = (kind) == COO ? good_coo : good_csr; \
		m_.ctx = ctx;                                         \
		m_.field = (bad);                                     \
		expect_refused((kind), &m_, (status), (part));        \
	} while (0)

static const char *name_of(int kind, int array)
{
	static const char *const name[3][2] = {
		{"row_ptr", "col_idx"}, {"col_ptr", "row_idx"}, {"row_idx", "col_idx"}};

	return name[kind][array];
}

static void test_make(void **state)
{
	(void)state;
	for (int kind = CSR; kind <= COO; kind++) {
		REFUSED(kind, ctx, NULL, EK_EINVAL, "ctx is NULL");
		REFUSED(kind, ctx, dead_ctx, EK_EINVAL, "ctx is not a context");
		REFUSED(kind, ctx, (ek_context *)(void *)A, EK_EINVAL, "ctx is not a context");
		REFUSED(kind, value, (ek_value)0, EK_EINVAL, "value is 0");
		REFUSED(kind, value, (ek_value)3, EK_EINVAL, "value is 3");
		REFUSED(kind, index, (ek_index)0, EK_EINVAL, "index is 0");
		REFUSED(kind, index, (ek_index)4, EK_EINVAL, "index is 4");
		REFUSED(kind, rows, -1, EK_EINVAL, kind == CSC ? "cols is -1" : "rows is -1");
		REFUSED(kind, cols, -7, EK_EINVAL, kind == CSC ? "rows is -7" : "cols is -7");
		REFUSED(kind, rows, (int64_t)1 << 31, EK_EOVERFLOW, "2147483648");
		REFUSED(kind, cols, (int64_t)1 << 31, EK_EOVERFLOW, "2147483648");
		REFUSED(kind, first, NULL, EK_EINVAL, name_of(kind, 0));
		REFUSED(kind, second, NULL, EK_EINVAL, name_of(kind, 1));
		REFUSED(kind, val, NULL, EK_EINVAL, "val is NULL");
		REFUSED(kind, first, (char *)ptr + 1, EK_EINVAL, name_of(kind, 0));
		REFUSED(kind, second, (char *)col + 2, EK_EINVAL, name_of(kind, 1));
		REFUSED(kind, val, (char *)val + 2, EK_EINVAL, "not aligned");
		REFUSED(kind, flags, 0x4000, EK_EINVAL, "0x4000");
		REFUSED(kind, flags, EK_COPY | EK_ADOPT, EK_EINVAL, "flags");
		REFUSED(kind, no_result, 1, EK_EINVAL, "A, where the result goes");
	}
	REFUSED(CSR, flags, EK_DUP_SUM, EK_EINVAL, "EK_COPY");
	REFUSED(CSC, flags, EK_DUP_LAST, EK_EINVAL, "EK_COPY");
	REFUSED(CSR, flags, EK_KEEP_ORDER | EK_COPY, EK_EINVAL, "EK_KEEP_ORDER");
	REFUSED(COO, flags, EK_ADOPT, EK_EINVAL, "adopted");
	REFUSED(COO, nnz, -1, EK_EINVAL, "nnz is -1");
	/* With base 1, the library subtracts 1 from pointers; INT64_MIN - 1 would overflow. */
	expect_refused(CSR,
	               &(struct make){ctx, EK_F64, EK_I64, 1, 1, 0, (int64_t[]){1, INT64_MIN}, NULL,
	                              NULL, EK_COPY | EK_BASE1, 0},
	               EK_ERANGE, "row_ptr(2)");
}

/* ---- Queries --------------------------------------------------------------------------------- */

static void test_matrix_questions(void **state)
{
	const ek_matrix *const none[] = {NULL, dead_A, (const ek_matrix *)(const void *)ctx};
	ek_matrix_info info = {.size = sizeof info};
	ek_stats stats = {.size = sizeof stats};
	ek_view view = {.size = sizeof view};
	ek_matrix *B = NULL;

	(void)state;
	for (int k = 0; k < 3; k++) {
		ek_matrix *bad = (ek_matrix *)(uintptr_t)none[k];

		expect_error(ek_matrix_get_info(bad, &info), EK_EINVAL, "A is");
		expect_error(ek_matrix_array(bad, "val", &view), EK_EINVAL, "A is");
		expect_error(ek_matrix_check(bad), EK_EINVAL, "A is");
		expect_error(ek_matrix_values_changed(bad), EK_EINVAL, "A is");
		expect_error(ek_matrix_set_values(bad, 3, val), EK_EINVAL, "A is");
		expect_error(convert_types(bad, EK_F32, EK_I32, &B), EK_EINVAL, "A is");
		expect_error(ek_matrix_stats(bad, &stats), EK_EINVAL, "A is");
		expect_error(ek_plan_create(EK_SPMV, bad, NULL, &dead_plan), EK_EINVAL, "A is");
	}
	expect_error(ek_matrix_get_info(A, NULL), EK_EINVAL, "info");
	info.size = 7;
	expect_error(ek_matrix_get_info(A, &info), EK_EINVAL, "info.size is 7");
	assert_int_equal(info.rows, 0);
	expect_error(ek_matrix_array(A, NULL, &view), EK_EINVAL, "name");
	expect_error(ek_matrix_array(A, "val", NULL), EK_EINVAL, "view");
	expect_error(ek_matrix_array(A, "col_ptr", &view), EK_EINVAL, "row_ptr col_idx val");
	assert_null(view.data);
	expect_error(ek_matrix_stats(A, NULL), EK_EINVAL, "stats");
	stats.size = 1;
	expect_error(ek_matrix_stats(A, &stats), EK_EINVAL, "stats.size is 1");
	expect_error(convert_types(A, (ek_value)9, EK_I32, &B), EK_EINVAL, "value is 9");
	expect_error(convert_types(A, EK_F64, (ek_index)9, &B), EK_EINVAL, "index is 9");
	expect_error(convert_types(A, EK_F64, EK_I32, NULL), EK_EINVAL, "B");
	assert_null(B);
}

static void test_generate(void **state)
{
	ek_matrix *B = NULL;

	(void)state;
	expect_error(ek_matrix_generate(NULL, "dense:rows=2,cols=2", EK_F64, EK_I32, &B), EK_EINVAL,
	             "ctx is NULL");
	expect_error(ek_matrix_generate(dead_ctx, "dense:rows=2,cols=2", EK_F64, EK_I32, &B),
	             EK_EINVAL, "ctx");
	expect_error(ek_matrix_generate(ctx, NULL, EK_F64, EK_I32, &B), EK_EINVAL, "spec");
	expect_error(ek_matrix_generate(ctx, "no-such:a=1", EK_F64, EK_I32, &B), EK_EINVAL,
	             "no-such");
	expect_error(ek_matrix_generate(ctx, "dense:rows=2", (ek_value)5, EK_I32, &B), EK_EINVAL,
	             "value is 5");
	expect_error(ek_matrix_generate(ctx, "dense:rows=2", EK_F64, (ek_index)5, &B), EK_EINVAL,
	             "index is 5");
	expect_error(ek_matrix_generate(ctx, "dense:rows=2", EK_F64, EK_I32, NULL), EK_EINVAL, "A");
	assert_null(B);
}

/* ---- Plans ----------------------------------------------------------------------------------- */

static void expect_bad_hints(const ek_hints *hints, ek_status status, const char *part)
{
	ek_plan *const before = (ek_plan *)(void *)&x;
	ek_plan *out = before;
	long live = atomic_load(&heap.live);

	expect_error(ek_plan_create(EK_SPMV, A, hints, &out), status, part);
	assert_ptr_equal(out, before);
	assert_int_equal(atomic_load(&heap.live), live);
}

static void test_plan_create(void **state)
{
	const ek_hints good = {.size = sizeof good};
	ek_hints h;
	ek_plan *out = NULL;

	(void)state;
	expect_error(ek_plan_create(EK_SPMV, A, NULL, NULL), EK_EINVAL, "plan, where");
	expect_error(ek_plan_create((ek_operation)0, A, NULL, &out), EK_EINVAL, "operation is 0");
	expect_error(ek_plan_create((ek_operation)77, A, NULL, &out), EK_EINVAL, "operation is 77");
	assert_null(out);
	h = good, h.size = sizeof(size_t) - 1;
	expect_bad_hints(&h, EK_EINVAL, "hints.size is ");
	h = good, h.op = (ek_op)110;
	expect_bad_hints(&h, EK_EINVAL, "hints.op is 110");
	h = good, h.calls = -1;
	expect_bad_hints(&h, EK_EINVAL, "hints.calls is -1");
	h = good, h.reproducible = (ek_reproducible)2;
	expect_bad_hints(&h, EK_EINVAL, "hints.reproducible is 2");
	h = good, h.threads = -1;
	expect_bad_hints(&h, EK_EINVAL, "hints.threads is -1");
	h = good, h.threads = 3;
	expect_bad_hints(&h, EK_EINVAL, "hints.threads is 3; 0 to 2");
	h = good, h.method = "spmv.csr.no-such";
	expect_bad_hints(&h, EK_EINVAL, "auto and these exist: spmv.csr.serial");
	h = good, h.method = "nothing-like-it";
	expect_bad_hints(&h, EK_EINVAL, ek_method_name(ek_method_next(NULL)));
	h = good, h.method = "";
	expect_bad_hints(&h, EK_EINVAL, "\"\"");
}

static void test_plan_questions(void **state)
{
	char text[100] = "as it was";

	(void)state;
	expect_error(ek_plan_explain(NULL, text, sizeof text), EK_EINVAL, "plan is NULL");
	expect_error(ek_plan_explain(plan, NULL, 10), EK_EINVAL, "text");
	expect_error(ek_plan_explain(plan, text, 0), EK_EINVAL, "size");
	assert_string_equal(text, "as it was");
	expect_error(ek_plan_explain((ek_plan *)(void *)A, text, sizeof text), EK_EINVAL,
	             "plan is not a plan");
	assert_null(ek_plan_method((ek_plan *)(void *)A));
	assert_int_equal(ek_plan_memory((ek_plan *)(void *)A), 0);
}

/* ---- Products -------------------------------------------------------------------------------- */

static void expect_bad_product(ek_plan *p, const ek_dense *xv, const ek_dense *yv, const char *part)
{
	double before[4];
	double a_val[3];

	for (int i = 0; i < 4; i++)
		x[i] = y[i] = i + 0.5;
	memcpy(before, y, sizeof y);
	memcpy(a_val, val, sizeof val);
	expect_error(ek_spmv(p, 1, xv, 2, yv), EK_EINVAL, part);
	assert_memory_equal(y, before, sizeof y);
	assert_memory_equal(x, before, sizeof x);
	assert_memory_equal(val, a_val, sizeof val);
	assert_memory_equal(ptr, ((int32_t[]){0, 1, 1, 3}), sizeof ptr);
}

static void test_spmv_vectors(void **state)
{
	const ek_dense gx = ek_vector(EK_F64, 2, x), gy = ek_vector(EK_F64, 3, y);
	ek_dense v;

	(void)state;
	expect_bad_product(NULL, &gx, &gy, "plan is NULL");
	expect_bad_product((ek_plan *)(void *)A, &gx, &gy, "plan is not a plan");
	expect_bad_product(plan, NULL, &gy, "x is NULL");
	expect_bad_product(plan, &gx, NULL, "y is NULL");
	v = gx, v.value = EK_F32;
	expect_bad_product(plan, &v, &gy, "x has values of type f32");
	v = gy, v.value = (ek_value)0;
	expect_bad_product(plan, &gx, &v, "y has values of type unknown");
	v = gx, v.rows = v.ld = 1;
	expect_bad_product(plan, &v, &gy, "x is 1 x 1");
	v = gx, v.rows = v.ld = 3;
	expect_bad_product(plan, &v, &gy, "x is 3 x 1");
	v = gx, v.rows = -2;
	expect_bad_product(plan, &v, &gy, "x is -2 x 1");
	v = gx, v.cols = 2;
	expect_bad_product(plan, &v, &gy, "x is 2 x 2");
	v = gx, v.ld = 1;
	expect_bad_product(plan, &v, &gy, "x has leading dimension 1");
	v = gy, v.rows = v.ld = 2;
	expect_bad_product(plan, &gx, &v, "y is 2 x 1");
	v = gy, v.rows = v.ld = 4;
	expect_bad_product(plan, &gx, &v, "y is 4 x 1");
	v = gy, v.ld = 0;
	expect_bad_product(plan, &gx, &v, "y has leading dimension 0");
	v = gx, v.data = NULL;
	expect_bad_product(plan, &v, &gy, "x.data is NULL");
	v = gy, v.data = NULL;
	expect_bad_product(plan, &gx, &v, "y.data is NULL");
	v = gx, v.data = (char *)x + 2;
	expect_bad_product(plan, &v, &gy, "x.data lies at");
	v = gy, v.data = (char *)y + 1;
	expect_bad_product(plan, &gx, &v, "y.data lies at");
}

static void test_spmv_overlap(void **state)
{
	const ek_dense gx = ek_vector(EK_F64, 2, x);
	ek_dense v = ek_vector(EK_F64, 3, x);

	(void)state;
	expect_bad_product(plan, &gx, &v, "x and y overlap");
	v = ek_vector(EK_F64, 3, x + 1);
	expect_bad_product(plan, &gx, &v, "x and y overlap");
	v = ek_vector(EK_F64, 3, val);
	expect_bad_product(plan, &gx, &v, "array val");
	v = ek_vector(EK_F64, 3, ptr);
	if ((uintptr_t)ptr % 8 == 0)
		expect_bad_product(plan, &gx, &v, "overlaps the array row_ptr");
}

/* Checks that messages about a CSC matrix call its arrays by their names in CSC. */
static void test_spmv_overlap_csc(void **state)
{
	static union {
		int32_t ptr[4];
		double room[3];
	} p = {{0, 1, 1, 1}}, i;
	double one = 1;
	const ek_dense gx = ek_vector(EK_F64, 3, x);
	ek_dense v = ek_vector(EK_F64, 2, p.room);
	ek_plan *csc_plan;
	ek_matrix *C;

	(void)state;
	expect_status(ek_matrix_from_csc(ctx, EK_F64, EK_I32, 2, 3, p.ptr, i.ptr, &one, 0, &C),
	              EK_OK);
	expect_status(ek_plan_create(EK_SPMV, C, NULL, &csc_plan), EK_OK);
	expect_bad_product(csc_plan, &gx, &v, "overlaps the array col_ptr");
	v = ek_vector(EK_F64, 2, i.room);
	expect_bad_product(csc_plan, &gx, &v, "overlaps the array row_idx");
	ek_plan_destroy(csc_plan);
	ek_matrix_destroy(C);
}

/* Checks that a plan of an f32 matrix refuses vectors of f64. */
static void test_spmv_types(void **state)
{
	const ek_dense gx = ek_vector(EK_F64, 1, x), gy = ek_vector(EK_F64, 1, y);
	ek_plan *p32;

	(void)state;
	expect_status(ek_plan_create(EK_SPMV, small32, NULL, &p32), EK_OK);
	expect_bad_product(p32, &gx, &gy, "x has values of type f64, A of type f32");
	ek_plan_destroy(p32);
}

/* Checks that destroying NULL is harmless, and so is destroying an object twice while its memory
 * stays readable. */
static void test_destroy(void **state)
{
	long live = atomic_load(&heap.live);

	(void)state;
	ek_context_destroy(NULL);
	ek_matrix_destroy(NULL);
	ek_plan_destroy(NULL);
	ek_matrix_destroy(dead_A);
	ek_context_destroy(dead_ctx);
	ek_free(ctx, NULL, 0);
	assert_int_equal(atomic_load(&heap.live), live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_make),           cmocka_unit_test(test_matrix_questions),
		cmocka_unit_test(test_generate),       cmocka_unit_test(test_plan_create),
		cmocka_unit_test(test_plan_questions), cmocka_unit_test(test_spmv_vectors),
		cmocka_unit_test(test_spmv_overlap),   cmocka_unit_test(test_spmv_overlap_csc),
		cmocka_unit_test(test_spmv_types),     cmocka_unit_test(test_destroy),
	};

	return run_all_tests(tests, setup, teardown);
}
