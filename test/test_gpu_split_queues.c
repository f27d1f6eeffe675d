/* SPDX-License-Identifier: BSD-3-Clause
 * Tests runs of a device and the processor whose device's rows go in chunks, with a driver that
 * copies late: while runs move further pieces from one side to the other, with one vector on the
 * device, and where launches fail, so that no copy may come after the failing call. */
#include <stdio.h>

#include "both/both.h"
#include "support/budget.h"
#include "support/late.h"
#include "support/lengths.h"
#include "support/rows.h"
#include "support/split_case.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

/* ---- Pieces that move ------------------------------------------------------------------------ */

/* Nanoseconds of a product by one side and by both, and the part of the last in which the processor
 * waits. */
static double alone_ns, both_ns, waited_ns;

static double made_up(const ek_method *method, bool waits, double ns)
{
	(void)ns;
	return waits ? waited_ns : uses_both(method) ? both_ns : alone_ns;
}

/* Makes a plan whose pieces move while the device's other rows go in chunks. */
static const eki_both *make_moving(struct split_case *p)
{
	const ek_hints hints = {.size = sizeof hints, .measure = 1, .width = SPLIT_WIDTH};

	alone_ns = 5e7;
	both_ns = 2.5e7;
	slow_begin(p->ctx);
	expect_status(ek_plan_create(p->columns ? EK_SPMM : EK_SPMV, p->A, &hints, &p->plan),
	              EK_OK);
	slow_end(p->ctx);
	assert_non_null(strstr(ek_plan_method(p->plan), ".csr.split.gpu"));
	return p->plan->root.state;
}

static void new_values(const struct split_case *p)
{
	double *val = p->A->store.array[CSR_VAL];

	for (int64_t e = 0; e < p->A->store.nnz; e++)
		val[e] = (double)((e + 3) % 7);
	expect_status(ek_matrix_values_changed(p->A), EK_OK);
}

/* Lets pieces move in one direction as far as they go, with new values meanwhile. */
static void move_all(struct split_case *p, bool to_device)
{
	const bool copies = p->ctx->device->memory != EKI_MEMORY_SHARED;
	const eki_both *s = make_moving(p);
	int seen = 0, last = 0;

	assert_true(s->moves);
	assert_true(s->chunks == s->balance.least && s->pieces == s->chunks + EKI_MOVABLE + 1);
	assert_int_equal(s->chunks > 1, copies);
	late_begin(p->ctx);
	for (int k = 0; k < 30; k++) {
		if (k == 8)
			new_values(p);
		seen += s->first != last;
		last = s->first;
		both_ns = 1e6 * (2 + (to_device ? s->pieces - last : last));
		waited_ns = to_device ? 0 : both_ns / 2;
		p->beta = k % 2;
		split_run(p);
	}
	late_end(p->ctx);
	assert_true(s->balance.settled);
	assert_int_equal(s->first, to_device ? s->balance.most : s->balance.least);
	assert_int_equal(seen, EKI_MOVABLE / 2 + 1);
	ek_plan_destroy(p->plan);
}

static void moves(ek_context *ctx, eki_memory memory)
{
	const ek_device_info info = ctx->device->info;
	struct split_case p = {.ctx = ctx, .A = rows_stairs(ctx, SPLIT_ROWS, 1, 5)};

	(void)memory;
	ctx->together = true;
	ctx->timing = made_up;
	call_device(ctx, "gpu");
	for (int turn = 0; turn < 8; turn++) {
		/* Runs with as many columns as were announced can move pieces. */
		p.columns = turn & 1 ? SPLIT_WIDTH : 0;
		if (turn & 4)
			beside_begin(ctx);
		move_all(&p, turn & 2);
		if (turn & 4)
			beside_end(ctx);
	}
	ctx->device->info = info;
	ctx->timing = NULL;
	ctx->together = false;
	ek_matrix_destroy(p.A);
}

ON_EACH_DEVICE(moves)

