/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the machine profile: the table of its numbers, its file, what is refused and why, that it
 * is read once and by threads at the same time, and a short measurement. */
#define _POSIX_C_SOURCE 200809L /* setenv, pthread_barrier_t */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/profile.h"
#include "support/support.h"

static char
	path[128]; /* the profile of this process, which main writes before any context is made */
static eki_subject processor;

/* Writes a profile for this version and processor, with the numbers of the family's table, by
 * another way than the library does. */
static void profile_text(char text[MOST_TEXT])
{
	eki_machine m = *eki_machine_family();
	eki_tunable row;
	int used;

	eki_subject_processor(&processor);
	used = snprintf(text, MOST_TEXT,
	                "evenkeel profile 1\nversion %s\nprocessor %s\ndate 2026-11-25\nloads 1\n",
	                ek_version(), processor.name);
	for (int k = 0; eki_tunable_row(k, &row); k++) {
		used += snprintf(text + used, (size_t)(MOST_TEXT - used), "%s", row.name);
		for (int i = 0; i < row.count; i++)
			used += snprintf(text + used, (size_t)(MOST_TEXT - used), " %.9g",
			                 eki_tuned(&m, &row)[i]);
		used += snprintf(text + used, (size_t)(MOST_TEXT - used), "\n");
	}
	if (used >= MOST_TEXT)
		abort();
}

/* ---- The table ------------------------------------------------------------------------------- */

static void rows_are_apart(void **state)
{
	static bool used[sizeof(eki_machine)];
	static char name[256][48];
	eki_tunable row;
	int count = 0;

	(void)state;
	for (; eki_tunable_row(count, &row); count++) {
		eki_machine m = *eki_machine_family();

		assert_in_range(row.count, 1, EKI_TUNED_MOST);
		for (size_t b = 0; b < (size_t)row.count * sizeof(double); b++) {
			assert_false(used[row.offset + b]);
			used[row.offset + b] = true;
		}
		for (int k = 0; k < row.count; k++)
			assert_true(eki_tuned(&m, &row)[k] >= row.least &&
			            eki_tuned(&m, &row)[k] <= row.most);
		for (int k = 0; k < count; k++)
			assert_string_not_equal(name[k], row.name);
		strcpy(name[count], row.name);
	}
	assert_true(count > EKI_LOOPS * EK_NVALUE * EK_NLEVEL);
	for (size_t b = 0; b < sizeof(((eki_machine *)0)->speed); b++)
		assert_true(used[offsetof(eki_machine, speed) + b]);
}

/* ---- The file -------------------------------------------------------------------------------- */

static void file_round_trip(void **state)
{
	eki_profile p = {.machine = *eki_machine_family()}, back;
	char why[EKI_PROFILE_WHY], file[160];
	ek_context *ctx;
	eki_tunable row;
	bool missing;

	(void)state;
	snprintf(file, sizeof file, "%s.trip", path);
	p.machine.loads = !p.machine.loads;
	for (int k = 0; eki_tunable_row(k, &row); k++)
		for (int i = 0; i < row.count; i++)
			eki_tuned(&p.machine, &row)[i] = row.least + 0.1 + k / 7.0 + i / 3.0;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	expect_status(eki_profile_write(ctx, &processor, file, &p), EK_OK);
	if (!eki_profile_read(&processor, file, &back, &missing, why))
		fail_msg("%s", why);
	assert_int_equal(back.machine.loads, p.machine.loads);
	for (int k = 0; eki_tunable_row(k, &row); k++)
		for (int i = 0; i < row.count; i++)
			assert_true((float)eki_tuned(&back.machine, &row)[i] ==
			            (float)eki_tuned(&p.machine, &row)[i]);
	assert_int_equal(strncmp(back.name, "measured 20", 11), 0);
	ek_context_destroy(ctx);
	unlink(file);
}

