/* SPDX-License-Identifier: BSD-3-Clause
 * Tests of aijek matrices: products, and what happens when patterns, values and types change. Each
 * result is that of an aij matrix that went the same way. Values are small integers, so sums are
 * exact in any order, and results must be equal bit for bit. */
#include "changes.h"
#include <evenkeel/ek.h>

/* The module that PETSc has loaded says the library's version. */
static PetscErrorCode test_version(void)
{
	const char *(*version)(void) = NULL;
	PetscBool same;

	PetscFunctionBegin;
	name = "version";
	PetscCall(PetscDLLibrarySym(comm, &PetscDLLibrariesLoaded, NULL, "ek_petsc_version",
	                            (void **)&version));
	REQUIRE(version, "the module has a version");
	PetscCall(PetscStrcmp((*version)(), ek_version(), &same));
	REQUIRE(same, "it is the library's");
	PetscFunctionReturn(0);
}

static PetscErrorCode test_shapes(void)
{
	static const PetscInt shapes[][4] = {
		{0, 0, 0, 1},   {1, 1, 1, 1},     {5, 40, 9, 1},     {40, 5, 3, 1},
		{90, 90, 0, 1}, {300, 300, 7, 1}, {300, 200, 5, 40}, {257, 300, 60, 3},
	};
	Mat A, B;

	PetscFunctionBegin;
	name = "shapes";
	for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
		const PetscInt *s = shapes[k];

		PetscCall(make(MATAIJ, s[0], s[1], s[2], s[3], &A));
		PetscCall(make("aijek", s[0], s[1], s[2], s[3], &B));
		PetscCall(is_type(B, "aijek"));
		PetscCall(same_products(A, B));
		PetscCall(MatDestroy(&A));
		PetscCall(MatDestroy(&B));
	}
	PetscFunctionReturn(0);
}

static PetscErrorCode test_changes(void)
{
	Mat A, B;

	PetscFunctionBegin;
	name = "changes";
	PetscCall(make(MATAIJ, 1200, 1200, 6, 1, &A));
	PetscCall(make("aijek", 1200, 1200, 6, 1, &B));
	PetscCall(same_products(A, B));
	PetscCall(same_changes(A, B));
	PetscCall(MatDestroy(&A));
	PetscCall(MatDestroy(&B));
	PetscFunctionReturn(0);
}

static PetscErrorCode same_mult(Mat A, Mat B)
{
	Vec x, v, w;

	PetscFunctionBegin;
	PetscCall(MatCreateVecs(A, &x, &v));
	PetscCall(VecDuplicate(v, &w));
	PetscCall(fill(x, 1));
	PetscCall(MatMult(A, x, v));
	PetscCall(MatMult(B, x, w));
	PetscCall(same_vec(v, w, "product after a conversion"));
	PetscCall(VecDestroy(&x));
	PetscCall(VecDestroy(&v));
	PetscCall(VecDestroy(&w));
	PetscFunctionReturn(0);
}

