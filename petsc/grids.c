/* SPDX-License-Identifier: BSD-3-Clause
 * Problems on the grid of a DMDA, which makes the matrices (-dm_mat_type), solved with aij and with
 * aijek: linear ones with multigrid on coarser grids, Newton's method, and steps in time. The
 * numbers of iterations must be the same, and the solutions equal but for rounding. */
#include "solved.h"
#include <petscdmda.h>
#include <petscts.h>

typedef struct test test;
struct test {
	const char *name, *options;
	/* Solves it. *iterations are those of linear solvers, *steps those of Newton's method. */
	PetscErrorCode (*solve)(DM da, const test *t, PetscInt *iterations, PetscInt *steps,
	                        Vec *x);
	PetscInt dim, n, dof;
	PetscBool neumann; /* no flow through the boundary: constants are the null space */
};

/* Sets the row of one unknown: `self`, and `other` for the neighbours of its point, with `mixed`
 * for the other unknown of the point. */
static PetscErrorCode set_row(Mat A, const DMDALocalInfo *info, MatStencil row, PetscScalar self,
                              PetscScalar other, PetscScalar mixed)
{
	const PetscInt size[3] = {info->mx, info->my, info->mz};
	const PetscInt at[3] = {row.i, row.j, row.k};
	MatStencil col[8];
	PetscScalar val[8];
	PetscInt count = 0;

	PetscFunctionBegin;
	for (int m = 0; m < (int)info->dim; m++)
		for (PetscInt step = -1; step < 2; step += 2) {
			if (at[m] + step < 0 || at[m] + step >= size[m])
				continue;
			col[count] = row;
			*(m == 0 ? &col[count].i : m == 1 ? &col[count].j : &col[count].k) += step;
			val[count++] = other;
		}
	col[count] = row;
	val[count++] = self;
	if (info->dof == 2) {
		col[count] = row;
		col[count].c = 1 - row.c;
		val[count++] = mixed;
	}
	PetscCall(MatSetValuesStencil(A, 1, &row, count, col, val, INSERT_VALUES));
	PetscFunctionReturn(0);
}

static PetscErrorCode assemble(Mat A)
{
	PetscFunctionBegin;
	PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
	PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
	PetscFunctionReturn(0);
}

/* Counts the neighbours of a point. */
static PetscInt neighbours(const DMDALocalInfo *info, MatStencil at)
{
	PetscInt count = (at.i > 0) + (at.i < info->mx - 1);

	count += info->dim > 1 ? (at.j > 0) + (at.j < info->my - 1) : 0;
	count += info->dim > 2 ? (at.k > 0) + (at.k < info->mz - 1) : 0;
	return count;
}

/* Makes the null space of the constants, with the ranks that have `of`. */
static PetscErrorCode constants(PetscObject of, MatNullSpace *space)
{
	return MatNullSpaceCreate(PetscObjectComm(of), PETSC_TRUE, 0, NULL, space);
}

/* -Laplace u, scaled by the volume of a cell. Two unknowns at a point react with each other, and
 * the second one diffuses three times as fast. */
static PetscErrorCode laplacian(KSP ksp, Mat J, Mat A, void *of)
{
	const test *t = of;
	DMDALocalInfo info;
	MatNullSpace space;
	MatStencil at = {0};
	PetscScalar scale, self;
	DM da;

	PetscFunctionBegin;
	(void)J;
	PetscCall(KSPGetDM(ksp, &da));
	PetscCall(DMDAGetLocalInfo(da, &info));
	for (at.k = info.zs; at.k < info.zs + info.zm; at.k++)
		for (at.j = info.ys; at.j < info.ys + info.ym; at.j++)
			for (at.i = info.xs; at.i < info.xs + info.xm; at.i++)
				for (at.c = 0; at.c < info.dof; at.c++) {
					scale = info.dim == 3 ? 1.0 / (info.mx - 1) : 1;
					scale *= at.c ? 3 : 1;
					self = t->neumann ? neighbours(&info, at) : 2 * info.dim;
					PetscCall(set_row(A, &info, at,
					                  scale * self + (info.dof - 1) * 0.5,
					                  -scale, at.c ? -0.25 : 0.25));
				}
	PetscCall(assemble(A));
	if (t->neumann) {
		PetscCall(constants((PetscObject)A, &space));
		PetscCall(MatSetNullSpace(A, space));
		PetscCall(MatNullSpaceDestroy(&space));
	}
	PetscFunctionReturn(0);
}