static void files_are_refused(void **state)
{
	static const struct {
		const char *from, *to, *why;
	} edits[] = {
		{"evenkeel profile 1", "evenkeel profile 2", "it begins with"},
		{"version ", "version 9", "run ek tune"},
		{"processor ", "processor Other", "run ek tune"},
		{"date 2026-11-25", "date today", "a date such as"},
		{"loads 1", "loads yes", "0 or 1 is expected"},
		{"loads 1\n", "", "loads is missing"},
		{"loads 1\n", "loads 1\nloads 1\n", "loads is there twice"},
		{"far ", "wide ", "\"wide\" is the name of no number"},
		{"far ", "far nan", "far: value 1 is none from"},
		{"far ", "far -", "far: value 1 is none from"},
		{"far ", "far 1e400", "far: value 1 is none from"},
		{"core_gbps ", "core_gbps 99999", "core_gbps: value 1 is none from"},
		{"core_gbps ", "core_gbps 1 ", "core_gbps has more than 1 values"},
		{"loop.rows.f64.avx2 ", "loop.rows.f64.avx2 1,5 ", "value 1 is none"},
		{"block.f64.scalar ", "block.f64.scalar\nfar ", "has no value"},
	};
	static char text[MOST_TEXT];
	char why[EKI_PROFILE_WHY], file[160];
	eki_profile p = {.name = "kept"};
	bool missing;

	(void)state;
	snprintf(file, sizeof file, "%s.bad", path);
	for (size_t k = 0; k < sizeof edits / sizeof *edits; k++) {
		profile_text(text);
		text_replace(text, edits[k].from, edits[k].to);
		text_write(file, text);
		assert_false(eki_profile_read(&processor, file, &p, &missing, why));
		assert_false(missing);
		if (!strstr(why, edits[k].why) || !strstr(why, file))
			fail_msg("edit %zu: \"%s\" lacks \"%s\"", k, why, edits[k].why);
		assert_string_equal(p.name, "kept");
	}
	profile_text(text); /* cut anywhere, it is not complete */
	for (size_t n = strlen(text) - 1; n > 0; n -= n > 200 ? 97 : 1) {
		text[n] = 0;
		text_write(file, text);
		assert_false(eki_profile_read(&processor, file, &p, &missing, why));
	}
	text_write(file, "");
	assert_false(eki_profile_read(&processor, file, &p, &missing, why));
	assert_false(eki_profile_read(&processor, "/", &p, &missing, why) || missing);
	unlink(file);
	assert_false(eki_profile_read(&processor, file, &p, &missing, why));
	assert_true(missing);
}

static void paths(void **state)
{
	char found[EKI_PROFILE_PATH];
	bool given;

	(void)state;
	setenv("EK_PROFILE", "none", 1);
	assert_false(eki_profile_path(found, &given, false));
	setenv("EK_PROFILE", "here", 1);
	assert_true(eki_profile_path(found, &given, false) && given);
	assert_string_equal(found, "here");
	unsetenv("EK_PROFILE");
	setenv("XDG_CACHE_HOME", "/x", 1);
	assert_true(eki_profile_path(found, &given, false) && !given);
	assert_string_equal(found, "/x/evenkeel/profile");
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", "/h", 1);
	assert_true(eki_profile_path(found, &given, false) && !given);
	assert_string_equal(found, "/h/.cache/evenkeel/profile");
	setenv("HOME", "relative", 1);
	assert_false(eki_profile_path(found, &given, false));
	setenv("EK_PROFILE", path, 1);
}

/* ---- In force -------------------------------------------------------------------------------- */

static pthread_barrier_t start;

static void *make_context(void *arg)
{
	ek_context **ctx = arg;

	pthread_barrier_wait(&start);
	return ek_context_create(NULL, ctx) == EK_OK ? ctx : NULL;
}

/* Must be the first test: the process has no context yet. */
static void read_once_by_all_threads(void **state)
{
	enum { THREADS = 4 };
	pthread_t thread[THREADS];
	ek_context *ctx[THREADS], *late;

	(void)state;
	pthread_barrier_init(&start, NULL, THREADS);
	for (int k = 0; k < THREADS; k++)
		assert_int_equal(pthread_create(&thread[k], NULL, make_context, &ctx[k]), 0);
	for (int k = 0; k < THREADS; k++) {
		void *made;

		pthread_join(thread[k], &made);
		assert_non_null(made);
	}
	pthread_barrier_destroy(&start);
	text_write(path, "spoilt\n");
	expect_status(ek_context_create(NULL, &late), EK_OK);
	for (int k = 0; k < THREADS; k++) {
		assert_ptr_equal(ctx[k]->machine, late->machine);
		ek_context_destroy(ctx[k]);
	}
	assert_string_equal(ek_profile_name(), "measured 2026-11-25");
	assert_null(ek_profile_refused());
	assert_true(late->machine->memory_gbps == 13.25); /* as main has written */
	ek_context_destroy(late);
}

static void choices_are_explained(void **state)
{
	const char *const spec = "circuit:n=20000,longest=1000";
	char text[2][8192];
	ek_context *ctx;
	ek_matrix *A;

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	expect_status(ek_matrix_generate(ctx, spec, EK_F64, EK_I32, &A), EK_OK);
	for (int k = 0; k < 2; k++) {
		ek_plan *plan;

		expect_status(ek_plan_create(EK_SPMV, A, NULL, &plan), EK_OK);
		expect_status(ek_plan_explain(plan, text[k], sizeof text[k]), EK_OK);
		ek_plan_destroy(plan);
	}
	assert_string_equal(text[0], text[1]);
	assert_non_null(strstr(text[0], "(measured 2026-11-25)"));
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
}

