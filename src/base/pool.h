/* SPDX-License-Identifier: BSD-3-Clause
 * The pool of threads behind eki_parallel (base/parallel.c), which alone uses it. It is left out if
 * the build chooses OpenMP (EK_OPENMP) or no threads (EK_NO_THREADS), and on systems that have no
 * threads of POSIX. */
#ifndef EK_BASE_POOL_H
#define EK_BASE_POOL_H

#include <stdint.h>
#if defined(__unix__)
#include <unistd.h>
#endif

#include "base/base.h"

#if !defined(EK_OPENMP) && !defined(EK_NO_THREADS) && defined(_POSIX_THREADS) && _POSIX_THREADS > 0
#define EKI_POOL 1
#else
#define EKI_POOL 0
#endif

/* How long a thread that waits looks before it sleeps, or gives its processor to another thread. To
 * sleep and to be woken takes several microseconds, on virtual machines tens of them. Whoever looks
 * for about that time never loses more than twice what the best choice would have taken. */
enum { EKI_SPIN_NS = 50000 };

/* Returns the time in nanoseconds, from some fixed moment. */
int64_t eki_now_ns(void);
/* Tells the processor that this thread waits in a loop. */
static inline void eki_relax(void)
{
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
	__builtin_ia32_pause();
#elif defined(__GNUC__) && defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Does what eki_parallel promises, for threads > 1 and parts >= threads. */
void eki_pool_run(int threads, int parts, eki_part_fn *fn, void *arg);
/* Adds a context to those that may use the pool (hold), or takes one away (drop). With the last one
 * the threads of the pool end. With `bind`, the context asks for threads that are bound to
 * processors (bind.c). */
void eki_pool_hold(bool bind);
void eki_pool_drop(bool bind);
/* Returns how many threads the pool has now, without the callers. */
int eki_pool_threads(void);

#endif
