/* SPDX-License-Identifier: BSD-3-Clause
 * Tests sparse products whose rows go through a device in batches, next to B: by name
 * (spgemm.csr.batches.gpu) and as the device's share of spgemm.csr.split.gpu. The driver counts the
 * memory that it gives, and has no more than a budget, in which A and B together do not fit. Other
 * tests: how rows are cut into batches, rows and a B that do not fit, what is copied, and threads.
 * Results must have the bits of the plain method of the processor; test_gpu_spgemm checks types and
 * shapes, test_gpu_batches_failures calls of the driver that fail. */
#include <stdio.h>

#include "both/sparse.h"
#include "gpu/job.h"
#include "support/budget.h"
#include "support/held.h"
#include "support/lengths.h"
#include "support/rows.h"
#include "support/spgemm_case.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

/* ---- Products -------------------------------------------------------------------------------- */

/* A has 2000 rows of 0 to 9 entries and takes 160 KB; B has 10000 rows of one and takes 240 KB. */
enum { A_ROWS = 2000, INNER = 10000, BUDGET = 440000 };

static struct factors {
	ek_matrix *A, *B, *D;
} with;

static void factors_make(ek_context *ctx, bool with_d)
{
	static int64_t first[A_ROWS], length[A_ROWS];

	for (int64_t i = 0; i < A_ROWS; i++) {
		first[i] = 7 * i % (INNER - 10);
		length[i] = i < 3 || i > A_ROWS - 4 ? 0 : i % 10;
	}
	with.A = rows_of_lengths(ctx, A_ROWS, INNER, first, length);
	with.B = rows_stairs(ctx, INNER, 1, 1);
	with.D = with_d ? rows_equal(ctx, A_ROWS, INNER, 1) : NULL;
}

static void factors_free(void)
{
	ek_matrix_destroy(with.A);
	ek_matrix_destroy(with.B);
	ek_matrix_destroy(with.D);
	with = (struct factors){0};
}

static ek_status plan_make(const char *method, int64_t memory, ek_plan **plan)
{
	const ek_hints hints = {.size = sizeof hints,
	                        .method = method,
	                        .B = with.B,
	                        .D = with.D,
	                        .calls = 64,
	                        .memory = memory};

	return ek_plan_create(EK_SPGEMM, with.A, &hints, plan);
}

static void change_values(ek_matrix *M)
{
	double *val = M->store.array[CSR_VAL];

	for (int64_t k = 0; k < M->store.nnz; k++)
		val[k] = val[k] * 2 + 1;
	expect_status(ek_matrix_values_changed(M), EK_OK);
}

/* Runs a plan into a new matrix and into that again, with new values of A and then of B. */
static void check(ek_plan *plan)
{
	ek_matrix *C = NULL, *R = NULL;
	ek_plan *plain;

	expect_status(plan_make("csr.serial", 0, &plain), EK_OK);
	for (int k = 0; k < 3; k++) {
		if (k)
			change_values(k == 1 ? with.A : with.B);
		expect_status(ek_spgemm(plan, 2, -3, &C), EK_OK);
		expect_status(ek_spgemm(plain, 2, -3, &R), EK_OK);
		assert_null(different_array(C, R));
		poison(EK_F64, C->store.array[CSR_VAL], C->store.nnz);
	}
	ek_matrix_destroy(C);
	ek_matrix_destroy(R);
	ek_plan_destroy(plain);
}

static void check_plan(const char *method, const char *says)
{
	ek_plan *plan;

	expect_status(plan_make(method, 0, &plan), EK_OK);
	expect_explained(plan, says);
	check(plan);
	ek_plan_destroy(plan);
}

