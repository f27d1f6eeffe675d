/* SPDX-License-Identifier: BSD-3-Clause
 * The check of a product against its proven bound, independent of the library's own loops. */
#ifndef EK_TOOL_ORACLE_H
#define EK_TOOL_ORACLE_H

#include "ek.h"

struct oracle_result {
	double worst;    /* largest error over bound; 0: all exact */
	int64_t row;     /* where; from 0 */
	double expected; /* what y should be there */
};

/* y against alpha op(A) x + beta y0, entry by entry. Returns an exit code; a large error is not a
 * failure of the check. */
int oracle_check(const ek_matrix *A, ek_op op, double alpha, const ek_dense *x, double beta,
                 const ek_dense *y0, const ek_dense *y, struct oracle_result *result);

#endif
