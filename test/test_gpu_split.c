/* SPDX-License-Identifier: BSD-3-Clause
 * Tests products that device and processor do together (spmv.csr.split.gpu), and matrices that go
 * through the device in batches: cuts at awkward places, both sides at the same time, few bytes
 * copied, threads that run one plan, and drivers that run out of memory or fail. */
#include <math.h>
#include <stdio.h>

#include "both/both.h"
#include "support/lengths.h"
#include "support/workers.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

static struct lengths m;
static struct rng rng = {11};

/* ---- Cuts ------------------------------------------------------------------------------------ */

static void every_cut(ek_context *ctx, eki_memory memory)
{
	static const char *const with[] = {
		"spmv.csr.split.gpu:share=1",
		"spmv.csr.split.gpu:share=500",
		"spmv.csr.split.gpu:share=999",
		"spmv.csr.split.gpu:share=300,batch=64",
		"spmv.csr.split.gpu:share=700,batch=500",
		"spmv.csr.split.gpu:share=100,chunks=6",
		"spmv.csr.split.gpu:share=600,batch=64,chunks=2",
		"spmv.csr.split.gpu:chunks=3",
		"spmv.csr.split.gpu:side=1",
		"spmv.csr.split.gpu:side=1,chunks=4",
		"spmv.csr.split.gpu:side=2",
		"spmv.csr.split.gpu",
		"spmv.csr.batches.gpu:batch=64",
		"spmv.csr.batches.gpu:batch=1000",
		"spmv.csr.batches.gpu",
	};
	static const double pair[][2] = {{1, 0}, {1, 1}, {-2, 0.5}, {0.5, -1}, {2, 0}};
	const int64_t small_work = ctx->small_work;
	int turn = 0;

	(void)memory;
	ctx->small_work = 0; /* lets several threads work even on a small part */
	for (int k = 0; lengths_edge(&m, k, &rng); k++)
		for (size_t j = 0; j < sizeof with / sizeof *with; j++, turn++)
			lengths_check(&m, ctx,
			              &(struct lengths_run){with[j], turn % 2 ? EK_F64 : EK_F32,
			                                    (ek_index)(EK_I32 + turn % 3),
			                                    turn % 4 == 3 ? EK_OP_T : EK_OP_N,
			                                    pair[turn % 5][0], pair[turn % 5][1],
			                                    turn % 7 < 3, 2});
	ctx->small_work = small_work;
}

static void test_every_cut(void **state)
{
	(void)state;
	each_device(every_cut);
}

/* ---- Long vectors ---------------------------------------------------------------------------- */

enum { N = 100000, EACH = 13, TRIES = 20 };

/* A band matrix of ones and vectors of small integers, so that every order of sums is exact. */
static struct band {
	ek_context *ctx;
	ek_matrix *A;
	ek_plan *plan;
	double *x, *y;
} band;

static double expected(int64_t i)
{
	double sum = 0;

	for (int64_t j = i < EACH / 2 ? 0 : i - EACH / 2; j <= i + EACH / 2 && j < N; j++)
		sum += (double)(j % 8);
	return sum;
}

/* Makes a plan by a method, or one that moves pieces if `method` is NULL. Returns x. */
static double *band_make(ek_context *ctx, const char *method)
{
	const ek_hints hints = {.size = sizeof hints, .method = method, .measure = !method};
	void *block, *val;
	ek_view view = {.size = sizeof view};

	band.ctx = ctx;
	expect_status(eki_alloc(ctx, N, sizeof *band.x, &block), EK_OK);
	band.x = block;
	expect_status(eki_alloc(ctx, N, sizeof *band.y, &block), EK_OK);
	band.y = block;
	for (int64_t j = 0; j < N; j++)
		band.x[j] = (double)(j % 8);
	expect_status(
		ek_matrix_generate(ctx, "banded:n=100000,lower=6,upper=6", EK_F64, EK_I32, &band.A),
		EK_OK);
	expect_status(ek_matrix_array(band.A, "val", &view), EK_OK);
	val = (void *)(uintptr_t)view.data;
	for (int64_t k = 0; k < view.len; k++)
		((double *)val)[k] = 1;
	expect_status(ek_plan_create(EK_SPMV, band.A, &hints, &band.plan), EK_OK);
	return band.x;
}

