/* SPDX-License-Identifier: BSD-3-Clause
 * The merge sort as loops, which all other sorts are compared with, and the only one that is
 * stable: runs of 16 pairs by insertion, then passes that merge two runs to one of twice the
 * length, from the array to a copy and back. n log2(n / 16) moves, each behind a comparison that
 * the processor cannot foresee.
 *
 * Knuth 1998, The Art of Computer Programming 3, sections 5.2.1 and 5.2.4. */
#include <string.h>

#include "prim/network.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_TYPES_ONLY
#define EK_FILE "prim/sort_serial.c"
#include "core/for_each.h"

#include "prim/pair.h"

#define RUN 16

/* Pairs begin .. end - 1 of `p`. */
static inline __attribute__((always_inline)) void FN(insertion)(eki_run p, int64_t begin,
                                                                int64_t end, VAL flip, int64_t vs)
{
	for (int64_t i = begin + 1; i < end; i++) {
		const VAL order = FN(key_at)(p, i, flip);
		FN(raw) key;
		char value[8];
		const eki_run hand = {&key, value};
		int64_t k = i;

		FN(pair_move)(p, i, hand, 0, vs);
		for (; k > begin && order < FN(key_at)(p, k - 1, flip); k--)
			FN(pair_move)(p, k - 1, p, k, vs);
		FN(pair_move)(hand, 0, p, k, vs);
	}
}

/* Runs begin .. middle - 1 and middle .. end - 1 of `from` to begin .. end - 1 of `to`. */
static inline __attribute__((always_inline)) void FN(two_runs)(eki_run from, int64_t begin,
                                                               int64_t middle, int64_t end,
                                                               eki_run to, VAL flip, int64_t vs)
{
	int64_t i = begin, j = middle;

	for (int64_t o = begin; o < end; o++) {
		const bool first = i < middle && (j >= end || FN(key_at)(from, i, flip) <=
		                                                      FN(key_at)(from, j, flip));

		FN(pair_move)(from, first ? i : j, to, o, vs);
		i += first;
		j += !first;
	}
}

static inline __attribute__((always_inline)) void
FN(sort_serial)(int64_t n, eki_run p, eki_run copy, VAL flip, int64_t vs)
{
	eki_run from = p, to = copy;

	for (int64_t k = 0; k < n; k += RUN)
		FN(insertion)(p, k, n - k < RUN ? n : k + RUN, flip, vs);
	for (int64_t length = RUN; length < n; length *= 2) {
		const eki_run swap = from;

		for (int64_t k = 0; k < n; k += 2 * length)
			FN(two_runs)
			(from, k, n - k < length ? n : k + length,
			 n - k < 2 * length ? n : k + 2 * length, to, flip, vs);
		from = to;
		to = swap;
	}
	if (from.key != p.key)
		for (int64_t k = 0; k < n; k++)
			FN(pair_move)(from, k, p, k, vs);
}

static void FN(sort_serial_0)(int64_t n, eki_run p, eki_run copy, ek_value type)
{
	FN(sort_serial)(n, p, copy, FN(flip)(type), 0);
}

static void FN(sort_serial_4)(int64_t n, eki_run p, eki_run copy, ek_value type)
{
	FN(sort_serial)(n, p, copy, FN(flip)(type), 4);
}

static void FN(sort_serial_8)(int64_t n, eki_run p, eki_run copy, ek_value type)
{
	FN(sort_serial)(n, p, copy, FN(flip)(type), 8);
}

#if EK_ONCE

static ek_status run(const ek_context *ctx, const eki_array *a)
{
	static void (*const sort[3][2])(int64_t, eki_run, eki_run, ek_value) = {
		EK_BY_INT(sort_serial_0), EK_BY_INT(sort_serial_4), EK_BY_INT(sort_serial_8)};
	const size_t size = ek_value_size(a->type), values = a->a.value_size;
	const int64_t room = a->n > RUN ? a->n : 0;
	void *key = NULL, *value = NULL;
	ek_status status = EK_OK;

	EK_TRY(eki_alloc(ctx, room, size, &key));
	if (values)
		EK_TRY(eki_alloc(ctx, room, values, &value));
	sort[values / 4][eki_int_row(a->type)](a->n, (eki_run){a->a.key, a->a.value},
	                                       (eki_run){key, value}, a->type);
done:
	eki_free(ctx, key, room, size);
	eki_free(ctx, value, room, values);
	return status;
}

const ek_method ek_sort_serial = {
	.name = "sort.serial",
	.text = "merge sort as loops, stable, the reference",
	.source = "Knuth 1998, sections 5.2.1 and 5.2.4",
	.operation = EK_SORT,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.array = run,
};

#endif
