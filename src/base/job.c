/* SPDX-License-Identifier: BSD-3-Clause
 * The jobs of the pool of threads: parts and doors (base/job.h). */
#define _GNU_SOURCE /* sched_getcpu */
#include "base/job.h"

#if EKI_POOL

#include <errno.h>
#include <sched.h>

eki_job eki_jobs[EKI_JOBS];
_Atomic int eki_jobs_used;

int eki_this_cpu(void)
{
#ifdef __linux__
	return sched_getcpu();
#else
	return -1;
#endif
}

void eki_sleep_on(sem_t *s)
{
	while (sem_wait(s) != 0 && errno == EINTR) {
	}
}

/* ---- Parts ----------------------------------------------------------------------------------- */

int eki_job_own(eki_job *j, int lane)
{
	int k = atomic_load_explicit(&j->lane[lane], memory_order_relaxed);

	while ((int64_t)k * j->threads + lane < j->parts)
		if (atomic_compare_exchange_weak_explicit(
			    &j->lane[lane], &k, k + 1, memory_order_relaxed, memory_order_relaxed))
			return k * j->threads + lane;
	return -1;
}

int eki_job_lowest(eki_job *j)
{
	for (;;) {
		int64_t part = j->parts;

		for (int lane = 0; lane < j->threads; lane++) {
			int64_t k = atomic_load_explicit(&j->lane[lane], memory_order_relaxed);

			if (k * j->threads + lane < part)
				part = k * j->threads + lane;
		}
		if (part == j->parts)
			return -1;

		int k = (int)(part / j->threads);

		if (atomic_compare_exchange_strong_explicit(&j->lane[part % j->threads], &k, k + 1,
		                                            memory_order_relaxed,
		                                            memory_order_relaxed))
			return (int)part;
	}
}

/* ---- Doors ----------------------------------------------------------------------------------- */

/* Threads begin to look where they last found a job, so each keeps the memory of its own. */
eki_job *eki_job_take(void)
{
	static _Thread_local int last;

	for (int k = 0; k < EKI_JOBS; k++) {
		int number = (last + k) % EKI_JOBS, used = atomic_load(&eki_jobs_used);
		uint32_t free = 0;

		if (atomic_load_explicit(&eki_jobs[number].door, memory_order_relaxed) ||
		    !atomic_compare_exchange_strong_explicit(&eki_jobs[number].door, &free,
		                                             EKI_TAKEN, memory_order_acquire,
		                                             memory_order_relaxed))
			continue;
		while (used <= number &&
		       !atomic_compare_exchange_weak(&eki_jobs_used, &used, number + 1)) {
		}
		last = number;
		return &eki_jobs[number];
	}
	return NULL;
}

void eki_job_open(eki_job *j, int room, int parts, eki_part_fn *fn, void *arg)
{
	atomic_fetch_add_explicit(&j->number, 1, memory_order_relaxed);
	j->threads = room + 1;
	j->parts = parts;
	atomic_store_explicit(&j->cpu, eki_this_cpu(), memory_order_relaxed);
	j->fn = fn;
	j->arg = arg;
	for (int lane = 0; lane <= room; lane++)
		atomic_store_explicit(&j->lane[lane], 0, memory_order_relaxed);
	atomic_store_explicit(&j->door, EKI_TAKEN | EKI_OPEN | (uint32_t)room,
	                      memory_order_release);
}

bool eki_job_enter(eki_job *j)
{
	uint32_t door = atomic_load_explicit(&j->door, memory_order_relaxed);

	while (door & EKI_OPEN && door & EKI_ROOM)
		if (atomic_compare_exchange_weak_explicit(&j->door, &door, door + EKI_ONE_IN - 1,
		                                          memory_order_acquire,
		                                          memory_order_relaxed))
			return true;
	return false;
}

void eki_job_close(eki_job *j)
{
	if (atomic_load_explicit(&j->door, memory_order_relaxed) & EKI_OPEN)
		atomic_fetch_and_explicit(&j->door, ~EKI_OPEN, memory_order_relaxed);
}

void eki_job_leave(eki_job *j)
{
	uint32_t door = atomic_fetch_sub_explicit(&j->door, EKI_ONE_IN, memory_order_release);

	if (door & EKI_SLEEPS && (door & EKI_INSIDE) == EKI_ONE_IN)
		sem_post(&j->empty);
}

void eki_job_wait(eki_job *j)
{
	uint32_t door;
	int64_t until = 0;

	for (int look = 1;
	     (door = atomic_load_explicit(&j->door, memory_order_acquire)) & EKI_INSIDE; look++) {
		eki_relax();
		if (look % EKI_LOOKS)
			continue;
		if (!until)
			until = eki_now_ns() + EKI_SPIN_NS;
		else if (eki_now_ns() > until &&
		         atomic_compare_exchange_strong_explicit(&j->door, &door, door | EKI_SLEEPS,
		                                                 memory_order_relaxed,
		                                                 memory_order_relaxed))
			eki_sleep_on(&j->empty); /* then nobody is inside */
	}
	atomic_store_explicit(&j->door, 0, memory_order_release);
}

#endif
