/* SPDX-License-Identifier: BSD-3-Clause
 * The union of two sets: merges the sets by SIMD and keeps the entries that differ from the entry
 * before them (set_simd.c). */
#include "prim/set.h"

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *set = v->array;

	(void)step;
	return eki_set_pieces(set, eki_set_union_simd[set->isa]);
}

const ek_method ek_union_simd = {
	.name = "union.simd",
	.text = "merge in registers, entries that differ from their neighbour",
	.source = "Chhugani et al. 2008, for the merge",
	.operation = EK_SET_UNION,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
	.cost = eki_set_simd_cost,
};
