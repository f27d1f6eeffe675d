/* SPDX-License-Identifier: BSD-3-Clause
 * The intersection of two sets: merges the sets by SIMD and keeps the entries that equal the entry
 * before them (set_simd.c). */
#include "prim/set.h"

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *set = v->array;

	(void)step;
	return eki_set_pieces(set, eki_set_intersection_simd[set->isa]);
}

const ek_method ek_intersect_simd = {
	.name = "intersect.simd",
	.text = "merge in registers, entries that equal their neighbour",
	.source = "Chhugani et al. 2008, for the merge",
	.operation = EK_SET_INTERSECTION,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
	.cost = eki_set_simd_cost,
};
