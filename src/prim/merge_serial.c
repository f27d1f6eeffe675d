/* SPDX-License-Identifier: BSD-3-Clause
 * The merge as a loop, which all other merges are compared with: the lesser of two keys is moved,
 * that of a if they are equal. The processor has to guess which it is, so on random keys every other
 * step costs it the time of a dozen.
 *
 * Liu 2015, Algorithm 16. */
#include <string.h>

#include "prim/merge.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_TYPES_ONLY
#define EK_FILE "prim/merge_serial.c"
#include "core/for_each.h"

#include "prim/merge_key.h"

static void FN(merge_serial)(const eki_merge *m, bool flip, size_t size)
{
	const int64_t n = m->an + m->bn, values = (int64_t)size;
	int64_t i = 0, j = 0;

	for (int64_t o = 0; o < n; o++) {
		if (i < m->an && (j >= m->bn || FN(key_order)(FN(key_at)(m->a, i), flip) <=
		                                        FN(key_order)(FN(key_at)(m->b, j), flip))) {
			FN(pair_move)(m->a, m->a_value, i, m->out, m->out_value, o, values);
			i++;
		} else {
			FN(pair_move)(m->b, m->b_value, j, m->out, m->out_value, o, values);
			j++;
		}
	}
}

#if EK_ONCE

static ek_status run(const ek_context *ctx, const eki_array *a)
{
	static void (*const merge[])(const eki_merge *, bool, size_t) = EK_BY_INT(merge_serial);

	(void)ctx;
	for (int64_t k = 0; k < a->batch; k++) {
		const eki_merge m = eki_merge_of(a, k);

		merge[eki_int_row(a->type)](&m, eki_merge_flip(a), a->a.value_size);
	}
	return EK_OK;
}

const ek_method ek_merge_serial = {
	.name = "merge.serial",
	.text = "the plain loop, the reference",
	.source = "Liu 2015, Algorithm 16",
	.operation = EK_MERGE,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.array = run,
};

#endif
