/* SPDX-License-Identifier: BSD-3-Clause
 * Tests OpenCL devices through the public interface: the messages without a driver, OpenCL calls
 * that fail while a plan is made and run, launches that begin and then fail, and one that is too
 * large. */
#define _POSIX_C_SOURCE 200809L
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "support/folder.h"
#include "support/cl_faults.h"
#include "support/on_device.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

enum { OUT_OF_RESOURCES = -5 };

/* ---- Without a driver ------------------------------------------------------------------------ */

static int without_driver(void)
{
	ek_options o = {.size = sizeof o, .device = "opencl"};
	ek_context *ctx = NULL;
	ek_device_info info = {.size = sizeof info};

	setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
	setenv("EK_CUDA", "/nonexistent", 1);
	if (ek_context_create(&o, &ctx) != EK_EDEVICE || ctx ||
	    !strstr(ek_error_text(), "pocl-opencl-icd"))
		return 1;
	o.device = "gpu";
	if (ek_context_create(&o, &ctx) != EK_EDEVICE || ctx || !strstr(ek_error_text(), "opencl"))
		return 2;
	if (ek_device_get_info(0, &info) != EK_EDEVICE || info.name[0])
		return 3;
	o.device = "cpu";
	if (ek_context_create(&o, &ctx) != EK_OK || ek_context_get_device(ctx, &info) != EK_EDEVICE)
		return 4;
	ek_context_destroy(ctx);
	return 0;
}

static void test_without_driver(void **state)
{
	pid_t child = fork();
	int result;

	(void)state;
	assert_true(child >= 0);
	if (child == 0)
		_exit(without_driver());
	assert_int_equal(waitpid(child, &result, 0), child);
	assert_int_equal(result, 0);
}

/* ---- Failing calls --------------------------------------------------------------------------- */

static void check_status(ek_status status, long n, int code)
{
	const bool of_memory =
		strcmp(cl_faults.failed, "clSVMAlloc") == 0 || code != OUT_OF_RESOURCES;

	if (status != (of_memory ? EK_ENOMEM : EK_EDEVICE) ||
	    strncmp(ek_error_text(), "opencl: ", 8) != 0)
		fail_msg("call %ld, %s: status %d: %s", n, cl_faults.failed, (int)status,
		         ek_error_text());
}

/* Makes a context and a plan and runs it while the n-th OpenCL call fails and, if `persistent`, all
 * later ones, for n = 0, 1, .... */
static void check_calls(ek_device_memory memory, bool persistent, int code)
{
	const long blocks = heap.live, objects = cl_faults.live;
	double y[ROWS];
	struct all a;
	long n = 0;

	for (;; n++) {
		ek_status status;

		paint(y);
		cl_fail(n, persistent, code);
		status = make_all(memory, &a);
		if (status == EK_OK)
			status = multiply_on(&a, y);
		cl_fail(-1, false, 0);
		/* The run may succeed if only times or the compiled program were asked for. */
		if (status == EK_OK)
			assert_true(is_right(y));
		else if (!is_painted(y))
			fail_msg("call %ld, %s: y was changed", n, cl_faults.failed);
		else if (!persistent)
			check_status(status, n, code);
		drop_all(&a);
		if (heap.live != blocks || cl_faults.live != objects)
			fail_msg("call %ld, %s: %ld blocks and %ld objects leaked", n,
			         cl_faults.failed, heap.live - blocks, cl_faults.live - objects);
		if (!cl_faults.failed[0])
			break;
	}
	print_message("  memory %d, %s: %ld calls\n", (int)memory,
	              persistent ? "all after it" : "one", n);
	assert_true(n > 30);
}

static void test_calls(void **state)
{
	(void)state;
	for (int memory = EK_MEMORY_COPY; memory <= EK_MEMORY_SHARED; memory++) {
		if (!has_memory(memory))
			continue;
		check_calls((ek_device_memory)memory, false, OUT_OF_RESOURCES);
		if (memory == EK_MEMORY_COPY || test_tier() > TIER_QUICK)
			check_calls((ek_device_memory)memory, true, OUT_OF_RESOURCES);
		if (test_tier() > TIER_QUICK)
			check_calls((ek_device_memory)memory, false, -4);
	}
}

