/* SPDX-License-Identifier: BSD-3-Clause
 * Galerkin products as two products of sparse matrices. Each is a child step that does SpGEMM, by
 * the method that is chosen for it. The plan holds M, the result of the first product. Preparation
 * computes M. The first run after a change of values computes the values of M again, on the same
 * pattern; every other run does only the second product, which also multiplies by alpha.
 *
 * The children are asked for reproducible bits, so the bits depend neither on the method that is
 * chosen for a child nor on threads. The first child needs scratch only while no run uses any, so
 * both children use the same scratch. */
#include <string.h>

#include "triple/two_products.h"

typedef struct two_products {
	eki_triple t;
	eki_problem problem[2];
	ek_store M;
} two_products;

static void make_problems(const eki_step *step, two_products *s)
{
	for (int k = 0; k < 2; k++) {
		s->problem[k] = *step->problem;
		s->problem[k].operation = eki_operation_row(EK_SPGEMM);
		s->problem[k].reproducible = EK_REPRO_STRICT;
	}
	s->problem[0].index = s->problem[0].common;
	/* The size of M, and so how much of the limit is left for the scratch of the first child,
	 * is known only after that child has run. So under a limit it takes as little scratch as it
	 * can. */
	if (s->problem[0].memory > 0)
		s->problem[0].memory = 1;
}

/* Adds a child that multiplies A and B. */
static ek_status add_child(eki_step *step, const eki_problem *problem, const ek_store *A,
                           const ek_store *B)
{
	eki_step *child = eki_step_child_of(step, problem, A, EK_OP_N);

	child->in[1] = B;
	child->op[1] = EK_OP_N;
	child->bytes = eki_plus(eki_store_bytes(A), eki_store_bytes(B));
	EK_RETURN_IF(eki_step_choose(child));
	return eki_step_prepare(child);
}

static ek_status run_first(const eki_step *step, two_products *s, char *scratch)
{
	eki_run run = {.alpha = eki_real(1), .C = &s->M, .scratch = scratch};

	return eki_step_run(&step->child[0], &run);
}

/* Computes M for the first time, and gives it to the plan. */
static ek_status make_first(eki_step *step, two_products *s)
{
	const int64_t bytes = step->plan->scratch_bytes + 1;
	ek_status status;
	void *scratch;

	EK_RETURN_IF(eki_step_reserve(step, CSR_VAL + 1));
	EK_RETURN_IF(eki_alloc(step->ctx, bytes, 1, &scratch));
	status = run_first(step, s, scratch);
	eki_free(step->ctx, scratch, bytes, 1);
	if (status != EK_OK)
		return status;
	eki_step_own_store(step, &s->M);
	return EK_OK;
}

ek_status eki_two_products_prepare(eki_step *step, bool left)
{
	ek_plan *p = step->plan;
	int64_t scratch;
	two_products *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	memset(s, 0, sizeof *s);
	step->state = s;
	make_problems(step, s);
	EK_RETURN_IF(eki_triple_open(step, &s->t));
	EK_RETURN_IF(eki_step_children(step, 2));
	EK_RETURN_IF(left ? add_child(step, &s->problem[0], s->t.R, s->t.A)
	                  : add_child(step, &s->problem[0], s->t.A, s->t.P));
	EK_RETURN_IF(make_first(step, s));
	scratch = p->scratch_bytes;
	p->scratch_bytes = 0;
	EK_RETURN_IF(left ? add_child(step, &s->problem[1], &s->M, s->t.P)
	                  : add_child(step, &s->problem[1], s->t.R, &s->M));
	if (p->scratch_bytes < scratch)
		p->scratch_bytes = scratch;
	step->parts = step->child[1].parts;
	step->bytes = step->child[1].bytes;
	return eki_step_say(step, "         %s has %lld entries, by %s; then by %s\n",
	                    left ? "P^T A" : "A P", (long long)s->M.nnz,
	                    step->child[0].method->name, step->child[1].method->name);
}

ek_status eki_two_products_refresh(eki_step *step)
{
	two_products *s = step->state;
	ek_status status;
	void *scratch;

	eki_triple_refresh(step, &s->t);
	EK_RETURN_IF(eki_step_refresh(&step->child[0]));
	EK_RETURN_IF(eki_scratch_take(step->plan, &scratch));
	status = run_first(step, s, scratch);
	eki_scratch_give(step->plan, scratch);
	return status;
}

ek_status eki_two_products_run(const eki_step *step, const eki_run *v)
{
	eki_run run = *v;

	return eki_step_run(&step->child[1], &run);
}

double eki_two_products_cost(const eki_features *f)
{
	return 1.5 * eki_work_csr(f, EKI_LOOP_SCATTER);
}
