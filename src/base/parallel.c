/* SPDX-License-Identifier: BSD-3-Clause
 * Decides who works on the parts into which callers split their work: the caller's own executor
 * (ek_options.parallel), the library's pool of threads (base/pool.c) or, if the build chose it, the
 * OpenMP run time. Who does which part never changes a result, since results depend on the parts
 * alone. Inside a parallel region of the application, OpenMP may grant only one thread. Without any
 * of the three the parts run one after the other. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <ctype.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#if defined(__unix__)
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#endif
#ifdef EK_OPENMP
#ifndef _OPENMP
#error "EK_OPENMP needs the compiler's option for OpenMP"
#endif
#include <omp.h>
#endif

#include "base/bind.h"
#include "base/pool.h"

#ifdef EK_OPENMP
static void run_openmp(int threads, int parts, eki_part_fn *fn, void *arg)
{
#pragma omp parallel num_threads(threads)
	{
		int step = omp_get_num_threads();

		for (int part = omp_get_thread_num(); part < parts; part += step)
			fn(arg, part);
	}
}
#endif

void eki_parallel(const ek_context *ctx, int threads, int parts, eki_part_fn *fn, void *arg)
{
	if (threads > parts)
		threads = parts;
	if (threads > 1) {
		if (ctx->options.parallel) {
			ctx->options.parallel(ctx->options.parallel_user, threads, parts, fn, arg);
			return;
		}
#if EKI_POOL
		eki_pool_run(threads, parts, fn, arg);
		return;
#elif defined(EK_OPENMP)
		run_openmp(threads, parts, fn, arg);
		return;
#endif
	}
	for (int part = 0; part < parts; part++)
		fn(arg, part);
}

#if !defined(EK_NO_THREADS) && defined(_POSIX_THREADS) && _POSIX_THREADS > 0
/* Starts a thread that gets no signals, as these are for the threads of the application. */
static bool start(pthread_t *thread, void *(*fn)(void *), void *arg)
{
	sigset_t all, before;
	bool started;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = pthread_create(thread, NULL, fn, arg) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

/* What the other thread of eki_beside does. */
struct beside {
	void *(*fn)(void *);
	void *arg;
};

static void *run_beside(void *beside)
{
	const struct beside *b = beside;

	eki_bind_never(); /* the caller works on the processor that it would be moved to */
	return b->fn(b->arg);
}

void eki_beside(const ek_context *ctx, int threads, void *(*other)(void *), void (*here)(void *),
                void *arg)
{
	struct beside beside = {other, arg};
	const ek_options *o = &ctx->options;
	const bool may = threads > 1 && !ctx->hooks && !o->log && !o->parallel;
	pthread_t thread;
	const bool started = may && start(&thread, run_beside, &beside);

	if (!started)
		other(arg);
	here(arg);
	if (started)
		pthread_join(thread, NULL);
}
#else
void eki_beside(const ek_context *ctx, int threads, void *(*other)(void *), void (*here)(void *),
                void *arg)
{
	(void)ctx;
	(void)threads;
	other(arg);
	here(arg);
}
#endif

void eki_threads_hold(bool bind)
{
	(void)bind;
#if EKI_POOL
	eki_pool_hold(bind);
#endif
}

void eki_threads_drop(bool bind)
{
	(void)bind;
#if EKI_POOL
	eki_pool_drop(bind);
#endif
}

int eki_threads_running(void)
{
#if EKI_POOL
	return eki_pool_threads();
#else
	return 0;
#endif
}

/* ---- Waiting --------------------------------------------------------------------------------- */

int64_t eki_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void eki_pause(eki_wait *wait)
{
	eki_relax();
	if (++wait->looks % 16)
		return;
	if (!wait->until)
		wait->until = eki_now_ns() + EKI_SPIN_NS;
	else if (eki_now_ns() > wait->until)
		sched_yield();
}

void eki_once(_Atomic int *state, void (*make)(void))
{
	enum { BEFORE, BUSY, DONE };
	eki_wait wait = {0};
	int seen = BEFORE;

	if (atomic_compare_exchange_strong(state, &seen, BUSY)) {
		make();
		atomic_store(state, DONE);
		return;
	}
	for (; seen != DONE; seen = atomic_load(state))
		eki_pause(&wait);
}

void eki_event_set(eki_event *event)
{
	atomic_store_explicit(&event->set, 1, memory_order_release);
}

void eki_event_wait(eki_event *event)
{
	for (eki_wait wait = {0}; !atomic_load_explicit(&event->set, memory_order_acquire);)
		eki_pause(&wait);
}

void eki_turn_wait(eki_turn *turn, int64_t number)
{
	for (eki_wait wait = {0}; atomic_load_explicit(&turn->now, memory_order_acquire) != number;)
		eki_pause(&wait);
}

void eki_turn_pass(eki_turn *turn, int64_t number)
{
	atomic_store_explicit(&turn->now, number + 1, memory_order_release);
}

void eki_lock_take(eki_lock *lock)
{
	for (eki_wait wait = {0}; atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire);)
		eki_pause(&wait);
}

void eki_lock_give(eki_lock *lock)
{
	atomic_store_explicit(&lock->taken, 0, memory_order_release);
}

/* ---- Which threads --------------------------------------------------------------------------- */

#if EKI_POOL
/* Returns the number of processors that this process may use. */
static int processors(void)
{
	long online = 1;

#ifdef __linux__
	cpu_set_t set; /* the kernel refuses it if it has more processors than the set */

	if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
		return CPU_COUNT(&set);
#endif
#ifdef _SC_NPROCESSORS_ONLN
	online = sysconf(_SC_NPROCESSORS_ONLN);
#endif
	return online < 1 ? 1 : online > EKI_MAX_THREADS ? EKI_MAX_THREADS : (int)online;
}

/* Returns the first number of OMP_NUM_THREADS, a list with one number for each level of nested
 * parallel regions. Returns 0 if the variable is not set or has no such number. */
static int threads_of_openmp(void)
{
	const char *text = eki_getenv("OMP_NUM_THREADS");
	int n = 0;

	if (!text)
		return 0;
	for (; isspace((unsigned char)*text); text++) {
	}
	for (; *text >= '0' && *text <= '9' && n <= EKI_MAX_THREADS; text++)
		n = 10 * n + (*text - '0');
	for (; isspace((unsigned char)*text); text++) {
	}
	return (*text == 0 || *text == ',') && n <= EKI_MAX_THREADS ? n : 0;
}
#endif

int eki_default_threads(void)
{
#if EKI_POOL
	const int n = threads_of_openmp();

	return n ? n : processors();
#elif defined(EK_OPENMP)
	return omp_get_max_threads();
#else
	return 1;
#endif
}

const char *eki_thread_run_time(void)
{
#if EKI_POOL
	return "pool";
#elif defined(EK_OPENMP) && defined(__clang__)
	return "libomp";
#elif defined(EK_OPENMP) && defined(__GNUC__)
	return "libgomp";
#elif defined(EK_OPENMP)
	return "OpenMP";
#else
	return "none";
#endif
}

const char *eki_openmp_version(void)
{
#ifdef EK_OPENMP /* _OPENMP is the year and month of the specification */
	return _OPENMP >= 202111   ? "5.2"
	       : _OPENMP >= 202011 ? "5.1"
	       : _OPENMP >= 201811 ? "5.0"
	       : _OPENMP >= 201511 ? "4.5"
	       : _OPENMP >= 201307 ? "4.0"
	                           : "3.1";
#else
	return NULL;
#endif
}
