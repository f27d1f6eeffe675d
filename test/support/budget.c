/* SPDX-License-Identifier: BSD-3-Clause
 * A driver that counts the memory it gives (budget.h). */
#include "support/budget.h"

#ifndef EK_NO_GPU

#include "gpu/job.h"
#include "support/support.h"

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
	if ((budget.bytes && budget.live + size > budget.bytes) ||
	    (budget.array && size > budget.array))
		return eki_fail(EK_ENOMEM, "no room for %lld bytes", (long long)size);
	EK_RETURN_IF(under.real->alloc(d, memory, size, device, host));
	while (k < BLOCKS - 1 && under.of[k].block)
		k++;
	under.of[k].block = *device;
	under.of[k].bytes = size;
	budget.live += size;
	budget.most = budget.live > budget.most ? budget.live : budget.most;
	if (budget.heap)
		heap_count(budget.heap, size);
	return EK_OK;
}

static void budget_free(eki_device *d, eki_memory memory, void *device)
{
	for (int k = 0; k < BLOCKS; k++)
		if (under.of[k].block == device) {
			budget.live -= under.of[k].bytes;
			if (budget.heap)
				heap_count(budget.heap, -(long long)under.of[k].bytes);
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

/* ---- All memory ------------------------------------------------------------------------------ */

void budget_watch(const struct device_context *on)
{
	budget.heap = on->heap;
	budget.before = on->heap ? atomic_load(&on->heap->bytes) : budget.live;
	if (on->heap)
		atomic_store(&on->heap->peak, budget.before);
	budget.most = budget.live;
}

int64_t budget_most(const struct device_context *on)
{
	return (on->heap ? atomic_load(&on->heap->peak) : budget.most) - budget.before;
}

static ek_status run(ek_operation operation, ek_plan *plan, ek_matrix **C)
{
	return operation == EK_SPGEMM   ? ek_spgemm(plan, 2, 1, C)
	       : operation == EK_SPADD  ? ek_spadd(plan, 2, 1, C)
	       : operation == EK_TRIPLE ? ek_triple(plan, 2, C)
	                                : ek_transpose(plan, C);
}

void budget_check(ek_operation operation, const struct device_context *on, const ek_matrix *A,
                  const ek_hints *hints, int copies)
{
	ek_matrix_info info = {.size = sizeof info};
	int64_t may = 0, most = 0;

	for (int turn = 0; turn < 2; turn++) {
		ek_matrix *C = NULL;
		ek_plan *plan;

		budget_begin(on->ctx, 0, false);
		budget_watch(on);
		expect_status(ek_plan_create(operation, A, hints, &plan), EK_OK);
		for (int again = 0; again < 2; again++)
			expect_status(run(operation, plan, &C), EK_OK);
		expect_status(ek_matrix_get_info(C, &info), EK_OK);
		most = budget_most(on);
		may = hints->memory + info.bytes + (int64_t)sizeof *C +
		      copies * eki_times(info.nnz, eki_entry_bytes(&C->store));
		ek_plan_destroy(plan);
		ek_matrix_destroy(C);
		budget_end(on->ctx);
	}
	if (most > may)
		fail_msg("%s on %s: hints.memory is %lld bytes, C has %lld, and %lld were taken",
		         hints->method ? hints->method : "auto", on->text, (long long)hints->memory,
		         (long long)info.bytes, (long long)most);
}

#endif