/* Makes OpenCL calls fail during a run only. The next run must be right. */
static void test_runs(void **state)
{
	double y[ROWS];
	struct all a;

	(void)state;
	for (int memory = EK_MEMORY_COPY; memory <= EK_MEMORY_SHARED; memory++) {
		if (!has_memory(memory))
			continue;
		expect_status(make_all((ek_device_memory)memory, &a), EK_OK);
		for (long n = 0;; n++) {
			ek_status status;

			paint(y);
			cl_fail(n, n & 1, OUT_OF_RESOURCES);
			status = multiply_on(&a, y);
			cl_fail(-1, false, 0);
			if (status == EK_OK)
				break;
			check_status(status, n, OUT_OF_RESOURCES);
			assert_true(is_painted(y));
			expect_status(multiply_on(&a, y), EK_OK);
			assert_true(is_right(y));
		}
		assert_true(is_right(y));
		drop_all(&a);
	}
}

/* Checks launches that begin and then fail. The run returns the error if vectors are on the host;
 * if they are on the device, a later call does. Afterwards all runs and reads in this context
 * fail. */
static void check_dying(bool host)
{
	double y[ROWS];
	struct all a;
	void *on[2];

	expect_status(make_all(EK_MEMORY_COPY, &a), EK_OK);
	for (int k = 0; k < 2; k++)
		expect_status(ek_device_alloc(a.ctx, sizeof on_device_x, &on[k]), EK_OK);
	expect_status(ek_device_write(a.ctx, on[0], on_device_x, sizeof on_device_x), EK_OK);
	const ek_dense xv = ek_device_vector(EK_F64, ROWS, on[0]),
		       yv = ek_device_vector(EK_F64, ROWS, on[1]);

	paint(y);
	cl_fail(-1, false, OUT_OF_RESOURCES);
	expect_status(ek_spmv(a.plan, 1, &xv, 0, &yv), EK_OK);
	cl_faults.dying = true;
	expect_status(host ? multiply_on(&a, y) : ek_spmv(a.plan, 1, &xv, 0, &yv),
	              host ? EK_EDEVICE : EK_OK);
	cl_faults.dying = false;
	if (!host)
		expect_status(ek_spmv(a.plan, 1, &xv, 0, &yv), EK_OK);
	expect_error(ek_device_wait(a.ctx), EK_EDEVICE, "CL_OUT_OF_RESOURCES");
	expect_status(ek_device_read(a.ctx, on[1], y, sizeof y), EK_EDEVICE);
	expect_status(multiply_on(&a, y), EK_EDEVICE);
	assert_true(is_painted(y));
	for (int k = 0; k < 2; k++)
		ek_device_free(a.ctx, on[k]);
	drop_all(&a);
	expect_status(make_all(EK_MEMORY_COPY, &a), EK_OK);
	expect_status(multiply_on(&a, y), EK_OK);
	assert_true(is_right(y));
	drop_all(&a);
}

static void test_dying(void **state)
{
	(void)state;
	check_dying(true);
	check_dying(false);
}

/* Tests a launch with more work-items than OpenCL has numbers for. On hosts of 32 bits these are
 * few. */
static void test_large_launch(void **state)
{
	const int64_t groups = (int64_t)(SIZE_MAX / 256) - (SIZE_MAX > UINT32_MAX);
	ek_options o = {.size = sizeof o, .device = "opencl"};
	ek_context *ctx;

	(void)state;
	expect_status(ek_context_create(&o, &ctx), EK_OK);
	for (int64_t more = 0; more < 3; more++)
		expect_error(
			ctx->device->driver->launch(ctx->device, NULL, groups + more, 256, NULL, 0),
			EK_EUNSUPPORTED, "work-items");
	ek_context_destroy(ctx);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest alone[] = {cmocka_unit_test(test_without_driver)};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_dying),
		cmocka_unit_test(test_large_launch),
	};
	int failed;

	if (argc > 0)
		test_passive_threads(argv);
	on_device_fill();
	failed = run_all_tests(alone, folder_setup, folder_teardown);
	if (!cl_faults_install()) {
		printf("left out: %s\n", ek_error_text());
		return failed;
	}
	setenv("EK_CACHE", "off", 1);
	return failed + run_all_tests(tests, folder_setup, folder_teardown);
}
#endif
