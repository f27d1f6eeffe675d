/* SPDX-License-Identifier: BSD-3-Clause
 * Tests of aijek matrices that are assembled in other ways than by MatSetValues (sources.h). They
 * get new values after products, and what PETSc reads from them, copies of them and what becomes of
 * them must be that of aij. Values are small integers, so results must be equal bit for bit.
 *     assembled FOLDER   FOLDER: where a matrix may be stored for a moment */
#include "changes.h"
#include "sources.h"
#include <petsc/private/petscimpl.h>

/* Compares rows as MatGetRow gives them. */
static PetscErrorCode same_rows(Mat A, Mat B)
{
	PetscInt begin, end, count[2];
	const PetscInt *col[2];
	const PetscScalar *val[2];
	PetscBool same, all;

	PetscFunctionBegin;
	PetscCall(MatGetOwnershipRange(A, &begin, &end));
	for (PetscInt i = begin; i < end; i++) {
		PetscCall(MatGetRow(A, i, &count[0], &col[0], &val[0]));
		PetscCall(MatGetRow(B, i, &count[1], &col[1], &val[1]));
		same = count[0] == count[1] ? PETSC_TRUE : PETSC_FALSE;
		all = same;
		if (same)
			PetscCall(PetscArraycmp(col[0], col[1], count[0], &same));
		if (all)
			PetscCall(PetscArraycmp(val[0], val[1], count[0], &all));
		PetscCheck(same && all, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: row %d", name,
		           (int)i);
		PetscCall(MatRestoreRow(A, i, &count[0], &col[0], &val[0]));
		PetscCall(MatRestoreRow(B, i, &count[1], &col[1], &val[1]));
	}
	PetscFunctionReturn(0);
}

/* Compares two matrices in all that can be read. */
static PetscErrorCode same_all(Mat A, Mat B, const char *what)
{
	PetscFunctionBegin;
	PetscCall(is_type(B, "aijek"));
	PetscCall(same_mat(A, B, what));
	PetscCall(same_rows(A, B));
	PetscCall(same_products(A, B));
	PetscFunctionReturn(0);
}

static PetscErrorCode set_both(const source *s, Mat *A, PetscInt seed)
{
	PetscFunctionBegin;
	for (int own = 0; own < 2; own++)
		PetscCall((*s->set)(s, A[own], seed));
	PetscFunctionReturn(0);
}

static PetscErrorCode destroy_both(Mat *A)
{
	PetscFunctionBegin;
	for (int own = 0; own < 2; own++)
		PetscCall(MatDestroy(&A[own]));
	PetscFunctionReturn(0);
}

/* Gives the blocks of A, or A itself. Returns their number. */
static int blocks_of(Mat A, Mat *block)
{
	PetscBool parallel;

	PetscObjectTypeCompareAny((PetscObject)A, &parallel, "mpiaij", "mpiaijek", "");
	block[0] = A;
	if (parallel)
		MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], NULL);
	return parallel ? 2 : 1;
}

/* Writes into the arrays in the ways that PETSc offers: that of code for devices, and another. */
static PetscErrorCode write_arrays(Mat A, PetscBool for_device)
{
	const PetscInt period = for_device ? 5 : 7, *row_ptr, *col_idx;
	PetscScalar *val;
	PetscInt rows;
	Mat block[2];

	PetscFunctionBegin;
	for (int m = 0; m < blocks_of(A, block); m++) {
		PetscCall(MatGetLocalSize(block[m], &rows, NULL));
		PetscCall(MatSeqAIJGetCSRAndMemType(block[m], &row_ptr, &col_idx, &val, NULL));
		if (!for_device)
			PetscCall(MatSeqAIJGetArrayWrite(block[m], &val));
		for (PetscInt k = 0; k < row_ptr[rows]; k++)
			val[k] = k % period - period / 2;
		if (for_device)
			PetscCall(PetscObjectStateIncrease((PetscObject)block[m]));
		else
			PetscCall(MatSeqAIJRestoreArrayWrite(block[m], &val));
	}
	PetscFunctionReturn(0);
}

