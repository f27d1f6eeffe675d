/* SPDX-License-Identifier: BSD-3-Clause
 * Tests conversions between coordinates and CSR by every method, on the processor and on devices:
 * the result of ek_coo_to_csr against ek_matrix_from_coo, bit for bit, on all shapes and types and
 * in several orders; rows of entries against the coordinates; empty matrices, many entries at one
 * place, indices that are wrong, and refused arguments. */
#include "plan/plan.h"
#include "support/array_call.h"
#include "support/devices.h"
#include "support/shapes.h"
#include "support/support.h"

static ek_context *plain; /* a context without a device, unless EK_DEVICE names one */

/* ---- Coordinates ----------------------------------------------------------------------------- */

/* Coordinates of a matrix in types of a call; array 0 has rows, 1 columns and 2 values. */
struct coo {
	ek_value value;
	ek_index index;
	int64_t rows, cols, n;
	char *array[3];
};

static ek_value idx_type(ek_index index)
{
	return index == EK_I64 ? EK_INT64 : EK_INT32;
}

static void coo_make(struct coo *c, ek_value value, ek_index index, int64_t rows, int64_t cols,
                     int64_t n)
{
	*c = (struct coo){value, index, rows, cols, n, {NULL}};
	for (int k = 0; k < 3; k++)
		c->array[k] = malloc(8 * (size_t)n + 1);
}

static void coo_put(struct coo *c, int64_t k, int64_t i, int64_t j, double v)
{
	value_set(idx_type(c->index), c->array[0], k, (double)i);
	value_set(idx_type(c->index), c->array[1], k, (double)j);
	value_set(c->value, c->array[2], k, v);
}

static void coo_free(struct coo *c)
{
	for (int k = 0; k < 3; k++)
		free(c->array[k]);
}

static void swap(char *array, size_t size, int64_t a, int64_t b)
{
	char t[8];

	memcpy(t, array + (size_t)a * size, size);
	memcpy(array + (size_t)a * size, array + (size_t)b * size, size);
	memcpy(array + (size_t)b * size, t, size);
}

static void coo_shuffle(struct coo *c, struct rng *r)
{
	const size_t size[3] = {ek_value_size(idx_type(c->index)),
	                        ek_value_size(idx_type(c->index)), ek_value_size(c->value)};

	for (int64_t k = c->n - 1; k > 0; k--) {
		const int64_t to = rng_below(r, k + 1);

		for (int a = 0; a < 3; a++)
			swap(c->array[a], size[a], k, to);
	}
}

/* Makes the call of the coordinates. */
static struct call call_of(const struct coo *c)
{
	const int64_t idx = (int64_t)ek_value_size(idx_type(c->index)),
		      ptr = (int64_t)eki_ptr_size(c->index);
	struct call call = {.op = EK_TO_CSR,
	                    .type = c->value,
	                    .index = c->index,
	                    .a_n = c->rows,
	                    .b_n = c->cols,
	                    .n = c->n};
	const int64_t bytes[3] = {c->n * idx, c->n * idx, c->n * (int64_t)ek_value_size(c->value)};

	for (int k = 0; k < 3; k++)
		memcpy(call_array(&call, IN, bytes[k]), c->array[k], (size_t)bytes[k]);
	call_array(&call, OUT, (c->rows + 1) * ptr);
	call_array(&call, OUT, bytes[0]);
	call_array(&call, OUT, bytes[2]);
	call_array(&call, RESULT, sizeof(int64_t));
	return call;
}

/* ---- Comparisons ----------------------------------------------------------------------------- */

static const struct array_op to_csr = {EK_TO_CSR, call_make_to_csr, call_run_to_csr};

/* Compares the arrays of a result with those of A. */
static void check_result(const char *name, const ek_matrix *A, char *const after[MOST_ARGS])
{
	static const char *const array[3] = {"row_ptr", "col_idx", "val"};
	int64_t count;

	memcpy(&count, after[6], sizeof count);
	for (int k = 0; k < 3; k++) {
		ek_view view = {.size = sizeof view};

		expect_status(ek_matrix_array(A, array[k], &view), EK_OK);
		if (k && count != view.len)
			fail_msg("%s: %lld entries, not %lld", name, (long long)count,
			         (long long)view.len);
		if (view.len &&
		    memcmp(view.data, after[3 + k], (size_t)view.len * view.elem_size) != 0)
			fail_msg("%s: %s differs", name, array[k]);
	}
}

