/* SPDX-License-Identifier: BSD-3-Clause
 * The forward segmented sum: every thread walks forward once through its section of the entries and
 * writes the sums of the segments that end there. It needs neither the n - 1 additions nor the
 * array of partial sums of a segmented scan. Then the sums that sections leave open are carried
 * from left to right.
 *
 * Zhang 2012, section 4 (the second of its two products); Blelloch, Heroux and Zagha 1993 go
 * backward. */
#include <string.h>

#include "prim/segmented.h"
#define EK_ARRAYS
#define EK_TYPES_ONLY
#define EK_FILE "prim/segsum_forward.c"
#include "base/for_each.h"

static void FN(segsum_forward)(const eki_array *a, eki_segsum_part *part)
{
	const VAL *in = a->in;
	VAL *out = a->out, sum = 0;
	int64_t i = part->begin;

	for (int64_t s = part->first; s < part->last; s++) {
		int64_t end = eki_segment_end(a, s, i, part->end);

		for (sum = 0; i < end; i++)
			sum = sop(EK_SUM, sum, in[i]);
		out[s] = sum;
	}
	for (sum = 0; i < part->end; i++)
		sum = sop(EK_SUM, sum, in[i]);
	memcpy(&part->open, &sum, sizeof sum);
}

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_context *ctx = step->ctx;
	const eki_array *a = v->array;
	static eki_segsum_kernel *const kernel[] = EK_BY_VALUE(segsum_forward);

	return eki_segsum_split(ctx, a, kernel[eki_value_row(a->type)]);
}

const ek_method ek_segsum_forward = {
	.name = "segsum.forward",
	.text = "plain loops forward in equal shares of the entries, carries from left to right",
	.source = "Zhang 2012, section 4; Blelloch, Heroux, Zagha 1993",
	.operation = EK_SEGMENTED_SUM,
	.backend = EKI_CPU,
	.run = run,
};

#endif
