/* SPDX-License-Identifier: BSD-3-Clause
 * Set operations by merging: in the merge of two sets an entry that both contain appears twice in a
 * row. A block of the merge is made by SIMD (eki_merge_run) in a buffer that stays in the
 * first-level cache. Then a compression in registers selects the entries of the buffer that differ
 * from the entry before (union) or equal it (intersection). Neither the merge nor the compression
 * has a branch that depends on the entries. Cost for each block: its merge, one more pass over it,
 * and a search on a diagonal. */
#include "prim/merge.h"
#include "prim/network.h"
#include "prim/set.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_FILE "prim/set_simd.c"
#include "base/for_each.h"

#include "prim_body/order.h"

#define BLOCK 2048

/* Selects the entries of the buffer that differ from the entry before or, if `equal` is true, that
 * equal it. Writes them to `out` and returns their number. buffer[-1] is the last entry of the
 * previous block; if `fresh` is true, there is no previous block. Whole vectors are written as long
 * as `out` has capacity for them. */
static inline __attribute__((always_inline)) int64_t
FN(keep)(const VAL *buffer, int64_t n, bool fresh, bool equal, VAL *out, int64_t capacity)
{
	int64_t i = 0, count = 0;

	if (fresh && n) {
		if (!equal && capacity)
			out[count++] = buffer[0];
		i = 1;
	}
	for (; i + W <= n && count + W <= capacity; i += W) {
		const vec v = vload(buffer + i);
		const unsigned same = veq(v, vload(buffer + i - 1));
		const unsigned bits = equal ? same : same ^ ((1u << W) - 1);

		vcompress(out + count, v, bits);
		count += FN(count)(bits);
	}
	for (; i < n && count < capacity; i++)
		if ((buffer[i] == buffer[i - 1]) == equal)
			out[count++] = buffer[i];
	return count;
}

static inline __attribute__((always_inline)) int64_t FN(set)(const eki_set_piece *s, bool equal)
{
	const eki_array keys = {.type = EK_VALUE_OF_PASS};
	const VAL *a = s->a, *b = s->b;
	VAL buffer[W + BLOCK];
	int64_t i = 0, j = 0, count = 0;

	for (int64_t n = 0; i < s->an || j < s->bn; buffer[W - 1] = buffer[W + n - 1]) {
		const int64_t an = s->an - i, bn = s->bn - j;
		const eki_merge m = {.an = an < BLOCK ? an : BLOCK,
		                     .bn = bn < BLOCK ? bn : BLOCK,
		                     .a = (const char *)(a ? a + i : a),
		                     .b = (const char *)(b ? b + j : b)};
		const bool fresh = i + j == 0;
		int64_t p, q;

		n = m.an + m.bn < BLOCK ? m.an + m.bn : BLOCK;
		p = eki_merge_cut(&keys, &m, n);
		q = n - p;
		eki_merge_run[EK_ISA_OF_PASS][EK_VAL_64][0](p, m.a, NULL, q, m.b, NULL, buffer + W,
		                                            NULL, 0);
		count += FN(keep)(buffer + W, n, fresh, equal, (VAL *)s->out + count,
		                  s->capacity - count);
		i += p;
		j += q;
	}
	return count;
}

static int64_t FN(set_union)(const eki_set_piece *s)
{
	return FN(set)(s, false);
}

static int64_t FN(set_intersection)(const eki_set_piece *s)
{
	return FN(set)(s, true);
}
#undef BLOCK

#if EK_ONCE

double eki_set_simd_cost(const eki_features *f)
{
	const eki_array *set = f->array;

	return f->machine->array.set_simd[eki_isa_row(set->isa)][eki_int_row(set->type)] *
	       (double)(set->a.n + set->b.n) / set->threads;
}

eki_set_fn *const eki_set_union_simd[EK_NISA][2] = EK_BY_ISA_AND_INT(set_union);
eki_set_fn *const eki_set_intersection_simd[EK_NISA][2] = EK_BY_ISA_AND_INT(set_intersection);

#endif
