/* SPDX-License-Identifier: BSD-3-Clause
 * Tests the heap of contexts whose device shares memory with the host: the tree of its blocks, with
 * made-up addresses in all orders and the lengths of its paths, and blocks of devices that threads
 * allocate and free while others look for theirs. */
#include <stdio.h>

#include "gpu/blocks.h"
#include "gpu/gpu.h"
#include "support/lengths.h"
#include "support/support.h"
#include "support/workers.h"

#ifdef EK_NO_GPU
int main(void)
{
	return 0;
}
#else

/* ---- The tree -------------------------------------------------------------------------------- */

enum { COUNT = 20000, ADDRESS = 1 << 20, PLACE = 64 };

/* Block k has PLACE bytes from ADDRESS + PLACE * k on, or fewer if k is odd. So each even block
 * touches the next one, and there are gaps behind odd ones. */
static eki_block block[COUNT];
static bool in_tree[COUNT];
static eki_block *root;
static struct rng rng = {11};

static uintptr_t begin_of(int k)
{
	return ADDRESS + PLACE * (uintptr_t)k;
}

static size_t bytes_of(int k)
{
	return k % 2 ? PLACE - 16 : PLACE;
}

static void add(int k)
{
	block[k].host = (char *)begin_of(k);
	block[k].bytes = bytes_of(k);
	eki_blocks_add(&root, &block[k]);
	in_tree[k] = true;
}

static void take(int k)
{
	assert_ptr_equal(eki_blocks_take(&root, (void *)begin_of(k)),
	                 in_tree[k] ? &block[k] : NULL);
	in_tree[k] = false;
}

/* Checks what is found for `bytes` bytes from byte `at` of place k on. */
static void look(int k, size_t at, size_t bytes)
{
	const bool inside = in_tree[k] && at + bytes <= bytes_of(k);

	assert_ptr_equal(eki_blocks_around(root, (void *)(begin_of(k) + at), bytes),
	                 inside ? &block[k] : NULL);
}

static void look_everywhere(int k)
{
	look(k, 0, bytes_of(k));
	look(k, 1, 0);
	look(k, 0, bytes_of(k) + 1); /* reaches into the next block, if that is there */
	look(k, 17, 20);
	look(k, PLACE - 1, 1); /* the last byte, or one in a gap */
	look(k, PLACE - 17, 2);
	assert_null(eki_blocks_take(&root, (void *)(begin_of(k) + 1)));
}

/* Returns the number of blocks on the longest path. */
static int longest(void)
{
	static struct {
		const eki_block *at;
		int depth;
	} stack[COUNT];
	int waiting, most = 0;

	stack[0].at = root;
	stack[0].depth = 1;
	waiting = root != NULL;
	while (waiting) {
		const eki_block *at = stack[--waiting].at;
		const int depth = stack[waiting].depth;

		most = depth > most ? depth : most;
		for (int side = 0; side < 2; side++)
			if (at->child[side]) {
				stack[waiting].at = at->child[side];
				stack[waiting++].depth = depth + 1;
			}
	}
	return most;
}

/* Adds all blocks in the order `place`, looks for them, and takes them away again. */
static void check_order(const int *place, const char *what)
{
	enum { SHORT = 45 }; /* 4.3 times the logarithm of COUNT */

	assert_null(root);
	for (int k = 0; k < COUNT; k++)
		add(place[k]);
	if (longest() > SHORT)
		fail_msg("%s: a look-up goes through %d of %d blocks", what, longest(), COUNT);
	for (int k = 0; k < COUNT; k++)
		look_everywhere(k);
	for (int k = 0; k < COUNT; k += 2)
		take(place[k]);
	assert_in_range(longest(), 1, SHORT);
	for (int k = 0; k < COUNT; k++)
		look_everywhere(k);
	for (int k = 0; k < COUNT; k++)
		take(place[COUNT - 1 - k]);
	assert_null(root);
}

