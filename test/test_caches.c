/* SPDX-License-Identifier: BSD-3-Clause
 * Tests what predictions take from the sizes of the caches, and where these come from. */
#include "cost/cost.h"
#include "support/support.h"

/* Checks that a random access costs more in a longer vector, and nothing in a short one. */
static void far_grows(void **state)
{
	eki_machine m = *eki_machine_family();
	double before = 0;

	(void)state;
	m.far[0] = 2;
	m.far[1] = 7;
	assert_true(eki_far(&m, 0) == 0 && eki_far(&m, m.core_bytes / 2) == 0);
	for (double bytes = 1; bytes < 1e13; bytes *= 1.3) {
		assert_true(eki_far(&m, bytes) >= before);
		before = eki_far(&m, bytes);
	}
	assert_true(before > 8.9 && before <= 9);
}

/* Checks that the sizes of the caches are the system's, but for the machine that never changes. */
static void caches_are_the_systems(void **state)
{
	const int64_t core = eki_cpu_core_cache();

	(void)state;
	assert_true(eki_machine_family()->cache_bytes == (double)eki_cpu_cache());
	assert_true(eki_machine_family()->core_bytes <= 2e6);
	if (core > 0 && core < 1900000)
		assert_true(eki_machine_family()->core_bytes == (double)core);
	assert_true(eki_machine_fixed()->core_bytes == 2e6);
	assert_true(eki_machine_fixed()->cache_bytes == 32e6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(far_grows),
		cmocka_unit_test(caches_are_the_systems),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
