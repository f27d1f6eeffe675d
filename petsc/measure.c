/* SPDX-License-Identifier: BSD-3-Clause
 * Measures MatMult of aijek against aij: on five problems, and on all levels of GAMG for three of
 * them. Both take turns; a second aij matrix shows what the machine alone changes. A time is the
 * least of many short rounds, since other programs disturb long ones; a ratio is the time of aij
 * divided by that of the other.
 *     measure [-scale 2]   larger or smaller problems; -product also measures MatPtAP */
#include "rows.h"
#include <petsctime.h>

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

/* Times a new product P^T A P, symbolic and numeric, and one with new values. */
static PetscErrorCode galerkin(const problem *p)
{
	PetscLogDouble begin, middle, end;
	double fresh, again;
	PetscInt first, last, n;
	Mat A, P, C;

	PetscFunctionBegin;
	for (int own = 0; own < 2; own++) {
		A = C = NULL;
		fresh = again = 1e9;
		PetscCall(assemble(p, own ? "aijek" : MATAIJ, 0, &A));
		PetscCall(MatGetOwnershipRange(A, &first, &last));
		PetscCall(MatGetSize(A, &n, NULL));
		PetscCall(MatCreate(PETSC_COMM_WORLD, &P));
		PetscCall(MatSetSizes(P, last - first, PETSC_DECIDE, n, n / 8 + 1));
		PetscCall(MatSetType(P, own ? "aijek" : MATAIJ));
		PetscCall(MatSeqAIJSetPreallocation(P, 3, NULL));
		PetscCall(MatMPIAIJSetPreallocation(P, 3, NULL, 3, NULL));
		for (PetscInt i = first; i < last; i++)
			for (PetscInt k = -1; k < 2; k++)
				if (i / 8 + k >= 0 && i / 8 + k <= n / 8)
					PetscCall(MatSetValue(P, i, i / 8 + k, 1, INSERT_VALUES));
		PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
		PetscCall(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
		for (int k = 0; k < 5; k++) {
			PetscCall(MatDestroy(&C));
			PetscCall(PetscTime(&begin));
			PetscCall(MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
			PetscCall(PetscTime(&middle));
			PetscCall(MatScale(A, 2));
			fresh = PetscMin(fresh, middle - begin);
			PetscCall(PetscTime(&middle));
			PetscCall(MatPtAP(A, P, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
			PetscCall(PetscTime(&end));
			again = PetscMin(again, end - middle);
		}
		PetscCall(PetscPrintf(PETSC_COMM_WORLD,
		                      "PtAP, %s, %s: new %.2f ms, new values %.2f ms\n", p->name,
		                      own ? "aijek" : "aij", fresh * 1e3, again * 1e3));
		PetscCall(MatDestroy(&A));
		PetscCall(MatDestroy(&P));
		PetscCall(MatDestroy(&C));
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
	for (size_t k = 0; k < sizeof problems / sizeof problems[0]; k++) {
		A = NULL;
		problems[k].n = (PetscInt)(problems[k].n * scale);
		PetscCall(assemble(&problems[k], MATAIJ, 0, &A));
		PetscCall(measure(problems[k].name, A, &sum));
		if (*problems[k].options)
			PetscCall(levels_of(problems[k].name, A));
		PetscCall(MatDestroy(&A));
		if (product)
			PetscCall(galerkin(&problems[k]));
	}
	PetscCall(PetscPrintf(PETSC_COMM_WORLD, "geometric mean of the five problems: %.2f\n",
	                      (double)PetscExpReal(sum.log_ratio / sum.count)));
	PetscCall(PetscFinalize());
	return 0;
}
