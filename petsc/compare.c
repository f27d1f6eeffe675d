/* SPDX-License-Identifier: BSD-3-Clause
 * -mat_ek_compare: is a plan really faster than aij's own loops? Predictions rest on tables of
 * processors, and now and then they are wrong. So both multiply a few times in turn, and the least
 * times decide. Cost: about a dozen products, more for matrices of few rows, once for each plan. */
#include "aijek.h"
#include <petsctime.h>

PetscErrorCode ekp_compare(Mat A, int op, PetscBool added, ek_plan *plan, PetscBool *slower)
{
	enum { ROUNDS = 6 };
	const int repeat = 1 + 20000 / (int)(PetscMin(20000, A->rmap->n) + 1);
	PetscLogDouble begin, middle, end, flops, ours = 1e30, theirs = 1e30;
	const PetscInt rows = op ? A->cmap->n : A->rmap->n, cols = op ? A->rmap->n : A->cmap->n;
	const PetscScalar *px;
	PetscScalar *py;
	ek_dense vx, vy;
	ek_status status = EK_OK;
	Vec x, y;

	PetscFunctionBegin;
	PetscCall(PetscGetFlops(&flops));
	PetscCall(VecCreateSeq(PETSC_COMM_SELF, cols, &x));
	PetscCall(VecCreateSeq(PETSC_COMM_SELF, rows, &y));
	PetscCall(VecSet(x, 1));
	PetscCall(VecSet(y, 1));
	for (int round = 0; round < ROUNDS; round++) {
		PetscCall(PetscTime(&begin));
		PetscCall(VecGetArrayRead(x, &px));
		PetscCall(VecGetArray(y, &py));
		vx = ek_vector(EKP_VALUE, cols, px);
		vy = ek_vector(EKP_VALUE, rows, py);
		for (int k = 0; k < repeat; k++)
			status = status ? status : ek_spmv(plan, 1, &vx, added ? 1 : 0, &vy);
		PetscCall(VecRestoreArray(y, &py));
		PetscCall(VecRestoreArrayRead(x, &px));
		EKP_CALL(status);
		PetscCall(PetscTime(&middle));
		for (int k = 0; k < repeat; k++)
			PetscCall(ekp_aij_multiply(A, op, x, added ? y : NULL, y));
		PetscCall(PetscTime(&end));
		ours = PetscMin(ours, middle - begin);
		theirs = PetscMin(theirs, end - middle);
	}
	*slower = ours > theirs ? PETSC_TRUE : PETSC_FALSE;
#if defined(PETSC_USE_LOG) /* what aij has logged was not the program's */
	petsc_TotalFlops = flops;
#endif
	PetscCall(VecDestroy(&x));
	PetscCall(VecDestroy(&y));
	PetscFunctionReturn(0);
}
