/* SPDX-License-Identifier: BSD-3-Clause
 * Timing of candidates side by side and by the K-best scheme, and disturbance by other processes
 * (measure.c); the probes of read and copy bandwidth (measure_probe.c); the bare loop that small
 * products are compared with (measure_bare.c).
 */
#ifndef EK_MEASURE_H
#define EK_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "../cli/ek.h"

/* Something that is timed. `run` makes `calls` calls; the loop is inside `run`, so that the cost of
 * calling it through a pointer is not part of a call that takes nanoseconds. */
struct candidate {
	void (*run)(void *state, int64_t calls);
	/* Makes the calls and returns their seconds on a device's clock. If it is NULL or returns
	 * 0, the processor's clock counts. */
	double (*clocked)(void *state, int64_t calls);
	void *state;
	/* Prepares fresh inputs for `calls` calls, untimed; NULL if calls do not change their
	 * input. `most` is the number of calls that it can prepare, or 0 if there is no limit. */
	void (*before)(void *state, int64_t calls);
	int64_t most;
	/* Puts away, untimed, what the calls made; NULL if they made nothing. */
	void (*after)(void *state);
	/* One call is a batch, and no call before it warms anything up: for what is made once. */
	bool single;
	/* The rest is filled in by measure_rounds. */
	int64_t calls;  /* number of calls in one batch */
	int64_t runs;   /* number of all timed calls */
	int disturbed;  /* number of rounds in which other processes disturbed every attempt */
	double first;   /* seconds of one call before the rounds */
	double *sample; /* seconds of one call in each round */
};

/* Times all candidates, round after round, each round in a new order: `rounds` times or, if that is
 * 0, as often as fits into `seconds`, but at least five times. Returns the number of rounds, which
 * is the number of samples of each candidate. The caller frees the samples. */
int measure_rounds(struct candidate *const *candidates, int count, double seconds, int rounds,
                   struct tool_progress *progress);

/* Finds the K-best time, in seconds, of a candidate that measure_rounds has timed, KBEST_TIMES
 * times. */
enum { KBEST_TIMES = 3 };
void measure_kbest(struct candidate *c, double seconds[KBEST_TIMES]);

/* Counts the misses of the last-level cache in one batch of a candidate that measure_rounds has
 * timed, and sets *misses to those of one call (counters.c). Returns NULL, or why they cannot be
 * counted. */
const char *measure_misses(struct candidate *c, double *misses);

/* Returns the q-quantile of `count` values, with q from 0 to 1; NAN if there are none. */
double measure_quantile(const double *value, int count, double q);
/* Returns half of the 95 % interval of the logarithm of a median of n values, from their 10th and
 * 90th percentile; infinity if it is not known, as with one or two values (median.c). */
double median_error(double median, double p10, double p90, double n);
/* Return the q-quantile over the rounds of the time of `a` divided by that of `b`; the median of
 * the time of `a` minus that of `b`, in seconds. */
double measure_ratio(const struct candidate *a, const struct candidate *b, int rounds, double q);
double measure_excess(const struct candidate *a, const struct candidate *b, int rounds);

/* Allocates zeros, each part touched first by the thread that will use it (array_data.c). The
 * caller frees them with free(). Returns NULL if there is no memory. */
void *data_alloc(int64_t bytes, int threads);

/* A probe of read bandwidth: a buffer that `threads` threads read from one end to the other. `way`
 * is the loop that reads. */
struct read_probe {
	uint64_t *data;
	int64_t bytes;
	int threads, way;
	uint64_t sum;
};
bool read_probe_make(struct read_probe *probe, int64_t bytes, int threads);
void read_probe_run(void *probe, int64_t calls);
void read_probe_free(void *probe);
/* Returns the best GB/s at which `threads` threads read a buffer larger than any cache (1 GiB, less
 * on machines with little memory), or 0 if there is no memory for it. The last number of threads
 * and its result are remembered. */
double read_probe_memory(int threads);

/* A probe of copy bandwidth: `threads` threads copy one array to another, each a contiguous part,
 * by memcpy or by non-temporal stores. */
struct copy_probe {
	const char *from;
	char *to;
	int64_t bytes;
	int threads;
	bool stream; /* copies by non-temporal stores */
};
void copy_probe_run(void *probe, int64_t calls);

/* The operands of a plain loop for y = A x, without checks and calls around it. */
struct bare_loop {
	ek_value value;
	ek_index index;
	int64_t rows;
	const void *row_ptr, *col_idx, *val, *x;
	void *y;
};
void bare_loop_run(void *loop, int64_t calls);

/* Says that this process may have more threads at work than there are processors, because it was
 * told to (--threads), or as with an OpenCL driver whose device is the processor: then its own
 * threads take processors from each other, and nobody can tell whether other processes did. */
void measure_crowded(bool more_threads);
/* Tells whether these are more threads than this process has processors (waits.c). */
bool more_than_processors(int threads);
/* Returns how long the living threads of this process have waited for a processor, in seconds and
 * added up, or NAN if the kernel does not say. */
double waited_seconds(void);
/* Returns the share of disturbed samples, or NAN if that cannot be told. */
double measure_disturbed(double share);
/* Tells whether the share of the samples that other processes disturbed is too large for the
 * figures to mean anything. */
bool disturbed_much(double share);
/* Return texts such as "25 % disturbed by other processes", and "2 of 5 matrices were disturbed
 * ...: do not use these figures"; `what` is the plural noun. */
const char *disturbed_text(double share);
const char *disturbed_warning(int count, int of, const char *what);
/* Prints the text of disturbed_warning, or nothing if `count` is 0. */
void disturbed_warn(int count, int of, const char *what, FILE *out);

#endif
