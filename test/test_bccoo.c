/* SPDX-License-Identifier: BSD-3-Clause
 * Tests BCCOO with columns in 16 bits (deltas=1 and 2): what is stored where columns are 32,767 or
 * more apart, the way to CSR, to files and back, new values, products on processors and devices,
 * the bytes that they move, and damaged arrays. All numbers are small integers, so that products
 * are exact. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "format/bccoo.h"
#include "io/io.h"
#include "support/contexts.h"
#include "support/devices.h"
#include "support/held.h"

enum { ROWS = 400, COLS = 300000, LONG = 9000, MOST = 2 * LONG };
enum { DISTANCES, FAR, LONG_ROW, COLUMN, SEGMENTS, EMPTY, NO_ROWS, KINDS };
#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

static const struct kind {
	const char *name;
	int64_t rows, cols;
} kinds[KINDS] = {
	[DISTANCES] = {"distances", 6, COLS},     [FAR] = {"far", ROWS, COLS},
	[LONG_ROW] = {"long row", ROWS, COLS},    [COLUMN] = {"one column", ROWS, 1},
	[SEGMENTS] = {"full segments", 256, 256}, [EMPTY] = {"empty", ROWS, COLS},
	[NO_ROWS] = {"no rows", 0, COLS},
};

static const struct size {
	int r, c;
} sizes[] = {{1, 1}, {2, 3}, {3, 2}, {8, 8}, {1, 8}, {7, 1}};

/* Columns whose distances are around the limits of 16 bits, by rows, and what is stored for them in
 * blocks of one entry. */
static const int64_t distance_col[] = {0,      1,      3,      32769,  65536,  98304,
                                       163839, 229375, 279375, 279374, 246607, 213839};
static const int64_t distance_ptr[] = {0, 9, 10, 10, 11, 12, 12};
static const int16_t distance_delta[2][12] = {
	{0, 1, 2, 32766, 32767, -1, -1, -1, -1, -1, -32767, -1},
	{0, 1, 3, -32767, -1, -1, -1, -1, -1, -1, -1, -1}};

static struct rng draw = {5};
static int64_t ptr[ROWS + 1], col[MOST];
static double val[MOST];

/* Writes the columns of row i of a kind to `to` and returns their number. */
static int64_t row(int kind, int64_t i, int64_t *to)
{
	int64_t n = 0, j = rng_below(&draw, COLS / 2);

	if (kind == COLUMN || kind == SEGMENTS) {
		to[n++] = kind == COLUMN ? 0 : i;
		return kind == COLUMN && i % 4 == 1 ? 0 : n;
	}
	if (kind == LONG_ROW && i == ROWS / 2)
		for (j = 0; n < LONG; j += 33)
			to[n++] = j;
	else if ((kind == FAR || kind == LONG_ROW) && i > 2 && i < ROWS - 3 && i % 5 != 2)
		for (; n < 1 + i % 9 && j < COLS; j += 1 + rng_below(&draw, i % 2 ? 90000 : 9))
			to[n++] = j;
	return n;
}

static int64_t make(int kind)
{
	int64_t n = 0;

	if (kind == DISTANCES) {
		n = COUNT(distance_col);
		memcpy(ptr, distance_ptr, sizeof distance_ptr);
		memcpy(col, distance_col, sizeof distance_col);
	} else {
		for (int64_t i = 0; i < kinds[kind].rows; i++) {
			n += row(kind, i, col + n);
			ptr[i + 1] = n;
		}
	}
	assert_true(n <= MOST);
	for (int64_t k = 0; k < n; k++)
		val[k] = rng_integer(&draw, 8);
	return n;
}

static ek_matrix *matrix(ek_context *ctx, int kind, ek_value value, ek_index index)
{
	ek_matrix *wide, *A;

	make(kind);
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I64, kinds[kind].rows, kinds[kind].cols,
	                                 ptr, col, val, EK_BORROW, &wide),
	              EK_OK);
	expect_status(convert_types(wide, value, index, &A), EK_OK);
	ek_matrix_destroy(wide);
	return A;
}

