/* SPDX-License-Identifier: BSD-3-Clause
 * MatProduct of parallel matrices: AB by ek_spgemm and PtAP by ek_triple on each rank. Other
 * products of parallel matrices are PETSc's.
 *
 * The symbolic phase gets the rows of B (P) that this rank multiplies by entries of its off-
 * diagonal block and puts them under its own (factors.c). Then one product of the library gives
 * the rows of C that this rank owns, and for PtAP also what it adds to rows of other ranks, which
 * is sent to them; place.c puts it all into C. Later numeric phases exchange values only, run the
 * plan into the same local product, and copy.
 *
 * Why not PETSc's MatProduct on the blocks, as its algorithm "backend" does: it makes two or more
 * products (PtAP: three, one after the other) and sorts all their entries to add them up. With
 * factors that are put together there is one product, for which the library chooses the method,
 * and what it computes is sorted already.
 *
 * Each rank compares states of the blocks with those of the last time, and all agree on what is to
 * be done again, since all must take part in messages. So an array that only one rank has changed
 * is noticed by all, and so is a result that lacks an entry on one rank. Where one rank's part
 * fails, the others stop before they would wait for its messages.
 *
 * Memory: copies of A and B, the rows of others, and the library's copy of C. A P is not stored
 * unless the library chooses a method that does. Cost: that of the local products, what factors.c
 * and place.c say, and a reduction over all ranks for each numeric phase, or two if anything has
 * changed. */
#include "mpiproduct.h"

/* The blocks of a parallel matrix, as they were when they were last looked at. */
typedef struct seen {
	PetscObjectId id[2];
	PetscObjectState pattern[2], values[2];
} seen;

typedef struct product {
	ekp_factors factors;
	ekp_place place;
	ek_plan *plan;
	ek_matrix *local;
	PetscLogDouble multiplications; /* of the local product */
	seen A, B;
	seen C; /* for which place is made, or 0 */
} product;

static PetscErrorCode look(Mat A, seen *now)
{
	Mat block[2];

	PetscFunctionBegin;
	PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], NULL));
	for (int m = 0; m < 2; m++) {
		PetscCall(PetscObjectGetId((PetscObject)block[m], &now->id[m]));
		PetscCall(PetscObjectStateGet((PetscObject)block[m], &now->values[m]));
		now->pattern[m] = block[m]->nonzerostate;
	}
	PetscFunctionReturn(0);
}

static int same_pattern(const seen *a, const seen *b)
{
	return a->id[0] == b->id[0] && a->id[1] == b->id[1] && a->pattern[0] == b->pattern[0] &&
	       a->pattern[1] == b->pattern[1];
}

static int same_values(const seen *a, const seen *b)
{
	return a->values[0] == b->values[0] && a->values[1] == b->values[1];
}

static PetscErrorCode forget(product *p)
{
	PetscFunctionBegin;
	ek_plan_destroy(p->plan);
	p->plan = NULL;
	ek_matrix_destroy(p->local);
	p->local = NULL;
	p->multiplications = -1;
	PetscCall(ekp_factors_free(&p->factors));
	PetscCall(ekp_place_free(&p->place));
	PetscCall(PetscMemzero(&p->C, sizeof p->C));
	PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *data)
{
	product *p = data;

	PetscFunctionBegin;
	PetscCall(forget(p));
	PetscCall(PetscFree(p));
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_agree(MPI_Comm comm, PetscErrorCode mine)
{
	int code = (int)mine, worst;

	PetscFunctionBegin;
	PetscCallMPI(MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, comm));
	PetscCall(mine);
	PetscCheck(!worst, PETSC_COMM_SELF, (PetscErrorCode)worst,
	           "evenkeel: the product failed on another rank");
	PetscFunctionReturn(0);
}

static ekp_pattern pattern_of(const ekp_factor *f)
{
	return (ekp_pattern){f->rows, f->cols, f->row_ptr, f->col_idx};
}

/* Computes the local product, and its flops. */
static PetscErrorCode run(MatProductType type, product *p)
{
	const ekp_pattern A = pattern_of(&p->factors.A), B = pattern_of(&p->factors.B);

	PetscFunctionBegin;
	if (p->factors.square)
		EKP_CALL(ek_triple(p->plan, 1, &p->local));
	else
		EKP_CALL(ek_spgemm(p->plan, 1, 0, &p->local));
	PetscCall(ekp_log_product(type, &A, &B, &p->multiplications));
	PetscFunctionReturn(0);
}

/* Makes the factors and the local product. */
static PetscErrorCode build_local(Mat C, product *p)
{
	const Mat A = C->product->A, B = C->product->B;
	const PetscBool galerkin = C->product->type == MATPRODUCT_PtAP ? PETSC_TRUE : PETSC_FALSE;
	ek_hints hints = {.size = sizeof hints};

	PetscFunctionBegin;
	PetscCall(forget(p));
	PetscCall(ekp_factors_make(A, B, galerkin, &p->factors));
	hints.B = p->factors.B.matrix;
	PetscCall(ekp_product_plan(C, MatProductTypes[C->product->type],
	                           galerkin ? EK_TRIPLE : EK_SPGEMM, p->factors.A.matrix, &hints,
	                           &p->plan));
	PetscCall(run(C->product->type, p));
	PetscFunctionReturn(0);
}

