/* SPDX-License-Identifier: BSD-3-Clause
 * Tests sparse products that device and processor do together (spgemm.csr.split.gpu): cuts at
 * awkward places, the thread of the device, and drivers that run out of memory or fail. Results
 * must have the bits of the plain method of the processor. The choice of the cut is tested in
 * test_gpu_split_choice.c. */
#include <pthread.h>
#include <stdio.h>

#include "both/sparse.h"
#include "support/held.h"
#include "support/lengths.h"
#include "support/rows.h"
#include "support/sparse.h"
#include "support/square.h"
#include "support/support.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

/* ---- Cuts ------------------------------------------------------------------------------------ */

static void every_cut(ek_context *ctx, eki_memory memory)
{
	static const char *const with[] = {"csr.split.gpu:share=1",
	                                   "csr.split.gpu:share=250",
	                                   "csr.split.gpu:share=500",
	                                   "csr.split.gpu:share=999",
	                                   "csr.split.gpu:side=1",
	                                   "csr.split.gpu:side=2",
	                                   "csr.split.gpu:share=400,batch=20000",
	                                   "csr.split.gpu"};

	(void)memory;
	square_make(ctx);
	for (size_t k = 0; k < sizeof with / sizeof *with; k++)
		for (int with_d = 0; with_d < 2; with_d++) {
			ek_plan *plan = square_plan(with[k], with_d, 0, 0);

			square_check(plan, with_d);
			ek_plan_destroy(plan);
		}
	ek_matrix_destroy(square.A);
}

ON_EACH_DEVICE(every_cut)

/* ---- Drivers that are watched, or fail ------------------------------------------------------- */

static struct watch {
	const eki_driver *real;
	eki_driver driver;
	pthread_t caller;
	int there, elsewhere; /* launches in the caller's thread, and in others */
	int64_t most;         /* largest block that `alloc` gives, or 0 for any size */
	long fail_launch;     /* number of the launch that fails, counted down, or negative */
} watch;

static ek_status watched_alloc(eki_device *d, eki_memory memory, int64_t size, void **device,
                               void **host)
{
	if (watch.most && size > watch.most)
		return eki_fail(EK_ENOMEM, "no room for %lld bytes", (long long)size);
	return watch.real->alloc(d, memory, size, device, host);
}

static ek_status watched_launch(eki_device *d, void *kernel, int64_t groups, int group_size,
                                const eki_arg *args, int count)
{
	if (pthread_equal(pthread_self(), watch.caller))
		watch.there++;
	else
		watch.elsewhere++;
	if (watch.fail_launch >= 0 && watch.fail_launch-- == 0)
		return eki_fail(EK_EDEVICE, "a launch failed");
	return watch.real->launch(d, kernel, groups, group_size, args, count);
}

static void watch_driver(ek_context *ctx)
{
	watch = (struct watch){.real = ctx->device->driver,
	                       .driver = *ctx->device->driver,
	                       .caller = pthread_self(),
	                       .fail_launch = -1};
	watch.driver.alloc = watched_alloc;
	watch.driver.launch = watched_launch;
	ctx->device->driver = &watch.driver;
}

static void in_turn(void *user, int threads, int parts, void (*part)(void *arg, int part),
                    void *arg)
{
	(void)user;
	(void)threads;
	for (int k = 0; k < parts; k++)
		part(arg, k);
}

/* Checks that the device's work is launched by a thread of its own, but by the caller if functions
 * of the caller's might be called in that thread. */
static void own_thread(ek_context *ctx, eki_memory memory)
{
	const bool hooks = ctx->hooks;
	ek_plan *plan;

	(void)memory;
	square_make(ctx);
	plan = square_plan("csr.split.gpu:share=300", false, 0, 0);
	watch_driver(ctx);
	square_check(plan, false);
	assert_int_equal(watch.elsewhere > 0, !hooks);
	assert_int_equal(watch.there > 0, hooks);
	watch.elsewhere = 0;
	ctx->options.parallel = in_turn;
	square_check(plan, false);
	ctx->options.parallel = NULL;
	assert_int_equal(watch.elsewhere, 0);
	assert_true(watch.there > 0);
	ctx->device->driver = watch.real;
	ek_plan_destroy(plan);
	ek_matrix_destroy(square.A);
}

ON_EACH_DEVICE(own_thread)

/* Checks that the processor does what the device has no memory for. */
static void too_large(ek_context *ctx, eki_memory memory)
{
	ek_plan *plan;

	if (memory == EKI_MEMORY_SHARED) /* then the driver allocates nothing for the operands */
		return;
	square_make(ctx);
	watch_driver(ctx);
	watch.most = 1000;
	plan = square_plan("csr.split.gpu", false, 64, 0);
	expect_explained(plan, "the processor alone, since the device has too little memory");
	square_check(plan, false);
	ctx->device->driver = watch.real;
	ek_plan_destroy(plan);
	ek_matrix_destroy(square.A);
}

ON_EACH_DEVICE(too_large)

/* Makes each launch of a run fail in turn: first of one that makes a new C, then of one into it. A
 * new C is not made, and the plan must work afterwards. */
static void failures(ek_context *ctx, eki_memory memory)
{
	ek_matrix *C = NULL;
	ek_plan *plan;

	(void)memory;
	square_make(ctx);
	plan = square_plan("csr.split.gpu:share=400", false, 0, 0);
	watch_driver(ctx);
	for (int again = 0; again < 2; again++) {
		int failed = 0;

		for (;; failed++) {
			watch.fail_launch = failed;
			if (ek_spgemm(plan, 1, 0, &C) == EK_OK)
				break;
			assert_non_null(strstr(ek_error_text(), "a launch failed"));
			assert_int_equal(C != NULL, again);
		}
		assert_true(failed >= 1);
	}
	ctx->device->driver = watch.real;
	square_check(plan, false);
	ek_matrix_destroy(C);
	ek_plan_destroy(plan);
	ek_matrix_destroy(square.A);
}

ON_EACH_DEVICE(failures)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_cut),
		cmocka_unit_test(test_own_thread),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_failures),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
