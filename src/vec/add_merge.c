/* SPDX-License-Identifier: BSD-3-Clause
 * The addition of two sparse vectors by merging. At first the resulting sequence holds x. (1) Each
 * index of y is looked up in x by binary search: if it is there, the values are added, otherwise
 * the mask of the entry is set. (2) A scan of the masks gives the masked entries their places after
 * x. (3) They are copied there. (4) The two parts, which are in one array and have no index in
 * common, are merged by merge path (merge_path.c) into z. Threads share the entries of y in the
 * first three steps; no two entries of y are added to the same entry of x. As the entries of y
 * ascend, each search begins where the one before it ended, in growing steps.
 *
 * Cost: O(ny log(nx / ny)) comparisons, and some passes over both vectors.
 *
 * Liu 2015, section 7.4.3, Figure 7.3. */
#include <math.h>

#include "prim/merge.h"
#include "vec/add.h"
#define EK_VECTORS
#define EK_TYPES_ONLY
#define EK_FILE "vec/add_merge.c"
#include "base/for_each.h"

#include "prim_body/search.h"
#include "vec/terms.h"

static void FN(fuse)(const eki_add_merge *m, int64_t begin, int64_t end)
{
	const IDX *idx = m->idx, *yi = m->a->y.idx;
	const VAL *yv = m->a->y.val, beta = (VAL)m->a->beta.re;
	const int64_t xn = m->a->x.nnz;
	VAL *val = m->val;

	for (int64_t k = begin, i = 0; k < end; k++) {
		i = k == begin ? eki_lower_bound(idx, 0, xn, yi[k])
		               : eki_gallop_bound(idx, i, xn, yi[k]);
		m->mask[k] = i == xn || idx[i] != yi[k];
		m->place[k] = m->mask[k];
		if (!m->mask[k])
			val[i] = sop(EK_SUM, val[i], FN(term)(beta, yv, k));
	}
}

static void FN(copy)(const eki_add_merge *m, int64_t begin, int64_t end)
{
	const IDX *yi = m->a->y.idx;
	const VAL *yv = m->a->y.val, beta = (VAL)m->a->beta.re;
	IDX *idx = (IDX *)m->idx + m->a->x.nnz;
	VAL *val = (VAL *)m->val + m->a->x.nnz;

	for (int64_t k = begin; k < end; k++)
		if (m->mask[k]) {
			idx[m->place[k]] = yi[k];
			val[m->place[k]] = FN(term)(beta, yv, k);
		}
}

#if EK_ONCE

typedef void merge_fn(const eki_add_merge *, int64_t, int64_t);

typedef struct work {
	const eki_add_merge *m;
	merge_fn *fn;
} work;

static void part(void *arg, int number)
{
	const work *w = arg;
	const int parts = w->m->a->threads;
	const int64_t n = w->m->a->y.nnz;

	w->fn(w->m, eki_cut(n, parts, number), eki_cut(n, parts, number + 1));
}

static void parts(const eki_add_merge *m, merge_fn *fn)
{
	work w = {m, fn};

	eki_parallel(m->a->ctx, m->a->threads, m->a->threads, part, &w);
}

void eki_add_merge_fuse(eki_add_merge *m)
{
	static merge_fn *const fuse[2][4] = EK_BY_VECTOR(fuse);

	eki_scaled_copy(m->a, m->a->alpha, &m->a->x, m->idx, m->val);
	parts(m, fuse[eki_index_row(m->a)][eki_value_row(m->a->type)]);
}

void eki_add_merge_scan(eki_add_merge *m)
{
	const int64_t n = m->a->y.nnz;
	eki_array scan = *m->a;

	scan.operation = EK_SCAN;
	scan.type = EK_INT64;
	scan.op = EK_SUM;
	scan.kind = EK_EXCLUSIVE;
	scan.block = 0;
	scan.n = n;
	scan.in = scan.out = m->place;
	if (n)
		eki_scan_into(&scan);
	m->more = n ? m->place[n - 1] + m->mask[n - 1] : 0;
}

void eki_add_merge_copy(eki_add_merge *m)
{
	static merge_fn *const copy[2][4] = EK_BY_VECTOR(copy);

	parts(m, copy[eki_index_row(m->a)][eki_value_row(m->a->type)]);
}

void eki_add_merge_join(eki_add_merge *m)
{
	const ek_value type = m->a->x.index;
	const size_t is = ek_value_size(type), vs = ek_value_size(m->a->type);
	const int64_t n = m->a->x.nnz;
	eki_array merge = *m->a;

	merge.operation = EK_MERGE;
	merge.type = type;
	merge.batch = 1;
	merge.a = ek_key_value(type, vs, n, m->idx, m->val);
	merge.b = ek_key_value(type, vs, m->more, eki_merge_at(m->idx, n, is),
	                       eki_merge_at(m->val, n, vs));
	merge.c = ek_key_value(type, vs, n + m->more, m->a->z.idx, m->a->z.val);
	if (n + m->more)
		eki_merge_path_into(&merge);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	const size_t is = ek_value_size(a->x.index), vs = ek_value_size(a->type);
	const int64_t n = a->x.nnz + a->y.nnz;
	eki_add_merge m = {.a = a};
	void *mask = NULL, *place = NULL;
	ek_status status;

	EK_TRY(eki_alloc(step->ctx, n, is, &m.idx));
	EK_TRY(eki_alloc(step->ctx, n, vs, &m.val));
	EK_TRY(eki_alloc(step->ctx, a->y.nnz, 1, &mask));
	EK_TRY(eki_alloc(step->ctx, a->y.nnz, sizeof *m.place, &place));
	m.mask = mask;
	m.place = place;
	if (n) {
		eki_add_merge_fuse(&m);
		eki_add_merge_scan(&m);
		eki_add_merge_copy(&m);
		eki_add_merge_join(&m);
	}
	*a->count = a->x.nnz + m.more;
done:
	eki_free(step->ctx, place, a->y.nnz, sizeof *m.place);
	eki_free(step->ctx, mask, a->y.nnz, 1);
	eki_free(step->ctx, m.val, n, vs);
	eki_free(step->ctx, m.idx, n, is);
	return status;
}

/* Predicts the time in nanoseconds: a search for each entry of y, and the merge. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	const eki_vector_speed *s = &f->machine->vector;
	const double xn = (double)a->x.nnz, yn = (double)a->y.nnz;

	return s->method_call +
	       (s->merge_entry * (xn + yn) +
	        yn * (s->merge_search + s->gallop_step[0] * log2(1 + xn / (yn + 1)))) /
	               a->threads;
}

const ek_method ek_add_merge = {
	.name = "add.merge",
	.text = "binary search fuses equal indices, scan, copy, merge by merge path",
	.source = "Liu 2015, section 7.4.3",
	.operation = EK_SPARSE_ADD,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
	.cost = cost,
};

#endif
