/* SPDX-License-Identifier: BSD-3-Clause
 * CSR with other types of values and indices, or a copy with the same: array by array, in parallel,
 * entries in the same order. Cost: one pass over the arrays. */
#include <math.h>
#include <string.h>

#include "core/ek_core.h"

#define MAX_PARTS 64

/* Converts entries [begin, end); returns the first that does not fit, or end. Indices always fit,
 * as sizes were checked before. */
typedef int64_t convert_fn(const void *from, void *to, int64_t begin, int64_t end);

static int64_t widen_index(const void *from, void *to, int64_t begin, int64_t end)
{
	const int32_t *in = from;
	int64_t *out = to;

	for (int64_t k = begin; k < end; k++)
		out[k] = in[k];
	return end;
}

static int64_t narrow_index(const void *from, void *to, int64_t begin, int64_t end)
{
	const int64_t *in = from;
	int32_t *out = to;

	for (int64_t k = begin; k < end; k++)
		out[k] = (int32_t)in[k];
	return end;
}

static int64_t widen_value(const void *from, void *to, int64_t begin, int64_t end)
{
	const float *in = from;
	double *out = to;

	for (int64_t k = begin; k < end; k++)
		out[k] = in[k];
	return end;
}

static int64_t narrow_value(const void *from, void *to, int64_t begin, int64_t end)
{
	const double *in = from;
	float *out = to;

	for (int64_t k = begin; k < end; k++) {
		if (fabs(in[k]) >= EKI_F32_END && !isinf(in[k]))
			return k;
		out[k] = (float)in[k];
	}
	return end;
}

static int64_t copy4(const void *from, void *to, int64_t begin, int64_t end)
{
	memcpy((char *)to + 4 * begin, (const char *)from + 4 * begin, (size_t)(end - begin) * 4);
	return end;
}

static int64_t copy8(const void *from, void *to, int64_t begin, int64_t end)
{
	memcpy((char *)to + 8 * begin, (const char *)from + 8 * begin, (size_t)(end - begin) * 8);
	return end;
}

/* By [of values][from 8 bytes][to 8 bytes]. */
static convert_fn *const convert_table[2][2][2] = {
	{{copy4, widen_index}, {narrow_index, copy8}},
	{{copy4, widen_value}, {narrow_value, copy8}},
};

struct convert_job {
	convert_fn *fn;
	const void *from;
	void *to;
	int64_t len;
	int parts;
	int64_t fault[MAX_PARTS]; /* first entry of each part that does not fit; len: none */
};

static void convert_part(void *arg, int part)
{
	struct convert_job *job = arg;
	int64_t end = eki_cut(job->len, job->parts, part + 1);
	int64_t k = job->fn(job->from, job->to, eki_cut(job->len, job->parts, part), end);

	job->fault[part] = k < end ? k : job->len;
}

/* The first entry that does not fit, or the length. */
static int64_t convert_array(const ek_context *ctx, const ek_store *in, int array, ek_store *out)
{
	eki_elem elem = in->format->array[array].elem;
	size_t from = eki_elem_size(elem, in->value, in->index);
	size_t to = eki_elem_size(elem, out->value, out->index);
	struct convert_job job = {.fn = convert_table[elem == EKI_VALUE][from == 8][to == 8],
	                          .from = in->array[array],
	                          .to = out->array[array],
	                          .len = in->len[array],
	                          .parts = 1};

	if (job.len == 0)
		return 0;
	if (job.len > 50000)
		job.parts = ctx->threads < MAX_PARTS ? ctx->threads : MAX_PARTS;
	eki_parallel(ctx->threads, job.parts, convert_part, &job);
	for (int part = 0; part < job.parts; part++)
		if (job.fault[part] < job.len)
			return job.fault[part];
	return job.len;
}

ek_status eki_convert_types(const ek_context *ctx, const ek_store *in, ek_value value,
                            ek_index index, ek_store *out)
{
	int64_t k;

	if (in->rows > eki_idx_max(index) || in->cols > eki_idx_max(index))
		return eki_fail(EK_EOVERFLOW,
		                "%lld rows and %lld columns do not fit the index type %s",
		                (long long)in->rows, (long long)in->cols, ek_index_name(index));
	if (in->nnz >= eki_ptr_max(index))
		return eki_fail(EK_EOVERFLOW,
		                "%lld entries do not fit the row pointer type of index %s",
		                (long long)in->nnz, ek_index_name(index));
	EK_RETURN_IF(eki_csr_alloc(ctx, value, index, in->rows, in->cols, in->nnz, out));
	convert_array(ctx, in, CSR_PTR, out);
	convert_array(ctx, in, CSR_COL, out);
	k = convert_array(ctx, in, CSR_VAL, out);
	if (k < in->nnz) {
		const long long major = eki_row_of(in, k) + in->from1;
		const long long minor = eki_col_at(in, k) + in->from1;

		eki_store_free(ctx, out);
		return eki_fail(EK_EOVERFLOW,
		                "the value %g of entry %lld (row %lld, column %lld) is beyond the "
		                "range of f32, which ends at %g",
		                eki_val_at(in, k), (long long)k + in->from1,
		                in->columns ? minor : major, in->columns ? major : minor, EKI_F32_END);
	}
	return EK_OK;
}
