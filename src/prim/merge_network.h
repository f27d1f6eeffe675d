/* SPDX-License-Identifier: BSD-3-Clause
 * Merges by the last stage of a sorting network. A stage is a list of steps. A step takes every
 * second block of `distance` places; the first of these blocks begins at place `first`. The step
 * compares each pair x of these blocks with pair x + distance, and puts the lesser pair first.
 *
 * If the lengths do not fit the network, it is cut out of a larger network. Imagined keys before
 * the first place then count as the least, and imagined keys after the last place as the greatest.
 * A comparator that touches an imagined key would not change anything and is left out. So `first`
 * may be negative. */
#ifndef EK_MERGE_NETWORK_H
#define EK_MERGE_NETWORK_H

#include "prim/merge.h"

typedef struct eki_exchange {
	int64_t distance, first;
} eki_exchange;

enum { EKI_STEPS = 64 };
/* Writes the steps for lists of `an` and `bn` pairs to `step`, and returns the number of steps. */
typedef int eki_steps_fn(int64_t an, int64_t bn, eki_exchange step[EKI_STEPS]);

/* Merges each pair of lists of the batch `a`. Copies the first list, reversed if `reverse` is true,
 * and then the second list to the result. Then runs the steps there. */
ek_status eki_merge_network(const eki_array *a, bool reverse, eki_steps_fn *steps);

/* Returns the least power of two that is not below n. */
static inline int64_t eki_power(int64_t n)
{
	int64_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

#endif
