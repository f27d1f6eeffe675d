/* SPDX-License-Identifier: BSD-3-Clause
 * MatMatMult of a parallel matrix with a dense one. As in MatMult, each rank gets the rows of B
 * that its off-diagonal block of A needs, and multiplies by the diagonal block meanwhile; both
 * products are ek_spmm, into the array of C. Rows travel and arrive row by row, since ek_spmm is
 * faster with blocks in that order. Most rows of an off-diagonal block are empty: it is multiplied
 * without them, and the result added to the rows of C that the others belong to.
 *
 * The symbolic phase only makes C. The first numeric phase finds out which rows go where, and makes
 * a plan for each block; they stay as long as A has its pattern. All ranks must take part in
 * messages, so they agree in each numeric phase on whether anyone's columns are others, and twice
 * on whether anyone failed: three reductions.
 *
 * Memory: the rows that come and those that others want, in all columns of B. PETSc's own product
 * can take columns in groups (-matmatmult_Bbn), so it does if that is asked for. */
#include "mpiproduct.h"

typedef struct product {
	ekp_multiplier own; /* the diagonal block */
	/* The off-diagonal block, and what is multiplied for it: its rows with entries, which are
	 * rows filled[0], filled[1] ... of this rank. `sums` is their product, row-major. */
	ekp_operand off;
	ek_matrix *compact;
	ek_plan *plan;
	PetscInt *filled, *row_ptr, filled_rows;
	PetscScalar *sums;
	PetscInt *ghost, ghosts;                 /* rows of B that come, by global numbers */
	PetscInt *wanted, wanted_rows, own_rows; /* rows that others want, and all of this rank */
	PetscSF rows;            /* takes `sent` to `got`; NULL if there is none yet */
	PetscScalar *sent, *got; /* row-major */
	MPI_Datatype row;        /* a row of B */
} product;

static PetscErrorCode disconnect(product *p)
{
	PetscFunctionBegin;
	if (p->rows)
		PetscCallMPI(MPI_Type_free(&p->row));
	PetscCall(PetscSFDestroy(&p->rows));
	PetscCall(PetscFree(p->ghost));
	PetscCall(PetscFree(p->wanted));
	PetscCall(PetscFree2(p->sent, p->got));
	PetscFunctionReturn(0);
}

static PetscErrorCode forget_compact(product *p)
{
	PetscFunctionBegin;
	ek_plan_destroy(p->plan);
	p->plan = NULL;
	ek_matrix_destroy(p->compact);
	p->compact = NULL;
	PetscCall(PetscFree3(p->filled, p->row_ptr, p->sums));
	PetscFunctionReturn(0);
}

/* Makes the off-diagonal block without empty rows: only its row pointers are others. */
static PetscErrorCode make_compact(Mat C, product *p, const ek_hints *hints)
{
	const ekp_operand *off = &p->off;
	PetscInt filled = 0;
	ek_context *ctx;

	PetscFunctionBegin;
	PetscCall(forget_compact(p));
	for (PetscInt i = 0; i < off->rows; i++)
		filled += off->row_ptr[i + 1] > off->row_ptr[i];
	PetscCall(PetscMalloc3(filled, &p->filled, (size_t)filled + 1, &p->row_ptr,
	                       (size_t)filled * (size_t)hints->width, &p->sums));
	p->filled_rows = filled;
	p->row_ptr[filled] = off->row_ptr[off->rows];
	for (PetscInt i = off->rows; i-- > 0;)
		if (off->row_ptr[i + 1] > off->row_ptr[i]) {
			p->filled[--filled] = i;
			p->row_ptr[filled] = off->row_ptr[i];
		}
	PetscCall(ekp_context(&ctx));
	EKP_CALL(ek_matrix_from_csr(ctx, EKP_VALUE, EKP_INDEX, p->filled_rows, off->cols,
	                            p->row_ptr, off->col_idx, off->val, EK_BORROW | EK_TRUSTED,
	                            &p->compact));
	PetscCall(ekp_product_plan(C, "MatMatMult, parallel dense", EK_SPMM, p->compact, hints,
	                           &p->plan));
	PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *data)
{
	product *p = data;

	PetscFunctionBegin;
	PetscCall(disconnect(p));
	PetscCall(forget_compact(p));
	ekp_operand_forget(&p->off);
	ekp_multiplier_forget(&p->own);
	PetscCall(PetscFree(p));
	PetscFunctionReturn(0);
}

