/* SPDX-License-Identifier: BSD-3-Clause
 * Runs sorting networks in place: one stage after the other, and in a stage one step after the
 * other. The threads share each step. Floats are flipped to integers before the first step and back
 * after the last. */
#include "prim/network.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_TYPES_ONLY
#define EK_FILE "prim/steps.c"
#include "base/for_each.h"

#include "prim_body/order.h"

static void FN(flip_keys)(void *key, int64_t begin, int64_t end, ek_value type)
{
	const VAL flip = FN(flip)(type);
	FN(raw) *k = key;

	for (int64_t i = begin; i < end; i++)
		k[i] = FN(order)(k[i], flip);
}

#if EK_ONCE

struct steps {
	eki_pair_at run;
	eki_step_fn *step;
	int64_t n, stage, k, chunks;
	ek_value type;
	int parts;
};

static void step_part(void *arg, int part)
{
	const struct steps *s = arg;

	for (int64_t c = eki_cut(s->chunks, s->parts, part);
	     c < eki_cut(s->chunks, s->parts, part + 1); c++)
		s->step(s->run, s->n, s->stage, s->k, c * EKI_CHUNK);
}

static void flip_part(void *arg, int part)
{
	static void (*const flip[])(void *, int64_t, int64_t, ek_value) = EK_BY_INT(flip_keys);
	const struct steps *s = arg;

	flip[eki_int_row(s->type)](s->run.key, eki_cut(s->n, s->parts, part),
	                           eki_cut(s->n, s->parts, part + 1), s->type);
}

void eki_network_sort(const eki_array *a, eki_step_fn *step, int64_t least)
{
	struct steps s = {.run = {a->a.key, a->a.value},
	                  .step = step,
	                  .n = a->n,
	                  .chunks = (a->n + EKI_CHUNK - 1) / EKI_CHUNK,
	                  .type = a->type,
	                  .parts = a->threads};

	if (eki_flip(a->type))
		eki_parallel(a->ctx, s.parts, s.parts, flip_part, &s);
	eki_parallel(a->ctx, s.parts, s.parts, step_part, &s);
	for (s.stage = EKI_CHUNK; s.stage < s.n; s.stage *= 2)
		for (s.k = s.stage; s.k >= least; s.k /= 2)
			eki_parallel(a->ctx, s.parts, s.parts, step_part, &s);
	if (eki_flip(a->type))
		eki_parallel(a->ctx, s.parts, s.parts, flip_part, &s);
}

#endif
