/* SPDX-License-Identifier: BSD-3-Clause
 * Memory hooks for tests, which count blocks, make allocations fail on request, and find blocks
 * that are overrun, freed twice, or freed with a wrong size. */
#ifndef TEST_HEAP_H
#define TEST_HEAP_H

#include <stdatomic.h>
#include <stdbool.h>

#include "evenkeel/ek.h"

struct heap {
	_Atomic long calls;      /* number of allocations requested since heap_fail */
	_Atomic long live;       /* number of live blocks */
	_Atomic long long bytes; /* total size of the live blocks */
	_Atomic long long peak;  /* largest number of bytes live at a time */
	_Atomic long faults;     /* overruns, wrong sizes and double frees */
	_Atomic long fail_at;    /* number of the allocation that fails, or negative if none does */
	_Atomic bool persistent; /* whether all allocations after that one fail too */
	long long limit;         /* most bytes that one block may have, or 0 if there is no limit */
	_Atomic long refused;    /* number of blocks refused because they exceeded the limit */
	bool keep;               /* whether freed blocks stay readable until heap_close */
	_Atomic(void *) kept;
};

#define HEAP_INIT             \
	{                     \
		.fail_at = -1 \
	}

/* Makes the n-th allocation from now on fail; n = 0 is the next allocation. If `persistent` is
 * true, all allocations after it fail too. If n < 0, none fails. */
void heap_fail(struct heap *h, long n, bool persistent);
/* Counts bytes that others have allocated, or have freed if `bytes` is negative. */
void heap_count(struct heap *h, long long bytes);
/* Returns options with the hooks of `h`. threads = 0 means the default number. */
ek_options heap_options(struct heap *h, int threads);
/* Creates a context with the hooks of `h`, or fails the test. isa_limit is as in ek_options. */
ek_context *heap_context(struct heap *h, int threads, int isa_limit);
/* As heap_context, but the context divides even small arrays between threads. */
ek_context *heap_context_cut(struct heap *h, int threads, int isa_limit);
/* Allocates a block with the hooks, for an array that a matrix will adopt. */
void *heap_block(struct heap *h, size_t bytes);
void heap_return(struct heap *h, void *block, size_t bytes);
/* Releases the kept blocks. Fails the test if blocks are live or a fault was seen. */
void heap_close(struct heap *h);

#endif
