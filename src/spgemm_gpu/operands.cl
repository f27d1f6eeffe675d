/* SPDX-License-Identifier: BSD-3-Clause
 * What kernels of sparse products share: a line #include "spgemm_gpu/operands.cl" in a kernel is
 * replaced by this text (gpu/prelude.c). Compile-time parameters: VAL, PTR, IDX; HAS_D, 1 if a
 * matrix D is added.
 *
 * A row of C is a sum of lists: the row of D times beta, unless it is empty, and then the rows of B
 * that the entries of the row of A name, each times alpha and that entry. */
#ifndef EK_OPERANDS_CL
#define EK_OPERANDS_CL

/* The parameters of a kernel for the operands. Values of A and B are not read if alpha is 0, nor
 * those of D if beta is 0: then they count as 0. */
#define EK_PRODUCT_PARAMETERS                                                             \
	ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT a_ptr,                              \
		const EK_GLOBAL IDX *EK_RESTRICT a_col,                                   \
		const EK_GLOBAL VAL *EK_RESTRICT a_val,                                   \
		const EK_GLOBAL PTR *EK_RESTRICT b_ptr,                                   \
		const EK_GLOBAL IDX *EK_RESTRICT b_col,                                   \
		const EK_GLOBAL VAL *EK_RESTRICT b_val,                                   \
		const EK_GLOBAL PTR *EK_RESTRICT d_ptr,                                   \
		const EK_GLOBAL IDX *EK_RESTRICT d_col,                                   \
		const EK_GLOBAL VAL *EK_RESTRICT d_val, VAL alpha, VAL beta

#endif
