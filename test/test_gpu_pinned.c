/* SPDX-License-Identifier: BSD-3-Clause
 * Tests products of device and processor whose vectors and blocks go by way of pinned memory, as
 * CUDA's driver wants it, with a driver that pins, and that copies as late as it may: what is sent,
 * when kernels are to wait for it, and what is fetched, when the host waits. So it matters that
 * memory stays as it is until then, and that nobody reads what is not there yet. Results are
 * exact. */
#include <stdio.h>

#include "both/both.h"
#include "support/blocks.h"
#include "support/lengths.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

/* ---- The driver ------------------------------------------------------------------------------ */

enum { BLOCKS = 16, COPIES = 256 };

/* A copy that was asked for. */
struct late {
	bool fetch;
	eki_buffer there;
	int64_t offset, bytes;
	void *host;
};

static struct pinning {
	const eki_driver *real;
	eki_driver driver;
	struct {
		const char *begin;
		int64_t bytes;
	} of[BLOCKS];
	int pinned, refused, unknown; /* blocks now, and calls that were refused, or wrong */
	struct late late[COPIES];
	int count;
	int64_t inside, outside; /* copies with pinned memory, and with other */
} pins;

static int find(const char *begin, int64_t bytes)
{
	int k = 0;

	while (k < BLOCKS && !(pins.of[k].begin && begin < pins.of[k].begin + pins.of[k].bytes &&
	                       begin + bytes > pins.of[k].begin))
		k++;
	return k;
}

static ek_status pin(eki_device *d, void *host, int64_t bytes)
{
	int k = 0;

	(void)d;
	while (k < BLOCKS && pins.of[k].begin)
		k++;
	if (k == BLOCKS || find(host, bytes) < BLOCKS) {
		pins.refused++;
		return eki_fail(EK_EDEVICE, "the memory is pinned already");
	}
	pins.of[k].begin = host;
	pins.of[k].bytes = bytes;
	pins.pinned++;
	return EK_OK;
}

static void unpin(eki_device *d, void *host)
{
	const int k = find(host, 1);

	(void)d;
	if (k == BLOCKS || pins.of[k].begin != host) {
		pins.unknown++;
		return;
	}
	pins.of[k].begin = NULL;
	pins.pinned--;
}

/* Does the copies that were asked for, in order. */
static ek_status catch_up(eki_device *d)
{
	for (int k = 0; k < pins.count; k++) {
		const struct late *c = &pins.late[k];

		EK_RETURN_IF(c->fetch
		                     ? pins.real->fetch(d, &c->there, c->offset, c->host, c->bytes)
		                     : pins.real->send(d, &c->there, c->offset, c->host, c->bytes));
	}
	pins.count = 0;
	return EK_OK;
}

static ek_status put_off(eki_device *d, struct late copy)
{
	const int k = find(copy.host, copy.bytes);
	const char *host = copy.host;

	if (k < BLOCKS && host >= pins.of[k].begin &&
	    host + copy.bytes <= pins.of[k].begin + pins.of[k].bytes)
		pins.inside++;
	else
		pins.outside++;
	if (pins.count == COPIES)
		EK_RETURN_IF(catch_up(d));
	pins.late[pins.count++] = copy;
	return EK_OK;
}

static ek_status late_send(eki_device *d, const eki_buffer *to, int64_t offset, const void *from,
                           int64_t bytes)
{
	return put_off(d, (struct late){.there = *to,
	                                .offset = offset,
	                                .bytes = bytes,
	                                .host = (void *)(uintptr_t)from});
}

static ek_status late_fetch(eki_device *d, const eki_buffer *from, int64_t offset, void *to,
                            int64_t bytes)
{
	return put_off(d, (struct late){true, *from, offset, bytes, to});
}

static ek_status late_follow(eki_device *d, bool copies)
{
	if (!copies)
		EK_RETURN_IF(catch_up(d));
	return pins.real->follow(d, copies);
}

static ek_status late_wait(eki_device *d)
{
	EK_RETURN_IF(catch_up(d));
	return pins.real->wait(d);
}

static void pins_begin(ek_context *ctx)
{
	pins = (struct pinning){.real = ctx->device->driver, .driver = *ctx->device->driver};
	pins.driver.pin = pin;
	pins.driver.unpin = unpin;
	pins.driver.send = late_send;
	pins.driver.fetch = late_fetch;
	pins.driver.follow = late_follow;
	pins.driver.wait = late_wait;
	ctx->device->driver = &pins.driver;
}

/* Puts the device's own driver back. Everything must be unpinned. */
static void pins_end(ek_context *ctx)
{
	ctx->device->driver = pins.real;
	assert_int_equal(pins.pinned, 0);
	assert_int_equal(pins.unknown, 0);
	assert_int_equal(pins.count, 0);
}

/* ---- Vectors --------------------------------------------------------------------------------- */

static struct lengths m;
static struct rng rng = {23};

