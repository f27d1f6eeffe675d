/* SPDX-License-Identifier: BSD-3-Clause
 * Support for callers that count from 1, as Fortran does: subtracts 1 from index arrays, and names
 * positions in these arrays for messages. */
#include <stdio.h>

#include "matrix/matrix.h"

struct shift_job {
	const void *from;
	void *to;
	int64_t len;
	size_t size;
	int base, parts;
};

/* Subtracts the base from the indices of one part. The subtraction is unsigned, since with
 * EK_TRUSTED an index may be any number, and signed overflow is undefined. */
static void shift_part(void *arg, int part)
{
	const struct shift_job *job = arg;
	const uint32_t base = (uint32_t)job->base;
	int64_t begin = eki_cut(job->len, job->parts, part),
		end = eki_cut(job->len, job->parts, part + 1);

	if (job->size == 4)
		for (int64_t k = begin; k < end; k++)
			((uint32_t *)job->to)[k] = ((const uint32_t *)job->from)[k] - base;
	else
		for (int64_t k = begin; k < end; k++)
			((uint64_t *)job->to)[k] = ((const uint64_t *)job->from)[k] - base;
}

void eki_idx_shift(const ek_context *ctx, const void *from, int64_t len, size_t size, int base,
                   void *to)
{
	struct shift_job job = {from, to, len, size, base, eki_parts(ctx, len)};

	eki_parallel(ctx, ctx->threads, job.parts, shift_part, &job);
}

eki_place_text eki_place_of(const char *array, int64_t k, int base)
{
	eki_place_text t;

	snprintf(t.text, sizeof t.text, base ? "%s(%lld)" : "%s[%lld]", array, (long long)k + base);
	return t;
}
