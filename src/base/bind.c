/* SPDX-License-Identifier: BSD-3-Clause
 * Workers bound to processors, as long as there is a context that asks for it (EK_BIND). Worker w
 * then runs on processor w + 1 of those that the process may use, counted from 0 and around. So
 * measurements do not depend on where the system puts threads. Threads that call the library are
 * not ours to bind, as threads that they start later would inherit it. A caller that begins a job
 * on another processor than the first is moved there, where no worker is bound, and may be moved
 * away by the system. This is for programs in which one thread calls the library.
 *
 * The processors are those of the thread that made the first context with EK_BIND, and are asked
 * for again when no context asks for binding and no worker runs. A worker is
 * bound by itself when it begins, before it takes part in a job, and by the thread that changes
 * whether workers are bound. A worker looks again after it has done so, so the last change counts.
 *
 * Zhang 2012, section 3.3, binds each thread to a processor of its own. */
#define _GNU_SOURCE /* pthread_setaffinity_np, cpu_set_t */
#include "base/bind.h"

#if EKI_POOL && defined(__linux__)

#include <sched.h>

static _Atomic int binders; /* number of contexts that ask for it */
static cpu_set_t processors;
static bool known;                /* whether `processors` is */
static _Atomic int first_of = -1; /* the first processor, or -1 */
static _Thread_local bool stays;  /* whether this thread is not moved when it begins a job */

/* Returns the processor with that number, counted around; -1 if none is known. */
static int processor(int number)
{
	const int count = CPU_COUNT(&processors);
	int left = count ? number % count : 0;

	for (int cpu = 0; count && cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET((size_t)cpu, &processors) && left-- == 0)
			return cpu;
	return -1;
}

/* Binds a worker to a processor, or lets it run on all if `cpu` is -1. If the system refuses, as it
 * does for processors that were taken from the process, the worker stays as it is. */
static void put(pthread_t worker, int cpu)
{
	cpu_set_t set = processors;

	if (cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET((size_t)cpu, &set);
	}
	pthread_setaffinity_np(worker, sizeof set, &set);
}

void eki_bind_new(eki_worker *w)
{
	atomic_store(&w->cpu, atomic_load(&binders) ? processor(w->lane) : -1);
}

void eki_bind_self(eki_worker *w)
{
	for (int now, cpu = -1; (now = atomic_load(&w->cpu)) != cpu; cpu = now)
		put(pthread_self(), now);
}

static void change(int by)
{
	const int before = atomic_fetch_add(&binders, by);

	if (before != 0 && before + by != 0)
		return;
	for (int w = 0; known && w < atomic_load(&eki_workers_running); w++) {
		eki_bind_new(&eki_workers[w]);
		put(eki_workers[w].thread, atomic_load(&eki_workers[w].cpu));
	}
}

void eki_bind_hold(void)
{
	const bool unused = atomic_load(&binders) == 0 && atomic_load(&eki_workers_running) == 0;

	if ((!known || unused) && sched_getaffinity(0, sizeof processors, &processors) == 0) {
		known = true;
		atomic_store(&first_of, processor(0));
	}
	change(1);
}

void eki_bind_drop(void)
{
	change(-1);
}

void eki_bind_never(void)
{
	stays = true;
}

void eki_bind_caller(void)
{
	const int first = atomic_load_explicit(&first_of, memory_order_relaxed);
	const pthread_t self = pthread_self();
	cpu_set_t may, one;

	if (stays || !atomic_load_explicit(&binders, memory_order_relaxed) || first < 0 ||
	    eki_this_cpu() == first || pthread_getaffinity_np(self, sizeof may, &may) != 0 ||
	    !CPU_ISSET((size_t)first, &may))
		return;
	CPU_ZERO(&one);
	CPU_SET((size_t)first, &one);
	if (pthread_setaffinity_np(self, sizeof one, &one) == 0)
		pthread_setaffinity_np(self, sizeof may, &may);
}

#endif
