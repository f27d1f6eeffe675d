/* SPDX-License-Identifier: BSD-3-Clause
 * Tests of what aijek matrices keep: plans of sparse products when patterns change, values that
 * PETSc stores, options with a prefix, types of blocks. Values are small integers, so results must
 * be equal bit for bit.
 *     reuse           runs the tests
 *     reuse -levels   makes a Galerkin product, for -mat_ek_explain */
#include "integers.h"

/* C is the product A P or P^T A P. */
static PetscErrorCode multiply(PetscBool galerkin, Mat A, Mat P, MatReuse reuse, Mat *C)
{
	return galerkin ? MatPtAP(A, P, reuse, PETSC_DEFAULT, C)
	                : MatMatMult(A, P, reuse, PETSC_DEFAULT, C);
}

/* Makes A and P, and C as their product. */
static PetscErrorCode begin(PetscBool galerkin, Mat *A, Mat *P, Mat *C)
{
	PetscFunctionBegin;
	PetscCall(make("aijek", 600, 600, 5, 1, A));
	PetscCall(make("aijek", 600, 200, 4, 1, P));
	PetscCall(multiply(galerkin, *A, *P, MAT_INITIAL_MATRIX, C));
	PetscFunctionReturn(0);
}

static PetscErrorCode again(PetscBool galerkin, Mat A, Mat P, Mat *C)
{
	return multiply(galerkin, A, P, MAT_REUSE_MATRIX, C);
}

/* Compares C, and products with it, with a new product. */
static PetscErrorCode end(PetscBool galerkin, Mat A, Mat P, Mat C, const char *what)
{
	Mat D;

	PetscFunctionBegin;
	PetscCall(multiply(galerkin, A, P, MAT_INITIAL_MATRIX, &D));
	PetscCall(same_mat(D, C, what));
	PetscCall(same_products(D, C));
	PetscCall(MatDestroy(&D));
	PetscFunctionReturn(0);
}

static PetscErrorCode add_entries(Mat A, PetscInt step)
{
	PetscInt first, last, n;

	PetscFunctionBegin;
	PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE));
	PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
	PetscCall(MatGetOwnershipRange(A, &first, &last));
	PetscCall(MatGetSize(A, NULL, &n));
	for (PetscInt i = first; i < last; i += step)
		PetscCall(MatSetValue(A, i, (i * 31 + 50) % n, 1, ADD_VALUES));
	PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
	PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
	PetscFunctionReturn(0);
}

/* Changes patterns between products. */
static PetscErrorCode test_patterns(void)
{
	const PetscInt row = 0;
	PetscErrorCode code;
	Mat A, P, C;

	PetscFunctionBegin;
	for (int k = 0; k < 2; k++) {
		PetscBool galerkin = k ? PETSC_TRUE : PETSC_FALSE;

		name = k ? "patterns, PtAP" : "patterns, AB";
		PetscCall(begin(galerkin, &A, &P, &C));
		PetscCall(add_entries(C, 3));
		PetscCall(MatScale(A, 2));
		PetscCall(again(galerkin, A, P, &C));
		PetscCall(end(galerkin, A, P, C, "C had new entries"));
		PetscCall(MatScale(A, 2));
		PetscCall(again(galerkin, A, P, &C));
		PetscCall(end(galerkin, A, P, C, "C had new entries, twice"));
		PetscCall(MatZeroRows(A, 1, &row, 4, NULL, NULL));
		PetscCall(again(galerkin, A, P, &C));
		PetscCall(end(galerkin, A, P, C, "the product lost entries"));
		PetscCall(add_entries(A, 1));
		for (int time = 0; time < 3; time++) {
			PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
			code = again(galerkin, A, P, &C);
			PetscCall(PetscPopErrorHandler());
			REQUIRE(code == PETSC_ERR_ARG_WRONGSTATE, "entries without a place");
		}
		PetscCall(MatDestroy(&A));
		PetscCall(MatDestroy(&P));
		PetscCall(MatDestroy(&C));
	}
	PetscFunctionReturn(0);
}

/* Gives A and P new values between products, or C, which must get its own back. The method has a
 * copy of C's values. With P without entries C has none. */
