/* SPDX-License-Identifier: BSD-3-Clause
 * Predictions of the time of products with blocks (spmv/block.c). */
#ifndef EK_SPMV_BLOCK_COST_H
#define EK_SPMV_BLOCK_COST_H

#include "plan/plan.h"

/* Predicts the time of a product with blocks, in nanoseconds, if the column of a block takes
 * `column` bytes. */
double eki_block_columns_cost(const eki_features *f, double column);
/* Predicts it for columns that are indices. */
double eki_block_product_cost(const eki_features *f);

#endif
