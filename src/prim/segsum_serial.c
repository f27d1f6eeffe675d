/* SPDX-License-Identifier: BSD-3-Clause
 * The segmented sum as two plain loops, over segments and over their entries, the reference for all
 * other methods. Liu 2015, Algorithm 12, with two changes: the sums are side by side instead of at
 * the first entries of their segments, and the bound is tested before the flag is read. */
#include "prim/segmented.h"
#define EK_ARRAYS
#define EK_TYPES_ONLY
#define EK_FILE "prim/segsum_serial.c"
#include "base/for_each.h"

static void FN(segsum_serial)(const eki_array *a)
{
	const VAL *in = a->in;
	VAL *out = a->out;

	for (int64_t s = 0, i = 0; s < a->segments.count; s++) {
		int64_t end = eki_segment_end(a, s, i, a->n);
		VAL sum = 0;

		for (; i < end; i++)
			sum = sop(EK_SUM, sum, in[i]);
		out[s] = sum;
	}
}

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_context *ctx = step->ctx;
	const eki_array *a = v->array;
	static void (*const segsum[])(const eki_array *) = EK_BY_VALUE(segsum_serial);

	EK_RETURN_IF(eki_segments_check(ctx, a, NULL, NULL));
	segsum[eki_value_row(a->type)](a);
	return EK_OK;
}

const ek_method ek_segsum_serial = {
	.name = "segsum.serial",
	.text = "the plain loops, the reference",
	.source = "Liu 2015, Algorithm 12",
	.operation = EK_SEGMENTED_SUM,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run,
};

#endif
