/* SPDX-License-Identifier: BSD-3-Clause
 * Problems solved with aij and with aijek matrices by the same solver: the number of iterations
 * must be the same, and the solutions equal but for rounding.
 *     problems FOLDER   FOLDER: that of real matrices, NAME.mtx.gz; "" leaves them out */
#include "rows.h"
#include "solved.h"
#include <evenkeel/ek.h>
#include <petscsnes.h>

#define LU "-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type "

static const problem problems[] = {
	{"poisson 2D, CG, Jacobi", "-ksp_type cg -pc_type jacobi", poisson2, 50, 1, 0},
	{"poisson 2D, CG, GAMG", "-ksp_type cg -pc_type gamg", poisson2, 60, 1, 0},
	{"poisson 2D, Neumann, CG, GAMG", "-ksp_type cg -pc_type gamg -mg_coarse_pc_type jacobi",
         poisson2, 40, 1, 1},
	{"poisson 2D, LSQR", "-ksp_type lsqr -pc_type none -ksp_max_it 20", poisson2, 20, 1, 0},
	{"poisson 3D, CG, GAMG", "-ksp_type cg -pc_type gamg", poisson3, 16, 1, 0},
	{"poisson 3D, CG, GAMG, new values", "-ksp_type cg -pc_type gamg -again", poisson3, 14, 1,
         0},
	{"poisson 3D, CG, hypre", "-ksp_type cg -pc_type hypre", poisson3, 14, 1, 0},
	{"poisson 3D, CG, ICC in blocks", "-ksp_type cg -pc_type bjacobi -sub_pc_type icc",
         poisson3, 14, 1, 0},
	{"convection, GMRES, ILU in blocks", "-ksp_type gmres -pc_type bjacobi -sub_pc_type ilu",
         convection, 40, 1, 0},
	{"convection, BiCG", "-ksp_type bicg -pc_type jacobi", convection, 30, 1, 0},
	{"convection, GMRES, GAMG", "-ksp_type gmres -pc_type gamg", convection, 40, 1, 0},
	{"convection, GMRES, ASM", "-ksp_type gmres -pc_type asm", convection, 40, 1, 0},
	{"reaction, GMRES, SOR", "-ksp_type gmres -pc_type sor", reaction, 30, 2, 0},
	{"reaction, GMRES, field split",
         "-ksp_type fgmres -pc_type fieldsplit -pc_fieldsplit_block_size 2 "
         "-fieldsplit_0_pc_type gamg -fieldsplit_1_pc_type gamg "
         "-fieldsplit_0_ksp_type preonly -fieldsplit_1_ksp_type preonly",
         reaction, 30, 2, 0},
	{"reaction, GMRES, Schur complement",
         "-ksp_type fgmres -pc_type fieldsplit -pc_fieldsplit_block_size 2 "
         "-pc_fieldsplit_type schur -fieldsplit_0_pc_type bjacobi -fieldsplit_1_pc_type none",
         reaction, 16, 2, 0},
	{"reaction, GMRES, GAMG", "-ksp_type gmres -pc_type gamg", reaction, 30, 2, 0},
	{"poisson 3D, CG, ML", "-ksp_type cg -pc_type ml", poisson3, 14, 1, 0},
	/* Factorisations, which PETSc leaves to other libraries if there are several ranks */
	{"reaction, LU by PETSc", LU "petsc -again", reaction, 20, 2, 0},
	{"reaction, LU by MUMPS", LU "mumps -again", reaction, 20, 2, 0},
	{"reaction, LU by SuperLU_DIST", LU "superlu_dist -again", reaction, 20, 2, 0},
	{"reaction, LU by SuperLU", LU "superlu -again", reaction, 20, 2, 0},
	{"reaction, LU by UMFPACK", LU "umfpack -again", reaction, 20, 2, 0},
	{"reaction, LU by KLU", LU "klu -again", reaction, 20, 2, 0},
	{"poisson 3D, Cholesky by MUMPS",
         "-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps -again", poisson3,
         10, 1, 0},
};

/* Those whose matrices are files, and have no function for a row. */
static const problem files[] = {
	{.name = "bcsstk16", .options = "-ksp_type cg -pc_type jacobi"},
	{.name = "sherman3", .options = "-ksp_type gmres -pc_type bjacobi -sub_pc_type ilu"},
	{.name = "add20", .options = "-ksp_type gmres -pc_type jacobi"},
};

