/* SPDX-License-Identifier: BSD-3-Clause
 * Products of a short row, sorted and added up by a heap, for spgemm/csr_bins.c. */
#ifndef EK_SPGEMM_HEAP_FUSE_H
#define EK_SPGEMM_HEAP_FUSE_H

#include "plan/plan.h"

enum {
	EKI_FUSE_ARITY = 4, /* children of a node */
	EKI_FUSE_BITS = 5   /* low bits of a key, for the number of a product */
};

/* Sorts n keys, 0 < n <= 1 << EKI_FUSE_BITS, and adds up the products of each column. The low
 * EKI_FUSE_BITS bits of a key are the complement of the product's number, the bits above them its
 * column. The keys are integers of 4 or 8 bytes and begin EKI_FUSE_ARITY - 1 places after an
 * aligned address. Products are added in the order of their numbers. Returns the h for which key[h]
 * .. key[n - 1] are keys of different columns in ascending order, and sum[h] .. sum[n - 1] the
 * sums. Values have `value_size` bytes; 0 means that there are none. */
typedef int64_t eki_heap_fuse_fn(int64_t n, void *key, size_t value_size, const void *product,
                                 void *sum);
/* Functions for keys of 4 and of 8 bytes. */
extern eki_heap_fuse_fn *const eki_heap_fuse[2];

#endif