static void test_orders(void **state)
{
	static int up[COUNT], down[COUNT], any[COUNT];

	(void)state;
	assert_null(eki_blocks_around(NULL, block, 0));
	assert_null(eki_blocks_take(&root, block));
	for (int k = 0; k < COUNT; k++) {
		const int other = (int)rng_below(&rng, k + 1);

		up[k] = k;
		down[k] = COUNT - 1 - k;
		any[k] = any[other];
		any[other] = k;
	}
	check_order(up, "ascending");
	check_order(down, "descending");
	check_order(any, "in random order");
}

/* Adds and takes blocks at random, so that all kinds of neighbours are there and not there. */
static void test_mixed(void **state)
{
	enum { FEW = 60 };

	(void)state;
	for (int k = 0; k < 20000; k++) {
		const int at = (int)rng_below(&rng, FEW);

		if (in_tree[at] || k % 3 == 0)
			take(at);
		else
			add(at);
		look_everywhere((int)rng_below(&rng, FEW));
	}
	for (int k = 0; k < FEW; k++)
		take(k);
	assert_null(root);
}

/* ---- Blocks of devices ----------------------------------------------------------------------- */

enum { BLOCKS = 300, ROUNDS = 2000 };

static eki_device *dev;

static size_t length_of(int k)
{
	return 8 + 24 * (size_t)(k % 50);
}

/* Tells whether a part of memory is found, and as what it should. */
static bool finds(char *at, size_t bytes)
{
	eki_buffer b = {0};

	return eki_buffer_around(dev, at, (int64_t)bytes, &b) && b.host == at &&
	       b.bytes == (int64_t)bytes && b.foreign;
}

/* Tells whether a block is found as a whole, and inside, and not beyond its end. */
static bool is_block(char *at, size_t bytes)
{
	eki_buffer b;

	return finds(at, bytes) && finds(at + 3, bytes - 3) && finds(at + bytes - 1, 1) &&
	       !eki_buffer_around(dev, at, (int64_t)bytes + 1, &b);
}

/* Allocates and frees blocks in random order, and looks for those that are there. */
static void use_heap(int number)
{
	char *own[BLOCKS] = {0}, outside[8];
	struct rng r = {(uint64_t)number + 1};
	eki_buffer b;

	for (int k = 0; k < ROUNDS; k++) {
		const int at = (int)rng_below(&r, BLOCKS), other = (int)rng_below(&r, BLOCKS);

		if (own[at]) {
			eki_shared_dealloc(dev, own[at], length_of(at));
			own[at] = NULL;
		} else {
			own[at] = eki_shared_alloc(dev, 64, length_of(at));
			if (!own[at])
				worker_fault("there is no memory");
		}
		if (own[other] && !is_block(own[other], length_of(other)))
			worker_fault("a block is not found as it is");
		if (eki_buffer_around(dev, outside, 1, &b))
			worker_fault("memory of another heap is found");
	}
	for (int k = 0; k < BLOCKS; k++)
		if (own[k])
			eki_shared_dealloc(dev, own[k], length_of(k));
}

/* Lets the driver refuse memory, after which all is as before. */
static ek_status refuse(eki_device *d, eki_memory memory, int64_t bytes, void **device, void **host)
{
	(void)d;
	(void)memory;
	(void)bytes;
	(void)device;
	(void)host;
	return eki_fail(EK_ENOMEM, "no memory");
}

static void heap_of(ek_context *ctx, eki_memory memory)
{
	const eki_driver *real = ctx->device->driver;
	const eki_block *before = ctx->device->blocks;
	eki_driver without = *real;

	if (memory != EKI_MEMORY_SHARED)
		return;
	dev = ctx->device;
	run_workers(WORKERS, use_heap);
	assert_ptr_equal(dev->blocks, before); /* a tree's shape depends on its blocks alone */
	without.alloc = refuse;
	dev->driver = &without;
	assert_null(eki_shared_alloc(dev, 64, 100));
	dev->driver = real;
	assert_null(eki_shared_alloc(dev, 64, (size_t)PTRDIFF_MAX + 1));
	assert_ptr_equal(dev->blocks, before);
}

ON_EACH_DEVICE(heap_of)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_mixed),
		cmocka_unit_test(test_heap_of),
	};

	return run_all_tests(tests, devices_setup, devices_teardown);
}

#endif
