/* SPDX-License-Identifier: BSD-3-Clause
 * Tests plans of Galerkin products on devices: what is copied, hints.memory, reproducible bits, the
 * choice, memory that runs out, and drivers that fail. */
#include "support/budget.h"
#include "support/lengths.h"
#include "support/rows.h"
#include "support/triple_case.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

/* The factors of all products: A of a mesh, P of its aggregates. */
static struct triple_case mesh;

static void mesh_open(ek_context *ctx)
{
	ek_matrix *A, *P;

	expect_status(ek_matrix_generate(ctx, "poisson2d5:nx=40,ny=30", EK_F64, EK_I32, &A), EK_OK);
	expect_status(ek_aggregate(A, NULL, &P), EK_OK);
	mesh = (struct triple_case){.A = A, .P = P};
	snprintf(product_where, sizeof product_where, "mesh");
}

static void mesh_close(void)
{
	ek_matrix_destroy((ek_matrix *)(uintptr_t)mesh.A);
	ek_matrix_destroy((ek_matrix *)(uintptr_t)mesh.P);
}

static void mesh_changed(void)
{
	expect_status(ek_matrix_values_changed((ek_matrix *)(uintptr_t)mesh.A), EK_OK);
	expect_status(ek_matrix_values_changed((ek_matrix *)(uintptr_t)mesh.P), EK_OK);
}

static ek_device_counters counters(const ek_context *ctx)
{
	ek_device_counters c = {.size = sizeof c};

	expect_status(ek_device_get_counters(ctx, &c), EK_OK);
	return c;
}

/* Checks that the first product stays on the device: its values are more bytes than what is copied
 * to the host when a plan is made. With new values only those of A, P and its transpose go to the
 * device, and only those of C come back. */
static void copies(ek_context *ctx, eki_memory memory)
{
	static const char *const with[] = {"triple.csr.left.gpu:spgemm=1",
	                                   "triple.csr.right.gpu:spgemm=1"};

	if (eki_memory_at_once(memory))
		return;
	mesh_open(ctx);
	for (int k = 0; k < 2; k++) {
		const int64_t nnz = mesh.A->store.nnz + 2 * mesh.P->store.nnz;
		ek_device_counters before = counters(ctx), after;
		ek_matrix *C = NULL;
		char text[4000];
		ek_plan *plan;

		expect_status(triple_plan(&mesh, with[k], &plan), EK_OK);
		expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
		expect_text(text, "which stay on the device, by spgemm.csr.hash.gpu");
		const int64_t first = number_after(text, k ? "A P has " : "P^T A has ");

		after = counters(ctx);
		assert_true(after.from_device - before.from_device < first * (8 + 4));
		triple_same(&mesh, plan, "triple.csr.serial", &C, "new C");
		/* The first new values also sort the rows of both products into classes. */
		for (int again = 0; again < 2; again++) {
			mesh_changed();
			triple_same(&mesh, plan, "triple.csr.serial", &C, "the same C");
		}
		mesh_changed();
		before = counters(ctx);
		expect_status(ek_triple(plan, 2, &C), EK_OK);
		after = counters(ctx);
		assert_int_equal(after.to_device - before.to_device, nnz * 8);
		assert_int_equal(after.from_device - before.from_device, C->store.nnz * 8);
		ek_matrix_destroy(C);
		ek_plan_destroy(plan);
	}
	mesh_close();
}

static void test_copies(void **state)
{
	(void)state;
	each_device(copies);
}

/* Checks that memory of host and device keeps to the limit of a plan. */
static void within(ek_context *ctx, const char *method)
{
	const ek_hints hints = {.size = sizeof hints,
	                        .method = method,
	                        .B = mesh.P,
	                        .op = mesh.op[0],
	                        .op_b = mesh.op[1],
	                        .memory = mesh.memory};

	for (int k = 0; k < devices.count; k++)
		if (devices.of[k].ctx == ctx)
			budget_check(EK_TRIPLE, &devices.of[k], mesh.A, &hints, 1);
}

/* Checks that a plan needs no more than its limit, and that the message names the least. */
static void limits(ek_context *ctx, eki_memory memory)
{
	static const char *const with[] = {"triple.csr.left.gpu:spgemm=1",
	                                   "triple.csr.right.gpu:spgemm=2"};

	(void)memory;
	mesh_open(ctx);
	for (int k = 0; k < 2; k++) {
		ek_matrix *C = NULL;
		ek_plan *plan = NULL;

		mesh.memory = 1;
		expect_error(triple_plan(&mesh, with[k], &plan), EK_ELIMIT,
		             "hints.memory is 1 bytes; method triple.");
		const int64_t least = number_after(ek_error_text(), "takes at least ");

		mesh.memory = least - 1;
		expect_error(triple_plan(&mesh, with[k], &plan), EK_ELIMIT, "at least");
		for (int more = 0; more < 3; more++) {
			mesh.memory = least + more * (least / 8);
			expect_status(triple_plan(&mesh, with[k], &plan), EK_OK);
			assert_true(ek_plan_memory(plan) <= mesh.memory);
			triple_same(&mesh, plan, "triple.csr.serial", &C, "with a limit");
			mesh_changed();
			triple_same(&mesh, plan, "triple.csr.serial", &C,
			            "with a limit, new values");
			ek_plan_destroy(plan);
			ek_matrix_destroy(C);
			C = NULL;
			within(ctx, with[k]);
		}
	}
	mesh_close();
}

static void test_limits(void **state)
{
	(void)state;
	each_device(limits);
}

/* Checks that reproducible bits are refused on a device, and that the library then chooses a method
 * of the processor. */
