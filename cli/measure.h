/* SPDX-License-Identifier: BSD-3-Clause
 * Timing of candidates side by side (measure.c) and by the K-best scheme (measure_kbest.c), the
 * read and copy bandwidth probes (measure_read.c, measure_copy.c), and the bare loop that small
 * products are compared with (measure_bare.c), and what other processes disturbed
 * (measure_disturbed.c).
 */
#ifndef EK_MEASURE_H
#define EK_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "ek.h"

/* Something that can be called again and again. `run` makes `calls` calls; the loop is inside, so
 * that the price of getting there is not part of a call that takes nanoseconds. */
struct candidate {
	void (*run)(void *state, int64_t calls);
	/* Makes the calls and gives their seconds, above 0, by another clock, that of a device;
	 * NULL: `run` by the processor's. */
	double (*clocked)(void *state, int64_t calls);
	void *state;
	/* What must be done before every `calls` calls and is not timed, for runs that use up their
	 * input; NULL: nothing. `most` is the number of calls that it can prepare, 0: any. */
	void (*before)(void *state, int64_t calls);
	int64_t most;
	/* filled in by measure_rounds */
	int64_t calls;  /* in one batch */
	int64_t runs;   /* timed calls in all */
	int disturbed;  /* rounds in which another process took a processor in every attempt */
	double *sample; /* seconds of one call, one for each round */
};

struct measure_limits {
	double seconds; /* time to spend, at least five rounds are made anyway */
	int rounds;     /* 0: as many as fit */
};

/* Times all candidates, round after round, in a new order each time. Returns the number of rounds;
 * each candidate then has that many samples. 0: no memory. */
int measure_rounds(struct candidate *candidates, int count, const struct measure_limits *limits,
                   struct tool_progress *progress);
void measure_free(struct candidate *candidates, int count);

/* Seconds of one call in one batch of c->calls, which measure_rounds has chosen. */
double measure_batch(struct candidate *c);

/* The K-best time of a candidate that measure_rounds has seen, in seconds; *runs is how many
 * batches that took (measure_kbest.c). */
double measure_kbest(struct candidate *c, int *runs);

/* The q-quantile (0 .. 1) of `value`, which is not changed; NAN if count is 0. */
double measure_quantile(const double *value, int count, double q);
/* The median over the rounds of a / b. */
double measure_ratio(const struct candidate *a, const struct candidate *b, int rounds);

/* A private buffer that is read from one end to the other by `threads` threads. */
struct read_probe {
	uint64_t *data;
	int64_t bytes;
	int threads, way;
	uint64_t sum;
};
bool read_probe_make(struct read_probe *probe, int64_t bytes, int threads);
void read_probe_run(void *probe, int64_t calls);
void read_probe_free(struct read_probe *probe);
/* GB/s from a buffer that no cache holds (1 GiB, less on machines with little memory), at best;
 * measured once for each number of threads; 0 if there is no memory for it. */
double read_probe_memory(int threads);

/* Copies of one array to another by `threads` threads, each its own contiguous part: by memcpy, or
 * by stores that pass the caches by (measure_copy.c). */
struct copy_probe {
	const char *from;
	char *to;
	int64_t bytes;
	int threads;
	bool stream; /* non-temporal */
};
void copy_probe_run(void *probe, int64_t calls);

/* y = A x as anybody would write it, with nothing around it. */
struct bare_loop {
	ek_value value;
	ek_index index;
	int64_t rows;
	const void *row_ptr, *col_idx, *val, *x;
	void *y;
};
void bare_loop_run(void *loop, int64_t calls);

/* Other processes on the processors (measure_disturbed.c). Is this share of the samples so large that
 * the figures mean nothing? */
enum { DISTURBED_TEXT = 160 };
bool disturbed_much(double share);
/* "25 % disturbed by other processes", empty if it is not so large. Both return `text`. */
const char *disturbed_text(char text[DISTURBED_TEXT], double share);
/* "2 of 5 matrices were disturbed ...: do not use these figures" */
const char *disturbed_warning(char text[DISTURBED_TEXT], int count, int of, const char *what);
/* The same on a terminal; nothing if count is 0. */
void disturbed_warn(int count, int of, const char *what, FILE *out);

#endif
