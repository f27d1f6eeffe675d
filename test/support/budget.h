/* SPDX-License-Identifier: BSD-3-Clause
 * A driver of a device that counts the memory it gives and has no more than a budget. Its n-th
 * launch may fail, or its n-th allocation and all after it. */
#ifndef TEST_BUDGET_H
#define TEST_BUDGET_H

#include "gpu/gpu.h"
#include "support/devices.h"

extern struct budget {
	int64_t bytes;      /* all that the driver gives, or 0 if there is no limit */
	int64_t array;      /* most that it gives at a time, or 0 if there is no such limit */
	int64_t live, most; /* bytes that it has given now, and at most so far */
	long fail_at;       /* number of the call that fails, counted down, or negative */
	bool launches;      /* whether launches are counted, not allocations */
	/* counts what the driver gives, besides what the context's hooks give, or NULL */
	struct heap *heap;
	long long before; /* bytes that were counted when budget_watch was called */
} budget;

/* Puts the driver between the library and the device of a context. Unless `memory` is 0, the device
 * says that it has so much, and, if `hard` is true, the driver gives no more. */
void budget_begin(ek_context *ctx, int64_t memory, bool hard);
/* Puts the device's own driver back. */
void budget_end(ek_context *ctx);

/* budget_watch begins to measure all memory that the driver and the hooks of the context give;
 * budget_most returns the most since then, beyond what there was at that moment. For a driver that
 * was just put there. */
void budget_watch(const struct device_context *on);
int64_t budget_most(const struct device_context *on);
/* Runs an operation with the limit in hints->memory into a new C and again into that, and checks
 * that the plan and its runs stay within the limit, besides C, its object and `copies` copies of
 * its entries on the device. Does all that once before, so that programs are there. */
void budget_check(ek_operation operation, const struct device_context *on, const ek_matrix *A,
                  const ek_hints *hints, int copies);

#endif
