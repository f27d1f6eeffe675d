/* SPDX-License-Identifier: BSD-3-Clause
 * A driver of a device that writes down the order of calls, and that puts copies to the host off as
 * long as it may: until kernels are to wait for them, or the host waits. If the device's own driver
 * forbids copies beside a kernel that uses the same buffer, the test fails where there may be
 * one. */
#ifndef TEST_LATE_H
#define TEST_LATE_H

#include "gpu/gpu.h"

enum { LATE_CALLS = 2000 };

/* The first calls since the test set `count` to 0: L for launches, F for copies to the host, S for
 * copies to the device that need not be done at once, once for several that follow one another; c
 * where copies are to wait for kernels, k where kernels are to wait for copies. */
extern struct late {
	char calls[LATE_CALLS];
	int count;
} late;

/* Puts the driver between the library and the device of a context. */
void late_begin(ek_context *ctx);
/* Puts the device's own driver back. No copy may be missing. */
void late_end(ek_context *ctx);

/* Between these the library takes the device's driver for one that allows copies beside a kernel
 * that uses the same buffer. */
void beside_begin(ek_context *ctx);
void beside_end(ek_context *ctx);

#endif