/* Lists the rows that others want, and tells each of them where its rows are in that list. */
static PetscErrorCode list_wanted(PetscSF owners, product *p, PetscInt *theirs)
{
	const PetscInt *degree;
	PetscInt *place;

	PetscFunctionBegin;
	PetscCall(PetscSFComputeDegreeBegin(owners, &degree));
	PetscCall(PetscSFComputeDegreeEnd(owners, &degree));
	PetscCall(PetscMalloc1(p->own_rows, &p->wanted));
	PetscCall(PetscMalloc1(p->own_rows, &place));
	p->wanted_rows = 0;
	for (PetscInt i = 0; i < p->own_rows; i++) {
		place[i] = p->wanted_rows;
		if (degree[i])
			p->wanted[p->wanted_rows++] = i;
	}
	PetscCall(PetscSFBcastBegin(owners, MPIU_INT, place, theirs, MPI_REPLACE));
	PetscCall(PetscSFBcastEnd(owners, MPIU_INT, place, theirs, MPI_REPLACE));
	PetscCall(PetscFree(place));
	PetscFunctionReturn(0);
}

/* Makes the way of rows from their owners. */
static PetscErrorCode connect_rows(const ekp_blocks *a, Mat B, product *p)
{
	const PetscSFNode *owner;
	const size_t width = (size_t)B->cmap->N;
	PetscSFNode *from;
	PetscSF owners;
	PetscInt *theirs;
	PetscMPIInt count;

	PetscFunctionBegin;
	PetscCall(disconnect(p));
	p->own_rows = B->rmap->n;
	p->ghosts = a->ghosts;
	PetscCall(PetscMalloc1(a->ghosts, &p->ghost));
	PetscCall(PetscArraycpy(p->ghost, a->ghost, a->ghosts));
	PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)B), &owners));
	PetscCall(PetscSFSetGraphLayout(owners, B->rmap, a->ghosts, NULL, PETSC_OWN_POINTER,
	                                a->ghost));
	PetscCall(PetscMalloc1(a->ghosts, &theirs));
	PetscCall(list_wanted(owners, p, theirs));
	PetscCall(PetscSFGetGraph(owners, NULL, NULL, NULL, &owner));
	PetscCall(PetscMalloc1(a->ghosts, &from));
	for (PetscInt k = 0; k < a->ghosts; k++)
		from[k] = (PetscSFNode){owner[k].rank, theirs[k]};
	PetscCall(PetscFree(theirs));
	PetscCall(PetscSFDestroy(&owners));
	PetscCall(PetscMPIIntCast(B->cmap->N, &count));
	PetscCallMPI(MPI_Type_contiguous(count, MPIU_SCALAR, &p->row));
	PetscCallMPI(MPI_Type_commit(&p->row));
	PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)B), &p->rows));
	PetscCall(PetscSFSetGraph(p->rows, p->wanted_rows, a->ghosts, NULL, PETSC_OWN_POINTER, from,
	                          PETSC_OWN_POINTER));
	PetscCall(PetscMalloc2(width * (size_t)p->wanted_rows, &p->sent, width * (size_t)a->ghosts,
	                       &p->got));
	PetscFunctionReturn(0);
}

/* Brings the plans up to date with the blocks of A. */
static PetscErrorCode update_plans(Mat C, const Mat block[2], product *p)
{
	const ek_hints hints = {.size = sizeof hints, .width = C->product->B->cmap->N};
	const PetscObjectState values = p->off.values;
	PetscBool same;

	PetscFunctionBegin;
	PetscCall(
		ekp_multiplier_update(&p->own, C, "MatMatMult, parallel dense", block[0], &hints));
	PetscCall(ekp_operand_update(&p->off, block[1], &same));
	if (!same || !p->plan) {
		PetscCall(make_compact(C, p, &hints));
	} else if (p->off.values != values) {
		const ek_status status = ek_matrix_values_changed(p->compact);

		if (status != EK_OK)
			p->off.values = values; /* so that the next product tries again */
		EKP_CALL(status);
	}
	PetscFunctionReturn(0);
}

/* Brings the way of rows and the plans up to date with A, and refuses factors that do not fit. */
static PetscErrorCode update(Mat C, product *p)
{
	const MPI_Comm comm = PetscObjectComm((PetscObject)C);
	const Mat A = C->product->A, B = C->product->B;
	PetscBool mine[2] = {PETSC_FALSE, PETSC_FALSE}, all[2]; /* sizes fit, same columns */
	ekp_blocks a;
	Mat block[2];

	PetscFunctionBegin;
	PetscCall(ekp_blocks_of(A, &a));
	PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], NULL));
	if (p->rows && p->own_rows == B->rmap->n && p->ghosts == a.ghosts)
		PetscCall(PetscArraycmp(p->ghost, a.ghost, a.ghosts, &mine[1]));
	mine[0] = A->cmap->n == B->rmap->n && B->cmap->N == C->cmap->N ? PETSC_TRUE : PETSC_FALSE;
	PetscCall(MPIU_Allreduce(mine, all, 2, MPIU_BOOL, MPI_LAND, comm));
	PetscCheck(all[0], comm, PETSC_ERR_ARG_SIZ,
	           "the factors have other sizes: use MAT_INITIAL_MATRIX");
	if (!all[1])
		PetscCall(connect_rows(&a, B, p));
	PetscCall(ekp_agree(comm, update_plans(C, block, p)));
	PetscFunctionReturn(0);
}

