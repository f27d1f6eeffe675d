/* SPDX-License-Identifier: BSD-3-Clause
 * Tests devices with several threads: threads with a plan each in one context, and contexts on one
 * device used, or made and freed, at the same time. Also tests the folder of compiled programs:
 * later contexts must load programs from it, and notice damaged files. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan/plan.h"
#include "support/folder.h"
#include "support/on_device.h"
#include "support/support.h"
#include "support/workers.h"

enum { TEAM = 3, ROUNDS = 40, BYTES = 1 << 20 };

/* ---- Threads --------------------------------------------------------------------------------- */

static struct all given[TEAM];
static bool right[TEAM];
static ek_device_memory kind;

static bool run_often(const struct all *a)
{
	double y[ROWS];

	for (int k = 0; k < ROUNDS; k++) {
		paint(y);
		if (multiply_on(a, y) != EK_OK || !is_right(y))
			return false;
	}
	return true;
}

static void run_given(int member)
{
	right[member] = run_often(&given[member]);
}

static void plan_and_run_given(int member)
{
	const ek_hints hints = {.size = sizeof hints, .method = "spmv.csr.vector.gpu"};
	struct all *a = &given[member];

	right[member] = ek_plan_create(EK_SPMV, a->A, &hints, &a->plan) == EK_OK && run_often(a);
}

static void run_own(int member)
{
	struct all a;

	right[member] = make_all(kind, &a) == EK_OK && run_often(&a);
	drop_all(&a);
}

static void check_team(void (*work)(int member))
{
	run_workers(TEAM, work);
	for (int k = 0; k < TEAM; k++)
		assert_true(right[k]);
}

/* Makes all threads ask one context for the same program at the same time. */
static void test_one_context(void **state)
{
	struct all a;

	(void)state;
	for (int memory = EK_MEMORY_COPY; memory <= EK_MEMORY_SHARED; memory++) {
		if (!has_memory(memory))
			continue;
		expect_status(make_all((ek_device_memory)memory, &a), EK_OK);
		ek_plan_destroy(a.plan);
		a.plan = NULL;
		for (int k = 0; k < TEAM; k++)
			given[k] = a;
		check_team(plan_and_run_given);
		for (int k = 0; k < TEAM; k++)
			ek_plan_destroy(given[k].plan);
		drop_all(&a);
	}
}

static void test_contexts(void **state)
{
	(void)state;
	for (int memory = EK_MEMORY_COPY; memory <= EK_MEMORY_SHARED; memory++) {
		if (!has_memory(memory))
			continue;
		kind = (ek_device_memory)memory;
		for (int k = 0; k < TEAM; k++)
			expect_status(make_all(kind, &given[k]), EK_OK);
		check_team(run_given);
		for (int k = 0; k < TEAM; k++)
			drop_all(&given[k]);
		check_team(run_own);
	}
}

/* ---- Compiled programs ----------------------------------------------------------------------- */

static char names[16][400];
static int files;

static void list_files(void)
{
	DIR *d = opendir(folder);

	assert_non_null(d);
	files = 0;
	for (const struct dirent *e; (e = readdir(d));)
		if (e->d_name[0] != '.' && files < 16)
			snprintf(names[files++], sizeof *names, "%s/%s", folder, e->d_name);
	closedir(d);
}

static void remove_files(void)
{
	list_files();
	for (int k = 0; k < files; k++)
		assert_int_equal(unlink(names[k]), 0);
}

/* Makes a context and a plan, and runs the plan. Returns the context's counters, which say how many
 * programs were compiled and how many loaded. */
static ek_device_counters counts(void)
{
	ek_device_counters c = {.size = sizeof c};
	double y[ROWS];
	struct all a;

	expect_status(make_all(EK_MEMORY_COPY, &a), EK_OK);
	expect_status(multiply_on(&a, y), EK_OK);
	assert_true(is_right(y));
	expect_status(ek_device_get_counters(a.ctx, &c), EK_OK);
	drop_all(&a);
	return c;
}

