/* SPDX-License-Identifier: BSD-3-Clause
 * The addition of two sparse vectors by expansion, sorting and compression. Expansion: all entries
 * of both go to one array. Sorting: by index, with the bitonic sort (sort_bitonic.c). Compression:
 * entries whose index differs from that of the one before are the heads of segments; a scan of the
 * heads numbers the segments, and a segmented sum adds up each segment into its place of z. The
 * parts of the last step begin and end at heads, so no sum is shared.
 *
 * Cost: n log2^2(n) / 4 comparators for n entries, and some passes over them.
 *
 * Liu 2015, section 7.4.2, Figure 7.2; Dalton, Olson and Bell 2015 for the name. */
#include <math.h>

#include "prim/network.h"
#include "vec/add.h"
#define EK_VECTORS
#define EK_TYPES_ONLY
#define EK_FILE "vec/add_esc.c"
#include "base/for_each.h"

#include "prim_body/segmented.h"

static void FN(mark)(const eki_add_esc *e, int64_t begin, int64_t end)
{
	const IDX *idx = e->idx;

	for (int64_t k = begin; k < end; k++) {
		e->head[k] = k == 0 || idx[k] != idx[k - 1];
		e->segment[k] = e->head[k];
	}
}

static void FN(compress)(const eki_add_esc *e, int64_t begin, int64_t end)
{
	const IDX *idx = e->idx;
	const VAL *val = e->val;
	IDX *zi = e->a->z.idx;
	VAL *zv = e->a->z.val;
	int64_t k = begin;

	while (k < end && !e->head[k])
		k++;
	while (k < end) {
		const int64_t at = e->segment[k] - 1;
		const VAL first = val[k];

		zi[at] = idx[k++];
		zv[at] = FN(sum_to_flag)(val, e->head, &k, e->n, first);
	}
}

#if EK_ONCE

typedef void esc_fn(const eki_add_esc *, int64_t, int64_t);

typedef struct work {
	const eki_add_esc *e;
	esc_fn *fn;
} work;

static void part(void *arg, int number)
{
	const work *w = arg;
	const int parts = w->e->a->threads;

	w->fn(w->e, eki_cut(w->e->n, parts, number), eki_cut(w->e->n, parts, number + 1));
}

static void parts(const eki_add_esc *e, esc_fn *fn)
{
	work w = {e, fn};

	eki_parallel(e->a->ctx, e->a->threads, e->a->threads, part, &w);
}

void eki_add_esc_expand(eki_add_esc *e)
{
	eki_expand(e->a, e->idx, e->val);
}

void eki_add_esc_sort(eki_add_esc *e)
{
	eki_array sort = *e->a;

	sort.operation = EK_SORT;
	sort.type = e->a->x.index;
	sort.n = e->n;
	sort.a = ek_key_value(e->a->x.index, ek_value_size(e->a->type), e->n, e->idx, e->val);
	eki_sort_bitonic_into(&sort);
}

void eki_add_esc_scan(eki_add_esc *e)
{
	static esc_fn *const mark[2][4] = EK_BY_VECTOR(mark);
	eki_array scan = *e->a;

	parts(e, mark[eki_index_row(e->a)][eki_value_row(e->a->type)]);
	scan.operation = EK_SCAN;
	scan.type = EK_INT64;
	scan.op = EK_SUM;
	scan.kind = EK_INCLUSIVE;
	scan.block = 0;
	scan.n = e->n;
	scan.in = scan.out = e->segment;
	eki_scan_into(&scan);
}

void eki_add_esc_compress(eki_add_esc *e)
{
	static esc_fn *const compress[2][4] = EK_BY_VECTOR(compress);

	parts(e, compress[eki_index_row(e->a)][eki_value_row(e->a->type)]);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	const size_t is = ek_value_size(a->x.index), vs = ek_value_size(a->type);
	eki_add_esc e = {.a = a, .n = a->x.nnz + a->y.nnz};
	void *head = NULL, *segment = NULL;
	ek_status status;

	EK_TRY(eki_alloc(step->ctx, e.n, is, &e.idx));
	EK_TRY(eki_alloc(step->ctx, e.n, vs, &e.val));
	EK_TRY(eki_alloc(step->ctx, e.n, 1, &head));
	EK_TRY(eki_alloc(step->ctx, e.n, sizeof *e.segment, &segment));
	e.head = head;
	e.segment = segment;
	if (e.n) {
		eki_add_esc_expand(&e);
		eki_add_esc_sort(&e);
		eki_add_esc_scan(&e);
		eki_add_esc_compress(&e);
	}
	*a->count = e.n ? e.segment[e.n - 1] : 0;
done:
	eki_free(step->ctx, segment, e.n, sizeof *e.segment);
	eki_free(step->ctx, head, e.n, 1);
	eki_free(step->ctx, e.val, e.n, vs);
	eki_free(step->ctx, e.idx, e.n, is);
	return status;
}

/* Predicts the time in nanoseconds: the sort, whose steps grow with the square of the logarithm. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	const double n = (double)(a->x.nnz + a->y.nnz), levels = log2(n + 2);

	return f->machine->vector.method_call +
	       n *
	               (f->machine->vector.esc_entry +
	                f->machine->vector.esc_level[eki_isa_row(a->isa)] * levels * levels) /
	               a->threads;
}

const ek_method ek_add_esc = {
	.name = "add.esc",
	.text = "expand, bitonic sort, compress by scan and segmented sum",
	.source = "Liu 2015, section 7.4.2",
	.operation = EK_SPARSE_ADD,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
	.cost = cost,
};

#endif
