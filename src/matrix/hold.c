/* SPDX-License-Identifier: BSD-3-Clause
 * Lifetimes of matrices, as described in base/hold.h. */
#include "matrix/matrix.h"

ek_status eki_matrix_check(const ek_matrix *A)
{
	if (!A)
		return eki_fail(EK_EINVAL, "A is NULL");
	if (A->life.magic == EKI_DESTROYED)
		return eki_fail(EK_EINVAL, "A was destroyed (%lld of its plans were not)",
		                (long long)eki_holders(&A->life));
	if (A->life.magic != EKI_MATRIX_MAGIC)
		return eki_fail(EK_EINVAL, "A is not a matrix, or was destroyed");
	return EK_OK;
}

int64_t eki_matrix_plans(const ek_matrix *A)
{
	return eki_holders(&A->life) - 1;
}

void eki_matrix_hold(const ek_matrix *A)
{
	eki_hold(&A->life);
}

static void matrix_free(ek_matrix *A)
{
	const ek_context *ctx = A->ctx;

	eki_matrix_forget_order(A);
	eki_store_free(ctx, &A->store);
	A->life.magic = 0;
	eki_free(ctx, A, 1, sizeof *A);
	eki_context_drop(ctx);
}

void eki_matrix_drop(const ek_matrix *A)
{
	if (eki_let_go(&A->life))
		matrix_free((ek_matrix *)(uintptr_t)A);
}

void ek_matrix_destroy(ek_matrix *A)
{
	if (!A || A->life.magic != EKI_MATRIX_MAGIC)
		return;
	A->life.magic = EKI_DESTROYED;
	eki_matrix_drop(A);
}
