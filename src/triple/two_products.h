/* SPDX-License-Identifier: BSD-3-Clause
 * Galerkin products as two products of sparse matrices, one after the other. */
#ifndef EK_TRIPLE_TWO_PRODUCTS_H
#define EK_TRIPLE_TWO_PRODUCTS_H

#include "triple/triple.h"

/* For methods on a device: gives M, the first product, arrays that only the device has (M->there)
 * and that live as long as the step `first`, which will compute M. */
typedef ek_status eki_keep_fn(eki_step *first, ek_store *M);

/* Prepares R (A P), or (R A) P if `left` is true. Both products are done by `method` or, if that is
 * NULL, by methods that are chosen. `keep` is NULL if M is on the host. */
ek_status eki_two_products_prepare(eki_step *step, bool left, const ek_method *method,
                                   eki_keep_fn *keep);
ek_status eki_two_products_refresh(eki_step *step);
ek_status eki_two_products_run(const eki_step *step, const eki_run *v);
/* Predicts the time of both products on the processor, in nanoseconds. */
double eki_two_products_cost(const eki_features *f);

#endif
