/* SPDX-License-Identifier: BSD-3-Clause
 * Measures MatMult of aijek against aij: on five problems, and on all levels of GAMG for three of
 * them. Both take turns; a second aij matrix shows what the machine alone changes. A time is the
 * least of many short rounds, since other programs disturb long ones; a ratio is the time of aij
 * divided by that of the other.
 *     measure [-scale 2]   larger or smaller problems; -product also measures A P, A A, P^T A P and
 *                          A X (dense), with -cpu_time in processor time, for machines that are not
 *                          idle */
#include "rows.h"
#include <petsctime.h>
#include <time.h>

static PetscBool cpu_time = PETSC_FALSE;

typedef struct sums {
	double log_ratio;
	int count;
} sums;

/* Finds the least time of a MatMult of each of three matrices, in seconds. */
static PetscErrorCode least_times(Mat *A, double *least)
{
	const int rounds = 200;
	PetscLogDouble begin, end;
	int repeat = 1;
	double took;
	Vec x, y;

	PetscFunctionBegin;
	PetscCall(MatCreateVecs(A[0], &x, &y));
	PetscCall(VecSet(x, 1));
	for (int m = 0; m < 3; m++) {
		least[m] = 1e9;
		for (int k = 0; k < 3; k++)
			PetscCall(MatMult(A[m], x, y));
	}
	for (int round = -1; round < rounds; round++) {
		for (int m = 0; m < 3; m++) {
			PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
			PetscCall(PetscTime(&begin));
			for (int k = 0; k < repeat; k++)
				PetscCall(MatMult(A[m], x, y));
			PetscCall(PetscTime(&end));
			took = (end - begin) / repeat;
			PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX,
			                           PETSC_COMM_WORLD));
			if (round >= 0 && took < least[m])
				least[m] = took;
		}
		if (round < 0)
			repeat = (int)(3e-4 / took) + 1;
	}
	PetscCall(VecDestroy(&x));
	PetscCall(VecDestroy(&y));
	PetscFunctionReturn(0);
}

/* Prints what a product sends, the most of any rank: ranks that entries of x come from, these
 * entries, and the share of the entries of A that wait for them. */
static PetscErrorCode print_messages(Mat A)
{
	Mat block[2];
	MatInfo all, off;
	const PetscInt *ghosts, *begins;
	PetscInt count;
	double most[3] = {0, 0, 0};

	PetscFunctionBegin;
	PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], &ghosts));
	PetscCall(MatGetOwnershipRangesColumn(A, &begins));
	PetscCall(MatGetSize(block[1], NULL, &count));
	for (PetscInt k = 0, owner = -1; k < count; k++) {
		PetscInt of = owner < 0 ? 0 : owner;

		while (ghosts[k] >= begins[of + 1])
			of++;
		most[0] += of != owner;
		owner = of;
	}
	PetscCall(MatGetInfo(block[1], MAT_LOCAL, &off));
	PetscCall(MatGetInfo(A, MAT_LOCAL, &all));
	most[1] = count;
	most[2] = all.nz_used > 0 ? off.nz_used / all.nz_used : 0;
	PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
	PetscCall(PetscPrintf(PETSC_COMM_WORLD,
	                      "%24s from %.0f ranks come %.0f values, for %.2f %% of the entries\n",
	                      "", most[0], most[1], 100 * most[2]));
	PetscFunctionReturn(0);
}

