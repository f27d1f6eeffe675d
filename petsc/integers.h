/* SPDX-License-Identifier: BSD-3-Clause
 * Vectors and matrices of small integers, and comparisons of them. */
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

/* Makes a matrix, of which this rank has m rows and n columns, with about `width` entries in rows
 * that are multiples of `step`; others are empty. Its entries are far from the diagonal as well as
 * near. */
static inline PetscErrorCode make_parts(MatType type, PetscInt m, PetscInt n, PetscInt rows,
                                        PetscInt cols, PetscInt width, PetscInt step, Mat *A)
{
	PetscInt begin, end, j;

	PetscFunctionBegin;
	PetscCall(MatCreate(comm, A));
	PetscCall(MatSetSizes(*A, m, n, rows, cols));
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

static inline PetscErrorCode make(MatType type, PetscInt rows, PetscInt cols, PetscInt width,
                                  PetscInt step, Mat *A)
{
	return make_parts(type, PETSC_DECIDE, PETSC_DECIDE, rows, cols, width, step, A);
}

static inline PetscErrorCode same_vec(Vec a, Vec b, const char *what)
{
	PetscBool same;

	PetscFunctionBegin;
	PetscCall(VecEqual(a, b, &same));
	REQUIRE(same, what);
	PetscFunctionReturn(0);
}

/* Compares all products of A, of type aij, and B. */
static inline PetscErrorCode same_products_of(Mat A, Mat B, Vec x, Vec y, PetscBool transposed)
{
	Vec v, w;

	PetscFunctionBegin;
	PetscCall(VecDuplicate(y, &v));
	PetscCall(VecDuplicate(y, &w));
	PetscCall(transposed ? MatMultTranspose(A, x, v) : MatMult(A, x, v));
	PetscCall(transposed ? MatMultTranspose(B, x, w) : MatMult(B, x, w));
	PetscCall(same_vec(v, w, "product"));
	PetscCall(transposed ? MatMultTransposeAdd(A, x, y, v) : MatMultAdd(A, x, y, v));
	PetscCall(transposed ? MatMultTransposeAdd(B, x, y, w) : MatMultAdd(B, x, y, w));
	PetscCall(same_vec(v, w, "product added to another vector"));
	PetscCall(transposed ? MatMultTransposeAdd(A, x, v, v) : MatMultAdd(A, x, v, v));
	PetscCall(transposed ? MatMultTransposeAdd(B, x, w, w) : MatMultAdd(B, x, w, w));
	PetscCall(same_vec(v, w, "product added in place"));
	PetscCall(VecDestroy(&v));
	PetscCall(VecDestroy(&w));
	PetscFunctionReturn(0);
}

static inline PetscErrorCode same_products(Mat A, Mat B)
{
	PetscBool square; /* rows are distributed as columns are */
	Vec x, y;

	PetscFunctionBegin;
	PetscCall(MatCreateVecs(A, &x, &y));
	PetscCall(fill(x, 1));
	PetscCall(fill(y, 2));
	PetscCall(same_products_of(A, B, x, y, PETSC_FALSE));
	PetscCall(same_products_of(A, B, y, x, PETSC_TRUE));
	PetscCall(MatHasCongruentLayouts(A, &square));
	if (square) {
		Vec v, w;

		PetscCall(VecDuplicate(x, &v));
		PetscCall(VecDuplicate(x, &w));
		PetscCall(MatMultAdd(A, x, x, v));
		PetscCall(MatMultAdd(B, x, x, w));
		PetscCall(same_vec(v, w, "product added to x itself"));
		PetscCall(VecDestroy(&v));
		PetscCall(VecDestroy(&w));
	}
	PetscCall(VecDestroy(&x));
	PetscCall(VecDestroy(&y));
	PetscFunctionReturn(0);
}

static inline PetscErrorCode same_mat(Mat A, Mat B, const char *what)
{
	PetscBool same;
	Mat C, D;

	PetscFunctionBegin;
	PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &C));
	PetscCall(MatConvert(B, MATAIJ, MAT_INITIAL_MATRIX, &D));
	PetscCall(MatAXPY(C, -1, D, DIFFERENT_NONZERO_PATTERN));
	PetscReal norm;
	PetscCall(MatNorm(C, NORM_FROBENIUS, &norm));
	same = norm == 0 ? PETSC_TRUE : PETSC_FALSE;
	REQUIRE(same, what);
	PetscCall(MatDestroy(&C));
	PetscCall(MatDestroy(&D));
	PetscFunctionReturn(0);
}

static inline PetscErrorCode is_type(Mat A, MatType type)
{
	PetscMPIInt size;
	char full[64];
	MatType found;
	PetscBool same;

	PetscFunctionBegin;
	PetscCallMPI(MPI_Comm_size(comm, &size));
	PetscCall(PetscSNPrintf(full, sizeof full, "%s%s", size > 1 ? "mpi" : "seq", type));
	PetscCall(PetscObjectTypeCompare((PetscObject)A, full, &same));
	PetscCall(MatGetType(A, &found));
	PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the type is %s, not %s", name,
	           found, full);
	PetscFunctionReturn(0);
}
#endif
