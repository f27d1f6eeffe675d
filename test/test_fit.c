/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the fit of costs to measured times (tune/fit.c). */
#include <math.h>

#include "support/support.h"
#include "tune/tune.h"

static void fit_finds_costs(void **state)
{
	const double count[4][3] = {{100, 300, 0}, {10, 800, 0}, {50, 500, 20}, {200, 400, 150}};
	const double true_cost[][3] = {{1.5, 0.25, 8}, {0, 0.5, 3}, {2, 0.125, 0}};
	eki_equation e[4];

	(void)state;
	for (int c = 0; c < 3; c++) {
		double cost[3] = {-1, -1, -1};

		for (int k = 0; k < 4; k++) {
			e[k].time = 0;
			for (int u = 0; u < 3; u++) {
				e[k].count[u] = count[k][u];
				e[k].time += count[k][u] * true_cost[c][u];
			}
		}
		eki_fit(e, 4, 3, cost);
		for (int u = 0; u < 3; u++)
			assert_true(fabs(cost[u] - true_cost[c][u]) < 1e-9);
	}
}

/* A cost that would have to be negative is 0, and one that no equation has keeps its value. */
static void fit_keeps_bounds(void **state)
{
	const eki_equation e[] = {{10, {1, 10, 0}}, {21, {5, 22, 0}}, {30, {2, 31, 0}}};
	double cost[3] = {7, 7, 7};

	(void)state;
	eki_fit(e, 3, 3, cost);
	assert_true(cost[0] >= 0 && cost[1] > 0.9 && cost[1] < 1.1);
	assert_true(cost[2] == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(fit_finds_costs),
	                                   cmocka_unit_test(fit_keeps_bounds)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
