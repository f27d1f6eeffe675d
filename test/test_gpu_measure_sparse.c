/* SPDX-License-Identifier: BSD-3-Clause
 * Tests hints.measure for sparse products in contexts with a device, which the library is made to
 * take for a GPU: the processor's method and the one without a prediction are tried, results are
 * right whatever fails, and nothing stays on the device if the processor is the fastest. */
#include "support/cl_guard.h"
#include "support/devices.h"
#include "support/trials_device.h"
#include "support/trials_sparse.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

enum { NONE = -1, BESIDE = 1, LATE = 2, TRIED = 3 };

static const char *const names[TRIED] = {"spgemm.csr.hash.gpu", "spgemm.csr.flags",
                                         "spgemm.csr.bins.gpu"};

static ek_device_info info = {.size = sizeof info}; /* of the device */

static void open_gpu(ek_device_memory memory)
{
	trials_open(info.name, memory);
	call_device(ctx, "gpu");
	trials_sparse_open(ctx, SPARSE_NARROW);
}

static void close_gpu(void)
{
	trials_sparse_close();
	trials_close();
}

/* Returns a plan whose trials are to choose candidate `best`. */
static ek_plan *plan_for(int best, bool with_d)
{
	fake_reset();
	fake_set(ek_method_find(names[best]), 50e3);
	ek_plan *plan = trials_sparse_plan(with_d, CALLS);
	eki_trials *t = plan->trials;

	assert_int_equal(t->count, TRIED);
	for (int k = 0; k < TRIED; k++) {
		assert_string_equal(t->list[k].method->name, names[k]);
		assert_true(t->list[k].late == (k == LATE));
	}
	assert_true(eki_trial_beside(t, &t->list[BESIDE]));
	return plan;
}

/* ---- Decisions ------------------------------------------------------------------------------- */

static void check_decision(int best, bool with_d, bool into)
{
	ek_matrix *C = NULL;
	ek_plan *plan = plan_for(best, with_d);
	const eki_trials *t = plan->trials;

	trials_sparse_decide(plan, 1, into, &C);
	assert_string_equal(ek_plan_method(plan), names[best]);
	for (int k = 0; k < TRIED; k++) {
		if (best > 0 && t->list[k].runs < 3)
			fail_msg("%s had %d runs: %s (%g and %g of %g)", names[k], t->list[k].runs,
			         t->list[k].out, t->list[k].predicted, t->list[k].prepares,
			         t->list[0].predicted);
		assert_true((t->list[k].plan != NULL) == (k == best));
	}
	trials_sparse_end(plan, C);
}

static void fastest_stays(void **state)
{
	static const ek_device_memory kinds[] = {EK_MEMORY_COPY, EK_MEMORY_SHARED};

	(void)state;
	for (int k = 0; k < 2; k++) {
		if (k == 1 && !info.shared)
			continue;
		open_gpu(kinds[k]);
		for (int best = 0; best < TRIED; best++)
			for (int how = 0; how < 4; how++)
				check_decision(best, how & 1, how & 2);
		close_gpu();
	}
}

/* Where the device is a processor, the library's own threads are faster by times that are measured,
 * not made up. */
static void times_are_real(void **state)
{
	ek_matrix *C = NULL;

	(void)state;
	if (strcmp(info.kind, "cpu") != 0)
		skip();
	open_gpu(EK_MEMORY_COPY);
	ctx->timing = NULL;
	fake_reset();
	ek_plan *plan = trials_sparse_plan(false, 1 << 20);

	trials_sparse_decide(plan, 0, true, &C);
	assert_string_equal(ek_plan_method(plan), names[BESIDE]);
	ek_matrix_destroy(C);
	ek_plan_destroy(plan);
	close_gpu();
}

/* Without the disguise the device is a processor, and no method of it is tried. */
static void processor_alone(void **state)
{
	const ek_operation operation = EK_SPGEMM;
	ek_plan *plan;

	(void)state;
	trials_open(info.name, EK_MEMORY_COPY);
	call_device(ctx, "cpu");
	trials_sparse_open(ctx, SPARSE_WIDE);
	plan = trials_sparse_plan(false, CALLS);
	for (int k = 0; k < plan->trials->count; k++) {
		assert_true(plan->trials->list[k].method->backend & EKI_CPU);
		assert_true(ek_method_operation(plan->trials->list[k].method) == operation);
	}
	assert_true(plan->trials->count == 2);
	ek_plan_destroy(plan);
	close_gpu();
}

/* The processor's time is predicted by the products, not only by the entries of A: a B with twice
 * as many entries takes longer. */
static void products_are_counted(void **state)
{
	double predicted[2];

	(void)state;
	open_gpu(EK_MEMORY_COPY);
	for (int k = 0; k < 2; k++) {
		if (k == 1) {
			ek_matrix_destroy(trials_sparse.B);
			trials_sparse.B = trials_sparse_matrix(ctx, SPARSE_NARROW, 8, 1);
		}
		ek_plan *plan = plan_for(0, false);

		predicted[k] = plan->trials->list[BESIDE].predicted;
		ek_plan_destroy(plan);
	}
	assert_true(predicted[1] > 1.4 * predicted[0]);
	close_gpu();
}

