/* SPDX-License-Identifier: BSD-3-Clause
 * The sum of an array as a plain loop, the reference for the other reductions: each addition waits
 * for the one before.
 *
 * Liu 2015, Algorithm 3. */
#include "prim/prim.h"
#define EK_ARRAYS
#define EK_TYPES_ONLY
#define EK_FILE "prim/reduce_serial.c"
#include "base/for_each.h"

static void FN(reduce_serial)(const eki_array *a)
{
	const VAL *in = a->in;
	VAL sum = FN(identity)(a->op);

	for (int64_t i = 0; i < a->n; i++)
		sum = i ? sop(a->op, sum, in[i]) : in[i];
	*(VAL *)a->out = sum;
}

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	static void (*const reduce[])(const eki_array *) = EK_BY_VALUE(reduce_serial);

	(void)step;
	reduce[eki_value_row(a->type)](a);
	return EK_OK;
}

const ek_method ek_reduce_serial = {
	.name = "reduce.serial",
	.text = "the plain loop, the reference",
	.source = "Liu 2015, Algorithm 3",
	.operation = EK_REDUCE,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run,
};

#endif
