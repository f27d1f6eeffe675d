/* SPDX-License-Identifier: BSD-3-Clause
 * MatProduct on one rank: AB, AtB, ABt, PtAP and RARt of sparse matrices by ek_spgemm and
 * ek_triple. denseproduct.c multiplies by dense matrices, mpiproduct.c parallel ones.
 *
 * The symbolic phase makes the plan and C, with its values, since the library's first run finds
 * pattern and values together; the numeric phase that follows it has nothing left to do. Later ones
 * let the library write values straight into PETSc's array (ek_result_values). C has its arrays
 * twice, once as PETSc's and once as the library's, whose pattern the plan needs. If PETSc's C has
 * got more entries since, values go into the library's C, and from there to their places. */
#include "aijek.h"

typedef struct product {
	ekp_operand A, B;
	ek_plan *plan;
	ek_matrix *C;
	PetscBool fresh; /* the library's C has the values of A and B */
	PetscBool done;  /* PETSc's C has them, for as long as its state is `values` */
	PetscLogDouble multiplications;
	/* PETSc's arrays that have the pattern of the library's C, NULL if none are known; they
	 * have it for as long as the nonzero state is `pattern`. */
	const PetscInt *row_ptr, *col_idx;
	PetscObjectState pattern, values;
} product;

/* Says which operation of the library a product of PETSc is; operation 0: none. */
typedef struct kind {
	ek_operation operation;
	ek_op op, op_b;
} kind;

static kind kind_of(MatProductType type)
{
	switch (type) {
	case MATPRODUCT_AB: return (kind){EK_SPGEMM, EK_OP_N, EK_OP_N};
	case MATPRODUCT_AtB: return (kind){EK_SPGEMM, EK_OP_T, EK_OP_N};
	case MATPRODUCT_ABt: return (kind){EK_SPGEMM, EK_OP_N, EK_OP_T};
	case MATPRODUCT_PtAP: return (kind){EK_TRIPLE, EK_OP_N, EK_OP_N};
	case MATPRODUCT_RARt: return (kind){EK_TRIPLE, EK_OP_N, EK_OP_T};
	default: return (kind){0};
	}
}