/* Expands the rows of A by a method, and compares them with what its row pointers say. */
static void check_rows(ek_context *ctx, const ek_matrix *A, const ek_method *m, bool there)
{
	const ek_array_options o = {
		.size = sizeof o, .method = m->name, .where = there ? EK_ON_DEVICE : 0};
	static const struct array_op op = {EK_TO_COO, call_make_to_coo, call_run_to_coo};
	ek_matrix_info info = {.size = sizeof info};
	ek_view ptr = {.size = sizeof ptr};
	struct call c = {.op = EK_TO_COO};
	char *after[MOST_ARGS];

	expect_status(ek_matrix_get_info(A, &info), EK_OK);
	expect_status(ek_matrix_array(A, "row_ptr", &ptr), EK_OK);
	c.index = info.index;
	c.a_n = info.rows;
	c.n = info.nnz;
	memcpy(call_array(&c, IN, ptr.len * (int64_t)ptr.elem_size), ptr.data,
	       (size_t)ptr.len * ptr.elem_size);
	call_array(&c, OUT, c.n * (int64_t)ek_value_size(idx_type(c.index)));
	expect_status(call_run(&op, ctx, &o, &c, there, after), EK_OK);
	for (int64_t i = 0, k = 0; i < info.rows; i++)
		for (; k < (int64_t)value_at(ptr.type, ptr.data, i + 1); k++)
			assert_true(value_at(idx_type(c.index), after[1], k) == (double)i);
	call_freed(after);
	call_free(&c);
}

