/* SPDX-License-Identifier: BSD-3-Clause
 * Tile pointers and tile descriptors of CSR5. */
#ifndef EK_FORMAT_CSR5_TILES_H
#define EK_FORMAT_CSR5_TILES_H

#include "format/csr5.h"

/* Returns how many elements of empty_offset all tiles need. If `out` has the array empty_ptr, sets
 * each of its elements to the number for a tile. */
int64_t csr5_count_tiles(const ek_context *ctx, const ek_store *csr, const ek_store *out);
/* Writes tile_ptr. */
void csr5_write_pointers(const ek_context *ctx, const ek_store *csr, const ek_store *out);
/* Writes tile_desc and empty_offset, after tile_ptr and empty_ptr. */
void csr5_write_descriptors(const ek_context *ctx, const ek_store *csr, const ek_store *out);

#endif
