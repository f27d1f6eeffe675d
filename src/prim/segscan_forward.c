/* SPDX-License-Identifier: BSD-3-Clause
 * The forward segmented scan of Zhang 2012, section 4: segments become an ordinary scan of pairs
 * (value, flag) with the operator
 *     (v, f) + (w, g) = (g ? w : v + w, f or g)
 * which is done in two passes. Each thread scans its section of the entries forward; then the value
 * that the sections before leave open, (value, flag) added up from left to right, is put before the
 * entries of each section up to its first flag. Both passes go forward, so that each line that the
 * caches fetch is used at once. */
#include <string.h>

#include "prim/segmented.h"
#define EK_ARRAYS
#define EK_TYPES_ONLY
#define EK_FILE "prim/segscan_forward.c"
#include "core/for_each.h"

#ifndef SEGSCAN_SECTION
#define SEGSCAN_SECTION
typedef struct section {
	int64_t begin, first, end; /* entries; `first` is the first flag, or `end` */
	eki_number open;           /* of the last segment; then of all sections before */
} section;
#endif

static void FN(section_scan)(const eki_array *a, section *p)
{
	const ek_segments *g = &a->segments;
	const VAL *in = a->in;
	VAL *out = a->out, sum = FN(identity)(a->op);
	int64_t i = p->begin, s = g->flag ? 0 : eki_segment_from(g, i + 1) - 1;
	bool begins = i < p->end && (g->flag ? g->flag[i] != 0 : eki_offset_at(g, s) == i);

	p->first = begins ? i : p->end;
	for (; i < p->end; s++) {
		int64_t end = eki_segment_end(a, s, i, p->end);

		if (!begins && end < p->end && p->first == p->end)
			p->first = end;
		for (sum = FN(identity)(a->op); i < end; i++) {
			VAL before = sum;

			sum = sop(a->op, sum, in[i]);
			out[i] = a->kind == EK_EXCLUSIVE ? before : sum;
		}
	}
	memcpy(&p->open, &sum, sizeof sum);
}

static void FN(sections_join)(const eki_array *a, section *p)
{
	VAL before = FN(identity)(a->op), open;

	for (int k = 0; k < a->threads; k++) {
		memcpy(&open, &p[k].open, sizeof open);
		memcpy(&p[k].open, &before, sizeof before);
		before = p[k].first < p[k].end ? open : sop(a->op, before, open);
	}
}

static void FN(section_add)(const eki_array *a, section *p)
{
	VAL *out = a->out, before;

	memcpy(&before, &p->open, sizeof before);
	for (int64_t i = p->begin; i < p->first; i++)
		out[i] = sop(a->op, before, out[i]);
}

#if EK_ONCE

typedef struct job {
	const eki_array *a;
	section *sections;
} job;

static void scan_part(void *arg, int part)
{
	static void (*const scan[])(const eki_array *, section *) = EK_BY_VALUE(section_scan);
	const job *j = arg;
	section *p = &j->sections[part];

	p->begin = eki_cut(j->a->n, j->a->threads, part);
	p->end = eki_cut(j->a->n, j->a->threads, part + 1);
	scan[eki_value_row(j->a->type)](j->a, p);
}

static void add_part(void *arg, int part)
{
	static void (*const add[])(const eki_array *, section *) = EK_BY_VALUE(section_add);
	const job *j = arg;

	add[eki_value_row(j->a->type)](j->a, &j->sections[part]);
}

static ek_status run(const ek_context *ctx, const eki_array *a)
{
	static void (*const join[])(const eki_array *, section *) = EK_BY_VALUE(sections_join);
	ek_status status = EK_OK;
	void *sections = NULL;
	job j = {a, NULL};

	EK_TRY(eki_alloc(ctx, a->threads, sizeof(section), &sections));
	EK_TRY(eki_segments_check(ctx, a, NULL, NULL));
	j.sections = sections;
	eki_parallel(a->threads, a->threads, scan_part, &j);
	join[eki_value_row(a->type)](a, sections);
	eki_parallel(a->threads, a->threads, add_part, &j);
done:
	eki_free(ctx, sections, a->threads, sizeof(section));
	return status;
}

const ek_method ek_segscan_forward = {
	.name = "segscan.forward",
	.text = "two passes forward, with the operator on pairs of value and flag",
	.source = "Zhang 2012, section 4",
	.operation = EK_SEGMENTED_SCAN,
	.backend = EKI_CPU,
	.array = run,
};

#endif