/* Solves A x = b with a right side made from a known solution. */
static PetscErrorCode solve(KSP ksp, Mat A, PetscInt *iterations, Vec *x)
{
	PetscInt begin, end;
	Vec b;

	PetscFunctionBegin;
	PetscCall(MatCreateVecs(A, x, &b));
	PetscCall(VecGetOwnershipRange(*x, &begin, &end));
	for (PetscInt i = begin; i < end; i++)
		PetscCall(VecSetValue(*x, i, 1 + i % 7, INSERT_VALUES));
	PetscCall(VecAssemblyBegin(*x));
	PetscCall(VecAssemblyEnd(*x));
	PetscCall(MatMult(A, *x, b));
	PetscCall(KSPSetOperators(ksp, A, A));
	PetscCall(KSPSolve(ksp, b, *x));
	PetscCall(KSPGetIterationNumber(ksp, iterations));
	PetscCall(VecDestroy(&b));
	PetscFunctionReturn(0);
}

/* Reads a Matrix Market file by the library; each rank takes its rows. */
static PetscErrorCode read_file(const char *path, MatType type, Mat *A)
{
	ek_context *ctx;
	ek_matrix *M;
	ek_matrix_info info = {.size = sizeof info};
	ek_view row_ptr = {.size = sizeof row_ptr}, col_idx = row_ptr, val = row_ptr;
	PetscInt begin, end;
	const int32_t *ptr, *idx;

	PetscFunctionBegin;
	PetscCheck(!ek_context_create(NULL, &ctx) &&
	                   !ek_matrix_read(ctx, path, EK_F64, EK_I32, NULL, &M) &&
	                   !ek_matrix_get_info(M, &info) &&
	                   !ek_matrix_array(M, "row_ptr", &row_ptr) &&
	                   !ek_matrix_array(M, "col_idx", &col_idx) &&
	                   !ek_matrix_array(M, "val", &val),
	           PETSC_COMM_WORLD, PETSC_ERR_FILE_READ, "%s", ek_error_text());
	ptr = row_ptr.data;
	idx = col_idx.data;
	PetscCall(MatCreate(PETSC_COMM_WORLD, A));
	PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, (PetscInt)info.rows,
	                      (PetscInt)info.cols));
	PetscCall(MatSetType(*A, type));
	PetscCall(MatSetUp(*A));
	PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
	PetscCall(MatGetOwnershipRange(*A, &begin, &end));
	for (PetscInt i = begin; i < end; i++)
		for (int32_t k = ptr[i]; k < ptr[i + 1]; k++)
			PetscCall(MatSetValue(*A, i, idx[k], ((const double *)val.data)[k],
			                      INSERT_VALUES));
	PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
	PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
	ek_matrix_destroy(M);
	ek_context_destroy(ctx);
	PetscFunctionReturn(0);
}

/* Tells whether PETSc has what the options name, which may be another library's; a line says what
 * it was built without. Some factorisations are for one rank only. */
static PetscErrorCode is_available(const problem *p, PetscBool *available)
{
	char pc[32] = "", package[32] = "";
	PetscErrorCode (*factor)(Mat, MatFactorType, Mat *) = NULL;
	PetscBool known = PETSC_TRUE, is_lu;
	void (*create)(void);
	PetscMPIInt ranks;

	PetscFunctionBegin;
	PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
	PetscCall(PCInitializePackage());
	PetscCall(PetscOptionsGetString(NULL, NULL, "-pc_type", pc, sizeof pc, NULL));
	PetscCall(PetscOptionsGetString(NULL, NULL, "-pc_factor_mat_solver_type", package,
	                                sizeof package, NULL));
	PetscCall(PetscStrcmp(pc, PCLU, &is_lu));
	PetscCall(PetscFunctionListFind(PCList, pc, &create));
	if (*package)
		PetscCall(MatSolverTypeGet(package, ranks == 1 ? MATSEQAIJ : MATMPIAIJ,
		                           is_lu ? MAT_FACTOR_LU : MAT_FACTOR_CHOLESKY, &known,
		                           NULL, &factor));
	if (!known || !create)
		PetscCall(PetscPrintf(PETSC_COMM_WORLD, "left out: %s (not in this PETSc)\n",
		                      p->name));
	*available = known && create && (factor || !*package);
	PetscFunctionReturn(0);
}

