/* SPDX-License-Identifier: BSD-3-Clause
 * Timing of candidates side by side.
 *
 * The speed of a shared machine drifts: by a quarter within minutes, and by more when another user
 * becomes active. So candidates are not timed one after another but in rounds of under a second. In
 * each round every candidate runs one batch of calls, and times of the same round are compared.
 * Before each batch a few untimed calls bring the working set of this candidate into the caches,
 * where that of the previous candidate was. The order is shuffled in every round, so that no
 * candidate always runs after the same one. Candidates have threads of several run times, whose
 * idle threads spin before they sleep, so each candidate begins when those of the previous one
 * sleep. A batch whose threads waited for a processor for more than a thirtieth of the time that
 * they could have run is repeated, a few times at most. Its time is wrong by no more than that,
 * which is less than what rounds differ by. A stricter limit would leave out all problems of
 * gigabytes: on a virtual machine the kernel's own threads that take back freed pages need a
 * fiftieth. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bench.h"

#define BATCH_SECONDS   3e-3  /* much longer than the clock's resolution and waking threads take */
#define COLD_SECONDS    30e-3 /* calls this long gain nothing from untimed calls before them */
#define WARM_CALLS      3     /* untimed calls that bring a working set into the last-level cache */
#define SETTLE_MOST     50    /* milliseconds to wait for idle threads at most */
#define SETTLED_SECONDS 1e-4  /* less than a thread that spins uses in a millisecond */
#define MOST_WAITED     0.033 /* share of the time of a batch's threads that may be waits */
#define MIN_ROUNDS      5
#define ATTEMPTS        4
#define MAX_ROUNDS      100000