static ek_status band_run(double *y)
{
	const ek_dense xv = ek_vector(EK_F64, N, band.x), yv = ek_vector(EK_F64, N, y);

	poison(EK_F64, y, N);
	return ek_spmv(band.plan, 1, &xv, 0, &yv);
}

static bool band_right(const double *y)
{
	for (int64_t i = 0; i < N; i++)
		if (y[i] != expected(i))
			return false;
	return true;
}

static void band_free(void)
{
	ek_plan_destroy(band.plan);
	ek_matrix_destroy(band.A);
	eki_free(band.ctx, band.x, N, sizeof *band.x);
	eki_free(band.ctx, band.y, N, sizeof *band.y);
}

/* Runs the plan and returns how many bytes were copied. */
static int64_t run_copies(double *y)
{
	const int64_t before = bytes_copied(band.ctx);

	expect_status(band_run(y), EK_OK);
	assert_true(band_right(y));
	return bytes_copied(band.ctx) - before;
}

/* Checks that a run copies only the part of x that the device's rows need, and nothing if memory is
 * shared and the vectors are in it. */
static void bytes(ek_context *ctx, eki_memory memory)
{
	const int64_t all = 2 * N * (int64_t)sizeof(double);
	double *own = malloc(all), *const x = band_make(ctx, "spmv.csr.split.gpu:share=750");

	assert_non_null(own);
	if (memory == EKI_MEMORY_SHARED && in_shared_heap(ctx, x, N * 8))
		assert_int_equal(run_copies(band.y), 0);
	band.x = memcpy(own, x, N * sizeof *x);
	assert_in_range(run_copies(own + N), all / 5, all / 4 + 100 * 64);
	band.x = x;
	free(own);
	band_free();
}

static void test_bytes(void **state)
{
	(void)state;
	each_device(bytes);
}

/* ---- Threads --------------------------------------------------------------------------------- */

enum { TEAM = 3 };
static bool right[TEAM];

static void run_often(int member)
{
	double *y = malloc(N * sizeof *y);

	char text[4096];

	right[member] = y != NULL;
	for (int k = 0; k < 10 && right[member]; k++)
		right[member] = band_run(y) == EK_OK && band_right(y) &&
		                ek_plan_explain(band.plan, text, sizeof text) == EK_OK;
	free(y);
}

static void threads(ek_context *ctx, eki_memory memory)
{
	(void)memory;
	band_make(ctx, "spmv.csr.split.gpu:share=400");
	run_workers(TEAM, run_often);
	for (int k = 0; k < TEAM; k++)
		assert_true(right[k]);
	band_free();
}

/* Says that both sides take as long, and together half of that. */
static double both_pay(const ek_method *method, bool prepares, double ns)
{
	(void)prepares;
	(void)ns;
	return uses_both(method) ? 5e8 : 1e9;
}

/* Lets pieces move, as the true times of runs ask for, while threads run the plan and read what it
 * says. */
static void moving_threads(ek_context *ctx, eki_memory memory)
{
	(void)memory;
	ctx->together = true;
	ctx->timing = both_pay;
	band_make(ctx, NULL);
	assert_true(((const eki_both *)band.plan->root.state)->moves);
	ctx->timing = NULL;
	run_workers(TEAM, run_often);
	for (int k = 0; k < TEAM; k++)
		assert_true(right[k]);
	ctx->together = false;
	band_free();
}

static void test_moving_threads(void **state)
{
	(void)state;
	each_device(moving_threads);
}

static void test_threads(void **state)
{
	(void)state;
	each_device(threads);
}

/* ---- Drivers that are watched, or fail ------------------------------------------------------- */

static struct watch {
	const eki_driver *real;
	eki_driver driver;
	bool started, done_before, done_then;
	int64_t most;     /* largest block that `alloc` gives, or 0 for any size */
	long fail_launch; /* number of the launch that fails, counted down, or negative */
} watch;

