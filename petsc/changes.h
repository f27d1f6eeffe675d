/* SPDX-License-Identifier: BSD-3-Clause
 * What may happen to a matrix after its assembly, for states.c and assembled.c. */
#ifndef EK_PETSC_CHANGES_H
#define EK_PETSC_CHANGES_H

#include "integers.h"

/* Changes both matrices in the same way. */
static inline PetscErrorCode change(Mat A, PetscInt how)
{
	PetscInt begin, end, n;
	Vec l, r;
	Mat D;

	PetscFunctionBegin;
	PetscCall(MatGetOwnershipRange(A, &begin, &end));
	PetscCall(MatGetSize(A, NULL, &n));
	switch (how) {
	case 0: /* values */
		for (PetscInt i = begin; i < end; i++)
			PetscCall(MatSetValue(A, i, (i + 1) % n, i % 3, INSERT_VALUES));
		break;
	case 1: /* entries that the matrix has not had, far away: parallel matrices disassemble */
		for (PetscInt i = begin; i < end; i += 5)
			PetscCall(MatSetValue(A, i, (i * 17 + 11) % n, 2, ADD_VALUES));
		break;
	case 2: PetscCall(MatScale(A, 3)); break;
	case 3:
		PetscCall(MatCreateVecs(A, &r, &l));
		PetscCall(fill(l, 3));
		PetscCall(fill(r, 4));
		PetscCall(MatDiagonalScale(A, l, r));
		PetscCall(VecDestroy(&l));
		PetscCall(VecDestroy(&r));
		break;
	case 4: PetscCall(MatShift(A, 2)); break;
	case 5:
		PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &D));
		PetscCall(MatAXPY(A, 2, D, SAME_NONZERO_PATTERN));
		PetscCall(MatDestroy(&D));
		break;
	case 6:
		PetscCall(make_parts(MATAIJ, end - begin, end - begin, n, n, 5, 2, &D));
		PetscCall(MatAXPY(A, 2, D, DIFFERENT_NONZERO_PATTERN));
		PetscCall(MatDestroy(&D));
		break;
	case 7: PetscCall(MatZeroRows(A, end > begin, &begin, 4, NULL, NULL)); break;
	case 8: PetscCall(MatTranspose(A, MAT_INPLACE_MATRIX, &A)); break;
	case 9: PetscCall(MatZeroEntries(A)); break;
	default:
		PetscCall(MatSetValue(A, begin, begin, 1, ADD_VALUES));
		PetscCall(MatAssemblyBegin(A, MAT_FLUSH_ASSEMBLY));
		PetscCall(MatAssemblyEnd(A, MAT_FLUSH_ASSEMBLY));
		PetscCall(MatSetValue(A, begin, begin, 5, INSERT_VALUES));
	}
	PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
	PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
	PetscFunctionReturn(0);
}

/* Changes A, of type aij, and B in all ways, one after the other, and compares them each time. */
static inline PetscErrorCode same_changes(Mat A, Mat B)
{
	static const char *const names[] = {
		"new values",        "new entries", "scale",     "scaled rows", "shift", "axpy",
		"axpy, new pattern", "zero rows",   "transpose", "zero",        "flush"};
	const char *of = name;
	char text[128];

	PetscFunctionBegin;
	for (PetscInt k = 0; k < (PetscInt)(sizeof names / sizeof names[0]); k++) {
		PetscCall(PetscSNPrintf(text, sizeof text, "%s, %s", of, names[k]));
		name = text;
		PetscCall(change(A, k));
		PetscCall(change(B, k));
		PetscCall(is_type(B, "aijek"));
		PetscCall(same_mat(A, B, "matrix"));
		PetscCall(same_products(A, B));
	}
	name = of;
	PetscFunctionReturn(0);
}
#endif
