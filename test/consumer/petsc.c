/* SPDX-License-Identifier: BSD-3-Clause
 * A program of PETSc multiplies with an installed module libpetscek.so, which PETSc loads, or, with
 * -DLINKED, which the program is linked with. It prints "6 6 17". */
#ifdef LINKED
#include <evenkeel_petsc.h>
#endif
#include <petscmat.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	const PetscInt row_ptr[] = {0, 2, 3, 5}, col_idx[] = {0, 1, 1, 0, 2};
	const PetscScalar val[] = {4, 1, 3, 2, 5}, *result;
	Mat A;
	Vec x, y;

	PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
#ifdef LINKED
	PetscCall(ek_petsc_register());
#endif
	PetscCall(MatCreate(PETSC_COMM_SELF, &A));
	PetscCall(MatSetSizes(A, 3, 3, 3, 3));
	PetscCall(MatSetType(A, "aijek"));
	PetscCall(MatSetFromOptions(A));
	PetscCall(MatSeqAIJSetPreallocationCSR(A, row_ptr, col_idx, val));
	PetscCall(MatCreateVecs(A, &x, &y));
	for (PetscInt k = 0; k < 3; k++)
		PetscCall(VecSetValue(x, k, (PetscScalar)(k + 1), INSERT_VALUES));
	PetscCall(VecAssemblyBegin(x));
	PetscCall(VecAssemblyEnd(x));
	PetscCall(MatMult(A, x, y));
	PetscCall(VecGetArrayRead(y, &result));
	printf("%g %g %g\n", (double)result[0], (double)result[1], (double)result[2]);
	PetscCall(VecRestoreArrayRead(y, &result));
	PetscCall(VecDestroy(&x));
	PetscCall(VecDestroy(&y));
	PetscCall(MatDestroy(&A));
	PetscCall(PetscFinalize());
	return 0;
}