/* Copies the rows that others want. */
static void pack(const product *p, PetscInt cols, const PetscScalar *b, PetscInt ld)
{
	for (PetscInt j = 0; j < cols; j++)
		for (PetscInt w = 0; w < p->wanted_rows; w++)
			p->sent[(size_t)w * cols + j] = b[(size_t)j * ld + p->wanted[w]];
}

/* Adds the product of the off-diagonal block, whose rows of B have come. */
static ek_status add_others(const product *p, PetscInt cols, PetscScalar *c, PetscInt ld)
{
	const ek_dense X = ek_block(EKP_VALUE, p->ghosts, cols, cols, EK_ROW_MAJOR, p->got);
	const ek_dense Y = ek_block(EKP_VALUE, p->filled_rows, cols, cols, EK_ROW_MAJOR, p->sums);
	const ek_status status = ek_spmm(p->plan, 1, &X, 0, &Y);

	for (PetscInt j = 0; status == EK_OK && j < cols; j++)
		for (PetscInt k = 0; k < p->filled_rows; k++)
			c[(size_t)j * ld + p->filled[k]] += p->sums[(size_t)k * cols + j];
	return status;
}

/* Gives what the library's status is for PETSc. */
static PetscErrorCode error_of(ek_status status)
{
	PetscFunctionBegin;
	EKP_CALL(status);
	PetscFunctionReturn(0);
}

static PetscErrorCode numeric_dense(Mat C)
{
	const Mat A = C->product->A, B = C->product->B;
	const PetscInt cols = B->cmap->N;
	product *p = C->product->data;
	const PetscScalar *b;
	PetscScalar *c;
	PetscInt ld_b, ld_c;
	MatInfo info;
	ek_dense X, Y;
	ek_status status;

	PetscFunctionBegin;
	PetscCheck(p, PETSC_COMM_SELF, PETSC_ERR_ORDER, "the symbolic phase must come first");
	PetscCall(update(C, p));
	PetscCall(MatDenseGetLDA(B, &ld_b));
	PetscCall(MatDenseGetLDA(C, &ld_c));
	PetscCall(MatDenseGetArrayRead(B, &b));
	PetscCall(MatDenseGetArrayWrite(C, &c));
	X = ek_block(EKP_VALUE, B->rmap->n, cols, ld_b, EK_COL_MAJOR, b);
	Y = ek_block(EKP_VALUE, C->rmap->n, cols, ld_c, EK_COL_MAJOR, c);
	pack(p, cols, b, ld_b);
	if (cols)
		PetscCall(PetscSFBcastBegin(p->rows, p->row, p->sent, p->got, MPI_REPLACE));
	status = ek_spmm(p->own.plan, 1, &X, 0, &Y);
	if (cols)
		PetscCall(PetscSFBcastEnd(p->rows, p->row, p->sent, p->got, MPI_REPLACE));
	if (status == EK_OK && p->filled_rows)
		status = add_others(p, cols, c, ld_c);
	PetscCall(MatDenseRestoreArrayWrite(C, &c));
	PetscCall(MatDenseRestoreArrayRead(B, &b));
	PetscCall(ekp_agree(PetscObjectComm((PetscObject)C), error_of(status)));
	PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
	PetscCall(PetscLogFlops(2 * info.nz_used * cols));
	PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
	PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
	PetscFunctionReturn(0);
}

static PetscErrorCode symbolic_dense(Mat C)
{
	product *p;

	PetscFunctionBegin;
	PetscCall(ekp_product_shape(C, MATMPIDENSE));
	PetscCall(MatSetUp(C));
	PetscCall(PetscNew(&p));
	C->product->data = p;
	C->product->destroy = destroy;
	C->ops->productnumeric = numeric_dense;
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_product_dense_parallel(Mat C)
{
	PetscBool ours = PETSC_FALSE, groups;

	PetscFunctionBegin;
	PetscCall(PetscOptionsHasName(((PetscObject)C)->options, ((PetscObject)C)->prefix,
	                              "-matmatmult_Bbn", &groups));
	if (C->product->type == MATPRODUCT_AB && !groups)
		PetscCall(ekp_product_is_ours(C, &ours));
	if (ours)
		C->ops->productsymbolic = symbolic_dense;
	else
		PetscCall(ekp_product_as_aij(C));
	PetscFunctionReturn(0);
}