static PetscErrorCode try_problem(const problem *p, const char *folder)
{
	char path[512];
	PetscInt iterations[2];
	PetscOptions options;
	PetscBool again, available = PETSC_FALSE;
	Vec x[2];
	Mat A;
	KSP ksp;

	PetscFunctionBegin;
	PetscCall(PetscOptionsCreate(&options));
	PetscCall(PetscOptionsInsertString(options, p->options));
	PetscCall(PetscOptionsPush(options));
	PetscCall(PetscOptionsHasName(NULL, NULL, "-again", &again));
	PetscCall(PetscSNPrintf(path, sizeof path, "%s/%s.mtx.gz", folder, p->name));
	PetscCall(is_available(p, &available));
	for (int own = 0; available && own < 2; own++) {
		A = NULL;
		if (p->row)
			PetscCall(assemble(p, own ? "aijek" : MATAIJ, 0, &A));
		else
			PetscCall(read_file(path, own ? "aijek" : MATAIJ, &A));
		PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
		PetscCall(KSPSetFromOptions(ksp));
		PetscCall(solve(ksp, A, &iterations[own], &x[own]));
		if (again) {
			PetscCall(VecDestroy(&x[own]));
			PetscCall(assemble(p, NULL, 0.25, &A));
			PetscCall(solve(ksp, A, &iterations[own], &x[own]));
		}
		PetscCall(check_levels(ksp, A));
		PetscCall(KSPDestroy(&ksp));
		PetscCall(MatDestroy(&A));
	}
	PetscCall(PetscOptionsPop());
	PetscCall(PetscOptionsDestroy(&options));
	if (available)
		PetscCall(compare(p->name, iterations, x));
	PetscFunctionReturn(0);
}

/* The Bratu problem, -Laplace u = 6 exp(u) on the unit square: Newton's method gives the matrix new
 * values in each step. */
static PetscErrorCode residual(SNES snes, Vec u, Vec f, void *A)
{
	PetscInt count, n;
	const PetscScalar *pu;
	PetscScalar *pf;

	PetscFunctionBegin;
	(void)snes;
	PetscCall(MatMult((Mat)A, u, f));
	PetscCall(VecGetLocalSize(u, &count));
	PetscCall(VecGetSize(u, &n));
	PetscCall(VecGetArrayRead(u, &pu));
	PetscCall(VecGetArray(f, &pf));
	for (PetscInt i = 0; i < count; i++)
		pf[i] -= 6.0 / n * PetscExpScalar(pu[i]);
	PetscCall(VecRestoreArray(f, &pf));
	PetscCall(VecRestoreArrayRead(u, &pu));
	PetscFunctionReturn(0);
}

static PetscErrorCode jacobian(SNES snes, Vec u, Mat J, Mat P, void *A)
{
	PetscInt n;
	Vec d;

	PetscFunctionBegin;
	(void)snes;
	PetscCall(VecGetSize(u, &n));
	PetscCall(VecDuplicate(u, &d));
	PetscCall(VecCopy(u, d));
	PetscCall(VecExp(d));
	PetscCall(VecScale(d, -6.0 / n));
	PetscCall(MatCopy((Mat)A, P, SAME_NONZERO_PATTERN));
	PetscCall(MatDiagonalSet(P, d, ADD_VALUES));
	PetscCall(VecDestroy(&d));
	if (J != P) {
		PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
		PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
	}
	PetscFunctionReturn(0);
}

static PetscErrorCode try_newton(void)
{
	const problem p = {.row = poisson2, .n = 40, .dofs = 1};
	PetscInt steps[2], iterations[2];
	Vec x[2];
	Mat A, J;
	SNES snes;

	PetscFunctionBegin;
	for (int own = 0; own < 2; own++) {
		A = NULL;
		PetscCall(assemble(&p, own ? "aijek" : MATAIJ, 0, &A));
		PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &J));
		PetscCall(MatCreateVecs(A, &x[own], NULL));
		PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
		PetscCall(SNESSetFunction(snes, NULL, residual, A));
		PetscCall(SNESSetJacobian(snes, J, J, jacobian, A));
		PetscCall(SNESSetTolerances(snes, 0, 1e-10, 0, 20, 1000));
		PetscCall(SNESSetFromOptions(snes));
		PetscCall(SNESSolve(snes, NULL, x[own]));
		PetscCall(SNESGetIterationNumber(snes, &steps[own]));
		PetscCall(SNESGetLinearSolveIterations(snes, &iterations[own]));
		PetscCall(SNESDestroy(&snes));
		PetscCall(MatDestroy(&J));
		PetscCall(MatDestroy(&A));
	}
	PetscCheck(steps[0] == steps[1] && steps[0] > 1, PETSC_COMM_WORLD, PETSC_ERR_PLIB,
	           "Newton took %d and %d steps", (int)steps[0], (int)steps[1]);
	PetscCall(compare("Bratu, Newton", iterations, x));
	PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
	const char *folder;

	PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
	folder = argc > 1 ? argv[1] : "";
	for (size_t k = 0; k < sizeof problems / sizeof problems[0]; k++)
		PetscCall(try_problem(&problems[k], folder));
	PetscCall(try_newton());
	for (size_t k = 0; *folder && k < sizeof files / sizeof files[0]; k++)
		PetscCall(try_problem(&files[k], folder));
	PetscCall(PetscPrintf(PETSC_COMM_WORLD, "problems: all as with aij\n"));
	PetscCall(PetscFinalize());
	return 0;
}
