/* SPDX-License-Identifier: BSD-3-Clause
 * The operation y = alpha op(A) x + beta y and its public functions. A run checks its vectors in
 * constant time and calls the plan's method. */
#include "plan/plan.h"

static ek_status check(const eki_problem *problem)
{
	return eki_lengths_check(problem, "x or y");
}

/* ---- Vectors --------------------------------------------------------------------------------- */

/* Checks x and the result y. `name` is the name of the result in messages: "y" or "z". */
static ek_status vectors_check(const ek_plan *p, const ek_dense *x, const ek_dense *y,
                               const char *name)
{
	const ek_value value = p->problem.A[0].M->store.value;

	EK_RETURN_IF(eki_vector_check("x", x, value, p->root.x_len, "columns"));
	EK_RETURN_IF(eki_vector_check(name, y, value, p->root.y_len, "rows"));
	return eki_vectors_apart(p, "x", x, name, y);
}

/* ---- Products -------------------------------------------------------------------------------- */

/* Computes y = alpha op(A) x + beta y0. The arguments have been checked. */
static ek_status multiply(ek_plan *plan, double alpha, const ek_dense *x, double beta,
                          const ek_dense *y0, const ek_dense *y)
{
	const eki_step *root = &plan->root;

	if (root->in[0]->value == EK_F32) {
		alpha = (float)alpha;
		beta = (float)beta;
	}
	eki_run run = {.x = eki_dense_of(x),
	               .y = eki_dense_of(y),
	               .y0 = eki_dense_of(beta == 0 ? y : y0),
	               .width = 1,
	               .alpha = eki_real(alpha),
	               .beta = eki_real(beta)};
	const bool empty = alpha == 0 || y->rows == 0 || root->in[0]->nnz == 0;

	if (empty && !y->where) {
		eki_scale(root, &run, 0, y->rows);
		return EK_OK;
	}
	/* If column indices start at 1, the pointer to x is moved back by one element to match
	 * them. */
	if (root->op[0] == EK_OP_N && root->in[0]->base)
		run.x.data = (char *)x->data - ek_value_size(x->value);
	if (empty)
		return plan->trials ? eki_trials_scale(plan, &run) : eki_gpu_scale(root, &run);
	return eki_plan_run(plan, &run);
}

ek_status ek_spmv(ek_plan *plan, double alpha, const ek_dense *x, double beta, const ek_dense *y)
{
	ek_dense x_copy, y_copy;

	EK_RETURN_IF(eki_plan_check_for(plan, EK_SPMV));
	EK_RETURN_IF(eki_dense_in("x", &x_copy, &x));
	EK_RETURN_IF(eki_dense_in("y", &y_copy, &y));
	EK_RETURN_IF(vectors_check(plan, x, y, "y"));
	return multiply(plan, alpha, x, beta, y, y);
}

ek_status ek_spmv_add(ek_plan *plan, double alpha, const ek_dense *x, double beta,
                      const ek_dense *y, const ek_dense *z)
{
	ek_dense x_copy, y_copy, z_copy;
	int64_t bytes;

	EK_RETURN_IF(eki_plan_check_for(plan, EK_SPMV));
	EK_RETURN_IF(eki_dense_in("x", &x_copy, &x));
	EK_RETURN_IF(eki_dense_in("y", &y_copy, &y));
	EK_RETURN_IF(eki_dense_in("z", &z_copy, &z));
	EK_RETURN_IF(vectors_check(plan, x, z, "z"));
	EK_RETURN_IF(eki_vector_check("y", y, plan->root.in[0]->value, plan->root.y_len, "rows"));
	if (y->where != z->where)
		return eki_fail(EK_EINVAL,
		                "%s lies on a device and %s with the host; both on one "
		                "side are expected",
		                y->where ? "y" : "z", y->where ? "z" : "y");
	bytes = z->rows * (int64_t)ek_value_size(z->value);
	if (y->data != z->data && (!z->where || eki_device_addresses(plan->ctx)) &&
	    eki_overlap(y->data, bytes, z->data, bytes))
		return eki_fail(EK_EINVAL, "y and z overlap; the same vector, or two that do not "
		                           "overlap, are expected");
	return multiply(plan, alpha, x, beta, y, z);
}

const eki_operation eki_op_spmv = {
	.name = "spmv",
	.text = "y = alpha op(A) x + beta y",
	.number = EK_SPMV,
	.matrices = 1,
	.check = check,
	.measured = true,
};
