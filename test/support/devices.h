/* SPDX-License-Identifier: BSD-3-Clause
 * Contexts on all devices of this machine, or only on the one that EK_DEVICE names, for each kind
 * of memory that a device supports. Without a device there are no contexts, and tests say so. */
#ifndef TEST_DEVICES_H
#define TEST_DEVICES_H

#include "support/heap.h"

enum { MAX_DEVICE_CONTEXTS = 16 };

extern struct devices {
	struct heap heap; /* memory of all contexts except those whose `heap` is NULL */
	int count;
	struct device_context {
		ek_context *ctx;
		char text[64]; /* device and kind of memory, such as "opencl:0 mapped" */
		/* Hooks that count the context's memory, or NULL if the device shares it. */
		struct heap *heap;
	} of[MAX_DEVICE_CONTEXTS];
} devices;

/* Set-up and tear-down for run_all_tests. Programs are not stored unless EK_CACHE says where. With
 * EK_TEST_KIND=gpu in the environment the library takes all devices for GPUs with warps. */
int devices_setup(void **state);
int devices_teardown(void **state);

struct rng;
/* Returns the name of a method for hints, or "auto" for NULL. Methods that cut a matrix into parts
 * get parameters at random, so that there are parts where the method would make one. */
const char *method_with_cuts(const ek_method *m, struct rng *r);

/* Returns how many kernels have been launched on the context's device. */
int64_t launches_on(const ek_context *ctx);

/* Changes the kind of device, such as "gpu", that the library takes the context's device for. */
void call_device(ek_context *ctx, const char *kind);

/* Skips the test, with the reason, if there is no device. */
void need_device(void);
/* Prints what the devices are, each on a line. */
void say_devices(void);

#endif
