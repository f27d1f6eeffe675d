/* SPDX-License-Identifier: BSD-3-Clause
 * Conversions, copies and exports. The result of a conversion is op(A) with the base of A. An
 * export shows the arrays of a handle, which live as long as it; a handle of another shape answers
 * SPARSE_STATUS_INVALID_VALUE, as in MKL. */
#include "door.h"

/* M = A^T. */
static ekm_status transpose(const ek_matrix *A, ek_matrix **M)
{
	ek_hints hints = {.size = sizeof hints, .calls = 1};
	ek_plan *plan;
	ek_matrix *made = NULL;
	ek_status status = ek_plan_create(EK_TRANSPOSE, A, &hints, &plan);

	if (status)
		return ekm_status_of(status);
	status = ek_transpose(plan, &made);
	ek_plan_destroy(plan);
	if (!status)
		*M = made;
	return ekm_status_of(status);
}

static ekm_status convert(ekm_handle *A, int op, ekm_arrays like, ekm_handle **to)
{
	ek_matrix *M = NULL;
	ekm_status status = A && A->hub && to ? EKM_SUCCESS : EKM_NOT_INITIALIZED;

	if (status)
		return status;
	if (op < EKM_OP_N || op > EKM_OP_H || !ekm_is_block(like.block) ||
	    !ekm_is_layout(like.layout))
		return EKM_INVALID_VALUE;
	like.base = A->a.base;
	if (op == EKM_OP_N)
		status = ekm_status_of(ek_matrix_convert(A->hub, ekm_format(like.shape), NULL, &M));
	else
		status = transpose(A->hub, &M);
	if (!status)
		status = ekm_result(M, &like, to);
	if (status)
		ek_matrix_destroy(M);
	return status;
}

static ekm_arrays plain(ekm_shape shape)
{
	return (ekm_arrays){.shape = shape, .layout = EKM_ROW_MAJOR, .block = 1};
}

#define CONVERT(suffix, INT, wide)                                                                \
	EKM_API ekm_status mkl_sparse_convert_csr##suffix(ekm_handle *A, int op, ekm_handle **to) \
	{                                                                                         \
		return convert(A, op, plain(EKM_CSR), to);                                        \
	}                                                                                         \
	EKM_API ekm_status mkl_sparse_convert_csc##suffix(ekm_handle *A, int op, ekm_handle **to) \
	{                                                                                         \
		return convert(A, op, plain(EKM_CSC), to);                                        \
	}                                                                                         \
	EKM_API ekm_status mkl_sparse_convert_coo##suffix(ekm_handle *A, int op, ekm_handle **to) \
	{                                                                                         \
		return convert(A, op, plain(EKM_COO), to);                                        \
	}                                                                                         \
	EKM_API ekm_status mkl_sparse_convert_bsr##suffix(ekm_handle *A, INT block, int layout,   \
	                                                  int op, ekm_handle **to)                \
	{                                                                                         \
		return convert(A, op, (ekm_arrays){EKM_BSR, .block = block, .layout = layout},    \
		               to);                                                               \
	}                                                                                         \
	EKM_API ekm_status mkl_sparse_copy##suffix(ekm_handle *A, ekm_descr descr,                \
	                                           ekm_handle **to)                               \
	{                                                                                         \
		(void)descr; /* a hint: all entries are copied */                                 \
		return A ? convert(A, EKM_OP_N, A->a, to) : EKM_NOT_INITIALIZED;                  \
	}
EKM_WIDTHS(CONVERT)

static ekm_status show(const ekm_handle *A, ekm_shape shape, ek_value value, bool wide, int *base,
                       void *rows, void *cols)
{
	if (!A)
		return EKM_NOT_INITIALIZED;
	if (A->a.shape != shape || !ekm_is_of(&A->a, value, wide) || !base || !rows || !cols)
		return EKM_INVALID_VALUE;
	*base = A->a.base;
	ekm_put(wide, rows, 0, A->a.rows / A->a.block);
	ekm_put(wide, cols, 0, A->a.cols / A->a.block);
	return EKM_SUCCESS;
}

#define COMPRESSED(s, VAL, type, suffix, INT, wide, name, shape)                                 \
	ekm_status mkl_sparse_##s##_export_##name##suffix(ekm_handle *A, int *base, INT *rows,   \
	                                                  INT *cols, INT **start, INT **end,     \
	                                                  INT **idx, VAL **val)                  \
	{                                                                                        \
		const ekm_status status = start && end && idx && val                             \
		                                  ? show(A, shape, type, wide, base, rows, cols) \
		                                  : EKM_INVALID_VALUE;                           \
                                                                                                 \
		if (!status) {                                                                   \
			*start = A->a.start;                                                     \
			*end = A->a.end;                                                         \
			*idx = A->a.idx;                                                         \
			*val = A->a.val;                                                         \
		}                                                                                \
		return status;                                                                   \
	}
#define CSR(s, VAL, type, suffix, INT, wide) \
	EKM_API COMPRESSED(s, VAL, type, suffix, INT, wide, csr, EKM_CSR)
#define CSC(s, VAL, type, suffix, INT, wide) \
	EKM_API COMPRESSED(s, VAL, type, suffix, INT, wide, csc, EKM_CSC)
/* The arrays of BSR are those of CSR, of blocks. */
#define BLOCKS(s, VAL, type, suffix, INT, wide) \
	static COMPRESSED(s, VAL, type, suffix, INT, wide, blocks, EKM_BSR)
#define BSR(s, VAL, type, suffix, INT, wide)                                                 \
	EKM_API ekm_status mkl_sparse_##s##_export_bsr##suffix(                              \
		ekm_handle *A, int *base, int *layout, INT *rows, INT *cols, INT *block,     \
		INT **start, INT **end, INT **idx, VAL **val)                                \
	{                                                                                    \
		const ekm_status status =                                                    \
			layout && block ? mkl_sparse_##s##_export_blocks##suffix(            \
						  A, base, rows, cols, start, end, idx, val) \
					: EKM_INVALID_VALUE;                                 \
                                                                                             \
		if (!status) {                                                               \
			*layout = A->a.layout;                                               \
			*block = (INT)A->a.block;                                            \
		}                                                                            \
		return status;                                                               \
	}
#define COO(s, VAL, type, suffix, INT, wide)                                                       \
	EKM_API ekm_status mkl_sparse_##s##_export_coo##suffix(ekm_handle *A, int *base,           \
	                                                       INT *rows, INT *cols, INT *nnz,     \
	                                                       INT **row, INT **col, VAL **val)    \
	{                                                                                          \
		const ekm_status status = nnz && row && col && val                                 \
		                                  ? show(A, EKM_COO, type, wide, base, rows, cols) \
		                                  : EKM_INVALID_VALUE;                             \
                                                                                                   \
		if (!status) {                                                                     \
			*nnz = (INT)A->a.lines;                                                    \
			*row = A->a.start;                                                         \
			*col = A->a.idx;                                                           \
			*val = A->a.val;                                                           \
		}                                                                                  \
		return status;                                                                     \
	}
EKM_TYPES(CSR)
EKM_TYPES(CSC)
EKM_TYPES(BLOCKS)
EKM_TYPES(BSR)
EKM_TYPES(COO)
