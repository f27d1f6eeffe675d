/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the library's CUDA code with a fake libcuda.so.1 (test/fake), which computes nothing:
 * messages about missing libraries and devices, two cards, arguments of launches, and compiler
 * messages. */
#define _POSIX_C_SOURCE 200809L
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "plan/plan.h"
#include "support/fake.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

static struct fake_cuda *fake;
static ek_context *ctx;

/* ---- Missing libraries ----------------------------------------------------------------------- */

static const struct missing {
	const char *file; /* file that EK_CUDA names, or NULL for the fake */
	int init, devices;
	long fail_at;
	const char *part; /* text that the message must contain */
} missing[] = {
	{"/nonexistent/libcuda.so.1", 0, 0, -1, "there is no /nonexistent/libcuda.so.1"},
	{EK_SOURCE_DIR "/README.md", 0, 0, -1, "README.md: "},
	{EK_FAKE_DIR "/libfake_cuda_part.so", 0, 0, -1, "has no function cuLaunchKernel"},
	{NULL, 100, 0, -1, "cuInit failed: CUDA_ERROR_NO_DEVICE (100)"},
	{NULL, 803, 0, -1, "cuInit failed: an error without a name (803)"},
	{NULL, 0, 2, 1, "cuDriverGetVersion failed: CUDA_ERROR_UNKNOWN (999)"},
	{NULL, 0, 2, 2, "cuDeviceGetCount failed: CUDA_ERROR_UNKNOWN (999)"},
	{NULL, 0, 0, -1, "cuda: 0 devices"},
};

/* Tries twice to open a context, in a child process that has not loaded libcuda yet. Returns 0 if
 * both tries fail with the expected message, else 1. */
static int missing_child(const struct missing *m)
{
	ek_context *none = NULL;

	fake = fake_cuda_use();
	fake->init = m->init;
	fake->devices = m->devices;
	fake->fail_at = m->fail_at;
	if (m->file)
		setenv("EK_CUDA", m->file, 1);
	for (int k = 0; k < 2; k++)
		if (fake_context(k ? "cuda" : "cuda:0", EK_MEMORY_AUTO, NULL, &none) !=
		            EK_EDEVICE ||
		    none || !strstr(ek_error_text(), m->part) || fake->live) {
			fprintf(stderr, "\"%s\" is not in \"%s\"\n", m->part, ek_error_text());
			return 1;
		}
	return 0;
}

static void test_missing(void **state)
{
	(void)state;
	for (int k = 0; k < EKI_COUNT(missing); k++) {
		pid_t child = fork();
		int result;

		assert_true(child >= 0);
		if (child == 0)
			_exit(missing_child(&missing[k]));
		assert_int_equal(waitpid(child, &result, 0), child);
		assert_int_equal(result, 0);
	}
}

/* ---- Cards ----------------------------------------------------------------------------------- */

