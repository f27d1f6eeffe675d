/* SPDX-License-Identifier: BSD-3-Clause
 * The addition of two dense vectors as a plain loop, the reference: two reads and one write for
 * each entry. Each sum is read before its place is written, so `out` may be one of the inputs.
 *
 * Liu 2015, Algorithm 2. */
#include "prim/prim.h"
#define EK_ARRAYS
#define EK_TYPES_ONLY
#define EK_FILE "prim/array_add_serial.c"
#include "base/for_each.h"

static void FN(array_add_serial)(const eki_array *args)
{
	const VAL *a = args->a.key, *b = args->b.key;
	VAL *out = args->out;

	for (int64_t i = 0; i < args->n; i++)
		out[i] = sop(EK_SUM, a[i], b[i]);
}

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	static void (*const add[])(const eki_array *) = EK_BY_VALUE(array_add_serial);

	(void)step;
	add[eki_value_row(a->type)](a);
	return EK_OK;
}

const ek_method ek_array_add_serial = {
	.name = "array_add.serial",
	.text = "the plain loop, the reference",
	.source = "Liu 2015, Algorithm 2",
	.operation = EK_ARRAY_ADD,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run,
};

#endif
