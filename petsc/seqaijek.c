/* SPDX-License-Identifier: BSD-3-Clause
 * MATSEQAIJEK: MATSEQAIJ with MatMult, MatMultAdd and their transposes by plans.
 *
 * The matrix keeps PETSc's arrays, so assembly, factorisations, relaxation, submatrices and
 * whatever else PETSc does with aij go on as before. Two numbers that PETSc keeps say when a plan
 * is out of date: the nonzero state counts changes of the pattern, the state of the object those
 * of anything. New values do not need a new plan, only ek_matrix_values_changed.
 *
 * Cost: a product costs what ek_spmv costs; a plan is made before the first product, or at
 * assembly with -mat_ek_plan_early. Many matrices that a multigrid setup makes are never
 * multiplied by a vector, so that is not the default. */
#include "aijek.h"

struct _MatOps ekp_seq_aij;

/* With fewer entries, entering a plan takes longer than aij's whole product. */
enum { FEW = 256 };

void ekp_operand_forget(ekp_operand *o)
{
	ek_matrix_destroy(o->matrix);
	o->matrix = NULL;
}

PetscErrorCode ekp_operand_update(ekp_operand *o, Mat A, PetscBool *same)
{
	const PetscInt *row_ptr, *col_idx;
	PetscScalar *val;
	PetscObjectState values;
	ek_context *ctx;

	PetscFunctionBegin;
	PetscCall(MatSeqAIJGetCSRAndMemType(A, &row_ptr, &col_idx, &val, NULL));
	PetscCall(PetscObjectStateGet((PetscObject)A, &values));
	*same = o->matrix && o->row_ptr == row_ptr && o->col_idx == col_idx && o->val == val &&
	                        o->rows == A->rmap->n && o->cols == A->cmap->n &&
	                        o->pattern == A->nonzerostate
	                ? PETSC_TRUE
	                : PETSC_FALSE;
	if (*same) {
		if (o->values != values)
			EKP_CALL(ek_matrix_values_changed(o->matrix));
		o->values = values;
		PetscFunctionReturn(0);
	}
	ekp_operand_forget(o);
	PetscCall(ekp_context(&ctx));
	EKP_CALL(ek_matrix_from_csr(ctx, EKP_VALUE, EKP_INDEX, A->rmap->n, A->cmap->n, row_ptr,
	                            col_idx, val, EK_BORROW | EK_TRUSTED, &o->matrix));
	o->row_ptr = row_ptr;
	o->col_idx = col_idx;
	o->val = val;
	o->rows = A->rmap->n;
	o->cols = A->cmap->n;
	o->pattern = A->nonzerostate;
	o->values = values;
	PetscFunctionReturn(0);
}

static void forget(ekp_state *s)
{
	for (int op = 0; op < 2; op++) {
		ek_plan_destroy(s->plan[op]);
		s->plan[op] = NULL;
	}
	ekp_operand_forget(&s->operand);
	s->aij[0] = s->aij[1] = PETSC_FALSE;
}

PetscErrorCode ekp_state_of(Mat A, ekp_state **s)
{
	PetscFunctionBegin;
	if (!A->spptr) {
		PetscCall(PetscNew(s));
		A->spptr = *s;
	}
	*s = A->spptr;
	PetscFunctionReturn(0);
}

static PetscErrorCode options_of(Mat A, const ekp_state *s, ekp_options *o)
{
	PetscFunctionBegin;
	if (s->given)
		*o = *s->given;
	else
		PetscCall(ekp_read_options(A, o));
	PetscFunctionReturn(0);
}