static void test_cards(void **state)
{
	ek_device_info info = {.size = sizeof info};
	ek_context *one, *other, *none = NULL;
	void *data;

	(void)state;
	fake->devices = 2; /* set before the next call, which loads the fake */
	expect_status(ek_device_get_info(1, &info), EK_OK);
	assert_string_equal(info.name, "cuda:1");
	assert_string_equal(info.text, "fake card 1");
	assert_string_equal(info.driver, "CUDA 13.0");
	assert_string_equal(info.kind, "gpu");
	assert_string_equal(info.arch, "sm_80");
	assert_int_equal(info.lanes, 32);
	assert_true(info.shared && !info.mapped && info.f64 && !info.unified);
	assert_int_equal(info.atomics, info.shared);
	assert_true(info.local == 49152 && info.local_most == FAKE_LOCAL_MOST);

	expect_status(fake_context("gpu", EK_MEMORY_AUTO, NULL, &one), EK_OK);
	expect_status(fake_context("cuda:1", EK_MEMORY_AUTO, NULL, &other), EK_OK);
	expect_status(ek_context_get_device(one, &info), EK_OK);
	assert_string_equal(info.name, "cuda:0");
	expect_status(ek_device_alloc(other, 1000, &data), EK_OK);
	ek_device_free(other, data);
	ek_context_destroy(one);
	ek_context_destroy(other);

	/* If a card fails to describe itself, it still has a name, and other cards stay usable. */
	fake->broken = 0;
	expect_error(ek_device_get_info(0, &info), EK_EDEVICE, "cuDeviceGetName failed");
	assert_string_equal(info.name, "cuda:0");
	assert_int_equal(info.text[0], 0);
	expect_status(ek_device_get_info(1, &info), EK_OK);
	assert_string_equal(info.name, "cuda:1");
	expect_status(fake_context("gpu", EK_MEMORY_AUTO, NULL, &one), EK_OK);
	expect_status(ek_context_get_device(one, &info), EK_OK);
	assert_string_equal(info.name, "cuda:1");
	ek_context_destroy(one);
	expect_error(fake_context("cuda:0", EK_MEMORY_AUTO, NULL, &none), EK_EDEVICE,
	             "cuDeviceGetName failed");
	fake->broken = -1;

	expect_error(fake_context("cuda:2", EK_MEMORY_AUTO, NULL, &none), EK_EDEVICE,
	             "cuda: 2 devices");
	expect_error(fake_context("cuda", EK_MEMORY_MAPPED, NULL, &none), EK_EUNSUPPORTED,
	             "cannot share memory in turn");
	assert_null(none);
	fake_clean("two cards");
}

/* ---- Programs and launches ------------------------------------------------------------------- */

static const char ptx[] = ".visible .entry probe(\n"
			  "	.param .u64 probe_param_0,\n	.param .u32 probe_param_1,\n"
			  "	.param .u64 probe_param_2,\n	.param .f32 probe_param_3,\n"
			  "	.param .f64 probe_param_4\n)\n{ }\n";

/* Checks that the driver gets each argument of a launch with the right size and bits. */
static void test_launch(void **state)
{
	const eki_driver *d = &eki_cuda;
	eki_device *dev;
	eki_buffer b = {.bytes = 100, .memory = EKI_MEMORY_COPY};
	void *program, *kernel, *same, *none = NULL;

	(void)state;
	expect_status(fake_context("cuda", EK_MEMORY_COPY, NULL, &ctx), EK_OK);
	dev = ctx->device;
	expect_status(d->build(dev, "probe", "", ptx, sizeof ptx, &program), EK_OK);
	expect_status(d->kernel(dev, program, "probe", &kernel), EK_OK);
	expect_error(d->kernel(dev, program, "prob", &none), EK_EDEVICE,
	             "cuModuleGetFunction failed: CUDA_ERROR_NOT_FOUND (500)");
	expect_status(d->alloc(dev, EKI_MEMORY_COPY, b.bytes, &b.device, &b.host), EK_OK);

	const eki_arg args[] = {eki_arg_buffer(&b), eki_arg_i32(-7), eki_arg_i64(INT64_MIN + 3),
	                        eki_arg_val(EK_F32, eki_real(1.5)),
	                        eki_arg_val(EK_F64, eki_real(-0.1))};
	const double f64 = -0.1;
	uint64_t bits;

	expect_status(d->launch(dev, kernel, 12, 96, args, EKI_COUNT(args)), EK_OK);
	memcpy(&bits, &f64, sizeof bits);
	assert_int_equal(fake->last.groups, 12);
	assert_int_equal(fake->last.group_size, 96);
	assert_int_equal(fake->last.arguments, 5);
	assert_int_equal(fake->last.value[0], (uint64_t)(uintptr_t)b.device);
	assert_int_equal(fake->last.value[1], (uint32_t)-7);
	assert_int_equal(fake->last.value[2], (uint64_t)(INT64_MIN + 3));
	assert_int_equal(fake->last.value[3], 0x3fc00000);
	assert_int_equal(fake->last.value[4], bits);
	assert_int_equal(fake->last.local, 0);

	/* Local memory is no parameter. */
	const eki_arg more[] = {args[0], eki_arg_local(FAKE_LOCAL_MOST), args[1], args[2], args[3],
	                        args[4]};
	const eki_arg too_much[] = {eki_arg_local(FAKE_LOCAL_MOST + 1)};

	expect_status(d->launch(dev, kernel, 12, 96, more, EKI_COUNT(more)), EK_OK);
	assert_int_equal(fake->last.local, FAKE_LOCAL_MOST);
	assert_int_equal(fake->last.value[4], bits);
	expect_error(d->launch(dev, kernel, 12, 96, too_much, 1), EK_EDEVICE, "cuFuncSetAttribute");
	/* Another holder of the function, which needs less, takes nothing back. */
	const eki_arg less[] = {args[0], eki_arg_local(2048), args[1], args[2], args[3], args[4]};

	expect_status(d->kernel(dev, program, "probe", &same), EK_OK);
	expect_status(d->launch(dev, same, 12, 96, less, EKI_COUNT(less)), EK_OK);
	expect_status(d->launch(dev, kernel, 12, 96, more, EKI_COUNT(more)), EK_OK);
	assert_int_equal(fake->last.local, FAKE_LOCAL_MOST);
	expect_error(d->launch(dev, kernel, (int64_t)1 << 31, 96, args, 1), EK_EUNSUPPORTED,
	             "2147483648 groups");

	d->free(dev, EKI_MEMORY_COPY, b.device);
	d->drop(dev, kernel);
	d->drop(dev, same);
	d->unload(dev, program);
	ek_context_destroy(ctx);
	fake_clean("launch");
}

