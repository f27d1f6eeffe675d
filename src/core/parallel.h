/* SPDX-License-Identifier: BSD-3-Clause
 * Threads, which are started in parallel.c alone, and how work is cut into pieces. Part of
 * core/ek_core.h. */
#ifndef EK_PARALLEL_H
#define EK_PARALLEL_H

typedef void eki_part_fn(void *arg, int part);
/* Calls fn(arg, 0) ... fn(arg, parts - 1), by up to `threads` threads; correct for any number of
 * threads that the run time really grants. Returns when all are done. */
void eki_parallel(int threads, int parts, eki_part_fn *fn, void *arg);
/* Calls fn(arg, member, members) by all members of a team at the same time, so they may wait for
 * each other; `members` is what the run time grants, 1 to `threads`. */
typedef void eki_team_fn(void *arg, int member, int members);
void eki_team(int threads, eki_team_fn *fn, void *arg);
/* Something that happens once, and that other threads wait for. Zeroed memory is "not yet". What
 * was written before the set is seen after the wait. */
typedef struct eki_event {
	_Atomic int set;
} eki_event;
void eki_event_set(eki_event *event);
void eki_event_wait(eki_event *event);
/* Something that is done in turn, 0, 1, 2 and so on: what was written before a pass is seen by
 * whoever waits for the next number. */
typedef struct eki_turn {
	_Atomic int64_t now;
} eki_turn;
void eki_turn_wait(eki_turn *turn, int64_t number);
void eki_turn_pass(eki_turn *turn, int64_t number); /* `number` is done, by whoever waited for it */
/* What the run time would use by default. */
int eki_default_threads(void);
/* The run time of threads, "libgomp"; "none". And the version of OpenMP that it was compiled for;
 * NULL: none. */
const char *eki_thread_run_time(void);
const char *eki_openmp_version(void);
/* [0, n) cut into `parts` nearly equal ranges: the start of range `part`; part = parts gives n. */
static inline int64_t eki_cut(int64_t n, int parts, int part)
{
	return n / parts * part + (n % parts < part ? n % parts : part);
}
/* n things in groups of `size`, the last of which may have fewer: how many groups, and where one
 * begins; behind the last, n. */
static inline int64_t eki_groups(int64_t n, int64_t size)
{
	return n / size + (n % size != 0);
}
static inline int64_t eki_group(int64_t n, int64_t size, int64_t group)
{
	return group * size < n ? group * size : n;
}

#endif
