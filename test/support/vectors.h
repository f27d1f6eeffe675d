/* SPDX-License-Identifier: BSD-3-Clause
 * Two random sparse vectors between guard pages, and brute-force references for operations. */
#ifndef TEST_VECTORS_H
#define TEST_VECTORS_H

#include "support/guard.h"
#include "support/random.h"
#include "support/support.h"

enum { VECTORS_MOST = 30000 };

/* Place k, 0 <= k < universe, stands for one index; in[k] is 1 if x has an entry there, 2 if y has
 * one, and 3 if both have. Values are small integers, including 0, or random numbers. */
struct vectors {
	ek_value value, index;
	int64_t n, universe, step, first; /* the index of place k is first + k step */
	ek_sparse x, y;
	int64_t both, any; /* number of common entries, and of entries of the union */
	unsigned char in[VECTORS_MOST];
	double xv[VECTORS_MOST], yv[VECTORS_MOST]; /* values by place */
};

/* Memory for the arrays of x, y and z, in this order: indices, then values. */
extern struct guard vectors_guards[6];
void vectors_open(void);
void vectors_close(void);

/* Returns memory for n elements of `size` bytes at a random place in vectors_guards[guard]. May
 * return NULL if n is 0. */
void *vectors_lay(int guard, struct rng *r, int64_t n, size_t size);

/* Spacing of indices: without gaps, with gaps, or the widest possible; keys may be negative. */
enum vectors_kind { VECTORS_NEAR, VECTORS_APART, VECTORS_FAR, VECTORS_KEYS, VECTORS_KINDS };

/* Makes vectors: each place is in x with probability px / 1024, in y with py / 1024. `real` selects
 * random numbers. Types are random. */
void vectors_make(struct vectors *v, struct rng *r, enum vectors_kind kind, bool real,
                  int64_t universe, int64_t px, int64_t py);

/* Makes x and y again after v->in has changed. */
void vectors_refill(struct vectors *v, struct rng *r);

int64_t vectors_index(const struct vectors *v, int64_t place);

#endif
