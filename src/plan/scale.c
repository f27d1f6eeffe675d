/* SPDX-License-Identifier: BSD-3-Clause
 * Computes Y = beta Y0 on the processor. This is used for products without entries, for rows
 * without entries, and before methods that add entries to y one by one. Zeros and copies of vectors
 * are left to the C library, which writes long ones past the caches. Ranges without elements are
 * left out, since y may be NULL then. */
#include <string.h>

#include "plan/plan.h"
#define EK_TYPES_ONLY
#define EK_FILE "plan/scale.c"
#include "base/for_each.h"

#if EK_PER_TYPE

static void FN(scale)(const eki_run *v, int64_t begin, int64_t end)
{
	const VAL beta = EK_SCALAR(v->beta), *from = v->y0.data;
	VAL *to = v->y.data;

	if (v->width == 1 && v->y.row == 1 && v->y0.row == 1) {
		const size_t bytes = (size_t)(end - begin) * sizeof *to;

		if (beta == 0)
			memset(to + begin, 0, bytes);
		else if (beta == 1)
			memcpy(to + begin, from + begin, bytes);
		else
			for (int64_t i = begin; i < end; i++)
				to[i] = beta * from[i];
		return;
	}
	for (int64_t i = begin; i < end; i++)
		for (int64_t j = 0; j < v->width; j++)
			to[i * v->y.row + j * v->y.col] =
				beta == 0 ? 0 : beta * from[i * v->y0.row + j * v->y0.col];
}

#endif
#if EK_ONCE

typedef void scale_fn(const eki_run *, int64_t, int64_t);

static scale_fn *const scale[EK_NTYPE] = EK_BY_TYPE(scale);

bool eki_scale_keeps(const eki_run *v)
{
	return eki_is(v->beta, 1) && v->y0.data == v->y.data;
}

struct scale_job {
	const eki_run *v;
	int64_t begin, rows;
	int parts;
	scale_fn *scale;
};

static void scale_part(void *arg, int part)
{
	const struct scale_job *job = arg;

	job->scale(job->v, job->begin + eki_cut(job->rows, job->parts, part),
	           job->begin + eki_cut(job->rows, job->parts, part + 1));
}

void eki_scale(const eki_step *step, const eki_run *v, int64_t begin, int64_t end)
{
	const int64_t work = eki_times(end - begin, v->width);
	struct scale_job job = {v, begin, end - begin,
	                        work > 2 * step->ctx->small_work ? step->threads : 1,
	                        scale[eki_type(step->in[0]->value, step->in[0]->index)]};

	if (begin < end && !eki_scale_keeps(v))
		eki_parallel(step->ctx, step->threads, job.parts, scale_part, &job);
}

void eki_scale_serial(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	if (begin < end && !eki_scale_keeps(v))
		scale[eki_type(A->value, A->index)](v, begin, end);
}

#endif