static PetscErrorCode test_conversions(void)
{
	Mat A, B, C, D;

	PetscFunctionBegin;
	name = "conversions";
	PetscCall(make(MATAIJ, 100, 100, 5, 1, &A));
	PetscCall(MatConvert(A, "aijek", MAT_INITIAL_MATRIX, &B));
	PetscCall(is_type(B, "aijek"));
	PetscCall(same_products(A, B));
	PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &C));
	PetscCall(is_type(C, "aijek"));
	PetscCall(same_products(A, C));
	PetscCall(MatScale(C, 2));
	PetscCall(MatConvert(B, "aijek", MAT_REUSE_MATRIX, &C));
	PetscCall(same_products(A, C));
	PetscCall(MatConvert(C, MATAIJ, MAT_INPLACE_MATRIX, &C));
	PetscCall(is_type(C, MATAIJ));
	PetscCall(same_products(A, C));
	PetscCall(MatConvert(C, "aijek", MAT_INPLACE_MATRIX, &C));
	PetscCall(same_products(A, C));
	PetscCall(MatConvert(C, MATAIJ, MAT_INITIAL_MATRIX, &D));
	PetscCall(is_type(D, MATAIJ));
	PetscCall(same_products(A, D));
	PetscCall(MatDestroy(&D));
	static const char *const types[] = {"dense", "baij", "sbaij", "hypre", "aijperm", "is"};
	for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
		name = types[k];
		if (k == 2) {
			PetscCall(MatSetOption(C, MAT_SYMMETRIC, PETSC_TRUE));
			PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
		}
		PetscCall(MatConvert(C, types[k], MAT_INITIAL_MATRIX, &D));
		if (k != 2) /* which has the upper triangle only, and A is not really symmetric */
			PetscCall(same_mult(A, D));
		PetscCall(MatDestroy(&D));
		if (k == 2 || k == 5)
			continue; /* aij itself is not converted to these in place */
		PetscCall(MatDuplicate(C, MAT_COPY_VALUES, &D));
		PetscCall(MatConvert(D, types[k], MAT_INPLACE_MATRIX, &D));
		PetscCall(same_mult(A, D));
		if (k != 3) /* which has no product that adds */
			PetscCall(same_products(A, D));
		PetscCall(MatDestroy(&D));
	}
	PetscCall(MatDestroy(&A));
	PetscCall(MatDestroy(&B));
	PetscCall(MatDestroy(&C));
	PetscFunctionReturn(0);
}

static PetscErrorCode test_sparse_products(void)
{
	static const MatProductType types[] = {MATPRODUCT_AB, MATPRODUCT_AtB, MATPRODUCT_PtAP,
	                                       MATPRODUCT_ABt, MATPRODUCT_RARt};
	PetscMPIInt size;
	Mat A[2], P[2], C[2];

	PetscFunctionBegin;
	name = "sparse products";
	PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
	for (int k = 0; k < (size > 1 ? 3 : 5); k++) {
		PetscBool tall = types[k] == MATPRODUCT_AB || types[k] == MATPRODUCT_PtAP ||
		                                 types[k] == MATPRODUCT_AtB
		                         ? PETSC_TRUE
		                         : PETSC_FALSE;

		for (int own = 0; own < 2; own++) {
			PetscCall(make(own ? "aijek" : MATAIJ, 90, 90, 5, 1, &A[own]));
			PetscCall(make(own && k != 1 ? "aijek" : MATAIJ, tall ? 90 : 40,
			               tall ? 40 : 90, 3, 1, &P[own]));
			PetscCall(MatProductCreate(A[own], P[own], NULL, &C[own]));
			PetscCall(MatProductSetType(C[own], types[k]));
			PetscCall(MatProductSetFromOptions(C[own]));
			PetscCall(MatProductSymbolic(C[own]));
			PetscCall(MatProductNumeric(C[own]));
		}
		PetscCall(same_mat(C[0], C[1], MatProductTypes[types[k]]));
		PetscCall(same_products(C[0], C[1]));
		for (int own = 0; own < 2; own++) {
			PetscCall(MatScale(A[own], 3));
			PetscCall(MatScale(P[own], -1));
			PetscCall(MatProductNumeric(C[own]));
		}
		PetscCall(same_mat(C[0], C[1], "with new values"));
		PetscCall(same_products(C[0], C[1]));
		if (k != 1)
			PetscCall(is_type(C[1], "aijek"));
		for (int own = 0; own < 2; own++) {
			PetscCall(MatDestroy(&A[own]));
			PetscCall(MatDestroy(&P[own]));
			PetscCall(MatDestroy(&C[own]));
		}
	}
	PetscFunctionReturn(0);
}

