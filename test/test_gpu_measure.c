/* SPDX-License-Identifier: BSD-3-Clause
 * Tests hints.measure in contexts with a device, with made-up times: which methods are tried and
 * which stays, for vectors on either side; that a trial waits for the queue; and for which contexts
 * a decision holds. */
#include <unistd.h>

#include "support/cl_guard.h"
#include "support/devices.h"
#include "support/trials_device.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

enum { MOST_PLANS = 3 };

static bool
	far; /* whether a candidate was predicted to take more than twice the time of the best */
static ek_device_info info = {.size = sizeof info}; /* of the device */

/* ---- What is tried, and what stays ----------------------------------------------------------- */

static int plans_held(const eki_trials *t)
{
	int held = 0;

	for (int k = 0; k < t->count; k++)
		held += t->list[k].plan != NULL;
	return held;
}

/* Tells whether a candidate is not one too many. */
static bool is_tried(const eki_trials *t, int k)
{
	return k < EKI_TRIED_MOST || t->list[k].late || eki_trial_beside(t, &t->list[k]);
}

/* Makes candidate `fastest` the fastest. Returns the number of candidates. */
static int check_decision(ek_operation operation, ek_op op, int fastest)
{
	fake_reset();
	ek_plan *plan = trials_plan(operation, op, CALLS);
	eki_trials *t = plan->trials;
	const int count = t->count;
	char text[1 << 14];

	trials_right(operation, op, 0);
	if (t->note || (fastest > 0 && !is_tried(t, fastest))) {
		ek_plan_destroy(plan);
		return count;
	}
	const ek_method *best = t->list[fastest].method;
	const bool device = !(best->backend & EKI_CPU);

	for (int k = 1; k < count; k++)
		far |= t->list[k].method->cost && !eki_trial_beside(t, &t->list[k]) &&
		       t->list[k].predicted > 2 * t->list[0].predicted;
	/* Predictions for this matrix are of no interest, but all are to be tried. */
	for (int k = 1; k < count; k++)
		t->list[k].predicted = t->list[k].prepares = 0;
	fake_set(best, 60e3);
	for (int k = 0; k < 2 * RUNS && !t->decided; k++) {
		memset(y, 0x55, sizeof y);
		run(plan, 0, y);
		assert_memory_equal(y, z, result_bytes(plan));
		assert_true(plans_held(t) <= MOST_PLANS);
	}
	assert_true(t->decided);
	assert_string_equal(ek_plan_method(plan), best->name);
	assert_int_equal(plans_held(t), device ? 1 : 2);
	for (int k = 1; k < count; k++)
		if (fastest > 0 && is_tried(t, k) && t->list[k].runs < 3)
			fail_msg("%s on %s had %d runs: %s", t->list[k].method->name,
			         t->list[k].format, t->list[k].runs, t->list[k].out);
	assert_true(t->list[fastest].runs == EKI_TRIAL_RUNS || fastest == 0);
	assert_int_equal(ek_wisdom_count(ctx), 1);
	run(plan, 0, y);
	assert_memory_equal(y, z, result_bytes(plan));
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	assert_non_null(strstr(text, "measured and decided"));
	assert_true((strstr(text, "stays for vectors on the device") != NULL) == !device);
	ek_plan_destroy(plan);
	return count;
}

/* On a device that is taken for a GPU, more methods are near each other. */
static void decision_follows_times(void **state)
{
	static const ek_operation operations[] = {EK_SPMV, EK_SPMM};
	int most = 1;

	(void)state;
	for (int gpu = 0; gpu < 2; gpu++) {
		trials_open(info.name, EK_MEMORY_COPY);
		if (gpu)
			call_device(ctx, "gpu");
		for (int k = 0; k < 4; k++) {
			int count = 1;

			for (int fastest = 0; fastest < count; fastest++)
				count = check_decision(operations[k / 2], k & 1 ? EK_OP_T : EK_OP_N,
				                       fastest);
			assert_true(count > 1);
			most = count > most ? count : most;
		}
		trials_close();
	}
	print_message("  up to %d candidates\n", most);
	assert_true(most > 4 && far);
}

/* The processor is tried after those that are predicted to be near, and those come last that have
 * no prediction or take long to prepare, unless too few calls would make up for them. */
