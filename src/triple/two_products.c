/* SPDX-License-Identifier: BSD-3-Clause
 * Galerkin products as two products of sparse matrices. Each is a child step that does SpGEMM, by
 * the method that is chosen for it. The plan holds M, the result of the first product. Preparation
 * computes M. The first run after a change of values computes the values of M again, on the same
 * pattern; every other run does only the second product, which also multiplies by alpha.
 *
 * The children of a reproducible method are asked for reproducible bits, so the bits depend neither
 * on the method that is chosen for a child nor on threads. On a device no method promises such
 * bits; the children add in the same order there.
 *
 * On a device M stays in its memory. Only the row pointers of M are on the host as well, where they
 * are read when M is made. So no method can be chosen from the pattern of M: both children have the
 * same method.
 *
 * The first child needs scratch and other memory of a run only while no run uses any, so both
 * children use the same. */
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
		if (step->method->traits & EKI_STRICT)
			s->problem[k].reproducible = EK_REPRO_STRICT;
	}
	s->problem[0].index = s->problem[0].common;
	/* The size of M, and so how much of the limit is left for the scratch of the first child,
	 * is known only after that child has run. So under a limit it takes as little scratch as it
	 * can. */
	if (s->problem[0].memory > 0)
		s->problem[0].memory = 1;
}

/* Adds a child that multiplies A and B, by `method` unless that is NULL. */
static ek_status add_child(eki_step *step, const eki_problem *problem, const ek_method *method,
                           const ek_store *A, const ek_store *B)
{
	eki_step *child = eki_step_child_of(step, problem, A, EK_OP_N);

	child->in[1] = B;
	child->op[1] = EK_OP_N;
	child->bytes = eki_plus(eki_store_bytes(A), eki_store_bytes(B));
	child->method = method;
	if (!method)
		EK_RETURN_IF(eki_step_choose(child));
	return eki_step_prepare(child);
}

/* The bytes that the transposition and the children so far need, each of them while the others need
 * none. */
typedef struct needs {
	int64_t scratch, run;
} needs;

/* Takes over what the last one of these needs. */
static void take_needs(ek_plan *p, needs *most)
{
	most->scratch = p->scratch_bytes > most->scratch ? p->scratch_bytes : most->scratch;
	most->run = p->run_bytes > most->run ? p->run_bytes : most->run;
	p->scratch_bytes = p->run_bytes = 0;
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

ek_status eki_two_products_prepare(eki_step *step, bool left, const ek_method *method,
                                   eki_keep_fn *keep)
{
	ek_plan *p = step->plan;
	needs most = {0};
	two_products *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	memset(s, 0, sizeof *s);
	step->state = s;
	make_problems(step, s);
	EK_RETURN_IF(eki_triple_open(step, &s->t));
	take_needs(p, &most);
	EK_RETURN_IF(eki_step_children(step, 2));
	EK_RETURN_IF(left ? add_child(step, &s->problem[0], method, s->t.R, s->t.A)
	                  : add_child(step, &s->problem[0], method, s->t.A, s->t.P));
	if (keep) {
		EK_RETURN_IF(keep(&step->child[0], &s->M));
		method = step->child[0].method;
	}
	EK_RETURN_IF(make_first(step, s));
	take_needs(p, &most);
	EK_RETURN_IF(left ? add_child(step, &s->problem[1], method, &s->M, s->t.P)
	                  : add_child(step, &s->problem[1], method, s->t.R, &s->M));
	take_needs(p, &most);
	p->scratch_bytes = most.scratch;
	p->run_bytes = most.run;
	step->parts = step->child[1].parts;
	step->bytes = step->child[1].bytes;
	return eki_step_say(step, "         %s has %lld entries%s, by %s; then by %s\n",
	                    left ? "P^T A" : "A P", (long long)s->M.nnz,
	                    keep ? ", which stay on the device" : "", step->child[0].method->name,
	                    step->child[1].method->name);
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