static PetscErrorCode make_plan(Mat A, ekp_state *s, const ekp_options *o, int op)
{
	ek_hints hints = {.size = sizeof hints, .op = op ? EK_OP_T : EK_OP_N};
	const char *method, *format;
	ek_status status;

	PetscFunctionBegin;
	method = op ? o->method_t : o->method;
	format = op ? "" : o->format;
	hints.method = *method ? method : NULL;
	hints.format = *format ? format : NULL;
	/* The library chooses for y = A x, which writes all of y. Of y = y + A x it need not. */
	if (!op && s->added && !*method && !*format && s->filled < s->operand.rows / 2)
		hints.method = "spmv.csr.nonempty";
	if (o->levels)
		hints.calls = o->calls[PetscMin(s->level, o->levels - 1)];
	hints.measure = o->measure ? 1 : 0;
	PetscCall(PetscLogEventBegin(ekp_event_plan, A, 0, 0, 0));
	status = ek_plan_create(EK_SPMV, s->operand.matrix, &hints, &s->plan[op]);
	PetscCall(PetscLogEventEnd(ekp_event_plan, A, 0, 0, 0));
	EKP_CALL(status);
	if (o->compare)
		PetscCall(ekp_compare(A, op, !op && s->added ? PETSC_TRUE : PETSC_FALSE,
		                      s->plan[op], &s->aij[op]));
	if (o->explain && s->aij[op])
		PetscCall(PetscPrintf(PETSC_COMM_SELF, "slower than aij, whose loops are used:\n"));
	if (o->explain)
		PetscCall(ekp_explain(op ? "MatMultTranspose" : "MatMult", A, s->plan[op]));
	if (s->aij[op]) {
		ek_plan_destroy(s->plan[op]);
		s->plan[op] = NULL;
	}
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_plan(Mat A, int op)
{
	ekp_state *s;
	const PetscInt *row_ptr;
	ekp_options o;
	PetscBool same;

	PetscFunctionBegin;
	PetscCall(ekp_state_of(A, &s));
	PetscCall(ekp_operand_update(&s->operand, A, &same));
	if (!same) {
		for (int k = 0; k < 2; k++) {
			ek_plan_destroy(s->plan[k]);
			s->plan[k] = NULL;
		}
		row_ptr = s->operand.row_ptr;
		s->filled = 0;
		s->aij[0] = s->aij[1] = PETSC_FALSE;
		for (PetscInt i = 0; i < s->operand.rows; i++)
			s->filled += row_ptr[i + 1] > row_ptr[i];
	}
	if (!s->plan[op] && !s->aij[op]) {
		PetscCall(options_of(A, s, &o));
		s->aij[op] = !s->filled || (s->operand.row_ptr[s->operand.rows] < FEW &&
		                            !*o.method && !*o.method_t)
		                     ? PETSC_TRUE
		                     : PETSC_FALSE;
		if (!s->aij[op])
			PetscCall(make_plan(A, s, &o, op));
	}
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_give_options(Mat A, PetscBool added, PetscInt level, const ekp_options *o)
{
	ekp_state *s;

	PetscFunctionBegin;
	PetscCall(ekp_state_of(A, &s));
	s->level = level;
	s->added = added;
	if (!s->given)
		PetscCall(PetscNew(&s->given));
	*s->given = *o;
	PetscFunctionReturn(0);
}

static PetscErrorCode aij_multiply(Mat A, int op, Vec x, Vec y, Vec z)
{
	if (y)
		return op ? (*ekp_seq_aij.multtransposeadd)(A, x, y, z)
		          : (*ekp_seq_aij.multadd)(A, x, y, z);
	return op ? (*ekp_seq_aij.multtranspose)(A, x, z) : (*ekp_seq_aij.mult)(A, x, z);
}

/* Computes z = op(A) x, or z = y + op(A) x if y is not NULL; y may be z. Lengths are those of A, as
 * blocks of parallel matrices are multiplied by parallel vectors. */
static PetscErrorCode multiply(Mat A, int op, Vec x, Vec y, Vec z)
{
	ekp_state *s;
	const PetscInt rows = op ? A->cmap->n : A->rmap->n, cols = op ? A->rmap->n : A->cmap->n;
	const PetscScalar *px, *py;
	PetscScalar *pz;
	ek_dense vx, vy, vz;

	PetscFunctionBegin;
	PetscCall(ekp_state_of(A, &s));
	if (!s->aij[op] || s->operand.pattern != A->nonzerostate)
		PetscCall(ekp_plan(A, op));
	if (s->aij[op]) {
		PetscCall(aij_multiply(A, op, x, y, z));
		PetscFunctionReturn(0);
	}
	PetscCall(VecGetArrayRead(x, &px));
	vx = ek_vector(EKP_VALUE, cols, px);
	if (y && y != z) {
		PetscCall(VecGetArrayRead(y, &py));
		PetscCall(VecGetArrayWrite(z, &pz));
		vy = ek_vector(EKP_VALUE, rows, py);
		vz = ek_vector(EKP_VALUE, rows, pz);
		EKP_CALL(ek_spmv_add(s->plan[op], 1, &vx, 1, &vy, &vz));
		PetscCall(VecRestoreArrayRead(y, &py));
		PetscCall(VecRestoreArrayWrite(z, &pz));
	} else {
		PetscCall(VecGetArray(z, &pz));
		vz = ek_vector(EKP_VALUE, rows, pz);
		EKP_CALL(ek_spmv(s->plan[op], 1, &vx, y ? 1 : 0, &vz));
		PetscCall(VecRestoreArray(z, &pz));
	}
	PetscCall(VecRestoreArrayRead(x, &px));
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

static PetscErrorCode ekp_seq_assemblyend(Mat A, MatAssemblyType mode)
{
	ekp_state *s;
	ekp_options o;

	PetscFunctionBegin;
	PetscCall(ekp_state_of(A, &s));
	/* Arrays that were allocated anew may lie where the old ones lay. */
	if (mode == MAT_FINAL_ASSEMBLY &&
	    !(A->was_assembled && A->ass_nonzerostate == A->nonzerostate))
		forget(s);
	PetscCall((*ekp_seq_aij.assemblyend)(A, mode));
	if (mode == MAT_FLUSH_ASSEMBLY)
		PetscFunctionReturn(0);
	PetscCall(options_of(A, s, &o));
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
#define EKP_SEQ_OPS(X) \
	X(mult) X(multadd) X(multtranspose) X(multtransposeadd) X(assemblyend) X(view) X(destroy)

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

static PetscErrorCode compose(Mat A, PetscBool on)
{
	PetscFunctionBegin;
	for (size_t k = 0; k < sizeof composed / sizeof composed[0]; k++)
		PetscCall(PetscObjectComposeFunction((PetscObject)A, composed[k].name,
		                                     on ? composed[k].f : (PetscVoidFunction)NULL));
	PetscFunctionReturn(0);
}

/* Makes A aij again, in place. */
static PetscErrorCode uninstall(Mat A)
{
	ekp_state *s;

	PetscFunctionBegin;
	PetscCall(ekp_state_of(A, &s));
	forget(s);
	PetscCall(PetscFree(s->given));
	PetscCall(PetscFree(A->spptr));
#define RESTORE(op) A->ops->op = ekp_seq_aij.op;
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

static PetscErrorCode install(Mat A)
{
	PetscFunctionBegin;
	if (!ekp_seq_aij.destroy)
		ekp_seq_aij = *A->ops;
#define REPLACE(op) A->ops->op = ekp_seq_##op;
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
	PetscBool already;
	Mat B = *M;

	PetscFunctionBegin;
	(void)type;
	if (reuse == MAT_REUSE_MATRIX) {
		PetscCall(MatCopy(A, B, SAME_NONZERO_PATTERN));
		PetscFunctionReturn(0);
	}
	if (reuse == MAT_INITIAL_MATRIX)
		PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
	PetscCall(PetscObjectTypeCompare((PetscObject)B, MATSEQAIJEK, &already));
	if (!already)
		PetscCall(install(B));
	*M = B;
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_seq_to_aij(Mat A, MatType type, MatReuse reuse, Mat *M)
{
	Mat B = *M;

	PetscFunctionBegin;
	(void)type;
	if (reuse == MAT_REUSE_MATRIX) {
		PetscCall(MatCopy(A, B, SAME_NONZERO_PATTERN));
		PetscFunctionReturn(0);
	}
	if (reuse == MAT_INITIAL_MATRIX)
		PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
	PetscCall(uninstall(B));
	*M = B;
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_create_seq(Mat A)
{
	PetscFunctionBegin;
	PetscCall(MatSetType(A, MATSEQAIJ));
	PetscCall(ekp_seq_from_aij(A, MATSEQAIJEK, MAT_INPLACE_MATRIX, &A));
	PetscFunctionReturn(0);
}
