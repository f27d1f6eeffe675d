/* SPDX-License-Identifier: BSD-3-Clause
 * Tests of products of parallel aijek matrices: A B and P^T A P for several distributions of rows
 * and columns, ranks without rows among them, and for matrices with many, few and no entries in
 * columns of other ranks. Values are small integers, so results must be those of aij, bit for bit,
 * with as many entries. */
#include "integers.h"

enum { EVEN, LAST, EVERY_OTHER, RISING, DISTRIBUTIONS };
enum { BLOCKS, CORNER, FAR, SPARSE, PATTERNS };

/* Says how many of n rows this rank has. */
static PetscInt share(PetscInt n, int distribution)
{
	PetscMPIInt size, rank;
	PetscInt all = 0, before = 0, mine = 0;

	MPI_Comm_size(comm, &size);
	MPI_Comm_rank(comm, &rank);
	for (PetscMPIInt r = 0; r < size; r++) {
		PetscInt weight = distribution == LAST          ? r == size - 1
		                  : distribution == EVERY_OTHER ? r % 2 == 0
		                  : distribution == RISING      ? r + 1
		                                                : 1;

		before = r < rank ? before + weight : before;
		mine = r == rank ? weight : mine;
		all += weight;
	}
	return n * (before + mine) / all - n * before / all;
}

static PetscErrorCode set_values(Mat A, int pattern, PetscInt width, PetscInt seed)
{
	PetscInt begin, end, first, last, cols;

	PetscFunctionBegin;
	PetscCall(MatGetOwnershipRange(A, &begin, &end));
	PetscCall(MatGetOwnershipRangeColumn(A, &first, &last));
	PetscCall(MatGetSize(A, NULL, &cols));
	for (PetscInt i = begin; i < end; i++) {
		for (PetscInt k = 0; k < width && cols; k++) {
			PetscInt j = (i * 13 + k * k * 7) % cols;

			if (pattern == SPARSE && (i + k) % 3)
				continue;
			if ((pattern == BLOCKS || pattern == CORNER) && last > first)
				j = first + j % (last - first);
			else if (pattern == BLOCKS || pattern == CORNER)
				continue;
			PetscCall(MatSetValue(A, i, j, (i + 2 * k + seed) % 7 - 3, INSERT_VALUES));
		}
		if (pattern == CORNER && i == 0)
			PetscCall(MatSetValue(A, i, cols - 1, 2, INSERT_VALUES));
	}
	PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
	PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
	PetscFunctionReturn(0);
}

static PetscErrorCode make_shared(MatType type, PetscInt rows, int row_distribution, PetscInt cols,
                                  int col_distribution, int pattern, Mat *A)
{
	PetscFunctionBegin;
	PetscCall(MatCreate(comm, A));
	PetscCall(MatSetSizes(*A, share(rows, row_distribution), share(cols, col_distribution),
	                      rows, cols));
	PetscCall(MatSetType(*A, type));
	PetscCall(MatSetUp(*A));
	PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
	PetscCall(set_values(*A, pattern, 5, 0));
	PetscFunctionReturn(0);
}

static PetscErrorCode multiply(MatProductType type, Mat A, Mat P, MatReuse reuse, Mat *C)
{
	return type == MATPRODUCT_PtAP ? MatPtAP(A, P, reuse, PETSC_DEFAULT, C)
	                               : MatMatMult(A, P, reuse, PETSC_DEFAULT, C);
}

/* Compares products of aij and aijek, also their numbers of entries. */
static PetscErrorCode same(Mat *C, const char *what)
{
	MatInfo info[2];
	PetscBool ours;

	PetscFunctionBegin;
	PetscCall(PetscObjectTypeCompare((PetscObject)C[1], "mpiaijek", &ours));
	REQUIRE(ours, "the product's type");
	PetscCall(same_mat(C[0], C[1], what));
	PetscCall(same_products(C[0], C[1]));
	for (int own = 0; own < 2; own++)
		PetscCall(MatGetInfo(C[own], MAT_GLOBAL_SUM, &info[own]));
	REQUIRE(info[0].nz_used == info[1].nz_used, "number of entries");
	PetscFunctionReturn(0);
}

