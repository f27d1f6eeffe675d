/* SPDX-License-Identifier: BSD-3-Clause
 * Tests sparse products with a B that does not fit a device and goes through it in slices of
 * columns (spgemm.csr.batches.gpu): with a number of slices that was asked for, in all types, with
 * operands in CSR and in CSC; with a driver that has less memory than B takes, by name and as the
 * device's share of spgemm.csr.split.gpu; what does not fit; where columns are cut; what is copied;
 * and threads. Results must have the bits of the plain method of the processor. test_gpu_spgemm
 * checks shapes, test_gpu_batches_failures calls of the driver that fail. */
#include <stdio.h>

#include "both/sparse.h"
#include "gpu/job.h"
#include "support/budget.h"
#include "support/entries.h"
#include "support/lengths.h"
#include "support/operands.h"
#include "support/rows.h"
#include "support/sparse.h"
#include "support/spgemm_case.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

static struct rng draw;
static struct shape shape[3];
static struct operands p;

/* ---- Products -------------------------------------------------------------------------------- */

/* Makes matrices of the shapes. */
static void begin(ek_context *ctx, int held, ek_value value, ek_index index, bool with_d)
{
	p = (struct operands){.count = with_d ? 3 : 2, .alpha = -1.5, .beta = 0.75};
	for (int k = 0; k < p.count; k++)
		held_make(&p.h[k], &shape[k], held, value, index, 1, ctx);
	snprintf(product_where, sizeof product_where, "%s, %s %s%s", ctx->device->info.name,
	         ek_value_name(value), ek_index_name(index), held == HELD_CSC ? ", csc" : "");
}

static void end(void)
{
	operands_free(&p);
}

/* A is `rows` x 90 and B 90 x `cols`, with entries in any columns. */
static void shapes_make(int64_t rows, int64_t cols)
{
	sparse_random(&draw, &shape[0], rows, 90, 20);
	sparse_random(&draw, &shape[1], 90, cols, 40);
	sparse_random(&draw, &shape[2], rows, cols, 20);
}

static void shapes_free(void)
{
	for (int k = 0; k < 3; k++)
		shape_free(&shape[k]);
}

static ek_plan *plan_of(const char *method, const char *says)
{
	ek_plan *plan;

	expect_status(operands_plan(&p, method, 0, &plan), EK_OK);
	expect_explained(plan, says);
	return plan;
}

static void check_plan(const char *method, const char *says)
{
	ek_plan *plan = plan_of(method, says);

	operands_check(&p, plan);
	ek_plan_destroy(plan);
}

/* ---- Slices that were asked for -------------------------------------------------------------- */

/* Compiling kernels takes most of the time, so the quick tier has few types. */
static bool is_tested(ek_value value, ek_index index, bool with_d)
{
	return test_tier() > TIER_QUICK || (value == EK_F64 && index == EK_I32) ||
	       (value == EK_F32 && index == EK_I64 && !with_d);
}

static void types(ek_context *ctx, eki_memory memory)
{
	static const char *const method[] = {"spgemm.csr.batches.gpu:slices=2",
	                                     "spgemm.csr.batches.gpu:batch=9000,slices=3",
	                                     "spgemm.csr.batches.gpu:slices=7"};
	int k = 0;

	(void)memory;
	for (int value = EK_F32; value <= EK_F64; value++)
		for (int index = EK_I32; index <= EK_I64; index++)
			for (int way = 0; way < 4; way++) {
				if (!is_tested((ek_value)value, (ek_index)index, way & 1))
					continue;
				/* In CSC, the columns of C are cut into batches, the rows into
				 * slices. */
				if (way & 2)
					shapes_make(60, 20);
				else
					shapes_make(12, 40000);
				begin(ctx, way & 2 ? HELD_CSC : HELD_CSR, (ek_value)value,
				      (ek_index)index, way & 1);
				check_plan(method[k++ % 3], " slices of columns");
				end();
				shapes_free();
			}
}

/* ---- Memory ---------------------------------------------------------------------------------- */

enum { COLS = 20000, BUDGET = 300000 };

/* Made-up times: the device is far faster than the processor. */
static double device_wins(const ek_method *method, bool prepares, double ns)
{
	(void)ns;
	return prepares ? 0 : needs_device(method) && !uses_both(method) ? 1e6 : 1e9;
}