/* New values are seen by the next product, also by one of matrices. */
static PetscErrorCode test_values(const source *s, Mat *A)
{
	Mat C[2];

	PetscFunctionBegin;
	PetscCall(set_both(s, A, 1));
	PetscCall(same_all(A[0], A[1], "new"));
	for (int own = 0; own < 2; own++)
		PetscCall(MatMatMult(A[own], A[own], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C[own]));
	PetscCall(same_all(C[0], C[1], "square"));
	PetscCall(set_both(s, A, 2));
	PetscCall(same_products(A[0], A[1]));
	for (int w = 0; w < 2; w++) {
		for (int own = 0; own < 2; own++)
			PetscCall(write_arrays(A[own], w ? PETSC_FALSE : PETSC_TRUE));
		PetscCall(same_products(A[0], A[1]));
		for (int own = 0; own < 2; own++)
			PetscCall(MatMatMult(A[own], A[own], MAT_REUSE_MATRIX, PETSC_DEFAULT,
			                     &C[own]));
		PetscCall(same_all(C[0], C[1], "square with new values"));
	}
	PetscCall(destroy_both(C));
	PetscCall(set_both(s, A, 3));
	PetscCall(same_all(A[0], A[1], "set again"));
	PetscFunctionReturn(0);
}

/* Copies of all kinds, and conversions there and back. */
static PetscErrorCode test_copies(const source *s, Mat *A)
{
	static const MatDuplicateOption options[] = {
		MAT_COPY_VALUES, MAT_DO_NOT_COPY_VALUES, MAT_SHARE_NONZERO_PATTERN};
	Mat D[2], E;

	PetscFunctionBegin;
	for (int k = 0; k < 3; k++) {
		for (int own = 0; own < 2; own++)
			PetscCall(MatDuplicate(A[own], options[k], &D[own]));
		PetscCall(same_all(D[0], D[1], "duplicate"));
		for (int own = 0; own < 2; own++) {
			PetscCall(MatCopy(A[own], D[own], SAME_NONZERO_PATTERN));
			PetscCall(MatScale(D[own], 2));
			PetscCall(MatAXPY(D[own], -3, A[own], SAME_NONZERO_PATTERN));
		}
		PetscCall(same_all(D[0], D[1], "duplicate with other values"));
		PetscCall(destroy_both(D));
	}
	PetscCall(MatConvert(A[1], MATAIJ, MAT_INITIAL_MATRIX, &E));
	PetscCall(is_type(E, "aij"));
	PetscCall(same_products(A[0], E));
	PetscCall(MatConvert(E, "aijek", MAT_INITIAL_MATRIX, &D[1]));
	PetscCall(same_all(A[0], D[1], "converted there and back"));
	PetscCall(MatDestroy(&D[1]));
	PetscCall(MatDestroy(&E));
	PetscCall(MatConvert(A[1], MATAIJ, MAT_INPLACE_MATRIX, &A[1]));
	PetscCall(is_type(A[1], "aij"));
	PetscCall(set_both(s, A, 4));
	PetscCall(same_products(A[0], A[1]));
	PetscCall(MatConvert(A[1], "aijek", MAT_INPLACE_MATRIX, &A[1]));
	PetscCall(same_all(A[0], A[1], "converted in place"));
	PetscCall(set_both(s, A, 5));
	PetscCall(same_all(A[0], A[1], "set after conversions"));
	PetscFunctionReturn(0);
}

/* Makes the rows and columns of a submatrix: every other one of this rank, all, or those of another
 * rank. */
static PetscErrorCode choose(Mat A, int how, IS *rows, IS *cols)
{
	PetscInt begin, end, n;

	PetscFunctionBegin;
	PetscCall(MatGetOwnershipRange(A, &begin, &end));
	PetscCall(MatGetSize(A, &n, NULL));
	if (how == 0)
		PetscCall(ISCreateStride(comm, (end - begin + 1) / 2, begin, 2, rows));
	else if (how == 1)
		PetscCall(ISCreateStride(comm, end - begin, begin, 1, rows));
	else
		PetscCall(ISCreateStride(comm, end - begin, n - 1 - begin, -1, rows));
	PetscCall(ISCreateStride(comm, (end - begin + 1) / 2, begin, 2, cols));
	PetscFunctionReturn(0);
}

