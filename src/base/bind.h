/* SPDX-License-Identifier: BSD-3-Clause
 * Binding the workers of the pool to processors (bind.c). Elsewhere than on Linux nothing is
 * bound. */
#ifndef EK_BASE_BIND_H
#define EK_BASE_BIND_H

#include "base/worker.h"

#if EKI_POOL && defined(__linux__)

/* Begin and end binding for one context. The caller has the lock on starting and ending workers. */
void eki_bind_hold(void);
void eki_bind_drop(void);
/* Says where a worker will be that is about to start; called with the same lock. */
void eki_bind_new(eki_worker *w);
/* Puts the calling worker where it shall be. */
void eki_bind_self(eki_worker *w);
/* Moves the thread that begins a job to the first processor if workers are bound. */
void eki_bind_caller(void);
/* Says that the calling thread is not to be moved so: one that works beside the caller. */
void eki_bind_never(void);

#else

static inline void eki_bind_hold(void)
{
}

static inline void eki_bind_drop(void)
{
}

static inline void eki_bind_new(eki_worker *w)
{
	(void)w;
}

static inline void eki_bind_self(eki_worker *w)
{
	(void)w;
}

static inline void eki_bind_caller(void)
{
}

static inline void eki_bind_never(void)
{
}

#endif
#endif
