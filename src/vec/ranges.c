/* SPDX-License-Identifier: BSD-3-Clause
 * Equal ranges of the entries of a sparse vector, one for each thread. Since no index occurs twice,
 * threads never write the same entry of a dense vector, and since the indices ascend, they share at
 * most a cache line at each border. */
#include "vec/vec.h"

typedef struct work {
	const eki_array *a;
	eki_range_fn *fn;
} work;

static void part(void *arg, int number)
{
	const work *w = arg;
	const int64_t n = w->a->x.nnz;

	w->fn(w->a, eki_cut(n, w->a->threads, number), eki_cut(n, w->a->threads, number + 1));
}

ek_status eki_ranges(const eki_array *a, eki_range_fn *fn)
{
	work w = {a, fn};

	eki_parallel(a->ctx, a->threads, a->threads, part, &w);
	return EK_OK;
}
