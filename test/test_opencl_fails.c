/* SPDX-License-Identifier: BSD-3-Clause
 * Makes each OpenCL call of the driver fail: only that call, or it and all later ones. The error
 * must name the call, nothing may leak, and outputs must stay unchanged. Also tests launches that
 * fail while they run. */
#include "gpu/opencl_api.h"
#include "support/cl_device.h"
#include "support/cl_faults.h"
#include "support/context.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

enum { N = CL_N, OUT_OF_RESOURCES = -5, PAINT = 0x5a5a5a5a };

static const eki_driver *const driver = &eki_opencl;

/* Does everything that the driver can do, from opening the device to closing it. */
static ek_status everything(eki_memory memory, int *out)
{
	eki_device d = {.ctx = ctx, .driver = driver, .number = 0};
	const eki_device keep = cl_device;
	eki_buffer x = {0}, y = {0};
	void *made = NULL, *of = NULL, *binary = NULL;
	int64_t bytes = 0;
	double seconds;
	static int aside[N]; /* copies may still use it after a failure */
	int in[N] = {1};
	ek_status status;

	EK_RETURN_IF(driver->info(0, &d.info));
	EK_RETURN_IF(driver->open(&d));
	cl_device = d;
	EK_TRY(cl_make(memory, sizeof in, &x));
	EK_TRY(cl_make(memory, sizeof in, &y));
	EK_TRY(driver->build(&cl_device, "triple", cl_text, NULL, 0, &made));
	EK_TRY(driver->save(&cl_device, made, &binary, &bytes));
	EK_TRY(driver->kernel(&cl_device, made, "triple", &of));
	EK_TRY(driver->clear(&cl_device, &x));
	EK_TRY(cl_put(&x, in));
	EK_TRY(driver->mark(&cl_device, 0));
	EK_TRY(cl_launch(of, &x, &y, 1));
	EK_TRY(cl_launch(of, &y, &x, 1));
	EK_TRY(driver->mark(&cl_device, 1));
	EK_TRY(driver->flush(&cl_device));
	EK_TRY(driver->elapsed(&cl_device, &seconds));
	EK_TRY(driver->copy(&cl_device, &y, 0, &x, 0, sizeof in));
	if (memory == EKI_MEMORY_COPY) { /* through the second queue and back */
		EK_TRY(driver->follow(&cl_device, true));
		EK_TRY(driver->fetch(&cl_device, &y, 0, aside, sizeof aside));
		EK_TRY(driver->clear(&cl_device, &x));
		EK_TRY(driver->follow(&cl_device, true));
		EK_TRY(driver->send(&cl_device, &x, 0, aside, sizeof aside / 2));
		EK_TRY(driver->follow(&cl_device, false));
		EK_TRY(driver->copy(&cl_device, &y, 0, &x, 0, sizeof in / 2));
	}
	EK_TRY(driver->wait(&cl_device));
	EK_TRY(cl_get(&y, in));
	memcpy(out, in, sizeof in);
done:
	eki_free(ctx, binary, bytes, 1);
	if (of)
		driver->drop(&cl_device, of);
	if (made)
		driver->unload(&cl_device, made);
	cl_drop(&x);
	cl_drop(&y);
	driver->close(&cl_device);
	cl_device = keep;
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
		/* If only the device's times are lost, the host's clock is used instead. */
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
	for (eki_memory m = EKI_MEMORY_COPY; m <= EKI_MEMORY_ATOMIC; m++)
		if (cl_has(m))
			for (int persistent = 0; persistent < 2; persistent++)
				check_failures(m, persistent,
				               codes[persistent ? 1 + (m - 1) % 3 : 0]);
}

static void reopen(void)
{
	expect_status(cl_device_close(NULL), 0);
	expect_status(cl_device_open(NULL), 0);
}

/* Launches a kernel `before` times, of which the last begins without an error and fails later, then
 * `after` times more. Every later call that wants results must get the error, not only the
 * first. */
static void check_dying(int before, int after)
{
	int out[N] = {PAINT};
	eki_buffer b;

	expect_status(cl_make(EKI_MEMORY_COPY, sizeof out, &b), EK_OK);
	expect_status(driver->clear(&cl_device, &b), EK_OK);
	cl_fail(-1, false, OUT_OF_RESOURCES);
	for (int k = 1; k <= before; k++) {
		cl_faults.dying = k == before;
		expect_status(cl_launch(cl_triple, &b, &b, 0), EK_OK);
	}
	cl_faults.dying = false;
	for (int k = 0; k < after; k++)
		expect_status(cl_launch(cl_triple, &b, &b, 0), EK_OK);
	expect_error(cl_get(&b, out), EK_EDEVICE, "in the queue failed: CL_OUT_OF_RESOURCES");
	assert_int_equal(out[0], PAINT);
	expect_status(driver->wait(&cl_device), EK_EDEVICE);
	expect_status(cl_launch(cl_triple, &b, &b, 0), EK_EDEVICE);
	expect_status(cl_get(&b, out), EK_EDEVICE);
	assert_int_equal(out[0], PAINT);
	cl_drop(&b);
	reopen();
}

static void test_dying(void **state)
{
	(void)state;
	check_dying(1, 0);
	check_dying(1, 1);
	check_dying(2, 3);
	check_dying(1, EKI_CL_PENDING - 2);
	check_dying(EKI_CL_PENDING + 5, 1);
}

/* Tests more launches than the list of pending commands can hold. */
static void test_many(void **state)
{
	enum { MANY = 5 * EKI_CL_PENDING };
	const long objects = cl_faults.live;
	int out[N] = {0};
	eki_buffer b;
	int k;

	(void)state;
	expect_status(cl_make(EKI_MEMORY_COPY, sizeof out, &b), EK_OK);
	for (int dies = 0; dies < 2; dies++) {
		ek_status status = EK_OK;

		expect_status(driver->clear(&cl_device, &b), EK_OK);
		cl_faults.dying = dies;
		for (k = 0; k < MANY && status == EK_OK; k++)
			status = cl_launch(cl_triple, &b, &b, 0);
		cl_faults.dying = false;
		expect_status(status, dies ? EK_EDEVICE : EK_OK);
		/* The first wait is for the clear, which succeeds; the second is for a launch,
		 * which fails. */
		assert_int_equal(k, dies ? EKI_CL_PENDING + 1 : MANY);
		assert_true(cl_faults.live <= objects + 1 + EKI_CL_PENDING);
		expect_status(cl_get(&b, out), status);
	}
	cl_drop(&b);
	reopen();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_dying),
		cmocka_unit_test(test_many),
	};

	if (!cl_faults_install()) {
		printf("left out: %s\n", ek_error_text());
		return 0;
	}
	return run_all_tests(tests, cl_device_open, cl_device_close);
}
#endif