/* Returns A in blocks; deltas is the parameter. */
static ek_matrix *blocked(const ek_matrix *A, struct size size, int deltas)
{
	const ek_convert_options o = {.size = sizeof o, .max_bytes = -1};
	ek_matrix *B;
	char text[40];

	snprintf(text, sizeof text, "bccoo:r=%d,c=%d,deltas=%d", size.r, size.c, deltas);
	expect_status(ek_matrix_convert(A, text, &o, &B), EK_OK);
	expect_status(ek_matrix_check(B), EK_OK);
	return B;
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

/* Checks that delta and base_col lead to the columns, and that escapes are where they must be. */
static void check_arrays(const ek_matrix *B, int deltas, const char *name)
{
	const ek_store *s = &B->store;
	const int16_t *delta = s->array[BCCOO_DELTA];
	int64_t at = 0, escapes = 0;

	assert_int_equal(s->dim[BCCOO_DELTAS], deltas);
	assert_int_equal(s->len[BCCOO_DELTA], s->len[BLOCK_COL]);
	assert_int_equal(s->len[BCCOO_BASE], (s->len[BLOCK_COL] + 31) / 32);
	for (int64_t k = 0; k < s->len[BLOCK_COL]; k++) {
		const int64_t j = eki_idx_at(s, BLOCK_COL, k);

		if (k % 32 == 0)
			at = eki_idx_at(s, BCCOO_BASE, k / 32);

		const int64_t d = j - at;
		const bool escape = deltas == 1 ? d > 32767 || d < -32767 || d == -1 : d > 65534;
		if (deltas == 2)
			assert_true(d >= 0);
		if (delta[k] != (escape ? -1 : (int16_t)d))
			fail_msg("%s: delta[%lld] is %d, the distance is %lld", name, (long long)k,
			         delta[k], (long long)d);
		escapes += escape;
		at = deltas == 1 ? j : at;
	}
	assert_int_equal(s->dim[BCCOO_ESCAPES], escapes);
}

/* Checks that a matrix that was written and read has the same arrays. */
static void check_file(const ek_matrix *B)
{
	char path[64];
	ek_matrix *R;

	if (!eki_xxhash_version())
		return;
	snprintf(path, sizeof path, "/tmp/ek-bccoo-%ld.ekm", (long)getpid());
	expect_status(ek_matrix_write(B, path, NULL), EK_OK);
	expect_status(ek_matrix_read(contexts.of[0][0], path, 0, 0, NULL, &R), EK_OK);
	unlink(path);
	assert_null(different_array(B, R));
	assert_memory_equal(R->store.dim, B->store.dim, sizeof R->store.dim);
	ek_matrix_destroy(R);
}

static void check_conversions(const ek_matrix *A, struct size size, int deltas, const char *name)
{
	ek_matrix *B = blocked(A, size, deltas), *plain = blocked(A, size, 0), *C;
	const int64_t blocks = B->store.len[BLOCK_COL];
	const int64_t more = 2 * blocks + (blocks + 31) / 32 * (A->store.index == EK_I64 ? 8 : 4);
	double new[MOST];

	check_arrays(B, deltas, name);
	assert_int_equal(eki_store_bytes(&B->store), eki_store_bytes(&plain->store) + more);
	check_file(B);
	expect_status(ek_matrix_convert(B, "csr", NULL, &C), EK_OK);
	if (different_array(A, C))
		fail_msg("%s, %d x %d: %s is not restored", name, size.r, size.c,
		         different_array(A, C));
	ek_matrix_destroy(C);
	for (int64_t k = 0; k < A->store.nnz; k++)
		value_set(A->store.value, new, k, (double)(k % 100));
	expect_status(ek_matrix_set_values(B, A->store.nnz, new), EK_OK);
	expect_status(ek_matrix_check(B), EK_OK);
	expect_status(ek_matrix_convert(B, "csr", NULL, &C), EK_OK);
	assert_memory_equal(C->store.array[CSR_VAL], new,
	                    (size_t)A->store.nnz * ek_value_size(A->store.value));
	ek_matrix_destroy(C);
	ek_matrix_destroy(plain);
	ek_matrix_destroy(B);
}

static void test_conversions(void **state)
{
	(void)state;
	for (int turn = 0; turn < KINDS * COUNT(sizes) * 6; turn++) {
		const int kind = turn / 6 % KINDS;
		ek_matrix *A = matrix(contexts_turn(turn), kind, turn % 2 ? EK_F32 : EK_F64,
		                      (ek_index)(1 + turn % 3));

		for (int deltas = 1; deltas <= 2; deltas++)
			check_conversions(A, sizes[turn / 6 / KINDS], deltas, kinds[kind].name);
		ek_matrix_destroy(A);
	}
}

static void test_distances(void **state)
{
	ek_matrix *A = matrix(contexts.of[0][0], DISTANCES, EK_F64, EK_I32), *B;

	(void)state;
	for (int deltas = 1; deltas <= 2; deltas++) {
		B = blocked(A, sizes[0], deltas);
		assert_memory_equal(B->store.array[BCCOO_DELTA], distance_delta[deltas - 1],
		                    sizeof distance_delta[0]);
		ek_matrix_destroy(B);
	}
	B = blocked(A, sizes[0], 0);
	assert_int_equal(B->store.len[BCCOO_DELTA] + B->store.len[BCCOO_BASE], 0);
	ek_matrix_destroy(B);
	ek_matrix_destroy(A);
}

/* Checks that each change of the arrays and numbers for columns in 16 bits is found. */
static void test_damage(void **state)
{
	(void)state;
	for (int kind = 0; kind < 2 * KINDS; kind++) {
		ek_matrix *A =
			matrix(contexts.of[0][1 % contexts.counts], kind / 2, EK_F64, EK_I32);
		ek_matrix *B = blocked(A, sizes[kind % COUNT(sizes)], 1 + kind % 2);
		int16_t *delta = B->store.array[BCCOO_DELTA];
		int32_t *base = B->store.array[BCCOO_BASE];

		for (int64_t k = 0; k < B->store.len[BCCOO_DELTA]; k += 1 + k / 99) {
			const int16_t was = delta[k];

			delta[k] = was == -1 ? 5 : -1;
			expect_error(ek_matrix_check(B), EK_ERANGE, "delta and base_col");
			delta[k] = (int16_t)(was ^ 0x4000);
			expect_error(ek_matrix_check(B), EK_ERANGE, "delta and base_col");
			delta[k] = was;
		}
		for (int64_t k = 0; k < B->store.len[BCCOO_BASE]; k++) {
			base[k] ^= 1 << 30;
			expect_error(ek_matrix_check(B), EK_ERANGE, "delta and base_col");
			base[k] ^= 1 << 30;
		}
		B->store.dim[BCCOO_ESCAPES]++;
		expect_error(ek_matrix_check(B), EK_ERANGE, "said not to fit");
		B->store.dim[BCCOO_ESCAPES]--;
		B->store.dim[BCCOO_DELTAS] += 2;
		expect_error(ek_matrix_check(B), EK_ERANGE, "deltas=");
		B->store.dim[BCCOO_DELTAS] -= 2;
		expect_status(ek_matrix_check(B), EK_OK);
		ek_matrix_destroy(B);
		ek_matrix_destroy(A);
	}
}

/* ---- Products -------------------------------------------------------------------------------- */

static double x[COLS], got[COLS], expected[COLS];

static void multiply(ek_plan *plan, ek_value value, int64_t nx, int64_t ny, double beta, double *y)
{
	const ek_dense X = ek_vector(value, nx, x), Y = ek_vector(value, ny, y);

	for (int64_t i = 0; i < ny; i++)
		value_set(value, y, i, (double)(i % 7 - 3));
	expect_status(ek_spmv(plan, -2, &X, beta, &Y), EK_OK);
}

/* Checks products of `method` with A in blocks. */
static void check_products(const ek_matrix *A, struct size size, int deltas, const char *method,
                           int op, const char *what)
{
	const ek_value value = A->store.value;
	const int64_t nx = op ? A->store.rows : A->store.cols;
	const int64_t ny = op ? A->store.cols : A->store.rows;
	ek_hints hints = {.size = sizeof hints, .op = op ? EK_OP_T : EK_OP_N, .method = method};
	ek_matrix *B = blocked(A, size, deltas);
	ek_plan *plan, *plain;

	expect_status(ek_plan_create(EK_SPMV, B, &hints, &plan), EK_OK);
	hints.method = "spmv.csr.serial";
	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plain), EK_OK);
	for (int64_t j = 0; j < nx; j++)
		value_set(value, x, j, (double)(j * 7 % 11 - 5));
	for (int turn = 0; turn < 2; turn++) {
		multiply(plan, value, nx, ny, 3 * turn, got);
		multiply(plain, value, nx, ny, 3 * turn, expected);
		for (int64_t i = 0; i < ny; i++)
			if (value_at(value, got, i) != value_at(value, expected, i))
				fail_msg("%s, %s/%s, %d x %d, deltas=%d, op %c: y[%lld] is %g; "
				         "%g is expected",
				         what, ek_value_name(value), ek_index_name(A->store.index),
				         size.r, size.c, deltas, op ? 'T' : 'N', (long long)i,
				         value_at(value, got, i), value_at(value, expected, i));
	}
	ek_plan_destroy(plain);
	ek_plan_destroy(plan);
	ek_matrix_destroy(B);
}

