/* SPDX-License-Identifier: BSD-3-Clause
 * MatProduct on one rank with a dense B: AB and AtB by ek_spmm, straight into the arrays of C. The
 * plan stays as long as A has its pattern. mpidense.c does AB of parallel matrices; other products
 * with dense matrices are PETSc's. */
#include "aijek.h"

PetscErrorCode ekp_multiplier_update(ekp_multiplier *m, Mat C, const char *what, Mat A,
                                     const ek_hints *hints)
{
	PetscBool same;

	PetscFunctionBegin;
	PetscCall(ekp_operand_update(&m->A, A, &same));
	if (!same || !m->plan)
		PetscCall(ekp_product_plan(C, what, EK_SPMM, m->A.matrix, hints, &m->plan));
	PetscFunctionReturn(0);
}

void ekp_multiplier_forget(ekp_multiplier *m)
{
	ek_plan_destroy(m->plan);
	ekp_operand_forget(&m->A);
}

static PetscErrorCode destroy(void *data)
{
	PetscFunctionBegin;
	ekp_multiplier_forget(data);
	PetscCall(PetscFree(data));
	PetscFunctionReturn(0);
}

static PetscErrorCode numeric_dense(Mat C)
{
	Mat A = C->product->A, B = C->product->B;
	ekp_multiplier *p = C->product->data;
	const ek_hints hints = {.size = sizeof hints,
	                        .op = C->product->type == MATPRODUCT_AtB ? EK_OP_T : EK_OP_N,
	                        .width = B->cmap->n};
	const PetscScalar *b;
	PetscScalar *c;
	PetscInt ld_b, ld_c;
	ek_dense X, Y;
	ek_status status;

	PetscFunctionBegin;
	PetscCall(ekp_multiplier_update(p, C, "MatMatMult, dense", A, &hints));
	PetscCall(MatDenseGetLDA(B, &ld_b));
	PetscCall(MatDenseGetLDA(C, &ld_c));
	PetscCall(MatDenseGetArrayRead(B, &b));
	PetscCall(MatDenseGetArrayWrite(C, &c));
	X = ek_block(EKP_VALUE, B->rmap->n, B->cmap->n, ld_b, EK_COL_MAJOR, b);
	Y = ek_block(EKP_VALUE, C->rmap->n, C->cmap->n, ld_c, EK_COL_MAJOR, c);
	status = ek_spmm(p->plan, 1, &X, 0, &Y);
	PetscCall(MatDenseRestoreArrayWrite(C, &c));
	PetscCall(MatDenseRestoreArrayRead(B, &b));
	EKP_CALL(status);
	PetscCall(PetscLogFlops(2.0 * p->A.row_ptr[A->rmap->n] * B->cmap->n));
	PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
	PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
	PetscFunctionReturn(0);
}

static PetscErrorCode symbolic_dense(Mat C)
{
	ekp_multiplier *p;

	PetscFunctionBegin;
	PetscCall(ekp_product_shape(C, MATSEQDENSE));
	PetscCall(MatSetUp(C));
	PetscCall(PetscNew(&p));
	C->product->data = p;
	C->product->destroy = destroy;
	C->ops->productnumeric = numeric_dense;
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_product_dense(Mat C)
{
	PetscFunctionBegin;
	if (C->product->type == MATPRODUCT_AB || C->product->type == MATPRODUCT_AtB)
		C->ops->productsymbolic = symbolic_dense;
	else
		PetscCall(ekp_product_as_aij(C));
	PetscFunctionReturn(0);
}