static PetscErrorCode test_values(void)
{
	Mat A, D, P, C;

	PetscFunctionBegin;
	PetscCall(PetscOptionsSetValue(NULL, "-mat_ek_method", "sell"));
	for (int k = 0; k < 4; k++) {
		PetscBool galerkin = k % 2 ? PETSC_TRUE : PETSC_FALSE;

		name = galerkin ? "values, PtAP" : "values, AB";
		PetscCall(make("aijek", 600, 600, 5, 1, &A));
		PetscCall(make("aijek", 600, 200, k < 2 ? 4 : 0, 1, &P));
		PetscCall(multiply(galerkin, A, P, MAT_INITIAL_MATRIX, &C));
		PetscCall(end(galerkin, A, P, C, "new"));
		PetscCall(again(galerkin, A, P, &C));
		PetscCall(end(galerkin, A, P, C, "as it was"));
		for (int time = 0; time < 3; time++) {
			PetscCall(time ? MatScale(C, 5) : MatZeroEntries(C));
			PetscCall(again(galerkin, A, P, &C));
			PetscCall(end(galerkin, A, P, C, "C had other values"));
			PetscCall(MatScale(time % 2 ? A : P, -2));
			PetscCall(again(galerkin, A, P, &C));
			PetscCall(end(galerkin, A, P, C, "a factor had other values"));
		}
		PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &D));
		PetscCall(MatScale(D, 3));
		PetscCall(again(galerkin, D, P, &C));
		PetscCall(end(galerkin, D, P, C, "another factor"));
		PetscCall(MatDestroy(&D));
		PetscCall(MatDestroy(&A));
		PetscCall(MatDestroy(&P));
		PetscCall(MatDestroy(&C));
	}
	PetscCall(PetscOptionsClearValue(NULL, "-mat_ek_method"));
	PetscFunctionReturn(0);
}

