/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench convert: the steps of conversions (ek_convert_times), such as the four of CSR5 in Liu
 * 2015, Figure 8.15. */
#include "convert.h"

void convert_add(ek_convert_times *sum, const ek_convert_times *t)
{
	sum->layout += t->layout;
	sum->allocation += t->allocation;
	sum->pattern += t->pattern;
	sum->values += t->values;
	sum->tile_ptr += t->tile_ptr;
	sum->tile_desc += t->tile_desc;
	sum->transposition += t->transposition;
}

void convert_share(const ek_convert_times *t, struct record *r)
{
	const double all = t->layout + t->allocation + t->pattern + t->values;
	const struct {
		enum value value;
		double seconds;
	} step[] = {{V_LAYOUT_CALLS, t->layout},
	            {V_ALLOCATION_CALLS, t->allocation},
	            {V_TILE_PTR_CALLS, t->tile_ptr},
	            {V_TILE_DESC_CALLS, t->tile_desc},
	            {V_TRANSPOSITION_CALLS, t->transposition}};

	for (size_t k = 0; k < sizeof step / sizeof *step; k++)
		if (step[k].seconds > 0)
			r->v[step[k].value] = r->v[V_OWN_CALLS] * step[k].seconds / all;
}
