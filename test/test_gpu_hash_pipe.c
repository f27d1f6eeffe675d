/* SPDX-License-Identifier: BSD-3-Clause
 * Tests how "spgemm.csr.hash.gpu" copies C while the device computes more of it: the order of the
 * calls that a driver gets, the memory that it gives, and runs that find too little. The driver of
 * these tests puts copies off as long as it may, so results would be wrong if a buffer were used
 * again, or C read, too early. The library is told that the device is a GPU whose launches take no
 * time, so that batches are worth it; results must have the bits of the processor's reference. */
#include <stdio.h>

#include "gpu/job.h"
#include "spgemm_gpu/hash.h"
#include "support/budget.h"
#include "support/entries.h"
#include "support/late.h"
#include "support/operands.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

static const char method[] = "spgemm.csr.hash.gpu:local=8";
static struct rng draw = {29};

/* ---- The device ------------------------------------------------------------------------------ */

static struct {
	ek_device_info info;
	const eki_machine *machine;
	eki_machine quick;
	bool strict;
} was;

/* Whether the driver is taken as it is. If not, it allows copies beside kernels that use the same
 * buffer. */
static bool strict;

/* Calls the device a GPU, on which a batch is worth its launches from `entries` entries on. */
static void device_begin(ek_context *ctx, int64_t entries)
{
	was.info = ctx->device->info;
	was.machine = ctx->machine;
	was.quick = *ctx->machine;
	was.quick.launch[0] = 0.3 * (double)entries; /* with 16 launches, 8 times; 12 bytes each */
	was.quick.device_gbps[0] = 10;
	was.strict = strict;
	if (!strict)
		beside_begin(ctx);
	ctx->machine = &was.quick;
	call_device(ctx, "gpu");
}

static void device_end(ek_context *ctx)
{
	if (!was.strict)
		beside_end(ctx);
	ctx->machine = was.machine;
	ctx->device->info = was.info;
}

/* Tells whether results of a context are copied from the device, since the device does not share
 * the context's memory. */
static bool copies(const ek_context *ctx)
{
	return ctx->options.alloc != eki_shared_alloc;
}

/* ---- Operands -------------------------------------------------------------------------------- */

static struct shape a, b;
static struct operands p;

/* Makes a product with rows of many lengths, without entries at both ends, and more products in a
 * row than entries, so that C has two phases, if `dense`. */
static void product_begin(ek_context *ctx, bool dense)
{
	shape_open(&a, "A", 300, 200, 300 * 30);
	for (int64_t i = 0; i < 300; shape_end_row(&a, i++))
		for (int64_t k = 0; k < i % 30 && i > 2 && i < 290; k++)
			shape_put(&a, (7 * k + i) % 200, &draw);
	shape_open(&b, "B", 200, 90000, 200 * 20);
	for (int64_t i = 0; i < 200; shape_end_row(&b, i++))
		for (int64_t k = 0; k < 20; k++)
			shape_put(&b, 4000 * k + (dense ? i % 3 : i), &draw);
	snprintf(product_where, sizeof product_where, "%s product", dense ? "dense" : "sparse");
	operands_make(&p, &a, &b, NULL, EK_F64, EK_I32, ctx);
}

static void product_end(void)
{
	operands_free(&p);
	shape_free(&a);
	shape_free(&b);
}

/* Runs into *C, and returns the number of times that a copy came after the launches of the next
 * batch. */
