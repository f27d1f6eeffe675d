/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the OpenCL driver alone: its messages when something is missing, the kinds of memory,
 * programs, and several threads with one queue. */
#define _POSIX_C_SOURCE 200809L
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/opencl_api.h"
#include "support/cl_device.h"
#include "support/cl_faults.h"
#include "support/support.h"
#include "support/workers.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

enum { N = CL_N };

static const eki_driver *const driver = &eki_opencl;

/* ---- Missing libraries ----------------------------------------------------------------------- */

/* Checks the driver's message if the environment variable has this value, in a child process, in
 * which no OpenCL library has been loaded before. */
static void check_missing(const char *variable, const char *value, const char *message)
{
	pid_t child = fork();
	int result, count = -1;

	assert_true(child >= 0);
	if (child == 0) {
		setenv(variable, value, 1);
		if (driver->count(&count) != EK_EDEVICE || count != -1 ||
		    !strstr(ek_error_text(), message) || !strstr(ek_error_text(), "install")) {
			fprintf(stderr, "%s=%s: %s\n", variable, value, ek_error_text());
			_exit(1);
		}
		_exit(0);
	}
	assert_int_equal(waitpid(child, &result, 0), child);
	assert_int_equal(result, 0);
}

static void test_missing(void **state)
{
	(void)state;
	check_missing("EK_OPENCL", "/nonexistent/libOpenCL.so.1", "/nonexistent/libOpenCL.so.1");
	check_missing("EK_OPENCL", "libm.so.6", "libm.so.6 has no function clGetPlatformIDs");
	check_missing("OCL_ICD_VENDORS", "/nonexistent", "pocl-opencl-icd");
}

/* ---- Devices and memory ---------------------------------------------------------------------- */

static void test_info(void **state)
{
	const ek_device_info *info = &cl_device.info;

	(void)state;
	print_message("  %s, %s, OpenCL %s\n", info->text, info->driver, info->arch);
	assert_true(info->text[0] && info->driver[0] && info->arch[0] && info->kind[0]);
	assert_true(info->units > 0 && info->lanes > 0 && info->memory > 0 && info->local > 0);
	assert_true(info->mapped || !info->shared);
	assert_true(info->shared || !info->atomics);
}

static void test_kinds(void **state)
{
	static int in[N], out[N], zero[N];
	eki_buffer x, y;

	(void)state;
	for (int i = 0; i < N; i++)
		in[i] = i;
	for (eki_memory a = EKI_MEMORY_COPY; a <= EKI_MEMORY_ATOMIC; a++)
		for (eki_memory b = EKI_MEMORY_COPY; b <= EKI_MEMORY_ATOMIC; b++) {
			if (!cl_has(a) || !cl_has(b))
				continue;
			expect_status(cl_make(a, sizeof in, &x), EK_OK);
			expect_status(cl_make(b, sizeof out, &y), EK_OK);
			assert_int_equal(x.host == NULL, a == EKI_MEMORY_COPY);
			expect_status(cl_put(&x, in), EK_OK);
			expect_status(cl_launch(cl_triple, &x, &y, 7), EK_OK);
			expect_status(cl_get(&y, out), EK_OK);
			for (int i = 0; i < N; i++)
				assert_int_equal(out[i], 3 * i + 7);
			expect_status(driver->copy(&cl_device, &y, 0, &x, 0, sizeof in), EK_OK);
			expect_status(cl_get(&y, out), EK_OK);
			assert_memory_equal(in, out, sizeof in);
			expect_status(driver->clear(&cl_device, &y), EK_OK);
			expect_status(cl_get(&y, out), EK_OK);
			assert_memory_equal(zero, out, sizeof in);
			cl_drop(&x);
			cl_drop(&y);
		}
}

static void test_parts_of_buffers(void **state)
{
	char in[101], out[101];
	eki_buffer b;

	(void)state;
	memset(in, 5, sizeof in);
	expect_status(cl_make(EKI_MEMORY_COPY, sizeof in, &b), EK_OK);
	expect_status(driver->clear(&cl_device, &b), EK_OK); /* 101 bytes need a 1-byte pattern */
	expect_status(driver->write(&cl_device, &b, 3, in, 7), EK_OK);
	expect_status(driver->read(&cl_device, &b, 0, out, sizeof out), EK_OK);
	for (int i = 0; i < 101; i++)
		assert_int_equal(out[i], i >= 3 && i < 10 ? 5 : 0);
	expect_status(driver->read(&cl_device, &b, 9, out, 2), EK_OK);
	assert_int_equal(out[0], 5);
	assert_int_equal(out[1], 0);
	cl_drop(&b);
}

