/* SPDX-License-Identifier: BSD-3-Clause
 * Transposes that conversions and plans need, by the algorithm that is predicted to be the fastest:
 * counting, or buckets of columns. Plans keep the origin of each value, so that new values need one
 * pass over the result. */
#include "transpose/radix.h"
#define EK_TYPES_ONLY
#define EK_FILE "reshape/transpose.c"
#include "base/for_each.h"

#if EK_PER_TYPE

/* Updates values [begin, end) of a transposed matrix with the present values of the original. */
static void FN(transposed_values)(const ek_store *in, ek_store *out, const void *source,
                                  int64_t begin, int64_t end)
{
	const VAL *val = in->array[CSR_VAL];
	const PTR *from = source;
	VAL *out_val = out->array[CSR_VAL];

	for (int64_t p = begin; p < end; p++)
		out_val[p] = val[from[p]];
}

#endif
#if EK_ONCE

/* Tells whether buckets are predicted to be faster than counting. */
static bool scattered(const ek_context *ctx, const ek_store *csr)
{
	eki_features f = {.value = csr->value,
	                  .index = csr->index,
	                  .threads = ctx->threads,
	                  .isa = ctx->isa,
	                  .calls = 20, /* as many products take as long as transposing */
	                  .width = 1,
	                  .stats = {.rows = csr->rows, .cols = csr->cols, .nnz = csr->nnz},
	                  .machine = ctx->machine};

	if (csr->nnz < EKI_SAMPLE_ENTRIES)
		return false;
	return eki_sample_shapes(csr, &f) && eki_radix_cost(&f) < eki_scan_cost(&f);
}

/* Transposes through buckets. Does nothing but set *done to false if no buckets suit the matrix, or
 * if they take more memory than counters may. */
static ek_status by_buckets(const eki_flip *flip, int parts, bool *done)
{
	const ek_context *ctx = flip->ctx;
	const int64_t most = flip->in->nnz * (int64_t)eki_ptr_size(flip->in->index);
	eki_radix r = {0};
	void *scratch = NULL;
	int64_t bytes = 0;
	ek_status status;

	/* Callers with a limit on memory assume at most one counter for each entry. */
	EK_TRY(eki_radix_make(ctx, flip->in, parts, most, &r));
	*done = r.buckets > 0;
	if (*done) {
		bytes = eki_radix_bytes(&r, flip->in, flip->from != NULL);
		*done = bytes <= most - eki_radix_held(&r);
	}
	if (*done) {
		EK_TRY(eki_alloc(ctx, bytes, 1, &scratch));
		eki_radix_flip(flip, &r, scratch);
	}
done:
	eki_free(ctx, scratch, bytes, 1);
	eki_radix_free(ctx, &r);
	return status;
}

static ek_status by_counting(const eki_flip *flip, int parts)
{
	const int64_t bytes = eki_scan_bytes(flip->in, parts, false);
	void *scratch = NULL;

	EK_RETURN_IF(eki_alloc(flip->ctx, bytes, 1, &scratch));
	eki_scan_flip(flip, parts, scratch);
	eki_free(flip->ctx, scratch, bytes, 1);
	return EK_OK;
}

ek_status eki_transpose(const ek_context *ctx, const ek_store *csr, ek_store *out, void **from)
{
	const int parts = eki_flip_parts(ctx, csr, ctx->threads);
	const size_t psize = eki_ptr_size(csr->index);
	ek_store new = {0};
	void *source = NULL;
	bool done = false;
	ek_status status;

	EK_TRY(eki_csr_alloc(ctx, csr->value, csr->index, csr->cols, csr->rows, csr->nnz, &new));
	if (from)
		EK_TRY(eki_alloc(ctx, csr->nnz, psize, &source));

	const eki_flip flip = {
		.ctx = ctx, .threads = ctx->threads, .in = csr, .out = &new, .from = source};

	if (scattered(ctx, csr))
		EK_TRY(by_buckets(&flip, parts, &done));
	if (!done)
		EK_TRY(by_counting(&flip, eki_scan_parts(csr, parts)));
	*out = new;
	if (from)
		*from = source;
done:
	if (status != EK_OK) {
		eki_store_free(ctx, &new);
		eki_free(ctx, source, csr->nnz, psize);
	}
	return status;
}

/* ---- For plans ------------------------------------------------------------------------------- */

ek_status eki_step_transpose(eki_step *step, eki_transposed *copy)
{
	const ek_store *in = step->in[0];
	ek_store *s = &copy->store;
	size_t psize = eki_ptr_size(in->index);

	EK_RETURN_IF(eki_step_reserve(step, 4));
	EK_RETURN_IF(eki_transpose(step->ctx, in, s, &copy->from));
	copy->in = in;
	eki_step_own(step, copy->from, s->nnz * (int64_t)psize);
	eki_step_own_store(step, s);
	step->bytes += eki_store_bytes(s) - eki_store_bytes(in);
	step->in[0] = s;
	step->op[0] = EK_OP_N;
	return EK_OK;
}

typedef void values_fn(const ek_store *, ek_store *, const void *, int64_t, int64_t);

struct values_job {
	const ek_store *in;
	eki_transposed *copy;
	int parts;
	values_fn *values;
};

static void values_part(void *arg, int part)
{
	const struct values_job *job = arg;
	int64_t nnz = job->in->nnz;

	job->values(job->in, &job->copy->store, job->copy->from, eki_cut(nnz, job->parts, part),
	            eki_cut(nnz, job->parts, part + 1));
}

void eki_transposed_refresh(const eki_step *step, eki_transposed *copy)
{
	static values_fn *const values[EK_NTYPE] = EK_BY_TYPE(transposed_values);
	const ek_store *in = copy->in;
	struct values_job job = {in, copy, eki_parts(step->ctx, in->nnz),
	                         values[eki_type(in->value, in->index)]};

	eki_parallel(step->ctx, step->threads, job.parts, values_part, &job);
}

#endif