/* A B of 540 KB, of which the device holds a part. It says that it has `says` bytes. */
static void little_memory_of(ek_context *ctx, int64_t says, bool with_d)
{
	ek_plan *plan = NULL;

	sparse_random(&draw, &shape[0], 20, 90, 8);
	shape_open(&shape[1], "B", 90, COLS, 90 * 500);
	for (int64_t i = 0; i < 90; shape_end_row(&shape[1], i++))
		for (int64_t k = 0; k < 500; k++)
			shape_put(&shape[1], 40 * k + (7 * i + k) % 40, &draw);
	sparse_random(&draw, &shape[2], 20, COLS, 200);
	begin(ctx, HELD_CSR, EK_F64, EK_I32, with_d);
	assert_true(eki_store_bytes(&p.h[1].M->store) > 3 * BUDGET / 2);
	budget_begin(ctx, BUDGET, true);
	ctx->device->info.memory = says;
	expect_status(operands_plan(&p, "csr.hash.gpu", 0, &plan), EK_ENOMEM);
	eki_jobs_trim(ctx->device);
	plan = plan_of("csr.batches.gpu", " slices of columns");
	assert_int_equal(budget.live, 0); /* nothing of B is left there */
	operands_check(&p, plan);
	ek_plan_destroy(plan);
	assert_true(budget.most > BUDGET / 2);
	check_plan("csr.split.gpu:share=300", " slices of columns");
	expect_status(operands_plan(&p, "csr.split.gpu", 0, &plan), EK_OK);
	expect_explained(plan, "the device alone");
	expect_explained(plan, " slices of columns");
	operands_check(&p, plan);
	ek_plan_destroy(plan);
	budget_end(ctx);
	assert_int_equal(budget.live, 0);
	end();
	shapes_free();
}

static void little_memory(ek_context *ctx, eki_memory memory)
{
	if (memory == EKI_MEMORY_SHARED) /* then the driver allocates nothing for the operands */
		return;
	ctx->timing = device_wins;
	little_memory_of(ctx, BUDGET, true);
	little_memory_of(ctx, 4 * BUDGET, false); /* B seems to fit */
	ctx->timing = NULL;
}

/* Checks that a plan has as few slices as fit, and leaves a quarter of the memory. */
static void few_slices(ek_context *ctx, eki_memory memory)
{
	static const struct {
		int64_t memory;
		const char *says;
	} of[] = {{2000000, "besides B, which stays"},
	          {520000, " in 2 slices of columns"},
	          {390000, " in 3 slices of columns"},
	          {210000, " in 4 slices of columns"}};

	(void)memory;
	shape_open(&shape[0], "A", 20, 90, 20);
	for (int64_t i = 0; i < 20; shape_end_row(&shape[0], i++))
		shape_put(&shape[0], i, &draw);
	shape_open(&shape[1], "B", 90, COLS, 90 * 500);
	for (int64_t i = 0; i < 90; shape_end_row(&shape[1], i++))
		for (int64_t k = 0; k < 500; k++)
			shape_put(&shape[1], 40 * k, &draw);
	begin(ctx, HELD_CSR, EK_F64, EK_I32, false);
	for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
		budget_begin(ctx, of[k].memory, false);
		check_plan("csr.batches.gpu", of[k].says);
		budget_end(ctx);
	}
	end();
	shape_free(&shape[0]);
	shape_free(&shape[1]);
}

/* A driver that has less and less memory gives a product, or an error when the plan is made. */
static void less_memory(ek_context *ctx, eki_memory memory)
{
	int made = 0, refused = 0;

	if (memory == EKI_MEMORY_SHARED)
		return;
	sparse_random(&draw, &shape[0], 20, 90, 8);
	sparse_random(&draw, &shape[1], 90, 300, 200);
	begin(ctx, HELD_CSR, EK_F64, EK_I32, false);
	for (int64_t bytes = 200000; bytes > 1000; bytes -= bytes / 4) {
		ek_plan *plan = NULL;
		ek_status status;

		budget_begin(ctx, bytes, true);
		status = operands_plan(&p, "csr.batches.gpu", 0, &plan);
		if (status == EK_OK)
			operands_check(&p, plan);
		else
			assert_int_equal(status, EK_ENOMEM);
		made += status == EK_OK;
		refused += status != EK_OK;
		ek_plan_destroy(plan);
		budget_end(ctx);
		assert_int_equal(budget.live, 0);
	}
	assert_true(made > 5 && refused > 5);
	end();
	shape_free(&shape[0]);
	shape_free(&shape[1]);
}

/* ---- What does not fit ----------------------------------------------------------------------- */

/* Makes a B of `rows` rows, of which row i has `length` entries from column `step` i on, modulo the
 * columns where one can begin, and an A with an entry in each row but for a first one with
 * `longest`. */
static void stairs_make(int64_t rows, int64_t cols, int64_t length, int64_t step, int64_t longest)
{
	shape_open(&shape[0], "A", 20, rows, longest + 20);
	for (int64_t i = 0; i < 20; shape_end_row(&shape[0], i++))
		for (int64_t k = 0; k < (i ? 1 : longest); k++)
			shape_put(&shape[0], k, &draw);
	shape_open(&shape[1], "B", rows, cols, rows * length);
	for (int64_t i = 0; i < rows; shape_end_row(&shape[1], i++))
		for (int64_t k = 0; k < length; k++)
			shape_put(&shape[1], step * i % (cols - length + 1) + k, &draw);
}

