/* SPDX-License-Identifier: BSD-3-Clause
 * New values for a cocktail. */
#ifndef EK_FORMAT_COCKTAIL_VALUES_H
#define EK_FORMAT_COCKTAIL_VALUES_H

#include "format/cocktail.h"

/* Takes no memory; columns of `csr` are in any order. */
ek_status eki_cocktail_values(const ek_context *ctx, const ek_store *csr, ek_store *out);

#endif
