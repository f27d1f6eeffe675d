/* SPDX-License-Identifier: BSD-3-Clause
 * Decides which part of the cocktail format each entry of a matrix goes to. */
#ifndef EK_FORMAT_COCKTAIL_SPLIT_H
#define EK_FORMAT_COCKTAIL_SPLIT_H

#include "format/cocktail.h"

typedef struct cocktail_split {
	uint8_t *part; /* part number of each entry (PART_DIA and so on); freed by the caller */
	int64_t block; /* height and width of a block */
	bool has[PARTS];
} cocktail_split;

/* Decides which part each entry of `csr` goes to, from the pattern, the types, and whether the
 * context has a device. The columns of each row of `csr` must ascend. */
ek_status eki_cocktail_split(const ek_context *ctx, const ek_store *csr, cocktail_split *split);

#endif