static void late_ones_are_last(void **state)
{
	char text[1 << 14];
	ek_plan *plan;
	bool late = false;

	(void)state;
	trials_open(info.name, EK_MEMORY_COPY);
	for (int64_t calls = EKI_TRIAL_CALLS; calls <= CALLS; calls += CALLS - EKI_TRIAL_CALLS) {
		plan = trials_plan(EK_SPMV, EK_OP_N, calls);
		const eki_trials *t = plan->trials;
		const int beside = trials_find_beside(t),
			  panels = trials_find(t, "spmv.csr.panels.gpu");

		assert_true(beside && panels > beside &&
		            trials_find(t, "spmv.csr.padded.gpu") > beside);
		for (int k = 1; k < t->count; k++) {
			late |= t->list[k].late;
			assert_true(t->list[k].late == (k > beside));
		}
		for (int k = 0; k < 2 * RUNS && !t->decided; k++)
			run(plan, 0, y);
		assert_true(t->decided && (t->list[panels].runs > 0) == (calls == CALLS));
		expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
		assert_non_null(strstr(text, calls == CALLS ? "(limit 125)" : "(limit 4)"));
		assert_true((strstr(text, "to prepare and run it would take too long") != NULL) ==
		            (calls < CALLS));
		ek_plan_destroy(plan);
	}
	assert_true(late);
	trials_close();
}

/* Without time to compile, only candidates are tried whose kernels are there. */
static void kernels_are_missing(void **state)
{
	static const char refused[] = "to compile it would take too long";
	ek_plan *plan;

	(void)state;
	trials_open(info.name, EK_MEMORY_COPY);
	trials_scale = 1;
	for (int there = 0; there < 2; there++) {
		ek_wisdom_forget(ctx);
		if (there)
			ek_plan_destroy(
				make_plan(A, EK_SPMV, EK_OP_N, false, "csr.padded.gpu", NULL));
		plan = trials_plan(EK_SPMV, EK_OP_N, CALLS);
		eki_trials *t = plan->trials;
		const eki_trial *padded = &t->list[trials_find(t, "spmv.csr.padded.gpu")];
		const eki_trial *panels = &t->list[trials_find(t, "spmv.csr.panels.gpu")];

		for (int k = 0; k < 2 * RUNS && !t->decided; k++)
			run(plan, 0, y);
		assert_true(t->decided && t->list[trials_find_beside(t)].runs == EKI_TRIAL_RUNS);
		assert_string_equal(panels->out, refused);
		assert_true((padded->out && strcmp(padded->out, refused) == 0) == !there);
		assert_true((padded->runs > 0) == there);
		ek_plan_destroy(plan);
	}
	trials_scale = TRIALS_SCALE;
	plan = make_plan(A, EK_SPMV, EK_OP_N, false, "csr.panels.gpu", NULL);
	ek_plan_destroy(plan); /* compiling is allowed again */
	trials_close();
}

/* ---- Vectors on the device ------------------------------------------------------------------- */

static void *device_x, *device_y;

static void open_vectors(void)
{
	expect_status(ek_device_alloc(ctx, N * sizeof *x, &device_x), EK_OK);
	expect_status(ek_device_alloc(ctx, N * sizeof *y, &device_y), EK_OK);
	expect_status(ek_device_write(ctx, device_x, x, N * sizeof *x), EK_OK);
}

static void close_vectors(void)
{
	ek_device_free(ctx, device_x);
	ek_device_free(ctx, device_y);
}

/* Runs a plan with vectors on the device, and reads y if it is to be read. */
static void run_there(ek_plan *plan, double alpha, double beta, bool read)
{
	const ek_dense xv = ek_device_vector(EK_F64, N, device_x);
	const ek_dense yv = ek_device_vector(EK_F64, N, device_y);

	expect_status(ek_spmv(plan, alpha, &xv, beta, &yv), EK_OK);
	if (read)
		expect_status(ek_device_read(ctx, device_y, y, N * sizeof *y), EK_OK);
}

static void vectors_there(void **state)
{
	ek_plan *plan, *other;

	(void)state;
	trials_open(info.name, EK_MEMORY_COPY);
	open_vectors();
	trials_right(EK_SPMV, EK_OP_N, 0);
	plan = trials_plan(EK_SPMV, EK_OP_N, CALLS);
	other = make_plan(A, EK_SPMV, EK_OP_N, false, "csr.vector.gpu", NULL);
	eki_trials *t = plan->trials;
	const int panels = trials_find(t, "spmv.csr.panels.gpu");

	trials_watch.loads = true;
	fake_set(t->list[panels].method, 50e3);
	for (int k = 0; k < 2 * RUNS && !t->decided; k++) {
		run_there(other, 2, 0, false); /* fills the queue */
		assert_true(trials_watch.pending > 0);
		trials_watch.first = true;
		fake.last = NULL;
		run_there(plan, 1.5, 0, true);
		assert_memory_equal(y, z, N * sizeof *y);
		assert_true(!fake.last || trials_watch.before == 0);
	}
	assert_true(t->decided && t->now == panels);
	assert_string_equal(t->list[trials_find_beside(t)].out, "the vectors are on the device");
	fake.last = NULL;
	run(plan, 0, y); /* vectors of the host, by the same method, without a trial */
	assert_memory_equal(y, z, N * sizeof *y);
	assert_null(fake.last);
	ek_plan_destroy(plan);
	ek_plan_destroy(other);
	close_vectors();
	trials_close();
}

