/* SPDX-License-Identifier: BSD-3-Clause
 * The OpenCL driver by itself: what it says where something is missing, the three kinds of memory,
 * programs, two threads with one queue, and each of its calls failing. */
#define _POSIX_C_SOURCE 200809L
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/opencl_api.h"
#include "support/cl_faults.h"
#include "support/context.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

enum { N = 1000, GROUP = 64 };

static const char text[] = "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
			   "void triple(__global const int *x, __global int *y, int add, long n)\n"
			   "{\n"
			   "	long i = get_global_id(0);\n"
			   "	if (i < n)\n"
			   "		y[i] = 3 * x[i] + add;\n"
			   "}\n";

static eki_device device;
static const eki_driver *const driver = &eki_opencl;
static void *program, *kernel;

/* ---- What is missing ------------------------------------------------------------------------- */

/* A process of its own, in which nothing is loaded yet. */
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
	const ek_device_info *info = &device.info;

	(void)state;
	print_message("  %s, %s, OpenCL %s\n", info->text, info->driver, info->arch);
	assert_true(info->text[0] && info->driver[0] && info->arch[0] && info->kind[0]);
	assert_true(info->units > 0 && info->lanes > 0 && info->memory > 0 && info->local > 0);
	assert_true(info->mapped || !info->shared);
}

static bool has(eki_memory memory)
{
	return memory == EKI_MEMORY_COPY || (memory == EKI_MEMORY_MAPPED && device.info.mapped) ||
	       (memory == EKI_MEMORY_SHARED && device.info.shared);
}

static ek_status make(eki_memory memory, int64_t bytes, eki_buffer *b)
{
	*b = (eki_buffer){.bytes = bytes, .memory = memory};
	return driver->alloc(&device, memory, bytes, &b->device, &b->host);
}

static void drop(eki_buffer *b)
{
	if (b->device)
		driver->free(&device, b->memory, b->device);
}

/* To and from a buffer of any kind. */
static ek_status put(eki_buffer *b, const void *from)
{
	if (b->memory == EKI_MEMORY_COPY)
		return driver->write(&device, b, 0, from, b->bytes);
	EK_RETURN_IF(b->memory == EKI_MEMORY_MAPPED ? driver->map(&device, b)
	                                            : driver->wait(&device));
	memcpy(b->host, from, (size_t)b->bytes);
	return b->memory == EKI_MEMORY_MAPPED ? driver->unmap(&device, b) : EK_OK;
}

static ek_status get(eki_buffer *b, void *to)
{
	if (b->memory == EKI_MEMORY_COPY)
		return driver->read(&device, b, 0, to, b->bytes);
	EK_RETURN_IF(b->memory == EKI_MEMORY_MAPPED ? driver->map(&device, b)
	                                            : driver->wait(&device));
	memcpy(to, b->host, (size_t)b->bytes);
	return b->memory == EKI_MEMORY_MAPPED ? driver->unmap(&device, b) : EK_OK;
}

static ek_status launch(void *of, const eki_buffer *x, const eki_buffer *y, int add)
{
	const eki_arg args[] = {eki_arg_buffer(x), eki_arg_buffer(y), eki_arg_i32(add),
	                        eki_arg_i64(N)};

	return driver->launch(&device, of, eki_groups(N, GROUP), GROUP, args, EKI_COUNT(args));
}

static void test_kinds(void **state)
{
	static int in[N], out[N], zero[N];
	eki_buffer x, y;

	(void)state;
	for (int i = 0; i < N; i++)
		in[i] = i;
	for (eki_memory a = EKI_MEMORY_COPY; a <= EKI_MEMORY_SHARED; a++)
		for (eki_memory b = EKI_MEMORY_COPY; b <= EKI_MEMORY_SHARED; b++) {
			if (!has(a) || !has(b))
				continue;
			expect_status(make(a, sizeof in, &x), EK_OK);
			expect_status(make(b, sizeof out, &y), EK_OK);
			assert_int_equal(x.host == NULL, a == EKI_MEMORY_COPY);
			expect_status(put(&x, in), EK_OK);
			expect_status(launch(kernel, &x, &y, 7), EK_OK);
			expect_status(get(&y, out), EK_OK);
			for (int i = 0; i < N; i++)
				assert_int_equal(out[i], 3 * i + 7);
			expect_status(driver->copy(&device, &y, &x, sizeof in), EK_OK);
			expect_status(get(&y, out), EK_OK);
			assert_memory_equal(in, out, sizeof in);
			expect_status(driver->clear(&device, &y), EK_OK);
			expect_status(get(&y, out), EK_OK);
			assert_memory_equal(zero, out, sizeof in);
			drop(&x);
			drop(&y);
		}
}