/* Checks that a copy is waited for although the stream of kernels fails: its memory may be freed
 * then. */
static void test_wait(void **state)
{
	const eki_driver *d = &eki_cuda;
	eki_device *dev;
	eki_buffer b = {.bytes = 8, .memory = EKI_MEMORY_COPY};
	double is = 7, was = 3;

	(void)state;
	expect_status(fake_context("cuda", EK_MEMORY_COPY, NULL, &ctx), EK_OK);
	dev = ctx->device;
	expect_status(d->alloc(dev, EKI_MEMORY_COPY, b.bytes, &b.device, &b.host), EK_OK);
	expect_status(d->write(dev, &b, 0, &was, b.bytes), EK_OK);
	expect_status(d->fetch(dev, &b, 0, &is, b.bytes), EK_OK);
	assert_true(is == 7); /* the copy is still under way */
	fake->calls = 0;
	fake->fail_at = 0;
	expect_error(d->wait(dev), EK_EDEVICE, "cuStreamSynchronize failed");
	fake->fail_at = -1;
	assert_true(is == 3);
	d->free(dev, EKI_MEMORY_COPY, b.device);
	ek_context_destroy(ctx);
	fake_clean("wait");
}

/* Checks that blocks for which the card has too little shared memory are refused, and why. */
static void test_large_blocks(void **state)
{
	static const char *const methods[] = {"spmv.csr.adaptive.gpu:block=65536",
	                                      "spmv.csr.stream.gpu:block=20481"};
	ek_matrix *A;
	ek_plan *plan;

	(void)state;
	expect_status(fake_context("cuda:1", EK_MEMORY_COPY, NULL, &ctx), EK_OK);
	expect_status(ek_matrix_generate(ctx, "poisson2d5:nx=10,ny=10", EK_F64, EK_I32, &A), EK_OK);
	for (int k = 0; k < 2; k++) {
		const ek_hints hints = {.size = sizeof hints, .method = methods[k]};

		expect_error(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_EUNSUPPORTED,
		             k ? "needs 182272 bytes of local memory" : "has 166912");
	}
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	fake_clean("large blocks");
}

