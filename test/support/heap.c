/* SPDX-License-Identifier: BSD-3-Clause
 * Each block has a header of 64 bytes before it, a size that keeps the block aligned, and 64 known
 * bytes after it. The address sanitizer finds overruns itself, so with it there are no such bytes.
 * New memory is filled with 0xff, which is NaN as a number and -1 as an index. */
#define _POSIX_C_SOURCE 200809L /* posix_memalign */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "support/support.h"
#include "support/heap.h"

#if defined(__SANITIZE_ADDRESS__)
#define TAIL 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TAIL 0
#endif
#endif
#ifndef TAIL
#define TAIL 64
#endif

enum { HEAD = 64, LIVE_MAGIC = 0x1ea51b1e, DEAD_MAGIC = 0x0ddead00, TAIL_BYTE = 0x5a };

struct head {
	uint32_t magic;
	size_t bytes;
	struct head *next;
};

void heap_count(struct heap *h, long long bytes)
{
	const long long now = atomic_fetch_add(&h->bytes, bytes) + bytes;
	long long peak = atomic_load(&h->peak);

	while (peak < now && !atomic_compare_exchange_weak(&h->peak, &peak, now))
		continue;
}

static void *hook_alloc(void *user, size_t alignment, size_t bytes)
{
	struct heap *h = user;
	long n = atomic_fetch_add(&h->calls, 1), fail_at = atomic_load(&h->fail_at);
	const size_t most = sizeof most > 4 ? (size_t)(UINT64_C(1) << 40) : (size_t)1 << 30;
	void *map;

	if (bytes == 0 || alignment == 0 || alignment > HEAD || (alignment & (alignment - 1)))
		atomic_fetch_add(&h->faults, 1);
	if (fail_at >= 0 && (n == fail_at || (n > fail_at && atomic_load(&h->persistent))))
		return NULL;
	if (h->limit && bytes > (size_t)h->limit) {
		atomic_fetch_add(&h->refused, 1);
		return NULL;
	}
	if (bytes > most || posix_memalign(&map, HEAD, HEAD + bytes + TAIL) != 0)
		return NULL;
	*(struct head *)map = (struct head){.magic = LIVE_MAGIC, .bytes = bytes};
	memset((char *)map + HEAD, 0xff, bytes);
	for (int k = 0; k < TAIL; k++)
		((unsigned char *)map)[HEAD + bytes + (size_t)k] = TAIL_BYTE;
	atomic_fetch_add(&h->live, 1);
	heap_count(h, (long long)bytes);
	return (char *)map + HEAD;
}

static void hook_dealloc(void *user, void *block, size_t bytes)
{
	struct heap *h = user;
	struct head *head = (struct head *)(void *)((char *)block - HEAD);
	const unsigned char *tail = (const unsigned char *)block + head->bytes;
	void *first;

	if (head->magic != LIVE_MAGIC || head->bytes != bytes) {
		atomic_fetch_add(&h->faults, 1);
		return;
	}
	for (int k = 0; k < TAIL; k++)
		if (tail[k] != TAIL_BYTE) {
			atomic_fetch_add(&h->faults, 1);
			break;
		}
	head->magic = DEAD_MAGIC;
	memset(block, 0xdb, bytes);
	atomic_fetch_sub(&h->live, 1);
	heap_count(h, -(long long)bytes);
	if (!h->keep) {
		free(head);
		return;
	}
	first = atomic_load(&h->kept);
	do
		head->next = first;
	while (!atomic_compare_exchange_weak(&h->kept, &first, head));
}

void heap_fail(struct heap *h, long n, bool persistent)
{
	atomic_store(&h->calls, 0);
	atomic_store(&h->persistent, persistent);
	atomic_store(&h->fail_at, n);
}

ek_options heap_options(struct heap *h, int threads)
{
	return (ek_options){.size = sizeof(ek_options),
	                    .alloc = hook_alloc,
	                    .dealloc = hook_dealloc,
	                    .user = h,
	                    .threads = threads};
}

ek_context *heap_context(struct heap *h, int threads, int isa_limit)
{
	ek_options options = heap_options(h, threads);
	ek_context *ctx = NULL;

	options.isa_limit = isa_limit;
	expect_status(ek_context_create(&options, &ctx), EK_OK);
	return ctx;
}

ek_context *heap_context_cut(struct heap *h, int threads, int isa_limit)
{
	ek_context *ctx = heap_context(h, threads, isa_limit);

	ctx->small_work = 0;
	return ctx;
}

void *heap_block(struct heap *h, size_t bytes)
{
	return hook_alloc(h, 64, bytes);
}

void heap_return(struct heap *h, void *block, size_t bytes)
{
	hook_dealloc(h, block, bytes);
}

void heap_close(struct heap *h)
{
	struct head *block = atomic_exchange(&h->kept, NULL);

	while (block) {
		struct head *next = block->next;

		free(block);
		block = next;
	}
	if (atomic_load(&h->live) != 0 || atomic_load(&h->faults) != 0)
		fail_msg("%ld blocks of %lld bytes leaked, %ld faults of memory",
		         atomic_load(&h->live), atomic_load(&h->bytes), atomic_load(&h->faults));
}
