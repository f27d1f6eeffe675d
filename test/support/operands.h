/* SPDX-License-Identifier: BSD-3-Clause
 * The operands of one product of sparse matrices, and a check that a plan gives the arrays of the
 * processor's reference, bit for bit. */
#ifndef TEST_OPERANDS_H
#define TEST_OPERANDS_H

#include "support/held.h"

struct operands {
	struct held h[3];
	int count; /* 3 if there is a D */
	double alpha, beta;
};

/* Makes the matrices of these shapes; that of D may be NULL. The shapes must stay. */
void operands_make(struct operands *p, const struct shape *a, const struct shape *b,
                   const struct shape *d, ek_value value, ek_index index, ek_context *ctx);
void operands_free(struct operands *p);
ek_status operands_plan(const struct operands *p, const char *method, int64_t memory,
                        ek_plan **plan);
/* Checks a new C, that C with new values of all operands, and another new C. */
void operands_check(struct operands *p, ek_plan *plan);
/* Returns the smallest limit that the message of the last error names. */
long long operands_least(void);

#endif
