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

/* Checks that a cache holds all of what is much smaller, nothing of what is much larger, and ever
 * less in between. */
static void caches_hold_a_part(void **state)
{
	double before = 1;

	(void)state;
	assert_true(eki_held(0, 1e6) == 1 && eki_held(0.7e6, 1e6) == 1);
	assert_true(eki_held(1.65e6, 1e6) == 0 && eki_held(1e12, 1e6) == 0);
	for (double bytes = 0.7e6; bytes < 1.7e6; bytes += 1e4) {
		const double now = eki_held(bytes, 1e6);

		assert_true(now <= before && now > before - 0.02);
		before = now;
	}
}

/* Checks that no size of a cache makes predicted times jump, and that strict predictions depend on
 * none. */
static void times_grow_with_bytes(void **state)
{
	eki_machine m = *eki_machine_family(), other = m;
	eki_features f = {.machine = &m, .threads = 1, .stats = {.cols = 1}, .value = EK_F64};
	double before = 0;

	(void)state;
	for (double bytes = 1e4; bytes < 1e11; bytes *= 1.01) {
		const double now = eki_cost(&f, bytes, 0);

		assert_true(now > before && (before == 0 || now < 1.06 * before));
		before = now;
	}
	f.strict = true;
	before = eki_cost(&f, 1e6, 0);
	other.core_bytes = other.cache_bytes = 1;
	f.machine = &other;
	assert_true(eki_cost(&f, 1e6, 0) == before);
}

/* Checks that the sizes of the caches are the system's, but for the machine that never changes. */
static void caches_are_the_systems(void **state)
{
	const int64_t core = eki_cpu_core_cache();

	(void)state;
	assert_true(eki_machine_family()->cache_bytes == (double)eki_cpu_cache());
	assert_true(eki_machine_family()->core_bytes <= 2.1e6);
	if (core > 0 && core < 2000000)
		assert_true(eki_machine_family()->core_bytes == (double)core);
	assert_true(eki_machine_fixed()->core_bytes == 2e6);
	assert_true(eki_machine_fixed()->cache_bytes == 32e6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(far_grows),
		cmocka_unit_test(caches_hold_a_part),
		cmocka_unit_test(times_grow_with_bytes),
		cmocka_unit_test(caches_are_the_systems),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
