/* SPDX-License-Identifier: BSD-3-Clause
 * Products with dense vectors and blocks: mkl_sparse_?_mv and mkl_sparse_?_mm. */
#include "door.h"

static ekm_status find(ekm_handle *A, ek_value value, bool wide, ekm_key key, const void *x,
                       const void *y, ek_plan **plan)
{
	if (!A || !x || !y)
		return EKM_NOT_INITIALIZED;
	if (!ekm_is_of(&A->a, value, wide))
		return EKM_INVALID_VALUE;
	return ekm_plan_get(A, key, plan);
}

static ekm_status mv(ekm_handle *A, ek_value value, bool wide, ekm_key key, double alpha,
                     const void *x, double beta, void *y)
{
	ek_plan *plan;
	const ekm_status status = find(A, value, wide, key, x, y, &plan);
	ek_dense in, out;

	if (status)
		return status;
	in = ek_vector(value, key.op == EKM_OP_N ? A->a.cols : A->a.rows, x);
	out = ek_vector(value, key.op == EKM_OP_N ? A->a.rows : A->a.cols, y);
	return ekm_status_of(ek_spmv(plan, alpha, &in, beta, &out));
}

/* A dense block of the interface. */
typedef struct block {
	const void *data;
	int64_t ld;
} block;

static ekm_status mm(ekm_handle *A, ek_value value, bool wide, ekm_key key, int layout,
                     double alpha, block x, double beta, block y)
{
	const int order = layout == EKM_ROW_MAJOR ? EK_ROW_MAJOR : EK_COL_MAJOR;
	ek_plan *plan;
	ekm_status status;
	ek_dense in, out;

	if (key.width <= 0 || !ekm_is_layout(layout))
		return EKM_INVALID_VALUE;
	status = find(A, value, wide, key, x.data, y.data, &plan);
	if (status)
		return status;
	in = ek_block(value, key.op == EKM_OP_N ? A->a.cols : A->a.rows, key.width, x.ld, order,
	              x.data);
	out = ek_block(value, key.op == EKM_OP_N ? A->a.rows : A->a.cols, key.width, y.ld, order,
	               y.data);
	return ekm_status_of(ek_spmm(plan, alpha, &in, beta, &out));
}

#define PRODUCTS(s, VAL, type, suffix, INT, wide)                                                  \
	EKM_API ekm_status mkl_sparse_##s##_mv##suffix(                                            \
		int op, VAL alpha, ekm_handle *A, ekm_descr descr, const VAL *x, VAL beta, VAL *y) \
	{                                                                                          \
		return mv(A, type, wide, (ekm_key){op, descr, 0}, alpha, x, beta, y);              \
	}                                                                                          \
	EKM_API ekm_status mkl_sparse_##s##_mm##suffix(                                            \
		int op, VAL alpha, ekm_handle *A, ekm_descr descr, int layout, const VAL *x,       \
		INT columns, INT ldx, VAL beta, VAL *y, INT ldy)                                   \
	{                                                                                          \
		return mm(A, type, wide, (ekm_key){op, descr, columns}, layout, alpha,             \
		          (block){x, ldx}, beta, (block){y, ldy});                                 \
	}
EKM_TYPES(PRODUCTS)
