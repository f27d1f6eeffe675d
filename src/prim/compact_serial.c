/* SPDX-License-Identifier: BSD-3-Clause
 * Compaction as a plain loop, the reference: each pair whose flag is set is copied behind the one
 * before. Which flags are set is hard to foresee, so about half of the rarer kind cost a
 * mispredicted branch.
 *
 * Liu 2015, section 4.4.1: sequential iteration. */
#include <string.h>

#include "prim/compact.h"

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	const size_t key = ek_value_size(a->type), value = a->a.value_size;
	int64_t n = 0;

	(void)step;
	for (int64_t i = 0; i < a->n; i++)
		if (a->segments.flag[i]) {
			memcpy((char *)a->c.key + (size_t)n * key,
			       (const char *)a->a.key + (size_t)i * key, key);
			if (value)
				memcpy((char *)a->c.value + (size_t)n * value,
				       (const char *)a->a.value + (size_t)i * value, value);
			n++;
		}
	*a->count = n;
	return EK_OK;
}

const ek_method ek_compact_serial = {
	.name = "compact.serial",
	.text = "the plain loop, the reference",
	.source = "Liu 2015, section 4.4.1",
	.operation = EK_COMPACT,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run,
};
