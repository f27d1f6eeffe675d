/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench gemvi: y = A x for a square dense matrix A with --n rows, row- or column-major, and a
 * sparse x, which has an entry at a random place of each --spread indices. Results are checked
 * against sums in twice double precision, and must equal those of the first method bit for bit. */
#include <math.h>
#include <string.h>

#include "array.h"

static void size(struct job *job)
{
	const int64_t n = job->n, nnz = n / job->length ? n / job->length : 1;
	const int order = (int)job->value_size;

	job->x = ek_sparse_vector(job->type, EK_INT32, n, nnz, NULL, NULL);
	job->dense = ek_block(job->type, n, n, n, order, NULL);
	job->k = nnz;
	job->value_size = 0;
	job->bytes = (double)(n * nnz + nnz + n) * (double)job->size + 4 * (double)nnz;
	job->need = (double)n * ((double)n * (double)job->size + sizeof(struct array_sum)) +
	            2 * job->bytes;
	job->line = keep("%s %s l=%s %s", text_size(n), ek_value_name(job->type),
	                 text_size(job->length), order == EK_ROW_MAJOR ? "row" : "col");
	job->variant = keep("spread %s, %s", text_size(job->length),
	                    order == EK_ROW_MAJOR ? "row" : "col");
}

static ek_status multiply(const struct job *job, const ek_array_options *options, void *result)
{
	const ek_dense y = ek_vector(job->type, job->n, result);

	return ek_gemvi(job->ctx, options, 1, &job->dense, &job->x, 0, &y);
}

static ek_status call(struct job *job, const ek_array_options *options)
{
	return multiply(job, options, job->p.out);
}

/* Computes the sum of each row. */
static void make_sums(const struct job *job, struct array_sum *sum)
{
	const bool by_rows = job->dense.order == EK_ROW_MAJOR;

#pragma omp parallel for num_threads(job->threads)
	for (int64_t i = 0; i < job->n; i++)
		for (int64_t k = 0; k < job->x.nnz; k++) {
			const int64_t j = data_index(&job->x, k);

			array_add_product(&sum[i],
			                  array_number(job->type, job->dense.data,
			                               by_rows ? i * job->n + j : i + j * job->n),
			                  array_number(job->type, job->x.val, k));
		}
}

static void make(struct job *job)
{
	const ek_array_options first = {.size = sizeof first,
	                                .method = ek_method_name(method_first(EK_GEMVI))};

	job->x.idx = job_alloc(job, job->x.nnz * (int64_t)sizeof(int32_t));
	data_indices(&job->x, job->o->common.seed, job->threads);
	job->x.val = job_random(job, job->x.nnz, 1);
	job->dense.data = job_random(job, job->n * job->n, 2);
	job->p.out = job_output(job, job->n * job->size, NULL);
	job->p.op = EK_SUM;
	job->sums = job_alloc(job, job->n * (int64_t)sizeof(struct array_sum));
	make_sums(job, job->sums);
	job->first = job_alloc(job, job->n * job->size);
	if (multiply(job, &first, job->first) != EK_OK)
		memset(job->first, 0xff, (size_t)(job->n * job->size));
}

static double error(void *problem, const char *method)
{
	const struct job *job = problem;
	double worst = 0;

	(void)method;
	for (int64_t i = 0; i < job->n; i++)
		worst = fmax(worst, array_error(job, &job->sums[i], i, (double)job->k + 2));
	return memcmp(job->p.out, job->first, (size_t)(job->n * job->size)) == 0 ? worst : INFINITY;
}

static void check(struct bench_options *o)
{
	for (int k = 0; k < o->n.count; k++)
		if (o->n.value[k] > 1 << 20)
			tool_usage("--n: matrices with at most 2^20 rows are expected");
}

const struct operation bench_gemvi = {
	ARRAY_OPERATION("gemvi", EK_GEMVI, NUMBERS | READS),
	.text = "products of a dense matrix and a sparse vector, with the read bound",
	.help = ARRAY_HELP("products of a dense matrix and a sparse vector",
                           "the plain loop and with the read bandwidth of the memory",
                           "gemvi --n 2^12 --spread 1,64 --order row,col\n"),
	.options = ARRAY_OPTIONS "n spread order_a",
	.defaults = "time=1 type=f32,f64 n=2^10,2^12 spread=1,16,256 order=row,col",
	.check = check,
	.moves = "bytes of x, of y, and of the columns of A at which x has an entry",
};
