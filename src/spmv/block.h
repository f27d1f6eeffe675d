/* SPDX-License-Identifier: BSD-3-Clause
 * Products with the blocks of format/block.h: what the methods for BCSR, BCOO and BCCOO share. */
#ifndef EK_SPMV_BLOCK_H
#define EK_SPMV_BLOCK_H

#include "format/block.h"
#include "spmv/drive.h"

typedef struct block_product block_product;

/* sum[i], for the rows i < r of a block row, from n of its blocks, which lie one behind the other
 * from val and col on and do not stick out on the right; sum has room for 8 values. */
typedef void eki_block_kernel(const void *val, const void *col, int64_t n, const void *x, int c,
                              void *sum);
/* Adds to sum[i] what entries alone give, in blocks [begin, end) of one block row. */
typedef void eki_block_exact_fn(const block_product *p, int64_t begin, int64_t end, void *sum);

/* A product of some pass. */
struct block_product {
	block_shape shape;
	const void *col, *val; /* of all blocks */
	const uint8_t *mask;
	const void *x;
	int64_t rows; /* of the matrix */
	eki_block_kernel *kernel;
	eki_block_exact_fn *exact;
};

block_product eki_block_product(const ek_store *A, const void *x, ek_isa isa);

/* Adds what blocks [begin, end) of block row b give with alpha A^T x to sum[j - first]. */
typedef void eki_block_scatter_fn(const block_product *p, double alpha, int64_t b, int64_t begin,
                                  int64_t end, int64_t first, void *sum);

extern eki_block_scatter_fn *const eki_block_scatter[EK_NISA][EK_NTYPE];

/* Of blocks [begin, end). */
eki_span_fn eki_block_span;

/* The driver, with blocks for units, whatever their block rows are. */
ek_status eki_block_prepare(ek_plan *plan, eki_carry_fn *const carry[EK_NISA][EK_NTYPE],
                            eki_scatter_fn *const scatter[EK_NISA][EK_NTYPE]);

#endif
