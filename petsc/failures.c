/* SPDX-License-Identifier: BSD-3-Clause
 * Tests that a product of parallel matrices which fails on one rank is an error on all, and can be
 * computed again. The functions of the library that the module calls are those below, which fail
 * when they are told to: the dynamic linker finds them first. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <evenkeel/ek.h>

#include "integers.h"

static const char *failing; /* the function that fails on this rank, or NULL */

static int fails(const char *function)
{
	return failing && !strcmp(failing, function);
}

/* Calls the library's function of this name, unless it is to fail. */
#define PASS_ON(function, ...)                          \
	do {                                            \
		__typeof__(&function) real;             \
		void *at = dlsym(RTLD_NEXT, #function); \
		memcpy(&real, &at, sizeof real);        \
		if (!at || fails(#function))            \
			return EK_ENOMEM;               \
		return real(__VA_ARGS__);               \
	} while (0)

ek_status ek_plan_create(ek_operation operation, const ek_matrix *A, const ek_hints *hints,
                         ek_plan **plan)
{
	PASS_ON(ek_plan_create, operation, A, hints, plan);
}

ek_status ek_spgemm(ek_plan *plan, double alpha, double beta, ek_matrix **C)
{
	PASS_ON(ek_spgemm, plan, alpha, beta, C);
}

ek_status ek_triple(ek_plan *plan, double alpha, ek_matrix **C)
{
	PASS_ON(ek_triple, plan, alpha, C);
}

ek_status ek_spmm(ek_plan *plan, double alpha, const ek_dense *X, double beta, const ek_dense *Y)
{
	PASS_ON(ek_spmm, plan, alpha, X, beta, Y);
}

ek_status ek_matrix_values_changed(ek_matrix *A)
{
	PASS_ON(ek_matrix_values_changed, A);
}

enum kind { AB, PTAP, DENSE };

static PetscErrorCode multiply(enum kind kind, Mat A, Mat B, MatReuse reuse, Mat *C)
{
	return kind == PTAP ? MatPtAP(A, B, reuse, PETSC_DEFAULT, C)
	                    : MatMatMult(A, B, reuse, PETSC_DEFAULT, C);
}

/* Computes a product, in which `function` fails on the last rank. */
static PetscErrorCode fail(const char *function, enum kind kind, Mat A, Mat B, MatReuse reuse,
                           Mat *C)
{
	PetscErrorCode code;
	PetscMPIInt rank, size;

	PetscFunctionBegin;
	PetscCallMPI(MPI_Comm_rank(comm, &rank));
	PetscCallMPI(MPI_Comm_size(comm, &size));
	failing = rank == size - 1 ? function : NULL;
	PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
	code = multiply(kind, A, B, reuse, C);
	PetscCall(PetscPopErrorHandler());
	failing = NULL;
	PetscCheck(code == PETSC_ERR_MEM, PETSC_COMM_SELF, PETSC_ERR_PLIB,
	           "%s, %s fails: the code is %d", name, function, (int)code);
	PetscFunctionReturn(0);
}

/* Tests a kind of product: it fails while it is made, and when there are new values. */
static PetscErrorCode test(enum kind kind, const char *run)
{
	const char *const when_new[] = {"ek_plan_create", kind == DENSE ? "ek_plan_create" : run};
	const char *const later[] = {"ek_matrix_values_changed", run};
	Mat A, B, C = NULL, D;

	PetscFunctionBegin;
	PetscCall(make("mpiaijek", 240, 240, 5, 1, &A));
	PetscCall(make("mpiaijek", 240, 60, 4, 1, &B));
	if (kind == DENSE)
		PetscCall(MatConvert(B, MATDENSE, MAT_INPLACE_MATRIX, &B));
	for (int k = 0; k < 2; k++)
		PetscCall(fail(when_new[k], kind, A, B, MAT_INITIAL_MATRIX, &C));
	PetscCall(multiply(kind, A, B, MAT_INITIAL_MATRIX, &C));
	for (int k = 0; k < 2; k++) {
		PetscCall(MatScale(A, 2));
		for (int time = 0; time < 2; time++)
			PetscCall(fail(later[k], kind, A, B, MAT_REUSE_MATRIX, &C));
		PetscCall(multiply(kind, A, B, MAT_REUSE_MATRIX, &C));
		PetscCall(multiply(kind, A, B, MAT_INITIAL_MATRIX, &D));
		PetscCall(same_mat(D, C, run));
		PetscCall(MatDestroy(&D));
	}
	PetscCall(MatDestroy(&C));
	PetscCall(MatDestroy(&B));
	PetscCall(MatDestroy(&A));
	PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
	PetscMPIInt size;

	PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
	comm = PETSC_COMM_WORLD;
	PetscCallMPI(MPI_Comm_size(comm, &size));
	name = "AB";
	PetscCall(test(AB, "ek_spgemm"));
	name = "PtAP";
	PetscCall(test(PTAP, "ek_triple"));
	name = "a dense factor";
	if (size > 1) /* a dense matrix of one rank is sequential, and the product PETSc's */
		PetscCall(test(DENSE, "ek_spmm"));
	PetscCall(PetscPrintf(comm, "failures: all tests passed\n"));
	PetscCall(PetscFinalize());
	return 0;
}
