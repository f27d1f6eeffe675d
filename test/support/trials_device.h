/* SPDX-License-Identifier: BSD-3-Clause
 * Plans with hints.measure in contexts with a device, with made-up times, and a driver that counts
 * and whose calls fail on request. Values are small integers, so that every method gives the same
 * bits. */
#ifndef TEST_TRIALS_DEVICE_H
#define TEST_TRIALS_DEVICE_H

#include "gpu/gpu.h"
#include "support/trials.h"

/* Times are trials_scale times those of support/trials.h. With TRIALS_SCALE, the default, there is
 * time to compile kernels. */
enum { CALLS = 2000, TRIALS_SCALE = 1000 };
extern double trials_scale;

extern struct trials_watch {
	_Atomic long pending;  /* launches since the last wait */
	bool first;            /* whether the next launch notes `pending` */
	long before;           /* what it was then */
	_Atomic long launches; /* launches so far */
	long launch_at;        /* number of the one that fails */
	_Atomic long allocs;   /* the same for memory of the device */
	long alloc_at;
	bool persistent; /* whether all allocations after that one fail, too */
	bool loads;      /* whether first runs take longer, since kernels are loaded */
	const ek_method *loaded[NAMED];
} trials_watch;

/* Makes ctx on a device, with its driver watched, and A. */
void trials_open(const char *name, ek_device_memory memory);
void trials_close(void);
ek_plan *trials_plan(ek_operation operation, ek_op op, int64_t calls);
/* Fills z with the right result. */
void trials_right(ek_operation operation, ek_op op, double beta);
/* Return the number of the candidate with a method, or that of the processor, or 0 if there is
 * none. */
int trials_find(const eki_trials *t, const char *method);
int trials_find_beside(const eki_trials *t);
/* Lets no call fail any more, and counts from 0. */
void trials_watch_reset(void);

/* Calls that fail on request: of the driver, and of the heap of ctx. */
typedef enum trials_call { TRIALS_LAUNCH, TRIALS_ALLOC, TRIALS_HEAP } trials_call;
/* Makes call n from now on fail, and allocations after it, too, if `persistent` is true. */
void trials_fail(trials_call call, long n, bool persistent);
/* Lets no such call fail any more. Returns whether call n was made. */
bool trials_failed(trials_call call, long n);
/* Returns how many candidates were given up for a reason. */
int trials_given_up(const eki_trials *t, const char *why);
#define TRIALS_RUN_FAILED "a run of it failed"
#define TRIALS_NO_MEMORY  "there was no memory for it"

#endif
