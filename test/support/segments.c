/* SPDX-License-Identifier: BSD-3-Clause
 * Segments of many shapes for tests. */
#include "support/segments.h"
#include "support/support.h"

static int64_t length(enum shape shape, int64_t i, int64_t n, struct rng *r)
{
	static const int64_t edge[] = {16, 64, 1024, 2048, 1, 63, 65};

	switch (shape) {
	case SHAPE_ONE: return n;
	case SHAPE_EACH: return 1;
	case SHAPE_SHORT: return 1 + rng_below(r, 7);
	case SHAPE_POWER: return INT64_C(1) << (rng_below(r, 15) * rng_below(r, 15) / 14);
	case SHAPE_EDGES: {
		int64_t e = edge[rng_below(r, 7)];

		return e - i % e;
	}
	case SHAPE_EMPTY: return rng_below(r, 3) ? 1 + rng_below(r, 30) : 0;
	default: return 1 + rng_below(r, 500);
	}
}

void segments_make(struct segments *g, enum shape shape, int64_t n, struct rng *r)
{
	/* Length of the runs of empty segments. */
	int64_t run = shape == SHAPE_EMPTY ? rng_below(r, n + 2) : 0;
	size_t room = (size_t)(2 * n + 5 * run + 9);

	*g = (struct segments){.n = n,
	                       .offset = malloc(room * sizeof *g->offset),
	                       .offset32 = malloc(room * sizeof *g->offset32),
	                       .flag = calloc((size_t)n + 1, 1)};
	for (int64_t k = 0; k < run; k++)
		g->offset[g->count++] = 0;
	for (int64_t i = 0; i < n;) {
		int64_t len = length(shape, i, n, r);

		if (len > n - i)
			len = n - i;
		if (len)
			g->flag[i] = rng_below(r, 2) ? 1 : rng_below(r, 2) ? 255 : 128;
		else if (g->count > n + 2 * run)
			continue; /* there are enough empty segments */
		g->offset[g->count++] = i;
		if (run && len && i <= n / 2 && i + len > n / 2)
			for (int64_t k = 0; k < run; k++)
				g->offset[g->count++] = i + len;
		i += len;
	}
	for (int64_t k = 0; k < run; k++)
		g->offset[g->count++] = n;
	g->offset[g->count] = n;
	for (int64_t s = 0; s <= g->count; s++)
		g->offset32[s] = (int32_t)g->offset[s];
	if (n && rng_below(r, 2))
		g->flag[0] = 0;
}

void segments_free(struct segments *g)
{
	free(g->offset);
	free(g->offset32);
	free(g->flag);
}

int64_t segments_count(const struct segments *g, bool flags)
{
	int64_t count = 0;

	if (!flags)
		return g->count;
	for (int64_t i = 0; i < g->n; i++)
		count += i == 0 || g->flag[i];
	return count;
}

ek_segments segments_given(const struct segments *g, bool flags, ek_value offset_type)
{
	if (flags)
		return ek_segment_flags(segments_count(g, true), g->flag);
	return ek_segment_offsets(g->count, offset_type,
	                          offset_type == EK_INT64 ? (void *)g->offset
	                                                  : (void *)g->offset32);
}

const ek_method *segmented_next(const ek_method *m)
{
	while ((m = any_processor_method_next(m)) && ek_method_operation(m) != EK_SEGMENTED_SCAN &&
	       ek_method_operation(m) != EK_SEGMENTED_SUM)
		;
	return m;
}

bool segmented_sums(const ek_method *m)
{
	return ek_method_operation(m) == EK_SEGMENTED_SUM;
}

long double number_at(ek_value type, const void *v, int64_t i)
{
	return type == EK_INT64 ? (long double)((const int64_t *)v)[i] : value_at(type, v, i);
}

long double number_identity(ek_value type, ek_monoid op)
{
	long double least = type == EK_INT32   ? (long double)INT32_MIN
	                    : type == EK_INT64 ? (long double)INT64_MIN
	                                       : -(long double)INFINITY;

	if (op == EK_MAX)
		return least;
	if (op == EK_MIN)
		return type == EK_INT32 || type == EK_INT64 ? -(least + 1) : -least;
	return 0;
}

long double number_join(ek_value type, ek_monoid op, long double a, long double b)
{
	uint64_t bits;

	if (op == EK_MAX)
		return a > b ? a : b;
	if (op == EK_MIN)
		return a < b ? a : b;
	if (type == EK_F32 || type == EK_F64)
		return a + b;
	bits = op == EK_OR ? (uint64_t)(int64_t)a | (uint64_t)(int64_t)b
	                   : (uint64_t)(int64_t)a + (uint64_t)(int64_t)b;
	return type == EK_INT32 ? (long double)(int32_t)(uint32_t)bits : (long double)(int64_t)bits;
}
