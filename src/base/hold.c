/* SPDX-License-Identifier: BSD-3-Clause
 * Lifetimes of contexts, as described in base/hold.h. */
#include "base/base.h"

ek_status eki_context_check(const ek_context *ctx)
{
	if (!ctx)
		return eki_fail(EK_EINVAL, "ctx is NULL");
	if (ctx->life.magic == EKI_DESTROYED)
		return eki_fail(EK_EINVAL,
		                "ctx was destroyed (%lld of its matrices and heaps were not)",
		                (long long)eki_holders(&ctx->life));
	if (ctx->life.magic != EKI_CONTEXT_MAGIC)
		return eki_fail(EK_EINVAL, "ctx is not a context, or was destroyed");
	return EK_OK;
}

void eki_context_hold(const ek_context *ctx)
{
	eki_hold(&ctx->life);
}

void eki_context_drop(const ek_context *ctx)
{
	if (eki_let_go(&ctx->life))
		eki_context_free((ek_context *)(uintptr_t)ctx);
}

void ek_context_destroy(ek_context *ctx)
{
	if (!ctx || ctx->life.magic != EKI_CONTEXT_MAGIC)
		return;
	ctx->life.magic = EKI_DESTROYED;
	eki_context_drop(ctx);
}
