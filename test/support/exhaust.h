/* SPDX-License-Identifier: BSD-3-Clause
 * The loop in which the n-th allocation fails, n = 0, 1, ... until the call succeeds; once with
 * that one allocation failing, once with all after it too (SQLite and LAGraph test so). Each
 * failure must be EK_ENOMEM, leak nothing and leave the output as it was. */
#ifndef TEST_EXHAUST_H
#define TEST_EXHAUST_H

#include "support/heap.h"

struct exhaust {
	struct heap heap;
	ek_context *ctx;
	const void *arg; /* of the calls */
	/* Its output, a pointer; other outputs go to `room`, which must not change either. */
	void *out;
	unsigned char room[1024];
};

/* With a context in which small arrays are cut between threads too. */
void exhaust_open(struct exhaust *e, int threads, const void *arg);
void exhaust_close(struct exhaust *e);

/* The call sets e->out only on success; `release` frees what it made, NULL if it made nothing. */
typedef ek_status exhaust_call(struct exhaust *e);
typedef void exhaust_release(struct exhaust *e);

/* Returns how many allocations the call needs. */
long exhaust(struct exhaust *e, const char *name, exhaust_call *call, exhaust_release *release);

#endif
