/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that contexts use the stored profile of their device and of no other one, and that
 * predictions change with it. A child process finds out which file a device has and
 * writes it, since this process reads each file only once. */
#define _POSIX_C_SOURCE 200809L /* setenv, fork */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "support/folder.h"
#include "support/profile.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

static char profile[128]; /* path of the processor's profile, which does not exist */
static char device[64];
static bool has[EK_MEMORY_SHARED + 1]; /* kinds of memory that the device has */

static ek_status open_context(ek_device_memory memory,
                              void (*log)(void *user, ek_log_level level, const char *text),
                              ek_context **ctx)
{
	const ek_options o = {.size = sizeof o,
	                      .threads = 2,
	                      .log = log,
	                      .device = device,
	                      .device_memory = memory};

	return ek_context_create(&o, ctx);
}

static void file_of(const eki_subject *s, char file[EKI_PROFILE_PATH])
{
	snprintf(file, EKI_PROFILE_PATH, "%s", profile);
	if (!eki_subject_path(s, file))
		abort();
}

/* Writes what contexts find: a profile for memory that is copied, a damaged one for memory that is
 * shared, and none for memory that is mapped. Returns which kinds there are, as bits. */
static int write_profiles(void)
{
	int kinds = 0;

	for (int k = EK_MEMORY_COPY; k <= EK_MEMORY_SHARED; k++) {
		char file[EKI_PROFILE_PATH], text[MOST_TEXT];
		eki_subject s;
		ek_context *ctx;

		if (open_context((ek_device_memory)k, NULL, &ctx) != EK_OK)
			continue;
		kinds |= 1 << k;
		eki_subject_of(ctx, &s);
		file_of(&s, file);
		device_profile(&s, text);
		if (k == EK_MEMORY_SHARED)
			text_replace(text, "launch 77", "launch none");
		if (k != EK_MEMORY_MAPPED)
			text_write(file, text);
		ek_context_destroy(ctx);
	}
	return kinds;
}

static ek_context *need(ek_device_memory memory)
{
	ek_context *ctx;

	if (!has[memory]) {
		print_message("  not run: there is no device with such memory\n");
		skip();
	}
	expect_status(open_context(memory, NULL, &ctx), EK_OK);
	return ctx;
}

/* ---- In force -------------------------------------------------------------------------------- */

struct numbers {
	bool processor;
	int count;
};

static void on_number(void *user, const ek_profile_number *n)
{
	eki_machine family = *eki_machine_family();
	struct numbers *seen = user;
	eki_tunable row;

	assert_true(eki_tunable_device_row(seen->processor, seen->count++, &row));
	assert_string_equal(n->name, row.name);
	assert_int_equal(n->count, 1);
	assert_true(n->family[0] == *eki_tuned(&family, &row));
	if (strcmp(n->name, "launch") == 0)
		assert_true(n->value[0] == 77);
}

static void only_with_the_device(void **state)
{
	ek_context *with = need(EK_MEMORY_COPY), *without;
	const int processor = eki_device_is_processor(with);
	struct numbers seen = {.processor = processor};

	(void)state;
	assert_true(with->machine->launch[processor] == 77);
	assert_true(with->machine->device_gbps[processor] == 5);
	assert_true(with->machine->lane_gather == 9);
	if (processor)
		assert_true(with->machine->loop_gbps == 3);
	assert_true(with->machine->launch[!processor] == eki_machine_here()->launch[!processor]);
	assert_true(with->machine->memory_gbps == eki_machine_here()->memory_gbps);
	assert_string_equal(ek_context_profile_name(with), "measured 2026-11-25");
	assert_null(ek_context_profile_refused(with));
	expect_status(ek_context_profile_numbers(with, on_number, &seen), EK_OK);
	assert_int_equal(seen.count, 3 + processor);

	expect_status(ek_context_create(&(ek_options){.size = sizeof(ek_options), .device = "cpu"},
	                                &without),
	              EK_OK);
	assert_ptr_equal(without->machine, eki_machine_here());
	assert_true(without->machine->launch[processor] != 77);
	assert_string_equal(ek_context_profile_name(without), ek_profile_name());
	assert_string_equal(ek_context_profile_name(NULL), ek_profile_name());
	assert_string_equal(ek_context_profile_refused(without), ek_profile_refused());
	expect_error(ek_context_profile_numbers(NULL, on_number, &seen), EK_EINVAL, "ctx is NULL");
	expect_error(ek_context_profile_numbers(with, NULL, NULL), EK_EINVAL, "number");
	ek_context_destroy(without);
	ek_context_destroy(with);
}

/* Expects `part` in what the library says of its choice in a context. */
static void expect_said(ek_context *ctx, const char *part)
{
	char text[8192];
	ek_matrix *A;
	ek_plan *plan;

	expect_status(ek_matrix_generate(ctx, "diagonal:n=300", EK_F32, EK_I32, &A), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A, NULL, &plan), EK_OK);
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	if (!strstr(text, part))
		fail_msg("%s", text);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
}

/* Predicts a run of csr.merge.gpu, which has two launches and 1.1 times the bytes of CSR. */
static void predictions_use_it(void **state)
{
	const ek_hints named = {.size = sizeof named, .method = "spmv.csr.merge.gpu"};
	ek_context *ctx = need(EK_MEMORY_COPY);
	ek_prediction got = {.size = sizeof got};
	ek_matrix *A;
	ek_plan *plan;

	(void)state;
	expect_status(ek_matrix_generate(ctx, "diagonal:n=3000", EK_F32, EK_I32, &A), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A, &named, &plan), EK_OK);
	expect_status(ek_plan_predict(plan, 0, &got), EK_OK);
	const double bytes = (double)eki_moved_bytes(&plan->problem, &A->store);

	assert_true(fabs(got.run * 1e9 - (2 * 77 + 1.1 * bytes / 5)) < 1e-6 * got.run * 1e9);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	expect_said(ctx, ", device measured 2026-11-25");
	ek_context_destroy(ctx);
}