/* Checks that the message is one line and contains the report of the driver's own compiler. */
static void test_bad_module(void **state)
{
	void *none = NULL;

	(void)state;
	expect_status(fake_context("cuda:1", EK_MEMORY_COPY, NULL, &ctx), EK_OK);
	expect_error(eki_cuda.build(ctx->device, "probe", "", "nonsense", 9, &none), EK_EDEVICE,
	             "CUDA_ERROR_INVALID_IMAGE (200) for probe: fake: neither PTX nor ELF");
	assert_null(none);
	ek_context_destroy(ctx);
	fake_clean("bad module");
}

static void test_compiler_messages(void **state)
{
	static const char bad[] = "EK_KERNEL(probe, 32)(int x) { y = x; }\n";
	void *none = NULL;

	(void)state;
	need_nvrtc();
	expect_status(fake_context("cuda:1", EK_MEMORY_COPY, NULL, &ctx), EK_OK);
	expect_error(eki_program_get(ctx->device, "probe", "", bad, &none), EK_EDEVICE,
	             "error: identifier \"y\" is undefined");
	assert_non_null(strstr(ek_error_text(), "compilation failed (6) for probe, sm_80"));
	assert_null(strchr(ek_error_text(), '\n'));
	assert_null(none);
	ek_context_destroy(ctx);
	fake_clean("messages");
}

static int no_compiler_child(const char *file, int version, const char *part)
{
	void *none = NULL;

	unsetenv("EK_NVRTC");
	if (file)
		setenv("EK_NVRTC", file, 1);
	fake->version = version;
	if (fake_context("cuda", EK_MEMORY_COPY, NULL, &ctx) == EK_OK &&
	    eki_program_get(ctx->device, "probe", "", "", &none) == EK_EDEVICE && !none &&
	    strstr(ek_error_text(), part))
		return 0;
	fprintf(stderr, "\"%s\" is not in \"%s\"\n", part, ek_error_text());
	return 1;
}

/* Checks the messages if there is no NVRTC, and if each NVRTC is too new for the driver. */
static void test_no_compiler(void **state)
{
	(void)state;
	for (int k = 0; k < 2; k++) {
		pid_t child = fork();
		int result;

		assert_true(child >= 0);
		if (child == 0)
			_exit(no_compiler_child(
				k ? NULL : "/nonexistent/libnvrtc.so", k ? 1000 : 13000,
				k ? "neither libnvrtc.so.1 nor an earlier one"
				  : "EK_NVRTC: there is no /nonexistent/libnvrtc.so"));
		assert_int_equal(waitpid(child, &result, 0), child);
		assert_int_equal(result, 0);
	}
}

/* Checks that decisions, which are in memory that the device shares, go before the device. */
static void test_decisions(void **state)
{
	const eki_decision d = {
		.key.machine = "x", .calls = 100, .method = "spmv.csr.rows", .format = "csr"};

	(void)state;
	expect_status(fake_context("cuda", EK_MEMORY_SHARED, NULL, &ctx), EK_OK);
	expect_status(eki_wisdom_add(ctx, &d, 1), EK_OK);
	ek_context_destroy(ctx);
	fake_clean("decisions in shared memory");
}

static int setup(void **state)
{
	(void)state;
	fake = fake_cuda_use();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_clean("the end");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_missing), /* two tests that run before libcuda is loaded */
		cmocka_unit_test(test_no_compiler),
		cmocka_unit_test(test_cards),
		cmocka_unit_test(test_launch),
		cmocka_unit_test(test_wait),
		cmocka_unit_test(test_large_blocks),
		cmocka_unit_test(test_bad_module),
		cmocka_unit_test(test_compiler_messages),
		cmocka_unit_test(test_decisions),
	};

	return run_all_tests(tests, setup, teardown);
}

#endif
