/* SPDX-License-Identifier: BSD-3-Clause
 * Handles: mkl_sparse_?_create_csr, csc, bsr and coo, and mkl_sparse_destroy. */
#include "door.h"
#include <stdlib.h>

ekm_status ekm_create(const ekm_arrays *arrays, bool trusted, ekm_handle **A)
{
	ekm_handle *made = calloc(1, sizeof *made);
	ekm_status status;

	if (!made)
		return EKM_ALLOC_FAILED;
	made->a = *arrays;
	made->memory = EKM_MEMORY_AGGRESSIVE;
	pthread_mutex_init(&made->lock, NULL);
	status = ekm_hub_create(made, trusted);
	if (status)
		ekm_destroy(made);
	else
		*A = made;
	return status;
}

void ekm_destroy(ekm_handle *A)
{
	if (!A)
		return;
	ekm_forget(A);
	for (ekm_hint *hint = A->hints, *next; hint; hint = next) {
		next = hint->next;
		free(hint);
	}
	ek_plan_destroy(A->product.plan);
	ek_matrix_destroy(A->hub);
	ek_matrix_destroy(A->own);
	free(A->ptr);
	for (int k = 0; k < 3; k++)
		free(A->block[k]);
	pthread_mutex_destroy(&A->lock);
	free(A);
}

/* Checks what callers give, and makes the handle. */
static ekm_status create(ekm_handle **A, const ekm_arrays *a)
{
	const bool coo = a->shape == EKM_COO;

	if (!A || !a->start || (!coo && !a->end))
		return EKM_NOT_INITIALIZED;
	if (a->rows <= 0 || a->cols <= 0 || a->lines < 0 || (a->base != 0 && a->base != 1))
		return EKM_INVALID_VALUE;
	if (!ekm_is_layout(a->layout))
		return EKM_INVALID_VALUE;
	return ekm_create(a, false, A);
}

#define COMPRESSED(letter, VAL, type, suffix, INT, is_wide, name, kind, count)                    \
	EKM_API ekm_status mkl_sparse_##letter##_create_##name##suffix(                           \
		ekm_handle **A, int base, INT rows, INT cols, INT *start, INT *end, INT *idx,     \
		VAL *val)                                                                         \
	{                                                                                         \
		return create(A, &(ekm_arrays){kind, type, is_wide, base, EKM_ROW_MAJOR, 1, rows, \
		                               cols, count, start, end, idx, val});               \
	}
#define CSR(s, VAL, type, suffix, INT, wide) \
	COMPRESSED(s, VAL, type, suffix, INT, wide, csr, EKM_CSR, rows)
#define CSC(s, VAL, type, suffix, INT, wide) \
	COMPRESSED(s, VAL, type, suffix, INT, wide, csc, EKM_CSC, cols)
#define COO(s, VAL, type, suffix, INT, wide)                                                       \
	EKM_API ekm_status mkl_sparse_##s##_create_coo##suffix(ekm_handle **A, int base, INT rows, \
	                                                       INT cols, INT nnz, INT *row,        \
	                                                       INT *col, VAL *val)                 \
	{                                                                                          \
		return create(A, &(ekm_arrays){EKM_COO, type, wide, base, EKM_ROW_MAJOR, 1, rows,  \
		                               cols, nnz, row, NULL, col, val});                   \
	}
/* Sizes of BSR count blocks. */
#define BSR(s, VAL, type, suffix, INT, wide)                                                       \
	EKM_API ekm_status mkl_sparse_##s##_create_bsr##suffix(                                    \
		ekm_handle **A, int base, int layout, INT rows, INT cols, INT block, INT *start,   \
		INT *end, INT *idx, VAL *val)                                                      \
	{                                                                                          \
		const int64_t most = wide ? INT64_MAX : INT32_MAX;                                 \
                                                                                                   \
		if (!ekm_is_block(block) || rows > most / block || cols > most / block)            \
			return EKM_INVALID_VALUE;                                                  \
		return create(A, &(ekm_arrays){EKM_BSR, type, wide, base, layout, block,           \
		                               (int64_t)rows * block, (int64_t)cols * block, rows, \
		                               start, end, idx, val});                             \
	}
EKM_TYPES(CSR)
EKM_TYPES(CSC)
EKM_TYPES(COO)
EKM_TYPES(BSR)

#define DESTROY(suffix, INT, wide)                                   \
	EKM_API ekm_status mkl_sparse_destroy##suffix(ekm_handle *A) \
	{                                                            \
		if (!A)                                              \
			return EKM_NOT_INITIALIZED;                  \
		ekm_destroy(A);                                      \
		return EKM_SUCCESS;                                  \
	}
EKM_WIDTHS(DESTROY)
