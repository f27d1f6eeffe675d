/* SPDX-License-Identifier: BSD-3-Clause
 * Tests runs of plans with hints.measure in contexts with a device: trials keep to their limits,
 * runs that add to y in place are none, threads share a plan, and memory which is missing and calls
 * of the driver that fail cost a candidate its trials, and nothing else. */
#include <pthread.h>

#include "support/cl_guard.h"
#include "support/trials_device.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

enum { THREADS = 3 };

static ek_device_info info = {.size = sizeof info}; /* of the device */

/* ---- Limits ---------------------------------------------------------------------------------- */

/* Sums up what runs and preparations take more than the predicted method would. */
static void limit_holds(void **state)
{
	unsigned seed = 1;

	(void)state;
	trials_open(info.name, EK_MEMORY_COPY);
	for (int round = 0; round < 12; round++) {
		const int64_t calls = round & 1 ? 400 : 100;
		ek_plan *plan = trials_plan(EK_SPMV, EK_OP_N, calls);
		eki_trials *t = plan->trials;
		double more[NAMED] = {0}, early = 0, all = 0; /* products */

		fake_reset();
		fake.prepares = round % 3 * 100e3;
		for (int k = 1; k < t->count && k < NAMED; k++) {
			seed = seed * 1103515245 + 12345;
			fake_set(t->list[k].method, 100e3 * (1 + (seed >> 16) % 1000 / 1000.0));
			t->list[k].prepares = round % 3 * t->list[0].predicted;
		}
		for (int k = 0; k < 2 * RUNS && !t->decided; k++) {
			fake.last = NULL;
			run(plan, 0, y);
			const int tried = fake.last ? trials_find(t, fake.last->name) : 0;

			/* The first run of a candidate on the device may load its kernels. */
			if (tried && t->list[tried].runs > 0)
				more[tried] += fake_time(fake.last, false, 0) / 100e3 - 1;
		}
		assert_true(t->decided);
		for (int k = 1; k < t->count; k++) {
			more[k] += t->list[k].prepared / (100e3 * TRIALS_SCALE);
			early += t->list[k].late ? 0 : more[k];
			all += more[k];
		}
		if (early > EKI_TRIALS_BUDGET || all > (double)calls / EKI_LATE_CALLS)
			fail_msg("round %d: trials took %g products, %g early", round, all, early);
		ek_plan_destroy(plan);
	}
	trials_close();
}

/* Runs that read the y which they write are no trials, nor are those that only scale y. */
static void in_place_is_no_trial(void **state)
{
	const ek_dense xv = ek_vector(EK_F64, N, x), yv = ek_vector(EK_F64, N, y);
	static double sum[N];
	const ek_dense zv = ek_vector(EK_F64, N, sum);

	(void)state;
	trials_open(info.name, EK_MEMORY_COPY);
	ek_plan *plan = trials_plan(EK_SPMV, EK_OP_N, CALLS);
	eki_trials *t = plan->trials;

	for (int k = 0; k < 2 * RUNS; k++)
		run(plan, 0.5, y);
	expect_status(ek_spmv(plan, 0, &xv, 0, &yv), EK_OK);
	assert_true(t->list[0].runs == 0 && !t->decided);
	for (int k = 0; k < N; k++)
		y[k] = z[k] = k % 3;
	trials_right(EK_SPMV, EK_OP_N, 1);
	for (int k = 0; k < 2 * RUNS; k++) {
		expect_status(ek_spmv_add(plan, 1.5, &xv, 1, &yv, &zv), EK_OK);
		assert_memory_equal(sum, z, sizeof sum);
	}
	assert_true(t->decided && t->list[0].runs > 2);
	ek_plan_destroy(plan);
	trials_close();
}

/* ---- Threads --------------------------------------------------------------------------------- */

struct worker {
	ek_plan *plan;
	double y[N];
	bool wrong;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	const ek_dense xv = ek_vector(EK_F64, N, x), yv = ek_vector(EK_F64, N, w->y);
	char text[2048];

	for (int k = 0; k < RUNS; k++) {
		w->wrong |= ek_spmv(w->plan, 1.5, &xv, 0, &yv) != EK_OK;
		w->wrong |= memcmp(w->y, z, sizeof w->y) != 0;
		w->wrong |= ek_plan_explain(w->plan, text, sizeof text) != EK_OK;
		w->wrong |= ek_plan_memory(w->plan) <= 0;
	}
	return NULL;
}

