/* SPDX-License-Identifier: BSD-3-Clause
 * Products and sums of sparse matrices: spmm, sp2m, spmmd, sp2md and add. The result has the shape
 * (CSR, CSC, BSR with its blocks), the base and the width of A's arrays, and sorted lines.
 *
 * The first stage of mkl_sparse_sp2m computes the whole product, and the handle keeps the plan, so
 * that a later stage with the same operands computes only the values again, in place. Where the
 * arrays are not those of the product, as in BSR, a later stage computes all again and, if the
 * pattern is still the same, copies the values to the arrays that are there: a program may have
 * exported them. */
#include "door.h"
#include <string.h>

/* op(A) op(B), or op(A) + B. */
typedef struct pair {
	ekm_handle *A, *B;
	ekm_key key_a, key_b;
} pair;

static ekm_key general(int op)
{
	return (ekm_key){op, {EKM_GENERAL, 0, 0}, 0};
}

static ekm_status plan_for(const pair *p, ek_operation operation, ek_plan **plan)
{
	ek_hints hints = {.size = sizeof hints, .calls = 1};
	const ek_matrix *A;
	ekm_status status = ekm_operand(p->A, p->key_a.op, p->key_a.descr, &A, &hints.op);

	if (!status)
		status = ekm_operand(p->B, p->key_b.op, p->key_b.descr, &hints.B, &hints.op_b);
	if (status)
		return status;
	if (!ekm_is_of(&p->A->a, p->B->a.value, p->B->a.wide))
		return EKM_INVALID_VALUE;
	return ekm_status_of(ek_plan_create(operation, A, &hints, plan));
}

/* What the result looks like. That of coordinates is CSR. */
static ekm_arrays like(const ekm_handle *A)
{
	ekm_arrays a = A->a;

	if (a.shape == EKM_COO)
		a.shape = EKM_CSR;
	return a;
}

static ekm_status multiply(const pair *p, bool keep, ekm_handle **C)
{
	ekm_arrays a;
	ek_plan *plan;
	ek_matrix *product = NULL;
	ekm_handle *made = NULL;
	ekm_status status = plan_for(p, EK_SPGEMM, &plan);

	if (status)
		return status;
	a = like(p->A);
	status = ekm_status_of(ek_spgemm(plan, 1, 0, &product));
	if (!status)
		status = ekm_result(product, &a, &made);
	if (status) {
		ek_plan_destroy(plan);
		ek_matrix_destroy(product);
		return status;
	}
	if (keep && made->own == product)
		made->product = (ekm_product){plan, p->A->number, p->B->number, p->key_a, p->key_b};
	else
		ek_plan_destroy(plan);
	*C = made;
	return EKM_SUCCESS;
}

/* Values may have been changed in place before, and the plan of a product, like copies that a
 * handle has, would not see all of them. */
static ekm_status renew(const pair *p)
{
	ekm_status status = p->A->hub && p->B->hub ? ekm_values_changed(p->A) : EKM_NOT_INITIALIZED;

	return status || p->A == p->B ? status : ekm_values_changed(p->B);
}

/* Says whether two results have the same pattern in arrays of the same kind. Lines of results
 * follow each other. */
static bool same_pattern(const ekm_arrays *a, const ekm_arrays *b)
{
	const size_t size = ekm_index_size(a);
	int64_t count;

	if (a->shape != b->shape || a->wide != b->wide || a->base != b->base ||
	    a->value != b->value || a->layout != b->layout || a->block != b->block ||
	    a->rows != b->rows || a->cols != b->cols || a->lines != b->lines ||
	    memcmp(a->start, b->start, (size_t)(a->lines + 1) * size) != 0)
		return false;
	count = ekm_get(a->wide, a->start, a->lines) - a->base;
	return count == 0 || memcmp(a->idx, b->idx, (size_t)count * size) == 0;
}

/* Puts a new product in the place of C: its values into the arrays of C if both have the same
 * pattern, else the whole. */