static PetscErrorCode measure(const char *name, Mat A, sums *sum)
{
	Mat of[3];
	double least[3];
	MatInfo info;
	PetscInt rows;
	PetscMPIInt ranks;

	PetscFunctionBegin;
	PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &of[0]));
	PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &of[1]));
	PetscCall(MatConvert(of[0], "aijek", MAT_INITIAL_MATRIX, &of[2]));
	PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
	PetscCall(MatGetSize(A, &rows, NULL));
	PetscCall(least_times(of, least));
	PetscCall(PetscPrintf(PETSC_COMM_WORLD,
	                      "%-24s %8d rows %9.0f entries  aij %9.2f us  aijek %9.2f us  "
	                      "ratio %5.2f  (aij again %4.2f)\n",
	                      name, (int)rows, info.nz_used, least[0] * 1e6, least[2] * 1e6,
	                      least[0] / least[2], least[0] / least[1]));
	PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
	if (ranks > 1)
		PetscCall(print_messages(of[0]));
	if (sum) {
		sum->log_ratio += PetscLogReal(least[0] / least[2]);
		sum->count++;
	}
	for (int m = 0; m < 3; m++)
		PetscCall(MatDestroy(&of[m]));
	PetscFunctionReturn(0);
}

static PetscErrorCode levels_of(const char *name, Mat A)
{
	PetscInt levels;
	char text[64];
	PC pc;
	KSP smoother;
	Mat B;

	PetscFunctionBegin;
	PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
	PetscCall(PCSetType(pc, PCGAMG));
	PetscCall(PCSetOperators(pc, A, A));
	PetscCall(PCSetUp(pc));
	PetscCall(PCMGGetLevels(pc, &levels));
	for (PetscInt l = levels - 1; l >= 0; l--) {
		PetscCall(PCMGGetSmoother(pc, l, &smoother));
		PetscCall(KSPGetOperators(smoother, &B, NULL));
		PetscCall(PetscSNPrintf(text, sizeof text, "%s, level %d", name, (int)l));
		PetscCall(measure(text, B, NULL));
	}
	PetscCall(PCDestroy(&pc));
	PetscFunctionReturn(0);
}

/* Makes a prolongator for A: three entries in a row, an eighth of the columns. */
static PetscErrorCode prolongator(Mat A, MatType type, Mat *P)
{
	PetscInt first, last, n;

	PetscFunctionBegin;
	PetscCall(MatGetOwnershipRange(A, &first, &last));
	PetscCall(MatGetSize(A, &n, NULL));
	PetscCall(MatCreate(PETSC_COMM_WORLD, P));
	PetscCall(MatSetSizes(*P, last - first, PETSC_DECIDE, n, n / 8 + 1));
	PetscCall(MatSetType(*P, type));
	PetscCall(MatSeqAIJSetPreallocation(*P, 3, NULL));
	PetscCall(MatMPIAIJSetPreallocation(*P, 3, NULL, 3, NULL));
	for (PetscInt i = first; i < last; i++)
		for (PetscInt k = -1; k < 2; k++)
			if (i / 8 + k >= 0 && i / 8 + k <= n / 8)
				PetscCall(MatSetValue(*P, i, i / 8 + k, 1, INSERT_VALUES));
	PetscCall(MatAssemblyBegin(*P, MAT_FINAL_ASSEMBLY));
	PetscCall(MatAssemblyEnd(*P, MAT_FINAL_ASSEMBLY));
	PetscFunctionReturn(0);
}

static PetscErrorCode now(PetscLogDouble *seconds)
{
	PetscFunctionBegin;
	if (cpu_time)
		*seconds = (double)clock() / CLOCKS_PER_SEC;
	else
		PetscCall(PetscTime(seconds));
	PetscFunctionReturn(0);
}

/* Multiplies, and takes the time of the slowest rank if that is the least so far. */
static PetscErrorCode time_product(PetscBool galerkin, Mat A, Mat P, MatReuse reuse, Mat *C,
                                   double *least)
{
	PetscLogDouble begin, end;
	double took;

	PetscFunctionBegin;
	PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
	PetscCall(now(&begin));
	PetscCall(galerkin ? MatPtAP(A, P, reuse, PETSC_DEFAULT, C)
	                   : MatMatMult(A, P, reuse, PETSC_DEFAULT, C));
	PetscCall(now(&end));
	took = end - begin;
	PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
	*least = PetscMin(*least, took);
	PetscFunctionReturn(0);
}

/* Times new products, symbolic and numeric, and products with new values. aij and aijek take
 * turns. */
