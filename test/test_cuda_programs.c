/* SPDX-License-Identifier: BSD-3-Clause
 * Tests programs for CUDA, compiled by the real NVRTC for the fake libcuda.so.1: which are loaded
 * from the folder and which compiled again, and a log function that asks for programs while another
 * is being compiled. */
#define _POSIX_C_SOURCE 200809L
#include "gpu/gpu.h"
#include "support/fake.h"
#include "support/folder.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

static const char fine[] = "EK_KERNEL(probe, 32)(EK_GLOBAL int *x) { *x = 1; }\n";
static const char warned[] = "#warning look here\n"
			     "EK_KERNEL(probe, 32)(EK_GLOBAL int *x) { *x = 2; }\n";

/* ---- The log --------------------------------------------------------------------------------- */

static struct {
	ek_context *ctx;
	int warnings;
} logged;

/* Counts warnings, as the log function. At the first, asks for two programs: one without warnings,
 * and the one being compiled, which then warns again. */
static void get_more(void *user, ek_log_level level, const char *text)
{
	void *program = NULL;

	(void)user;
	(void)level;
	assert_non_null(strstr(text, "look here"));
	if (logged.warnings++ > 0)
		return;
	expect_status(eki_program_get(logged.ctx->device, "fine", "", fine, &program), EK_OK);
	assert_non_null(program);
	expect_status(eki_program_get(logged.ctx->device, "warned", "", warned, &program), EK_OK);
}

static void test_log(void **state)
{
	const ek_options o = {.size = sizeof o,
	                      .threads = 1,
	                      .device = "cuda",
	                      .device_memory = EK_MEMORY_COPY,
	                      .log = get_more};
	ek_device_counters c = {.size = sizeof c};
	void *program, *again;

	(void)state;
	need_nvrtc();
	expect_status(ek_context_create(&o, &logged.ctx), EK_OK);
	expect_status(eki_program_get(logged.ctx->device, "warned", "", warned, &program), EK_OK);
	assert_int_equal(logged.warnings, 2);
	expect_status(eki_program_get(logged.ctx->device, "warned", "", warned, &again), EK_OK);
	assert_ptr_equal(program, again);
	expect_status(ek_device_get_counters(logged.ctx, &c), EK_OK);
	assert_int_equal(c.compiled, 3);
	ek_context_destroy(logged.ctx);
	fake_clean("log");
}

/* ---- The folder ------------------------------------------------------------------------------ */

static ek_status other_compiler(eki_device *device, char *text, size_t size)
{
	EK_RETURN_IF(eki_cuda.compiler(device, text, size));
	text[strlen(text) - 1]++;
	return EK_OK;
}

static ek_status no_compiler(eki_device *device, char *text, size_t size)
{
	(void)device;
	(void)text;
	(void)size;
	return eki_fail(EK_EDEVICE, "no compiler");
}

/* Returns true if a new context compiles the program, or false if the folder has it already. */
static bool compiles(ek_status (*compiler)(eki_device *, char *, size_t))
{
	eki_driver driver = eki_cuda;
	ek_device_counters c = {.size = sizeof c};
	ek_context *ctx;
	void *program;

	driver.compiler = compiler;
	expect_status(fake_context("cuda", EK_MEMORY_COPY, NULL, &ctx), EK_OK);
	ctx->device->driver = &driver;
	expect_status(eki_program_get(ctx->device, "fine", "", fine, &program), EK_OK);
	expect_status(ek_device_get_counters(ctx, &c), EK_OK);
	assert_int_equal(c.compiled + c.loaded, 1);
	ek_context_destroy(ctx);
	return c.compiled == 1;
}

/* Checks that stored programs are used only if compiled with the same version and options. */
static void test_compiler(void **state)
{
	char text[300];

	(void)state;
	need_nvrtc();
	setenv("EK_CACHE", folder, 1);
	assert_true(compiles(eki_cuda.compiler));
	assert_false(compiles(eki_cuda.compiler));
	assert_true(compiles(other_compiler));
	assert_false(compiles(other_compiler));
	assert_false(compiles(eki_cuda.compiler));
	assert_true(compiles(no_compiler));
	assert_true(compiles(no_compiler));
	setenv("EK_CACHE", "off", 1);

	ek_context *ctx;
	expect_status(fake_context("cuda", EK_MEMORY_COPY, NULL, &ctx), EK_OK);
	expect_status(eki_cuda.compiler(ctx->device, text, sizeof text), EK_OK);
	print_message("  %s\n", text);
	assert_memory_equal(text, "NVRTC 1", 7);
	assert_non_null(strstr(text, " --fmad=false "));
	ek_context_destroy(ctx);
	fake_clean("folder");
}

static int setup(void **state)
{
	fake_cuda_use();
	return folder_setup(state);
}

static int teardown(void **state)
{
	folder_empty(".program");
	return folder_teardown(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_log),
		cmocka_unit_test(test_compiler),
	};

	return run_all_tests(tests, setup, teardown);
}

#endif
