/* SPDX-License-Identifier: BSD-3-Clause
 * The table of the parts of a cocktail (format/cocktail.h). */
#ifndef EK_FORMAT_COCKTAIL_PARTS_H
#define EK_FORMAT_COCKTAIL_PARTS_H

#include "format/cocktail.h"

/* How the entries of a part are counted: as bits of a mask, as the sum of an array of lengths, or
 * as the length of an array. */
typedef enum cocktail_count { COCKTAIL_BITS, COCKTAIL_SUM, COCKTAIL_LENGTH } cocktail_count;

/* A row for each part: its format, the number of its first array in the cocktail, and how and in
 * which of its arrays its entries are counted. */
typedef struct cocktail_kind {
	const ek_format *format;
	int first;
	cocktail_count count;
	int counted;
} cocktail_kind;
extern const cocktail_kind eki_cocktail_kind[PARTS]; /* in the order of the arrays */

/* Sets the parameters of part k that do not depend on the matrix, but for the block size: blocks
 * are of `block` x `block`. */
void eki_cocktail_dims(ek_store *part, int k, int64_t block);

#endif
