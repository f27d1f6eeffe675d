/* SPDX-License-Identifier: BSD-3-Clause
 * Plans of a sequential matrix: when they are made, with which hints, and when they are out of
 * date. Two numbers that PETSc keeps say the latter: the nonzero state counts changes of the
 * pattern, the state of the object those of anything. New values do not need a new plan, only
 * ek_matrix_values_changed. */
#include "aijek.h"

/* With fewer entries, entering a plan takes longer than aij's whole product; the second number is
 * for matrices with equal rows in sequence (inodes), for which aij has faster loops. */
enum { FEW = 512, FEW_INODES = 1024 };

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
	PetscObjectId id;
	ek_context *ctx;

	PetscFunctionBegin;
	PetscCall(MatSeqAIJGetCSRAndMemType(A, &row_ptr, &col_idx, &val, NULL));
	PetscCall(PetscObjectStateGet((PetscObject)A, &values));
	PetscCall(PetscObjectGetId((PetscObject)A, &id));
	*same = o->matrix && o->id == id && o->row_ptr == row_ptr && o->col_idx == col_idx &&
	                        o->val == val && o->rows == A->rmap->n && o->cols == A->cmap->n &&
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
	o->id = id;
	o->row_ptr = row_ptr;
	o->col_idx = col_idx;
	o->val = val;
	o->rows = A->rmap->n;
	o->cols = A->cmap->n;
	o->pattern = A->nonzerostate;
	o->values = values;
	PetscFunctionReturn(0);
}

/* Forgets which way products are done. */
static void forget_plans(Mat A)
{
	ekp_state *s = A->spptr;

	for (int op = 0; op < 2; op++) {
		ek_plan_destroy(s->plan[op]);
		s->plan[op] = NULL;
		s->aij[op] = PETSC_FALSE;
	}
	ekp_route(A);
}

void ekp_forget(Mat A)
{
	ekp_state *s = A->spptr;

	if (!s)
		return;
	forget_plans(A);
	ekp_operand_forget(&s->operand);
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

PetscErrorCode ekp_options_of(Mat A, const ekp_state *s, ekp_options *o)
{
	PetscFunctionBegin;
	if (s && s->given)
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
	if (o->explain && o->compare)
		PetscCall(PetscPrintf(PETSC_COMM_SELF, "compared with aij: %s:\n",
		                      s->aij[op] ? "slower, aij's loops are used" : "not slower"));
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
	PetscInt inodes = 0, few;
	ekp_options o;
	PetscBool same;

	PetscFunctionBegin;
	PetscCall(ekp_state_of(A, &s));
	PetscCall(ekp_operand_update(&s->operand, A, &same));
	if (!same) {
		forget_plans(A);
		row_ptr = s->operand.row_ptr;
		s->filled = 0;
		for (PetscInt i = 0; i < s->operand.rows; i++)
			s->filled += row_ptr[i + 1] > row_ptr[i];
	}
	if (!s->plan[op] && !s->aij[op]) {
		PetscCall(ekp_options_of(A, s, &o));
		/* MatInodeGetInodeSizes itself refuses a matrix that is being assembled. */
		PetscTryMethod(A, "MatInodeGetInodeSizes_C",
		               (Mat, PetscInt *, PetscInt **, PetscInt *),
		               (A, &inodes, NULL, NULL));
		few = inodes ? FEW_INODES : FEW;
		s->aij[op] = !s->filled || (s->operand.row_ptr[s->operand.rows] < few &&
		                            !*o.method && !*o.method_t && !*o.format)
		                     ? PETSC_TRUE
		                     : PETSC_FALSE;
		if (!s->aij[op])
			PetscCall(make_plan(A, s, &o, op));
		ekp_route(A);
	}
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_take_level(Mat C)
{
	const Mat_Product *product = C->product;
	ekp_state *from, *to;
	PetscBool ours;

	PetscFunctionBegin;
	if (!product || product->type != MATPRODUCT_PtAP)
		PetscFunctionReturn(0);
	PetscCall(PetscObjectTypeCompareAny((PetscObject)product->A, &ours, MATSEQAIJEK,
	                                    MATMPIAIJEK, ""));
	if (!ours)
		PetscFunctionReturn(0);
	PetscCall(ekp_state_of(product->A, &from));
	PetscCall(ekp_state_of(C, &to));
	to->level = from->level + 1;
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_give_options(Mat A, PetscBool added, PetscInt level, const ekp_options *o)
{
	ekp_state *s;

	PetscFunctionBegin;
	PetscCall(ekp_state_of(A, &s));
	if (!s->given || s->level != level || s->added != added ||
	    memcmp(s->given, o, sizeof *o) != 0) /* both had their bytes set to 0 first */
		forget_plans(A);
	s->level = level;
	s->added = added;
	if (!s->given)
		PetscCall(PetscNew(&s->given));
	*s->given = *o;
	PetscFunctionReturn(0);
}