static void threads_share_a_plan(void **state)
{
	static struct worker w[THREADS];
	pthread_t thread[THREADS];

	(void)state;
	trials_open(info.name, EK_MEMORY_COPY);
	trials_right(EK_SPMV, EK_OP_N, 0);
	ctx->timing = NULL; /* made-up times count launches, which others may begin */
	for (int before = 0; before < 30; before += 6) {
		ek_wisdom_forget(ctx);
		ek_plan *plan = trials_plan(EK_SPMV, EK_OP_N, CALLS);

		for (int k = 0; k < before; k++)
			run(plan, 0, y);
		for (int k = 0; k < THREADS; k++) {
			w[k] = (struct worker){.plan = plan};
			assert_int_equal(pthread_create(&thread[k], NULL, work, &w[k]), 0);
		}
		for (int k = 0; k < THREADS; k++) {
			pthread_join(thread[k], NULL);
			assert_false(w[k].wrong);
		}
		run_until_decided(plan);
		ek_plan_destroy(plan);
	}
	trials_close();
}

/* ---- Failures -------------------------------------------------------------------------------- */

/* Runs a plan until it is decided, with results that must be right. If `fails` is true the
 * predicted candidate's own run may fail, but not two in a row; then y stays as it was. */
static void run_through(ek_plan *plan, bool fails)
{
	const ek_dense xv = ek_vector(EK_F64, N, x), yv = ek_vector(EK_F64, N, y);
	eki_trials *t = plan->trials;

	for (int k = 0, failed = 0; k < 2 * RUNS && !t->decided; k++) {
		for (int i = 0; i < N; i++)
			y[i] = -77;
		const ek_status status = ek_spmv(plan, 1.5, &xv, 0, &yv);

		if (status == EK_OK) {
			assert_memory_equal(y, z, N * sizeof *y);
			continue;
		}
		assert_true(fails && !failed++);
		expect_status(status, EK_EDEVICE);
		for (int i = 0; i < N; i++)
			assert_true(y[i] == -77);
	}
	assert_true(t->decided);
}

/* Makes the n-th launch of the trials fail. */
static void launches_fail(void **state)
{
	bool failed = true;
	int out = 0;

	(void)state;
	trials_open(info.name, EK_MEMORY_COPY);
	trials_right(EK_SPMV, EK_OP_N, 0);
	for (long n = 0; failed; n += 1 + n / 8) {
		fake_reset();
		ek_plan *plan = trials_plan(EK_SPMV, EK_OP_N, CALLS);

		trials_fail(TRIALS_LAUNCH, n, false);
		run_through(plan, true);
		failed = trials_failed(TRIALS_LAUNCH, n);
		out += trials_given_up(plan->trials, TRIALS_RUN_FAILED);
		run(plan, 0, y);
		assert_memory_equal(y, z, N * sizeof *y);
		ek_plan_destroy(plan);
	}
	assert_true(out > 0);
	trials_close();
}

/* Makes the n-th allocation of the trials fail, in the memory of the device or of the host. */
static void memory_runs_out(void **state)
{
	int out = 0;

	(void)state;
	trials_open(info.name, EK_MEMORY_COPY);
	trials_right(EK_SPMV, EK_OP_N, 0);
	for (int kind = 0; kind < 4; kind++) {
		const trials_call call = kind & 2 ? TRIALS_ALLOC : TRIALS_HEAP;
		bool failed = true;

		for (long n = 0; failed; n += 1 + n / 4) {
			fake_reset();
			ek_plan *plan = trials_plan(EK_SPMV, EK_OP_N, CALLS);

			trials_fail(call, n, kind & 1);
			run_through(plan, false);
			failed = trials_failed(call, n);
			out += trials_given_up(plan->trials, TRIALS_NO_MEMORY);
			ek_plan_destroy(plan);
		}
	}
	assert_true(out > 4);
	trials_close();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limit_holds),          cmocka_unit_test(in_place_is_no_trial),
		cmocka_unit_test(threads_share_a_plan), cmocka_unit_test(launches_fail),
		cmocka_unit_test(memory_runs_out),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return cl_guard_run(tests, sizeof tests / sizeof *tests, trials_teardown, &info);
}
#endif
