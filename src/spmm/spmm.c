/* SPDX-License-Identifier: BSD-3-Clause
 * The operation SpMM, Y = alpha op(A) X + beta Y with dense blocks X and Y, and its public
 * function. A run checks its blocks in constant time and calls the plan's method. beta always
 * multiplies Y itself, never another block. */
#include "spmm/spmm.h"

ek_status eki_blocks_check(const eki_problem *problem)
{
	const ek_store *A = &problem->A[0].M->store;
	const int64_t longest = A->rows > A->cols ? A->rows : A->cols;
	const int64_t size = (int64_t)ek_value_size(A->value);

	EK_RETURN_IF(eki_lengths_check(problem, "a column of X or Y"));
	if (eki_times(eki_times(longest, problem->width), size) > INT64_MAX / 8)
		return eki_fail(EK_EOVERFLOW,
		                "hints.width is %lld: blocks of %lld x %lld do not fit the address "
		                "space",
		                (long long)problem->width, (long long)longest,
		                (long long)problem->width);
	return EK_OK;
}

static ek_status blocks_check(const ek_plan *p, const ek_dense *X, const ek_dense *Y)
{
	const ek_value value = p->problem.A[0].M->store.value;

	if (X->cols < 0)
		return eki_fail(EK_EINVAL, "X.cols is %lld; it must not be negative",
		                (long long)X->cols);
	EK_RETURN_IF(eki_dense_check("X", X, value, p->root.x_len, X->cols, "columns"));
	EK_RETURN_IF(eki_dense_check("Y", Y, value, p->root.y_len, X->cols, "rows"));
	return eki_dense_apart(p, "X", X, "Y", Y);
}

ek_status eki_blocks_multiply(ek_plan *plan, double alpha, const ek_dense *X, double beta,
                              const ek_dense *Y)
{
	const eki_step *root = &plan->root;
	const ek_store *A = root->in[0];

	if (A->value == EK_F32) {
		alpha = (float)alpha;
		beta = (float)beta;
	}
	eki_run run = {.x = eki_dense_of(X),
	               .y = eki_dense_of(Y),
	               .y0 = eki_dense_of(Y),
	               .width = Y->cols,
	               .alpha = eki_real(alpha),
	               .beta = eki_real(beta)};

	if (Y->rows == 0 || Y->cols == 0)
		return EK_OK;
	/* If there are no entries to multiply, only Y = beta Y is left to do. On a device the
	 * kernels do this: they read neither A nor X if alpha is 0. */
	if ((alpha == 0 || A->nnz == 0) && !Y->where) {
		eki_scale(root, &run, 0, Y->rows);
		return EK_OK;
	}
	/* If the columns of A are numbered from 1, so are the rows of X. Then the address of X is
	 * moved back by one row. */
	if (root->op[0] == EK_OP_N && A->base)
		run.x.data = (char *)X->data - run.x.row * (int64_t)ek_value_size(X->value);
	return eki_plan_run(plan, &run);
}

ek_status ek_spmm(ek_plan *plan, double alpha, const ek_dense *X, double beta, const ek_dense *Y)
{
	ek_dense x_copy, y_copy;

	EK_RETURN_IF(eki_plan_check_for(plan, EK_SPMM));
	EK_RETURN_IF(eki_dense_in("X", &x_copy, &X));
	EK_RETURN_IF(eki_dense_in("Y", &y_copy, &Y));
	EK_RETURN_IF(blocks_check(plan, X, Y));
	return eki_blocks_multiply(plan, alpha, X, beta, Y);
}

const eki_operation eki_op_spmm = {
	.name = "spmm",
	.text = "Y = alpha op(A) X + beta Y, X and Y dense",
	.number = EK_SPMM,
	.matrices = 1,
	.width = EKI_USUAL_WIDTH,
	.check = eki_blocks_check,
	.measured = true,
};
