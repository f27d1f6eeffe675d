/* SPDX-License-Identifier: BSD-3-Clause
 * What is compared of two solutions, for problems.c and grids.c. */
#ifndef EK_PETSC_SOLVED_H
#define EK_PETSC_SOLVED_H

#include <petscksp.h>

/* Compares what solvers with aij and aijek have done, and destroys the solutions. They may differ
 * by PETSc's own tolerance for residuals: rounding in the last bits makes 3e-6 of the solution of
 * bcsstk16, and 1e-8 if both solve until 1e-8. */
static inline PetscErrorCode compare(const char *name, const PetscInt *iterations, Vec *x)
{
	PetscReal size, error;

	PetscFunctionBegin;
	PetscCall(VecNorm(x[0], NORM_2, &size));
	PetscCall(VecAXPY(x[1], -1, x[0]));
	PetscCall(VecNorm(x[1], NORM_2, &error));
	PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-42s %4d %4d iterations, differ by %.0e\n", name,
	                      (int)iterations[0], (int)iterations[1], (double)(error / size)));
	PetscCheck(iterations[0] == iterations[1] && iterations[0] > 0 && error <= 1e-5 * size,
	           PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: not as with aij", name);
	for (int own = 0; own < 2; own++)
		PetscCall(VecDestroy(&x[own]));
	PetscFunctionReturn(0);
}

/* Checks that the matrices on all levels of multigrid have the type of the first one. */
static inline PetscErrorCode check_levels(KSP ksp, Mat A)
{
	PetscBool same;
	PetscInt levels;
	MatType type;
	KSP smoother;
	Mat B;
	PC pc;

	PetscFunctionBegin;
	PetscCall(KSPGetPC(ksp, &pc));
	PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &same, PCGAMG, PCMG, ""));
	if (!same)
		PetscFunctionReturn(0);
	PetscCall(MatGetType(A, &type));
	PetscCall(PCMGGetLevels(pc, &levels));
	for (PetscInt l = 0; l < levels; l++) {
		PetscCall(PCMGGetSmoother(pc, l, &smoother));
		PetscCall(KSPGetOperators(smoother, &B, NULL));
		PetscCall(PetscObjectTypeCompare((PetscObject)B, type, &same));
		PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "level %d is not %s", (int)l,
		           type);
	}
	PetscFunctionReturn(0);
}
#endif
