/* SPDX-License-Identifier: BSD-3-Clause
 * Products with a dense block on the left, as products with one on the right: the step has one
 * child, a step of SpMM on the same store with op N and op T exchanged. The operation has already
 * exchanged the rows and columns of X and Y. In "dense_spmm.csr.serial", the reference, the child
 * runs spmm.csr.serial; in "dense_spmm.transposed" it runs the method that is chosen for the
 * format. Results are strict (EKI_STRICT) if those of the child are.
 *
 * Cost: that of the child. On CSR with op N the child does op T, for which spmm.csr.panels keeps a
 * transposed copy of A. */
#include "plan/plan.h"

/* Prepares the child with `method` or, if that is NULL, with a method that is chosen for it. */
static ek_status prepare_child(eki_step *step, const ek_method *method)
{
	eki_problem *problem;
	eki_step *child;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *problem, &problem));
	*problem = *step->problem;
	problem->operation = eki_operation_row(EK_SPMM);
	step->state = problem;
	EK_RETURN_IF(eki_step_children(step, 1));
	child = eki_step_child_of(step, problem, step->in[0],
	                          step->op[0] == EK_OP_N ? EK_OP_T : EK_OP_N);
	child->method = method;
	if (!method)
		EK_RETURN_IF(eki_step_choose(child));
	EK_RETURN_IF(
		eki_step_say(step, "the transposes are multiplied by %s\n", child->method->name));
	EK_RETURN_IF(eki_step_prepare(child));
	step->threads = child->threads;
	step->parts = child->parts;
	step->bytes = child->bytes;
	return EK_OK;
}

static ek_status prepare_serial(eki_step *step)
{
	return prepare_child(step, ek_method_find("spmm.csr.serial"));
}

static ek_status prepare(eki_step *step)
{
	return prepare_child(step, NULL);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	eki_run product = *v;

	return eki_step_run(step->child, &product);
}

/* Predicts the time of the child's method. */
static double cost(const eki_features *f)
{
	eki_features product = *f;

	product.op = f->op == EK_OP_N ? EK_OP_T : EK_OP_N;
	return eki_least_cost(&product, EK_SPMM, EKI_CPU);
}

const ek_method ek_dense_spmm_csr_serial = {
	.name = "dense_spmm.csr.serial",
	.text = "plain loops on the transposes, one thread: the reference",
	.source = "Liu 2015, section 2.3.3",
	.operation = EK_DENSE_SPMM,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT | EKI_SERIAL,
	.prepare = prepare_serial,
	.run = run,
};

const ek_method ek_dense_spmm_transposed = {
	.name = "dense_spmm.transposed",
	.text = "SpMM on the transposes of X and Y, by the method chosen for the format",
	.source = "Liu 2015, section 2.3.3",
	.operation = EK_DENSE_SPMM,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_STRICT,
	.cost = cost,
	.prepare = prepare,
	.run = run,
};
