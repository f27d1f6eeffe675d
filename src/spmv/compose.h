/* SPDX-License-Identifier: BSD-3-Clause
 * Products with a matrix that is a sum of parts, each in a format of its own. */
#ifndef EK_SPMV_COMPOSE_H
#define EK_SPMV_COMPOSE_H

#include "plan/plan.h"

/* Chooses and prepares a method for each of the `count` parts, except parts without entries. Adds a
 * line for each product to the plan's reasons. The stores in `part` are copied, but not their
 * arrays, which are those of step->in[0]. */
ek_status eki_compose_prepare(eki_step *step, const ek_store *part, int count);
/* Predicts the time of a run: the sum, over the parts, of the least time that any method of
 * `backend` predicts for the part. Reads only the lengths of the arrays. */
double eki_compose_cost(const eki_features *f, const ek_store *part, int count, unsigned backend);
ek_status eki_compose_run(const eki_step *step, const eki_run *v);

#endif
