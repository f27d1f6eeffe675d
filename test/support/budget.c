/* SPDX-License-Identifier: BSD-3-Clause
 * A driver that counts the memory it gives (budget.h). */
#include "support/budget.h"

#ifndef EK_NO_GPU

#include "gpu/job.h"

enum { BLOCKS = 4096 };

struct budget budget;

static struct {
	const eki_driver *real;
	eki_driver driver;
	ek_device_info info;
	struct {
		const void *block;
		int64_t bytes;
	} of[BLOCKS];
} under;

static bool fails(bool launch)
{
	if (launch != budget.launches || budget.fail_at < 0)
		return false;
	if (budget.fail_at > 0) {
		budget.fail_at--;
		return false;
	}
	budget.fail_at = launch ? -1 : 0;
	return true;
}

static ek_status budget_alloc(eki_device *d, eki_memory memory, int64_t size, void **device,
                              void **host)
{
	int k = 0;

	if (fails(false))
		return eki_fail(EK_ENOMEM, "no memory");
	if (budget.bytes && budget.live + size > budget.bytes)
		return eki_fail(EK_ENOMEM, "no room for %lld bytes", (long long)size);
	EK_RETURN_IF(under.real->alloc(d, memory, size, device, host));
	while (k < BLOCKS - 1 && under.of[k].block)
		k++;
	under.of[k].block = *device;
	under.of[k].bytes = size;
	budget.live += size;
	budget.most = budget.live > budget.most ? budget.live : budget.most;
	return EK_OK;
}

static void budget_free(eki_device *d, eki_memory memory, void *device)
{
	for (int k = 0; k < BLOCKS; k++)
		if (under.of[k].block == device) {
			budget.live -= under.of[k].bytes;
			under.of[k].block = NULL;
			break;
		}
	under.real->free(d, memory, device);
}

static ek_status budget_launch(eki_device *d, void *kernel, int64_t groups, int group_size,
                               const eki_arg *args, int count)
{
	if (fails(true))
		return eki_fail(EK_EDEVICE, "a launch failed");
	return under.real->launch(d, kernel, groups, group_size, args, count);
}

void budget_begin(ek_context *ctx, int64_t memory, bool hard)
{
	budget = (struct budget){.bytes = hard ? memory : 0, .fail_at = -1};
	under.real = ctx->device->driver;
	under.driver = *under.real;
	under.info = ctx->device->info;
	memset(under.of, 0, sizeof under.of);
	under.driver.alloc = budget_alloc;
	under.driver.free = budget_free;
	under.driver.launch = budget_launch;
	eki_jobs_trim(ctx->device); /* what earlier work left there is not counted */
	ctx->device->driver = &under.driver;
	if (memory)
		ctx->device->info.memory = memory;
}

void budget_end(ek_context *ctx)
{
	eki_jobs_trim(ctx->device);
	ctx->device->driver = under.real;
	ctx->device->info = under.info;
}

#endif
