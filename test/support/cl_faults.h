/* SPDX-License-Identifier: BSD-3-Clause
 * OpenCL whose n-th call fails, as memory does in support/heap.h, and which counts the objects that
 * are alive. Calls that only release something never fail. */
#ifndef TEST_CL_FAULTS_H
#define TEST_CL_FAULTS_H

#include <stdbool.h>

extern struct cl_faults {
	_Atomic long calls;      /* since cl_fail */
	_Atomic long live;       /* contexts, queues, buffers, programs, kernels, events */
	_Atomic long fail_at;    /* the call that fails; negative: none */
	_Atomic bool persistent; /* and all after it */
	int code;                /* with which it fails */
	bool dying;              /* what is queued begins well, and fails before its end */
	char failed[64];         /* name of the call that failed first */
} cl_faults;

/* Puts itself between the library and OpenCL. False, with the reason in ek_error_text, if there is
 * no device of OpenCL. */
bool cl_faults_install(void);
/* The n-th call from now on (0: the next) fails with `code`, and if `persistent` all after it. n < 0:
 * none fails; `failed` stays as it is. */
void cl_fail(long n, bool persistent, int code);

#endif
