/* SPDX-License-Identifier: BSD-3-Clause
 * The forward segmented scan of Zhang 2012, section 4: an ordinary scan of pairs of value and flag
 * (prim_body/segmented.h) in two passes. In the first pass each thread scans its section of the
 * entries. Combining the pairs (value, flag) of the sections from left to right then gives, for
 * each section, the sum that is open before it. The second pass adds that sum to the entries of the
 * section up to its first flag. Both passes go forward, so that each cache line is used as soon as
 * it has been fetched. */
#include <string.h>

#include "prim/segmented.h"
#define EK_ARRAYS
#define EK_TYPES_ONLY
#define EK_FILE "prim/segscan_forward.c"
#include "base/for_each.h"

#include "prim_body/segmented.h"

#ifndef SEGSCAN_SECTION
#define SEGSCAN_SECTION
typedef struct section {
	int64_t begin, first, end; /* entries begin .. end - 1; `first` is the first flag, or end */
	eki_number open;           /* open sum at the section's end; later, at its beginning */
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
		before = FN(section_join)(a->op, before, open, p[k].first < p[k].end);
	}
}

static void FN(section_finish)(const eki_array *a, section *p)
{
	VAL before;

	memcpy(&before, &p->open, sizeof before);
	FN(section_add)(a->op, before, a->out, p->begin, p->first);
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
	static void (*const add[])(const eki_array *, section *) = EK_BY_VALUE(section_finish);
	const job *j = arg;

	add[eki_value_row(j->a->type)](j->a, &j->sections[part]);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_context *ctx = step->ctx;
	const eki_array *a = v->array;
	static void (*const join[])(const eki_array *, section *) = EK_BY_VALUE(sections_join);
	ek_status status = EK_OK;
	void *sections = NULL;

	job j = {a, NULL};

	EK_TRY(eki_alloc(ctx, a->threads, sizeof(section), &sections));
	EK_TRY(eki_segments_check(ctx, a, NULL, NULL));
	j.sections = sections;
	eki_parallel(a->ctx, a->threads, a->threads, scan_part, &j);
	join[eki_value_row(a->type)](a, sections);
	eki_parallel(a->ctx, a->threads, a->threads, add_part, &j);
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
	.run = run,
};

#endif
