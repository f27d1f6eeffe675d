/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays of the coordinate format (COO), for all formats with a part in coordinates. */
#ifndef EK_FORMAT_COO_H
#define EK_FORMAT_COO_H

#include "matrix/matrix.h"

enum { COO_ROW, COO_COL, COO_VAL, COO_ARRAYS };
extern const ek_format ek_format_coo;

/* Fills row_idx of `coo` from the row pointers of `csr`; eki_coo_compress does the opposite.
 * Neither touches columns and values, which both formats store alike. */
void eki_coo_expand(const ek_context *ctx, const ek_store *csr, ek_store *coo);
void eki_coo_compress(const ek_context *ctx, const ek_store *coo, ek_store *csr);

#endif
