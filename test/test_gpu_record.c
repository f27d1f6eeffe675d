/* SPDX-License-Identifier: BSD-3-Clause
 * Tests runs that are repeated on a device and so recorded (gpu/record.c): all methods give the
 * same as the host, run for run, with vectors that alternate or are freed and made anew, other
 * factors, and new values; blocks also with other widths and orders at the same address. Recorded
 * launches count as launches. Drivers without recordings get those of support/tape.h.
 * test_cuda_failures has what CUDA records. */
#include <string.h>

#include "gpu/gpu.h"
#include "support/devices.h"
#include "support/support.h"
#include "support/tape.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

enum { ROWS = 700, COLS = 500, WIDE = 3, PAIRS = 6, RUNS = 12, MOST = 8 * ROWS + COLS };

static double x[PAIRS][COLS * WIDE], y[PAIRS][ROWS * WIDE], val[MOST];
static int32_t row_ptr[ROWS + 1], col_idx[MOST];

/* Makes a matrix with rows of 0 to 7 entries, and one of COLS. */
static ek_matrix *make_matrix(ek_context *ctx)
{
	ek_matrix *A;
	int n = 0;

	for (int i = 0; i < ROWS; i++) {
		const int length = i == 300 ? COLS : i % 8;

		row_ptr[i] = n;
		for (int k = 0; k < length; k++, n++) {
			col_idx[n] = length == COLS ? k : (i + 61 * k) % (COLS - 7 * 61) + 61 * k;
			val[n] = (i + k) % 5 - 2;
		}
	}
	row_ptr[ROWS] = n;
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, ROWS, COLS, row_ptr, col_idx, val,
	                                 EK_BORROW, &A),
	              EK_OK);
	return A;
}

typedef struct on_device {
	ek_context *ctx;
	void *x[PAIRS], *y[PAIRS]; /* room for WIDE columns */
	int width, order;          /* of the blocks that are multiplied; width 0: vectors */
} on_device;

/* ---- Runs ------------------------------------------------------------------------------------ */

/* Makes pair k of vectors on the device, with small integers that depend on k. */
static void make_pair(on_device *on, int k)
{
	for (int j = 0; j < COLS * WIDE; j++)
		x[k][j] = (j * 7 + k) % 11 - 5;
	for (int i = 0; i < ROWS * WIDE; i++)
		y[k][i] = (i + 3 * k) % 5;
	expect_status(ek_device_alloc(on->ctx, sizeof x[k], &on->x[k]), EK_OK);
	expect_status(ek_device_alloc(on->ctx, sizeof y[k], &on->y[k]), EK_OK);
	expect_status(ek_device_write(on->ctx, on->x[k], x[k], sizeof x[k]), EK_OK);
	expect_status(ek_device_write(on->ctx, on->y[k], y[k], sizeof y[k]), EK_OK);
}

static void free_pair(const on_device *on, int k)
{
	ek_device_free(on->ctx, on->x[k]);
	ek_device_free(on->ctx, on->y[k]);
}

/* Describes a vector of n entries or, in the same memory, a block of n rows. */
static ek_dense dense_of(const on_device *on, int64_t n, void *data)
{
	return on->width ? ek_block(EK_F64, n, on->width, on->order == EK_ROW_MAJOR ? WIDE : n,
	                            on->order, data)
	                 : ek_vector(EK_F64, n, data);
}

/* Does y = alpha A x + beta y with pair k on the device and, by `same`, on the host. */
static void run(const on_device *on, ek_plan *plan, ek_plan *same, double alpha, double beta, int k)
{
	ek_status (*multiply)(ek_plan *, double, const ek_dense *, double, const ek_dense *) =
		on->width ? ek_spmm : ek_spmv;
	ek_dense of_x = dense_of(on, COLS, on->x[k]), of_y = dense_of(on, ROWS, on->y[k]);
	const ek_dense x_here = dense_of(on, COLS, x[k]), y_here = dense_of(on, ROWS, y[k]);

	of_x.where = of_y.where = EK_ON_DEVICE;
	expect_status(multiply(plan, alpha, &of_x, beta, &of_y), EK_OK);
	expect_status(multiply(same, alpha, &x_here, beta, &y_here), EK_OK);
}

static void check(const on_device *on, int k, const char *where)
{
	double got[ROWS * WIDE];

	poison(EK_F64, got, ROWS * WIDE);
	expect_status(ek_device_read(on->ctx, on->y[k], got, sizeof got), EK_OK);
	for (int i = 0; i < ROWS * WIDE; i++)
		if (got[i] != y[k][i])
			fail_msg("%s: y_%d of pair %d is %g; %g is expected", where, i, k, got[i],
			         y[k][i]);
}

static void check_all(const on_device *on, const char *where)
{
	for (int k = 0; k < PAIRS; k++)
		check(on, k, where);
}

static int64_t bytes_from(const ek_context *ctx)
{
	ek_device_counters c = {.size = sizeof c};

	expect_status(ek_device_get_counters(ctx, &c), EK_OK);
	return c.from_device;
}

static bool has_recording(const ek_plan *plan)
{
	bool has = false;

	for (int k = 0; plan->root.gpu && k < EKI_RECORDED; k++)
		has |= plan->root.gpu->recorded[k].commands != NULL;
	return has;
}

/* Tests blocks of other widths and orders at the same addresses: as many as there are recordings.
 * The first of them has been recorded before. */
