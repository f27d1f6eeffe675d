/* SPDX-License-Identifier: BSD-3-Clause
 * Matrices given by their row lengths, and products with them on a device, which must be exact.
 * They are for methods that cut rows, for which it matters where rows end. */
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

/* Makes a matrix with the given row lengths; columns and values are random small integers. */
void lengths_make(struct lengths *m, int64_t rows, const int *len, struct rng *r);
/* Makes pattern number k. Most patterns hit edges of tiles of 4 entries and of bunches of 8; some
 * are random. Returns false if k is past the last pattern. */
bool lengths_edge(struct lengths *m, int k, struct rng *r);
ek_status lengths_matrix(const struct lengths *m, ek_context *ctx, ek_value value, ek_index index,
                         ek_matrix **A);

struct lengths_run {
	const char *method; /* name and parameters */
	ek_value value;
	ek_index index;
	ek_op op;
	double alpha, beta;
	bool on_device; /* whether the vectors are on the device */
	int runs;
};

/* Makes a plan and runs it. Fails the test if any entry of a result is wrong. */
void lengths_check(const struct lengths *m, ek_context *ctx, const struct lengths_run *run);

/* Tells whether the device can access the array, so that it need not be copied. */
bool in_shared_heap(ek_context *ctx, const void *array, int64_t bytes);

/* Returns the number of bytes copied so far between host and device, in both directions. */
int64_t bytes_copied(ek_context *ctx);

/* Calls `test` with each context of `devices`. Skips the test if there is none. */
void each_device(void (*test)(ek_context *ctx, eki_memory memory));
/* Defines test_NAME for cmocka, which calls NAME in this way. */
#define ON_EACH_DEVICE(test)                  \
	static void test_##test(void **state) \
	{                                     \
		(void)state;                  \
		each_device(test);            \
	}

#endif
