/* SPDX-License-Identifier: BSD-3-Clause
 * The settings and the records of the fake libcuda.so.1, which tests load through the environment
 * variable EK_CUDA. Both are in the fake's symbol `fake_cuda`: a test sets the settings and reads
 * the records. */
#ifndef TEST_FAKE_CUDA_H
#define TEST_FAKE_CUDA_H

#include <stdint.h>

enum { FAKE_DEVICES = 4, FAKE_ARGUMENTS = 64 };
enum { FAKE_LOCAL_MOST = 166912 }; /* bytes of shared memory that a block may have */

struct fake_cuda {
	/* Set by the test: the result of cuInit, the number of devices, the architecture of each
	 * device (80 for compute capability 8.0), and the version of CUDA. */
	int init, devices, arch[FAKE_DEVICES], version;
	/* Number of the call that fails, or negative if no call fails. Calls are numbered from 0,
	 * starting when `calls` is set to 0. If `persistent` is nonzero, all later calls fail too.
	 * Calls that release things and calls that change the current context are not counted and
	 * never fail. */
	long fail_at;
	int persistent;
	/* Number of the device that hides its name, or negative if there is none. cuInit takes this
	 * number from the environment variable EK_FAKE_BROKEN if that is set. */
	int broken;

	/* Set by the fake: the number of calls so far, the names of the first and the last call
	 * that failed, the number of live things (memory, streams, events, modules, retained
	 * contexts), and the numbers of launches and of runs of graphs. */
	long calls;
	const char *failed, *last_failed;
	long live, launches, graphs;
	char misuse[256]; /* the first use that the driver's manual forbids, or "" */
	struct {
		char name[64];
		unsigned groups, group_size, local;
		int arguments; /* number of arguments, or -1 if machine code does not say */
		int size[FAKE_ARGUMENTS];
		uint64_t value[FAKE_ARGUMENTS]; /* bits of each argument */
	} last;                                 /* the last launch */
};

#endif