static void walk_blocks(on_device *on, ek_plan *plan, ek_plan *same, const char *where)
{
	static const struct {
		int width, order;
	} of[] = {{WIDE, EK_ROW_MAJOR},
	          {WIDE - 1, EK_ROW_MAJOR},
	          {WIDE, EK_COL_MAJOR},
	          {WIDE - 1, EK_COL_MAJOR}};

	for (int k = 0; k < RUNS * EKI_COUNT(of); k++) {
		on->width = of[k % EKI_COUNT(of)].width;
		on->order = of[k % EKI_COUNT(of)].order;
		run(on, plan, same, 1, 0, 0);
		/* The next run writes over what this one wrote. */
		if (k >= (RUNS - 1) * EKI_COUNT(of))
			check(on, 0, where);
	}
	on->width = WIDE;
	on->order = EK_ROW_MAJOR;
}

/* Tests a method. Returns true if runs were recorded. */
static bool walk(on_device *on, ek_matrix *A, const ek_method *m, const char *text)
{
	const ek_operation operation = ek_method_operation(m);
	const char *method = ek_method_name(m);
	const ek_hints hints = {.size = sizeof hints, .method = method, .width = on->width},
		       host = {.size = sizeof host,
	                       .method = on->width ? "spmm.csr.serial" : "spmv.csr.serial",
	                       .width = on->width};
	ek_plan *plan, *same;
	char where[200];
	int64_t each, before, bytes, read;
	bool recorded;

	snprintf(where, sizeof where, "%s %s", text, method);
	if (ek_plan_create(operation, A, &hints, &plan) != EK_OK) /* the format has limits */
		return false;
	expect_status(ek_plan_create(operation, A, &host, &same), EK_OK);
	before = launches_on(on->ctx);
	bytes = bytes_from(on->ctx);
	run(on, plan, same, 1, 0, 0);
	each = launches_on(on->ctx) - before;
	read = bytes_from(on->ctx) - bytes;
	for (int k = 1; k < RUNS; k++)
		run(on, plan, same, 1, 0, 0);
	if (launches_on(on->ctx) - before != RUNS * each)
		fail_msg("%s: %d runs of %lld launches count as %lld", where, RUNS, (long long)each,
		         (long long)(launches_on(on->ctx) - before));
	if (bytes_from(on->ctx) - bytes != RUNS * read)
		fail_msg("%s: runs that read %lld bytes count as %lld", where, (long long)read,
		         (long long)(bytes_from(on->ctx) - bytes));
	check(on, 0, where);
	recorded = has_recording(plan);
	if (on->width)
		walk_blocks(on, plan, same, where);
	/* More pairs than there are recordings, in turn, with y that is read. */
	for (int k = 0; k < RUNS * PAIRS; k++)
		run(on, plan, same, -2, 1, k % PAIRS);
	check_all(on, where);
	for (int k = 0; k < RUNS * EKI_RECORDED; k++)
		run(on, plan, same, k % 2 ? 1 : 3, 1, k % EKI_RECORDED);
	check_all(on, where);
	/* Memory that is freed may come back under the same address. */
	for (int turn = 0; turn < 3; turn++) {
		free_pair(on, 1);
		make_pair(on, 1);
		for (int k = 0; k < RUNS; k++)
			run(on, plan, same, 1, -1, 1);
		check(on, 1, where);
	}
	/* New values */
	for (int turn = 0; turn < 3; turn++) {
		val[turn] += 1;
		expect_status(ek_matrix_values_changed(A), EK_OK);
		for (int k = 0; k < RUNS; k++)
			run(on, plan, same, 1, 0, 2);
		check(on, 2, where);
	}
	if (strcmp(method, "spmv.csr.vector.gpu") == 0) /* a single launch */
		assert_false(recorded);
	ek_plan_destroy(plan);
	ek_plan_destroy(same);
	return recorded;
}

/* Tests all methods of an operation. At least `least` of them must be recorded on each device. */
static void walk_methods(ek_operation operation, int counts, int least)
{
	need_device();
	for (int k = 0; k < devices.count; k++) {
		on_device on = {.ctx = devices.of[k].ctx,
		                .width = operation == EK_SPMM ? WIDE : 0,
		                .order = EK_ROW_MAJOR};
		int recorded = 0, methods = 0;

		if (!on.ctx->device->info.f64)
			continue;
		const bool tape = tape_open(on.ctx, counts);

		for (const ek_method *m = NULL; (m = device_method_next(m, operation));) {
			ek_matrix *A = make_matrix(on.ctx);

			for (int p = 0; p < PAIRS; p++)
				make_pair(&on, p);
			recorded += walk(&on, A, m, devices.of[k].text);
			methods++;
			for (int p = 0; p < PAIRS; p++)
				free_pair(&on, p);
			ek_matrix_destroy(A);
		}
		if (tape)
			tape_close(on.ctx);
		print_message("  %s: runs of %d of %d methods were recorded\n", devices.of[k].text,
		              recorded, methods);
		/* A driver of its own counts a command as one. */
		assert_true(recorded >= (tape || counts == 1 ? least : 0));
	}
}

static void test_vectors(void **state)
{
	(void)state;
	walk_methods(EK_SPMV, 1, 10);
}

/* Methods for blocks have a single launch, which would not be recorded; so it counts as two. */
static void test_blocks(void **state)
{
	(void)state;
	walk_methods(EK_SPMM, 2, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors),
	                                   cmocka_unit_test(test_blocks)};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
