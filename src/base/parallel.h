/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that split work into parts and run it on threads. Only parallel.c starts threads. Part
 * of base/base.h. */
#ifndef EK_PARALLEL_H
#define EK_PARALLEL_H

typedef void eki_part_fn(void *arg, int part);
/* Calls fn(arg, 0) ... fn(arg, parts - 1) on up to `threads` threads and returns when all calls are
 * done. All calls are made even if OpenMP grants fewer threads. */
void eki_parallel(int threads, int parts, eki_part_fn *fn, void *arg);
/* Calls fn(arg, member, members) on all threads of a team at the same time, so the threads may wait
 * for each other. `members` is the number of threads that OpenMP grants, from 1 to `threads`. */
typedef void eki_team_fn(void *arg, int member, int members);
void eki_team(int threads, eki_team_fn *fn, void *arg);
/* An event that happens once and that other threads can wait for. Zeroed memory is an event that
 * has not happened. All writes of a thread before its eki_event_set are visible to other threads
 * after their eki_event_wait. */
typedef struct eki_event {
	_Atomic int set;
} eki_event;
void eki_event_set(eki_event *event);
void eki_event_wait(eki_event *event);
/* Waits a moment for another thread. The first 2000 tries only pause the processor, since the other
 * thread should be quick. Later tries yield, since the other thread may need this processor. */
void eki_pause(int64_t tries);
/* A counter by which threads take turns, in the order of their numbers 0, 1, 2 and so on. All
 * writes of a thread before its eki_turn_pass are visible to the thread that waits for the next
 * number. */
typedef struct eki_turn {
	_Atomic int64_t now;
} eki_turn;
void eki_turn_wait(eki_turn *turn, int64_t number);
void eki_turn_pass(eki_turn *turn, int64_t number); /* ends a turn that eki_turn_wait began */
/* A spin lock, for short critical sections. Zeroed memory is an unlocked lock. */
typedef struct eki_lock {
	_Atomic int taken;
} eki_lock;
void eki_lock_take(eki_lock *lock);
void eki_lock_give(eki_lock *lock);
/* Returns the number of threads that OpenMP uses by default, or 1 without OpenMP. */
int eki_default_threads(void);
/* Returns the name of the library that runs the threads, such as "libgomp", or "none". */
const char *eki_thread_run_time(void);
/* Returns the version of OpenMP that the library was compiled for, or NULL if it was compiled
 * without OpenMP. */
const char *eki_openmp_version(void);
/* Cuts [0, n) into `parts` nearly equal ranges and returns the start of range number `part`, or n
 * if `part` equals `parts`. */
static inline int64_t eki_cut(int64_t n, int parts, int part)
{
	return n / parts * part + (n % parts < part ? n % parts : part);
}
/* Returns the number of groups if n items are divided into groups of `size`. The last group may be
 * smaller. */
static inline int64_t eki_groups(int64_t n, int64_t size)
{
	return n / size + (n % size != 0);
}
/* Returns the first item of group `group` if n items are divided into groups of `size`, or n if
 * there are fewer groups. */
static inline int64_t eki_group(int64_t n, int64_t size, int64_t group)
{
	return group * size < n ? group * size : n;
}

#endif