/* Changes values of one block on one rank: nobody else knows. */
static PetscErrorCode scale_a_block(Mat A, int block_of)
{
	PetscMPIInt rank;
	Mat block[2];

	PetscFunctionBegin;
	PetscCallMPI(MPI_Comm_rank(comm, &rank));
	PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], NULL));
	if (rank == 0)
		PetscCall(MatScale(block[block_of], 2));
	PetscFunctionReturn(0);
}

/* Makes a product, then products with new values, then with other matrices. */
static PetscErrorCode try_product(MatProductType type, Mat *A, Mat *P)
{
	Mat C[2], D, E;

	PetscFunctionBegin;
	for (int own = 0; own < 2; own++)
		PetscCall(multiply(type, A[own], P[own], MAT_INITIAL_MATRIX, &C[own]));
	PetscCall(same(C, "new"));
	for (int own = 0; own < 2; own++) {
		PetscCall(MatScale(A[own], 3));
		PetscCall(MatScale(P[own], -1));
		PetscCall(multiply(type, A[own], P[own], MAT_REUSE_MATRIX, &C[own]));
	}
	PetscCall(same(C, "new values"));
	for (int own = 0; own < 2; own++) {
		PetscCall(scale_a_block(A[own], 0));
		PetscCall(scale_a_block(P[own], 1));
		PetscCall(multiply(type, A[own], P[own], MAT_REUSE_MATRIX, &C[own]));
	}
	PetscCall(same(C, "new values on one rank"));
	for (int own = 0; own < 2; own++) {
		PetscCall(MatDuplicate(A[own], MAT_COPY_VALUES, &D));
		PetscCall(MatDuplicate(P[own], MAT_COPY_VALUES, &E));
		PetscCall(MatScale(D, -2));
		if (!own) /* aij refuses another P */
			PetscCall(MatDestroy(&C[own]));
		PetscCall(
			multiply(type, D, E, own ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &C[own]));
		PetscCall(MatDestroy(&D));
		PetscCall(MatDestroy(&E));
	}
	PetscCall(same(C, "other matrices"));
	for (int own = 0; own < 2; own++)
		PetscCall(MatDestroy(&C[own]));
	PetscFunctionReturn(0);
}

static PetscErrorCode test_distributions(void)
{
	static const PetscInt widths[] = {60, 17, 1, 90};
	const int pairs = DISTRIBUTIONS * DISTRIBUTIONS; /* of distributions, and of patterns */
	Mat A[2], P[2];

	PetscFunctionBegin;
	name = "distributions";
	for (int t = 0; t < 2 * pairs; t++) {
		/* Each pair of distributions meets two pairs of patterns, and vice versa. */
		const int rows = t % DISTRIBUTIONS, cols = t / DISTRIBUTIONS % DISTRIBUTIONS;
		const int k = (5 * t + 9 * (t / pairs)) % pairs;
		const PetscInt n = widths[(t + k) % 4];

		for (int own = 0; own < 2; own++) {
			const MatType type = own ? "mpiaijek" : MATMPIAIJ;

			PetscCall(make_shared(k == 2 ? MATMPIAIJ : type, 60, rows, 60, rows,
			                      k % PATTERNS, &A[own]));
			PetscCall(make_shared(k == 1 ? MATMPIAIJ : type, 60, rows, n, cols,
			                      k / PATTERNS, &P[own]));
		}
		PetscCall(try_product(MATPRODUCT_AB, A, P));
		PetscCall(try_product(MATPRODUCT_PtAP, A, P));
		for (int own = 0; own < 2; own++) {
			PetscCall(MatDestroy(&A[own]));
			PetscCall(MatDestroy(&P[own]));
		}
	}
	PetscFunctionReturn(0);
}

/* A that is not square, and matrices without rows or columns. */
static PetscErrorCode test_shapes(void)
{
	static const PetscInt shapes[][3] = {{30, 50, 20}, {50, 30, 70}, {0, 40, 9},
	                                     {9, 40, 0},   {9, 0, 40},   {0, 0, 0}};
	Mat A[2], P[2];

	PetscFunctionBegin;
	for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
		const PetscInt *s = shapes[k];

		name = "shapes";
		for (int own = 0; own < 2; own++) {
			const MatType type = own ? "mpiaijek" : MATMPIAIJ;

			PetscCall(make_shared(type, s[0], RISING, s[1], EVERY_OTHER, FAR, &A[own]));
			PetscCall(make_shared(type, s[1], EVERY_OTHER, s[2], EVEN, FAR, &P[own]));
		}
		PetscCall(try_product(MATPRODUCT_AB, A, P));
		for (int own = 0; own < 2; own++) {
			PetscCall(MatDestroy(&A[own]));
			PetscCall(MatDestroy(&P[own]));
		}
	}
	PetscFunctionReturn(0);
}

