/* SPDX-License-Identifier: BSD-3-Clause
 * Tests short measurements of devices with all kinds of memory: what is handed out and written, the
 * file's name, devices without doubles, paths that name no file, and errors. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "support/devices.h"
#include "support/support.h"
#include "tune/tune.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

struct seen {
	int done, of, numbers;
};

static void on_progress(void *user, int done, int of)
{
	struct seen *s = user;

	assert_true(done > s->done && done <= of);
	s->done = done;
	s->of = of;
}

static void on_number(void *user, const ek_profile_number *n)
{
	struct seen *s = user;

	assert_true(isfinite(n->value[0]) && n->value[0] >= 0);
	s->numbers++;
}

static void measure(const struct device_context *on)
{
	char given[64], file[EKI_PROFILE_PATH], why[EKI_PROFILE_WHY];
	struct seen seen = {0};
	const ek_tune_options o = {.size = sizeof o,
	                           .path = given,
	                           .quick = 1,
	                           .progress = on_progress,
	                           .number = on_number,
	                           .user = &seen};
	const int processor = eki_device_is_processor(on->ctx);
	const eki_machine *before = on->ctx->machine;
	eki_profile p;
	eki_subject s;
	bool missing;

	eki_subject_of(on->ctx, &s);
	snprintf(given, sizeof given, "/tmp/ek-tune-%ld", (long)getpid());
	snprintf(file, sizeof file, "%s", given);
	assert_true(eki_subject_path(&s, file));
	expect_status(ek_tune(on->ctx, &o), EK_OK);
	assert_int_equal(seen.done, seen.of);
	assert_int_equal(seen.numbers, 3 + processor);
	assert_int_not_equal(access(given, F_OK), 0);
	if (!eki_profile_read(&s, file, &p, &missing, why))
		fail_msg("%s: %s", on->text, why);
	/* Whatever else runs, a launch takes 0.1 us to 0.1 s. */
	assert_true(p.machine.launch[processor] > 100 && p.machine.launch[processor] < 1e8);
	assert_ptr_equal(on->ctx->machine, before);
	unlink(file);
}

static void quick_measurement(void **state)
{
	(void)state;
	need_device();
	for (int d = 0; d < devices.count && (d == 0 || test_tier() > TIER_BRIEF); d++)
		measure(&devices.of[d]);
}

/* Also writes nothing. */
static void without_doubles(void **state)
{
	struct seen seen = {0};
	const ek_tune_options o = {.size = sizeof o,
	                           .path = "/nowhere/at/all/profile",
	                           .dry = 1,
	                           .quick = 1,
	                           .number = on_number,
	                           .user = &seen};

	(void)state;
	need_device();
	ek_context *ctx = devices.of[0].ctx;
	const int f64 = ctx->device->info.f64;

	ctx->device->info.f64 = 0;
	expect_status(ek_tune(ctx, &o), EK_OK);
	ctx->device->info.f64 = f64;
	assert_true(seen.numbers >= 3);
}

/* Paths that name no file stay as they are, so that what is written there goes to standard output,
 * or is refused, as for the processor. */
static void paths(void **state)
{
	static const char *const same[] = {"-", "", "/nowhere/", "/"};
	char path[EKI_PROFILE_PATH];
	ek_tune_options o = {.size = sizeof o, .quick = 1, .path = "/nowhere/"};
	eki_subject s;

	(void)state;
	need_device();
	eki_subject_of(devices.of[0].ctx, &s);
	for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
		snprintf(path, sizeof path, "%s", same[k]);
		assert_true(eki_subject_path(&s, path));
		assert_string_equal(path, same[k]);
	}
	snprintf(path, sizeof path, "-a");
	assert_true(eki_subject_path(&s, path));
	assert_int_equal(strlen(path), 2 + 1 + 16);
	memset(path, 'a', sizeof path - 1);
	path[sizeof path - 1 - 16] = 0;
	assert_false(eki_subject_path(&s, path));
	expect_error(ek_tune(devices.of[0].ctx, &o), EK_EIO, "/nowhere/");
	setenv("EK_PROFILE", "/nowhere/", 1);
	expect_error(ek_tune(devices.of[0].ctx, NULL), EK_EIO, "/nowhere/");
	setenv("EK_PROFILE", "none", 1);
}

static ek_status no_time(eki_device *dev, double *seconds)
{
	(void)dev;
	*seconds = 0;
	return EK_OK;
}

static void errors(void **state)
{
	ek_tune_options o = {.size = sizeof o, .quick = 1, .path = "/nowhere/at/all/profile"};

	(void)state;
	need_device();
	ek_context *ctx = devices.of[0].ctx;
	const eki_driver *driver = ctx->device->driver;
	eki_driver timeless = *driver;

	expect_error(ek_tune(ctx, &o), EK_EIO, "/nowhere/at/all/profile.");
	expect_error(ek_tune(ctx, NULL), EK_EINVAL, "EK_PROFILE is \"none\"");
	o.dry = 1;
	timeless.elapsed = no_time;
	ctx->device->driver = &timeless;
	expect_error(ek_tune(ctx, &o), EK_EDEVICE, "its clock gives no times");
	ctx->device->driver = driver;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(quick_measurement),
	                                   cmocka_unit_test(without_doubles),
	                                   cmocka_unit_test(paths), cmocka_unit_test(errors)};

	setenv("EK_PROFILE", "none", 1);
	return run_all_tests(tests, devices_setup, devices_teardown);
}
#endif