static ek_status watched_flush(eki_device *d)
{
	watch.done_before |= !watch.started && !isnan(band.y[N - 1]);
	watch.started = true;
	return watch.real->flush(d);
}

static ek_status watched_wait(eki_device *d)
{
	watch.done_then |= watch.started && !isnan(band.y[N - 1]);
	return watch.real->wait(d);
}

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
	if (watch.fail_launch >= 0 && watch.fail_launch-- == 0)
		return eki_fail(EK_EDEVICE, "a launch failed");
	return watch.real->launch(d, kernel, groups, group_size, args, count);
}

static void watch_driver(ek_context *ctx)
{
	watch = (struct watch){
		.real = ctx->device->driver, .driver = *ctx->device->driver, .fail_launch = -1};
	watch.driver.flush = watched_flush;
	watch.driver.wait = watched_wait;
	watch.driver.alloc = watched_alloc;
	watch.driver.launch = watched_launch;
	ctx->device->driver = &watch.driver;
}

/* Checks that the processor computes its part after the device was started and before it waits. */
static void same_time(ek_context *ctx, eki_memory memory)
{
	(void)memory;
	band_make(ctx, "spmv.csr.split.gpu:share=20");
	watch_driver(ctx);
	expect_status(band_run(band.y), EK_OK);
	assert_true(watch.started);
	assert_false(watch.done_before);
	assert_true(watch.done_then);
	assert_true(band_right(band.y));
	ctx->device->driver = watch.real;
	band_free();
}

static void test_same_time(void **state)
{
	(void)state;
	each_device(same_time);
}

static void make_and_expect(ek_context *ctx, bool batches)
{
	char text[4096];

	band_make(ctx, "spmv.csr.split.gpu:share=300");
	expect_status(ek_plan_explain(band.plan, text, sizeof text), EK_OK);
	assert_int_equal(strstr(text, "in batches, since it does not fit there") != NULL, batches);
	expect_status(band_run(band.y), EK_OK);
	assert_true(band_right(band.y));
}

/* Checks that batches take the place of a matrix for which the device is too small, as it says, or
 * as its driver finds. */
static void too_large(ek_context *ctx, eki_memory memory)
{
	const int64_t has = ctx->device->info.memory;

	(void)memory;
	ctx->device->info.memory = 10000000;
	make_and_expect(ctx, true);
	band_free();
	ctx->device->info.memory = 40000000;
	make_and_expect(ctx, false);
	if (!in_shared_heap(ctx, band.x, N * 8)) { /* else the driver allocates nothing for A */
		band_free();
		watch_driver(ctx);
		watch.most = 3000000;
		make_and_expect(ctx, true);
		ctx->device->driver = watch.real;
	}
	band_free();
	ctx->device->info.memory = has;
}

static void test_too_large(void **state)
{
	(void)state;
	each_device(too_large);
}

/* Makes each launch of a run fail in turn. The plan must work afterwards. */
static void failures(ek_context *ctx, eki_memory memory)
{
	static const char *const with[] = {
		"spmv.csr.split.gpu:share=400", "spmv.csr.split.gpu:share=400,chunks=3",
		"spmv.csr.split.gpu:share=400,batch=1000000", "spmv.csr.batches.gpu:batch=2000000"};

	(void)memory;
	for (size_t k = 0; k < sizeof with / sizeof *with; k++) {
		int failed = 0;

		band_make(ctx, with[k]);
		watch_driver(ctx);
		for (;; failed++) {
			watch.fail_launch = failed;
			if (band_run(band.y) == EK_OK)
				break;
			assert_non_null(strstr(ek_error_text(), "a launch failed"));
		}
		assert_true(failed >= 1);
		assert_true(band_right(band.y));
		ctx->device->driver = watch.real;
		band_free();
	}
}

static void test_failures(void **state)
{
	(void)state;
	each_device(failures);
}

int main(void)
{
	const struct CMUnitTest tests[] = {

		cmocka_unit_test(test_every_cut), cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_threads),   cmocka_unit_test(test_moving_threads),
		cmocka_unit_test(test_same_time), cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_failures),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