static void test_products(void **state)
{
	int turn = 0;

	(void)state;
	for (int level = 0; level < contexts.levels; level++)
		for (int k = 0; k < KINDS * COUNT(sizes); k++, turn++) {
			ek_context *ctx = contexts.of[level][turn % contexts.counts];
			const int kind = k % KINDS;
			ek_matrix *A = matrix(ctx, kind, turn % 2 ? EK_F32 : EK_F64,
			                      (ek_index)(1 + turn % 3));

			for (int op = 0; op < 4; op++)
				check_products(A, sizes[k / KINDS], 1 + op / 2, "spmv.bccoo",
				               op % 2, kinds[kind].name);
			ek_matrix_destroy(A);
		}
}

/* Checks the bytes that a plan says a run moves: delta, base_col and the escapes instead of all
 * columns. */
static void check_bytes(ek_context *ctx, const char *method)
{
	const ek_hints hints = {.size = sizeof hints, .method = method};

	for (int index = EK_I32; index <= EK_I64; index++) {
		const int64_t size = index == EK_I64 ? 8 : 4;
		ek_matrix *A = matrix(ctx, FAR, EK_F64, (ek_index)index);
		int64_t bytes[3];

		for (int deltas = 0; deltas < 3; deltas++) {
			ek_matrix *B = blocked(A, sizes[1], deltas);
			const int64_t blocks = B->store.len[BLOCK_COL];
			const int64_t escapes = B->store.dim[BCCOO_ESCAPES];
			const int64_t more = size * ((blocks + 31) / 32 + escapes - blocks);
			ek_plan *plan;

			expect_status(ek_plan_create(EK_SPMV, B, &hints, &plan), EK_OK);
			bytes[deltas] = ek_plan_bytes(plan);
			if (deltas) {
				assert_true(escapes > 100);
				assert_int_equal(bytes[deltas] - bytes[0], 2 * blocks + more);
			}
			ek_plan_destroy(plan);
			ek_matrix_destroy(B);
		}
		ek_matrix_destroy(A);
	}
}

