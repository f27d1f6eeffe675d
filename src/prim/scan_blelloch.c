/* SPDX-License-Identifier: BSD-3-Clause
 * The scan by a balanced tree over a fixed number of processors, a power of two. Each processor
 * sums a section of the array. The tree turns each of these sums into the sum of all sections
 * before it: the up-sweep computes the sum of each subtree; the down-sweep computes, for each
 * subtree, the sum of all entries to its left. Then each processor scans its section, starting from
 * that sum. All entries are read twice and written once, by plain loops with one addition after the
 * other.
 *
 * Blelloch 1990, section 1.2.1, the case of fewer processors than entries. Zhang 2012 compares with
 * this scan. */
#include "prim/prim.h"
#define EK_ARRAYS
#define EK_TYPES_ONLY
#define EK_FILE "prim/scan_blelloch.c"
#include "base/for_each.h"

static void FN(section_sum)(const eki_array *a, int64_t begin, int64_t end, void *sums, int part)
{
	const VAL *in = a->in;
	VAL sum = FN(identity)(a->op);

	for (int64_t i = begin; i < end; i++)
		sum = sop(a->op, sum, in[i]);
	((VAL *)sums)[part] = sum;
}

static void FN(section_scan)(const eki_array *a, int64_t begin, int64_t end, void *sums, int part)
{
	const VAL *in = a->in;
	VAL *out = a->out, sum = ((VAL *)sums)[part];

	for (int64_t i = begin; i < end; i++) {
		VAL before = sum;

		sum = sop(a->op, sum, in[i]);
		out[i] = a->kind == EK_EXCLUSIVE ? before : sum;
	}
}

static void FN(section_tree)(const eki_array *a, void *sums, int count)
{
	VAL *sum = sums;

	for (int half = 1; half < count; half *= 2)
		for (int k = 2 * half - 1; k < count; k += 2 * half)
			sum[k] = sop(a->op, sum[k - half], sum[k]);
	sum[count - 1] = FN(identity)(a->op);
	for (int half = count / 2; half; half /= 2)
		for (int k = 2 * half - 1; k < count; k += 2 * half) {
			VAL left = sum[k - half];

			sum[k - half] = sum[k];
			sum[k] = sop(a->op, sum[k], left);
		}
}

#if EK_ONCE

typedef void section_fn(const eki_array *, int64_t, int64_t, void *, int);

struct scan {
	const eki_array *a;
	section_fn *phase;
	int sections;
	void *sums;
};

static void section(void *arg, int part)
{
	const struct scan *s = arg;

	s->phase(s->a, eki_cut(s->a->n, s->sections, part), eki_cut(s->a->n, s->sections, part + 1),
	         s->sums, part);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_context *ctx = step->ctx;
	const eki_array *a = v->array;
	static section_fn *const sum[] = EK_BY_VALUE(section_sum);
	static section_fn *const scan[] = EK_BY_VALUE(section_scan);
	static void (*const tree[])(const eki_array *, void *, int) = EK_BY_VALUE(section_tree);
	int row = eki_value_row(a->type);
	size_t size = ek_value_size(a->type);
	struct scan s = {a, sum[row], 1, NULL};

	while (2 * s.sections <= a->threads)
		s.sections *= 2;
	EK_RETURN_IF(eki_alloc(ctx, s.sections, size, &s.sums));
	eki_parallel(ctx, s.sections, s.sections, section, &s);
	tree[row](a, s.sums, s.sections);
	s.phase = scan[row];
	eki_parallel(ctx, s.sections, s.sections, section, &s);
	eki_free(ctx, s.sums, s.sections, size);
	return EK_OK;
}

const ek_method ek_scan_blelloch = {
	.name = "scan.blelloch",
	.text = "a balanced tree over a power of two of processors",
	.source = "Blelloch 1990, section 1.2.1",
	.operation = EK_SCAN,
	.backend = EKI_CPU,
	.run = run,
};

#endif
