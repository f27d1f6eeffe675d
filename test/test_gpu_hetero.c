/* SPDX-License-Identifier: BSD-3-Clause
 * Tests spmv.csr.hetero.gpu, which cuts the rows of a matrix into a part for the device and a part
 * for the processor. Results must be right for every cut, in every type and kind of memory. A plan
 * keeps the share that it measured. The processor must work while the device works. If they share
 * memory, nothing may be copied. */
#include <math.h>
#include <stdio.h>

#include "support/lengths.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

static const char method[] = "spmv.csr.hetero.gpu";
static struct lengths m;
static struct rng rng = {6};

/* ---- Cuts ------------------------------------------------------------------------------------ */

/* Checks each cut with the device's own tiles or with small ones, of 4 entries in bunches of 8. */
static void every_cut(ek_context *ctx, eki_memory memory)
{
	static const double pair[][2] = {{1, 0}, {1, 1}, {-2, 0.5}, {0.5, -1}, {2, 0}};
	int turn = 0;

	(void)memory;
	ctx->small_work = 0; /* lets several threads work even on a small part */
	for (int k = 0; lengths_edge(&m, k, &rng); k++)
		for (int share = 0; share < 1000; share += share ? 300 : 1, turn++) {
			const char *tiles = turn / 6 % 2 ? "t=2,w=2,b=2,s=2" : "";
			char name[64], cut[24] = "";

			if (share)
				snprintf(cut, sizeof cut, "share=%d%s", share, *tiles ? "," : "");
			snprintf(name, sizeof name, "%s%s%s%s", method, *cut || *tiles ? ":" : "",
			         cut, tiles);
			lengths_check(&m, ctx,
			              &(struct lengths_run){name, turn % 2 ? EK_F64 : EK_F32,
			                                    (ek_index)(EK_I32 + turn % 3),
			                                    turn % 4 == 3 ? EK_OP_T : EK_OP_N,
			                                    pair[turn % 5][0], pair[turn % 5][1],
			                                    turn % 7 < 3, 2});
		}
}

static void test_every_cut(void **state)
{
	(void)state;
	each_device(every_cut);
}

/* ---- Concurrency ----------------------------------------------------------------------------- */

enum { ROWS = 300000, EACH = 12, TRIES = 20 };

/* A driver that calls the real one, and first looks at y when the host starts the device, and when
 * the host begins to wait. */
static struct watch {
	const eki_driver *real;
	eki_driver driver;
	const volatile double *y; /* the result, NaN until it is computed */
	bool started;
	/* done_before: whether the processor's part was done when the device was started.
	 * done_then and device_done: whether the processor's part and the device's part were done
	 * when the host began to wait. */
	bool done_before, done_then, device_done;
} watch;

static bool all_there(int64_t begin, int64_t end)
{
	for (int64_t i = begin; i < end; i++)
		if (isnan(watch.y[i]))
			return false;
	return true;
}

static ek_status watched_flush(eki_device *d)
{
	watch.done_before = !isnan(watch.y[ROWS - 1]);
	watch.started = true;
	return watch.real->flush(d);
}

static void look(void)
{
	if (watch.started) {
		watch.done_then = all_there(ROWS - ROWS / 100, ROWS);
		watch.device_done = all_there(0, ROWS / 2);
	}
	watch.started = false;
}

static ek_status watched_wait(eki_device *d)
{
	look();
	return watch.real->wait(d);
}

static ek_status watched_map(eki_device *d, eki_buffer *b)
{
	look();
	return watch.real->map(d, b);
}

static ek_status watched_read(eki_device *d, const eki_buffer *from, int64_t offset, void *to,
                              int64_t bytes)
{
	look();
	return watch.real->read(d, from, offset, to, bytes);
}

static void watch_driver(ek_context *ctx, const double *y)
{
	watch = (struct watch){.real = ctx->device->driver, .driver = *ctx->device->driver, .y = y};
	watch.driver.flush = watched_flush;
	watch.driver.wait = watched_wait;
	watch.driver.map = watched_map;
	watch.driver.read = watched_read;
	ctx->device->driver = &watch.driver;
}

/* Checks that the host computes its part after starting the device and before waiting for it. If y
 * is in shared memory, y also shows whether the device was still working when the wait began. This
 * must happen in one of TRIES runs, not in all, since other programs may delay the host. */