/* Compares all methods with ek_matrix_from_coo. */
static void check(const struct coo *c, int turn)
{
	struct call call = call_of(c);
	char *after[MOST_ARGS];
	ek_matrix *A;

	expect_status(ek_matrix_from_coo(plain, c->value, c->index, c->rows, c->cols, c->n,
	                                 c->array[0], c->array[1], c->array[2], EK_COPY, &A),
	              EK_OK);
	for (const ek_method *m = NULL; (m = operation_next(m, EK_TO_CSR));) {
		const bool on_device = needs_device(m), there = on_device && turn % 3;
		const ek_array_options o = {
			.size = sizeof o, .method = m->name, .where = there ? EK_ON_DEVICE : 0};

		if (on_device && !devices.count)
			continue;
		expect_status(call_run(&to_csr,
		                       on_device ? devices.of[turn % devices.count].ctx : plain, &o,
		                       &call, there, after),
		              EK_OK);
		check_result(m->name, A, after);
		call_freed(after);
	}
	for (const ek_method *m = NULL; (m = operation_next(m, EK_TO_COO));)
		if (!needs_device(m) || devices.count)
			check_rows(needs_device(m) ? devices.of[turn % devices.count].ctx : plain,
			           A, m, needs_device(m) && turn % 3);
	ek_matrix_destroy(A);
	call_free(&call);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void test_shapes(void **state)
{
	struct rng r = {3};

	(void)state;
	for (int k = 0; k < shape_count(); k++) {
		const int64_t type = rng_below(&r, 6);
		struct shape s;
		struct coo c;

		if (test_tier() <= TIER_BRIEF && k % 4)
			continue;
		shape_make(&s, k, DATA_REAL);
		coo_make(&c, (ek_value)(1 + type / 3), (ek_index)(1 + type % 3), s.rows, s.cols,
		         s.ptr[s.rows]);
		for (int64_t i = 0, e = 0; i < s.rows; i++)
			for (; e < s.ptr[i + 1]; e++)
				coo_put(&c, e, i, s.col[e], s.val[e]);
		check(&c, k); /* rows ascend, columns do not always */
		coo_shuffle(&c, &r);
		check(&c, k + 1);
		coo_free(&c);
		shape_free(&s);
	}
}

/* Tests random real values at few places, so that the order of additions shows, and sizes around
 * those of tiles. */
static void test_duplicates(void **state)
{
	static const int64_t length[] = {0, 1, 2, 255, 256, 257, 4095, 4096, 4097, 9000};
	struct rng r = {9};
	int turn = 0;

	(void)state;
	for (size_t l = 0; l < sizeof length / sizeof *length; l++)
		for (int places = 1; places <= 70000; places = places * 41 + 1, turn++) {
			struct coo c;

			coo_make(&c, turn % 2 ? EK_F32 : EK_F64, (ek_index)(1 + turn % 3), places,
			         1 + places / 3, length[l]);
			for (int64_t k = 0; k < c.n; k++)
				coo_put(&c, k, rng_below(&r, c.rows), rng_below(&r, c.cols),
				        ldexp((double)rng_below(&r, 1 << 20) - (1 << 19),
				              (int)rng_below(&r, 60) - 30));
			check(&c, turn);
			coo_free(&c);
		}
}

/* Tests matrices without rows or columns. */
static void test_empty(void **state)
{
	(void)state;
	for (int k = 0; k < 4; k++) {
		struct coo c;

		coo_make(&c, EK_F32, EK_I32, k % 2 ? 0 : 300, k / 2 ? 0 : 5, 0);
		check(&c, k);
		coo_free(&c);
	}
}

/* Indices on a device are not checked. Whatever they are, nothing beyond the arrays is written
 * (call_run checks that). */
static void test_wrong_there(void **state)
{
	struct rng r = {5};

	(void)state;
	need_device();
	for (int k = 0; k < 12; k++) {
		struct coo c;
		struct call call;
		char *after[MOST_ARGS];
		const ek_array_options o = {.size = sizeof o, .where = EK_ON_DEVICE};
		ek_context *ctx = devices.of[k % devices.count].ctx;

		coo_make(&c, EK_F32, EK_I32, 300, 70, 5000);
		for (int64_t e = 0; e < c.n; e++)
			coo_put(&c, e, rng_below(&r, 4000) - 2000, rng_below(&r, 1 << 30) - 100, 1);
		call = call_of(&c);
		expect_status(call_run(&to_csr, ctx, &o, &call, true, after), EK_OK);
		call_freed(after);
		call_free(&call);
		coo_free(&c);
	}
}

static void test_arguments(void **state)
{
	const int32_t row[3] = {0, 2, 1}, col[3] = {1, 0, 1}, far[3] = {0, 3, -1};
	const int32_t ptr[4] = {0, 1, 2, 3}, bad[4] = {0, 2, 1, 3}, start[4] = {1, 1, 2, 3};
	const double val[3] = {1, 2, 3};
	int32_t to_ptr[4] = {-7, -7, -7, -7}, to_col[3] = {-7, -7, -7};
	const ek_array_options there = {.size = sizeof there, .where = EK_ON_DEVICE};
	double to_val[3] = {-7, -7, -7};
	int64_t count = -7;

	(void)state;
#define CSR(value, index, rows, cols, nnz, row, col)                                             \
	ek_coo_to_csr(plain, NULL, value, index, rows, cols, nnz, row, col, val, &count, to_ptr, \
	              to_col, to_val)
	expect_error(CSR(EK_INT32, EK_I32, 3, 2, 3, row, col), EK_EINVAL, "value");
	expect_error(CSR(EK_F64, (ek_index)9, 3, 2, 3, row, col), EK_EINVAL, "index");
	expect_error(CSR(EK_F64, EK_I32, -1, 2, 3, row, col), EK_EINVAL, "rows");
	expect_error(CSR(EK_F64, EK_I32, 3, -2, 3, row, col), EK_EINVAL, "cols");
	expect_error(CSR(EK_F64, EK_I32, 3, 2, -3, row, col), EK_EINVAL, "nnz");
	expect_error(CSR(EK_F64, EK_I32, INT64_C(1) << 40, 2, 3, row, col), EK_EOVERFLOW, "rows");
	expect_error(CSR(EK_F64, EK_I32, 3, 2, INT64_C(1) << 40, row, col), EK_EOVERFLOW,
	             "entries");
	expect_error(CSR(EK_F64, EK_I32, 3, 2, 3, NULL, col), EK_EINVAL, "row_idx is NULL");
	expect_error(CSR(EK_F64, EK_I32, 3, 2, 3, far, col), EK_ERANGE, "row_idx[1] is 3");
	expect_error(CSR(EK_F64, EK_I32, 3, 2, 3, row, far), EK_ERANGE, "col_idx[1] is 3");
	expect_error(CSR(EK_F64, EK_I32, 3, 2, 3, to_col, col), EK_EINVAL, "overlap");
	expect_error(ek_csr_to_coo(plain, NULL, EK_I32, 3, bad, 3, to_col), EK_ERANGE,
	             "row_ptr[2] is 1");
	expect_error(ek_csr_to_coo(plain, NULL, EK_I32, 3, start, 3, to_col), EK_ERANGE,
	             "row_ptr[0] is 1");
	expect_error(ek_csr_to_coo(plain, NULL, EK_I32, 3, ptr, 2, to_col), EK_ERANGE,
	             "row_ptr[3] is 3");
	expect_error(ek_csr_to_coo(plain, NULL, EK_I32, 3, NULL, 3, to_col), EK_EINVAL,
	             "row_ptr is NULL");
	expect_error(ek_csr_to_coo(plain, NULL, EK_I32, 3, ptr, 3, (int32_t *)(uintptr_t)ptr),
	             EK_EINVAL, "overlap");
	if (!getenv("EK_DEVICE"))
		expect_error(ek_csr_to_coo(plain, &there, EK_I32, 3, ptr, 3, to_col), EK_EDEVICE,
		             "no device");
	assert_int_equal(count, -7);
	for (int k = 0; k < 3; k++)
		assert_true(to_ptr[k] == -7 && to_col[k] == -7 && to_val[k] == -7);
	expect_status(CSR(EK_F64, EK_I32, 3, 2, 3, row, col), EK_OK);
	assert_int_equal(count, 3);
	assert_true(to_ptr[3] == 3 && to_col[2] == 0 && to_val[1] == 3);
#undef CSR
}

static int setup(void **state)
{
	const ek_options o = {.size = sizeof o};

	if (devices_setup(state) != 0)
		return -1;
	expect_status(ek_context_create(&o, &plain), EK_OK);
	return 0;
}

static int teardown(void **state)
{
	ek_context_destroy(plain);
	return devices_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),    cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_empty),     cmocka_unit_test(test_wrong_there),
		cmocka_unit_test(test_arguments),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
