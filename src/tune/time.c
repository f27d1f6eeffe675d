/* SPDX-License-Identifier: BSD-3-Clause
 * Times plans. Other programs only make a run longer, so the least time of many short runs counts:
 * one run that nobody interrupted is enough. The passes over all measurements (eki_effort.rounds)
 * are seconds apart, so a disturbance that lasts longer than one product's turn does not spoil its
 * time.
 *
 * Contexts for measurements ignore the environment, since EK_ISA, EK_METHOD and EK_DEVICE say what
 * to use, not what the processor can do. */
#include <math.h>
#include <string.h>

#include "base/pool.h"
#include "tune/tune.h"

double eki_tune_now(void)
{
	return (double)eki_now_ns();
}

ek_status eki_tune_context(int threads, ek_isa isa, ek_context **ctx)
{
	const ek_options options = {.size = sizeof options,
	                            .threads = threads,
	                            .isa_limit = EK_ISA_LIMIT(isa),
	                            .device = "cpu"};

	EK_RETURN_IF(ek_context_create(&options, ctx));
	(*ctx)->isa = isa;
	(*ctx)->machine = eki_machine_family();
	return EK_OK;
}

ek_status eki_timed_make(ek_context *ctx, const eki_pattern *pattern, ek_value value,
                         const char *method, const char *format, ek_op op, eki_timed *t)
{
	const ek_hints hints = {.size = sizeof hints,
	                        .method = method,
	                        .format = format,
	                        .op = op,
	                        .calls = INT64_C(1) << 40,
	                        .memory = -1};
	eki_timed new = {.ctx = ctx, .ns = INFINITY};
	ek_status status;

	EK_TRY(eki_pattern_make(ctx, pattern, value, &new.A));
	EK_TRY(ek_plan_create(EK_SPMV, new.A, &hints, &new.plan));
	new.x_len = op == EK_OP_T ? new.A->store.rows : new.A->store.cols;
	new.y_len = op == EK_OP_T ? new.A->store.cols : new.A->store.rows;
	EK_TRY(eki_calloc(ctx, new.x_len, ek_value_size(value), &new.x));
	EK_TRY(eki_calloc(ctx, new.y_len, ek_value_size(value), &new.y));
	*t = new;
	return EK_OK;
done:
	eki_timed_free(&new);
	return status;
}

void eki_timed_free(eki_timed *t)
{
	if (!t->A)
		return;
	const size_t size = ek_value_size(t->A->store.value);

	eki_free(t->ctx, t->x, t->x_len, size);
	eki_free(t->ctx, t->y, t->y_len, size);
	ek_plan_destroy(t->plan);
	ek_matrix_destroy(t->A);
	memset(t, 0, sizeof *t);
}

ek_status eki_timed_run(eki_timed *t, double budget)
{
	const ek_dense x = ek_vector(t->A->store.value, t->x_len, t->x);
	const ek_dense y = ek_vector(t->A->store.value, t->y_len, t->y);
	const double end = eki_tune_now() + budget;
	const double clock = fmin(20e3, budget); /* many times a look at the clock */
	int64_t calls = 1;

	for (int k = 0; k < 3 || eki_tune_now() < end; k++) {
		const double start = eki_tune_now();

		for (int64_t c = 0; c < calls; c++)
			EK_RETURN_IF(ek_spmv(t->plan, 1, &x, 0, &y));
		const double all = eki_tune_now() - start, one = all / (double)calls;

		/* The first runs bring the data to the cache, and say how many fill `clock`. */
		if (k > 0 && one < t->ns)
			t->ns = one;
		if (all < clock && calls < 1000)
			calls = all > 0 ? 1 + (int64_t)(clock / one) : 1000;
	}
	return EK_OK;
}
