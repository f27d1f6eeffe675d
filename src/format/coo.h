/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays of coordinates, for the formats that have such a part. */
#ifndef EK_FORMAT_COO_H
#define EK_FORMAT_COO_H

#include "core/ek_core.h"

enum { COO_ROW, COO_COL, COO_VAL, COO_ARRAYS };
extern const ek_format ek_format_coo;

/* row_idx of row pointers, and the other way. Columns and values of both are the same arrays. */
void eki_coo_expand(const ek_context *ctx, const ek_store *csr, ek_store *coo);
void eki_coo_compress(const ek_context *ctx, const ek_store *coo, ek_store *csr);

#endif
