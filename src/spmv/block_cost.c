/* SPDX-License-Identifier: BSD-3-Clause
 * Predictions of the time of products with blocks (spmv/block.c). */
#include <math.h>

#include "drive/drive.h"
#include "format/block.h"
#include "format/block_size.h"
#include "spmv/block_cost.h"

/* Returns the number of lines of full blocks in which this share of the entries has a neighbour in
 * the line before: (n - 1) / n. Rounds up if in doubt. */
static int lines(double share)
{
	return share < 1 - 1.0 / BLOCK_MOST ? (int)(1 / (1 - share) + 0.3) : BLOCK_MOST;
}

/* Predicts the time of a product. If A is not in blocks yet, they are taken to be full, and as
 * large as the shares of entries that have a neighbour above and beside them allow. */
double eki_block_columns_cost(const eki_features *f, double column)
{
	const ek_store *s = f->store;
	const int r = s ? (int)s->dim[BLOCK_R] : lines(f->above_share);
	const int c = s ? (int)s->dim[BLOCK_C] : lines(f->beside_share);
	const double blocks = s ? (double)s->len[BLOCK_COL] : (double)f->stats.nnz / (r * c);

	if (f->op == EK_OP_T)
		return eki_cost_units(f, EKI_LOOP_SCATTER);
	if (!s && r * c == 1)
		return INFINITY;
	return f->machine->call +
	       eki_block_cost(f, r, c, blocks, (double)eki_groups(f->stats.rows, r), column);
}

double eki_block_product_cost(const eki_features *f)
{
	return eki_block_columns_cost(f, (double)eki_idx_size(f->index));
}
