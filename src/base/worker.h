/* SPDX-License-Identifier: BSD-3-Clause
 * The workers of the pool of threads. The idea is in base/pool.c. */
#ifndef EK_BASE_WORKER_H
#define EK_BASE_WORKER_H

#include <pthread.h>

#include "base/job.h"

/* Most sleepers that one thread wakes for a job. */
enum { EKI_WAKES = 4 };

/* The mail of a worker: what it does, or the number of a job plus EKI_OFFER. */
enum { EKI_LOOKING, EKI_ASLEEP, EKI_BUSY, EKI_STOP, EKI_OFFER };

typedef struct eki_worker {
	_Alignas(EKI_LINE) _Atomic uint32_t mail;
	sem_t wake;
	pthread_t thread;
	int lane;            /* whose parts it prefers */
	_Atomic int cpu;     /* processor that it is bound to (base/bind.c), or -1 */
	const eki_job *last; /* the job that it was in last */
	/* The job in whose way it was last, and that job's number. */
	const eki_job *in_way;
	uint32_t in_way_number;
} eki_worker;

extern eki_worker eki_workers[EKI_WORKERS];
extern _Atomic int eki_workers_running; /* their number */

/* Tells `want` workers about a job, those first who look at their mail, and of those who sleep at
 * most EKI_WAKES. */
void eki_offer(const eki_job *j, int want);
/* What a worker does until it is told to stop; `arg` is the worker. */
void *eki_worker_run(void *arg);

#endif
