/* SPDX-License-Identifier: BSD-3-Clause
 * Tests of what -log_view shows: flops of products by vectors are those of aij, and flops of sparse
 * products are two for each multiplication, which are counted here from lengths of rows. */
#include "integers.h"
#include "rows.h"

/* Gives the flops of an event, on all ranks, since the program began. */
static PetscErrorCode flops_of(const char *event, PetscLogDouble *flops)
{
	PetscEventPerfInfo info;
	PetscLogEvent id;

	PetscFunctionBegin;
	PetscCall(PetscLogEventGetId(event, &id));
	PetscCall(PetscLogEventGetPerfInfo(0, id, &info));
	PetscCallMPI(MPI_Allreduce(&info.flops, flops, 1, MPI_DOUBLE, MPI_SUM, comm));
	PetscFunctionReturn(0);
}

/* Does all products by vectors, and gives the flops that each event has got. */
static PetscErrorCode products_by_vectors(Mat A, PetscLogDouble *flops)
{
	static const char *const events[] = {"MatMult", "MatMultAdd", "MatMultTranspose",
	                                     "MatMultTrAdd"};
	PetscLogDouble before[4];
	Vec x, y;

	PetscFunctionBegin;
	for (int k = 0; k < 4; k++)
		PetscCall(flops_of(events[k], &before[k]));
	PetscCall(MatCreateVecs(A, &x, &y));
	for (int time = 0; time < 2; time++) {
		PetscCall(MatMult(A, x, y));
		PetscCall(MatMultAdd(A, x, y, y));
		PetscCall(MatMultTranspose(A, y, x));
		PetscCall(MatMultTransposeAdd(A, y, x, x));
	}
	PetscCall(VecDestroy(&x));
	PetscCall(VecDestroy(&y));
	for (int k = 0; k < 4; k++) {
		PetscCall(flops_of(events[k], &flops[k]));
		flops[k] -= before[k];
	}
	PetscFunctionReturn(0);
}

static PetscErrorCode compare_vectors(Mat *A)
{
	PetscLogDouble flops[2][4];

	PetscFunctionBegin;
	for (int own = 0; own < 2; own++) {
		PetscCall(products_by_vectors(A[own], flops[own]));
		PetscCall(MatDestroy(&A[own]));
	}
	for (int k = 0; k < 4; k++)
		PetscCheck(flops[0][k] == flops[1][k] && flops[0][k] > 0, comm, PETSC_ERR_PLIB,
		           "%s, product %d: aij has %.0f flops, aijek %.0f", name, k, flops[0][k],
		           flops[1][k]);
	PetscFunctionReturn(0);
}

/* Matrices with many entries of other ranks, few of them, empty rows, few entries, equal rows. */
static PetscErrorCode test_vectors(void)
{
	static const PetscInt shapes[][4] = {
		{1200, 1200, 6, 1}, {1200, 700, 5, 1}, {2000, 2000, 9, 7}, {40, 40, 3, 1}};
	static const problem problems[] = {{.row = poisson3, .n = 12, .dofs = 1},
	                                   {.row = reaction, .n = 30, .dofs = 2}};
	Mat A[2];

	PetscFunctionBegin;
	name = "flops of products by vectors";
	for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
		const PetscInt *s = shapes[k];

		for (int own = 0; own < 2; own++)
			PetscCall(make(own ? "aijek" : MATAIJ, s[0], s[1], s[2], s[3], &A[own]));
		PetscCall(compare_vectors(A));
	}
	for (size_t k = 0; k < sizeof problems / sizeof problems[0]; k++) {
		A[0] = A[1] = NULL;
		for (int own = 0; own < 2; own++)
			PetscCall(assemble(&problems[k], own ? "aijek" : MATAIJ, 0, &A[own]));
		PetscCall(compare_vectors(A));
	}
	PetscFunctionReturn(0);
}

/* Gives the lengths of the rows of A, or a copy of A with ones. */
static PetscErrorCode lengths(Mat A, Vec len, Mat ones)
{
	PetscInt begin, end, count;
	PetscScalar one[64];
	const PetscInt *col;

	PetscFunctionBegin;
	for (int k = 0; k < 64; k++)
		one[k] = 1;
	PetscCall(MatGetOwnershipRange(A, &begin, &end));
	for (PetscInt i = begin; i < end; i++) {
		PetscCall(MatGetRow(A, i, &count, &col, NULL));
		REQUIRE(count <= 64, "rows are short");
		if (len)
			PetscCall(VecSetValue(len, i, count, INSERT_VALUES));
		if (ones)
			PetscCall(MatSetValues(ones, 1, &i, count, col, one, INSERT_VALUES));
		PetscCall(MatRestoreRow(A, i, &count, &col, NULL));
	}
	PetscFunctionReturn(0);
}

