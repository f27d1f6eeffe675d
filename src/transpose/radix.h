/* SPDX-License-Identifier: BSD-3-Clause
 * Transposition through buckets of columns. */
#ifndef EK_TRANSPOSE_RADIX_H
#define EK_TRANSPOSE_RADIX_H

#include "transpose/radix_make.h"

/* Returns the bytes of scratch for a transposition with or without `from`. */
int64_t eki_radix_bytes(const eki_radix *r, const ek_store *in, bool from);
void eki_radix_flip(const eki_flip *flip, const eki_radix *r, void *scratch);
/* Predict the time of a transposition through buckets, in nanoseconds, and the bytes that it takes
 * besides the result. */
double eki_radix_cost(const eki_features *f);
double eki_radix_memory(const eki_features *f);

#endif
