/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench to_coo, to_csr: conversions between CSR and coordinates in arrays. Each row has --length
 * entries, in as many columns of a matrix that has as many columns as rows. Coordinates are in
 * random order, or sorted: a method may be faster then. Entry k of the sorted ones has a value that
 * tells k, so every result is compared with what it must be. */
#include <math.h>

#include "array.h"

enum { DIFFERENT = 1 << 20 };

/* ---- Cases ----------------------------------------------------------------------------------- */

static ek_value ptr_type(const struct job *job)
{
	return job->x.index;
}

static ek_index index_of(const struct job *job)
{
	return job->x.index == EK_INT32 ? EK_I32 : EK_I64;
}

static int64_t rows_of(const struct job *job)
{
	return job->n / job->length;
}

/* Returns the column of sorted entry k. */
static int64_t column_of(const struct job *job, int64_t k)
{
	const int64_t rows = rows_of(job), step = rows / job->length;

	return k % job->length * (step ? step : 1);
}

static int64_t columns_of(const struct job *job)
{
	return rows_of(job) > job->length ? rows_of(job) : job->length;
}

static bool to_csr(const struct job *job)
{
	return job->b->op->operation == EK_TO_CSR;
}

static void size(struct job *job)
{
	const bool csr = to_csr(job);
	int64_t idx, entries;

	job->n = job->n / job->length * job->length;
	job->n = job->n ? job->n : job->length;
	job->x.index = csr ? (job->n < INT32_MAX ? EK_INT32 : EK_INT64) : job->type;
	idx = (int64_t)ek_value_size(job->x.index);
	entries = csr ? job->n * (4 * idx + 2 * job->size) : job->n * idx;
	job->k = csr ? job->value_size : 0; /* whether the coordinates are sorted */
	job->value_size = 0;
	job->bytes = (double)(entries + (rows_of(job) + 1) * idx);
	job->need = 2.1 * job->bytes;
	job->line = keep("%s %s l=%s%s", text_size(job->n), ek_value_name(job->type),
	                 text_size(job->length),
	                 !csr     ? ""
	                 : job->k ? " sorted"
	                          : " random");
	job->variant = keep("length %s%s", text_size(job->length),
	                    !csr     ? ""
	                    : job->k ? ", sorted"
	                             : ", random");
}

static void put(ek_value type, void *array, int64_t k, int64_t v)
{
	if (type == EK_INT32)
		((int32_t *)array)[k] = (int32_t)v;
	else if (type == EK_INT64)
		((int64_t *)array)[k] = v;
	else if (type == EK_F32)
		((float *)array)[k] = (float)v;
	else
		((double *)array)[k] = (double)v;
}

/* Returns the value of sorted entry k, which every type of numbers holds. */
static int64_t value_at(int64_t k)
{
	return k % DIFFERENT;
}

/* Makes coordinates. Exchanges each entry with one before it: a random order (Knuth). */
static void make_coordinates(struct job *job)
{
	const int64_t n = job->n, idx = (int64_t)ek_value_size(job->x.index);
	int64_t *order = job_alloc(job, n * (int64_t)sizeof *order);
	uint64_t state = (uint64_t)job->o->common.seed * 2 + 1;

	for (int64_t k = 0; k < n; k++) {
		int64_t to = k;

		if (!job->k) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			to = (int64_t)((state >> 20) % (uint64_t)(k + 1));
		}
		order[k] = order[to];
		order[to] = k;
	}
	job->x.idx = job_alloc(job, n * idx);
	job->y.idx = job_alloc(job, n * idx);
	job->x.val = job_alloc(job, n * job->size);
	for (int64_t k = 0; k < n; k++) {
		put(ptr_type(job), job->x.idx, k, order[k] / job->length);
		put(ptr_type(job), job->y.idx, k, column_of(job, order[k]));
		put(job->type, job->x.val, k, value_at(order[k]));
	}
}

static void make(struct job *job)
{
	const int64_t rows = rows_of(job), idx = (int64_t)ek_value_size(job->x.index);

	if (!to_csr(job)) {
		void *ptr = job_alloc(job, (rows + 1) * idx);

		for (int64_t i = 0; i <= rows; i++)
			put(ptr_type(job), ptr, i, i * job->length);
		job->p.in = ptr;
		job->p.out = job_output(job, job->n * idx, NULL);
		return;
	}
	make_coordinates(job);
	job->p.key = job_output(job, (rows + 1) * idx, NULL);
	job->z.idx = job_output(job, job->n * idx, NULL);
	job->z.val = job_output(job, job->n * job->size, NULL);
	job->result = job_output(job, sizeof *job->result, NULL);
}

static ek_status call(struct job *job, const ek_array_options *o)
{
	const int64_t rows = rows_of(job);

	if (!to_csr(job))
		return ek_csr_to_coo(job->ctx, o, index_of(job), rows, job->p.in, job->n,
		                     job->p.out);
	return ek_coo_to_csr(job->ctx, o, job->type, index_of(job), rows, columns_of(job), job->n,
	                     job->x.idx, job->y.idx, job->x.val, job->result, job->p.key,
	                     job->z.idx, job->z.val);
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static bool right(const struct job *job)
{
	const ek_value index = ptr_type(job);

	for (int64_t k = 0; k < job->n; k++)
		if (!to_csr(job)
		            ? array_order(index, job->p.out, k) != k / job->length
		            : array_order(index, job->z.idx, k) != column_of(job, k) ||
		                      array_number(job->type, job->z.val, k) != (double)value_at(k))
			return false;
	if (!to_csr(job))
		return true;
	for (int64_t i = 0; i <= rows_of(job); i++)
		if (array_order(index, job->p.key, i) != i * job->length)
			return false;
	return *job->result == job->n;
}

static double error(void *problem, const char *method)
{
	(void)method;
	return right(problem) ? 0 : INFINITY;
}

const struct operation bench_to_coo = {
	ARRAY_OPERATION("to_coo", EK_TO_COO, NUMBERS),
	.text = "rows of entries from row pointers",
	.help = ARRAY_HELP("conversions of row pointers to a row for each entry, with indices of "
                           "--type,",
                           "the plain loop", "to_coo --n 2^20,2^25 --length 4,100\n"),
	.options = ARRAY_OPTIONS "n row_length",
	.defaults = "time=1 type=i32,i64 n=2^20,2^25 length=8,256",
	.moves = "bytes of row pointers and rows",
};

const struct operation bench_to_csr = {
	ARRAY_OPERATION("to_csr", EK_TO_CSR, NUMBERS),
	.text = "CSR from coordinates",
	.help = ARRAY_HELP("conversions of coordinates to CSR", "the plain loops",
                           "to_csr --n 2^20,2^25 --length 8 --order random,sorted\n"),
	.options = ARRAY_OPTIONS "n row_length coordinates",
	.defaults = "time=1 type=f32,f64 n=2^20,2^24 length=8 order=random,sorted",
	.moves = "bytes of coordinates and of CSR",
};
