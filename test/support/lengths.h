/* SPDX-License-Identifier: BSD-3-Clause
 * Matrices on a device that are given by the lengths of their rows, and products with them that
 * must be exact: for methods that cut rows, where it matters which row ends where. */
#ifndef TEST_LENGTHS_H
#define TEST_LENGTHS_H

#include "gpu/gpu.h"
#include "support/devices.h"
#include "support/random.h"
#include "support/support.h"

enum { LENGTHS_ROWS = 12000, LENGTHS_COLS = 13, LENGTHS_ENTRIES = 400000 };

struct lengths {
	int64_t rows, nnz;
	int64_t ptr[LENGTHS_ROWS + 1], col[LENGTHS_ENTRIES];
	int val[LENGTHS_ENTRIES];
};

/* Columns and values are small integers, by chance. */
void lengths_make(struct lengths *m, int64_t rows, const int *len, struct rng *r);
/* Pattern number k of those that hit the edges of tiles of 4 entries and bunches of 8, and some by
 * chance; false behind the last. */
bool lengths_edge(struct lengths *m, int k, struct rng *r);
ek_status lengths_matrix(const struct lengths *m, ek_context *ctx, ek_value value, ek_index index,
                         ek_matrix **A);

struct lengths_run {
	const char *method; /* and parameters */
	ek_value value;
	ek_index index;
	ek_op op;
	double alpha, beta;
	bool on_device; /* the vectors */
	int runs;
};

/* A plan, and runs of which every entry must be right. */
void lengths_check(const struct lengths *m, ek_context *ctx, const struct lengths_run *run);

/* Is it memory that the device sees, so that nothing needs to be copied? */
bool in_shared_heap(ek_context *ctx, const void *array, int64_t bytes);

/* Between host and device so far, there and back. */
int64_t bytes_copied(ek_context *ctx);

/* Calls `test` with each of `devices`; skips the test if there are none. */
void each_device(void (*test)(ek_context *ctx, eki_memory memory));

#endif
