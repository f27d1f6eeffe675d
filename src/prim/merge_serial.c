/* SPDX-License-Identifier: BSD-3-Clause
 * The merge as a plain loop, the reference for all other merges: each step moves the pair with the
 * lesser key to the result, or the pair of `a` if the keys are equal. The processor has to predict
 * which of the two pairs is moved. With random keys every second prediction is wrong, and such a
 * step takes as long as a dozen others.
 *
 * Liu 2015, Algorithm 16. */
#include <string.h>

#include "prim/merge.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_TYPES_ONLY
#define EK_FILE "prim/merge_serial.c"
#include "base/for_each.h"

#include "prim_body/order.h"

static void FN(merge_serial)(const eki_merge *m, ek_value type, size_t size)
{
	const FN(raw) *a = (const void *)m->a, *b = (const void *)m->b;
	FN(raw) *out = (void *)m->out;
	const VAL flip = FN(flip)(type);
	const int64_t n = m->an + m->bn;
	int64_t i = 0, j = 0;

	for (int64_t o = 0; o < n; o++) {
		const bool first =
			i < m->an && (j >= m->bn || FN(order)(a[i], flip) <= FN(order)(b[j], flip));
		const char *value = first ? m->a_value : m->b_value;
		const int64_t k = first ? i++ : j++;

		out[o] = first ? a[k] : b[k];
		if (size)
			memcpy(m->out_value + o * (int64_t)size, value + k * (int64_t)size, size);
	}
}

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	static void (*const merge[])(const eki_merge *, ek_value, size_t) = EK_BY_INT(merge_serial);

	(void)step;
	for (int64_t k = 0; k < a->batch; k++) {
		const eki_merge m = eki_merge_of(a, k);

		merge[eki_int_row(a->type)](&m, a->type, a->a.value_size);
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
	.run = run,
};

#endif
