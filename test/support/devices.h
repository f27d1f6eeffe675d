/* SPDX-License-Identifier: BSD-3-Clause
 * Contexts on all devices of this machine, or on the one that EK_DEVICE names, in each way to hold
 * memory that it has. Without a device there are none, and tests say so. */
#ifndef TEST_DEVICES_H
#define TEST_DEVICES_H

#include "support/heap.h"

enum { MAX_DEVICE_CONTEXTS = 16 };

extern struct devices {
	struct heap heap; /* of those with counted memory */
	int count;
	struct device_context {
		ek_context *ctx;
		char text[64];     /* "opencl:0 mapped" */
		struct heap *heap; /* NULL: memory is the context's own, shared with the device */
	} of[MAX_DEVICE_CONTEXTS];
} devices;

/* For run_all_tests. */
int devices_setup(void **state);
int devices_teardown(void **state);

/* Skips the test, with the reason, if there is no device. */
void need_device(void);

#endif
