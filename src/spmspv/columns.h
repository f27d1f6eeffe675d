/* SPDX-License-Identifier: BSD-3-Clause
 * The two methods that go through the columns of op(A) in which x has entries, for
 * spmspv.csr.switch, which uses both. */
#ifndef EK_SPMSPV_COLUMNS_H
#define EK_SPMSPV_COLUMNS_H

#include "spmspv/spmspv.h"

/* ---- csr_spa.c ------------------------------------------------------------------------------- */

/* A sparse accumulator for all rows. Each part has a range of rows. `cut` has `parts` positions for
 * each column, at which the rows of each part begin. If there is one part, `cut` is the pointer
 * array of `cols`. */
typedef struct eki_by_spa {
	const ek_store *cols;
	int parts;
	int64_t bound[EKI_SPMSPV_PARTS + 1];
	const void *cut;
	/* offsets in the scratch; each part has flags of its own for groups, and for groups of
	 * groups */
	int64_t sum, flag, group, super;
} eki_by_spa;

/* Returns the largest number of parts for which the size of `cut` is in proportion to the
 * matrix. */
int eki_spa_parts(const eki_step *step, const ek_store *cols);
ek_status eki_spa_prepare(eki_step *step, const ek_store *cols, eki_by_spa *s);
/* Does a run with `products` products, on one thread if these are few. */
void eki_spa_run(const eki_step *step, const eki_by_spa *s, int64_t products, const eki_run *v);

/* ---- csr_buckets.c --------------------------------------------------------------------------- */

/* Rows i with the same i >> shift form a bucket. */
typedef struct eki_by_buckets {
	const ek_store *cols;
	int parts, shift;
	int64_t buckets;
	int64_t most; /* largest number of products of a run */
	/* offsets in the scratch: products of all buckets, sums and flags of the parts, counters */
	int64_t idx, val, sum, flag, group, super, counter;
} eki_by_buckets;

ek_status eki_buckets_prepare(eki_step *step, const ek_store *cols, int64_t most,
                              eki_by_buckets *b);
void eki_buckets_run(const eki_step *step, const eki_by_buckets *b, const eki_products *products,
                     const eki_run *v);

#endif
