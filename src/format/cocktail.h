/* SPDX-License-Identifier: BSD-3-Clause
 * The parts of the cocktail format, in the order of their arrays. */
#ifndef EK_FORMAT_COCKTAIL_H
#define EK_FORMAT_COCKTAIL_H

#include "matrix/matrix.h"

enum {
	PART_DIA,
	PART_BCSR,
	PART_ELL,
	PART_CSR,
	PART_COO,
	PART_BDIA,
	PART_SELL,
	PART_BELL,
	PART_SBELL,
	PARTS
};
/* Indices into dim: the block size of all parts with blocks, and the ELLPACK width. Each is 0 if
 * there is no such part. */
enum { COCKTAIL_BLOCK, COCKTAIL_WIDTH };

extern const ek_format ek_format_cocktail;

/* Returns the rows of a chunk in the SELL part, and the block rows of a slice in the SBELL part: as
 * many as there are values in a cache line. */
static inline int64_t cocktail_lanes(ek_value value)
{
	return 64 / (int64_t)ek_value_size(value);
}

/* Returns part number k of `s` (PART_DIA and so on). Its nnz is set only if it is in CSR or COO. If
 * `s` has no such part, the format of the result is NULL. */
ek_store eki_cocktail_part(const ek_store *s, int k);
/* Stores all parts of `s` in `part` and sets the nnz of each of them. */
void eki_cocktail_parts(const ek_store *s, ek_store part[PARTS]);

#endif
