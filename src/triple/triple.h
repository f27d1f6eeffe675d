/* SPDX-License-Identifier: BSD-3-Clause
 * What the methods for Galerkin products share. */
#ifndef EK_TRIPLE_H
#define EK_TRIPLE_H

#include "plan/plan.h"

/* The factors of R A P in CSR, where R is the transpose of P. One of P and R is an operand of the
 * step, the other is a copy. In all of them the columns of a row ascend strictly. */
typedef struct eki_triple {
	const ek_store *A, *P, *R;
	eki_transposed copy;
} eki_triple;

/* Sets the factors of a step, and makes the copy. */
ek_status eki_triple_open(eki_step *step, eki_triple *t);
/* Writes new values to the copy. */
static inline void eki_triple_refresh(const eki_step *step, eki_triple *t)
{
	eki_transposed_refresh(step, &t->copy);
}

#endif
