/* SPDX-License-Identifier: BSD-3-Clause
 * MATMPIAIJEK: MATMPIAIJ whose two blocks on each rank are MATSEQAIJEK.
 *
 * PETSc's parallel product starts the messages, multiplies by the diagonal block, waits, and adds
 * the product with the off-diagonal block; it calls the blocks' own functions for that. So all that
 * is left to do is to see that blocks have the type and the options of the whole, wherever PETSc
 * makes blocks: at the end of an assembly, and in copies. */
#include "aijek.h"

struct _MatOps ekp_mpi_aij;
PetscBool ekp_assembling_whole = PETSC_FALSE;

/* Gives both blocks their type, options and, if that is wanted, plans. */
static PetscErrorCode dress_blocks(Mat A)
{
	ekp_state *s;
	ekp_options o;
	Mat block[2];

	PetscFunctionBegin;
	PetscCall(ekp_state_of(A, &s));
	PetscCall(ekp_take_level(A));
	PetscCall(ekp_read_options(A, &o));
	PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], NULL));
	for (int k = 0; k < 2; k++) {
		PetscCall(ekp_seq_from_aij(block[k], MATSEQAIJEK, MAT_INPLACE_MATRIX, &block[k]));
		PetscCall(ekp_give_options(block[k], k ? PETSC_TRUE : PETSC_FALSE, s->level, &o));
		if (o.early)
			PetscCall(ekp_plan(block[k], 0));
	}
	PetscFunctionReturn(0);
}

static PetscErrorCode ekp_mpi_assemblyend(Mat A, MatAssemblyType mode)
{
	PetscErrorCode code;

	PetscFunctionBegin;
	ekp_assembling_whole = PETSC_TRUE;
	code = (*ekp_mpi_aij.assemblyend)(A, mode);
	ekp_assembling_whole = PETSC_FALSE;
	PetscCall(code);
	if (mode == MAT_FINAL_ASSEMBLY)
		PetscCall(dress_blocks(A));
	PetscFunctionReturn(0);
}

/* Makes a copy, whose blocks PETSc copies without an assembly. */
static PetscErrorCode ekp_mpi_duplicate(Mat A, MatDuplicateOption option, Mat *B)
{
	PetscFunctionBegin;
	PetscCall((*ekp_mpi_aij.duplicate)(A, option, B));
	if ((*B)->assembled)
		PetscCall(dress_blocks(*B));
	PetscFunctionReturn(0);
}

static PetscErrorCode ekp_mpi_destroy(Mat A);

/* Lists the functions of aij that ours replace, ekp_mpi_NAME. */
#define EKP_MPI_OPS(X) X(assemblyend) X(duplicate) X(destroy)

static const struct {
	const char *name;
	PetscVoidFunction f;
} composed[] = {
	{"MatConvert_mpiaijek_mpiaij_C", (PetscVoidFunction)ekp_mpi_to_aij},
	{"MatConvert_mpiaij_mpiaijek_C", (PetscVoidFunction)ekp_mpi_from_aij},
	{"MatProductSetFromOptions_mpiaijek_mpiaij_C", (PetscVoidFunction)ekp_product_parallel},
	{"MatProductSetFromOptions_mpiaij_mpiaijek_C", (PetscVoidFunction)ekp_product_parallel},
	{"MatProductSetFromOptions_mpiaijek_mpidense_C",
	 (PetscVoidFunction)ekp_product_dense_parallel},
	{"MatProductSetFromOptions_mpidense_mpiaijek_C", (PetscVoidFunction)ekp_product_as_aij},
};

static PetscErrorCode compose(Mat A, PetscBool on)
{
	PetscFunctionBegin;
	for (size_t k = 0; k < sizeof composed / sizeof composed[0]; k++)
		PetscCall(PetscObjectComposeFunction((PetscObject)A, composed[k].name,
		                                     on ? composed[k].f : (PetscVoidFunction)NULL));
	PetscFunctionReturn(0);
}

/* Makes A aij again, in place, but for its blocks. */
static PetscErrorCode uninstall(Mat A)
{
	PetscFunctionBegin;
	PetscCall(PetscFree(A->spptr));
#define RESTORE(op) A->ops->op = ekp_mpi_aij.op;
	EKP_MPI_OPS(RESTORE)
#undef RESTORE
	A->ops->convert = ekp_mpi_aij.convert;
	A->ops->setfromoptions = ekp_mpi_aij.setfromoptions;
	A->ops->productsetfromoptions = ekp_mpi_aij.productsetfromoptions;
	PetscCall(compose(A, PETSC_FALSE));
	PetscCall(PetscObjectChangeTypeName((PetscObject)A, MATMPIAIJ));
	PetscFunctionReturn(0);
}

static PetscErrorCode ekp_mpi_destroy(Mat A)
{
	PetscFunctionBegin;
	PetscCall(uninstall(A));
	PetscCall((*ekp_mpi_aij.destroy)(A));
	PetscFunctionReturn(0);
}

/* Keeps the functions of a plain matrix. Its communicator has one rank: any rank may be the first
 * to need them. */
PetscErrorCode ekp_capture_mpi(void)
{
	Mat A;

	PetscFunctionBegin;
	PetscCall(MatCreate(PETSC_COMM_SELF, &A));
	PetscCall(MatSetSizes(A, 1, 1, 1, 1));
	PetscCall(MatSetType(A, MATMPIAIJ));
	ekp_mpi_aij = *A->ops;
	PetscCall(MatDestroy(&A));
	PetscFunctionReturn(0);
}

/* Makes A aijek, in place, if it is not. */
static PetscErrorCode install(Mat A)
{
	PetscBool already;

	PetscFunctionBegin;
	PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMPIAIJEK, &already));
	if (already)
		PetscFunctionReturn(0);
#define REPLACE(op) A->ops->op = ekp_mpi_##op;
	EKP_MPI_OPS(REPLACE)
#undef REPLACE
	A->ops->convert = ekp_convert;
	A->ops->setfromoptions = ekp_set_from_options;
	A->ops->productsetfromoptions = ekp_product_parallel;
	PetscCall(compose(A, PETSC_TRUE));
	PetscCall(PetscObjectChangeTypeName((PetscObject)A, MATMPIAIJEK));
	if (A->assembled)
		PetscCall(dress_blocks(A));
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_mpi_from_aij(Mat A, MatType type, MatReuse reuse, Mat *M)
{
	(void)type;
	return ekp_convert_by(install, A, reuse, M);
}

/* Makes A aij again, in place, and its blocks seqaij. */
static PetscErrorCode uninstall_whole(Mat A)
{
	Mat block[2];
	PetscBool ours;

	PetscFunctionBegin;
	PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], NULL));
	for (int k = 0; k < 2; k++) {
		PetscCall(PetscObjectTypeCompare((PetscObject)block[k], MATSEQAIJEK, &ours));
		if (ours)
			PetscCall(
				ekp_seq_to_aij(block[k], MATSEQAIJ, MAT_INPLACE_MATRIX, &block[k]));
	}
	PetscCall(uninstall(A));
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_mpi_to_aij(Mat A, MatType type, MatReuse reuse, Mat *M)
{
	(void)type;
	return ekp_convert_by(uninstall_whole, A, reuse, M);
}

PetscErrorCode ekp_create_mpi(Mat A)
{
	PetscFunctionBegin;
	PetscCall(MatSetType(A, MATMPIAIJ));
	PetscCall(ekp_mpi_from_aij(A, MATMPIAIJEK, MAT_INPLACE_MATRIX, &A));
	PetscFunctionReturn(0);
}