static PetscErrorCode test_submatrices(const source *s, Mat *A)
{
	Mat S[2];
	IS rows, cols;

	PetscFunctionBegin;
	for (int how = 0; how < 3; how++) {
		PetscCall(choose(A[0], how, &rows, &cols));
		for (int own = 0; own < 2; own++)
			PetscCall(MatCreateSubMatrix(A[own], rows, cols, MAT_INITIAL_MATRIX,
			                             &S[own]));
		PetscCall(same_all(S[0], S[1], "submatrix"));
		PetscCall(set_both(s, A, 6 + how));
		for (int own = 0; own < 2; own++)
			PetscCall(MatCreateSubMatrix(A[own], rows, cols, MAT_REUSE_MATRIX,
			                             &S[own]));
		PetscCall(same_all(S[0], S[1], "submatrix with new values"));
		PetscCall(destroy_both(S));
		PetscCall(ISDestroy(&rows));
		PetscCall(ISDestroy(&cols));
	}
	PetscFunctionReturn(0);
}

/* Writes matrices to a file and reads them: into new matrices and into those that were written,
 * which is where matrices of a DMDA exchange the order of their rows. */
static PetscErrorCode test_files(const char *folder, Mat *A)
{
	PetscViewer viewer;
	char path[PETSC_MAX_PATH_LEN];
	PetscMPIInt rank;
	Mat L[2];

	PetscFunctionBegin;
	PetscCall(PetscSNPrintf(path, sizeof path, "%s/assembled.bin", folder));
	for (int own = 0; own < 2; own++) {
		PetscCall(PetscViewerBinaryOpen(comm, path, FILE_MODE_WRITE, &viewer));
		PetscCall(PetscViewerBinarySetSkipInfo(viewer, PETSC_TRUE));
		PetscCall(MatView(A[own], viewer));
		PetscCall(PetscViewerDestroy(&viewer));
		for (int again = 0; again < 2; again++) {
			PetscCall(PetscViewerBinaryOpen(comm, path, FILE_MODE_READ, &viewer));
			if (!again) {
				PetscCall(MatCreate(comm, &L[own]));
				PetscCall(MatSetType(L[own], own ? "aijek" : MATAIJ));
			} else {
				PetscCall(MatScale(A[own], 5));
			}
			PetscCall(MatLoad(again ? A[own] : L[own], viewer));
			PetscCall(PetscViewerDestroy(&viewer));
		}
	}
	PetscCall(same_all(L[0], L[1], "loaded"));
	PetscCall(same_all(A[0], A[1], "loaded into the same matrix"));
	PetscCall(destroy_both(L));
	PetscCallMPI(MPI_Comm_rank(comm, &rank));
	if (rank == 0)
		(void)remove(path);
	PetscFunctionReturn(0);
}

