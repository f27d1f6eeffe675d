/* SPDX-License-Identifier: BSD-3-Clause
 * Transposes the tiles of CSR5. */
#ifndef EK_FORMAT_CSR5_TRANSPOSE_H
#define EK_FORMAT_CSR5_TRANSPOSE_H

#include "format/csr5.h"

/* Transposes the entries of all tiles from CSR's order to that of the tiles or, if `back` is true,
 * from the order of the tiles to CSR's. Copies the entries after the last tile as they are. `size`
 * is the number of bytes of an entry, 4 or 8. `to` may be equal to `from`. */
void csr5_transpose(const ek_context *ctx, const ek_store *s, const void *from, void *to,
                    size_t size, bool back);

#endif
