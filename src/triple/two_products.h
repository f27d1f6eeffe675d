/* SPDX-License-Identifier: BSD-3-Clause
 * Galerkin products as two products of sparse matrices, one after the other. */
#ifndef EK_TRIPLE_TWO_PRODUCTS_H
#define EK_TRIPLE_TWO_PRODUCTS_H

#include "triple/triple.h"

/* Prepares R (A P), or (R A) P if `left` is true. */
ek_status eki_two_products_prepare(eki_step *step, bool left);
ek_status eki_two_products_refresh(eki_step *step);
ek_status eki_two_products_run(const eki_step *step, const eki_run *v);
/* Predicts the time of both products, in nanoseconds. */
double eki_two_products_cost(const eki_features *f);

#endif
