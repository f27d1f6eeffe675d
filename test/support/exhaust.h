/* SPDX-License-Identifier: BSD-3-Clause
 * A loop that repeats a call while its n-th allocation fails, for n = 0, 1, ..., until the call
 * succeeds. The loop runs twice: the first time only the n-th allocation fails, the second time all
 * later ones fail too (as SQLite and LAGraph test). Each failure must give EK_ENOMEM, leak nothing
 * and leave the output as it was. */
#ifndef TEST_EXHAUST_H
#define TEST_EXHAUST_H

#include "support/heap.h"

struct exhaust {
	struct heap heap;
	ek_context *ctx;
	const void *arg; /* argument for the calls */
	/* The pointer that the call outputs. Other outputs go to `room`. Failing calls change
	 * neither. */
	void *out;
	unsigned char room[1024];
};

/* Opens a context that divides even small arrays between threads. */
void exhaust_open(struct exhaust *e, int threads, const void *arg);
void exhaust_close(struct exhaust *e);

/* An exhaust_call sets e->out only on success. An exhaust_release frees what the call made. */
typedef ek_status exhaust_call(struct exhaust *e);
typedef void exhaust_release(struct exhaust *e);

/* Runs the loop. Returns the number of allocations that the call needs. `release` may be NULL if
 * the call makes nothing that has to be freed. */
long exhaust(struct exhaust *e, const char *name, exhaust_call *call, exhaust_release *release);
/* Runs the loop with ek_plan_create. */
long exhaust_plan(struct exhaust *e, ek_operation operation, const ek_matrix *A,
                  const ek_hints *hints);
void exhaust_free_matrix(struct exhaust *e); /* releases a matrix */

/* The argument of exhaust_multiply: factors and the name of a method. */
struct exhaust_product {
	const ek_matrix *A, *B;
	const char *method;
};
/* Makes a plan for C = A B, runs it and destroys it; e->out becomes C. */
ek_status exhaust_multiply(struct exhaust *e);

#endif
