/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that the formats are candidates of the choice, and what predictions of products with
 * diagonals and blocks depend on. The context gets a description of a machine on which only the
 * loop of one format is fast, so the results do not depend on the processor. */
#define _POSIX_C_SOURCE 200809L /* unsetenv */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/block_size.h"
#include "plan/plan.h"
#include "support/context.h"
#include "support/fast.h"
#include "support/support.h"

static ek_plan *plan_of(const char *spec, ek_matrix **A)
{
	const ek_hints hints = {.size = sizeof hints, .calls = 1000000};
	ek_plan *plan = NULL;

	expect_status(ek_matrix_generate(ctx, spec, EK_F64, EK_I32, A), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, *A, &hints, &plan), EK_OK);
	return plan;
}

/* Tells whether a method for a format is in the plan's table of candidates. */
static bool considered(const ek_plan *plan, const char *format)
{
	const eki_selection *s = plan->selection;

	for (int k = 0; k < s->count; k++)
		if (strcmp(s->list[k].method->format[0]->name, format) == 0)
			return true;
	return false;
}

/* Checks that each format is a candidate where its loop is fast. It need not be chosen: HYB holds
 * rows of one length as ELL does, and takes less time to make. */
static void formats_are_candidates(void **state)
{
	static const struct {
		const char *format, *spec;
		eki_loop loop;
	} cases[] = {
		{"sell", "powerlaw:rows=5000,cols=5000", EKI_LOOP_CHUNKS},
		{"brc", "powerlaw:rows=5000,cols=5000", EKI_LOOP_PIECES},
		{"csr5", "powerlaw:rows=5000,cols=5000", EKI_LOOP_TILES},
		{"hyb", "powerlaw:rows=5000,cols=5000", EKI_LOOP_LANES},
		{"coo", "powerlaw:rows=5000,cols=5000", EKI_LOOP_RUNS},
		{"scoo", "powerlaw:rows=5000,cols=5000", EKI_LOOP_SLICES},
		{"ell", "uniform:rows=5000,cols=5000,k=9", EKI_LOOP_LANES},
		{"dia", "poisson2d5:nx=60,ny=60", EKI_LOOP_DIAGONALS},
		{"bcsr", "fem:nx=10,ny=10,nz=10", EKI_LOOPS},
	};

	(void)state;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		ek_matrix *A;

		make_fast(ctx, cases[k].loop);
		ek_plan *plan = plan_of(cases[k].spec, &A);

		if (!considered(plan, cases[k].format))
			fail_msg("%s, for %s, without looking at %s", ek_plan_method(plan),
			         cases[k].spec, cases[k].format);
		ek_plan_destroy(plan);
		ek_matrix_destroy(A);
	}
}

/* Checks that DIA, which gathers nothing, does not wait for far entries of x. */
static void diagonals_wait_for_nothing(void **state)
{
	extern const ek_method ek_spmv_dia;
	ek_matrix *A;

	(void)state;
	make_fast(ctx, EKI_LOOP_DIAGONALS);
	ek_plan *plan = plan_of("poisson2d5:nx=60,ny=60", &A);
	eki_features f = plan->selection->f;
	eki_machine m = *f.machine;

	f.machine = &m;
	m.far[0] = m.far[1] = 10;
	f.stats.cols = INT64_C(1) << 40;
	f.far_share = f.lost_share = 0;
	const double near = ek_spmv_dia.cost(&f);

	f.far_share = f.lost_share = 0.5;
	assert_true(isfinite(near) && ek_spmv_dia.cost(&f) == near);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
}

/* Checks that vectors cost more if they can lie in two cache lines: those of lines of 3, 5, 6 and 7
 * doubles, but not of 1, 2, 4 and 8. */
static void split_vectors_cost_more(void **state)
{
	eki_machine m = *eki_machine_fixed();
	eki_features f = {.machine = &m, .threads = 1, .value = EK_F64, .index = EK_I32};

	(void)state;
	m.core_gbps = m.cache_gbps = m.memory_gbps = 1e30; /* moving takes no time */
	for (int level = 0; level < EK_NLEVEL; level++)
		m.block[EK_NVALUE - 1][level] = m.block[0][level] = (eki_block_speed){0, 0, 1};
	f.isa = EK_ISA_AVX512;
	const double lanes = (double)eki_lanes(f.isa, f.value);

	for (int line = 1; line <= BLOCK_MOST; line++) {
		const double vectors = ceil(line / lanes);
		const double cost = eki_block_cost(&f, 1, line, 1, 1, 4);

		assert_true(cost >= vectors - 1e-6 && cost <= 1.5 * vectors);
		if ((line & (line - 1)) == 0 || lanes == 1)
			assert_true(fabs(cost - vectors) < 1e-6);
		else if (lanes == 8)
			assert_true(cost > 1.1 * vectors);
	}
}

static int setup(void **state)
{
	unsetenv("EK_METHOD");
	return context_setup(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_are_candidates),
		cmocka_unit_test(diagonals_wait_for_nothing),
		cmocka_unit_test(split_vectors_cost_more),
	};

	return run_all_tests(tests, setup, context_teardown);
}