/* ---- One vector on the device ---------------------------------------------------------------- */

static void one_there(ek_context *ctx, eki_memory memory)
{
	static const char *const with[] = {":share=400,chunks=3", ":share=400,batch=4000,chunks=3",
	                                   ":side=1,chunks=3", ":side=1,batch=4000,chunks=3"};
	struct split_case p = {.ctx = ctx, .A = rows_stairs(ctx, SPLIT_ROWS, 1, 5)};

	(void)memory;
	for (int turn = 0; turn < 64; turn++) {
		p.columns = turn & 1 ? SPLIT_COLUMNS : 0;
		p.beta = turn & 2 ? -1 : 0;
		p.x_there = turn & 4;
		p.y_there = !p.x_there;
		if (turn & 8)
			beside_begin(ctx);
		split_make(&p, with[turn / 16]);
		late_begin(ctx);
		split_run(&p);
		split_run(&p);
		late_end(ctx);
		ek_plan_destroy(p.plan);
		if (turn & 8)
			beside_end(ctx);
	}
	ek_matrix_destroy(p.A);
}

ON_EACH_DEVICE(one_there)

/* ---- Launches that fail ---------------------------------------------------------------------- */

static bool waited; /* once, which failed */

static ek_status bad_wait(eki_device *d)
{
	EK_RETURN_IF(eki_opencl.wait(d));
	if (waited)
		return EK_OK;
	waited = true;
	return eki_fail(EK_EDEVICE, "waiting failed");
}

/* Makes each launch of a run fail in turn, until a run needs fewer. */
static void fail_each(struct split_case *p, const char *parameters)
{
	ek_status status = EK_EDEVICE;
	int failed = 0;

	split_make(p, parameters);
	budget_begin(p->ctx, 0, false);
	budget.launches = true;
	late_begin(p->ctx);
	for (; status != EK_OK; failed++) {
		budget.fail_at = failed;
		status = split_try(p);
		budget.fail_at = -1;
		assert_true(status == EK_OK || strstr(ek_error_text(), "a launch failed"));
		split_run(p); /* the plan works afterwards */
	}
	assert_true(failed > 3);
	late_end(p->ctx);
	budget_end(p->ctx);
	ek_plan_destroy(p->plan);
}

/* Checks that the message is that of the launch which failed, also if waiting fails, too. */
static void fail_twice(struct split_case *p, const char *parameters)
{
	const eki_driver *real = p->ctx->device->driver;
	eki_driver bad = *real;

	bad.wait = bad_wait;
	if (real->wait != eki_opencl.wait)
		return;
	split_make(p, parameters);
	p->ctx->device->driver = &bad;
	budget_begin(p->ctx, 0, false);
	budget.launches = true;
	budget.fail_at = 1;
	waited = false;
	assert_int_equal(split_try(p), EK_EDEVICE);
	assert_true(waited);
	assert_non_null(strstr(ek_error_text(), "a launch failed"));
	budget_end(p->ctx);
	p->ctx->device->driver = real;
	ek_plan_destroy(p->plan);
}

static void failures(ek_context *ctx, eki_memory memory)
{
	static const char *const with[] = {":share=400,chunks=3", ":share=400,batch=20000,chunks=2",
	                                   ":side=1,chunks=3"};
	struct split_case p = {.ctx = ctx, .A = rows_stairs(ctx, SPLIT_ROWS, 1, 5), .beta = -1};

	(void)memory;
	for (int turn = 0; turn < 12; turn++) {
		p.columns = turn & 1 ? SPLIT_COLUMNS : 0;
		if (turn & 2)
			beside_begin(ctx);
		fail_each(&p, with[turn / 4]);
		fail_twice(&p, with[turn / 4]);
		if (turn & 2)
			beside_end(ctx);
	}
	ek_matrix_destroy(p.A);
}

ON_EACH_DEVICE(failures)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moves),
		cmocka_unit_test(test_one_there),
		cmocka_unit_test(test_failures),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