/* Makes a plan, with no memory on the device from the n-th allocation on. Returns how many there
 * were. */
static long allocs_of(const char *method, long n, ek_plan **plan)
{
	const ek_hints h = {.size = sizeof h,
	                    .method = method,
	                    .calls = CALLS,
	                    .measure = 1,
	                    .B = trials_sparse.B};

	trials_watch_reset();
	trials_watch.alloc_at = n;
	trials_watch.persistent = true;
	expect_status(ek_plan_create(EK_SPGEMM, trials_sparse.A, &h, plan), EK_OK);
	const long allocs = trials_watch.allocs;

	trials_watch_reset();
	return allocs;
}

/* A decision is not followed if the device has no room for its runs, though it has some for the
 * plan, since it would then fail in each of them. */
static void decision_without_room(void **state)
{
	ek_matrix *C = NULL;
	ek_plan *plan;

	(void)state;
	for (int best = 0; best < TRIED; best += LATE) {
		open_gpu(EK_MEMORY_COPY);
		plan = plan_for(best, false);
		trials_sparse_decide(plan, 0, true, &C);
		ek_plan_destroy(plan);
		ek_matrix_destroy(C);
		C = NULL;
		const long named = allocs_of(names[best], NONE, &plan);

		ek_plan_destroy(plan);
		allocs_of(NULL, NONE, &plan);
		assert_true(plan->trials->known);
		assert_string_equal(ek_plan_method(plan), names[best]);
		ek_plan_destroy(plan);
		allocs_of(NULL, named, &plan);
		assert_false(plan->trials->known);
		assert_string_not_equal(ek_plan_method(plan), names[best]);
		trials_sparse_run(plan, 0, &C);
		ek_plan_destroy(plan);
		ek_matrix_destroy(C);
		C = NULL;
		close_gpu();
	}
}

/* ---- Failures -------------------------------------------------------------------------------- */

/* Runs a plan until it is decided, and checks the results of the runs if `each` is true, which
 * takes memory. A run of the predicted candidate may fail, but not two in a row. Returns C. */
static ek_matrix *run_through(ek_plan *plan, bool into, bool each)
{
	const eki_trials *t = plan->trials;
	ek_matrix *C = NULL;

	for (int k = 0, failed = 0; k < 2 * RUNS && !t->decided; k++) {
		if (!into) {
			ek_matrix_destroy(C);
			C = NULL;
		}
		const bool made = C != NULL;
		const ek_status status = ek_spgemm(plan, 1.5, 1, &C);

		assert_true(status == EK_OK || status == EK_EDEVICE || status == EK_ENOMEM);
		assert_true((C != NULL) == (made || status == EK_OK));
		assert_true(status == EK_OK || !failed++);
		if (status == EK_OK && each)
			trials_sparse_check(plan, 1, C);
	}
	assert_true(t->decided);
	return C;
}

/* Checks a plan after calls that failed, when no more fail, and destroys it. */
static void finish(ek_plan *plan, ek_matrix *C)
{
	trials_sparse_run(plan, 1, &C);
	ek_matrix_destroy(C);
	ek_plan_destroy(plan);
}

/* Makes the n-th launch of the trials fail. */
static void launches_fail(void **state)
{
	bool failed = true;
	int out = 0;

	(void)state;
	open_gpu(EK_MEMORY_COPY);
	for (long n = 0; failed; n += 1 + n / 8) {
		ek_plan *plan = plan_for(LATE, n & 2);

		trials_fail(TRIALS_LAUNCH, n, false);
		ek_matrix *C = run_through(plan, n & 1, true);

		failed = trials_failed(TRIALS_LAUNCH, n);
		out += trials_given_up(plan->trials, TRIALS_RUN_FAILED);
		finish(plan, C);
	}
	assert_true(out > 2);
	close_gpu();
}

/* Makes the n-th allocation of the trials fail, in the memory of the device or of the host. */
static void memory_runs_out(void **state)
{
	int out = 0;

	(void)state;
	open_gpu(EK_MEMORY_COPY);
	for (int device = 0; device < 2; device++) {
		const trials_call call = device ? TRIALS_ALLOC : TRIALS_HEAP;
		bool failed = true;

		for (long n = 0; failed; n += 1 + n / 8) {
			ek_plan *plan = plan_for(LATE, true);

			trials_fail(call, n, false);
			ek_matrix *C = run_through(plan, n & 1, device);

			failed = trials_failed(call, n);
			out += trials_given_up(plan->trials, TRIALS_NO_MEMORY);
			finish(plan, C);
		}
	}
	assert_true(out > 2);
	close_gpu();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fastest_stays),         cmocka_unit_test(times_are_real),
		cmocka_unit_test(processor_alone),       cmocka_unit_test(products_are_counted),
		cmocka_unit_test(decision_without_room), cmocka_unit_test(launches_fail),
		cmocka_unit_test(memory_runs_out),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return cl_guard_run(tests, sizeof tests / sizeof *tests, trials_teardown, &info);
}
#endif
