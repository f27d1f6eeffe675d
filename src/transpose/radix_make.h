/* SPDX-License-Identifier: BSD-3-Clause
 * Buckets of columns, for transposition. */
#ifndef EK_TRANSPOSE_RADIX_MAKE_H
#define EK_TRANSPOSE_RADIX_MAKE_H

#include "transpose/transpose.h"

/* Number of entries that wait for a bucket before they are written together. They fill whole cache
 * lines for all types. */
enum { EKI_RADIX_GROUP = 32 };

/* How the columns of a matrix are divided into buckets, which depends on its pattern alone. */
typedef struct eki_radix {
	int parts;
	int shift; /* columns j with the same j >> shift form a range; it is in one bucket */
	int64_t ranges;
	int64_t buckets;     /* 0 if buckets do not suit this matrix */
	uint16_t *bucket_of; /* bucket of each range */
	int64_t *column;     /* first column of each bucket; at the end the number of columns */
	/* for each bucket, and in it for each part, where its entries begin; at the end nnz */
	int64_t *begin;
	/* largest numbers of entries in a bucket of several columns, and of columns in any
	 * bucket */
	int64_t most, widest;
	bool stream; /* whether stores bypass the caches, as the result does not fit into them */
} eki_radix;

/* Divides the columns of `in`. *r must be {0} before; eki_radix_free releases it. Sets r->buckets
 * to 0 if buckets do not suit the matrix, or if counters and tables would at any time take more
 * than `most` bytes. */
ek_status eki_radix_make(const ek_context *ctx, const ek_store *in, int parts, int64_t most,
                         eki_radix *r);
/* Returns the bytes of the tables. */
int64_t eki_radix_held(const eki_radix *r);
void eki_radix_free(const ek_context *ctx, eki_radix *r);

/* Returns an upper bound on the bytes of a waiting entry: value, row and column. */
static inline size_t eki_radix_record(ek_value value, ek_index index)
{
	const size_t idx = eki_idx_size(index), val = ek_value_size(value);

	return (val > idx ? val : idx) + 2 * idx;
}

#endif
