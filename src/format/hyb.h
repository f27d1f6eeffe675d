/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays and dim of HYB: what the conversion (format/hyb.c) writes and products read. */
#ifndef EK_FORMAT_HYB_H
#define EK_FORMAT_HYB_H

#include "format/coo.h"
#include "format/ell.h"

enum { HYB_ELL = 0, HYB_COO = ELL_ARRAYS, HYB_END = ELL_ARRAYS + COO_ARRAYS }; /* first arrays */
enum { HYB_WIDTH };                                                            /* dim */
extern const ek_format ek_format_hyb;

#endif