/* Returns the number of batches that a plan says. */
static long long batches_of(const ek_plan *plan)
{
	char text[4096], *at;

	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	at = strstr(text, " batches of rows");
	assert_non_null(at);
	while (at > text && at[-1] != ' ')
		at--;
	return strtoll(at, NULL, 10);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Made-up times: the device is far faster than the processor. */
static double device_wins(const ek_method *method, bool prepares, double ns)
{
	(void)ns;
	return prepares ? 0 : needs_device(method) && !uses_both(method) ? 1e6 : 1e9;
}

/* Checks a device whose memory holds B, but not A beside it. */
static void little_memory(ek_context *ctx, eki_memory memory)
{
	static const char *const in_batches = "in batches, since it does not fit there";
	ek_plan *plan;

	if (memory == EKI_MEMORY_SHARED) /* then the driver allocates nothing for the operands */
		return;
	ctx->timing = device_wins;
	for (int with_d = 0; with_d < 2; with_d++) {
		factors_make(ctx, with_d);
		budget_begin(ctx, BUDGET, true);
		expect_status(plan_make("csr.hash.gpu", 0, &plan), EK_ENOMEM);
		expect_status(plan_make("csr.batches.gpu", 0, &plan), EK_OK);
		assert_true(batches_of(plan) > 10);
		check(plan);
		ek_plan_destroy(plan);
		check_plan("csr.batches.gpu:batch=1000000", " batches of rows"); /* all there is */
		check_plan("csr.split.gpu:share=300", in_batches);
		check_plan("csr.split.gpu:side=1", in_batches);
		check_plan("csr.split.gpu", in_batches);
		check_plan("csr.split.gpu", "the device alone");
		assert_true(budget.most > BUDGET * 3 / 4);
		budget_end(ctx);
		assert_int_equal(budget.live, 0);
		factors_free();
	}
	ctx->timing = NULL;
}

/* Checks that batches help where the device says that there is memory, and its driver has none:
 * with a share that was asked for, and with a choice that is made again for batches. */
static void driver_has_less(ek_context *ctx, eki_memory memory)
{
	static const char *const in_batches = "in batches, since it does not fit there";
	const int64_t has = ctx->device->info.memory;
	char text[4096];
	ek_plan *plan;

	if (memory == EKI_MEMORY_SHARED)
		return;
	factors_make(ctx, false);
	budget_begin(ctx, BUDGET, true);
	ctx->device->info.memory = 3 * BUDGET;
	check_plan("csr.split.gpu:share=1", in_batches);
	ctx->timing = device_wins;
	expect_status(plan_make("csr.split.gpu", 0, &plan), EK_OK);
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	expect_text(text, in_batches);
	expect_text(text, "the device alone, since both together");
	assert_null(strstr(text, "as asked for"));
	check(plan);
	ek_plan_destroy(plan);
	ctx->timing = NULL;
	budget_end(ctx);
	assert_int_equal(ctx->device->info.memory, has);
	factors_free();
}

/* Gives the device memory for B and `bytes` bytes, which the longest rows take, or a byte less. */
static void fits_exactly(ek_context *ctx, eki_memory memory, int64_t bytes)
{
	const int64_t need = eki_store_bytes(&with.B->store) + bytes;
	int64_t has = need;
	ek_plan *plan = NULL;

	while (has - has / 10 < need)
		has++;
	/* Memory that both sides share also has results, and texts of programs. */
	budget_begin(ctx, has, memory != EKI_MEMORY_SHARED);
	check_plan("csr.batches.gpu", " 3 batches of rows");
	ctx->device->info.memory = has - 2;
	expect_error(plan_make("csr.batches.gpu", 0, &plan), EK_ENOMEM, "a row of A and its row");
	assert_null(plan);
	budget_end(ctx);
	assert_true(budget.live == 0 || memory == EKI_MEMORY_SHARED);
}

/* Checks what must fit: B, since its row pointers would take most of a slice of it
 * (test_gpu_slices), and beside it the longest row of A with its row of C. */
static void what_does_not_fit(ek_context *ctx, eki_memory memory)
{
	const int64_t lengths[] = {1, 0, 6000, 2, 0};
	ek_plan *plan = NULL;

	factors_make(ctx, false);
	budget_begin(ctx, 200000, false);
	expect_error(plan_make("csr.batches.gpu", 0, &plan), EK_ENOMEM, "B takes 240");
	expect_error(plan_make("csr.split.gpu:side=1", 0, &plan), EK_ENOMEM, "B takes 240");
	check_plan("csr.split.gpu", "the processor alone, since the device has too little memory");
	budget_end(ctx);
	ek_matrix_destroy(with.A);
	with.A = rows_of_lengths(ctx, 5, INNER, NULL, lengths);
	budget_begin(ctx, BUDGET, false);
	check_plan("csr.split.gpu", "the processor alone, since the device has too little memory");
	expect_error(plan_make("csr.batches.gpu", 0, &plan), EK_ENOMEM, "a row of A and its row");
	budget_end(ctx);
	fits_exactly(ctx, memory, number_after(ek_error_text(), "may take "));
	assert_null(plan);
	factors_free();
}

/* ---- Batches --------------------------------------------------------------------------------- */

/* Checks the numbers of batches: one where all rows have room, one for each row where no two have,
 * and none without rows. */
static void batches(ek_context *ctx, eki_memory memory)
{
	static const struct {
		int64_t rows, length, batches;
		const char *method;
	} of[] = {{40, 500, 1, "csr.batches.gpu"},
	          {40, 500, 40, "csr.batches.gpu:batch=64"},
	          {1, 500, 1, "csr.batches.gpu:batch=64"},
	          {40, 0, 1, "csr.batches.gpu:batch=30000"},
	          {0, 0, 0, "csr.batches.gpu:batch=64"}};
	ek_plan *plan;

	(void)memory;
	for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
		with.A = rows_equal(ctx, of[k].rows, 600, of[k].length);
		with.B = rows_stairs(ctx, 600, 1, 2);
		expect_status(plan_make(of[k].method, 0, &plan), EK_OK);
		assert_int_equal(batches_of(plan), of[k].batches);
		check(plan);
		ek_plan_destroy(plan);
		check_plan("csr.split.gpu:share=500,batch=64",
		           k < 2 ? "in batches, as asked for" : "the processor those below");
		factors_free();
	}
}

