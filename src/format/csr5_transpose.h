/* SPDX-License-Identifier: BSD-3-Clause
 * Transposing the tiles of CSR5. */
#ifndef EK_FORMAT_CSR5_TRANSPOSE_H
#define EK_FORMAT_CSR5_TRANSPOSE_H

#include "format/csr5.h"

/* The entries of all tiles from CSR's order to that of the tiles, or back; what is behind the tiles
 * is copied. `size`: bytes of an entry, 4 or 8. `to` may be `from`. */
void csr5_transpose(const ek_context *ctx, const ek_store *s, const void *from, void *to,
                    size_t size, bool back);

#endif
