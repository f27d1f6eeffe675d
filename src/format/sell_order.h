/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EK_FORMAT_SELL_ORDER_H
#define EK_FORMAT_SELL_ORDER_H

#include "format/sell.h"

/* Sorts the rows, and sets *places to the number of places that the chunks of `out` take. c and
 * sigma of `out` must be set. If sigma > 1 and perm of `out` is allocated, also fills perm. */
ek_status eki_sell_order(const ek_context *ctx, const ek_store *csr, const ek_store *out,
                         int64_t *places);
/* Chooses sigma of `out`, and sets *places to the number of places that its chunks then take. */
ek_status eki_sell_sigma(const ek_context *ctx, const ek_store *csr, ek_store *out,
                         int64_t *places);

#endif