static PetscErrorCode right_side(KSP ksp, Vec b, void *of)
{
	const test *t = of;
	MatNullSpace space;
	PetscInt begin, end;

	PetscFunctionBegin;
	(void)ksp;
	PetscCall(VecGetOwnershipRange(b, &begin, &end));
	for (PetscInt i = begin; i < end; i++)
		PetscCall(VecSetValue(b, i, 1 + i % 7, INSERT_VALUES));
	PetscCall(VecAssemblyBegin(b));
	PetscCall(VecAssemblyEnd(b));
	if (t->neumann) {
		PetscCall(constants((PetscObject)b, &space));
		PetscCall(MatNullSpaceRemove(space, b));
		PetscCall(MatNullSpaceDestroy(&space));
	}
	PetscFunctionReturn(0);
}

static PetscErrorCode solve_linear(DM da, const test *t, PetscInt *iterations, PetscInt *steps,
                                   Vec *x)
{
	Mat A;
	KSP ksp;

	PetscFunctionBegin;
	*steps = 0;
	PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
	PetscCall(KSPSetDM(ksp, da));
	PetscCall(KSPSetComputeOperators(ksp, laplacian, (void *)(uintptr_t)t));
	PetscCall(KSPSetComputeRHS(ksp, right_side, (void *)(uintptr_t)t));
	PetscCall(KSPSetFromOptions(ksp));
	PetscCall(KSPSolve(ksp, NULL, NULL));
	PetscCall(KSPGetIterationNumber(ksp, iterations));
	PetscCall(KSPGetOperators(ksp, &A, NULL));
	PetscCall(check_levels(ksp, A));
	PetscCall(KSPGetSolution(ksp, x));
	PetscCall(PetscObjectReference((PetscObject)*x));
	PetscCall(KSPDestroy(&ksp));
	PetscFunctionReturn(0);
}

/* 4 u minus the neighbours' u, which is 0 beyond the boundary. */
static PetscScalar laplace(const DMDALocalInfo *info, PetscScalar **u, PetscInt i, PetscInt j)
{
	return 4 * u[j][i] - (i > 0 ? u[j][i - 1] : 0) - (i < info->mx - 1 ? u[j][i + 1] : 0) -
	       (j > 0 ? u[j - 1][i] : 0) - (j < info->my - 1 ? u[j + 1][i] : 0);
}

/* The Bratu problem, -Laplace u = 6 exp(u) on the unit square. */
static PetscErrorCode bratu(DMDALocalInfo *info, void *at_u, void *at_f, void *unused)
{
	const PetscScalar lambda = 6.0 / (info->mx * info->my);
	PetscScalar **u = at_u, **f = at_f;

	PetscFunctionBegin;
	(void)unused;
	for (PetscInt j = info->ys; j < info->ys + info->ym; j++)
		for (PetscInt i = info->xs; i < info->xs + info->xm; i++)
			f[j][i] = laplace(info, u, i, j) - lambda * PetscExpScalar(u[j][i]);
	PetscFunctionReturn(0);
}

static PetscErrorCode bratu_jacobian(DMDALocalInfo *info, void *at_u, Mat J, Mat A, void *unused)
{
	const PetscScalar lambda = 6.0 / (info->mx * info->my);
	PetscScalar **u = at_u;
	MatStencil at = {0};

	PetscFunctionBegin;
	(void)unused;
	for (at.j = info->ys; at.j < info->ys + info->ym; at.j++)
		for (at.i = info->xs; at.i < info->xs + info->xm; at.i++)
			PetscCall(set_row(A, info, at, 4 - lambda * PetscExpScalar(u[at.j][at.i]),
			                  -1, 0));
	PetscCall(assemble(A));
	if (J != A)
		PetscCall(assemble(J));
	PetscFunctionReturn(0);
}

