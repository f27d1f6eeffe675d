/* SPDX-License-Identifier: BSD-3-Clause
 * The segmented scan as two plain loops, over segments and over their entries, the reference for
 * all other methods. Each entry waits for the addition before it. */
#include "prim/segmented.h"
#define EK_ARRAYS
#define EK_TYPES_ONLY
#define EK_FILE "prim/segscan_serial.c"
#include "base/for_each.h"

static void FN(segscan_serial)(const eki_array *a)
{
	const VAL *in = a->in;
	VAL *out = a->out;

	for (int64_t s = 0, i = 0; i < a->n; s++) {
		int64_t begin = i, end = eki_segment_end(a, s, i, a->n);
		VAL sum = FN(identity)(a->op);

		for (; i < end; i++) {
			VAL before = sum;

			sum = i > begin ? sop(a->op, sum, in[i]) : in[i];
			out[i] = a->kind == EK_EXCLUSIVE ? before : sum;
		}
	}
}

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_context *ctx = step->ctx;
	const eki_array *a = v->array;
	static void (*const segscan[])(const eki_array *) = EK_BY_VALUE(segscan_serial);

	EK_RETURN_IF(eki_segments_check(ctx, a, NULL, NULL));
	segscan[eki_value_row(a->type)](a);
	return EK_OK;
}

const ek_method ek_segscan_serial = {
	.name = "segscan.serial",
	.text = "the plain loops, the reference",
	.source = "Blelloch 1990, section 1.5",
	.operation = EK_SEGMENTED_SCAN,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run,
};

#endif