/* Makes everything that depends on the patterns of the factors. */
static PetscErrorCode build(Mat C, product *p)
{
	PetscFunctionBegin;
	PetscCall(ekp_agree(PetscObjectComm((PetscObject)C), build_local(C, p)));
	PetscCall(ekp_place_make(C->product->B, &p->factors, p->local, &p->place));
	PetscFunctionReturn(0);
}

/* Computes the values of the local product again. */
static PetscErrorCode run_again(Mat C, product *p)
{
	PetscFunctionBegin;
	PetscCall(ekp_factors_values(C->product->A, C->product->B, &p->factors));
	PetscCall(run(C->product->type, p));
	PetscFunctionReturn(0);
}

/* Finds the entries of C for those of the local product. */
static PetscErrorCode fit(Mat C, product *p)
{
	const MPI_Comm comm = PetscObjectComm((PetscObject)C);
	PetscBool fits, all;

	PetscFunctionBegin;
	PetscCall(ekp_place_fit(C, &p->factors, &p->place, &fits));
	PetscCall(MPIU_Allreduce(&fits, &all, 1, MPIU_BOOL, MPI_LAND, comm));
	PetscCheck(all, comm, PETSC_ERR_ARG_WRONGSTATE,
	           "the product has another pattern than before: use MAT_INITIAL_MATRIX");
	PetscCall(look(C, &p->C));
	PetscFunctionReturn(0);
}

/* Brings the local product up to date, and finds its place in C. */
static PetscErrorCode update(Mat C, product *p)
{
	const Mat A = C->product->A, B = C->product->B;
	int mine[3], all[3]; /* same patterns of factors, same values, same pattern of C */
	seen a, b, c;

	PetscFunctionBegin;
	PetscCall(look(A, &a));
	PetscCall(look(B, &b));
	PetscCall(look(C, &c));
	mine[0] = p->plan && same_pattern(&a, &p->A) && same_pattern(&b, &p->B);
	mine[1] = same_values(&a, &p->A) && same_values(&b, &p->B);
	mine[2] = same_pattern(&c, &p->C);
	PetscCall(MPIU_Allreduce(mine, all, 3, MPI_INT, MPI_MIN, PetscObjectComm((PetscObject)C)));
	if (!all[0]) {
		PetscCall(build(C, p));
	} else if (!all[1]) {
		PetscCall(ekp_agree(PetscObjectComm((PetscObject)C), run_again(C, p)));
	}
	p->A = a;
	p->B = b;
	if (!all[0] || !all[2])
		PetscCall(fit(C, p));
	PetscFunctionReturn(0);
}

static PetscErrorCode renew(Mat C, void *data)
{
	product *p = data;

	PetscFunctionBegin;
	PetscCall(update(C, p));
	PetscCall(ekp_place_values(C, &p->place));
	PetscFunctionReturn(0);
}

static PetscErrorCode numeric(Mat C)
{
	PetscFunctionBegin;
	PetscCall(ekp_product_phase(C, ekp_event_numeric, renew));
	PetscFunctionReturn(0);
}

/* Makes the local product, and C with its pattern. */
static PetscErrorCode make(Mat C, void *data)
{
	product *p = data;

	PetscFunctionBegin;
	PetscCall(look(C->product->A, &p->A));
	PetscCall(look(C->product->B, &p->B));
	PetscCall(build(C, p));
	PetscCall(ekp_product_shape(C, MATMPIAIJEK));
	PetscCall(ekp_place_pattern(C, &p->factors, &p->place));
	PetscCall(fit(C, p));
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

PetscErrorCode ekp_product_is_ours(Mat C, PetscBool *ours)
{
	const Mat_Product *of = C->product;
	const PetscBool galerkin = of->type == MATPRODUCT_PtAP ? PETSC_TRUE : PETSC_FALSE;
	const char *option = galerkin ? "-matptap_via" : "-matmatmult_via";
	PetscBool free, named, match[2] = {PETSC_FALSE, PETSC_TRUE};

	PetscFunctionBegin;
	PetscCall(PetscStrcmp(of->alg, MATPRODUCTALGORITHMDEFAULT, &free));
	PetscCall(PetscOptionsHasName(((PetscObject)C)->options, ((PetscObject)C)->prefix,
	                              of->api_user ? option : "-mat_product_algorithm", &named));
	if (free && !named && (galerkin || of->type == MATPRODUCT_AB))
		PetscCall(PetscLayoutCompare(of->A->cmap, of->B->rmap, &match[0]));
	if (match[0] && galerkin)
		PetscCall(PetscLayoutCompare(of->A->rmap, of->B->rmap, &match[1]));
	*ours = match[0] && match[1] ? PETSC_TRUE : PETSC_FALSE;
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_product_parallel(Mat C)
{
	PetscBool ours = PETSC_FALSE;

	PetscFunctionBegin;
	PetscCall(ekp_product_is_ours(C, &ours));
	if (ours)
		C->ops->productsymbolic = symbolic;
	else
		PetscCall(ekp_product_as_aij(C));
	PetscFunctionReturn(0);
}
