/* SPDX-License-Identifier: BSD-3-Clause
 * Copies of sparse vectors whose values are multiplied by a factor: the first step of the published
 * methods for adding two of them. */
#include <string.h>

#include "vec/add.h"
#define EK_VECTORS
#define EK_TYPES_ONLY
#define EK_FILE "vec/expand.c"
#include "base/for_each.h"

#include "vec/terms.h"

static void FN(scaled)(const ek_sparse *v, eki_scalar factor, int64_t begin, int64_t end, void *idx,
                       void *val)
{
	const VAL *from = v->val, f = (VAL)factor.re;
	VAL *to = val;

	if (begin == end)
		return;
	memcpy((IDX *)idx + begin, (const IDX *)v->idx + begin,
	       (size_t)(end - begin) * sizeof(IDX));
	for (int64_t k = begin; k < end; k++)
		to[k] = FN(term)(f, from, k);
}

#if EK_ONCE

typedef void scaled_fn(const ek_sparse *, eki_scalar, int64_t, int64_t, void *, void *);

typedef struct work {
	const ek_sparse *v;
	eki_scalar factor;
	void *idx, *val;
	scaled_fn *fn;
	int parts;
} work;

static void part(void *arg, int number)
{
	const work *w = arg;

	w->fn(w->v, w->factor, eki_cut(w->v->nnz, w->parts, number),
	      eki_cut(w->v->nnz, w->parts, number + 1), w->idx, w->val);
}

void eki_scaled_copy(const eki_array *a, eki_scalar factor, const ek_sparse *v, void *idx,
                     void *val)
{
	static scaled_fn *const scaled[2][4] = EK_BY_VECTOR(scaled);
	work w = {v,         factor, idx, val, scaled[eki_index_row(a)][eki_value_row(a->type)],
	          a->threads};

	eki_parallel(a->ctx, a->threads, w.parts, part, &w);
}

void eki_expand(const eki_array *a, void *idx, void *val)
{
	const size_t is = ek_value_size(a->x.index), vs = ek_value_size(a->type);

	eki_scaled_copy(a, a->alpha, &a->x, idx, val);
	eki_scaled_copy(a, a->beta, &a->y, (char *)idx + (size_t)a->x.nnz * is,
	                (char *)val + (size_t)a->x.nnz * vs);
}

#endif