static void test_parts_of_buffers(void **state)
{
	char in[101], out[101];
	eki_buffer b;

	(void)state;
	memset(in, 5, sizeof in);
	expect_status(make(EKI_MEMORY_COPY, sizeof in, &b), EK_OK);
	expect_status(driver->clear(&device, &b), EK_OK); /* 101 bytes: no wide pattern */
	expect_status(driver->write(&device, &b, 3, in, 7), EK_OK);
	expect_status(driver->read(&device, &b, 0, out, sizeof out), EK_OK);
	for (int i = 0; i < 101; i++)
		assert_int_equal(out[i], i >= 3 && i < 10 ? 5 : 0);
	expect_status(driver->read(&device, &b, 9, out, 2), EK_OK);
	assert_int_equal(out[0], 5);
	assert_int_equal(out[1], 0);
	drop(&b);
}

static void test_too_large(void **state)
{
	eki_buffer b;

	(void)state;
	for (eki_memory m = EKI_MEMORY_COPY; m <= EKI_MEMORY_SHARED; m++)
		if (has(m))
			expect_error(make(m, INT64_C(1) << 50, &b), EK_ENOMEM, "opencl: cl");
}

static void test_times(void **state)
{
	double seconds = -1;
	eki_buffer b;

	(void)state;
	expect_status(make(EKI_MEMORY_COPY, N * sizeof(int), &b), EK_OK);
	expect_status(driver->mark(&device, 0), EK_OK);
	for (int k = 0; k < 100; k++)
		expect_status(launch(kernel, &b, &b, 0), EK_OK);
	expect_status(driver->mark(&device, 1), EK_OK);
	expect_status(driver->flush(&device), EK_OK);
	expect_status(driver->elapsed(&device, &seconds), EK_OK);
	assert_true(seconds > 0 && seconds < 100);
	drop(&b);
}

/* ---- Programs -------------------------------------------------------------------------------- */

static void test_compiler(void **state)
{
	void *made = &made;

	(void)state;
	expect_error(
		driver->build(&device, "wrong", "__kernel void f() { nonsense; }", NULL, 0, &made),
		EK_EDEVICE, "nonsense");
	assert_non_null(strstr(ek_error_text(), "wrong"));
	assert_null(strchr(ek_error_text(), '\n'));
	expect_error(driver->kernel(&device, program, "absent", &made), EK_EDEVICE,
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
	expect_status(driver->save(&device, program, &binary, &bytes), EK_OK);
	assert_true(bytes > 0);
	expect_status(driver->build(&device, "triple", text, binary, (size_t)bytes, &again), EK_OK);
	expect_status(driver->kernel(&device, again, "triple", &of), EK_OK);
	expect_status(make(EKI_MEMORY_COPY, sizeof out, &b), EK_OK);
	expect_status(driver->clear(&device, &b), EK_OK);
	expect_status(launch(of, &b, &b, 11), EK_OK);
	expect_status(get(&b, out), EK_OK);
	assert_int_equal(out[N - 1], 11);
	drop(&b);
	driver->drop(&device, of);
	driver->unload(&device, again);
	memset(binary, 'x', (size_t)bytes);
	again = NULL;
	expect_status(driver->build(&device, "triple", text, binary, (size_t)bytes, &again),
	              EK_EDEVICE);
	assert_null(again);
	eki_free(device.ctx, binary, bytes, 1);
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
		if (make(EKI_MEMORY_COPY, sizeof in, &x) != EK_OK ||
		    make(EKI_MEMORY_COPY, sizeof out, &y) != EK_OK ||
		    driver->kernel(&device, program, "triple", &of) != EK_OK ||
		    put(&x, in) != EK_OK || launch(of, &x, &y, round) != EK_OK ||
		    get(&y, out) != EK_OK)
			return false;
		for (int i = 0; i < N; i++)
			if (out[i] != 3 * in[i] + round)
				return false;
		driver->drop(&device, of);
		drop(&x);
		drop(&y);
	}
	return true;
}

static void member(void *arg, int number)
{
	(void)arg;
	right[number] = use_device(number);
}

static void test_threads(void **state)
{
	(void)state;
	eki_parallel(TEAM, TEAM, member, NULL);
	for (int k = 0; k < TEAM; k++)
		assert_true(right[k]);
}

/* ---- Calls that fail ------------------------------------------------------------------------- */

enum { OUT_OF_RESOURCES = -5, PAINT = 0x5a5a5a5a };

/* Everything that the driver can do, from opening to closing. */
static ek_status everything(eki_memory memory, int *out)
{
	eki_device d = {.ctx = ctx, .driver = driver, .number = 0};
	const eki_device keep = device;
	eki_buffer x = {0}, y = {0};
	void *made = NULL, *of = NULL, *binary = NULL;
	int64_t bytes = 0;
	double seconds;
	int in[N] = {1};
	ek_status status;

	EK_RETURN_IF(driver->info(0, &d.info));
	EK_RETURN_IF(driver->open(&d));
	device = d;
	EK_TRY(make(memory, sizeof in, &x));
	EK_TRY(make(memory, sizeof in, &y));
	EK_TRY(driver->build(&device, "triple", text, NULL, 0, &made));
	EK_TRY(driver->save(&device, made, &binary, &bytes));
	EK_TRY(driver->kernel(&device, made, "triple", &of));
	EK_TRY(driver->clear(&device, &x));
	EK_TRY(put(&x, in));
	EK_TRY(driver->mark(&device, 0));
	EK_TRY(launch(of, &x, &y, 1));
	EK_TRY(launch(of, &y, &x, 1));
	EK_TRY(driver->mark(&device, 1));
	EK_TRY(driver->flush(&device));
	EK_TRY(driver->elapsed(&device, &seconds));
	EK_TRY(driver->copy(&device, &y, &x, sizeof in));
	EK_TRY(driver->wait(&device));
	EK_TRY(get(&y, in));
	memcpy(out, in, sizeof in);
done:
	eki_free(ctx, binary, bytes, 1);
	if (of)
		driver->drop(&device, of);
	if (made)
		driver->unload(&device, made);
	drop(&x);
	drop(&y);
	driver->close(&device);
	device = keep;
	return status;
}

