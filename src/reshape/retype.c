/* SPDX-License-Identifier: BSD-3-Clause
 * Copies CSR matrices, with the same types of values and indices or with other types. Arrays are
 * copied one by one, in parallel, with entries in the same order. Cost: one pass over the
 * arrays. */
#include <string.h>

#include "matrix/matrix.h"

#define MAX_PARTS 64

/* A range [begin, end) of an array to convert. Indices always fit the new type, since the sizes of
 * the matrix were checked before. */
struct piece {
	const void *from;
	void *to;
	int64_t begin, end;
	int64_t fault;            /* position of the first value that does not fit, or `end` */
	int64_t lost, first_lost; /* number of values that became 0, and position of the first */
};

typedef void convert_fn(struct piece *p);

static void widen_index(struct piece *p)
{
	const int32_t *in = p->from;
	int64_t *out = p->to;

	for (int64_t k = p->begin; k < p->end; k++)
		out[k] = in[k];
}

static void narrow_index(struct piece *p)
{
	const int64_t *in = p->from;
	int32_t *out = p->to;

	for (int64_t k = p->begin; k < p->end; k++)
		out[k] = (int32_t)in[k];
}

static void widen_value(struct piece *p)
{
	const float *in = p->from;
	double *out = p->to;

	for (int64_t k = p->begin; k < p->end; k++)
		out[k] = eki_widen(in[k]);
}

static void narrow_value(struct piece *p)
{
	const double *in = p->from;
	float *out = p->to;

	for (int64_t k = p->begin; k < p->end; k++) {
		const uint64_t bits = eki_f64_bits(in[k]), magnitude = bits & INT64_MAX;
		const uint32_t nearest = eki_f32_nearest(bits);

		memcpy(&out[k], &nearest, sizeof nearest);
		if (eki_f32_usual(magnitude))
			continue;
		if (magnitude >= EKI_F32_OVER && magnitude < EKI_F64_INF) {
			p->fault = k;
			return;
		}
		if (nearest << 1 == 0 && p->lost++ == 0)
			p->first_lost = k;
	}
}

static void copy4(struct piece *p)
{
	memcpy((char *)p->to + 4 * p->begin, (const char *)p->from + 4 * p->begin,
	       (size_t)(p->end - p->begin) * 4);
}

static void copy8(struct piece *p)
{
	memcpy((char *)p->to + 8 * p->begin, (const char *)p->from + 8 * p->begin,
	       (size_t)(p->end - p->begin) * 8);
}

/* Conversion functions. Each index is 0 or 1. The first tells whether the array has values (1) or
 * indices (0). The second and the third tell whether elements have 8 bytes (1) or 4 bytes (0), in
 * the source and in the copy. */
static convert_fn *const convert_table[2][2][2] = {
	{{copy4, widen_index}, {narrow_index, copy8}},
	{{copy4, widen_value}, {narrow_value, copy8}},
};

struct convert_job {
	convert_fn *fn;
	struct piece piece[MAX_PARTS];
};

static void convert_part(void *arg, int part)
{
	struct convert_job *job = arg;

	job->fn(&job->piece[part]);
}

/* Converts all elements of an array. In the result, `fault`, `lost` and first_lost are those of the
 * whole array. */
static struct piece convert_array(const ek_context *ctx, const ek_store *in, int array,
                                  ek_store *out)
{
	eki_elem elem = in->format->array[array].elem;
	size_t from = eki_elem_size(elem, in->value, in->index);
	size_t to = eki_elem_size(elem, out->value, out->index);
	struct convert_job job = {.fn = convert_table[elem == EKI_VALUE][from == 8][to == 8]};
	struct piece all = {
		.from = in->array[array], .to = out->array[array], .end = in->len[array]};
	int parts = 1;

	all.fault = all.end;
	if (all.end == 0)
		return all;
	if (all.end > 50000)
		parts = ctx->threads < MAX_PARTS ? ctx->threads : MAX_PARTS;
	for (int part = 0; part < parts; part++) {
		job.piece[part] = all;
		job.piece[part].begin = eki_cut(all.end, parts, part);
		job.piece[part].end = eki_cut(all.end, parts, part + 1);
	}
	eki_parallel(ctx, ctx->threads, parts, convert_part, &job);
	for (int part = parts - 1; part >= 0; part--) {
		const struct piece *p = &job.piece[part];

		all.fault = p->fault < p->end ? p->fault : all.fault;
		all.first_lost = p->lost ? p->first_lost : all.first_lost;
		all.lost += p->lost;
	}
	return all;
}

/* Number, row and column of an entry, for messages. */
struct place {
	long long entry, row, column;
};

static struct place place_of(const ek_store *s, int64_t k)
{
	const long long major = eki_row_of(s, k) + s->from1, minor = eki_col_at(s, k) + s->from1;

	return (struct place){k + s->from1, s->columns ? minor : major, s->columns ? major : minor};
}

ek_status eki_convert_types(const ek_context *ctx, const char *name, const ek_store *in,
                            ek_value value, ek_index index, ek_store *out)
{
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
	const struct piece val = convert_array(ctx, in, CSR_VAL, out);

	if (val.fault < in->nnz) {
		const struct place at = place_of(in, val.fault);

		eki_store_free(ctx, out);
		return eki_fail(EK_EOVERFLOW,
		                "the value %g of entry %lld (row %lld, column %lld) is beyond the "
		                "range of f32, which ends at %g",
		                eki_val_at(in, val.fault), at.entry, at.row, at.column,
		                EKI_F32_END);
	}
	if (val.lost) {
		const struct place at = place_of(in, val.first_lost);

		eki_log(ctx, EK_LOG_WARNING,
		        "%s%s%lld %s too small for f32 and became 0, the first one is entry %lld "
		        "(row %lld, column %lld)",
		        name ? name : "", name ? ": " : "", (long long)val.lost,
		        val.lost == 1 ? "value is" : "values are", at.entry, at.row, at.column);
	}
	return EK_OK;
}
