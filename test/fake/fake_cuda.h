/* SPDX-License-Identifier: BSD-3-Clause
 * What a test tells the library that stands for libcuda.so.1 in tests (EK_CUDA names it), and what
 * it finds there. Its symbol `fake_cuda` is one of these. */
#ifndef TEST_FAKE_CUDA_H
#define TEST_FAKE_CUDA_H

#include <stdint.h>

enum { FAKE_DEVICES = 4, FAKE_ARGUMENTS = 64 };

struct fake_cuda {
	/* The test's: what cuInit gives, and how many devices there are, of which architecture,
	 * and the version of CUDA. */
	int init, devices, arch[FAKE_DEVICES], version;
	/* The call that fails, counted from 0 since `calls` was set to 0, and all after it;
	 * negative: none. Calls that release things, and those that change the current context,
	 * neither count nor fail. */
	long fail_at;
	int persistent;
	int broken; /* the device that does not tell its name; negative: none. EK_FAKE_BROKEN too */

	/* The fake's: calls so far, the names of the first and the last that failed, things that live (memory,
	 * streams, events, modules, retained contexts), launches. */
	long calls;
	const char *failed, *last_failed;
	long live, launches;
	char misuse[256]; /* the first use that the driver's manual forbids; "" if none */
	struct {
		char name[64];
		unsigned groups, group_size;
		int arguments; /* -1: the module is machine code, which does not tell */
		int size[FAKE_ARGUMENTS];
		uint64_t value[FAKE_ARGUMENTS]; /* bits */
	} last;                                 /* launch */
};

#endif
