/* SPDX-License-Identifier: BSD-3-Clause
 * Cache misses, as the processor counts them and the kernel of Linux reports them
 * (perf_event_open): accesses for which the last-level cache does not have the line, of all threads
 * of this process, outside of the kernel. A counter that a thread opens would count only threads
 * that it starts later, so there is one for each thread that exists after a first call. Whether
 * lines that the processor fetches ahead are among them depends on the processor. Many virtual
 * machines have no such counter, and containers may not use it. */
#define _GNU_SOURCE /* syscall */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#ifdef __linux__

#include <dirent.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_THREADS = 1024 };

struct counters {
	int fd[MOST_THREADS], count;
};

static int counter(int thread)
{
	struct perf_event_attr what = {.type = PERF_TYPE_HARDWARE,
	                               .size = sizeof what,
	                               .config = PERF_COUNT_HW_CACHE_MISSES,
	                               .disabled = 1,
	                               .exclude_kernel = 1,
	                               .exclude_hv = 1};

	return (int)syscall(SYS_perf_event_open, &what, thread, -1, -1, 0);
}

static void end(struct counters *c)
{
	for (int k = 0; k < c->count; k++)
		close(c->fd[k]);
}

/* Opens a counter for each thread of the process. Returns NULL, or why there are none. */
static const char *begin(struct counters *c)
{
	DIR *threads = opendir("/proc/self/task");
	int error = threads ? 0 : errno;
	struct dirent *thread;

	c->count = 0;
	while (!error && c->count < MOST_THREADS && (thread = readdir(threads))) {
		if (*thread->d_name == '.')
			continue;
		c->fd[c->count] = counter(atoi(thread->d_name));
		if (c->fd[c->count] >= 0)
			c->count++;
		else if (errno != ESRCH) /* else that thread has ended */
			error = errno;
	}
	if (threads)
		closedir(threads);
	if (!error)
		return NULL;
	end(c);
	return error == EACCES || error == EPERM ? "the kernel does not grant counters to this "
	                                           "process (kernel.perf_event_paranoid, or a "
	                                           "container that forbids them)"
	       : error == ENOENT || error == ENODEV || error == EOPNOTSUPP
	               ? "this machine has no counter of cache misses, as many virtual ones"
	       : error == ENOSYS ? "this kernel has no counters"
	                         : keep("%s", strerror(error));
}

static double count(struct candidate *c, struct counters *counters)
{
	double sum = 0;

	for (int k = 0; k < counters->count; k++)
		ioctl(counters->fd[k], PERF_EVENT_IOC_ENABLE, 0);
	c->run(c->state, c->calls);
	for (int k = 0; k < counters->count; k++) {
		uint64_t misses;

		ioctl(counters->fd[k], PERF_EVENT_IOC_DISABLE, 0);
		if (read(counters->fd[k], &misses, sizeof misses) != sizeof misses)
			return NAN;
		sum += (double)misses;
	}
	return sum;
}

const char *measure_misses(struct candidate *c, double *misses)
{
	struct counters counters;
	const char *why;

	if (c->before)
		c->before(c->state, 1);
	c->run(c->state, 1); /* now all threads that take part exist */
	why = begin(&counters);
	if (why)
		return why;
	if (c->before)
		c->before(c->state, c->calls);
	*misses = count(c, &counters) / (double)c->calls;
	end(&counters);
	return NULL;
}

#else

const char *measure_misses(struct candidate *c, double *misses)
{
	(void)c;
	(void)misses;
	return "this system has no counters that this program knows";
}

#endif

void field_misses(struct field *f)
{
	enum { LINE_BYTES = 64 };
	static bool told;

	for (struct entrant *e = f->entrant; e < f->entrant + f->entrants; e++) {
		double misses = NAN;
		const bool counts = e->calls.sample && strcmp(e->record.device, "cpu") == 0;
		const char *why = counts ? measure_misses(&e->calls, &misses) : NULL;

		e->record.v[V_MISSES] = misses / (e->moves / LINE_BYTES);
		e->record.counters_refused = why;
		if (why && !told)
			tool_remark(&f->bench->o.common, "cache misses are not counted: %s", why);
		told |= why != NULL;
	}
}
