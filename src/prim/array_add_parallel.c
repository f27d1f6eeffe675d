/* SPDX-License-Identifier: BSD-3-Clause
 * The addition of two dense vectors in parallel: each thread adds a contiguous part, by vectors. If
 * the arrays are larger than the caches, sums are written past these, so that the output is not
 * read before it is written: three instead of four transfers for each entry.
 *
 * Liu 2015, Algorithm 1. */
#include "prim/prim.h"
#define EK_ARRAYS
#define EK_FILE "prim/array_add_parallel.c"
#include "base/for_each.h"

static void FN(array_add_part)(const eki_array *args, int64_t begin, int64_t end, bool streams)
{
	enum { LINE = 64 };
	const VAL *a = args->a.key, *b = args->b.key;
	VAL *out = args->out;
	int64_t i = begin;

	for (; streams && i < end && (uintptr_t)(out + i) % LINE; i++)
		out[i] = sop(EK_SUM, a[i], b[i]);
	for (; streams && i + W <= end; i += W)
		vstream(out + i, vop(EK_SUM, vload(a + i), vload(b + i)));
	if (streams)
		vstream_end();
	for (; i + W <= end; i += W)
		vstore(out + i, vop(EK_SUM, vload(a + i), vload(b + i)));
	for (; i < end; i++)
		out[i] = sop(EK_SUM, a[i], b[i]);
}

#if EK_ONCE

typedef void part_fn(const eki_array *, int64_t, int64_t, bool);

struct addition {
	const eki_array *a;
	part_fn *add;
	bool streams;
};

static void part(void *arg, int number)
{
	const struct addition *s = arg;
	const eki_array *a = s->a;

	s->add(a, eki_cut(a->n, a->threads, number), eki_cut(a->n, a->threads, number + 1),
	       s->streams);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	static part_fn *const add[EK_NISA][4] = EK_BY_ISA_AND_VALUE(array_add_part);
	const eki_array *a = v->array;
	const int64_t bytes = a->n * (int64_t)ek_value_size(a->type);
	const bool in_place = a->out == a->a.key || a->out == a->b.key;
	struct addition s = {a, add[a->isa][eki_value_row(a->type)],
	                     !in_place && eki_array_streams(3 * bytes / 2)};

	(void)step;
	eki_parallel(a->ctx, a->threads, a->threads, part, &s);
	return EK_OK;
}

static double cost(const eki_features *f)
{
	return (double)f->array->n;
}

const ek_method ek_array_add_parallel = {
	.name = "array_add.parallel",
	.text = "vectors, a part of the arrays for each thread",
	.source = "Liu 2015, Algorithm 1",
	.operation = EK_ARRAY_ADD,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
	.cost = cost,
};

#endif