static void vectors(ek_context *ctx, eki_memory memory)
{
	/* Whether all copies of a run are with pinned memory: vectors go by way of it where the
	 * processor has a part. */
	static const struct {
		const char *name;
		bool all;
	} with[] = {{"spmv.csr.split.gpu:share=1", true},
	            {"spmv.csr.split.gpu:share=500", true},
	            {"spmv.csr.split.gpu:share=999", true},
	            {"spmv.csr.split.gpu:share=200,chunks=4", true},
	            {"spmv.csr.split.gpu:share=300,batch=64", true},
	            {"spmv.csr.split.gpu:side=1,chunks=3", true},
	            {"spmv.csr.split.gpu:side=1", false},
	            {"spmv.csr.split.gpu", false},
	            {"spmv.csr.batches.gpu:batch=64", false}};
	static const double pair[][2] = {{1, 0}, {-2, 0.5}, {0.5, -1}};
	int64_t inside[sizeof with / sizeof *with] = {0};
	const int64_t small_work = ctx->small_work;
	int turn = 0;

	if (memory != EKI_MEMORY_COPY) /* kinds of memory differ in what is shared alone */
		return;
	ctx->small_work = 0; /* lets several threads work even on a small part */
	for (int k = 0; lengths_edge(&m, k, &rng); k++)
		for (size_t j = 0; j < sizeof with / sizeof *with; j++, turn++) {
			pins_begin(ctx);
			lengths_check(&m, ctx,
			              &(struct lengths_run){
					      with[j].name, turn % 2 ? EK_F64 : EK_F32,
					      turn % 4 < 2 ? EK_I32 : EK_I64,
					      turn % 5 == 4 ? EK_OP_T : EK_OP_N, pair[turn % 3][0],
					      pair[turn % 3][1], false, 2});
			pins_end(ctx);
			inside[j] += pins.inside;
			if (with[j].all && pins.outside)
				fail_msg("%s copies with memory that is not pinned", with[j].name);
		}
	for (size_t j = 0; j < sizeof with / sizeof *with; j++)
		if (with[j].all && !inside[j])
			fail_msg("%s copies nothing with pinned memory", with[j].name);
	ctx->small_work = small_work;
}

static void test_vectors(void **state)
{
	(void)state;
	each_device(vectors);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Multiplies blocks of one shape, also of more columns than are copied at a time. Returns how many
 * copies there were with pinned memory. */
static int64_t check_blocks(ek_context *ctx, int shape, const char *method, int turn)
{
	static const int64_t width[] = {1, 5, 32, 33, 70};
	const ek_value value = turn % 2 ? EK_F64 : EK_F32;
	const ek_hints hints = {
		.size = sizeof hints, .method = method, .width = width[(turn + 2) % 5]};
	struct blocks b;
	ek_matrix *A;
	ek_plan *plan;
	char text[600];

	blocks_make(&b, shape, DATA_EXACT, value, turn);
	snprintf(product_where, sizeof product_where, "%s %s, shape %s", method,
	         ek_value_name(value), b.A.name);
	expect_status(blocks_matrix(&b, ctx, HELD_CSR, EK_I32, &A), EK_OK);
	pins_begin(ctx);
	expect_status(ek_plan_create(EK_SPMM, A, &hints, &plan), EK_OK);
	for (int k = 0; k < 5; k++) {
		struct block_run run = {.width = width[k],
		                        .order = {(turn + k) % 2, k % 2},
		                        .more = {k % 3, 2 * (k % 2)},
		                        .at_end = k % 2};

		do /* skip alpha = 0, with which nothing is sent */
			product_pair(DATA_EXACT, (unsigned)rng_below(&rng, 25), &run.alpha,
			             &run.beta);
		while (run.alpha == 0);
		if (!blocks_run(&b, NULL, plan, &run, NULL, text, sizeof text))
			fail_msg("%s: %s", product_where, text);
	}
	ek_plan_destroy(plan);
	pins_end(ctx);
	if (strstr(method, "share"))
		assert_int_equal(pins.outside, 0);
	ek_matrix_destroy(A);
	blocks_free(&b);
	return pins.inside;
}

static void blocks(ek_context *ctx, eki_memory memory)
{
	static const char *const with[] = {
		"spmm.csr.split.gpu:share=500", "spmm.csr.split.gpu:share=900,batch=64",
		"spmm.csr.split.gpu:side=1", "spmm.csr.split.gpu:share=50,chunks=3",
		"spmm.csr.split.gpu:side=1,chunks=2"};
	int64_t inside = 0;

	if (memory != EKI_MEMORY_COPY)
		return;
	for (int turn = 0; 3 * turn < shape_count(); turn++)
		inside += check_blocks(ctx, 3 * turn, with[turn % 5], turn);
	assert_true(inside > 0);
}

static void test_blocks(void **state)
{
	(void)state;
	each_device(blocks);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_blocks),
	};

	if (argc > 0)
		test_passive_threads(argv);
	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
