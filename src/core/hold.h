/* SPDX-License-Identifier: BSD-3-Clause
 * How long contexts and matrices live (hold.c). Part of core/ek_core.h, which files include. */
#ifndef EK_CORE_HOLD_H
#define EK_CORE_HOLD_H

#include <stdatomic.h>
#include <stdint.h>

#include "evenkeel/ek.h"

/* Of contexts and matrices, which live as long as somebody holds them. */
typedef struct eki_life {
	uint32_t magic;          /* EKI_..._MAGIC until the caller destroys the object */
	_Atomic int64_t holders; /* the caller, until then, and objects that need this one */
} eki_life;
#define EKI_CONTEXT_MAGIC 0x656b6378u
#define EKI_MATRIX_MAGIC  0x656b6d78u

/* EK_EINVAL with a message if it is NULL, no such object, or destroyed by the caller. What holds the
 * object has no need to ask. */
ek_status eki_context_check(const ek_context *ctx);
ek_status eki_matrix_check(const ek_matrix *A);
/* One more holder; one less, the last of which frees. Heaps and matrices hold their context, plans
 * their matrix. Any thread may do it at any time. */
void eki_context_hold(const ek_context *ctx);
void eki_context_drop(const ek_context *ctx);
void eki_matrix_hold(const ek_matrix *A);
void eki_matrix_drop(const ek_matrix *A);
/* How many plans hold a matrix that the caller has not destroyed. */
int64_t eki_matrix_plans(const ek_matrix *A);

#endif