static PetscErrorCode solve_newton(DM da, const test *t, PetscInt *iterations, PetscInt *steps,
                                   Vec *x)
{
	SNES snes;

	PetscFunctionBegin;
	(void)t;
	PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
	PetscCall(SNESSetDM(snes, da));
	PetscCall(DMDASNESSetFunctionLocal(da, INSERT_VALUES, (DMDASNESFunction)bratu, NULL));
	PetscCall(DMDASNESSetJacobianLocal(da, (DMDASNESJacobian)bratu_jacobian, NULL));
	PetscCall(SNESSetTolerances(snes, 0, 1e-10, 0, 20, 1000));
	PetscCall(SNESSetFromOptions(snes));
	PetscCall(DMCreateGlobalVector(da, x));
	PetscCall(SNESSolve(snes, NULL, *x));
	PetscCall(SNESGetIterationNumber(snes, steps));
	PetscCall(SNESGetLinearSolveIterations(snes, iterations));
	PetscCall(SNESDestroy(&snes));
	PetscFunctionReturn(0);
}

/* Fisher's equation, u_t = D Laplace u + u (1 - u), in steps that are implicit. */
static const PetscReal diffusion = 0.5;

static PetscErrorCode fisher(DMDALocalInfo *info, PetscReal time, void *at_u, void *at_v,
                             void *at_f, void *unused)
{
	PetscScalar **u = at_u, **v = at_v, **f = at_f;

	PetscFunctionBegin;
	(void)time;
	(void)unused;
	for (PetscInt j = info->ys; j < info->ys + info->ym; j++)
		for (PetscInt i = info->xs; i < info->xs + info->xm; i++)
			f[j][i] = v[j][i] + diffusion * laplace(info, u, i, j) -
			          u[j][i] * (1 - u[j][i]);
	PetscFunctionReturn(0);
}

static PetscErrorCode fisher_jacobian(DMDALocalInfo *info, PetscReal time, void *at_u, void *at_v,
                                      PetscReal shift, Mat J, Mat A, void *unused)
{
	PetscScalar **u = at_u;
	MatStencil at = {0};

	PetscFunctionBegin;
	(void)time;
	(void)at_v;
	(void)unused;
	for (at.j = info->ys; at.j < info->ys + info->ym; at.j++)
		for (at.i = info->xs; at.i < info->xs + info->xm; at.i++)
			PetscCall(set_row(A, info, at,
			                  shift + 4 * diffusion - 1 + 2 * u[at.j][at.i], -diffusion,
			                  0));
	PetscCall(assemble(A));
	if (J != A)
		PetscCall(assemble(J));
	PetscFunctionReturn(0);
}

static PetscErrorCode solve_steps(DM da, const test *t, PetscInt *iterations, PetscInt *steps,
                                  Vec *x)
{
	PetscInt begin, end;
	TS ts;

	PetscFunctionBegin;
	(void)t;
	PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
	PetscCall(TSSetDM(ts, da));
	PetscCall(DMDATSSetIFunctionLocal(da, INSERT_VALUES, fisher, NULL));
	PetscCall(DMDATSSetIJacobianLocal(da, fisher_jacobian, NULL));
	PetscCall(TSSetTimeStep(ts, 0.25));
	PetscCall(TSSetMaxSteps(ts, 8));
	PetscCall(TSSetMaxTime(ts, 100));
	PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
	PetscCall(TSSetFromOptions(ts));
	PetscCall(DMCreateGlobalVector(da, x));
	PetscCall(VecGetOwnershipRange(*x, &begin, &end));
	for (PetscInt i = begin; i < end; i++)
		PetscCall(VecSetValue(*x, i, i % 5 * 0.1, INSERT_VALUES));
	PetscCall(VecAssemblyBegin(*x));
	PetscCall(VecAssemblyEnd(*x));
	PetscCall(TSSolve(ts, *x));
	PetscCall(TSGetSNESIterations(ts, steps));
	PetscCall(TSGetKSPIterations(ts, iterations));
	PetscCall(TSDestroy(&ts));
	PetscFunctionReturn(0);
}

static PetscErrorCode make_grid(const test *t, DM *da)
{
	PetscFunctionBegin;
	PetscCall(DMDACreate(PETSC_COMM_WORLD, da));
	PetscCall(DMSetDimension(*da, t->dim));
	PetscCall(DMDASetSizes(*da, t->n, t->n, t->dim == 3 ? t->n : 1));
	PetscCall(DMDASetDof(*da, t->dof));
	PetscCall(DMDASetStencilType(*da, DMDA_STENCIL_STAR));
	PetscCall(DMDASetStencilWidth(*da, 1));
	PetscCall(DMSetFromOptions(*da));
	PetscCall(DMSetUp(*da));
	PetscFunctionReturn(0);
}