/* Makes a dense matrix, whose columns on each rank are `gap` elements further apart than needed. */
static PetscErrorCode make_dense(PetscInt rows, int distribution, PetscInt cols, PetscInt gap,
                                 Mat *B)
{
	PetscInt begin, end;

	PetscFunctionBegin;
	PetscCall(MatCreate(comm, B));
	PetscCall(MatSetSizes(*B, share(rows, distribution), PETSC_DECIDE, rows, cols));
	PetscCall(MatSetType(*B, MATMPIDENSE));
	PetscCall(MatDenseSetLDA(*B, share(rows, distribution) + gap));
	PetscCall(MatSetUp(*B));
	PetscCall(MatGetOwnershipRange(*B, &begin, &end));
	for (PetscInt i = begin; i < end; i++)
		for (PetscInt j = 0; j < cols; j++)
			PetscCall(MatSetValue(*B, i, j, (3 * i + 5 * j) % 11 - 5, INSERT_VALUES));
	PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
	PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
	PetscFunctionReturn(0);
}

/* Multiplies into C[1], which exists, or which MatMatMult makes. */
static PetscErrorCode multiply_dense(Mat A, Mat B, PetscBool exists, Mat *C)
{
	PetscFunctionBegin;
	if (!exists) {
		PetscCall(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C));
		PetscFunctionReturn(0);
	}
	PetscCall(MatProductCreateWithMat(A, B, NULL, *C));
	PetscCall(MatProductSetType(*C, MATPRODUCT_AB));
	PetscCall(MatProductSetFromOptions(*C));
	PetscCall(MatProductSymbolic(*C));
	PetscCall(MatProductNumeric(*C));
	PetscFunctionReturn(0);
}

/* Multiplies, again with new values, on all ranks and on one, and with another A. */
static PetscErrorCode try_dense(Mat *A, Mat *other, Mat B, PetscBool exists, Mat *C)
{
	PetscBool dense;

	PetscFunctionBegin;
	for (int own = 0; own < 2; own++)
		PetscCall(multiply_dense(A[own], B, own ? exists : PETSC_FALSE, &C[own]));
	PetscCall(PetscObjectTypeCompare((PetscObject)C[1], MATMPIDENSE, &dense));
	REQUIRE(dense, "the product's type");
	PetscCall(same_mat(C[0], C[1], "A B"));
	for (int k = 0; k < 4; k++) {
		if (k == 0)
			PetscCall(MatScale(B, -2));
		for (int own = 0; own < 2; own++) {
			if (k == 1)
				PetscCall(MatScale(A[own], 3));
			if (k > 1)
				PetscCall(scale_a_block(A[own], k - 2));
			PetscCall(MatMatMult(A[own], B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C[own]));
		}
		PetscCall(same_mat(C[0], C[1], k ? "new values of A" : "new values of B"));
	}
	PetscCall(MatDestroy(&C[0])); /* aij refuses another A */
	PetscCall(MatMatMult(other[0], B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C[0]));
	PetscCall(MatMatMult(other[1], B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C[1]));
	PetscCall(same_mat(C[0], C[1], "another A"));
	PetscFunctionReturn(0);
}

/* Products with dense matrices, whose columns need not follow each other in memory. */
static PetscErrorCode test_dense(void)
{
	static const PetscInt sizes[][3] = {{60, 60, 5}, {60, 40, 1}, {17, 90, 12}, {0, 30, 3},
	                                    {30, 0, 3},  {30, 20, 0}, {1, 70, 2}};
	const int pairs = DISTRIBUTIONS * DISTRIBUTIONS;
	Mat A[2], other[2], B, C[2];

	PetscFunctionBegin;
	for (int t = 0; t < 2 * pairs; t++) {
		const int rows = t % DISTRIBUTIONS, cols = t / DISTRIBUTIONS % DISTRIBUTIONS;
		const PetscInt *n = sizes[t % 7];
		const PetscBool exists = t % 3 == 1 ? PETSC_TRUE : PETSC_FALSE;

		name = "dense";
		for (int own = 0; own < 2; own++) {
			const MatType type = own ? "mpiaijek" : MATMPIAIJ;

			PetscCall(make_shared(type, n[0], rows, n[1], cols, t % PATTERNS, &A[own]));
			PetscCall(make_shared(type, n[0], rows, n[1], cols, (t + 2) % PATTERNS,
			                      &other[own]));
		}
		PetscCall(make_dense(n[1], cols, n[2], t % 2 ? 3 : 0, &B));
		if (exists)
			PetscCall(make_dense(n[0], rows, n[2], 2, &C[1]));
		PetscCall(try_dense(A, other, B, exists, C));
		PetscCall(MatDestroy(&B));
		for (int own = 0; own < 2; own++) {
			PetscCall(MatDestroy(&A[own]));
			PetscCall(MatDestroy(&other[own]));
			PetscCall(MatDestroy(&C[own]));
		}
	}
	PetscFunctionReturn(0);
}

