/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EK_FORMAT_SELL_ORDER_H
#define EK_FORMAT_SELL_ORDER_H

#include "format/sell.h"

/* The places that the chunks of `out` take, whose c and sigma are known. If it has arrays, perm is
 * filled too; only for sigma > 1. */
ek_status eki_sell_order(const ek_context *ctx, const ek_store *csr, const ek_store *out,
                         int64_t *places);
/* Chooses sigma, and says how many places that takes. */
ek_status eki_sell_sigma(const ek_context *ctx, const ek_store *csr, ek_store *out,
                         int64_t *places);

#endif