static void test_too_large(void **state)
{
	eki_buffer b;

	(void)state;
	for (eki_memory m = EKI_MEMORY_COPY; m <= EKI_MEMORY_ATOMIC; m++)
		if (cl_has(m))
			expect_error(cl_make(m, INT64_C(1) << 50, &b), EK_ENOMEM, "opencl: cl");
}

static void test_times(void **state)
{
	double seconds = -1;
	eki_buffer b;

	(void)state;
	expect_status(cl_make(EKI_MEMORY_COPY, N * sizeof(int), &b), EK_OK);
	expect_status(driver->mark(&cl_device, 0), EK_OK);
	for (int k = 0; k < 100; k++)
		expect_status(cl_launch(cl_triple, &b, &b, 0), EK_OK);
	expect_status(driver->mark(&cl_device, 1), EK_OK);
	expect_status(driver->flush(&cl_device), EK_OK);
	expect_status(driver->elapsed(&cl_device, &seconds), EK_OK);
	assert_true(seconds > 0 && seconds < 100);
	cl_drop(&b);
}

/* ---- Programs -------------------------------------------------------------------------------- */

static void test_compiler(void **state)
{
	void *made = &made;

	(void)state;
	expect_error(driver->build(&cl_device, "wrong", "__kernel void f() { nonsense; }", NULL, 0,
	                           &made),
	             EK_EDEVICE, "nonsense");
	assert_non_null(strstr(ek_error_text(), "wrong"));
	assert_null(strchr(ek_error_text(), '\n'));
	expect_error(driver->kernel(&cl_device, cl_program_made, "absent", &made), EK_EDEVICE,
	             "CL_INVALID_KERNEL_NAME");
	assert_ptr_equal(made, &made);
}

static void test_compiled_form(void **state)
{
	void *binary, *again, *of;
	int64_t bytes;
	int out[N];
	eki_buffer b;

	(void)state;
	expect_status(driver->save(&cl_device, cl_program_made, &binary, &bytes), EK_OK);
	assert_true(bytes > 0);
	expect_status(driver->build(&cl_device, "triple", cl_text, binary, (size_t)bytes, &again),
	              EK_OK);
	expect_status(driver->kernel(&cl_device, again, "triple", &of), EK_OK);
	expect_status(cl_make(EKI_MEMORY_COPY, sizeof out, &b), EK_OK);
	expect_status(driver->clear(&cl_device, &b), EK_OK);
	expect_status(cl_launch(of, &b, &b, 11), EK_OK);
	expect_status(cl_get(&b, out), EK_OK);
	assert_int_equal(out[N - 1], 11);
	cl_drop(&b);
	driver->drop(&cl_device, of);
	driver->unload(&cl_device, again);
	memset(binary, 'x', (size_t)bytes);
	again = NULL;
	expect_status(driver->build(&cl_device, "triple", cl_text, binary, (size_t)bytes, &again),
	              EK_EDEVICE);
	assert_null(again);
	eki_free(cl_device.ctx, binary, bytes, 1);
}

/* ---- Threads --------------------------------------------------------------------------------- */

enum { TEAM = 4, ROUNDS = 50 };
static bool right[TEAM];

static bool use_device(int member)
{
	int in[N], out[N];
	eki_buffer x, y;
	void *of;

	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < N; i++)
			in[i] = i + member;
		if (cl_make(EKI_MEMORY_COPY, sizeof in, &x) != EK_OK ||
		    cl_make(EKI_MEMORY_COPY, sizeof out, &y) != EK_OK ||
		    driver->kernel(&cl_device, cl_program_made, "triple", &of) != EK_OK ||
		    cl_put(&x, in) != EK_OK || cl_launch(of, &x, &y, round) != EK_OK ||
		    cl_get(&y, out) != EK_OK)
			return false;
		for (int i = 0; i < N; i++)
			if (out[i] != 3 * in[i] + round)
				return false;
		driver->drop(&cl_device, of);
		cl_drop(&x);
		cl_drop(&y);
	}
	return true;
}

static void member(int number)
{
	right[number] = use_device(number);
}

static void test_threads(void **state)
{
	(void)state;
	run_workers(TEAM, member);
	for (int k = 0; k < TEAM; k++)
		assert_true(right[k]);
}

static int nothing(void **state)
{
	(void)state;
	return 0;
}

int main(void)
{
	const struct CMUnitTest alone[] = {cmocka_unit_test(test_missing)};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_info),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_parts_of_buffers),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_compiler),
		cmocka_unit_test(test_compiled_form),
		cmocka_unit_test(test_threads),
	};
	int failed = run_all_tests(alone, nothing, nothing);

	if (!cl_faults_install()) {
		printf("left out: %s\n", ek_error_text());
		return failed;
	}
	return failed + run_all_tests(tests, cl_device_open, cl_device_close);
}
#endif