static ekm_status replace(ekm_handle **C, ekm_handle *made)
{
	const ekm_arrays *from = &made->a, *to = &(*C)->a;
	const bool ours = (*C)->own || (*C)->block[0];
	ekm_status status;
	int64_t count;

	if (!ours || !same_pattern(to, from)) {
		ekm_destroy(*C);
		*C = made;
		return EKM_SUCCESS;
	}
	count = ekm_get(to->wide, to->start, to->lines) - to->base;
	if (count > 0)
		memcpy(to->val, from->val,
		       (size_t)(count * to->block * to->block) * ek_value_size(to->value));
	status = ekm_values_changed(*C);
	ekm_destroy(made);
	return status;
}

/* The last stage: into the arrays of C if it is a product of these operands, else anew. */
static ekm_status finalize(const pair *p, ekm_handle **C)
{
	ekm_handle *const old = *C, *made;
	ekm_status status;

	if (!old || !p->A || !p->B)
		return EKM_NOT_INITIALIZED;
	status = renew(p);
	if (status)
		return status;
	if (old->product.plan && old->product.A == p->A->number && old->product.B == p->B->number &&
	    ekm_key_same(&old->product.key_a, &p->key_a) &&
	    ekm_key_same(&old->product.key_b, &p->key_b)) {
		status = ekm_status_of(ek_spgemm(old->product.plan, 1, 0, &old->own));
		return status ? status : ekm_values_changed(old);
	}
	status = multiply(p, true, &made);
	return status ? status : replace(C, made);
}

/* Descriptors are brought to one form first, by which a later stage finds the plan: programs leave
 * members unset that have no meaning. */
static ekm_status sp2m(pair p, int stage, ekm_handle **C)
{
	ekm_status status;

	if (!C || !p.A || !p.B)
		return EKM_NOT_INITIALIZED;
	status = ekm_descr_check(&p.A->a, p.key_a.op, &p.key_a.descr);
	if (!status)
		status = ekm_descr_check(&p.B->a, p.key_b.op, &p.key_b.descr);
	if (status)
		return status;
	switch (stage) {
	case EKM_FULL_MULT: return multiply(&p, false, C);
	case EKM_NNZ_COUNT:
	case EKM_FULL_MULT_NO_VAL: return multiply(&p, true, C);
	case EKM_FINALIZE_MULT:
	case EKM_FINALIZE_MULT_NO_VAL: return finalize(&p, C);
	default: return EKM_INVALID_VALUE;
	}
}

/* The dense result of a product. */
typedef struct dense {
	void *data;
	int layout;
	int64_t ld;
} dense;

/* Y = product + beta Y. */
static ekm_status add_to_dense(const ek_matrix *product, double beta, ek_value value, dense y)
{
	const int order = y.layout == EKM_ROW_MAJOR ? EK_ROW_MAJOR : EK_COL_MAJOR;
	ek_hints hints = {.size = sizeof hints, .calls = 1};
	ek_matrix_info info = {.size = sizeof info};
	ek_plan *plan;
	ek_dense Y;
	ekm_status status = ekm_status_of(ek_matrix_get_info(product, &info));

	if (!status)
		status = ekm_status_of(ek_plan_create(EK_SPADD_DENSE, product, &hints, &plan));
	if (status)
		return status;
	Y = ek_block(value, info.rows, info.cols, y.ld, order, y.data);
	status = ekm_status_of(ek_spadd_dense(plan, 1, beta, &Y));
	ek_plan_destroy(plan);
	return status;
}

static ekm_status sp2md(const pair *p, ek_value value, bool wide, double alpha, double beta,
                        dense y)
{
	ek_plan *plan;
	ek_matrix *product = NULL;
	ekm_status status;

	if (!ekm_is_layout(y.layout))
		return EKM_INVALID_VALUE;
	status = plan_for(p, EK_SPGEMM, &plan);
	if (status)
		return status;
	if (!ekm_is_of(&p->A->a, value, wide))
		status = EKM_INVALID_VALUE;
	if (!status)
		status = ekm_status_of(ek_spgemm(plan, alpha, 0, &product));
	ek_plan_destroy(plan);
	if (!status)
		status = add_to_dense(product, beta, value, y);
	ek_matrix_destroy(product);
	return status;
}

