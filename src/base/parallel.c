/* SPDX-License-Identifier: BSD-3-Clause
 * The only file that starts threads. Callers split work into parts, and this file decides which
 * thread does which part. So results depend on the parts alone, and never on the number of threads
 * that OpenMP grants. Inside a parallel region of the application, OpenMP may grant only one
 * thread. Without OpenMP the parts run one after the other. */
#define _POSIX_C_SOURCE 200809L
#include <sched.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/base.h"

void eki_parallel(int threads, int parts, eki_part_fn *fn, void *arg)
{
	if (threads > parts)
		threads = parts;
#ifdef _OPENMP
	if (threads > 1) {
#pragma omp parallel num_threads(threads)
		{
			int step = omp_get_num_threads();

			for (int part = omp_get_thread_num(); part < parts; part += step)
				fn(arg, part);
		}
		return;
	}
#endif
	for (int part = 0; part < parts; part++)
		fn(arg, part);
}

void eki_team(int threads, eki_team_fn *fn, void *arg)
{
#ifdef _OPENMP
	if (threads > 1) {
#pragma omp parallel num_threads(threads)
		fn(arg, omp_get_thread_num(), omp_get_num_threads());
		return;
	}
#endif
	(void)threads;
	fn(arg, 0, 1);
}

void eki_event_set(eki_event *event)
{
	atomic_store_explicit(&event->set, 1, memory_order_release);
}

void eki_pause(int64_t tries)
{
	if (tries > 2000)
		sched_yield();
#if defined(__x86_64__) && defined(__GNUC__)
	else
		__builtin_ia32_pause();
#endif
}

void eki_event_wait(eki_event *event)
{
	for (int tries = 0; !atomic_load_explicit(&event->set, memory_order_acquire);
	     tries += tries <= 2000)
		eki_pause(tries);
}

void eki_turn_wait(eki_turn *turn, int64_t number)
{
	for (int tries = 0; atomic_load_explicit(&turn->now, memory_order_acquire) != number;
	     tries += tries <= 2000)
		eki_pause(tries);
}

void eki_turn_pass(eki_turn *turn, int64_t number)
{
	atomic_store_explicit(&turn->now, number + 1, memory_order_release);
}

void eki_lock_take(eki_lock *lock)
{
	for (int tries = 0; atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire);
	     tries += tries <= 2000)
		eki_pause(tries);
}

void eki_lock_give(eki_lock *lock)
{
	atomic_store_explicit(&lock->taken, 0, memory_order_release);
}

int eki_default_threads(void)
{
#ifdef _OPENMP
	return omp_get_max_threads();
#else
	return 1;
#endif
}

const char *eki_thread_run_time(void)
{
#if defined(_OPENMP) && defined(__clang__)
	return "libomp";
#elif defined(_OPENMP) && defined(__GNUC__)
	return "libgomp";
#elif defined(_OPENMP)
	return "OpenMP";
#else
	return "none";
#endif
}

const char *eki_openmp_version(void)
{
#ifdef _OPENMP /* _OPENMP is the year and month of the specification */
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
