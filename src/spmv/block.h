/* SPDX-License-Identifier: BSD-3-Clause
 * Products with the blocks of format/block.h, shared by the methods for BCSR, BCOO and BCCOO. */
#ifndef EK_SPMV_BLOCK_H
#define EK_SPMV_BLOCK_H

#include "format/block.h"
#include "drive/drive.h"

typedef struct block_product block_product;

/* Multiplies n consecutive blocks of one block row by x, and stores the sums of its r rows in
 * sum[0] .. sum[r - 1]. The values and columns of the blocks begin at `val` and `col`. No block
 * reaches beyond the last column of A. `sum` has space for 8 values. */
typedef void eki_block_kernel(const void *val, const void *col, int64_t n, const void *x, int c,
                              void *sum);
/* Multiplies the entries of blocks [begin, end), but not the fill, by x. All blocks are in one
 * block row; the products of its row i are added to sum[i]. */
typedef void eki_block_exact_fn(const block_product *p, int64_t begin, int64_t end, void *sum);

/* Elements of a vector in the columns of a block, with 0 beyond the last column of A. */
typedef union block_tail {
	double f64[BLOCK_MOST];
	float f32[BLOCK_MOST];
} block_tail;

/* Operands of a product with blocks, and its kernels for one instruction set and type. */
struct block_product {
	block_shape shape;
	const void *col, *val; /* arrays of all blocks */
	const uint8_t *mask;
	const void *x;
	int64_t rows;      /* rows of the matrix */
	int beyond;        /* columns of A in a block that reaches beyond the last one */
	block_tail x_tail; /* x there, for op N: FN(block_plain) in spmv/block_run.h sets it */
	eki_block_kernel *kernel;
	eki_block_exact_fn *exact;
};

block_product eki_block_product(const ek_store *A, const void *x, ek_isa isa);

/* Multiplies blocks [begin, end) of block row b by alpha x for op T. The result of column j is
 * added to sum[j - first]. */
typedef void eki_block_scatter_fn(const block_product *p, eki_scalar alpha, int64_t b,
                                  int64_t begin, int64_t end, int64_t first, void *sum);

extern eki_block_scatter_fn *const eki_block_scatter[EK_NISA][EK_NTYPE];

/* Finds the range of columns that contains blocks [begin, end). */
eki_span_fn eki_block_span;

/* Prepares the driver (drive.h) with single blocks as its units, so that parts may share block
 * rows. */
ek_status eki_block_prepare(eki_step *step, eki_carry_fn *const carry[EK_NISA][EK_NTYPE],
                            eki_scatter_fn *const scatter[EK_NISA][EK_NTYPE]);

#endif
