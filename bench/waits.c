/* SPDX-License-Identifier: BSD-3-Clause
 * How long the threads of this process waited for a processor. Linux counts it for each thread: the
 * second number of /proc/self/task/N/schedstat, in nanoseconds (the kernel's documentation,
 * scheduler/sched-stats). Threads that have ended are not counted any more. Only Linux is asked for
 * the processors of this process, too. */
#define _GNU_SOURCE /* for sched_getaffinity */
#include <dirent.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>

#include "bench.h"

/* Returns the nanoseconds that a thread has waited, or NAN if the kernel does not say. */
static double waited_by(const char *thread)
{
	char path[64];
	double ran, waited = NAN;

	snprintf(path, sizeof path, "/proc/self/task/%.20s/schedstat", thread);
	FILE *file = fopen(path, "r");

	if (!file)
		return NAN;
	if (fscanf(file, "%lf %lf", &ran, &waited) != 2)
		waited = NAN;
	fclose(file);
	return waited;
}

double waited_seconds(void)
{
	DIR *threads = opendir("/proc/self/task");
	double all = NAN;

	if (!threads)
		return NAN;
	for (const struct dirent *entry; (entry = readdir(threads));) {
		const double waited = entry->d_name[0] == '.' ? NAN : waited_by(entry->d_name);

		if (!isnan(waited))
			all = (isnan(all) ? 0 : all) + waited * 1e-9;
	}
	closedir(threads);
	return all;
}

bool more_than_processors(int threads)
{
#ifdef __linux__
	cpu_set_t own;

	return sched_getaffinity(0, sizeof own, &own) == 0 && threads > CPU_COUNT(&own);
#else
	(void)threads;
	return false;
#endif
}