static void check_failures(eki_memory memory, bool persistent, int code)
{
	const long blocks = heap.live, objects = cl_faults.live;
	const ek_status expected = code == OUT_OF_RESOURCES ? EK_EDEVICE : EK_ENOMEM;
	static int out[N];
	ek_status status = EK_OK;
	long n = 0;

	for (;; n++) {
		for (int i = 0; i < N; i++)
			out[i] = PAINT;
		cl_fail(n, persistent, code);
		status = everything(memory, out);
		cl_fail(-1, false, 0);
		if (heap.live != blocks || cl_faults.live != objects)
			fail_msg("call %ld: %ld blocks and %ld objects leaked", n,
			         heap.live - blocks, cl_faults.live - objects);
		/* Without an answer a question about the device, or about times, has a default. */
		if (status == EK_OK) {
			assert_int_equal(out[0], 13);
			assert_int_equal(out[N - 1], 4);
			if (cl_faults.failed[0] == 0)
				break;
			continue;
		}
		for (int i = 0; i < N; i++)
			assert_int_equal(out[i], PAINT);
		if (strcmp(cl_faults.failed, "clSVMAlloc") != 0 && status != expected)
			fail_msg("call %ld: %d, %s", n, (int)status, ek_error_text());
		if (strncmp(ek_error_text(), "opencl: ", 8) != 0 ||
		    (!persistent && !strstr(ek_error_text(), cl_faults.failed)))
			fail_msg("call %ld, %s: %s", n, cl_faults.failed, ek_error_text());
	}
	print_message("  kind %d, %s: %ld calls\n", (int)memory,
	              persistent ? "all after it" : "one", n);
	assert_true(n > 20);
}

static void test_failures(void **state)
{
	static const int codes[] = {OUT_OF_RESOURCES, -4, -6, -61};

	(void)state;
	for (eki_memory m = EKI_MEMORY_COPY; m <= EKI_MEMORY_SHARED; m++)
		if (has(m))
			for (int persistent = 0; persistent < 2; persistent++)
				check_failures(m, persistent, codes[m % 4 * persistent]);
}

/* A launch that begins well, and an error that comes with the next call. */
static void test_dying(void **state)
{
	int out[N] = {PAINT};
	eki_buffer b;

	(void)state;
	expect_status(make(EKI_MEMORY_COPY, sizeof out, &b), EK_OK);
	expect_status(driver->clear(&device, &b), EK_OK);
	cl_fail(-1, false, OUT_OF_RESOURCES);
	cl_faults.dying = true;
	expect_status(launch(kernel, &b, &b, 0), EK_OK);
	expect_error(driver->wait(&device), EK_EDEVICE, "a launch failed: CL_OUT_OF_RESOURCES");
	expect_status(driver->wait(&device), EK_OK); /* said once */
	expect_status(launch(kernel, &b, &b, 0), EK_OK);
	expect_status(get(&b, out), EK_EDEVICE);
	assert_int_equal(out[0], PAINT);
	/* The next launch is right, and the one before it was not. */
	expect_status(launch(kernel, &b, &b, 0), EK_OK);
	expect_status(launch(kernel, &b, &b, 0), EK_OK);
	cl_faults.dying = false;
	expect_status(get(&b, out), EK_EDEVICE);
	assert_int_equal(out[0], PAINT);
	expect_status(driver->wait(&device), EK_OK);
	expect_status(get(&b, out), EK_OK);
	assert_int_equal(out[0], 0);
	drop(&b);
}

static int open_device(void **state)
{
	context_setup(state);
	device = (eki_device){.ctx = ctx, .driver = driver, .number = 0};
	expect_status(driver->info(0, &device.info), EK_OK);
	expect_status(driver->open(&device), EK_OK);
	expect_status(driver->build(&device, "triple", text, NULL, 0, &program), EK_OK);
	expect_status(driver->kernel(&device, program, "triple", &kernel), EK_OK);
	return 0;
}

static int close_device(void **state)
{
	driver->drop(&device, kernel);
	driver->unload(&device, program);
	driver->close(&device);
	assert_int_equal(cl_faults.live, 0);
	return context_teardown(state);
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
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_dying),
	};
	int failed = run_all_tests(alone, nothing, nothing);

	if (!cl_faults_install()) {
		printf("left out: %s\n", ek_error_text());
		return failed;
	}
	return failed + run_all_tests(tests, open_device, close_device);
}
#endif
