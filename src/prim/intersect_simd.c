/* SPDX-License-Identifier: BSD-3-Clause
 * The intersection as the entries of a merge by SIMD that equal the one before: set_simd.c. */
#include "prim/set.h"

static ek_status run(const ek_context *ctx, const eki_array *set)
{
	(void)ctx;
	return eki_set_pieces(set, eki_set_intersection_simd[set->isa]);
}

const ek_method ek_intersect_simd = {
	.name = "intersect.simd",
	.text = "merge in registers, entries that equal their neighbour",
	.source = "Chhugani et al. 2008, for the merge",
	.operation = EK_SET_INTERSECTION,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.array = run,
	.array_cost = eki_set_simd_cost,
};
