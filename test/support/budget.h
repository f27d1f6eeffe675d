/* SPDX-License-Identifier: BSD-3-Clause
 * A driver of a device that counts the memory it gives and has no more than a budget. Its n-th
 * launch may fail, or its n-th allocation and all after it. */
#ifndef TEST_BUDGET_H
#define TEST_BUDGET_H

#include "gpu/gpu.h"

extern struct budget {
	int64_t bytes;      /* all that the driver gives, or 0 if there is no limit */
	int64_t live, most; /* bytes that it has given now, and at most so far */
	long fail_at;       /* number of the call that fails, counted down, or negative */
	bool launches;      /* whether launches are counted, not allocations */
} budget;

/* Puts the driver between the library and the device of a context. Unless `memory` is 0, the device
 * says that it has so much, and, if `hard` is true, the driver gives no more. */
void budget_begin(ek_context *ctx, int64_t memory, bool hard);
/* Puts the device's own driver back. */
void budget_end(ek_context *ctx);

#endif
