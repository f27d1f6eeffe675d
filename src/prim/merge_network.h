/* SPDX-License-Identifier: BSD-3-Clause
 * The last stages of sorting networks as merges. A stage is a list of steps; a step compares pairs
 * x and x + distance, and puts the lesser first, for x in every second block of `distance` places,
 * the first of which begins at `first`. A network for more pairs than there are is cut out of a
 * larger one: before the first place all keys are least, behind the last one greatest, so
 * comparators that touch one of these would not change anything and are left out. `first` may so be
 * negative. */
#ifndef EK_MERGE_NETWORK_H
#define EK_MERGE_NETWORK_H

#include "prim/merge.h"

typedef struct eki_step {
	int64_t distance, first;
} eki_step;

enum { EKI_STEPS = 64 };
/* Writes the steps for lists of an and bn pairs and returns their number. */
typedef int eki_steps_fn(int64_t an, int64_t bn, eki_step step[EKI_STEPS]);

/* Puts b behind a, turned round if `reverse`, in out, and does the steps there. */
ek_status eki_merge_network(const eki_array *a, bool reverse, eki_steps_fn *steps);

/* The least power of two that is not below n. */
static inline int64_t eki_power(int64_t n)
{
	int64_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

#endif
