/* SPDX-License-Identifier: BSD-3-Clause
 * Memory hooks for tests: they count, they fail when told to, and they find blocks that are
 * overrun, freed twice, or freed with another size. */
#ifndef TEST_HEAP_H
#define TEST_HEAP_H

#include <stdatomic.h>
#include <stdbool.h>

#include "evenkeel/ek.h"

struct heap {
	_Atomic long calls;      /* allocations asked for since heap_fail */
	_Atomic long live;       /* blocks */
	_Atomic long long bytes; /* of live blocks */
	_Atomic long long peak;  /* most bytes at a time */
	_Atomic long faults;     /* overruns, wrong sizes, double frees */
	_Atomic long fail_at;    /* the allocation that fails; negative: none */
	_Atomic bool persistent; /* and all after it */
	long long limit;         /* most bytes of one block; 0: any */
	_Atomic long refused;    /* blocks that were larger */
	bool keep;               /* keep freed blocks readable until heap_close */
	_Atomic(void *) kept;
};

#define HEAP_INIT             \
	{                     \
		.fail_at = -1 \
	}

/* The n-th allocation from now on (0: the next) fails, and if `persistent` all after it. n < 0:
 * none fails. */
void heap_fail(struct heap *h, long n, bool persistent);
/* Options with the hooks of `h`; threads = 0: the default. */
ek_options heap_options(struct heap *h, int threads);
/* A context with the hooks of `h`; stops the test if there is none. isa_limit as in ek_options. */
ek_context *heap_context(struct heap *h, int threads, int isa_limit);
/* The same, and small arrays are cut between threads too. */
ek_context *heap_context_cut(struct heap *h, int threads, int isa_limit);
/* A block from the hooks, for arrays to be adopted. */
void *heap_block(struct heap *h, size_t bytes);
void heap_return(struct heap *h, void *block, size_t bytes);
/* Releases what was kept; fails the test if blocks are live or a fault was seen. */
void heap_close(struct heap *h);

#endif
