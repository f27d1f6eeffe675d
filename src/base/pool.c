/* SPDX-License-Identifier: BSD-3-Clause
 * A pool of threads in which nobody waits for a thread that has no processor.
 *
 * A call of eki_pool_run opens a job. The caller works on the parts of its job itself. Threads of
 * the pool, the workers, join a job through its door, a word that they change by compare-and-swap:
 * only while it is open, and only as many as there is room for. Each part is taken by one
 * compare-and-swap, so a thread that comes late takes less. Whoever finds no part left closes the
 * door. Then the caller waits for those who are inside, that is, who joined before, and for nobody
 * else. If all other processors are busy, nobody joins in time, and the caller has done all parts
 * alone: the work takes as long as in one thread. An OpenMP run time waits for all of its threads
 * instead, so one that has no processor holds up the others for a time slice of the system.
 *
 * Finding a job. Each worker has a word, its mail, to which callers write the number of a job. The
 * mail is a hint: it may be read too late, when the door is closed or leads to another job, which
 * the worker may join just as well. So nobody takes a hint back, jobs stay where they are in memory
 * (eki_jobs), and a worker reads the other members of a job only when it is inside. After a job a
 * worker looks for other open doors, so several callers share the workers.
 *
 * Sleeping. A worker looks at its mail for EKI_SPIN_NS, then it sleeps. Waking it is a system call,
 * which takes as long as a small job. It pays if other jobs follow soon, and if the worker gets a
 * processor. Each worker finds out for itself: if it was woken and joined no job while it looked,
 * it takes a nap, from which nobody wakes it, and which doubles each time from NAP_FIRST_NS to
 * NAP_MOST_NS. After the nap it helps in a job that is still open, so a long job gets its workers
 * after all. A worker that finds itself on the processor of the caller takes a nap, too, before it
 * joins, since it could only take turns with the caller, and after the nap the job is done or the
 * system may have another processor for it. Nobody wakes more than EKI_WAKES workers; those who
 * join wake others.
 *
 * Own parts. Worker w begins with the parts w, w + threads, w + 2 threads and so on, since a caller
 * often has the same parts in each call, and their data are then in the caches of the processor
 * that had them before. After these it takes the lowest part that nobody has begun, as the caller
 * always does. So if a thread begins a part that is not its own, all lower parts have begun.
 *
 * Memory order: everything before a door opens is visible to those who join (release, acquire), and
 * what they wrote is visible to the caller when they have left. The parts themselves are taken in
 * relaxed order. Semaphores are used for sleeping since posting one takes no lock: a caller cannot
 * be held up by a worker that lost its processor in the middle of it. */
#define _POSIX_C_SOURCE 200809L
#include "base/pool.h"

#if EKI_POOL

#include <signal.h>

#include "base/bind.h"
#include "base/worker.h"

enum { STACK = 2 << 20 }; /* bytes of the stack of a worker */

static _Atomic int most = EKI_WORKERS; /* fewer once the system refused to start another one */
static _Atomic int64_t holders;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER; /* while workers start or stop */

/* ---- Start and end --------------------------------------------------------------------------- */

/* Starts anew in the child of a fork, which has none of the other threads: neither workers nor
 * callers. */
static void in_child(void)
{
	pthread_mutex_init(&changing, NULL);
	atomic_store(&eki_workers_running, 0);
	atomic_store(&most, EKI_WORKERS);
	for (int k = 0; k < EKI_JOBS; k++) {
		atomic_store(&eki_jobs[k].door, 0);
		sem_init(&eki_jobs[k].empty, 0, 0);
	}
}

static void prepare_once(void)
{
	for (int k = 0; k < EKI_JOBS; k++)
		sem_init(&eki_jobs[k].empty, 0, 0);
	pthread_atfork(NULL, NULL, in_child);
}

/* Starts one more worker. The caller has the lock `changing`. Workers block all signals, which are
 * for the threads of the application. Returns false if the system refuses. */
static bool start(int number)
{
	eki_worker *w = &eki_workers[number];
	sigset_t all, before;
	pthread_attr_t how;
	bool done;

	if (pthread_attr_init(&how) != 0)
		return false;
	pthread_attr_setstacksize(&how, STACK);
	w->lane = number + 1;
	w->last = w->in_way = eki_jobs;
	eki_bind_new(w);
	atomic_store(&w->mail, EKI_LOOKING);
	sem_init(&w->wake, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	done = pthread_create(&w->thread, &how, eki_worker_run, w) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&how);
	return done;
}

/* Starts workers until there are `want`, or as many as the system allows. If another thread is
 * starting or stopping workers, it leaves things to that thread. */
static void grow(int want)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, prepare_once);
	if (pthread_mutex_trylock(&changing) != 0)
		return;
	for (int n = atomic_load(&eki_workers_running); n < want && n < atomic_load(&most); n++) {
		if (start(n))
			atomic_store_explicit(&eki_workers_running, n + 1, memory_order_release);
		else
			atomic_store(&most, n);
	}
	pthread_mutex_unlock(&changing);
}

static void stop_all(void)
{
	const int n = atomic_exchange(&eki_workers_running, 0);

	for (int w = 0; w < n; w++)
		if (atomic_exchange(&eki_workers[w].mail, EKI_STOP) == EKI_ASLEEP)
			sem_post(&eki_workers[w].wake);
	for (int w = 0; w < n; w++)
		pthread_join(eki_workers[w].thread, NULL);
	atomic_store(&most, EKI_WORKERS);
}

/* ---- The interface --------------------------------------------------------------------------- */

void eki_pool_run(int threads, int parts, eki_part_fn *fn, void *arg)
{
	eki_job *j = eki_job_take();
	int room = threads - 1 < EKI_WORKERS ? threads - 1 : EKI_WORKERS;

	if (!j) {
		for (int part = 0; part < parts; part++)
			fn(arg, part);
		return;
	}
	if (atomic_load_explicit(&eki_workers_running, memory_order_relaxed) < room)
		grow(room);
	eki_bind_caller();
	eki_job_open(j, room, parts, fn, arg);
	eki_offer(j, room);
	for (int part; (part = eki_job_lowest(j)) >= 0;)
		fn(arg, part);
	eki_job_close(j);
	eki_job_wait(j);
}

void eki_pool_hold(bool bind)
{
	atomic_fetch_add(&holders, 1);
	if (!bind)
		return;
	pthread_mutex_lock(&changing);
	eki_bind_hold();
	pthread_mutex_unlock(&changing);
}

void eki_pool_drop(bool bind)
{
	if (bind) {
		pthread_mutex_lock(&changing);
		eki_bind_drop();
		pthread_mutex_unlock(&changing);
	}
	if (atomic_fetch_sub(&holders, 1) != 1)
		return;
	pthread_mutex_lock(&changing);
	if (atomic_load(&holders) == 0) /* else another thread has made a context meanwhile */
		stop_all();
	pthread_mutex_unlock(&changing);
}

int eki_pool_threads(void)
{
	return atomic_load(&eki_workers_running);
}

#endif
