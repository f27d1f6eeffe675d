/* SPDX-License-Identifier: BSD-3-Clause
 * The door's entry: types, events, options, and the library's context, of which a process has
 * one. */
#include "aijek.h"

#define TEXT(number)  #number
#define DOTTED(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)
#define VERSION       DOTTED(EK_VERSION_MAJOR, EK_VERSION_MINOR, EK_VERSION_PATCH)

PetscLogEvent ekp_event_plan, ekp_event_symbolic, ekp_event_numeric;
static ek_context *context;
static PetscBool registered = PETSC_FALSE;

/* Makes the context when it is first needed. Ranks usually fill the cores already, so each has one
 * thread unless it is told otherwise. */
PetscErrorCode ekp_context(ek_context **ctx)
{
	PetscInt threads = 1;
	ek_options options = {.size = sizeof options};

	PetscFunctionBegin;
	if (!context) {
		PetscCall(PetscOptionsGetInt(NULL, NULL, "-mat_ek_threads", &threads, NULL));
		PetscCheck(threads >= 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
		           "-mat_ek_threads is %" PetscInt_FMT "; 1 or more is expected", threads);
		options.threads = (int)threads;
		EKP_CALL(ek_context_create(&options, &context));
	}
	*ctx = context;
	PetscFunctionReturn(0);
}

/* Lists all options of a matrix: for -help, and to read them. */
PetscErrorCode ekp_list_options(PetscOptionItems *PetscOptionsObject, ekp_options *o)
{
	PetscInt count = (PetscInt)(sizeof o->calls / sizeof o->calls[0]);
	PetscBool set = PETSC_FALSE;

	PetscFunctionBegin;
	PetscOptionsHeadBegin(PetscOptionsObject, "aijek options");
	PetscCall(PetscOptionsString("-mat_ek_method", "method of MatMult and MatMultAdd",
	                             "ek_hints", o->method, o->method, sizeof o->method, NULL));
	PetscCall(PetscOptionsString("-mat_ek_method_transpose", "method of MatMultTranspose",
	                             "ek_hints", o->method_t, o->method_t, sizeof o->method_t,
	                             NULL));
	PetscCall(PetscOptionsString("-mat_ek_format", "how the matrix is stored for MatMult",
	                             "ek_hints", o->format, o->format, sizeof o->format, NULL));
	PetscCall(PetscOptionsIntArray("-mat_ek_calls",
	                               "expected products, for each level of Galerkin products",
	                               "ek_hints", o->calls, &count, &set));
	if (set)
		o->levels = count;
	PetscCall(PetscOptionsBool("-mat_ek_measure", "try methods in the first products",
	                           "ek_hints", o->measure, &o->measure, NULL));
	PetscCall(PetscOptionsBool("-mat_ek_compare", "keep a plan only if it is faster than aij",
	                           "ek_plan_create", o->compare, &o->compare, NULL));
	PetscCall(PetscOptionsBool("-mat_ek_plan_early", "make the plan at assembly",
	                           "ek_plan_create", o->early, &o->early, NULL));
	PetscCall(PetscOptionsBool("-mat_ek_explain", "print what was chosen, and why",
	                           "ek_plan_explain", o->explain, &o->explain, NULL));
	PetscOptionsHeadEnd();
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_read_options(Mat A, ekp_options *o)
{
	PetscFunctionBegin;
	PetscCall(PetscMemzero(o, sizeof *o));
	PetscObjectOptionsBegin((PetscObject)A);
	PetscCall(ekp_list_options(PetscOptionsObject, o));
	PetscOptionsEnd();
	PetscFunctionReturn(0);
}

/* Lists our options for -help, after those of aij. Plans read them when they are made, as coarse
 * matrices of multigrid never get here. */
PetscErrorCode ekp_set_from_options(Mat A, PetscOptionItems *items)
{
	PetscErrorCode (*aij)(Mat, PetscOptionItems *);
	PetscBool parallel;
	ekp_options o;

	PetscFunctionBegin;
	PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMPIAIJEK, &parallel));
	aij = parallel ? ekp_mpi_aij.setfromoptions : ekp_seq_aij.setfromoptions;
	if (aij)
		PetscCall((*aij)(A, items));
	PetscCall(PetscMemzero(&o, sizeof o));
	PetscCall(ekp_list_options(items, &o));
	PetscFunctionReturn(0);
}

/* Prints what the library says about a plan. */
PetscErrorCode ekp_explain(const char *what, Mat A, const ek_plan *plan)
{
	char text[4096];
	PetscMPIInt rank;

	PetscFunctionBegin;
	PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
	EKP_CALL(ek_plan_explain(plan, text, sizeof text));
	PetscCall(PetscPrintf(PETSC_COMM_SELF,
	                      "[%d] %s, %" PetscInt_FMT " x %" PetscInt_FMT ": %s\n%s\n", rank,
	                      what, A->rmap->n, A->cmap->n, ek_plan_method(plan), text));
	PetscFunctionReturn(0);
}

static PetscErrorCode finalize(void)
{
	PetscFunctionBegin;
	ek_context_destroy(context);
	context = NULL;
	registered = PETSC_FALSE;
	PetscFunctionReturn(0);
}

const char *ek_petsc_version(void)
{
	return VERSION;
}

PetscErrorCode ek_petsc_register(void)
{
	PetscFunctionBegin;
	if (registered)
		PetscFunctionReturn(0);
	PetscCheck(strcmp(ek_version(), VERSION) == 0, PETSC_COMM_SELF, PETSC_ERR_LIB,
	           "libpetscek.so is of evenkeel " VERSION ", but the library is %s", ek_version());
	registered = PETSC_TRUE;
	PetscCall(MatInitializePackage());
	PetscCall(PetscLogEventRegister("MatEKPlan", MAT_CLASSID, &ekp_event_plan));
	PetscCall(PetscLogEventRegister("MatEKProdSym", MAT_CLASSID, &ekp_event_symbolic));
	PetscCall(PetscLogEventRegister("MatEKProdNum", MAT_CLASSID, &ekp_event_numeric));
	PetscCall(ekp_capture_seq());
	PetscCall(ekp_capture_mpi());
	PetscCall(MatRegisterRootName(MATAIJEK, MATSEQAIJEK, MATMPIAIJEK));
	PetscCall(MatRegister(MATSEQAIJEK, ekp_create_seq));
	PetscCall(MatRegister(MATMPIAIJEK, ekp_create_mpi));
	PetscCall(MatSeqAIJRegister(MATSEQAIJEK, ekp_seq_from_aij));
	PetscCall(PetscRegisterFinalize(finalize));
	PetscFunctionReturn(0);
}

/* The name follows from that of the file, libpetscek.so. */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_petscek(void)
{
	PetscFunctionBegin;
	PetscCall(ek_petsc_register());
	PetscFunctionReturn(0);
}
