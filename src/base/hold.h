/* SPDX-License-Identifier: BSD-3-Clause
 * Lifetimes of contexts and matrices. Each object counts its holders. The caller is a holder until
 * it destroys the object. The other holders are objects that were made from it: matrices and heaps
 * hold their context, plans hold their matrix. When the last holder lets go, in any thread, the
 * object is freed. So callers, such as garbage collectors, may destroy objects in any order. Part
 * of base/base.h. */
#ifndef EK_BASE_HOLD_H
#define EK_BASE_HOLD_H

typedef struct eki_life {
	uint32_t magic;          /* EKI_..._MAGIC, or EKI_DESTROYED after ek_..._destroy */
	_Atomic int64_t holders; /* number of holders: the caller, and objects that need this one */
} eki_life;
#define EKI_CONTEXT_MAGIC 0x656b6378u
#define EKI_MATRIX_MAGIC  0x656b6d78u
/* Magic of an object that the caller has destroyed but other objects still hold. */
#define EKI_DESTROYED 0x656bdeadu

static inline void eki_hold(const eki_life *life)
{
	/* Relaxed order is enough, since a thread that adds a holder holds the object already. */
	atomic_fetch_add_explicit(&((eki_life *)(uintptr_t)life)->holders, 1, memory_order_relaxed);
}

/* Removes a holder and tells whether it was the last one. If it was, everything that other threads
 * did with the object is visible to this thread. */
static inline bool eki_let_go(const eki_life *life)
{
	eki_life *l = (eki_life *)(uintptr_t)life;

	return atomic_fetch_sub_explicit(&l->holders, 1, memory_order_acq_rel) == 1;
}

static inline int64_t eki_holders(const eki_life *life)
{
	return atomic_load(&life->holders);
}

/* Checks a context. Returns EK_EINVAL if it is NULL, not a context, or destroyed by the caller.
 * Objects that hold a context need not check it. */
ek_status eki_context_check(const ek_context *ctx);
/* Adds a holder to a context (hold) or removes one (drop). Removing the last holder frees the
 * context. Any thread may call these functions at any time. */
void eki_context_hold(const ek_context *ctx);
void eki_context_drop(const ek_context *ctx);

#endif