static void strict(ek_context *ctx, eki_memory memory)
{
	ek_hints hints = {.size = sizeof hints, .reproducible = EK_REPRO_STRICT};
	ek_plan *plan = NULL;

	(void)memory;
	mesh_open(ctx);
	hints.B = mesh.P;
	hints.method = "triple.csr.right.gpu";
	expect_error(ek_plan_create(EK_TRIPLE, mesh.A, &hints, &plan), EK_EUNSUPPORTED,
	             "method triple.csr.right.gpu does not do op N with reproducible bits");
	hints.method = NULL;
	expect_status(ek_plan_create(EK_TRIPLE, mesh.A, &hints, &plan), EK_OK);
	assert_null(strstr(ek_plan_method(plan), ".gpu"));
	ek_plan_destroy(plan);
	mesh_close();
}

static void test_strict(void **state)
{
	(void)state;
	each_device(strict);
}

/* Checks that methods of devices, which have no predictions, are not chosen, and that the plan says
 * so if the device is not the processor. */
static void choice(ek_context *ctx, eki_memory memory)
{
	const ek_device_info info = ctx->device->info;
	char text[4096];

	(void)memory;
	mesh_open(ctx);
	for (int gpu = 0; gpu < 2; gpu++) {
		ek_matrix *C = NULL;
		ek_plan *plan;

		call_device(ctx, gpu ? "gpu" : "cpu");
		expect_status(triple_plan(&mesh, NULL, &plan), EK_OK);
		assert_string_equal(ek_plan_method(plan), "triple.csr.fused");
		expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
		assert_true((strstr(text, "chosen only by name") != NULL) == gpu);
		triple_same(&mesh, plan, "triple.csr.serial", &C, "chosen");
		ek_matrix_destroy(C);
		ek_plan_destroy(plan);
	}
	ctx->device->info = info;
	mesh_close();
}

static void test_choice(void **state)
{
	(void)state;
	each_device(choice);
}

/* ---- Failures -------------------------------------------------------------------------------- */

static struct watch {
	const eki_driver *real;
	eki_driver driver;
	long fail;   /* number of the call that fails, counted down, or negative */
	bool allocs; /* whether allocations are such calls, besides launches */
} watch;

static bool fails_now(void)
{
	return watch.fail >= 0 && watch.fail-- == 0;
}

static ek_status watched_alloc(eki_device *d, eki_memory memory, int64_t size, void **device,
                               void **host)
{
	return watch.allocs && fails_now() ? eki_fail(EK_ENOMEM, "the driver fails")
	                                   : watch.real->alloc(d, memory, size, device, host);
}

static ek_status watched_launch(eki_device *d, void *kernel, int64_t groups, int group_size,
                                const eki_arg *args, int count)
{
	return fails_now() ? eki_fail(EK_EDEVICE, "the driver fails")
	                   : watch.real->launch(d, kernel, groups, group_size, args, count);
}

/* Makes each allocation and each launch of the driver fail in turn while a plan is made, and then a
 * launch of a run, after which the plan must work. */
static void failures(ek_context *ctx, eki_memory memory)
{
	struct watch *w = &watch;
	ek_matrix *C = NULL;
	ek_plan *plan = NULL;
	long failed = 0;

	(void)memory;
	mesh_open(ctx);
	*w = (struct watch){.real = ctx->device->driver, .driver = *ctx->device->driver};
	w->driver.alloc = watched_alloc;
	w->allocs = true;
	w->driver.launch = watched_launch;
	ctx->device->driver = &w->driver;
	/* An allocation may succeed when it is tried again, without the memory of other jobs. */
	for (w->fail = 0; failed < 1000; w->fail = ++failed) {
		const ek_status status = triple_plan(&mesh, "triple.csr.left.gpu", &plan);

		assert_true((status == EK_OK) == (plan != NULL));
		if (w->fail >= 0)
			break;
		ek_plan_destroy(plan);
		plan = NULL;
	}
	assert_true(failed > 5);
	w->allocs = false;
	for (int again = 0; again < 2; again++) {
		if (again)
			mesh_changed();
		w->fail = 1;
		if (ek_triple(plan, 2, &C) == EK_OK)
			fail_msg("a run succeeds though the driver fails");
		assert_true(again ? C != NULL : C == NULL);
		w->fail = -1;
		triple_same(&mesh, plan, "triple.csr.serial", &C, "after a failure");
	}
	ctx->device->driver = w->real;
	ek_matrix_destroy(C);
	ek_plan_destroy(plan);
	mesh_close();
}

/* Makes each allocation on the host fail in turn while a plan is made. */
static void no_memory(ek_context *ctx, eki_memory memory)
{
	struct heap *heap = &devices.heap;
	bool more = true;

	(void)memory;
	mesh_open(ctx);
	for (long n = 0; more; n++) {
		ek_plan *plan = NULL;

		heap_fail(heap, n, false);
		if (triple_plan(&mesh, "triple.csr.right.gpu", &plan) != EK_OK)
			assert_non_null(strstr(ek_error_text(), "no memory"));
		more = atomic_load(&heap->calls) > n;
		heap_fail(heap, -1, false);
		ek_plan_destroy(plan);
	}
	mesh_close();
}

static void test_no_memory(void **state)
{
	(void)state;
	each_device(no_memory);
}

static void test_failures(void **state)
{
	(void)state;
	each_device(failures);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies),    cmocka_unit_test(test_limits),
		cmocka_unit_test(test_strict),    cmocka_unit_test(test_choice),
		cmocka_unit_test(test_no_memory), cmocka_unit_test(test_failures),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