static void test_bytes(void **state)
{
	(void)state;
	check_bytes(contexts.of[0][0], "spmv.bccoo");
	for (int k = 0; k < devices.count; k++)
		check_bytes(devices.of[k].ctx, "spmv.bccoo.gpu");
}

static void test_devices(void **state)
{
	/* Few matrices, since a program is compiled for each width, type and kind of memory. */
	const bool quick = test_tier() <= TIER_QUICK;
	const int all = COUNT(sizes) * KINDS, step = quick ? 4 : 1;

	(void)state;
	need_device();
	for (int k = 0, turn = 0; k < all; k += step, turn++) {
		const struct device_context *on = &devices.of[quick ? 0 : turn % devices.count];
		const int type = quick ? sizes[k / KINDS].c % 6 : turn % 6;
		char what[120];
		ek_matrix *A = matrix(on->ctx, k % KINDS, type % 2 ? EK_F32 : EK_F64,
		                      (ek_index)(1 + type % 3));

		snprintf(what, sizeof what, "%s on %s", kinds[k % KINDS].name, on->text);
		for (int op = 0; op < 4; op++)
			check_products(A, sizes[k / KINDS], 1 + op / 2, "spmv.bccoo.gpu", op % 2,
			               what);
		ek_matrix_destroy(A);
	}
}

static int setup(void **state)
{
	return contexts_setup_isas(state) || devices_setup(state);
}

static int teardown(void **state)
{
	return devices_teardown(state) || contexts_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conversions), cmocka_unit_test(test_distances),
		cmocka_unit_test(test_damage),      cmocka_unit_test(test_products),
		cmocka_unit_test(test_bytes),       cmocka_unit_test(test_devices),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, setup, teardown);
}
