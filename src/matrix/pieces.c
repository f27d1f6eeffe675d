/* SPDX-License-Identifier: BSD-3-Clause
 * Runs checks and conversions of stores on all threads of a context, piece by piece. */
#include "matrix/matrix.h"

struct check_job {
	const ek_store *s;
	eki_fault_fn *fault;
	int64_t n;
	int parts;
	int64_t first[64]; /* first fault of each part, or n if it has none */
};

static void check_part(void *arg, int part)
{
	struct check_job *job = arg;
	int64_t end = eki_cut(job->n, job->parts, part + 1);
	int64_t k = job->fault(job->s, eki_cut(job->n, job->parts, part), end);

	job->first[part] = k < end ? k : job->n;
}

int64_t eki_first_fault(const ek_context *ctx, const ek_store *s, eki_fault_fn *fault, int64_t n)
{
	struct check_job job = {s, fault, n, 1, {0}};

	if (eki_parts(ctx, n) > 1)
		job.parts = ctx->threads < 64 ? ctx->threads : 64;
	eki_parallel(ctx, ctx->threads, job.parts, check_part, &job);
	for (int part = 0; part < job.parts; part++)
		if (job.first[part] < n)
			return job.first[part];
	return n;
}

enum { PIECES = 8 }; /* number of pieces for each thread */

struct fill_job {
	eki_fill_fn *fn;
	const ek_store *in;
	ek_store *out;
	int64_t n;
	int parts;
};

static void fill_part(void *arg, int part)
{
	const struct fill_job *job = arg;

	job->fn(job->in, job->out, eki_cut(job->n, job->parts, part),
	        eki_cut(job->n, job->parts, part + 1));
}

void eki_fill(const ek_context *ctx, eki_fill_fn *const fn[EK_NTYPE], const ek_store *in,
              ek_store *out, int64_t n, int64_t work)
{
	const int parts = eki_parts(ctx, n > work ? n : work);
	struct fill_job job = {fn[eki_type(in->value, in->index)], in, out, n,
	                       parts > 1 ? PIECES * parts : 1};

	eki_parallel(ctx, ctx->threads, job.parts, fill_part, &job);
}

int64_t eki_idx_sum(const ek_store *s, int array)
{
	uint64_t sum = 0;

	for (int64_t k = 0; k < s->len[array]; k++)
		sum += (uint64_t)eki_idx_at(s, array, k);
	return (int64_t)sum;
}
