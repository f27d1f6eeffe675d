/* SPDX-License-Identifier: BSD-3-Clause
 * Compaction by a scan, as published: an auxiliary array has 1 for each pair to keep and 0 for
 * others; its exclusive scan has their places; then all pairs are saved in parallel, in any order.
 * The auxiliary array has 8 bytes a pair, which are written, scanned in place and read.
 *
 * Liu 2015, section 4.4.1, Algorithm 5. */
#include "prim/compact.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_TYPES_ONLY
#define EK_FILE "prim/compact_scan.c"
#include "base/for_each.h"

static void FN(compact_save)(const void *from, const uint8_t *flag, const int64_t *place,
                             int64_t begin, int64_t end, void *to)
{
	const VAL *in = from;
	VAL *out = to;

	for (int64_t i = begin; i < end; i++)
		if (flag[i])
			out[place[i]] = in[i];
}

#if EK_ONCE

typedef void save_fn(const void *, const uint8_t *, const int64_t *, int64_t, int64_t, void *);

struct compaction {
	const eki_array *a;
	int64_t *place;
};

static void mark(void *arg, int part)
{
	const struct compaction *c = arg;
	const eki_array *a = c->a;
	const int64_t end = eki_cut(a->n, a->threads, part + 1);

	for (int64_t i = eki_cut(a->n, a->threads, part); i < end; i++)
		c->place[i] = a->segments.flag[i] != 0;
}

static void save(void *arg, int part)
{
	static save_fn *const fn[] = EK_BY_INT(compact_save);
	const struct compaction *c = arg;
	const eki_array *a = c->a;
	const int64_t begin = eki_cut(a->n, a->threads, part);
	const int64_t end = eki_cut(a->n, a->threads, part + 1);

	fn[eki_int_row(a->type)](a->a.key, a->segments.flag, c->place, begin, end, a->c.key);
	if (a->a.value_size)
		fn[a->a.value_size == 8](a->a.value, a->segments.flag, c->place, begin, end,
		                         a->c.value);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	struct compaction c = {a, NULL};

	(void)step;
	EK_RETURN_IF(eki_alloc(a->ctx, a->n, sizeof *c.place, (void *)&c.place));
	eki_parallel(a->ctx, a->threads, a->threads, mark, &c);
	eki_array scan = *a;

	scan.type = EK_INT64;
	scan.op = EK_SUM;
	scan.kind = EK_EXCLUSIVE;
	scan.in = scan.out = c.place;
	if (a->n)
		eki_scan_into(&scan);
	eki_parallel(a->ctx, a->threads, a->threads, save, &c);
	*a->count = a->n ? c.place[a->n - 1] + (a->segments.flag[a->n - 1] != 0) : 0;
	eki_free(a->ctx, c.place, a->n, sizeof *c.place);
	return EK_OK;
}

const ek_method ek_compact_scan = {
	.name = "compact.scan",
	.text = "places by an exclusive scan of all flags, as published",
	.source = "Liu 2015, Algorithm 5",
	.operation = EK_COMPACT,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
};

#endif