/* Returns the bytes that a run which makes a new C copies to the device. */
static int64_t copied(ek_context *ctx, ek_plan *plan)
{
	ek_device_counters before = {.size = sizeof before}, after = before;
	ek_matrix *C = NULL;

	expect_status(ek_device_get_counters(ctx, &before), EK_OK);
	expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
	expect_status(ek_device_get_counters(ctx, &after), EK_OK);
	ek_matrix_destroy(C);
	return after.to_device - before.to_device;
}

/* Checks that B is not copied again in a run, also with new values of A, and that hints.memory is
 * refused. */
static void copies(ek_context *ctx, eki_memory memory)
{
	enum { OTHER = 1000 }; /* bytes of other things */
	ek_plan *plan = NULL;
	const ek_store *A, *B;
	int64_t a, b;

	(void)memory;
	factors_make(ctx, false);
	A = &with.A->store;
	B = &with.B->store;
	expect_error(plan_make("csr.batches.gpu", 1 << 30, &plan), EK_EUNSUPPORTED, "hints.memory");
	assert_null(plan);
	expect_status(plan_make("csr.batches.gpu:batch=30000", 0, &plan), EK_OK);
	assert_true(batches_of(plan) > 5);
	a = eki_store_bytes(A);
	b = B->nnz * (int64_t)sizeof(double);
	if (in_shared_heap(ctx, A->array[CSR_VAL], A->nnz * (int64_t)sizeof(double)))
		a = b = 0;
	for (int k = 0; k < 4; k++) {
		const int64_t more = k == 3 ? b : 0, least = a + more;

		if (k)
			change_values(k == 3 ? with.B : with.A);
		assert_in_range(copied(ctx, plan), least, a ? least + OTHER : 0);
	}
	ek_plan_destroy(plan);
	factors_free();
}

/* ---- Threads --------------------------------------------------------------------------------- */

static void threads(ek_context *ctx, eki_memory memory)
{
	ek_plan *plan;

	(void)memory;
	factors_make(ctx, false);
	expect_status(plan_make("csr.batches.gpu:batch=60000", 0, &plan), EK_OK);
	spgemm_in_two_threads(plan);
	check(plan);
	ek_plan_destroy(plan);
	factors_free();
}

ON_EACH_DEVICE(little_memory)
ON_EACH_DEVICE(driver_has_less)
ON_EACH_DEVICE(what_does_not_fit)
ON_EACH_DEVICE(batches)
ON_EACH_DEVICE(copies)
ON_EACH_DEVICE(threads)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_little_memory),
		cmocka_unit_test(test_driver_has_less),
		cmocka_unit_test(test_what_does_not_fit),
		cmocka_unit_test(test_batches),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_threads),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