static PetscErrorCode products(const problem *p)
{
	static const char *const names[] = {"AP", "AA", "PtAP", "AX, 16 columns"};
	double fresh[2], again[2];
	Mat A[2] = {NULL, NULL}, P[2], X[2], C;
	PetscInt own_cols;

	PetscFunctionBegin;
	for (int own = 0; own < 2; own++) {
		PetscCall(assemble(p, own ? "aijek" : MATAIJ, 0, &A[own]));
		PetscCall(prolongator(A[own], own ? "aijek" : MATAIJ, &P[own]));
	}
	PetscCall(MatGetLocalSize(A[0], NULL, &own_cols));
	PetscCall(MatCreateDense(PETSC_COMM_WORLD, own_cols, PETSC_DECIDE, PETSC_DETERMINE, 16,
	                         NULL, &X[0]));
	PetscCall(MatSetRandom(X[0], NULL));
	X[1] = X[0];
	for (int m = 0; m < 4; m++) {
		PetscBool galerkin = m == 2 ? PETSC_TRUE : PETSC_FALSE;
		Mat *B = m == 1 ? A : m == 3 ? X : P;

		fresh[0] = fresh[1] = again[0] = again[1] = 1e9;
		for (int k = 0; k < 10; k++)
			for (int own = 0; own < 2; own++) {
				PetscCall(time_product(galerkin, A[own], B[own], MAT_INITIAL_MATRIX,
				                       &C, &fresh[own]));
				PetscCall(MatScale(A[own], -1));
				PetscCall(time_product(galerkin, A[own], B[own], MAT_REUSE_MATRIX,
				                       &C, &again[own]));
				PetscCall(MatDestroy(&C));
			}
		PetscCall(PetscPrintf(PETSC_COMM_WORLD,
		                      "%s, %s: new %.2f and %.2f ms, ratio %.2f; new values %.2f "
		                      "and %.2f ms, ratio %.2f\n",
		                      names[m], p->name, fresh[0] * 1e3, fresh[1] * 1e3,
		                      fresh[1] / fresh[0], again[0] * 1e3, again[1] * 1e3,
		                      again[1] / again[0]));
	}
	PetscCall(MatDestroy(&X[0]));
	for (int own = 0; own < 2; own++) {
		PetscCall(MatDestroy(&A[own]));
		PetscCall(MatDestroy(&P[own]));
	}
	PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
	problem problems[] = {
		{"poisson 2D", "levels", poisson2, 500, 1, PETSC_FALSE},
		{"poisson 3D", "levels", poisson3, 64, 1, PETSC_FALSE},
		{"27 points", "", element, 40, 1, PETSC_FALSE},
		{"convection", "", convection, 600, 1, PETSC_FALSE},
		{"reaction, pairs", "levels", reaction, 250, 2, PETSC_FALSE},
	};
	PetscReal scale = 1;
	PetscBool product = PETSC_FALSE;
	sums sum = {0, 0};
	Mat A;

	PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
	PetscCall(PetscOptionsGetReal(NULL, NULL, "-scale", &scale, NULL));
	PetscCall(PetscOptionsHasName(NULL, NULL, "-product", &product));
	PetscCall(PetscOptionsHasName(NULL, NULL, "-cpu_time", &cpu_time));
	for (size_t k = 0; k < sizeof problems / sizeof problems[0]; k++) {
		A = NULL;
		problems[k].n = (PetscInt)(problems[k].n * scale);
		PetscCall(assemble(&problems[k], MATAIJ, 0, &A));
		PetscCall(measure(problems[k].name, A, &sum));
		if (*problems[k].options)
			PetscCall(levels_of(problems[k].name, A));
		PetscCall(MatDestroy(&A));
		if (product)
			PetscCall(products(&problems[k]));
	}
	PetscCall(PetscPrintf(PETSC_COMM_WORLD, "geometric mean of the five problems: %.2f\n",
	                      (double)PetscExpReal(sum.log_ratio / sum.count)));
	PetscCall(PetscFinalize());
	return 0;
}
