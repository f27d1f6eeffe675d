/* SPDX-License-Identifier: BSD-3-Clause
 * Calls by several threads at the same time. */
#include <pthread.h>
#include <stdatomic.h>

#include "support/support.h"
#include "support/workers.h"

static _Atomic int faults;

void worker_fault(const char *what)
{
	if (atomic_fetch_add(&faults, 1) == 0)
		print_error("  %s; last message: %s\n", what, ek_error_text());
}

void worker_faults_clear(void)
{
	atomic_store(&faults, 0);
}

void worker_faults_none(void)
{
	assert_int_equal(atomic_load(&faults), 0);
}

struct worker {
	void (*work)(int number);
	int number;
	pthread_t thread;
};

static void *start(void *arg)
{
	const struct worker *w = arg;

	w->work(w->number);
	return NULL;
}

void run_workers(int count, void (*work)(int number))
{
	struct worker workers[WORKERS];
	int started = 0;

	worker_faults_clear();
	for (int k = 0; k < count; k++) {
		struct worker *w = &workers[k];

		w->work = work;
		w->number = k;
		started += pthread_create(&w->thread, NULL, start, w) == 0;
	}
	assert_int_equal(started, count);
	for (int k = 0; k < count; k++)
		pthread_join(workers[k].thread, NULL);
	worker_faults_none();
}
