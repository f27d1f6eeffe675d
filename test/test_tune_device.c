/* SPDX-License-Identifier: BSD-3-Clause
 * Tests profiles of devices, without a device: the table of their numbers, their files, and what is
 * refused and why. */
#define _POSIX_C_SOURCE 200809L /* getpid */
#include <unistd.h>

#include "support/profile.h"
#include "support/support.h"

/* ---- The table ------------------------------------------------------------------------------- */

static void rows_are_apart(void **state)
{
	const eki_machine *m = eki_machine_family();
	eki_tunable row, other;
	int count[2] = {0, 0};

	(void)state;
	for (int processor = 0; processor < 2; processor++)
		for (int k = 0; eki_tunable_device_row(processor, k, &row); k++) {
			eki_machine copy = *m;
			const double value = *eki_tuned(&copy, &row);

			assert_true(value >= row.least && value <= row.most);
			assert_int_equal(row.count, 1);
			for (int i = 0; i < k; i++) {
				assert_true(eki_tunable_device_row(processor, i, &other));
				assert_int_not_equal(row.offset, other.offset);
				assert_string_not_equal(row.name, other.name);
			}
			for (int i = 0; eki_tunable_row(i, &other); i++)
				assert_string_not_equal(row.name, other.name);
			count[processor]++;
		}
	assert_int_equal(count[0], 3);
	assert_int_equal(count[1], 4);
	assert_true(eki_tunable_device_row(true, 0, &row));
	assert_int_equal(row.offset, offsetof(eki_machine, launch) + sizeof(double));
}

/* ---- The file -------------------------------------------------------------------------------- */

static void files_are_refused(void **state)
{
	static const struct {
		const char *from, *to, *why;
	} edits[] = {
		{"evenkeel device", "evenkeel", "not with \"evenkeel device profile 1\""},
		{"version ", "version 9", "run ek tune --device"},
		{"device opencl", "device cuda", "run ek tune --device"},
		{"device opencl", "processor opencl", "\"processor\" is the name of no number"},
		{"date 2026-11-25", "loads 1", "\"loads\" is the name of no number"},
		{"date 2026-11-25\n", "", "date is missing"},
		{"launch 77\n", "", "launch is missing"},
		{"launch 77\n", "launch 77\nlaunch 77\n", "launch is there twice"},
		{"launch 77", "launch 77 78", "launch has more than 1 values"},
		{"launch 77", "launch 1", "launch: value 1 is none from 10"},
		{"launch 77", "launch nan", "launch: value 1 is none from 10"},
		{"device_gbps 5", "device_gbps 0", "device_gbps: value 1 is none from"},
		{"lane_gather 9\n", "lane_gather 9", "not complete"},
	};
	eki_subject s = {.device = true, .name = "opencl copy 0123456789abcdef Device"};
	static char text[MOST_TEXT];
	char why[EKI_PROFILE_WHY], file[64];
	eki_profile p = {.name = "kept"};
	bool missing;

	(void)state;
	snprintf(file, sizeof file, "/tmp/ek-device-profile-%ld", (long)getpid());
	for (size_t k = 0; k < sizeof edits / sizeof *edits; k++) {
		device_profile(&s, text);
		text_replace(text, edits[k].from, edits[k].to);
		text_write(file, text);
		assert_false(eki_profile_read(&s, file, &p, &missing, why));
		assert_false(missing);
		if (!strstr(why, edits[k].why) || !strstr(why, file))
			fail_msg("edit %zu: \"%s\" lacks \"%s\"", k, why, edits[k].why);
		assert_string_equal(p.name, "kept");
	}
	device_profile(&s, text);
	text_write(file, text);
	assert_true(eki_profile_read(&s, file, &p, &missing, why));
	s.on_processor = true; /* which has a number more */
	assert_false(eki_profile_read(&s, file, &p, &missing, why));
	assert_non_null(strstr(why, "loop_gbps is missing"));
	device_profile(&s, text);
	text_write(file, text);
	assert_true(eki_profile_read(&s, file, &p, &missing, why));
	assert_true(p.machine.launch[1] == 77 && p.machine.loop_gbps == 3);
	s.on_processor = false;
	assert_false(eki_profile_read(&s, file, &p, &missing, why));
	assert_non_null(strstr(why, "\"loop_gbps\" is the name of no number"));
	eki_subject_processor(&s);
	assert_false(eki_profile_read(&s, file, &p, &missing, why));
	assert_non_null(strstr(why, "not with \"evenkeel profile 1\""));
	unlink(file);
}

static void paths(void **state)
{
	const eki_subject a = {.device = true, .name = "a"}, b = {.device = true, .name = "b"};
	char first[EKI_PROFILE_PATH] = "p", second[EKI_PROFILE_PATH] = "p";
	eki_subject processor;

	(void)state;
	eki_subject_processor(&processor);
	assert_true(eki_subject_path(&processor, first));
	assert_string_equal(first, "p");
	assert_true(eki_subject_path(&a, first) && eki_subject_path(&b, second));
	assert_int_equal(strlen(first), 18);
	assert_int_equal(strspn(first + 2, "0123456789abcdef"), 16);
	assert_string_not_equal(first, second);
	memset(first, 'x', sizeof first);
	first[sizeof first - 17] = 0;
	assert_false(eki_subject_path(&a, first));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_apart),
	                                   cmocka_unit_test(files_are_refused),
	                                   cmocka_unit_test(paths)};

	return run_all_tests(tests, NULL, NULL);
}
