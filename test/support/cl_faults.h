/* SPDX-License-Identifier: BSD-3-Clause
 * An OpenCL whose n-th call fails, like the n-th allocation in support/heap.h, and which counts its
 * live objects. Calls that only release something never fail. */
#ifndef TEST_CL_FAULTS_H
#define TEST_CL_FAULTS_H

#include <stdbool.h>

extern struct cl_faults {
	_Atomic long calls;      /* number of calls since cl_fail */
	_Atomic long live;       /* live contexts, queues, buffers, programs, kernels and events */
	_Atomic long fail_at;    /* number of the call that fails, or negative if none does */
	_Atomic bool persistent; /* whether all calls after that one fail too */
	int code;                /* error code with which calls fail */
	bool dying;              /* whether queued commands start, and fail before their end */
	char failed[64];         /* name of the call that failed first */
} cl_faults;

/* Puts these functions between the library and OpenCL. Returns false, with the reason in
 * ek_error_text, if there is no OpenCL device. */
bool cl_faults_install(void);
/* Makes the n-th call from now on fail with `code`; n = 0 is the next call. If `persistent` is
 * true, all calls after it fail too. If n < 0, no call fails, and `failed` keeps its text. */
void cl_fail(long n, bool persistent, int code);

#endif
