/* SPDX-License-Identifier: BSD-3-Clause
 * The scan as a plain loop, the reference for all other scans. Every entry waits for the addition
 * before it, so the time is n times the latency of an addition, however fast the memory is. A sum
 * in f32 stops growing where entries are less than half of its last bit.
 *
 * Liu 2015, Algorithms 6 to 9: one loop serves scans in place and out of place, since it reads each
 * entry before it writes the result for that entry. */
#include "prim/prim.h"
#define EK_ARRAYS
#define EK_TYPES_ONLY
#define EK_FILE "prim/scan_serial.c"
#include "base/for_each.h"

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

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	static void (*const scan[])(const eki_array *) = EK_BY_VALUE(scan_serial);

	(void)step;
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
	.run = run,
};

#endif
