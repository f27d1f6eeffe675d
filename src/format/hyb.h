/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays and parameters (dim) of HYB, which the conversion (format/hyb.c) writes and products
 * read. */
#ifndef EK_FORMAT_HYB_H
#define EK_FORMAT_HYB_H

#include "format/coo.h"
#include "format/ell.h"

/* Numbers of the first array of each part, and the number of all arrays. */
enum { HYB_ELL = 0, HYB_COO = ELL_ARRAYS, HYB_END = ELL_ARRAYS + COO_ARRAYS };
enum { HYB_WIDTH }; /* index into dim */
extern const ek_format ek_format_hyb;

/* Returns the ELLPACK part of `s`; eki_hyb_coo returns the part in coordinates. Both parts share
 * the arrays of `s`. */
ek_store eki_hyb_ell(const ek_store *s);
ek_store eki_hyb_coo(const ek_store *s);

#endif