/* Products whose algorithm the caller names, and those that are PETSc's in any case. */
static PetscErrorCode test_others(void)
{
	static const MatProductType types[] = {MATPRODUCT_AB, MATPRODUCT_PtAP, MATPRODUCT_AtB,
	                                       MATPRODUCT_RARt, MATPRODUCT_ABC};
	static const char *const algorithms[] = {"scalable", "allatonce", "default", "default",
	                                         "default"};
	Mat A[2], C[2];

	PetscFunctionBegin;
	for (int k = 0; k < 5; k++) {
		name = MatProductTypes[types[k]];
		for (int own = 0; own < 2; own++) {
			PetscCall(make_shared(own ? "mpiaijek" : MATMPIAIJ, 60, RISING, 60, RISING,
			                      FAR, &A[own]));
			PetscCall(
				MatProductCreate(A[own], A[own], k == 4 ? A[own] : NULL, &C[own]));
			PetscCall(MatProductSetType(C[own], types[k]));
			PetscCall(MatProductSetAlgorithm(C[own], algorithms[k]));
			PetscCall(MatProductSetFromOptions(C[own]));
			PetscCall(MatProductSymbolic(C[own]));
			PetscCall(MatProductNumeric(C[own]));
			PetscCall(MatScale(A[own], 2));
			PetscCall(MatProductNumeric(C[own]));
		}
		PetscCall(same_mat(C[0], C[1], "an algorithm of PETSc"));
		for (int own = 0; own < 2; own++) {
			PetscCall(MatDestroy(&A[own]));
			PetscCall(MatDestroy(&C[own]));
		}
	}
	PetscFunctionReturn(0);
}

/* A result that lacks an entry on one rank is an error on all. */
static PetscErrorCode test_lack(void)
{
	PetscErrorCode code;
	PetscInt begin, end;
	Mat A, C;

	PetscFunctionBegin;
	for (int k = 0; k < 2; k++) {
		const MatProductType type = k ? MATPRODUCT_PtAP : MATPRODUCT_AB;

		name = "a result that lacks an entry";
		PetscCall(make_shared("mpiaijek", 60, EVEN, 60, EVEN, SPARSE, &A));
		PetscCall(multiply(type, A, A, MAT_INITIAL_MATRIX, &C));
		PetscCall(MatGetOwnershipRange(A, &begin, &end));
		if (begin == 0)
			for (PetscInt j = 0; j < 60; j++)
				PetscCall(MatSetValue(A, 0, j, 1, INSERT_VALUES));
		PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
		PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
		for (int time = 0; time < 2; time++) {
			PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
			code = multiply(type, A, A, MAT_REUSE_MATRIX, &C);
			PetscCall(PetscPopErrorHandler());
			PetscCheck(code == PETSC_ERR_ARG_WRONGSTATE, PETSC_COMM_SELF,
			           PETSC_ERR_PLIB, "%s: the code is %d", name, (int)code);
		}
		PetscCall(MatDestroy(&A));
		PetscCall(MatDestroy(&C));
	}
	PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
	PetscErrorCode (*const tests[])(void) = {test_distributions, test_shapes, test_dense,
	                                         test_others, test_lack};

	PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
	comm = PETSC_COMM_WORLD;
	for (size_t k = 0; k < sizeof tests / sizeof tests[0]; k++)
		PetscCall((*tests[k])());
	PetscCall(PetscPrintf(PETSC_COMM_WORLD, "parallel: all tests passed\n"));
	PetscCall(PetscFinalize());
	return 0;
}
