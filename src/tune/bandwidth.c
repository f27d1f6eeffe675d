/* SPDX-License-Identifier: BSD-3-Clause
 * Measures bandwidths, by sums of arrays that fit into the core's cache, into the last-level cache,
 * and into neither; and what it takes to wake a thread. Sums read their array once, at full vector
 * width, and nothing else. */
#include <math.h>
#include <stdlib.h>

#include "tune/tune.h"

enum { REPEAT = 3, CORE_BYTES = 512 << 10, CACHED_BYTES = 8 << 20, WAKE_RUNS = 200 };

/* Raises *gbps to the best bandwidth of several sums of an array. */
static ek_status read_speed(eki_effort *effort, ek_context *ctx, int64_t bytes, double *gbps)
{
	const ek_array_options options = {.size = sizeof options, .method = "reduce.simd"};
	const int64_t n = bytes / (int64_t)sizeof(double);
	double end, sum, least = INFINITY;
	void *data;
	ek_status status;

	EK_RETURN_IF(eki_calloc(ctx, n, sizeof(double), &data));
	end = eki_tune_now() + effort->budget;
	for (int k = 0; k <= REPEAT || eki_tune_now() < end; k++) {
		const double start = eki_tune_now();
		const int calls = bytes > 2 << 20 ? 1 : 8;

		for (int c = 0; c < calls; c++)
			EK_TRY(ek_reduce(ctx, &options, EK_F64, EK_SUM, n, data, &sum));
		if (k > 0) /* the first sum brings the array to the cache */
			least = fmin(least, (eki_tune_now() - start) / calls);
	}
	*gbps = fmax(*gbps, (double)bytes / least);
	status = EK_OK;
done:
	eki_free(ctx, data, n, sizeof(double));
	return status;
}

#define PART_NS 1e4 /* how long a part of a job takes that two threads share */

/* Works until PART_NS have passed. */
static void busy(void *arg, int part)
{
	const double end = eki_tune_now() + PART_NS;

	(void)arg;
	(void)part;
	while (eki_tune_now() < end)
		;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns how much longer a job of two parts takes on two threads than one of the parts, or
 * INFINITY if no second thread joined. The first decile of many jobs counts, since other programs
 * may have the second processor for a while. */
static double wake_time(const ek_context *ctx)
{
	double ns[WAKE_RUNS];

	for (int k = 0; k < WAKE_RUNS; k++) {
		const double start = eki_tune_now();

		eki_parallel(ctx, 2, 2, busy, NULL);
		ns[k] = eki_tune_now() - start;
	}
	qsort(ns, WAKE_RUNS, sizeof *ns, by_size);
	const double more = ns[WAKE_RUNS / 10] - PART_NS;

	return more < PART_NS / 2 ? fmax(0, more) : INFINITY;
}

ek_status eki_tune_bandwidths(eki_effort *effort, int threads, ek_isa isa, eki_machine *m,
                              double *least_wake)
{
	/* Each thread gets several times what its core's own caches hold, if the last-level cache
	 * has room for that. */
	const int64_t half = eki_cpu_cache() / 2, most = (int64_t)CACHED_BYTES;
	const int64_t cached = half / 2 < most ? half / 2 : most;
	const int64_t all_cached = half / threads < cached ? half : threads * cached;
	/* Half of the core's cache, all of which stays there (eki_held). With a smaller array the
	 * time of the calls would show. */
	const int64_t core = eki_cpu_core_cache() > 0 ? eki_cpu_core_cache() / 2 : CORE_BYTES;
	ek_context *one = NULL, *all = NULL;
	double wake;
	ek_status status;

	EK_TRY(eki_tune_context(1, isa, &one));
	EK_TRY(eki_tune_context(threads, isa, &all));
	EK_TRY(read_speed(effort, one, core, &m->core_gbps));
	EK_TRY(read_speed(effort, one, cached, &m->cache_gbps));
	eki_effort_step(effort);
	EK_TRY(read_speed(effort, one, effort->most, &m->memory_gbps));
	eki_effort_step(effort);
	if (threads > 1) {
		EK_TRY(read_speed(effort, all, all_cached, &m->cache_all_gbps));
		EK_TRY(read_speed(effort, all, effort->most, &m->memory_all_gbps));
		wake = wake_time(all);
		*least_wake = fmin(*least_wake, wake);
	}
	eki_effort_step(effort);
	/* A slower cache than the one below it was disturbed: nothing else explains it. */
	m->cache_gbps = fmax(m->cache_gbps, m->memory_gbps);
	m->core_gbps = fmax(m->core_gbps, m->cache_gbps);
	m->cache_all_gbps = fmax(m->cache_all_gbps, m->memory_all_gbps);
done:
	ek_context_destroy(one);
	ek_context_destroy(all);
	return status;
}