/* Options that say what assembly may do, and what may be relied on. */
static PetscErrorCode test_options(Mat *A)
{
	PetscInt begin, end, n, row;
	Mat D[2];

	PetscFunctionBegin;
	PetscCall(MatGetOwnershipRange(A[0], &begin, &end));
	PetscCall(MatGetSize(A[0], &n, NULL));
	row = begin;
	for (int own = 0; own < 2; own++) {
		PetscCall(MatDuplicate(A[own], MAT_COPY_VALUES, &D[own]));
		PetscCall(MatSetOption(D[own], MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
		PetscCall(MatZeroRows(D[own], end > begin, &row, 3, NULL, NULL));
	}
	PetscCall(same_all(D[0], D[1], "rows of zeros that keep their pattern"));
	for (int own = 0; own < 2; own++) {
		PetscCall(MatSetOption(D[own], MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
		PetscCall(MatSetOption(D[own], MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
		for (PetscInt i = begin; i < end; i += 3)
			for (PetscInt j = 0; j < 9; j++)
				PetscCall(MatSetValue(D[own], i, (i * 7 + j) % n, j, ADD_VALUES));
		PetscCall(assemble(D[own]));
	}
	PetscCall(same_all(D[0], D[1], "entries outside the pattern are ignored"));
	for (int own = 0; own < 2; own++) {
		PetscCall(MatSetOption(D[own], MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE));
		PetscCall(MatSetOption(D[own], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
		PetscCall(MatSetOption(D[own], MAT_IGNORE_ZERO_ENTRIES, PETSC_TRUE));
		PetscCall(MatSetOption(D[own], MAT_USE_INODES, PETSC_FALSE));
		PetscCall(MatSetOption(D[own], MAT_SYMMETRIC, PETSC_FALSE));
		for (PetscInt i = begin; i < end; i++)
			PetscCall(MatSetValue(D[own], i, (i * 11) % n, i % 3, ADD_VALUES));
		PetscCall(assemble(D[own]));
	}
	PetscCall(same_all(D[0], D[1], "zeros are ignored"));
	PetscCall(destroy_both(D));
	PetscFunctionReturn(0);
}

/* Other coordinates for a matrix that has been multiplied. */
static PetscErrorCode test_other_coordinates(Mat *A)
{
	entries e;

	PetscFunctionBegin;
	for (PetscInt stride = 17; stride < 22; stride += 2) {
		for (int own = 0; own < 2; own++) {
			PetscCall(list_coordinates(A[own], stride, stride, &e));
			PetscCall(MatSetPreallocationCOO(A[own], e.count, e.row, e.col));
			PetscCall(MatSetValuesCOO(A[own], e.val, INSERT_VALUES));
			PetscCall(release(&e));
		}
		PetscCall(same_all(A[0], A[1], "other coordinates"));
	}
	PetscFunctionReturn(0);
}

static PetscErrorCode test_source(const source *s, const char *folder)
{
	Mat A[2];

	PetscFunctionBegin;
	name = s->name;
	for (int own = 0; own < 2; own++)
		PetscCall((*s->make)(s, own ? "aijek" : MATAIJ, &A[own]));
	PetscCall(test_values(s, A));
	PetscCall(test_copies(s, A));
	PetscCall(test_submatrices(s, A));
	PetscCall(test_options(A));
	if (s->make == make_coordinates)
		PetscCall(test_other_coordinates(A));
	PetscCall(test_files(folder, A));
	for (int own = 0; own < 2; own++)
		PetscCall(MatSetOption(A[own], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
	if (s->n > 3)
		PetscCall(same_changes(A[0], A[1]));
	PetscCall(destroy_both(A));
	PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
	static const source sources[] = {
		{.name = "coordinates", make_coordinates, set_coordinates, 1200},
		{.name = "a few coordinates", make_coordinates, set_coordinates, 3},
		{"grid, stencils", make_grid, set_stencil, 35, 2, 1, DMDA_STENCIL_STAR,
	         DM_BOUNDARY_NONE, PETSC_FALSE},
		{"grid, local numbers", make_grid, set_local, 9, 3, 2, DMDA_STENCIL_BOX,
	         DM_BOUNDARY_NONE, PETSC_TRUE},
		{"periodic grid, stencils", make_grid, set_stencil, 10, 3, 1, DMDA_STENCIL_STAR,
	         DM_BOUNDARY_PERIODIC, PETSC_TRUE},
		{"periodic grid, local coordinates", make_grid, set_local_coordinates, 20, 2, 2,
	         DMDA_STENCIL_BOX, DM_BOUNDARY_PERIODIC, PETSC_FALSE},
	};

	PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
	comm = PETSC_COMM_WORLD;
	for (size_t k = 0; k < sizeof sources / sizeof sources[0]; k++)
		PetscCall(test_source(&sources[k], argc > 1 ? argv[1] : "/tmp"));
	PetscCall(PetscPrintf(PETSC_COMM_WORLD, "assembled: all tests passed\n"));
	PetscCall(PetscFinalize());
	return 0;
}
