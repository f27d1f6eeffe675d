/* SPDX-License-Identifier: BSD-3-Clause
 * The workers of the pool of threads: how they learn of jobs, join them and sleep (base/pool.c). */
#define _GNU_SOURCE /* pthread_setname_np, pthread_setaffinity_np */
#include "base/worker.h"

#include "base/bind.h"

#if EKI_POOL

#ifdef __linux__
#include <sched.h>
#endif
#include <time.h>

enum {
	NAP_FIRST_NS = 100 * 1000, /* nap of a worker that was woken in vain */
	NAP_MOST_NS = 4 * 1000 * 1000
};

eki_worker eki_workers[EKI_WORKERS];
_Atomic int eki_workers_running;

/* Writes to the mail of a worker if it is what it is expected to be. */
static bool send(eki_worker *w, uint32_t expected, uint32_t mail)
{
	return atomic_load_explicit(&w->mail, memory_order_relaxed) == expected &&
	       atomic_compare_exchange_strong(&w->mail, &expected, mail);
}

void eki_offer(const eki_job *j, int want)
{
	const int running = atomic_load_explicit(&eki_workers_running, memory_order_acquire);
	const uint32_t text = (uint32_t)(EKI_OFFER + (j - eki_jobs));

	for (int w = 0; w < running && want > 0; w++)
		want -= send(&eki_workers[w], EKI_LOOKING, text);
	for (int w = 0, wakes = 0; w < running && want > 0 && wakes < EKI_WAKES; w++)
		if (send(&eki_workers[w], EKI_ASLEEP, text)) {
			sem_post(&eki_workers[w].wake);
			wakes++;
			want--;
		}
}

enum help {
	NOTHING,    /* there was no open door */
	IN_THE_WAY, /* only doors of callers on the processor that this worker runs on */
	HELPED
};

/* Tells whether the worker runs on the processor where the caller began the job, and learns so for
 * the first time. Later the caller may be elsewhere, and the job is long. */
static bool in_the_way(eki_worker *w, const eki_job *j)
{
	const int cpu = atomic_load_explicit(&j->cpu, memory_order_relaxed);
	const uint32_t number = atomic_load_explicit(&j->number, memory_order_relaxed);

	if (cpu < 0 || cpu != eki_this_cpu() || (w->in_way == j && w->in_way_number == number))
		return false;
	w->in_way = j;
	w->in_way_number = number;
	return true;
}

/* Joins a job and works on its parts. */
static enum help help(eki_worker *w, eki_job *j)
{
	int part, room;

	if (!(atomic_load_explicit(&j->door, memory_order_relaxed) & EKI_OPEN))
		return NOTHING;
	if (in_the_way(w, j))
		return IN_THE_WAY;
	if (!eki_job_enter(j))
		return NOTHING;
	eki_clear_registers();
	w->last = j;
	room = (int)(atomic_load_explicit(&j->door, memory_order_relaxed) & EKI_ROOM);
	if (room > 0)
		eki_offer(j, room < EKI_WAKES ? room : EKI_WAKES);
	if (w->lane < j->threads)
		while ((part = eki_job_own(j, w->lane)) >= 0)
			j->fn(j->arg, part);
	while ((part = eki_job_lowest(j)) >= 0)
		j->fn(j->arg, part);
	eki_job_close(j);
	eki_job_leave(j);
	return HELPED;
}

/* Helps wherever a door is open, beginning with job `first`, until none is. */
static enum help help_all(eki_worker *w, int first)
{
	const int used = atomic_load(&eki_jobs_used);
	enum help all = NOTHING, one;

	for (int k = 0; k < used; k++)
		while ((one = help(w, &eki_jobs[(first + k) % used])) != NOTHING) {
			all = one > all ? one : all;
			if (one == IN_THE_WAY)
				break;
		}
	return all;
}

/* Looks at the mail until there is some, and at the door of the job that it was in last, which the
 * same caller often opens again before the worker is back. Does so for at most EKI_SPIN_NS. Returns
 * whether there was anything, and sets *mail to the mail. */
static bool look(eki_worker *w, uint32_t *mail)
{
	const int64_t until = eki_now_ns() + EKI_SPIN_NS;

	for (int looks = 1; (*mail = atomic_load(&w->mail)) == EKI_LOOKING; looks++) {
		if (atomic_load_explicit(&w->last->door, memory_order_relaxed) & EKI_OPEN)
			return true;
		eki_relax();
		if (looks % EKI_LOOKS == 0 && eki_now_ns() > until)
			return false;
	}
	return true;
}

/* Lets a busy worker sleep for a while, from which no caller wakes it. Returns the time for the
 * next time. */
static int64_t nap(int64_t ns)
{
	const struct timespec t = {0, (long)ns};

	nanosleep(&t, NULL);
	return 2 * ns < NAP_MOST_NS ? 2 * ns : NAP_MOST_NS;
}

/* Moves the calling worker to another processor of those that it may use. The system often wakes a
 * worker where the caller runs, above all after other threads were busy elsewhere. On the other
 * processor the worker takes its turn; callers do not wait for workers that have not joined.
 * Returns false if it stays where it is. */
static bool move_away(eki_worker *w)
{
#ifdef __linux__
	const pthread_t self = pthread_self();
	cpu_set_t may, others;
	const int here = eki_this_cpu();

	if (here < 0 || here >= CPU_SETSIZE || pthread_getaffinity_np(self, sizeof may, &may) != 0)
		return false;
	others = may;
	CPU_CLR((size_t)here, &others);
	if (CPU_COUNT(&others) == 0 || pthread_setaffinity_np(self, sizeof others, &others) != 0)
		return false;
	pthread_setaffinity_np(self, sizeof may, &may);
	eki_bind_self(w); /* it may have been bound meanwhile */
	return true;
#else
	(void)w;
	return false;
#endif
}

void *eki_worker_run(void *arg)
{
	eki_worker *w = arg;
	int64_t next_nap = NAP_FIRST_NS;
	bool useful = true; /* it joined a job since it was last woken */
	uint32_t mail;

#ifdef __linux__
	pthread_setname_np(pthread_self(), "ek-worker");
#endif
	eki_bind_self(w);
	for (;;) {
		bool sleeps = !look(w, &mail);
		enum help got = NOTHING;
		int first;
		uint32_t busy = EKI_BUSY;

		if (mail == EKI_STOP)
			return NULL;
		if (!atomic_compare_exchange_strong(&w->mail, &mail, EKI_BUSY))
			continue;
		first = mail >= EKI_OFFER ? (int)(mail - EKI_OFFER) : (int)(w->last - eki_jobs);
		if (!sleeps)
			got = help_all(w, first);
		if (got == IN_THE_WAY && move_away(w))
			got = help_all(w, first);
		while (got == IN_THE_WAY || (sleeps && !useful)) {
			useful = sleeps = true;
			next_nap = nap(next_nap);
			got = help_all(w, first);
		}
		if (got == HELPED) {
			useful = true;
			sleeps = false;
			next_nap = NAP_FIRST_NS;
		}
		if (atomic_compare_exchange_strong(&w->mail, &busy,
		                                   sleeps ? EKI_ASLEEP : EKI_LOOKING) &&
		    sleeps) {
			eki_sleep_on(&w->wake);
			useful = false;
		}
	}
}

#endif