static void refused(ek_context *ctx, eki_memory memory)
{
	static const struct {
		int64_t memory, rows, cols, length, longest;
		const char *method, *says;
	} of[] = {
		/* All entries are in one column, or the first row of A is long. */
		{60000, 4000, 4000, 1, 1, "csr.batches.gpu", "B takes 64004 bytes, and neither"},
		{50000, 3000, 70000, 1, 1, "csr.split.gpu:side=1", "neither B nor slices"},
		{100000, 3000, 4, 4, 3000, "csr.batches.gpu", "while a slice of B leaves"},
		{60000, 3000, 4, 4, 3000, "csr.batches.gpu:slices=2",
	         "while a slice of B leaves 0 of"},
	};
	ek_plan *plan = NULL;

	(void)memory;
	for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
		stairs_make(of[k].rows, of[k].cols, of[k].length, 0, of[k].longest);
		begin(ctx, HELD_CSR, EK_F64, EK_I32, false);
		budget_begin(ctx, of[k].memory, false);
		expect_error(operands_plan(&p, of[k].method, 0, &plan), EK_ENOMEM, of[k].says);
		assert_null(plan);
		check_plan("csr.split.gpu",
		           "the processor alone, since the device has too little memory");
		budget_end(ctx);
		end();
		shape_free(&shape[0]);
		shape_free(&shape[1]);
	}
}

/* ---- Where columns are cut ------------------------------------------------------------------- */

/* Checks counts of slices where there are few columns, where all entries are in one, and where row
 * pointers would take most of a slice. */
static void cuts(ek_context *ctx, eki_memory memory)
{
	static const struct {
		int64_t rows, cols, length, step;
		const char *method, *says;
	} of[] = {{30, 12, 12, 0, "csr.batches.gpu:slices=64", " in 12 slices of columns"},
	          {30, 40, 40, 0, "csr.batches.gpu:slices=3", " in 3 slices of columns"},
	          {30, 40000, 40, 0, "csr.batches.gpu:slices=3", " in 3 slices of columns"},
	          {30, 40000, 8, 0, "csr.batches.gpu:slices=64", " in 8 slices of columns"},
	          {30, 50, 1, 0, "csr.batches.gpu:slices=2", " in 1 slice of columns"},
	          {30, 50, 0, 0, "csr.batches.gpu:slices=2", "besides B, which stays"},
	          {3000, 50, 1, 1, "csr.batches.gpu:slices=64", " in 2 slices of columns"}};

	(void)memory;
	for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
		stairs_make(of[k].rows, of[k].cols, of[k].length, of[k].step, 2);
		begin(ctx, HELD_CSR, EK_F64, EK_I32, false);
		check_plan(of[k].method, of[k].says);
		end();
		shape_free(&shape[0]);
		shape_free(&shape[1]);
	}
}

/* ---- Copies, threads ------------------------------------------------------------------------- */

/* Checks that a run which makes a new C copies B once, and A once for each slice. */
static void copies(ek_context *ctx, eki_memory memory)
{
	enum { SLICES = 3, OTHER = 1500 }; /* bytes of other things */
	ek_device_counters before = {.size = sizeof before}, after = before;
	const ek_store *A, *B;
	ek_matrix *C = NULL;
	ek_plan *plan;
	int64_t least;

	if (memory == EKI_MEMORY_SHARED)
		return;
	sparse_random(&draw, &shape[0], 2000, 90, 80);
	sparse_random(&draw, &shape[1], 90, 4000, 900);
	begin(ctx, HELD_CSR, EK_F64, EK_I32, false);
	A = &p.h[0].M->store;
	B = &p.h[1].M->store;
	least = SLICES * eki_store_bytes(A) + eki_store_bytes(B) +
	        (SLICES - 1) * (B->rows + 1) * (int64_t)eki_ptr_size(B->index);
	plan = plan_of("csr.batches.gpu:slices=3,batch=20000000", " in 3 slices of columns");
	expect_status(ek_device_get_counters(ctx, &before), EK_OK);
	expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
	expect_status(ek_device_get_counters(ctx, &after), EK_OK);
	assert_in_range(after.to_device - before.to_device, least, least + OTHER);
	ek_matrix_destroy(C);
	ek_plan_destroy(plan);
	end();
	shape_free(&shape[0]);
	shape_free(&shape[1]);
}

static void threads(ek_context *ctx, eki_memory memory)
{
	ek_plan *plan;

	(void)memory;
	shapes_make(12, 300);
	begin(ctx, HELD_CSR, EK_F64, EK_I32, true);
	plan = plan_of("csr.batches.gpu:slices=3", " slices of columns");
	spgemm_in_two_threads(plan);
	operands_check(&p, plan);
	ek_plan_destroy(plan);
	end();
	shapes_free();
}

ON_EACH_DEVICE(types)
ON_EACH_DEVICE(little_memory)
ON_EACH_DEVICE(few_slices)
ON_EACH_DEVICE(less_memory)
ON_EACH_DEVICE(refused)
ON_EACH_DEVICE(cuts)
ON_EACH_DEVICE(copies)
ON_EACH_DEVICE(threads)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),      cmocka_unit_test(test_little_memory),
		cmocka_unit_test(test_few_slices), cmocka_unit_test(test_less_memory),
		cmocka_unit_test(test_refused),    cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_copies),     cmocka_unit_test(test_threads),
	};

	draw.state = 29;
	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