/* Counts the multiplications of A B: for each entry of A the entries in a row of B. */
static PetscErrorCode multiplications(Mat A, Mat B, PetscScalar *count)
{
	Mat ones;
	Vec len, sums;

	PetscFunctionBegin;
	PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &ones));
	PetscCall(MatCreateVecs(ones, &len, &sums));
	PetscCall(lengths(A, NULL, ones));
	PetscCall(MatAssemblyBegin(ones, MAT_FINAL_ASSEMBLY));
	PetscCall(MatAssemblyEnd(ones, MAT_FINAL_ASSEMBLY));
	PetscCall(lengths(B, len, NULL));
	PetscCall(VecAssemblyBegin(len));
	PetscCall(VecAssemblyEnd(len));
	PetscCall(MatMult(ones, len, sums));
	PetscCall(VecSum(sums, count));
	PetscCall(MatDestroy(&ones));
	PetscCall(VecDestroy(&len));
	PetscCall(VecDestroy(&sums));
	PetscFunctionReturn(0);
}

/* Counts those of F G or, if H is not NULL, of (F G) H. */
static PetscErrorCode multiplications_of(Mat F, Mat G, Mat H, PetscScalar *count)
{
	PetscScalar second;
	Mat FG;

	PetscFunctionBegin;
	PetscCall(multiplications(F, G, count));
	if (!H)
		PetscFunctionReturn(0);
	PetscCall(MatMatMult(F, G, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &FG));
	PetscCall(multiplications(FG, H, &second));
	PetscCall(MatDestroy(&FG));
	*count += second;
	PetscFunctionReturn(0);
}

/* Makes the product of A and P and then again: with new values, and with none. On one rank PETSc's
 * matrix has the only copy of the values and may have been changed, so they are computed again. */
static PetscErrorCode flops_of_product(MatProductType type, Mat A, Mat P, PetscLogDouble *flops)
{
	PetscLogDouble at[2][4];
	Mat C;

	PetscFunctionBegin;
	PetscCall(MatProductCreate(A, P, NULL, &C));
	PetscCall(MatProductSetType(C, type));
	PetscCall(MatProductSetFromOptions(C));
	for (int time = 0; time < 4; time++) {
		if (time == 1) {
			PetscCall(MatProductSymbolic(C));
			PetscCall(MatProductNumeric(C));
		} else if (time > 1) {
			PetscCall(MatScale(A, time == 2 ? 2 : 1));
			PetscCall(MatProductNumeric(C));
		}
		PetscCall(flops_of("MatEKProdSym", &at[0][time]));
		PetscCall(flops_of("MatEKProdNum", &at[1][time]));
	}
	for (int time = 0; time < 3; time++)
		flops[time] = at[0][time + 1] + at[1][time + 1] - at[0][time] - at[1][time];
	PetscCall(MatDestroy(&C));
	PetscFunctionReturn(0);
}

static PetscErrorCode test_products(void)
{
	static const MatProductType types[] = {MATPRODUCT_AB, MATPRODUCT_PtAP, MATPRODUCT_AtB,
	                                       MATPRODUCT_ABt, MATPRODUCT_RARt};
	PetscLogDouble flops[3];
	PetscMPIInt size;
	PetscScalar count;
	Mat A, P, T, Q, AP;

	PetscFunctionBegin;
	PetscCallMPI(MPI_Comm_size(comm, &size));
	for (int k = 0; k < (size > 1 ? 2 : 5); k++) {
		name = MatProductTypes[types[k]];
		PetscCall(make("aijek", 300, 300, 5, 1, &A));
		PetscCall(make("aijek", k < 3 ? 300 : 120, k < 3 ? 120 : 300, 3, 1, &P));
		PetscCall(flops_of_product(types[k], A, P, flops));
		PetscCall(MatConvert(A, MATAIJ, MAT_INPLACE_MATRIX, &A));
		PetscCall(MatConvert(P, MATAIJ, MAT_INPLACE_MATRIX, &P));
		PetscCall(MatTranspose(k == 2 ? A : P, MAT_INITIAL_MATRIX, &T));
		if (k == 1) {
			PetscCall(MatMatMult(A, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &AP));
			PetscCall(multiplications_of(A, P, NULL, &count));
			for (int time = 0; time < (size > 1 ? 2 : 3); time++)
				flops[time] -= 2 * count;
			PetscCall(multiplications_of(T, AP, NULL, &count));
			PetscCall(MatDestroy(&AP));
		} else {
			Q = k == 2 ? T : k == 4 ? P : A;
			PetscCall(multiplications_of(Q, k == 4 ? A : k == 3 ? T : P,
			                             k == 4 ? T : NULL, &count));
		}
		for (int time = 0; time < 3; time++) {
			const PetscLogDouble wanted = time < 2 || size == 1 ? 2 * count : 0;

			PetscCheck(flops[time] == wanted, comm, PETSC_ERR_PLIB,
			           "%s, time %d: %.0f flops, and not %.0f", name, time,
			           flops[time], wanted);
		}
		PetscCall(MatDestroy(&A));
		PetscCall(MatDestroy(&P));
		PetscCall(MatDestroy(&T));
	}
	PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
	PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
	comm = PETSC_COMM_WORLD;
	PetscCall(PetscLogDefaultBegin());
	PetscCall(test_vectors());
	PetscCall(test_products());
	PetscCall(PetscPrintf(PETSC_COMM_WORLD, "logged: all tests passed\n"));
	PetscCall(PetscFinalize());
	return 0;
}