static PetscErrorCode test_dense_products(void)
{
	Mat A, B, X, C, D;

	PetscFunctionBegin;
	name = "products with dense matrices";
	PetscCall(make(MATAIJ, 90, 90, 5, 1, &A));
	PetscCall(make("aijek", 90, 90, 5, 1, &B));
	PetscCall(make(MATAIJ, 90, 6, 4, 1, &C));
	PetscCall(MatConvert(C, MATDENSE, MAT_INITIAL_MATRIX, &X));
	PetscCall(MatDestroy(&C));
	PetscCall(MatMatMult(A, X, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
	PetscCall(MatMatMult(B, X, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &D));
	PetscCall(same_mat(C, D, "A X"));
	PetscCall(MatScale(A, 2));
	PetscCall(MatScale(B, 2));
	PetscCall(MatMatMult(A, X, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
	PetscCall(MatMatMult(B, X, MAT_REUSE_MATRIX, PETSC_DEFAULT, &D));
	PetscCall(same_mat(C, D, "A X with new values"));
	PetscCall(MatDestroy(&C));
	PetscCall(MatDestroy(&D));
	PetscCall(MatTransposeMatMult(A, X, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
	PetscCall(MatTransposeMatMult(B, X, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &D));
	PetscCall(same_mat(C, D, "A^T X"));
	PetscCall(MatDestroy(&C));
	PetscCall(MatDestroy(&D));
	PetscCall(MatDestroy(&A));
	PetscCall(MatDestroy(&B));
	PetscCall(MatDestroy(&X));
	PetscFunctionReturn(0);
}

/* Checks whether PETSc calls for MatMult of B what it calls for A, of type aij. */
static PetscErrorCode is_direct(Mat A, Mat B, PetscBool wanted, const char *what)
{
	void (*f[2])(void);

	PetscFunctionBegin;
	PetscCall(MatGetOperation(A, MATOP_MULT, &f[0]));
	PetscCall(MatGetOperation(B, MATOP_MULT, &f[1]));
	REQUIRE((f[0] == f[1]) == wanted, what);
	PetscFunctionReturn(0);
}

/* A product that a program sets. */
static PetscErrorCode twice(Mat A, Vec x, Vec y)
{
	PetscFunctionBegin;
	(void)A;
	PetscCall(VecAXPBY(y, 2, 0, x));
	PetscFunctionReturn(0);
}

/* Fills both matrices, 40 x 40, or leaves one entry in each row. */
static PetscErrorCode refill(Mat *A, PetscBool full)
{
	PetscInt rows[40];
	PetscScalar vals[40];

	PetscFunctionBegin;
	for (PetscInt i = 0; i < 40; i++) {
		rows[i] = i;
		vals[i] = i % 5 - 2;
	}
	for (int own = 0; own < 2; own++) {
		if (!full) {
			PetscCall(MatZeroRows(A[own], 40, rows, 3, NULL, NULL));
			continue;
		}
		for (PetscInt i = 0; i < 40; i++)
			PetscCall(MatSetValues(A[own], 1, &i, 40, rows, vals, ADD_VALUES));
		PetscCall(MatAssemblyBegin(A[own], MAT_FINAL_ASSEMBLY));
		PetscCall(MatAssemblyEnd(A[own], MAT_FINAL_ASSEMBLY));
	}
	PetscFunctionReturn(0);
}

/* Matrices of few entries, whose products PETSc calls directly, get more, and lose them again.
 * Without options that say how to multiply, it is checked who is called. */
static PetscErrorCode test_direct(void)
{
	static const char *const options[] = {"-mat_ek_method", "-mat_ek_method_transpose",
	                                      "-mat_ek_compare"};
	PetscBool set, usual = PETSC_TRUE;
	Mat A[2], B;

	PetscFunctionBegin;
	name = "few entries";
	comm = PETSC_COMM_SELF;
	for (int k = 0; k < 3; k++) {
		PetscCall(PetscOptionsHasName(NULL, NULL, options[k], &set));
		usual = set ? PETSC_FALSE : usual;
	}
	for (int own = 0; own < 2; own++)
		PetscCall(make(own ? "aijek" : MATAIJ, 40, 40, 3, 1, &A[own]));
	PetscCall(same_products(A[0], A[1]));
	for (int time = 0; time < 2; time++) {
		if (usual)
			PetscCall(is_direct(A[0], A[1], PETSC_TRUE, "few entries, not direct"));
		PetscCall(MatDuplicate(A[1], MAT_COPY_VALUES, &B));
		PetscCall(same_products(A[0], B));
		PetscCall(MatScale(B, 7));
		PetscCall(MatCopy(A[1], B, SAME_NONZERO_PATTERN));
		PetscCall(same_products(A[0], B));
		PetscCall(MatDestroy(&B));
		PetscCall(refill(A, PETSC_TRUE));
		PetscCall(same_products(A[0], A[1]));
		if (usual)
			PetscCall(is_direct(A[0], A[1], PETSC_FALSE, "many entries, direct"));
		PetscCall(refill(A, PETSC_FALSE));
		PetscCall(same_products(A[0], A[1]));
	}
	PetscCall(MatConvert(A[1], MATAIJ, MAT_INPLACE_MATRIX, &A[1]));
	PetscCall(is_direct(A[0], A[1], PETSC_TRUE, "aij again"));
	PetscCall(MatConvert(A[1], "aijek", MAT_INPLACE_MATRIX, &A[1]));
	PetscCall(same_changes(A[0], A[1]));
	for (int own = 0; own < 2; own++)
		PetscCall(MatSetOperation(A[own], MATOP_MULT, (void (*)(void))twice));
	PetscCall(refill(A, PETSC_TRUE));
	PetscCall(same_products(A[0], A[1]));
	PetscCall(is_direct(A[0], A[1], PETSC_TRUE, "a function of the program's"));
	for (int own = 0; own < 2; own++)
		PetscCall(MatDestroy(&A[own]));
	comm = PETSC_COMM_WORLD;
	PetscFunctionReturn(0);
}

/* A method that there is not must give an error of PETSc, and nothing else. */
static PetscErrorCode test_error(void)
{
	PetscErrorCode code;
	Mat A, B;
	Vec x, y;

	PetscFunctionBegin;
	name = "errors";
	comm = PETSC_COMM_SELF; /* messages of a parallel product would stay under way */
	PetscCall(make("aijek", 60, 60, 5, 1, &A));
	PetscCall(MatCreateVecs(A, &x, &y));
	PetscCall(PetscOptionsSetValue(NULL, "-mat_ek_method", "csr.vector"));
	PetscCall(MatMult(A, x, y));
	PetscCall(PetscOptionsSetValue(NULL, "-mat_ek_method", "no.such.method"));
	PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
	code = make("aijek", 60, 60, 5, 1, &B); /* with -mat_ek_plan_early */
	if (!code)
		code = MatMult(B, x, y);
	PetscCall(PetscPopErrorHandler());
	REQUIRE(code == PETSC_ERR_LIB, "a wrong method is an error of the library");
	PetscCall(PetscOptionsClearValue(NULL, "-mat_ek_method"));
	PetscCall(MatDestroy(&A));
	PetscCall(MatDestroy(&B));
	PetscCall(VecDestroy(&x));
	PetscCall(VecDestroy(&y));
	PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
	PetscErrorCode (*const tests[])(void) = {
		test_shapes,         test_changes, test_conversions, test_sparse_products,
		test_dense_products, test_direct,  test_error,       test_version};

	PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
	comm = PETSC_COMM_WORLD;
	for (size_t k = 0; k < sizeof tests / sizeof tests[0]; k++)
		PetscCall((*tests[k])());
	PetscCall(PetscPrintf(PETSC_COMM_WORLD, "states: all tests passed\n"));
	PetscCall(PetscFinalize());
	return 0;
}
