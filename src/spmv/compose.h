/* SPDX-License-Identifier: BSD-3-Clause
 * Products with a matrix that is a sum of parts, each in a format of its own. */
#ifndef EK_SPMV_COMPOSE_H
#define EK_SPMV_COMPOSE_H

#include "core/ek_core.h"

/* Prepares the product with each of the parts that has entries, by the method that is chosen for
 * its format, and says so in plan->why. The stores are copied; their arrays are the plan's
 * store's. */
ek_status eki_compose_prepare(ek_plan *plan, const ek_store *part, int count);
ek_status eki_compose_refresh(ek_plan *plan);
ek_status eki_compose_run(const ek_plan *plan, const ek_args *args);

#endif