/* ---- The processor, and decisions that are remembered ---------------------------------------- */

/* Runs a plan for which the processor was decided: vectors on the device need the predicted
 * method. */
static void check_processor(ek_plan *plan)
{
	static const double zero[N];

	assert_true(ek_method_find(ek_plan_method(plan))->backend & EKI_CPU);
	run(plan, 0, y);
	assert_memory_equal(y, z, N * sizeof *y);
	run_there(plan, 1.5, 0, true);
	assert_memory_equal(y, z, N * sizeof *y);
	run_there(plan, 0, 0, true);
	assert_memory_equal(y, zero, N * sizeof *y);
}

/* Tells whether a plan in a new context finds the decision in a file. */
static bool is_known(const char *name, ek_device_memory memory, const char *path,
                     const char *renamed)
{
	ek_context *before = ctx;
	ek_matrix *mine = A;

	trials_open(name, memory);
	if (renamed)
		snprintf(ctx->device->info.driver, sizeof ctx->device->info.driver, "%s", renamed);
	expect_status(ek_wisdom_load(ctx, path), EK_OK);
	ek_plan *plan = trials_plan(EK_SPMV, EK_OP_N, CALLS);
	const bool known = plan->trials->known;

	if (known) {
		open_vectors();
		check_processor(plan);
		close_vectors();
	}
	ek_plan_destroy(plan);
	trials_close();
	ctx = before;
	A = mine;
	return known;
}

static void processor_stays(void **state)
{
	char path[64];
	ek_plan *plan;

	(void)state;
	snprintf(path, sizeof path, "/tmp/ek-gpu-measure-%ld", (long)getpid());
	trials_open(info.name, EK_MEMORY_COPY);
	open_vectors();
	trials_right(EK_SPMV, EK_OP_N, 0);
	plan = trials_plan(EK_SPMV, EK_OP_N, CALLS);
	fake_set(plan->trials->list[trials_find_beside(plan->trials)].method, 50e3);
	for (int k = 0; k < 2 * RUNS && !plan->trials->decided; k++)
		run(plan, 0, y);
	check_processor(plan);
	ek_plan_destroy(plan);
	plan = trials_plan(EK_SPMV, EK_OP_N, CALLS);
	assert_true(plan->trials->known);
	check_processor(plan);
	ek_plan_destroy(plan);
	close_vectors();
	expect_status(ek_wisdom_save(ctx, path), EK_OK);
	assert_true(is_known(info.name, EK_MEMORY_COPY, path, NULL));
	assert_false(is_known(info.name, EK_MEMORY_COPY, path, "another driver"));
	assert_false(is_known("cpu", EK_MEMORY_AUTO, path, NULL));
	if (info.mapped)
		assert_false(is_known(info.name, EK_MEMORY_MAPPED, path, NULL));
	trials_close();
	unlink(path);
}

/* An operation that no device does has decisions for the processor, and needs nothing beside. */
static void nothing_beside(void **state)
{
	eki_decision d = {.calls = CALLS, .format = "csr"};

	(void)state;
	trials_open(info.name, EK_MEMORY_COPY);
	ek_plan *plan = trials_plan(EK_DENSE_SPMM, EK_OP_N, CALLS);

	d.key = plan->trials->key;
	snprintf(d.method, sizeof d.method, "%s", ek_plan_method(plan));
	ek_plan_destroy(plan);
	expect_status(eki_wisdom_add(ctx, &d, 1), EK_OK);
	plan = trials_plan(EK_DENSE_SPMM, EK_OP_N, CALLS);
	assert_true(plan->trials->known && plan->trials->count == 1);
	ek_plan_destroy(plan);
	trials_close();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decision_follows_times), cmocka_unit_test(late_ones_are_last),
		cmocka_unit_test(kernels_are_missing),    cmocka_unit_test(vectors_there),
		cmocka_unit_test(processor_stays),        cmocka_unit_test(nothing_beside),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return cl_guard_run(tests, sizeof tests / sizeof *tests, trials_teardown, &info);
}
#endif
