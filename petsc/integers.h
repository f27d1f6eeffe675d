/* SPDX-License-Identifier: BSD-3-Clause
 * Vectors and matrices of small integers, for states.c. */
#ifndef EK_PETSC_INTEGERS_H
#define EK_PETSC_INTEGERS_H

#include <petscksp.h>

#define REQUIRE(condition, what) \
	PetscCheck(condition, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %s", name, what)

static const char *name; /* of the test that runs */
static MPI_Comm comm;    /* of matrices that it makes */

/* Fills a vector with small integers. */
static inline PetscErrorCode fill(Vec v, PetscInt seed)
{
	PetscInt begin, end;

	PetscFunctionBegin;
	PetscCall(VecGetOwnershipRange(v, &begin, &end));
	for (PetscInt i = begin; i < end; i++)
		PetscCall(VecSetValue(v, i, (PetscScalar)((i * 7 + seed) % 11 - 5), INSERT_VALUES));
	PetscCall(VecAssemblyBegin(v));
	PetscCall(VecAssemblyEnd(v));
	PetscFunctionReturn(0);
}

/* Makes a matrix with about `width` entries in rows that are multiples of `step`; others are empty.
 * Its entries are far from the diagonal as well as near. */
static inline PetscErrorCode make(MatType type, PetscInt rows, PetscInt cols, PetscInt width,
                                  PetscInt step, Mat *A)
{
	PetscInt begin, end, j;

	PetscFunctionBegin;
	PetscCall(MatCreate(comm, A));
	PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, rows, cols));
	PetscCall(MatSetType(*A, type));
	PetscCall(MatSetUp(*A));
	PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
	PetscCall(MatGetOwnershipRange(*A, &begin, &end));
	for (PetscInt i = begin; i < end; i++)
		for (PetscInt k = 0; i % step == 0 && k < width && cols; k++) {
			j = k % 3 ? (i + k) % cols : (i * 13 + k * 29) % cols;
			PetscCall(MatSetValue(*A, i, j, (i + 2 * k) % 7 - 3, INSERT_VALUES));
		}
	PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
	PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
	PetscFunctionReturn(0);
}
#endif
