/* SPDX-License-Identifier: BSD-3-Clause
 * The scan as a loop, which all other scans are compared with: every entry waits for the addition
 * before it, so the time is n times the latency of an addition whatever the memory does, and a sum
 * in f32 stops to grow where an entry is less than half of its last bit.
 *
 * Liu 2015, Algorithms 6 to 9, in place and out of place by one loop that reads before it
 * writes. */
#include "prim/prim.h"
#define EK_ARRAYS
#define EK_TYPES_ONLY
#define EK_FILE "prim/scan_serial.c"
#include "core/for_each.h"

static void FN(scan_serial)(const eki_array *a)
{
	const VAL *in = a->in;
	VAL *out = a->out, sum = FN(identity)(a->op);

	for (int64_t i = 0; i < a->n; i++) {
		VAL before = sum;

		sum = i ? sop(a->op, sum, in[i]) : in[i];
		out[i] = a->kind == EK_EXCLUSIVE ? before : sum;
	}
}

#if EK_ONCE

static ek_status run(const ek_context *ctx, const eki_array *a)
{
	static void (*const scan[])(const eki_array *) = EK_BY_VALUE(scan_serial);

	(void)ctx;
	scan[eki_value_row(a->type)](a);
	return EK_OK;
}

const ek_method ek_scan_serial = {
	.name = "scan.serial",
	.text = "the plain loop, the reference",
	.source = "Liu 2015, Algorithms 6 to 9",
	.operation = EK_SCAN,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.array = run,
};

#endif