static PetscErrorCode destroy(void *data)
{
	product *p = data;

	PetscFunctionBegin;
	ek_plan_destroy(p->plan);
	ek_matrix_destroy(p->C);
	ekp_operand_forget(&p->A);
	ekp_operand_forget(&p->B);
	PetscCall(PetscFree(p));
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_product_plan(Mat C, const char *what, ek_operation operation, const ek_matrix *A,
                                const ek_hints *hints, ek_plan **plan)
{
	Mat of = C->product->A;
	ekp_options o;
	ek_status status;

	PetscFunctionBegin;
	ek_plan_destroy(*plan);
	*plan = NULL;
	PetscCall(PetscLogEventBegin(ekp_event_plan, of, C->product->B, 0, 0));
	status = ek_plan_create(operation, A, hints, plan);
	PetscCall(PetscLogEventEnd(ekp_event_plan, of, C->product->B, 0, 0));
	EKP_CALL(status);
	PetscCall(ekp_read_options(of, &o));
	if (o.explain)
		PetscCall(ekp_explain(what, of, *plan));
	PetscFunctionReturn(0);
}

static ekp_pattern pattern_of(const ekp_operand *o)
{
	return (ekp_pattern){o->rows, o->cols, o->row_ptr, o->col_idx};
}

/* Computes values: into PETSc's array `val` of nnz entries, which has the pattern of the library's
 * C, or into that C if `val` is NULL. Logs the flops. */
static PetscErrorCode multiply(MatProductType type, product *p, PetscInt nnz, PetscScalar *val)
{
	const ekp_pattern A = pattern_of(&p->A), B = pattern_of(&p->B);

	PetscFunctionBegin;
	if (val)
		EKP_CALL(ek_result_values(p->plan, 1, 0, p->C, nnz, val));
	else if (kind_of(type).operation == EK_SPGEMM)
		EKP_CALL(ek_spgemm(p->plan, 1, 0, &p->C));
	else
		EKP_CALL(ek_triple(p->plan, 1, &p->C));
	if (!val)
		p->fresh = PETSC_TRUE;
	PetscCall(ekp_log_product(type, &A, &B, &p->multiplications));
	PetscFunctionReturn(0);
}

/* Brings the operands up to date. If their arrays are others than before, makes the plan and the
 * library's C again. */
static PetscErrorCode update(Mat C, product *p)
{
	kind k = kind_of(C->product->type);
	ek_hints hints = {.size = sizeof hints, .op = k.op, .op_b = k.op_b};
	PetscObjectState old_a = p->A.values, old_b = p->B.values;
	PetscBool same_a, same_b;

	PetscFunctionBegin;
	PetscCall(ekp_operand_update(&p->A, C->product->A, &same_a));
	PetscCall(ekp_operand_update(&p->B, C->product->B, &same_b));
	if (!p->plan || !same_a || !same_b) {
		ek_matrix_destroy(p->C);
		p->C = NULL;
		p->row_ptr = NULL;
		p->multiplications = -1;
		hints.B = p->B.matrix;
		PetscCall(ekp_product_plan(C, MatProductTypes[C->product->type], k.operation,
		                           p->A.matrix, &hints, &p->plan));
	} else if (old_a == p->A.values && old_b == p->B.values) {
		PetscFunctionReturn(0);
	}
	p->fresh = p->done = PETSC_FALSE;
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_view_of(const ek_matrix *C, const char *array, ek_view *view)
{
	PetscFunctionBegin;
	view->size = sizeof *view;
	EKP_CALL(ek_matrix_array(C, array, view));
	PetscFunctionReturn(0);
}

PetscBool ekp_put_row(PetscInt count, const PetscInt *from_idx, const PetscScalar *from,
                      PetscInt room, const PetscInt *idx, PetscScalar *to)
{
	PetscInt k = 0;

	for (PetscInt m = 0; m < room; m++) {
		const int has = k < count && from_idx[k] == idx[m];

		if (to)
			to[m] = has ? from[k] : 0;
		k += has;
	}
	return k == count ? PETSC_TRUE : PETSC_FALSE;
}

/* Does so for all rows. *all is false if a column is missing. */
static void scatter(PetscInt rows, const PetscInt *from_ptr, const PetscInt *from_idx,
                    const PetscScalar *from, const PetscInt *row_ptr, const PetscInt *col_idx,
                    PetscScalar *val, PetscBool *all)
{
	*all = PETSC_TRUE;
	for (PetscInt i = 0; i < rows && *all; i++) {
		const PetscInt k = from_ptr[i], m = row_ptr[i];

		*all = ekp_put_row(from_ptr[i + 1] - k, from_idx + k, from + k, row_ptr[i + 1] - m,
		                   col_idx + m, val ? val + m : NULL);
	}
}

/* Tells whether PETSc's C has the pattern of the library's. If it is not the matrix that the
 * symbolic phase left, or if an operand has a new pattern, patterns are compared again. */
static PetscErrorCode compare(Mat C, product *p, const ek_view *rows, const ek_view *cols,
                              PetscBool *same)
{
	const PetscInt *row_ptr, *col_idx;
	PetscInt nnz;

	PetscFunctionBegin;
	PetscCheck(rows->len == C->rmap->n + 1, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
	           "the product has another number of rows than before: use MAT_INITIAL_MATRIX");
	PetscCall(MatSeqAIJGetCSRAndMemType(C, &row_ptr, &col_idx, NULL, NULL));
	nnz = row_ptr[C->rmap->n];
	*same = p->row_ptr == row_ptr && p->col_idx == col_idx && p->pattern == C->nonzerostate &&
	                        cols->len == nnz
	                ? PETSC_TRUE
	                : PETSC_FALSE;
	if (!*same && cols->len == nnz) {
		PetscCall(PetscArraycmp(row_ptr, (const PetscInt *)rows->data, rows->len, same));
		if (*same)
			PetscCall(PetscArraycmp(col_idx, (const PetscInt *)cols->data, nnz, same));
	}
	p->row_ptr = *same ? row_ptr : NULL;
	p->col_idx = col_idx;
	PetscFunctionReturn(0);
}

/* Writes values into the array of PETSc's C, which has the same pattern. */
static PetscErrorCode write_values(Mat C, product *p, PetscInt nnz)
{
	PetscErrorCode code = 0;
	PetscScalar *val;
	ek_view v;

	PetscFunctionBegin;
	PetscCall(MatSeqAIJGetArrayWrite(C, &val));
	if (p->fresh) {
		PetscCall(ekp_view_of(p->C, "val", &v));
		PetscCall(PetscArraycpy(val, (const PetscScalar *)v.data, nnz));
	} else if (nnz > 0) {
		code = multiply(C->product->type, p, nnz, val);
	}
	PetscCall(MatSeqAIJRestoreArrayWrite(C, &val));
	PetscCall(code);
	PetscFunctionReturn(0);
}

/* Puts values into PETSc's C, which has more entries than the library's; those become zero. */
static PetscErrorCode spread_values(Mat C, product *p, const ek_view *rows, const ek_view *cols)
{
	const PetscInt *row_ptr, *col_idx;
	PetscScalar *val;
	PetscBool all;
	ek_view v;

	PetscFunctionBegin;
	if (!p->fresh)
		PetscCall(multiply(C->product->type, p, 0, NULL));
	PetscCall(ekp_view_of(p->C, "val", &v));
	PetscCall(MatSeqAIJGetCSRAndMemType(C, &row_ptr, &col_idx, NULL, NULL));
	scatter(C->rmap->n, rows->data, cols->data, v.data, row_ptr, col_idx, NULL, &all);
	PetscCheck(all, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
	           "the product has another pattern than before: use MAT_INITIAL_MATRIX");
	PetscCall(MatSeqAIJGetArrayWrite(C, &val));
	scatter(C->rmap->n, rows->data, cols->data, v.data, row_ptr, col_idx, val, &all);
	PetscCall(MatSeqAIJRestoreArrayWrite(C, &val));
	PetscFunctionReturn(0);
}

/* Gives PETSc's C the values that A and B have now, unless it has them. */
static PetscErrorCode put_values(Mat C, product *p)
{
	PetscObjectState values;
	PetscBool same;
	ek_view rows, cols;

	PetscFunctionBegin;
	PetscCall(ekp_view_of(p->C, "row_ptr", &rows));
	PetscCall(ekp_view_of(p->C, "col_idx", &cols));
	PetscCall(compare(C, p, &rows, &cols, &same));
	PetscCall(PetscObjectStateGet((PetscObject)C, &values));
	if (same && p->done && p->values == values)
		PetscFunctionReturn(0);
	p->done = PETSC_FALSE;
	if (same)
		PetscCall(write_values(C, p, (PetscInt)cols.len));
	else
		PetscCall(spread_values(C, p, &rows, &cols));
	PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
	PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
	/* Assembly of a new matrix changes the states. */
	p->pattern = C->nonzerostate;
	PetscCall(PetscObjectStateGet((PetscObject)C, &p->values));
	p->done = PETSC_TRUE;
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_product_phase(Mat C, PetscLogEvent event,
                                 PetscErrorCode (*phase)(Mat C, void *data))
{
	void *data = C->product->data;
	PetscErrorCode code;

	PetscFunctionBegin;
	PetscCheck(data, PETSC_COMM_SELF, PETSC_ERR_ORDER, "the symbolic phase must come first");
	PetscCall(PetscLogEventBegin(event, C, 0, 0, 0));
	code = (*phase)(C, data);
	PetscCall(PetscLogEventEnd(event, C, 0, 0, 0));
	PetscCall(code);
	PetscFunctionReturn(0);
}

static PetscErrorCode renew(Mat C, void *data)
{
	product *p = data;

	PetscFunctionBegin;
	PetscCall(update(C, p));
	if (!p->C)
		PetscCall(multiply(C->product->type, p, 0, NULL));
	PetscCall(put_values(C, p));
	PetscFunctionReturn(0);
}

static PetscErrorCode numeric(Mat C)
{
	PetscFunctionBegin;
	PetscCall(ekp_product_phase(C, ekp_event_numeric, renew));
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_product_shape(Mat C, MatType type)
{
	const MatProductType is = C->product->type;
	const int first_t = is == MATPRODUCT_AtB || is == MATPRODUCT_PtAP;
	const int last_t = is == MATPRODUCT_ABt || is == MATPRODUCT_RARt;
	const Mat last = C->product->B;
	const Mat first = is == MATPRODUCT_PtAP || is == MATPRODUCT_RARt ? last : C->product->A;
	const PetscLayout rows = first_t ? first->cmap : first->rmap;
	const PetscLayout cols = last_t ? last->rmap : last->cmap;
	PetscInt first_blocks[2], last_blocks[2]; /* by rows, by columns */

	PetscFunctionBegin;
	PetscCall(MatGetBlockSizes(first, &first_blocks[0], &first_blocks[1]));
	PetscCall(MatGetBlockSizes(last, &last_blocks[0], &last_blocks[1]));
	PetscCall(MatSetSizes(C, rows->n, cols->n, rows->N, cols->N));
	PetscCall(MatSetType(C, type));
	PetscCall(MatSetBlockSizes(C, first_blocks[first_t], last_blocks[!last_t]));
	PetscFunctionReturn(0);
}

/* Gives C its type, its pattern and its values, which the library has found. */
static PetscErrorCode fill(Mat C, product *p)
{
	PetscInt *lengths;
	const PetscInt *row_ptr;
	ek_view rows, cols;

	PetscFunctionBegin;
	PetscCall(ekp_product_shape(C, MATSEQAIJEK));
	PetscCall(ekp_take_level(C));
	PetscCall(ekp_view_of(p->C, "row_ptr", &rows));
	PetscCall(ekp_view_of(p->C, "col_idx", &cols));
	row_ptr = rows.data;
	PetscCall(PetscMalloc1(rows.len, &lengths));
	for (PetscInt i = 0; i + 1 < rows.len; i++)
		lengths[i] = row_ptr[i + 1] - row_ptr[i];
	PetscCall(MatSeqAIJSetPreallocation(C, 0, lengths));
	PetscCall(PetscFree(lengths));
	PetscCall(MatSeqAIJSetColumnIndices(C, (PetscInt *)(uintptr_t)cols.data));
	PetscCall(MatSeqAIJGetCSRAndMemType(C, &p->row_ptr, &p->col_idx, NULL, NULL));
	p->pattern = C->nonzerostate;
	PetscCall(put_values(C, p));
	PetscFunctionReturn(0);
}

static PetscErrorCode make(Mat C, void *data)
{
	PetscFunctionBegin;
	PetscCall(update(C, data));
	PetscCall(multiply(C->product->type, data, 0, NULL));
	PetscCall(fill(C, data));
	PetscFunctionReturn(0);
}

static PetscErrorCode symbolic(Mat C)
{
	product *p;

	PetscFunctionBegin;
	PetscCall(PetscNew(&p));
	C->product->data = p;
	C->product->destroy = destroy;
	PetscCall(ekp_product_phase(C, ekp_event_symbolic, make));
	C->ops->productnumeric = numeric;
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_product_sparse(Mat C)
{
	PetscFunctionBegin;
	if (kind_of(C->product->type).operation)
		C->ops->productsymbolic = symbolic;
	else
		PetscCall((*ekp_seq_aij.productsetfromoptions)(C));
	PetscFunctionReturn(0);
}

/* Calls what PETSc has for aij in place of aijek: PETSc finds it by the names of the types, with
 * either operand. */
PetscErrorCode ekp_product_as_aij(Mat C)
{
	Mat operand[2] = {C->product->A, C->product->B};
	const char *type[2];
	char name[256];
	PetscBool ours;
	PetscErrorCode (*f)(Mat) = NULL;

	PetscFunctionBegin;
	for (int k = 0; k < 2; k++) {
		type[k] = ((PetscObject)operand[k])->type_name;
		PetscCall(PetscStrcmp(type[k], MATSEQAIJEK, &ours));
		type[k] = ours ? MATSEQAIJ : type[k];
		PetscCall(PetscStrcmp(type[k], MATMPIAIJEK, &ours));
		type[k] = ours ? MATMPIAIJ : type[k];
	}
	PetscCall(PetscSNPrintf(name, sizeof name, "MatProductSetFromOptions_%s_%s_C", type[0],
	                        type[1]));
	for (int k = 0; k < 2 && !f; k++)
		PetscCall(PetscObjectQueryFunction((PetscObject)operand[k], name, &f));
	if (f)
		PetscCall((*f)(C));
	PetscFunctionReturn(0);
}
