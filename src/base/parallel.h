/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that split work into parts and run it on threads. Only base/pool.c and parallel.c start
 * threads. Part
 * of base/base.h. */
#ifndef EK_PARALLEL_H
#define EK_PARALLEL_H

typedef void eki_part_fn(void *arg, int part);
/* Calls fn(arg, 0) ... fn(arg, parts - 1) on up to `threads` threads and returns when all calls are
 * done. How many threads really work is decided while they do, and may be one. Parts may be called
 * in any order, so a part must not wait for another one, which may begin only after it. It may wait
 * for work that some part took from a common counter, since the thread that took it goes on. */
void eki_parallel(const ek_context *ctx, int threads, int parts, eki_part_fn *fn, void *arg);
/* Calls other(arg) in a thread of its own and here(arg) in the calling thread, at the same time.
 * Both may call eki_parallel and allocate memory. Calls `other` first and then `here` if `threads`
 * is 1, if no thread can be started, or if the context has functions of the caller's (memory hooks,
 * log, executor), which may be called only in threads that call the library. */
void eki_beside(const ek_context *ctx, int threads, void *(*other)(void *), void (*here)(void *),
                void *arg);
/* Adds a context to those that may call eki_parallel (hold), or takes one away (drop). With the
 * last one all threads of the library end. With `bind`, the context asks for threads that are bound
 * to processors. */
void eki_threads_hold(bool bind);
void eki_threads_drop(bool bind);
/* Returns how many threads the library's pool has started and not ended. Used by tests. */
int eki_threads_running(void);
/* An event that happens once and that other threads can wait for. Zeroed memory is an event that
 * has not happened. All writes of a thread before its eki_event_set are visible to other threads
 * after their eki_event_wait. */
typedef struct eki_event {
	_Atomic int set;
} eki_event;
void eki_event_set(eki_event *event);
void eki_event_wait(eki_event *event);
/* A wait for another thread, which begins with zeros. */
typedef struct eki_wait {
	int64_t until; /* when this thread begins to yield */
	uint32_t looks;
} eki_wait;
/* Waits a moment for another thread. In the first tens of microseconds it only pauses the
 * processor, since the other thread should be quick. Later it yields, since the other thread may
 * need this processor. */
void eki_pause(eki_wait *wait);
/* Calls `make` if no thread has done so with this state, which is 0 before the first call. Returns
 * when it has been done. */
void eki_once(_Atomic int *state, void (*make)(void));
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
/* Returns the default number of threads: the first number of OMP_NUM_THREADS if that is set, else
 * the processors of this process, or 1 without threads. */
int eki_default_threads(void);
/* Returns what runs the threads: "pool", the library of OpenMP, such as "libgomp", or "none". */
const char *eki_thread_run_time(void);
/* Returns the version of OpenMP that the library was compiled for, or NULL if OpenMP does not run
 * its threads. */
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