static bool warned;

static void on_log(void *user, ek_log_level level, const char *text)
{
	(void)user;
	warned |= level == EK_LOG_WARNING && strstr(text, "launch: value 1 is none from");
}

static void damaged_one_is_refused(void **state)
{
	ek_context *ctx = need(EK_MEMORY_SHARED);

	(void)state;
	ek_context_destroy(ctx);
	expect_status(open_context(EK_MEMORY_SHARED, on_log, &ctx), EK_OK);
	assert_true(warned);
	assert_ptr_equal(ctx->machine, eki_machine_here());
	assert_string_equal(ek_context_profile_name(ctx), "built in");
	assert_non_null(strstr(ek_context_profile_refused(ctx), profile));
	expect_said(ctx, "launch: value 1 is none from");
	ek_context_destroy(ctx);
}

static void missing_one_is_no_error(void **state)
{
	ek_context *ctx = need(EK_MEMORY_MAPPED);

	(void)state;
	assert_ptr_equal(ctx->machine, eki_machine_here());
	assert_string_equal(ek_context_profile_name(ctx), "built in");
	assert_null(ek_context_profile_refused(ctx));
	ek_context_destroy(ctx);
}

static void not_for_another_device(void **state)
{
	ek_context *ctx = need(EK_MEMORY_COPY);
	char file[EKI_PROFILE_PATH], text[MOST_TEXT];
	eki_subject s;

	(void)state;
	eki_subject_of(ctx, &s);
	device_profile(&s, text);
	ctx->device->info.units++; /* the same name, but more cores */
	assert_ptr_equal(eki_machine_of(ctx), eki_machine_here());
	assert_null(eki_device_profile_refused(ctx));
	snprintf(ctx->device->info.text, sizeof ctx->device->info.text, "Other device");
	assert_ptr_equal(eki_machine_of(ctx), eki_machine_here());
	assert_null(eki_device_profile_refused(ctx));

	/* Nor if somebody gives its file the other one's name. */
	snprintf(ctx->device->info.driver, sizeof ctx->device->info.driver, "Newer");
	eki_subject_of(ctx, &s);
	file_of(&s, file);
	text_write(file, text);
	assert_ptr_equal(eki_machine_of(ctx), eki_machine_here());
	assert_non_null(strstr(eki_device_profile_refused(ctx), "it is for \""));
	ek_context_destroy(ctx);
}

static void read_once(void **state)
{
	ek_context *ctx = need(EK_MEMORY_COPY), *late;
	char file[EKI_PROFILE_PATH];
	eki_subject s;

	(void)state;
	eki_subject_of(ctx, &s);
	file_of(&s, file);
	text_write(file, "spoilt\n");
	expect_status(open_context(EK_MEMORY_COPY, NULL, &late), EK_OK);
	assert_ptr_equal(late->machine, ctx->machine);
	ek_context_destroy(ctx);
	ek_context_destroy(late);
}

/* Must be the last test, since it leaves no place. */
static void many_devices(void **state)
{
	ek_context *ctx = need(EK_MEMORY_COPY);

	(void)state;
	for (int k = 0; k < 40; k++) {
		snprintf(ctx->device->info.text, sizeof ctx->device->info.text, "Device %d", k);
		assert_ptr_equal(eki_machine_of(ctx), eki_machine_here());
		assert_null(eki_device_profile_refused(ctx));
	}
	ek_context_destroy(ctx);
}

/* Finds a device, and lets a child write profiles. Without a device most tests are left out. */
static int setup(void **state)
{
	const char *wanted = getenv("EK_DEVICE");
	ek_device_info info = {.size = sizeof info};
	int status;

	folder_setup(state);
	snprintf(profile, sizeof profile, "%s", in_folder("profile"));
	setenv("EK_PROFILE", profile, 1);
	setenv("EK_CACHE", "off", 0);
	const pid_t child = fork();

	if (child && (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)))
		return -1;
	if (!wanted && ek_device_get_info(0, &info) != EK_OK)
		print_message("%s\n", child ? ek_error_text() : "");
	snprintf(device, sizeof device, "%s", wanted ? wanted : info.name);
	if (!child)
		_exit(*device ? write_profiles() : 0);
	for (int k = EK_MEMORY_COPY; k <= EK_MEMORY_SHARED; k++)
		has[k] = WEXITSTATUS(status) >> k & 1;
	return 0;
}

static int teardown(void **state)
{
	DIR *dir = opendir(folder);

	assert_non_null(dir);
	for (struct dirent *d; (d = readdir(dir));)
		if (strncmp(d->d_name, "profile", 7) == 0)
			assert_int_equal(unlink(in_folder(d->d_name)), 0);
	closedir(dir);
	return folder_teardown(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(only_with_the_device),
	                                   cmocka_unit_test(predictions_use_it),
	                                   cmocka_unit_test(damaged_one_is_refused),
	                                   cmocka_unit_test(missing_one_is_no_error),
	                                   cmocka_unit_test(not_for_another_device),
	                                   cmocka_unit_test(read_once),
	                                   cmocka_unit_test(many_devices)};

	return run_all_tests(tests, setup, teardown);
}
#endif
