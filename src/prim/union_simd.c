/* SPDX-License-Identifier: BSD-3-Clause
 * The union as the entries of a merge by SIMD that differ from the one before: set_simd.c. */
#include "prim/set.h"

static ek_status run(const ek_context *ctx, const eki_array *set)
{
	(void)ctx;
	return eki_set_pieces(set, eki_set_union_simd[set->isa]);
}

/* Nanoseconds for an entry, by its size, as measured. */
static double cost(const eki_array *set)
{
	static const double entry[EK_NISA][2] = {{6, 6}, {1.2, 2.6}, {0.65, 1.3}};

	return entry[set->isa][eki_int_row(set->type)] * (double)(set->a.n + set->b.n) /
	       set->threads;
}

const ek_method ek_union_simd = {
	.name = "union.simd",
	.text = "merge in registers, entries that differ from their neighbour",
	.source = "Chhugani et al. 2008, for the merge",
	.operation = EK_SET_UNION,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.array = run,
	.array_cost = cost,
};
