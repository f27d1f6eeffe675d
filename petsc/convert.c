/* SPDX-License-Identifier: BSD-3-Clause
 * Conversions to other types. All that PETSc can do with aij it can do with aijek, which has the
 * same arrays; but PETSc finds its converters by the name of the type. */
#include "aijek.h"

/* Finds PETSc's converter from aij. Subtypes of aij are left out, since their converters exchange
 * functions of the matrix and expect those of aij. */
static PetscErrorCode find_converter(Mat A, const char *from, MatType type,
                                     PetscErrorCode (**f)(Mat, MatType, MatReuse, Mat *))
{
	static const char *const prefixes[] = {"seq", "mpi", ""};
	char name[256];
	PetscBool sub;

	PetscFunctionBegin;
	*f = NULL;
	for (int i = 0; i < 3; i++) {
		PetscCall(PetscSNPrintf(name, sizeof name, "%saij", prefixes[i]));
		PetscCall(PetscStrbeginswith(type, name, &sub));
		if (sub)
			PetscFunctionReturn(0);
	}
	for (int i = 0; i < 3 && !*f; i++) {
		PetscCall(PetscSNPrintf(name, sizeof name, "MatConvert_%s_%s%s_C", from,
		                        prefixes[i], type));
		PetscCall(PetscObjectQueryFunction((PetscObject)A, name, f));
	}
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_convert_by(PetscErrorCode (*in_place)(Mat), Mat A, MatReuse reuse, Mat *M)
{
	Mat B = *M;

	PetscFunctionBegin;
	if (reuse == MAT_REUSE_MATRIX) {
		PetscCall(MatCopy(A, B, SAME_NONZERO_PATTERN));
		PetscFunctionReturn(0);
	}
	if (reuse == MAT_INITIAL_MATRIX)
		PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
	PetscCall((*in_place)(B));
	*M = B;
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_convert(Mat A, MatType type, MatReuse reuse, Mat *M)
{
	PetscErrorCode (*f)(Mat, MatType, MatReuse, Mat *);
	PetscBool parallel;
	Mat B;

	PetscFunctionBegin;
	PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMPIAIJEK, &parallel));
	PetscCall(find_converter(A, parallel ? MATMPIAIJ : MATSEQAIJ, type, &f));
	if (f) {
		PetscCall((*f)(A, type, reuse, M));
		PetscFunctionReturn(0);
	}
	if (parallel)
		PetscCall(ekp_mpi_to_aij(A, MATMPIAIJ, MAT_INITIAL_MATRIX, &B));
	else
		PetscCall(ekp_seq_to_aij(A, MATSEQAIJ, MAT_INITIAL_MATRIX, &B));
	if (reuse == MAT_INPLACE_MATRIX) {
		PetscCall(MatConvert(B, type, MAT_INPLACE_MATRIX, &B));
		PetscCall(MatHeaderReplace(A, &B));
		PetscFunctionReturn(0);
	}
	PetscCall(MatConvert(B, type, reuse, M));
	PetscCall(MatDestroy(&B));
	PetscFunctionReturn(0);
}
