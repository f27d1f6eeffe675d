/* SPDX-License-Identifier: BSD-3-Clause
 * The parts of a cocktail, in the order of its arrays. */
#ifndef EK_FORMAT_COCKTAIL_H
#define EK_FORMAT_COCKTAIL_H

#include "core/ek_core.h"

enum { PART_DIA, PART_BCSR, PART_ELL, PART_CSR, PART_COO, PARTS };
enum { /* the first array of each part */
       COCKTAIL_DIA,
       COCKTAIL_BCSR = 3,
       COCKTAIL_ELL = 7,
       COCKTAIL_CSR = 10,
       COCKTAIL_COO = 13
};
enum { COCKTAIL_BLOCK, COCKTAIL_WIDTH }; /* dim: of the blocks and of the ELLPACK part, 0 without */

extern const ek_format ek_format_cocktail;

/* Part number k of s, without format if it is absent. */
ek_store eki_cocktail_part(const ek_store *s, int k);

#endif
