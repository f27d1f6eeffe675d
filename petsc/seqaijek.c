/* SPDX-License-Identifier: BSD-3-Clause
 * MATSEQAIJEK: MATSEQAIJ with MatMult, MatMultAdd and their transposes by plans.
 *
 * The matrix keeps PETSc's arrays, so assembly, factorisations, relaxation, submatrices and
 * whatever else PETSc does with aij go on as before.
 *
 * Cost: a product costs what ek_spmv costs; a plan is made before the first product, or at
 * assembly with -mat_ek_plan_early. Many matrices that a multigrid setup makes are never
 * multiplied by a vector, so that is not the default. */
#include "aijek.h"

struct _MatOps ekp_seq_aij;

PetscErrorCode ekp_aij_multiply(Mat A, int op, Vec x, Vec y, Vec z)
{
	if (y)
		return op ? (*ekp_seq_aij.multtransposeadd)(A, x, y, z)
		          : (*ekp_seq_aij.multadd)(A, x, y, z);
	return op ? (*ekp_seq_aij.multtranspose)(A, x, z) : (*ekp_seq_aij.mult)(A, x, z);
}

/* Does the same as ekp_aij_multiply, by a plan if there is one. Lengths are those of A, as blocks
 * of parallel matrices are multiplied by parallel vectors. */
static PetscErrorCode multiply(Mat A, int op, Vec x, Vec y, Vec z)
{
	ekp_state *s;
	const PetscInt rows = op ? A->cmap->n : A->rmap->n, cols = op ? A->rmap->n : A->cmap->n;
	const PetscScalar *px, *py;
	PetscScalar *pz;
	ek_dense vx, vy, vz;
	ek_status status;

	PetscFunctionBegin;
	PetscCall(ekp_state_of(A, &s));
	if (!s->aij[op] || s->operand.pattern != A->nonzerostate)
		PetscCall(ekp_plan(A, op));
	if (s->aij[op]) {
		PetscCall(ekp_aij_multiply(A, op, x, y, z));
		PetscFunctionReturn(0);
	}
	PetscCall(VecGetArrayRead(x, &px));
	vx = ek_vector(EKP_VALUE, cols, px);
	if (y && y != z) {
		PetscCall(VecGetArrayRead(y, &py));
		PetscCall(VecGetArrayWrite(z, &pz));
		vy = ek_vector(EKP_VALUE, rows, py);
		vz = ek_vector(EKP_VALUE, rows, pz);
		status = ek_spmv_add(s->plan[op], 1, &vx, 1, &vy, &vz);
		PetscCall(VecRestoreArrayRead(y, &py));
		PetscCall(VecRestoreArrayWrite(z, &pz));
	} else {
		PetscCall(VecGetArray(z, &pz));
		vz = ek_vector(EKP_VALUE, rows, pz);
		status = ek_spmv(s->plan[op], 1, &vx, y ? 1 : 0, &vz);
		PetscCall(VecRestoreArray(z, &pz));
	}
	PetscCall(VecRestoreArrayRead(x, &px));
	EKP_CALL(status);
	PetscCall(PetscLogFlops(2.0 * s->operand.row_ptr[A->rmap->n] - (y || op ? 0 : s->filled)));
	PetscFunctionReturn(0);
}

static PetscErrorCode ekp_seq_mult(Mat A, Vec x, Vec y)
{
	return multiply(A, 0, x, NULL, y);
}

static PetscErrorCode ekp_seq_multadd(Mat A, Vec x, Vec y, Vec z)
{
	return multiply(A, 0, x, y, z);
}

static PetscErrorCode ekp_seq_multtranspose(Mat A, Vec x, Vec y)
{
	return multiply(A, 1, x, NULL, y);
}

static PetscErrorCode ekp_seq_multtransposeadd(Mat A, Vec x, Vec y, Vec z)
{
	return multiply(A, 1, x, y, z);
}

/* Lists the products, and which op of A they take. */
#define EKP_SEQ_PRODUCTS(X) X(mult, 0) X(multadd, 0) X(multtranspose, 1) X(multtransposeadd, 1)

/* Our functions only pass products on that aij's loops do, which takes nanoseconds: more than a
 * tenth of a product with four rows. Functions that are neither (MatSetOperation) stay. After
 * MatHeaderMerge A has the functions of the matrix that it was: this is right, and seen to at the
 * next assembly. */