static int overlaps(ek_plan *plan, ek_matrix **C)
{
	int count = 0;

	late.count = late.calls[0] = 0;
	expect_status(ek_spgemm(plan, 1, 0, C), EK_OK);
	for (int k = 0; k + 2 < late.count; k++)
		count += late.calls[k] == 'c' && strchr("Lk", late.calls[k + 1]) &&
		         strchr(late.calls + k, 'F') &&
		         memchr(late.calls + k, 'L',
		                (size_t)(strchr(late.calls + k, 'F') - late.calls - k));
	return count;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* The calls of a run that makes C in pieces, n of them: the launches of a piece come before the
 * copy of the one before, which waits for no later kernel. */
static void expect_pieces(int n)
{
	char right[LATE_CALLS] = "Lc";

	for (int k = 1; k < n; k++)
		strcat(right, "LFc");
	strcat(right, "F");
	if (strcmp(late.calls, right) != 0)
		fail_msg("%s: %d pieces, calls are %s, not %s", product_where, n, late.calls,
		         right);
}

/* C fits the device, so its arrays are there at once, and their pieces are copied. */
static void pieces(ek_context *ctx)
{
	static const int64_t entries[] = {1, 40000, INT64_C(1) << 30}; /* for 8, 2 and 1 pieces */

	for (int k = 0; k < 3; k++)
		for (int dense = 0; dense < 2; dense++) {
			ek_matrix *C = NULL, *again = NULL;
			ek_plan *plan;

			product_begin(ctx, dense);
			device_begin(ctx, dense ? entries[k] / 8 + 1 : entries[k]);
			expect_status(operands_plan(&p, method, 0, &plan), EK_OK);
			late_begin(ctx);
			expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
			overlaps(plan, &C);
			for (int run = 0; run < 2; run++) {
				const eki_hash_rows *h = plan->root.state;

				overlaps(plan, run ? &again : &C);
				if (!copies(ctx))
					assert_string_equal(late.calls, "L");
				else if (k < 2)
					expect_pieces(h->pieces);
				if (copies(ctx))
					assert_in_range(h->pieces,
					                k == 0   ? 6
					                : k == 1 ? 2
					                         : 1,
					                k == 0   ? 8
					                : k == 1 ? 4
					                         : 1);
			}
			operands_check(&p, plan);
			late_end(ctx);
			ek_matrix_destroy(C);
			ek_matrix_destroy(again);
			ek_plan_destroy(plan);
			device_end(ctx);
			product_end();
		}
}

/* Memory is limited, so batches take turns with two pairs of buffers, if half of the memory has
 * room for the longest row. The limits hold for all that is given. */
static void limits(const struct device_context *on)
{
	ek_context *ctx = on->ctx;
	ek_plan *plan = NULL;
	long long least;
	int most = 0;

	product_begin(ctx, false);
	device_begin(ctx, 1);
	expect_status(operands_plan(&p, method, 1, &plan), EK_ELIMIT);
	least = operands_least();
	for (int k = 0; k < 5; k++) {
		const ek_hints hints = {.size = sizeof hints,
		                        .method = method,
		                        .B = p.h[1].M,
		                        .memory = least + k * k * (least / 16)};
		ek_matrix *C = NULL;
		int count;

		expect_status(operands_plan(&p, method, hints.memory, &plan), EK_OK);
		late_begin(ctx);
		operands_check(&p, plan);
		count = overlaps(plan, &C);
		assert_true(k > 0 || count == 0);
		count += overlaps(plan, &C); /* the columns are known */
		most = count > most ? count : most;
		late_end(ctx);
		ek_matrix_destroy(C);
		ek_plan_destroy(plan);
		budget_check(EK_SPGEMM, on, p.h[0].M, &hints, 0);
	}
	assert_true(most > 4 || !copies(ctx));
	device_end(ctx);
	product_end();
}

/* Other methods that have parts of C made by this one. */
static void parts(ek_context *ctx)
{
	static const char *const of[] = {"spgemm.csr.split.gpu:share=500",
	                                 "spgemm.csr.split.gpu:share=500,batch=200000",
	                                 "spgemm.csr.batches.gpu:batch=200000"};

	product_begin(ctx, false);
	device_begin(ctx, 1);
	for (int k = 0; k < EKI_COUNT(of); k++) {
		ek_matrix *C = NULL;
		ek_plan *plan;
		int count;

		expect_status(operands_plan(&p, of[k], 0, &plan), EK_OK);
		expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
		late_begin(ctx);
		count = overlaps(plan, &C);
		if (copies(ctx) && count == 0)
			fail_msg("%s: calls are %s", of[k], late.calls);
		operands_check(&p, plan);
		late_end(ctx);
		ek_matrix_destroy(C);
		ek_plan_destroy(plan);
	}
	device_end(ctx);
	product_end();
}

/* The driver has less and less memory, until a plan cannot be made or no row has room. All runs
 * that succeed have the same bits, those that fail leave no memory in use. */
static void little(ek_context *ctx)
{
	int64_t all;
	int shrunk = 0, failed = 0;
	ek_plan *plan;

	if (!copies(ctx)) /* its budget would have to hold the processor's matrices, too */
		return;
	product_begin(ctx, true);
	device_begin(ctx, 1);
	expect_status(operands_plan(&p, method, 0, &plan), EK_OK);
	operands_check(&p, plan); /* compiles kernels */
	ek_plan_destroy(plan);
	budget_begin(ctx, 0, false);
	expect_status(operands_plan(&p, method, 0, &plan), EK_OK);
	operands_check(&p, plan);
	all = budget.most;
	ek_plan_destroy(plan);
	budget_end(ctx);
	for (int k = 31; k > 0 && !failed; k--) {
		ek_matrix *C = NULL;
		char text[4000];

		budget_begin(ctx, all * k / 32, true);
		ctx->device->info.memory = was.info.memory;
		failed = operands_plan(&p, method, 0, &plan) != EK_OK;
		if (!failed) {
			eki_jobs_trim(ctx->device);
			const int64_t live = budget.live;

			failed = ek_spgemm(plan, 1, 0, &C) != EK_OK;
			assert_true(failed == (C == NULL));
			eki_jobs_trim(ctx->device);
			assert_true(!failed || budget.live <= live);
			ek_matrix_destroy(C);
			late_begin(ctx);
			if (!failed)
				operands_check(&p, plan);
			late_end(ctx);
			expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
			shrunk += strstr(text, "ran out of memory in a run") != NULL;
			ek_plan_destroy(plan);
		}
		budget_end(ctx);
	}
	assert_true(shrunk > 2);
	device_end(ctx);
	product_end();
}

/* Each launch of a run fails in turn: there is no new C, a C that exists stays, and nothing is
 * left behind. */
static void failures(ek_context *ctx)
{
	ek_matrix *C = NULL;
	ek_status status;
	ek_plan *plan;

	product_begin(ctx, true);
	device_begin(ctx, 1);
	expect_status(operands_plan(&p, method, 0, &plan), EK_OK);
	expect_status(ek_spgemm(plan, 1, 0, &C), EK_OK);
	budget_begin(ctx, 0, false);
	budget.launches = true;
	for (int again = 0; again < 2; again++) {
		status = EK_EDEVICE;
		for (int n = 0; status != EK_OK; n++) {
			ek_matrix *made = again ? C : NULL;

			budget.fail_at = n;
			status = ek_spgemm(plan, 1, 0, &made);
			budget.fail_at = -1;
			assert_true(status == EK_OK || status == EK_EDEVICE);
			assert_true((made != NULL) == (again || status == EK_OK));
			if (!again)
				ek_matrix_destroy(made);
		}
	}
	operands_check(&p, plan);
	budget_end(ctx);
	ek_matrix_destroy(C);
	ek_plan_destroy(plan);
	device_end(ctx);
	product_end();
}

/* Does the same with the device's own driver. With one that forbids copies beside kernels that use
 * the same buffer, C is one piece if the device has room for all of it. */
static void as_it_is(const struct device_context *on)
{
	ek_matrix *C = NULL;
	ek_plan *plan;

	strict = true;
	product_begin(on->ctx, false);
	device_begin(on->ctx, 1);
	expect_status(operands_plan(&p, method, 0, &plan), EK_OK);
	late_begin(on->ctx);
	for (int run = 0; run < 3; run++)
		overlaps(plan, &C);
	operands_check(&p, plan);
	late_end(on->ctx);
	assert_true(on->ctx->device->driver->beside ||
	            ((const eki_hash_rows *)plan->root.state)->pieces == 1);
	ek_matrix_destroy(C);
	ek_plan_destroy(plan);
	device_end(on->ctx);
	product_end();
	limits(on);
	strict = false;
}

#define ON_EACH_DEVICE(test, argument)                               \
	static void test_##test(void **state)                        \
	{                                                            \
		(void)state;                                         \
		need_device();                                       \
		for (int k = 0; k < devices.count; k++) {            \
			print_message("  %s\n", devices.of[k].text); \
			test(argument);                              \
		}                                                    \
	}

ON_EACH_DEVICE(pieces, devices.of[k].ctx)
ON_EACH_DEVICE(limits, &devices.of[k])
ON_EACH_DEVICE(parts, devices.of[k].ctx)
ON_EACH_DEVICE(little, devices.of[k].ctx)
ON_EACH_DEVICE(failures, devices.of[k].ctx)
ON_EACH_DEVICE(as_it_is, &devices.of[k])

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),   cmocka_unit_test(test_limits),
		cmocka_unit_test(test_parts),    cmocka_unit_test(test_little),
		cmocka_unit_test(test_failures), cmocka_unit_test(test_as_it_is),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