static ekm_status add(const pair *p, ek_value value, bool wide, double alpha, ekm_handle **C)
{
	ek_plan *plan;
	ek_matrix *sum = NULL;
	ekm_arrays a;
	ekm_status status = C ? plan_for(p, EK_SPADD, &plan) : EKM_NOT_INITIALIZED;

	if (status)
		return status;
	a = like(p->A);
	if (!ekm_is_of(&a, value, wide))
		status = EKM_INVALID_VALUE;
	if (!status)
		status = ekm_status_of(ek_spadd(plan, alpha, 1, &sum));
	ek_plan_destroy(plan);
	if (!status)
		status = ekm_result(sum, &a, C);
	if (status)
		ek_matrix_destroy(sum);
	return status;
}

static ekm_status to_dense(ekm_handle *A, ek_value value, bool wide, ekm_descr descr, dense y)
{
	const ek_matrix *M;
	ek_op op;
	ekm_status status = ekm_operand(A, EKM_OP_N, descr, &M, &op);

	if (status)
		return status;
	if (!ekm_is_of(&A->a, value, wide) || !ekm_is_layout(y.layout))
		return EKM_INVALID_VALUE;
	return add_to_dense(M, 0, value, y);
}

#define SPARSE(suffix, INT, wide)                                                              \
	EKM_API ekm_status mkl_sparse_spmm##suffix(int op, ekm_handle *A, ekm_handle *B,       \
	                                           ekm_handle **C)                             \
	{                                                                                      \
		return sp2m((pair){A, B, general(op), general(EKM_OP_N)}, EKM_FULL_MULT, C);   \
	}                                                                                      \
	EKM_API ekm_status mkl_sparse_sp2m##suffix(int op_a, ekm_descr descr_a, ekm_handle *A, \
	                                           int op_b, ekm_descr descr_b, ekm_handle *B, \
	                                           int stage, ekm_handle **C)                  \
	{                                                                                      \
		return sp2m((pair){A, B, {op_a, descr_a, 0}, {op_b, descr_b, 0}}, stage, C);   \
	}
EKM_WIDTHS(SPARSE)

#define TYPED(s, VAL, type, suffix, INT, wide)                                                    \
	EKM_API ekm_status mkl_sparse_##s##_spmmd##suffix(int op, ekm_handle *A, ekm_handle *B,   \
	                                                  int layout, VAL *C, INT ld)             \
	{                                                                                         \
		return sp2md(&(pair){A, B, general(op), general(EKM_OP_N)}, type, wide, 1, 0,     \
		             (dense){C, layout, ld});                                             \
	}                                                                                         \
	EKM_API ekm_status mkl_sparse_##s##_sp2md##suffix(                                        \
		int op_a, ekm_descr descr_a, ekm_handle *A, int op_b, ekm_descr descr_b,          \
		ekm_handle *B, VAL alpha, VAL beta, VAL *C, int layout, INT ld)                   \
	{                                                                                         \
		return sp2md(&(pair){A, B, {op_a, descr_a, 0}, {op_b, descr_b, 0}}, type, wide,   \
		             alpha, beta, (dense){C, layout, ld});                                \
	}                                                                                         \
	EKM_API ekm_status mkl_sparse_##s##_add##suffix(int op, ekm_handle *A, VAL alpha,         \
	                                                ekm_handle *B, ekm_handle **C)            \
	{                                                                                         \
		return add(&(pair){A, B, general(op), general(EKM_OP_N)}, type, wide, alpha, C);  \
	}                                                                                         \
	EKM_API ekm_status mkl_sparse_##s##_convert_dense##suffix(ekm_handle *A, ekm_descr descr, \
	                                                          int layout, INT ld, VAL *to)    \
	{                                                                                         \
		return to_dense(A, type, wide, descr, (dense){to, layout, ld});                   \
	}
EKM_TYPES(TYPED)