void ekp_route(Mat A)
{
	const ekp_state *s = A->spptr;

#define ROUTE(product, op)                                                            \
	if (A->ops->product == ekp_seq_##product || A->ops->product == ekp_seq_aij.product) \
		A->ops->product = s && s->aij[op] ? ekp_seq_aij.product : ekp_seq_##product;
	EKP_SEQ_PRODUCTS(ROUTE)
#undef ROUTE
}

static PetscErrorCode ekp_seq_assemblyend(Mat A, MatAssemblyType mode)
{
	const ekp_state *s = A->spptr; /* often NULL: many matrices are never multiplied */
	ekp_options o;

	PetscFunctionBegin;
	/* Arrays that were allocated anew may lie where the old ones lay. */
	if (mode == MAT_FINAL_ASSEMBLY &&
	    !(A->was_assembled && A->ass_nonzerostate == A->nonzerostate))
		ekp_forget(A);
	ekp_route(A);
	PetscCall((*ekp_seq_aij.assemblyend)(A, mode));
	/* Blocks get the options of the whole after its assembly, which is under way. */
	if (mode == MAT_FLUSH_ASSEMBLY || ekp_assembling_whole)
		PetscFunctionReturn(0);
	PetscCall(ekp_options_of(A, s, &o));
	if (o.early)
		PetscCall(ekp_plan(A, 0));
	PetscFunctionReturn(0);
}

static PetscErrorCode ekp_seq_view(Mat A, PetscViewer viewer)
{
	ekp_state *s;
	PetscViewerFormat format;
	PetscBool ascii;

	PetscFunctionBegin;
	PetscCall(ekp_state_of(A, &s));
	PetscCall((*ekp_seq_aij.view)(A, viewer));
	PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
	if (!ascii || !s->plan[0])
		PetscFunctionReturn(0);
	PetscCall(PetscViewerGetFormat(viewer, &format));
	if (format == PETSC_VIEWER_ASCII_INFO || format == PETSC_VIEWER_ASCII_INFO_DETAIL)
		PetscCall(PetscViewerASCIIPrintf(viewer, "evenkeel: method %s, format %s\n",
		                                 ek_plan_method(s->plan[0]),
		                                 ek_plan_format(s->plan[0])));
	PetscFunctionReturn(0);
}

static PetscErrorCode ekp_seq_destroy(Mat A);

/* Lists the functions of aij that ours replace, ekp_seq_NAME. */
#define EKP_SEQ_OPS(X) EKP_SEQ_PRODUCTS(X) X(assemblyend, ) X(view, ) X(destroy, )

/* Lists what is composed with a matrix: how PETSc finds conversions and products. */
static const struct {
	const char *name;
	PetscVoidFunction f;
} composed[] = {
	{"MatConvert_seqaijek_seqaij_C", (PetscVoidFunction)ekp_seq_to_aij},
	{"MatConvert_seqaij_seqaijek_C", (PetscVoidFunction)ekp_seq_from_aij},
	{"MatProductSetFromOptions_seqaijek_seqaij_C", (PetscVoidFunction)ekp_product_sparse},
	{"MatProductSetFromOptions_seqaij_seqaijek_C", (PetscVoidFunction)ekp_product_sparse},
	{"MatProductSetFromOptions_seqaijek_seqdense_C", (PetscVoidFunction)ekp_product_dense},
	{"MatProductSetFromOptions_seqdense_seqaijek_C", (PetscVoidFunction)ekp_product_as_aij},
};

static PetscVoidFunction aij_retrieve;

/* Does what MatRetrieveValues of aij does, which changes the values but not the object's state. */
static PetscErrorCode retrieve_values(Mat A)
{
	PetscFunctionBegin;
	PetscCall((*(PetscErrorCode(*)(Mat))aij_retrieve)(A));
	PetscCall(PetscObjectStateIncrease((PetscObject)A));
	PetscFunctionReturn(0);
}

static PetscErrorCode compose(Mat A, PetscBool on)
{
	PetscFunctionBegin;
	PetscCall(
		PetscObjectComposeFunction((PetscObject)A, "MatRetrieveValues_C",
	                                   on ? (PetscVoidFunction)retrieve_values : aij_retrieve));
	for (size_t k = 0; k < sizeof composed / sizeof composed[0]; k++)
		PetscCall(PetscObjectComposeFunction((PetscObject)A, composed[k].name,
		                                     on ? composed[k].f : (PetscVoidFunction)NULL));
	PetscFunctionReturn(0);
}

/* Makes A aij again, in place. */
static PetscErrorCode uninstall(Mat A)
{
	ekp_state *s = A->spptr;

	PetscFunctionBegin;
	ekp_forget(A);
	if (s)
		PetscCall(PetscFree(s->given));
	PetscCall(PetscFree(A->spptr));
#define RESTORE(name, op) A->ops->name = ekp_seq_aij.name;
	EKP_SEQ_OPS(RESTORE)
#undef RESTORE
	A->ops->convert = ekp_seq_aij.convert;
	A->ops->setfromoptions = ekp_seq_aij.setfromoptions;
	A->ops->productsetfromoptions = ekp_seq_aij.productsetfromoptions;
	PetscCall(compose(A, PETSC_FALSE));
	PetscCall(PetscObjectChangeTypeName((PetscObject)A, MATSEQAIJ));
	PetscFunctionReturn(0);
}

static PetscErrorCode ekp_seq_destroy(Mat A)
{
	PetscFunctionBegin;
	PetscCall(uninstall(A));
	PetscCall((*ekp_seq_aij.destroy)(A));
	PetscFunctionReturn(0);
}

/* Sets the type to plain seqaij, whatever -mat_seqaij_type is: under a prefix that nobody uses. */
static PetscErrorCode set_plain_type(Mat A)
{
	const char *prefix;
	char *kept;

	PetscFunctionBegin;
	PetscCall(MatGetOptionsPrefix(A, &prefix));
	PetscCall(PetscStrallocpy(prefix, &kept));
	PetscCall(MatSetOptionsPrefix(A, "ek_plain_"));
	PetscCall(MatSetType(A, MATSEQAIJ));
	PetscCall(MatSetOptionsPrefix(A, kept));
	PetscCall(PetscFree(kept));
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_capture_seq(void)
{
	Mat A;

	PetscFunctionBegin;
	PetscCall(MatCreate(PETSC_COMM_SELF, &A));
	PetscCall(MatSetSizes(A, 1, 1, 1, 1));
	PetscCall(set_plain_type(A));
	ekp_seq_aij = *A->ops;
	PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatRetrieveValues_C", &aij_retrieve));
	PetscCall(MatDestroy(&A));
	PetscFunctionReturn(0);
}

/* Makes a matrix of a subtype of seqaij a plain one, in place: subtypes have their own functions
 * and keep their data where ours is. */
static PetscErrorCode make_plain(Mat A)
{
	char converter[256];
	PetscErrorCode (*f)(Mat, MatType, MatReuse, Mat *);
	const char *type = ((PetscObject)A)->type_name;
	PetscBool plain;

	PetscFunctionBegin;
	PetscCall(PetscStrcmp(type, MATSEQAIJ, &plain));
	if (plain)
		PetscFunctionReturn(0);
	PetscCall(PetscSNPrintf(converter, sizeof converter, "MatConvert_%s_seqaij_C", type));
	PetscCall(PetscObjectQueryFunction((PetscObject)A, converter, &f));
	PetscCheck(f, PETSC_COMM_SELF, PETSC_ERR_SUP,
	           "a matrix of type %s cannot become " MATSEQAIJEK
	           ", as PETSc does not convert it to " MATSEQAIJ " in place",
	           type);
	PetscCall((*f)(A, MATSEQAIJ, MAT_INPLACE_MATRIX, &A));
	PetscFunctionReturn(0);
}

/* Makes A aijek, in place, if it is not. */
static PetscErrorCode install(Mat A)
{
	PetscBool already;

	PetscFunctionBegin;
	PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJEK, &already));
	if (already)
		PetscFunctionReturn(0);
	PetscCall(make_plain(A));
#define REPLACE(name, op) A->ops->name = ekp_seq_##name;
	EKP_SEQ_OPS(REPLACE)
#undef REPLACE
	A->ops->convert = ekp_convert;
	A->ops->setfromoptions = ekp_set_from_options;
	A->ops->productsetfromoptions = ekp_product_sparse;
	PetscCall(compose(A, PETSC_TRUE));
	PetscCall(PetscObjectChangeTypeName((PetscObject)A, MATSEQAIJEK));
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_seq_from_aij(Mat A, MatType type, MatReuse reuse, Mat *M)
{
	(void)type;
	return ekp_convert_by(install, A, reuse, M);
}

PetscErrorCode ekp_seq_to_aij(Mat A, MatType type, MatReuse reuse, Mat *M)
{
	(void)type;
	return ekp_convert_by(uninstall, A, reuse, M);
}

PetscErrorCode ekp_create_seq(Mat A)
{
	PetscFunctionBegin;
	PetscCall(set_plain_type(A));
	PetscCall(ekp_seq_from_aij(A, MATSEQAIJEK, MAT_INPLACE_MATRIX, &A));
	PetscFunctionReturn(0);
}