/* Retrieves stored values, by a method that has a copy of the values. */
static PetscErrorCode test_stored_values(void)
{
	Mat A[2];

	PetscFunctionBegin;
	name = "stored values";
	PetscCall(PetscOptionsSetValue(NULL, "-mat_ek_method", "sell"));
	for (int own = 0; own < 2; own++) {
		PetscCall(make(own ? "aijek" : MATAIJ, 1200, 1200, 6, 1, &A[own]));
		PetscCall(MatSetOption(A[own], MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
		PetscCall(MatStoreValues(A[own]));
		PetscCall(MatScale(A[own], 2));
	}
	PetscCall(same_products(A[0], A[1]));
	for (int own = 0; own < 2; own++)
		PetscCall(MatRetrieveValues(A[own]));
	PetscCall(same_products(A[0], A[1]));
	PetscCall(PetscOptionsClearValue(NULL, "-mat_ek_method"));
	PetscCall(MatConvert(A[1], MATAIJ, MAT_INPLACE_MATRIX, &A[1]));
	for (int own = 0; own < 2; own++) {
		PetscCall(MatScale(A[own], 2));
		PetscCall(MatRetrieveValues(A[own]));
	}
	PetscCall(same_products(A[0], A[1]));
	for (int own = 0; own < 2; own++)
		PetscCall(MatDestroy(&A[own]));
	PetscFunctionReturn(0);
}

/* A matrix with a prefix has no other options, and its blocks have none of their own. */
static PetscErrorCode test_prefix(void)
{
	static const char *const options[][2] = {{"-mat_ek_method", "no.such.method"},
	                                         {"-mat_ek_plan_early", "1"},
	                                         {"-inner_mat_ek_method", "csr.vector"}};
	PetscInt first, last;
	Vec x, y;
	Mat A, B;

	PetscFunctionBegin;
	name = "prefix";
	for (int k = 0; k < 3; k++)
		PetscCall(PetscOptionsSetValue(NULL, options[k][0], options[k][1]));
	PetscCall(MatCreate(comm, &B));
	PetscCall(MatSetOptionsPrefix(B, "inner_"));
	PetscCall(MatSetSizes(B, PETSC_DECIDE, PETSC_DECIDE, 1200, 1200));
	PetscCall(MatSetType(B, "aijek"));
	PetscCall(MatSetUp(B));
	PetscCall(MatSetOption(B, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
	PetscCall(MatGetOwnershipRange(B, &first, &last));
	for (PetscInt i = first; i < last; i++)
		PetscCall(MatSetValue(B, i, i * 13 % 1200, i % 7 - 3, INSERT_VALUES));
	PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
	PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
	PetscCall(MatCreateVecs(B, &x, &y));
	PetscCall(MatMult(B, x, y));
	PetscCall(VecDestroy(&x));
	PetscCall(VecDestroy(&y));
	for (int k = 0; k < 3; k++)
		PetscCall(PetscOptionsClearValue(NULL, options[k][0]));
	PetscCall(MatConvert(B, MATDENSE, MAT_INITIAL_MATRIX, &A));
	PetscCall(same_products(A, B));
	PetscCall(MatDestroy(&A));
	PetscCall(MatDestroy(&B));
	PetscFunctionReturn(0);
}

/* The same for a matrix from coordinates. */
static PetscErrorCode test_prefix_of_coordinates(void)
{
	PetscInt rows[1200], cols[1200], count = 0, first, last;
	PetscScalar vals[1200];
	Mat A, B;

	PetscFunctionBegin;
	name = "prefix, coordinates";
	PetscCall(make("aijek", 1200, 1200, 1, 1, &A));
	PetscCall(MatGetOwnershipRange(A, &first, &last));
	for (PetscInt i = first; i < last; i++, count++) {
		rows[count] = i;
		cols[count] = (i * 13 + 600) % 1200;
		vals[count] = i % 7 - 3;
	}
	PetscCall(MatDestroy(&A));
	PetscCall(MatCreate(comm, &B));
	PetscCall(MatSetOptionsPrefix(B, "inner_"));
	PetscCall(MatSetSizes(B, PETSC_DECIDE, PETSC_DECIDE, 1200, 1200));
	PetscCall(MatSetType(B, "aijek"));
	PetscCall(PetscOptionsSetValue(NULL, "-mat_ek_method", "no.such.method"));
	PetscCall(MatSetPreallocationCOO(B, count, rows, cols));
	PetscCall(MatSetValuesCOO(B, vals, INSERT_VALUES));
	PetscCall(MatConvert(B, MATDENSE, MAT_INITIAL_MATRIX, &A));
	PetscCall(same_products(A, B));
	PetscCall(PetscOptionsClearValue(NULL, "-mat_ek_method"));
	PetscCall(MatDestroy(&A));
	PetscCall(MatDestroy(&B));
	PetscFunctionReturn(0);
}

/* -mat_ek_format is not ignored if a matrix is small. */
static PetscErrorCode test_small(void)
{
	PetscErrorCode code;
	Vec x, y;
	Mat A;

	PetscFunctionBegin;
	name = "a format for a small matrix";
	comm = PETSC_COMM_SELF; /* messages of a parallel product would stay under way */
	PetscCall(PetscOptionsSetValue(NULL, "-mat_ek_format", "no.such.format"));
	PetscCall(make("aijek", 20, 20, 3, 1, &A));
	PetscCall(MatCreateVecs(A, &x, &y));
	PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
	code = MatMult(A, x, y);
	PetscCall(PetscPopErrorHandler());
	REQUIRE(code == PETSC_ERR_LIB, "a wrong format is an error of the library");
	PetscCall(PetscOptionsClearValue(NULL, "-mat_ek_format"));
	PetscCall(MatDestroy(&A));
	PetscCall(VecDestroy(&x));
	PetscCall(VecDestroy(&y));
	comm = PETSC_COMM_WORLD;
	PetscFunctionReturn(0);
}

/* With -mat_seqaij_type, blocks of aij matrices have that type and those of aijek still are ours.
 * Some of those types have errors of their own, so products are compared with a dense matrix's. */
static PetscErrorCode test_blocks(PetscMPIInt size)
{
	char wanted[64] = MATSEQAIJ;
	PetscBool same;
	Mat A[2], D, block;

	PetscFunctionBegin;
	name = "types of blocks";
	PetscCall(
		PetscOptionsGetString(NULL, NULL, "-mat_seqaij_type", wanted, sizeof wanted, NULL));
	for (int own = 0; own < 2; own++) {
		PetscCall(make(own ? "aijek" : MATAIJ, 1200, 1200, 6, 1, &A[own]));
		if (size > 1)
			PetscCall(MatMPIAIJGetSeqAIJ(A[own], &block, NULL, NULL));
		else
			block = A[own];
		PetscCall(PetscObjectTypeCompare((PetscObject)block, own ? "seqaijek" : wanted,
		                                 &same));
		REQUIRE(same, own ? "aijek" : "aij");
	}
	for (int time = 0; time < 2; time++) {
		PetscCall(MatConvert(A[1], MATDENSE, MAT_INITIAL_MATRIX, &D));
		PetscCall(same_products(D, A[1]));
		PetscCall(MatDestroy(&D));
		PetscCall(add_entries(A[1], 2));
		PetscCall(MatScale(A[1], 2));
	}
	for (int own = 0; own < 2; own++)
		PetscCall(MatDestroy(&A[own]));
	PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
	PetscBool levels, type;
	PetscMPIInt size;
	Mat A, P, C;

	PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
	comm = PETSC_COMM_WORLD;
	PetscCallMPI(MPI_Comm_size(comm, &size));
	PetscCall(PetscOptionsHasName(NULL, NULL, "-levels", &levels));
	if (levels) {
		PetscCall(make("aijek", 6000, 6000, 3, 1, &A));
		PetscCall(make("aijek", 6000, 3000, 1, 1, &P));
		PetscCall(MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
		PetscCall(MatDestroy(&A));
		PetscCall(MatDestroy(&P));
		PetscCall(MatDestroy(&C));
	} else {
		PetscCall(PetscOptionsHasName(NULL, NULL, "-mat_seqaij_type", &type));
		PetscCall(test_patterns());
		PetscCall(test_values());
		if (!type)
			PetscCall(test_stored_values());
		PetscCall(test_prefix());
		PetscCall(test_prefix_of_coordinates());
		PetscCall(test_small());
		PetscCall(test_blocks(size));
	}
	PetscCall(PetscPrintf(PETSC_COMM_WORLD, "reuse: all tests passed\n"));
	PetscCall(PetscFinalize());
	return 0;
}
