/* SPDX-License-Identifier: BSD-3-Clause
 * y = beta y0 on the processor: a product without entries, and what comes before entries are added
 * one by one. */
#include "core/ek_core.h"

struct scale_job {
	const void *from;
	void *to;
	int64_t n;
	double beta;
	int parts;
	bool wide;
};

static void scale_part(void *arg, int part)
{
	const struct scale_job *job = arg;
	int64_t begin = eki_cut(job->n, job->parts, part),
		end = eki_cut(job->n, job->parts, part + 1);
	const float beta = (float)job->beta, *from32 = job->from;
	const double *from64 = job->from;
	float *to32 = job->to;
	double *to64 = job->to;

	for (int64_t i = begin; i < end; i++)
		if (job->wide)
			to64[i] = job->beta == 0 ? 0 : job->beta * from64[i];
		else
			to32[i] = beta == 0 ? 0 : beta * from32[i];
}

void eki_scale(const ek_plan *p, double beta, const void *y0, void *y, int64_t n)
{
	struct scale_job job = {y0,
	                        y,
	                        n,
	                        beta,
	                        n > 2 * p->ctx->small_work ? p->threads : 1,
	                        p->store->value == EK_F64};

	if (beta != 1 || y0 != y)
		eki_parallel(p->threads, job.parts, scale_part, &job);
}