/* ---- Measuring ------------------------------------------------------------------------------- */

struct seen {
	int done, of, numbers;
};

static void on_progress(void *user, int done, int of)
{
	struct seen *s = user;

	assert_true(done >= s->done && done <= of && of > 0);
	s->done = done;
	s->of = of;
}

static void on_number(void *user, const ek_profile_number *n)
{
	struct seen *s = user;

	for (int k = 0; k < n->count; k++)
		assert_true(isfinite(n->value[k]) && n->value[k] >= 0 && n->value[k] <= 1e6);
	/* Whatever else runs, a core reads between 0.1 and 10,000 GB/s. */
	if (strcmp(n->name, "core_gbps") == 0)
		assert_true(n->value[0] >= 0.1 && n->value[0] <= 1e4);
	s->numbers++;
}

static void quick_measurement(void **state)
{
	eki_profile p;
	char why[EKI_PROFILE_WHY], file[160];
	struct seen seen = {0}, dry = {0};
	ek_tune_options o = {.size = sizeof o,
	                     .path = file,
	                     .quick = 1,
	                     .progress = on_progress,
	                     .number = on_number,
	                     .user = &seen};
	ek_context *ctx;
	bool missing;

	(void)state;
	snprintf(file, sizeof file, "%s.quick", path);
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	expect_status(ek_tune(ctx, &o), EK_OK);
	assert_int_equal(seen.done, seen.of);
	if (!eki_profile_read(&processor, file, &p, &missing, why))
		fail_msg("%s", why);
	unlink(file);
	if (test_tier() > TIER_BRIEF) {
		o.dry = 1;
		o.user = &dry;
		expect_status(ek_tune(ctx, &o), EK_OK);
		assert_int_equal(dry.numbers, seen.numbers);
		assert_int_not_equal(access(file, F_OK), 0);
	}
	assert_string_equal(ek_profile_name(), "measured 2026-11-25"); /* that of this process */
	ek_context_destroy(ctx);
}

static void tune_reports_errors(void **state)
{
	ek_tune_options o = {.size = sizeof o, .path = "/nowhere/at/all/profile"};
	ek_context *ctx;

	(void)state;
	expect_status(ek_context_create(NULL, &ctx), EK_OK);
	expect_error(ek_tune(NULL, NULL), EK_EINVAL, "ctx is NULL");
	expect_error(ek_tune(ctx, &o), EK_EIO, "/nowhere/at/all/profile");
	o.size = 3;
	expect_error(ek_tune(ctx, &o), EK_EINVAL, "ek_tune_options");
	setenv("EK_PROFILE", "none", 1);
	expect_error(ek_tune(ctx, NULL), EK_EINVAL, "EK_PROFILE is \"none\"");
	setenv("EK_PROFILE", path, 1);
	expect_error(ek_profile_numbers(NULL, NULL), EK_EINVAL, "number");
	ek_context_destroy(ctx);
}

/* The way to gather is measured in contexts that name none, and can be named. */
static void gathering_can_be_forced(void **state)
{
	double ratio;

	(void)state;
	for (int level = EK_ISA_AVX2; level <= (int)eki_cpu_isa(); level++) {
		expect_status(eki_tune_gather(1, 1e3, (ek_isa)level, &ratio), EK_OK);
		assert_true(ratio > 0.01 && ratio < 100);
	}
	assert_int_equal(eki_loads_here(eki_cpu_isa()),
	                 1); /* the profile of this process says so */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_once_by_all_threads), cmocka_unit_test(choices_are_explained),
		cmocka_unit_test(rows_are_apart),           cmocka_unit_test(file_round_trip),
		cmocka_unit_test(files_are_refused),        cmocka_unit_test(paths),
		cmocka_unit_test(quick_measurement),        cmocka_unit_test(tune_reports_errors),
		cmocka_unit_test(gathering_can_be_forced)};
	static char text[MOST_TEXT], rest[MOST_TEXT];
	char *at;
	int failed;

	snprintf(path, sizeof path, "/tmp/ek-profile-%ld", (long)getpid());
	profile_text(text);
	at = strstr(text, "\nmemory_gbps ");
	snprintf(rest, sizeof rest, "%s", strchr(at + 1, '\n'));
	snprintf(at, (size_t)(MOST_TEXT - (at - text)), "\nmemory_gbps 13.25%s", rest);
	text_write(path, text);
	setenv("EK_PROFILE", path, 1);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
