/* SPDX-License-Identifier: BSD-3-Clause
 * Timing of candidates side by side.
 *
 * A shared machine changes its speed while one looks: by a quarter within minutes, and by more when
 * a neighbour wakes up. So candidates are not timed one after the other but in rounds of under a
 * second: in each round every candidate has one batch of calls, and what is compared are the times
 * of the same round. Before each batch a few calls are made untimed, which bring the working set of
 * this candidate, not of the one before it, into the caches. The order is shuffled in every round,
 * so nobody always runs behind the same neighbour. A batch during which another process took a
 * processor away is made again, a few times at most. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "measure.h"

#define BATCH_SECONDS 3e-3  /* a batch is long against the clock and the wake-up of threads */
#define COLD_SECONDS  30e-3 /* a call this long starts with cold caches anyway */
#define WARM_CALLS    3     /* until a last-level cache has settled on a new working set */
#define MIN_ROUNDS    5
#define ATTEMPTS      4
#define MAX_ROUNDS    100000

static double timed(struct candidate *c, int64_t calls)
{
	double start;

	if (c->before)
		c->before(c->state, calls);
	if (c->clocked)
		return c->clocked(c->state, calls);
	start = tool_seconds();
	c->run(c->state, calls);
	return tool_seconds() - start;
}

double measure_batch(struct candidate *c)
{
	return timed(c, c->calls) / (double)c->calls;
}

/* How many calls make a batch: doubled until they take long enough to tell. */
static void calibrate(struct candidate *c)
{
	int64_t most = c->most ? c->most : INT64_MAX;
	double seconds = 0, calls;

	c->runs = 0;
	timed(c, 1);
	for (c->calls = 1; (seconds = timed(c, c->calls)) < BATCH_SECONDS / 4; c->calls *= 2)
		if (c->calls > most / 2)
			return;
	calls = ceil((double)c->calls * BATCH_SECONDS / seconds);
	c->calls = calls < (double)most ? (int64_t)calls : most;
}

static void shuffle(int *order, int count, uint64_t *seed)
{
	for (int i = count - 1; i > 0; i--) {
		*seed ^= *seed << 13;
		*seed ^= *seed >> 7;
		*seed ^= *seed << 17;
		int j = (int)(*seed % (uint64_t)(i + 1)), t = order[i];

		order[i] = order[j];
		order[j] = t;
	}
}

static bool grow(struct candidate *candidates, int count, int *room)
{
	*room = *room ? 2 * *room : 64;
	for (int i = 0; i < count; i++) {
		double *more = realloc(candidates[i].sample, (size_t)*room * sizeof(double));

		if (!more)
			return false;
		candidates[i].sample = more;
	}
	return true;
}

/* How often the kernel has taken the processor from a thread of this process. */
static long disturbances(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

/* One batch: the first that nobody disturbed, or else the shortest of a few. */
static double batch(struct candidate *c)
{
	double shortest = HUGE_VAL;
	bool alone = false;

	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		long before = disturbances();
		double seconds = timed(c, c->calls);

		alone = disturbances() == before;
		c->runs += c->calls;
		if (alone || seconds < shortest)
			shortest = seconds;
		if (alone || seconds > COLD_SECONDS)
			break;
	}
	c->disturbed += !alone;
	return shortest / (double)c->calls;
}

static void one_round(struct candidate *candidates, const int *order, int count, int round)
{
	for (int i = 0; i < count; i++) {
		struct candidate *c = &candidates[order[i]];

		double last = round ? c->sample[round - 1] : 0;

		if (last < COLD_SECONDS)
			timed(c, last < BATCH_SECONDS && !c->most ? WARM_CALLS : 1);
		c->sample[round] = batch(c);
	}
}

int measure_rounds(struct candidate *candidates, int count, const struct measure_limits *limits,
                   struct tool_progress *progress)
{
	uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
	int *order = malloc((size_t)count * sizeof *order), rounds = 0, room = 0;
	int most = limits->rounds ? limits->rounds : MAX_ROUNDS;
	double start, spent = 0;

	if (!order)
		return 0;
	for (int i = 0; i < count; i++) {
		order[i] = i;
		calibrate(&candidates[i]);
	}
	start = tool_seconds();
	while (rounds < most) {
		if (rounds == room && !grow(candidates, count, &room)) {
			rounds = 0;
			break;
		}
		shuffle(order, count, &seed);
		one_round(candidates, order, count, rounds++);
		spent = tool_seconds() - start;
		tool_progress_step(progress, limits->rounds ? rounds : (int64_t)(1000 * spent),
		                   limits->rounds ? most : (int64_t)(1000 * limits->seconds));
		if (!limits->rounds && rounds >= MIN_ROUNDS && spent >= limits->seconds)
			break;
	}
	free(order);
	return rounds;
}

void measure_free(struct candidate *candidates, int count)
{
	for (int i = 0; i < count; i++) {
		free(candidates[i].sample);
		candidates[i].sample = NULL;
	}
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double measure_quantile(const double *value, int count, double q)
{
	double *sorted = count > 0 ? malloc((size_t)count * sizeof *sorted) : NULL;
	double at = q * (count - 1), result;
	int below = (int)at;

	if (!sorted)
		return NAN;
	memcpy(sorted, value, (size_t)count * sizeof *sorted);
	qsort(sorted, (size_t)count, sizeof *sorted, ascending);
	result = sorted[below];
	if (below + 1 < count)
		result += (at - below) * (sorted[below + 1] - sorted[below]);
	free(sorted);
	return result;
}

double measure_ratio(const struct candidate *a, const struct candidate *b, int rounds)
{
	double *ratio = malloc((size_t)(rounds > 0 ? rounds : 1) * sizeof *ratio), median;

	if (!ratio)
		return NAN;
	for (int r = 0; r < rounds; r++)
		ratio[r] = a->sample[r] / b->sample[r];
	median = measure_quantile(ratio, rounds, 0.5);
	free(ratio);
	return median;
}
