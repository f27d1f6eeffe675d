/* SPDX-License-Identifier: BSD-3-Clause
 * Fills new values into a matrix in the cocktail format, and checks what this relies on. */
#ifndef EK_FORMAT_COCKTAIL_VALUES_H
#define EK_FORMAT_COCKTAIL_VALUES_H

#include "format/cocktail.h"

/* Copies the values of `csr` to `out`, a store in the cocktail format with the same pattern. The
 * columns of `csr` may be in any order. Allocates no memory. */
ek_status eki_cocktail_values(const ek_context *ctx, const ek_store *csr, ek_store *out);
/* Checks that the entries on no diagonal and in no block are in parts that can be together, and
 * ascend in each row. Each part has been checked. */
ek_status eki_cocktail_flat_check(const ek_context *ctx, const ek_store *s,
                                  const ek_store part[PARTS]);

#endif