static void same_time(ek_context *ctx, eki_memory memory)
{
	const ek_hints hints = {.size = sizeof hints, .method = "spmv.csr.hetero.gpu:share=20"};
	bool together = false, shared;
	double *x, *y;
	void *block;
	ek_matrix *A;
	ek_plan *plan;

	(void)memory;
	expect_status(eki_calloc(ctx, ROWS, sizeof *x, &block), EK_OK);
	x = block;
	expect_status(eki_alloc(ctx, ROWS, sizeof *y, &block), EK_OK);
	y = block;
	const ek_dense xv = ek_vector(EK_F64, ROWS, x), yv = ek_vector(EK_F64, ROWS, y);

	expect_status(
		ek_matrix_generate(ctx, "banded:n=300000,lower=6,upper=6", EK_F64, EK_I32, &A),
		EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	shared = in_shared_heap(ctx, y, ROWS * 8);
	watch_driver(ctx, y);
	for (int k = 0; k < TRIES && !together; k++) {
		poison(EK_F64, y, ROWS);
		expect_status(ek_spmv(plan, 1, &xv, 0, &yv), EK_OK);
		assert_false(watch.started);
		assert_false(watch.done_before);
		assert_true(watch.done_then);
		assert_true(all_there(0, ROWS));
		together = !shared || !watch.device_done;
	}
	assert_true(together);
	ctx->device->driver = watch.real;
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	eki_free(ctx, x, ROWS, sizeof *x);
	eki_free(ctx, y, ROWS, sizeof *y);
}

static void test_same_time(void **state)
{
	(void)state;
	each_device(same_time);
}

/* Checks that tiles which do not fit a group are refused. */
static void refused(ek_context *ctx, eki_memory memory)
{
	const ek_hints hints = {.size = sizeof hints,
	                        .method = "spmv.csr.hetero.gpu:share=20,t=256,b=2"};
	ek_plan *plan = NULL;
	ek_matrix *A;

	(void)memory;
	expect_status(ek_matrix_generate(ctx, "banded:n=30,lower=1,upper=1", EK_F64, EK_I32, &A),
	              EK_OK);
	expect_error(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_EUNSUPPORTED, "b = 2 bunches");
	assert_null(plan);
	ek_matrix_destroy(A);
}

static void test_refused(void **state)
{
	(void)state;
	each_device(refused);
}

/* ---- Share, bits, bytes ---------------------------------------------------------------------- */

/* Checks that a plan reports that it measured speeds, that all its runs give the same bits and, if
 * memory is shared, that they copy nothing. */
static void measured(ek_context *ctx, eki_memory memory)
{
	enum { N = 1 << 14 };
	const ek_hints hints = {.size = sizeof hints, .method = method};
	double *x, *y, *first = malloc(N * sizeof *first);
	char text[4096];
	int64_t before;
	void *block;
	ek_matrix *A;
	ek_plan *plan;

	(void)memory;
	expect_status(eki_alloc(ctx, N, sizeof *x, &block), EK_OK);
	x = block;
	expect_status(eki_alloc(ctx, N, sizeof *y, &block), EK_OK);
	y = block;
	const ek_dense xv = ek_vector(EK_F64, N, x), yv = ek_vector(EK_F64, N, y);

	for (int j = 0; j < N; j++)
		x[j] = rng_real(&rng, 10);
	expect_status(ek_matrix_generate(ctx, "rmat:scale=14,factor=8", EK_F64, EK_I32, &A), EK_OK);
	expect_status(ek_plan_create(EK_SPMV, A, &hints, &plan), EK_OK);
	expect_status(ek_plan_explain(plan, text, sizeof text), EK_OK);
	assert_non_null(strstr(text, "by the speeds measured"));
	before = bytes_copied(ctx);
	for (int run = 0; run < 10; run++) {
		expect_status(ek_spmv(plan, 1.5, &xv, 0, &yv), EK_OK);
		if (run == 0)
			memcpy(first, y, N * sizeof *y);
		assert_memory_equal(first, y, N * sizeof *y);
	}
	if (in_shared_heap(ctx, x, N * 8))
		assert_int_equal(bytes_copied(ctx), before);
	ek_plan_destroy(plan);
	ek_matrix_destroy(A);
	eki_free(ctx, x, N, sizeof *x);
	eki_free(ctx, y, N, sizeof *y);
	free(first);
}

static void test_measured(void **state)
{
	(void)state;
	each_device(measured);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_cut),
		cmocka_unit_test(test_same_time),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_measured),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