static PetscErrorCode try_test(const test *t)
{
	PetscInt iterations[2], steps[2];
	PetscOptions options;
	Vec x[2];
	DM da;

	PetscFunctionBegin;
	PetscCall(PetscOptionsCreate(&options));
	PetscCall(PetscOptionsInsertString(options, t->options));
	PetscCall(PetscOptionsPush(options));
	for (int own = 0; own < 2; own++) {
		PetscCall(PetscOptionsSetValue(options, "-dm_mat_type", own ? "aijek" : MATAIJ));
		PetscCall(make_grid(t, &da));
		PetscCall((*t->solve)(da, t, &iterations[own], &steps[own], &x[own]));
		PetscCall(DMDestroy(&da));
	}
	PetscCall(PetscOptionsPop());
	PetscCall(PetscOptionsDestroy(&options));
	PetscCheck(steps[0] == steps[1], PETSC_COMM_WORLD, PETSC_ERR_PLIB,
	           "%s: %d and %d steps of Newton's method", t->name, (int)steps[0],
	           (int)steps[1]);
	PetscCall(compare(t->name, iterations, x));
	PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
	static const test tests[] = {
		{"grid 2D, GMRES, Jacobi", "-ksp_type gmres -pc_type jacobi", solve_linear, 2, 33,
	         1, PETSC_FALSE},
		{"grid 2D, CG, multigrid", "-ksp_type cg -pc_type mg -pc_mg_levels 3",
	         solve_linear, 2, 65, 1, PETSC_FALSE},
		{"grid 2D, CG, Galerkin multigrid",
	         "-ksp_type cg -pc_type mg -pc_mg_levels 3 -pc_mg_galerkin both", solve_linear, 2,
	         65, 1, PETSC_FALSE},
		{"grid 2D, Neumann, GMRES, multigrid",
	         "-ksp_type fgmres -pc_type mg -pc_mg_levels 3 -mg_levels_ksp_type richardson "
	         "-mg_levels_pc_type sor -mg_coarse_ksp_type gmres -mg_coarse_pc_type jacobi "
	         "-mg_coarse_ksp_max_it 20",
	         solve_linear, 2, 33, 1, PETSC_TRUE},
		{"grid 2D, Neumann, GMRES, GAMG",
	         "-ksp_type gmres -pc_type gamg -mg_coarse_pc_type jacobi", solve_linear, 2, 40,
	         1, PETSC_TRUE},
		{"grid 3D, CG, Galerkin multigrid",
	         "-ksp_type cg -pc_type mg -pc_mg_levels 2 -pc_mg_galerkin both", solve_linear, 3,
	         17, 1, PETSC_FALSE},
		{"grid 3D, CG, GAMG", "-ksp_type cg -pc_type gamg", solve_linear, 3, 16, 1,
	         PETSC_FALSE},
		{"grid 3D, CG, hypre", "-ksp_type cg -pc_type hypre", solve_linear, 3, 14, 1,
	         PETSC_FALSE},
		{"grid 2D, two unknowns, field split",
	         "-ksp_type fgmres -pc_type fieldsplit -pc_fieldsplit_type multiplicative",
	         solve_linear, 2, 30, 2, PETSC_FALSE},
		{"Bratu, Newton, GAMG", "-pc_type gamg", solve_newton, 2, 40, 1, PETSC_FALSE},
		{"Bratu, Newton, multigrid", "-pc_type mg -pc_mg_levels 3", solve_newton, 2, 33, 1,
	         PETSC_FALSE},
		/* Differences turn 1e-16 in u into 1e-8 in the matrix: with the hundred iterations
	         * of a weaker preconditioner one more or less is no error. */
		{"Bratu, Newton, differences by colours", "-snes_fd_color -pc_type gamg",
	         solve_newton, 2, 30, 1, PETSC_FALSE},
		{"Fisher, backward Euler", "-ts_type beuler -pc_type gamg", solve_steps, 2, 40, 1,
	         PETSC_FALSE},
		{"Fisher, BDF", "-ts_type bdf -ts_adapt_type none -pc_type bjacobi", solve_steps, 2,
	         40, 1, PETSC_FALSE},
	};

	PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
	for (size_t k = 0; k < sizeof tests / sizeof tests[0]; k++)
		PetscCall(try_test(&tests[k]));
	PetscCall(PetscPrintf(PETSC_COMM_WORLD, "grids: all as with aij\n"));
	PetscCall(PetscFinalize());
	return 0;
}
