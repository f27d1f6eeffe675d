/* SPDX-License-Identifier: BSD-3-Clause
 * Plans with hints.measure, with made-up times. */
#define _POSIX_C_SOURCE 200809L /* unsetenv */
#include "support/trials.h"

struct fake fake;
ek_matrix *A;
double x[N * WIDTH], y[N * WIDTH], z[N * WIDTH];

double fake_time(const ek_method *m, bool prepares, double ns)
{
	(void)ns;
	if (prepares)
		return fake.prepares;
	fake.last = m;
	for (int k = 0; k < fake.count; k++)
		if (fake.method[k] == m)
			return fake.time[k];
	return fake.usual;
}

void fake_reset(void)
{
	memset(&fake, 0, sizeof fake);
	fake.usual = 100e3;
	fake.prepares = 500;
	expect_status(ek_wisdom_forget(ctx), EK_OK);
}

void fake_set(const ek_method *m, double time)
{
	fake.method[fake.count] = m;
	fake.time[fake.count++] = time;
}

void trials_machine(ek_context *c)
{
	static eki_machine m;

	m = *eki_machine_fixed();
	m.memory_gbps = 30;
	m.cache_gbps = 40;
	m.core_gbps = 60;
	m.core_bytes = 2e6;
	m.memory_all_gbps = m.cache_all_gbps = 0;
	m.overlap = 0.05;
	m.wake = 300;
	m.far[0] = m.far[1] = m.mixed_rows = m.far_rows = 0;
	for (int k = 0; k < EKI_LOOPS; k++)
		for (int value = 0; value < EK_NVALUE; value++)
			for (int level = 0; level < EK_NLEVEL; level++)
				m.speed[k][value][level] = (eki_speed){1, 0.3 + 0.005 * k, 0};
	c->machine = &m;
}

int trials_setup(void **state)
{
	unsetenv("EK_METHOD");
	context_setup(state);
	ctx->timing = fake_time;
	trials_machine(ctx);
	for (int k = 0; k < N * WIDTH; k++)
		x[k] = 1 + k % 13 / 7.0;
	return ek_matrix_generate(ctx, "uniform:rows=6000,cols=6000,k=9", EK_F64, EK_I32, &A);
}

int trials_teardown(void **state)
{
	ek_matrix_destroy(A);
	return context_teardown(state);
}

void exact_x(void)
{
	for (int k = 0; k < N * WIDTH; k++)
		x[k] = k % 5 - 2;
}

ek_plan *make_plan(const ek_matrix *M, ek_operation operation, ek_op op, bool measure,
                   const char *method, const char *format)
{
	const ek_hints hints = {.size = sizeof hints,
	                        .op = op,
	                        .calls = 100,
	                        .width = operation == EK_SPMV ? 0 : WIDTH,
	                        .method = method,
	                        .format = format,
	                        .measure = measure};
	ek_plan *plan;

	expect_status(ek_plan_create(operation, M, &hints, &plan), EK_OK);
	return plan;
}

void run(ek_plan *plan, double beta, double *to)
{
	if (plan->problem.operation->number == EK_SPMV) {
		const ek_dense xv = ek_vector(EK_F64, N, x), yv = ek_vector(EK_F64, N, to);

		expect_status(ek_spmv(plan, 1.5, &xv, beta, &yv), EK_OK);
	} else {
		const ek_dense X = ek_block(EK_F64, N, WIDTH, WIDTH, EK_ROW_MAJOR, x);
		const ek_dense Y = ek_block(EK_F64, N, WIDTH, WIDTH, EK_ROW_MAJOR, to);

		expect_status(ek_spmm(plan, 1.5, &X, beta, &Y), EK_OK);
	}
}

size_t result_bytes(const ek_plan *plan)
{
	return plan->problem.operation->number == EK_SPMV ? N * sizeof *y : sizeof y;
}

void run_until_decided(ek_plan *plan)
{
	for (int k = 0; k < RUNS && !plan->trials->decided; k++)
		run(plan, 0, y);
	assert_true(plan->trials->decided);
}

int tryable(const ek_plan *plan, int after)
{
	const eki_trials *t = plan->trials;

	for (int k = after + 1; k < t->count; k++)
		if (t->list[k].prepares < t->list[0].predicted)
			return k;
	return 0;
}

ek_plan *decide(ek_operation operation, ek_op op)
{
	ek_plan *plan = make_plan(A, operation, op, true, NULL, NULL);

	const int best = tryable(plan, 0);

	assert_true(best && !plan->trials->decided);
	fake_set(plan->trials->list[best].method, 50e3);
	run_until_decided(plan);
	assert_int_equal(plan->trials->now, best);
	fake.count = 0;
	return plan;
}
