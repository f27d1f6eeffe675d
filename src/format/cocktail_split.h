/* SPDX-License-Identifier: BSD-3-Clause
 * Which part of a cocktail each entry of a matrix goes to. */
#ifndef EK_FORMAT_COCKTAIL_SPLIT_H
#define EK_FORMAT_COCKTAIL_SPLIT_H

#include "format/cocktail.h"

typedef struct cocktail_split {
	uint8_t *part; /* of each entry, to be freed by the caller */
	int64_t block; /* rows and columns of the blocks */
	bool has[PARTS];
} cocktail_split;

/* Columns of `csr` ascend. What is decided depends on the pattern and the types alone. */
ek_status eki_cocktail_split(const ek_context *ctx, const ek_store *csr, cocktail_split *split);

#endif
