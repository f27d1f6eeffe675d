/* SPDX-License-Identifier: BSD-3-Clause
 * Chooses among the parts of a cocktail for diagonals, for blocks and for other entries
 * (format/cocktail_split.c). */
#ifndef EK_FORMAT_COCKTAIL_CHOOSE_H
#define EK_FORMAT_COCKTAIL_CHOOSE_H

#include "format/cocktail.h"

/* Numbers of the arrays of the store `marks`, which the passes of a split share. MARK_FLAT has the
 * flat entries of each row, and MARK_BLOCKS the dense blocks of each block row, both of the type of
 * row pointers. Element 0 of MARK_CHOICE is a cocktail_choice. */
enum { MARK_PART, MARK_DENSE, MARK_FLAT, MARK_BLOCKS, MARK_CHOICE };

/* What has been decided: height and width of a block, or 1 if there are none; and the parts of the
 * entries on dense diagonals, of those in dense blocks, of the first `width` other entries of a row
 * and of the rest. */
typedef struct cocktail_choice {
	int64_t block, width;
	uint8_t diagonals, blocks, lanes, rest;
} cocktail_choice;

/* Returns the bytes that another pass over the vectors moves: y is read and written, x is read. */
static inline double pass_bytes(const ek_store *csr)
{
	return (double)ek_value_size(csr->value) * (2 * (double)csr->rows + (double)csr->cols);
}

/* Returns the bytes of x and y moved for n single entries, but at most those of a whole pass. */
static inline double touch_bytes(const ek_store *csr, double n)
{
	const double each = 3 * (double)ek_value_size(csr->value);

	return n * each < pass_bytes(csr) ? n * each : pass_bytes(csr);
}

/* Sets choice->diagonals; byte k of `dense` tells whether diagonal k of `count` is dense. */
void eki_cocktail_diagonals(const uint8_t *dense, int64_t count, cocktail_choice *choice);
/* Sets choice->blocks from choice->block and MARK_BLOCKS of `marks`. */
void eki_cocktail_blocks(const ek_context *ctx, const ek_store *csr, const ek_store *marks,
                         cocktail_choice *choice);
/* Sets choice->width, `lanes` and `rest` from MARK_FLAT of `marks`. */
ek_status eki_cocktail_flat(const ek_context *ctx, const ek_store *csr, const ek_store *marks,
                            cocktail_choice *choice);

#endif
