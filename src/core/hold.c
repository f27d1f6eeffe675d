/* SPDX-License-Identifier: BSD-3-Clause
 * How long contexts and matrices live. Each has a count of who holds it: the caller, until it
 * destroys the object, and the objects that were made with it; matrices and heaps hold their
 * context, plans their matrix. The last to let go frees it, in whatever thread that is, so callers
 * may destroy in any order, as garbage collectors do. */
#include "core/ek_core.h"

/* The caller destroyed it, and something still holds it. */
#define DESTROYED 0x656bdeadu

static void hold(const eki_life *life)
{
	/* Who holds it already gives it to another, so there is nothing to be ordered. */
	atomic_fetch_add_explicit(&((eki_life *)(uintptr_t)life)->holders, 1, memory_order_relaxed);
}

/* Was that the last one? Then all that the others did with the object has happened. */
static bool let_go(const eki_life *life)
{
	eki_life *l = (eki_life *)(uintptr_t)life;

	return atomic_fetch_sub_explicit(&l->holders, 1, memory_order_acq_rel) == 1;
}

static int64_t holders(const eki_life *life)
{
	return atomic_load(&life->holders);
}

/* ---- Contexts -------------------------------------------------------------------------------- */

ek_status eki_context_check(const ek_context *ctx)
{
	if (!ctx)
		return eki_fail(EK_EINVAL, "ctx is NULL");
	if (ctx->life.magic == DESTROYED)
		return eki_fail(EK_EINVAL,
		                "ctx was destroyed (%lld of its matrices and heaps were not)",
		                (long long)holders(&ctx->life));
	if (ctx->life.magic != EKI_CONTEXT_MAGIC)
		return eki_fail(EK_EINVAL, "ctx is not a context, or was destroyed");
	return EK_OK;
}

void eki_context_hold(const ek_context *ctx)
{
	hold(&ctx->life);
}

void eki_context_drop(const ek_context *ctx)
{
	if (let_go(&ctx->life))
		eki_context_free((ek_context *)(uintptr_t)ctx);
}

void ek_context_destroy(ek_context *ctx)
{
	if (!ctx || ctx->life.magic != EKI_CONTEXT_MAGIC)
		return;
	ctx->life.magic = DESTROYED;
	eki_context_drop(ctx);
}

/* ---- Matrices -------------------------------------------------------------------------------- */

ek_status eki_matrix_check(const ek_matrix *A)
{
	if (!A)
		return eki_fail(EK_EINVAL, "A is NULL");
	if (A->life.magic == DESTROYED)
		return eki_fail(EK_EINVAL, "A was destroyed (%lld of its plans were not)",
		                (long long)holders(&A->life));
	if (A->life.magic != EKI_MATRIX_MAGIC)
		return eki_fail(EK_EINVAL, "A is not a matrix, or was destroyed");
	return EK_OK;
}

int64_t eki_matrix_plans(const ek_matrix *A)
{
	return holders(&A->life) - 1;
}

void eki_matrix_hold(const ek_matrix *A)
{
	hold(&A->life);
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
	if (let_go(&A->life))
		matrix_free((ek_matrix *)(uintptr_t)A);
}

void ek_matrix_destroy(ek_matrix *A)
{
	if (!A || A->life.magic != EKI_MATRIX_MAGIC)
		return;
	A->life.magic = DESTROYED;
	eki_matrix_drop(A);
}