static size_t load(const char *file, unsigned char *bytes)
{
	FILE *f = fopen(file, "rb");
	size_t n;

	assert_non_null(f);
	n = fread(bytes, 1, BYTES, f);
	fclose(f);
	assert_true(n > 0 && n < BYTES);
	return n;
}

static void store(const char *file, const unsigned char *bytes, size_t n)
{
	FILE *f = fopen(file, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

/* Checks that after a file was damaged, only its program is compiled and stored again. */
static void check_compiled_again(const char *what)
{
	ek_device_counters c = counts();

	if (c.compiled != 1 || c.loaded != files - 1)
		fail_msg("%s: %lld compiled, %lld loaded", what, (long long)c.compiled,
		         (long long)c.loaded);
	c = counts();
	if (c.compiled != 0)
		fail_msg("%s: it was not stored again", what);
}

static void test_folder(void **state)
{
	static unsigned char whole[BYTES], other[BYTES];
	ek_device_counters c;

	(void)state;
	setenv("EK_CACHE", folder, 1);
	c = counts();
	assert_true(c.compiled > 0 && c.loaded == 0);
	list_files();
	assert_int_equal(files, c.compiled);
	c = counts();
	assert_int_equal(c.compiled, 0);
	assert_int_equal(c.loaded, files);
	for (int k = 0; k < files; k++) {
		const size_t n = load(names[k], whole);
		static const double places[] = {0, 0.001, 0.1, 0.5, 0.9, 0.999999};

		for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
			memcpy(other, whole, n);
			other[(size_t)(places[p] * (double)n)] ^= 0x10;
			store(names[k], other, n);
			check_compiled_again("a changed byte");
		}
		store(names[k], whole, n / 2);
		check_compiled_again("half a file");
		store(names[k], whole, 0);
		check_compiled_again("an empty file");
		store(names[k], whole, n);
	}
	for (int k = 0; k < files; k++) {
		in_folder("target");
		assert_int_equal(rename(names[k], path), 0);
		assert_int_equal(symlink(path, names[k]), 0);
		check_compiled_again("a link");
		assert_int_equal(unlink(path), 0);
		assert_int_equal(chmod(names[k], 0620), 0);
		check_compiled_again("a file that others may write to");
	}
	/* Store a valid file under the name of another program's file. */
	if (files > 1) {
		const size_t n = load(names[1], whole);

		store(names[0], whole, n);
		check_compiled_again("another program's file");
	}
	remove_files();
	setenv("EK_CACHE", "off", 1);
	c = counts();
	assert_int_equal(c.loaded, 0);
	list_files();
	assert_int_equal(files, 0);
}

/* Checks that a folder to which other users may write is neither written nor read. */
static void test_open_folder(void **state)
{
	static const mode_t modes[] = {0720, 0702, 0777};

	(void)state;
	setenv("EK_CACHE", folder, 1);
	for (int filled = 0; filled < 2; filled++) {
		for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
			assert_int_equal(chmod(folder, modes[k]), 0);
			assert_int_equal(counts().loaded, 0);
			list_files();
			assert_true(filled ? files > 0 : files == 0);
		}
		assert_int_equal(chmod(folder, 0700), 0);
		assert_int_equal(counts().loaded, files);
	}
	remove_files();
	setenv("EK_CACHE", "off", 1);
}

/* Tests a folder that cannot be made, and a device file in place of the folder. */
static void test_no_folder(void **state)
{
	(void)state;
	setenv("EK_CACHE", "/nonexistent/folder", 1);
	assert_int_equal(counts().loaded, 0);
	setenv("EK_CACHE", "/dev/null", 1);
	assert_int_equal(counts().loaded, 0);
	setenv("EK_CACHE", "off", 1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_context), cmocka_unit_test(test_contexts),
		cmocka_unit_test(test_folder),      cmocka_unit_test(test_open_folder),
		cmocka_unit_test(test_no_folder),
	};

	if (argc > 0)
		test_passive_threads(argv);
	setenv("EK_CACHE", "off", 1);
	on_device_fill();
	if (!has_memory(EK_MEMORY_COPY)) {
		printf("left out: %s\n", ek_error_text());
		return 0;
	}
	return run_all_tests(tests, folder_setup, folder_teardown);
}