/* Returns how many seconds all threads of this process have used their processors. */
static double processor_seconds(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Sleeps until no other thread of this process runs: until a millisecond has taken next to no time
 * of a processor, but no longer than SETTLE_MOST such steps. */
static void settle(void)
{
	const struct timespec step = {0, 1000000};

	for (int k = 0; k < SETTLE_MOST; k++) {
		const double before = processor_seconds();

		nanosleep(&step, NULL);
		if (processor_seconds() - before < SETTLED_SECONDS)
			return;
	}
}

/* Clears the upper halves of the vector registers, so that SSE code runs at full speed whatever ran
 * before it. Some processors do not see them as clear after the thread has slept (Zen 4). */
static void clear_registers(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroupper");
#endif
}

static double timed(struct candidate *c, int64_t calls)
{
	double start, end, seconds = 0;

	if (c->before)
		c->before(c->state, calls);
	clear_registers();
	start = tool_seconds();
	if (c->clocked)
		seconds = c->clocked(c->state, calls);
	else
		c->run(c->state, calls);
	end = tool_seconds();
	if (c->after)
		c->after(c->state);
	return seconds > 0 ? seconds : end - start;
}

/* Finds the number of calls in a batch by doubling it until a batch is long enough to be timed. */
static void calibrate(struct candidate *c)
{
	int64_t most = c->most ? c->most : INT64_MAX;
	double seconds = 0, calls;

	c->runs = 0;
	c->calls = 1;
	if (c->single)
		return;
	timed(c, 1);
	while ((seconds = timed(c, c->calls)) < BATCH_SECONDS / 4 && c->calls <= most / 2)
		c->calls *= 2;
	c->first = seconds / (double)c->calls;
	calls = ceil(BATCH_SECONDS / c->first);
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

static void grow(struct candidate *const *candidates, int count, int *capacity)
{
	*capacity = *capacity ? 2 * *capacity : 64;
	for (int i = 0; i < count; i++)
		candidates[i]->sample =
			need(realloc(candidates[i]->sample, (size_t)*capacity * sizeof(double)),
		             "the times");
}

static bool crowded; /* as in measure_crowded */

void measure_crowded(bool more_threads)
{
	crowded = more_threads;
}

/* Returns how often the kernel has taken the processor from a thread of this process. */
static long disturbances(void)
{
	struct rusage usage;

	return !crowded && getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

/* What the kernel counts of this process. */
struct ledger {
	long taken;          /* how often it took a processor from a thread */
	double waited, used; /* seconds of all threads */
};

static struct ledger ledger_now(void)
{
	return (struct ledger){disturbances(), crowded ? NAN : waited_seconds(),
	                       processor_seconds()};
}

/* Tells whether the kernel has not taken a processor from this process since `then`, or for a small
 * part of the time only: in a long batch a daemon always runs. Where threads have ended meanwhile,
 * nobody knows how long they waited. */
static bool undisturbed(struct ledger then)
{
	const struct ledger now = ledger_now();
	const double waited = now.waited - then.waited;

	return now.taken == then.taken ||
	       (waited >= 0 && waited <= MOST_WAITED * (waited + now.used - then.used));
}

/* Times a batch, and repeats it a few times at most if it was disturbed. Returns the seconds of one
 * call in the first undisturbed attempt, else in the shortest. */
static double batch(struct candidate *c)
{
	double shortest = HUGE_VAL;
	bool alone = false;

	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		const struct ledger then = ledger_now();
		const double seconds = timed(c, c->calls);

		alone = undisturbed(then);
		c->runs += c->calls;
		if (alone || seconds < shortest)
			shortest = seconds;
		if (alone || seconds > COLD_SECONDS)
			break;
	}
	c->disturbed += !alone;
	return shortest / (double)c->calls;
}

static void one_batch(struct candidate *c, int round)
{
	const double last = round ? c->sample[round - 1] : c->first;

	settle();
	if (last < COLD_SECONDS && !c->single)
		timed(c, last < BATCH_SECONDS && !c->most ? WARM_CALLS : 1);
	c->sample[round] = batch(c);
}

/* Shows how much of the time has passed that the rounds will take, as far as it is known after some
 * batches. */
static void show(struct tool_progress *progress, double spent, double seconds, int batches,
                 int count, int rounds)
{
	const double needed = spent / batches * count * (rounds ? rounds : MIN_ROUNDS),
		     all = rounds || needed > seconds ? needed : seconds;

	tool_progress_step(progress, (int64_t)(1000 * spent), (int64_t)(1000 * all));
}

int measure_rounds(struct candidate *const *candidates, int count, double seconds, int rounds,
                   struct tool_progress *progress)
{
	uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
	int *order = need(malloc((size_t)(count + 1) * sizeof *order), "the times");
	const int most = rounds ? rounds : MAX_ROUNDS;
	int done = 0, capacity = 0;
	double start, spent = 0;

	for (int i = 0; i < count; i++) {
		order[i] = i;
		calibrate(candidates[i]);
	}
	start = tool_seconds();
	while (done < most && (rounds || done < MIN_ROUNDS || spent < seconds)) {
		if (done == capacity)
			grow(candidates, count, &capacity);
		shuffle(order, count, &seed);
		for (int i = 0; i < count; i++) {
			one_batch(candidates[order[i]], done);
			spent = tool_seconds() - start;
			show(progress, spent, seconds, done * count + i + 1, count, rounds);
		}
		done++;
	}
	free(order);
	return done;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double measure_quantile(const double *value, int count, double q)
{
	double at = q * (count - 1), result;
	const int below = (int)at;

	if (count < 1)
		return NAN;
	double *sorted = need(malloc((size_t)count * sizeof *sorted), "the times");

	memcpy(sorted, value, (size_t)count * sizeof *sorted);
	qsort(sorted, (size_t)count, sizeof *sorted, ascending);
	result = sorted[below];
	if (below + 1 < count)
		result += (at - below) * (sorted[below + 1] - sorted[below]);
	free(sorted);
	return result;
}

static double quantile_of(const struct candidate *a, const struct candidate *b, int rounds,
                          bool ratio, double q)
{
	double *each = need(malloc((size_t)(rounds + 1) * sizeof *each), "the times"), value;

	for (int r = 0; r < rounds; r++)
		each[r] = ratio ? a->sample[r] / b->sample[r] : a->sample[r] - b->sample[r];
	value = measure_quantile(each, rounds, q);
	free(each);
	return value;
}

double measure_ratio(const struct candidate *a, const struct candidate *b, int rounds, double q)
{
	return quantile_of(a, b, rounds, true, q);
}

double measure_excess(const struct candidate *a, const struct candidate *b, int rounds)
{
	return quantile_of(a, b, rounds, false, 0.5);
}

/* ---- The K-best scheme ----------------------------------------------------------------------- */

/* Parameters of the K-best scheme (Bryant and O'Hallaron 2003, section 9.4.3; Zhang 2012, section
 * 3.5), which makes times comparable with works that report such times. A candidate is run by
 * itself until its K shortest times differ by a factor of at most 1 + EPSILON, but no more than M
 * times, and the mean of the K shortest is taken. On a quiet machine this is the time of an
 * undisturbed run. On a shared machine it favours candidates that ran at a fast moment, so ratios
 * should be taken from the rounds. If one call is too short for the clock, a run is a batch of
 * calls. The scheme says nothing of its error, so it is repeated. */
enum { K = 5, M = 20 };
#define EPSILON 0.001

static double kbest(struct candidate *c)
{
	double best[K + 1]; /* the K shortest times, ascending, and a spare place */
	double sum = 0;
	int count = 0;

	for (int runs = 0; runs < M && !(count == K && (1 + EPSILON) * best[0] >= best[K - 1]);
	     runs++) {
		const double seconds = timed(c, c->calls) / (double)c->calls;
		int at = count < K ? count++ : K;

		for (; at > 0 && best[at - 1] > seconds; at--)
			best[at] = best[at - 1];
		best[at] = seconds;
	}
	for (int k = 0; k < K; k++)
		sum += best[k];
	return sum / K;
}

void measure_kbest(struct candidate *c, double seconds[KBEST_TIMES])
{
	for (int k = 0; k < KBEST_TIMES; k++)
		seconds[k] = kbest(c);
}

/* ---- Disturbance ----------------------------------------------------------------------------- */

#define MOST_DISTURBED 0.1 /* share of disturbed samples above which figures are not used */

double measure_disturbed(double share)
{
	return crowded ? NAN : share;
}

bool disturbed_much(double share)
{
	return share > MOST_DISTURBED;
}

const char *disturbed_text(double share)
{
	return keep("%.0f %% disturbed by other processes", 100 * share);
}

const char *disturbed_warning(int count, int of, const char *what)
{
	return keep("%s disturbed by other processes for more than %.0f %% of the batches: do not "
	            "use these figures",
	            of == 1 ? "the measurement was"
	                    : keep("%d of %d %s %s", count, of, what, count == 1 ? "was" : "were"),
	            100 * MOST_DISTURBED);
}

void disturbed_warn(int count, int of, const char *what, FILE *out)
{
	const bool color = tool_color(out);

	if (count)
		tool_paragraph(out, "%s%s%s", color ? "\033[1;31m" : "",
		               disturbed_warning(count, of, what), color ? "\033[0m" : "");
}
