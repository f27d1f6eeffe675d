/* SPDX-License-Identifier: BSD-3-Clause
 * Data of the benchmarks on arrays, and the arithmetic of their checks.
 *
 * Sums are checked against a sum in twice double precision (Ogita, Rump and Oishi 2005, algorithm
 * Sum2). The rounding error of each addition is found exactly by Knuth's TwoSum, and these errors
 * are summed separately. The error that remains, n^2 u^2, is far below the bounds that are
 * checked. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "array.h"

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Allocates memory on page boundaries, so that measurements do not depend on where malloc happens
 * to put an array. Large arrays are in huge pages, like those of the library and of the read
 * probe. */
void *data_alloc(int64_t bytes, int threads)
{
	const int64_t huge = 1 << 21, page = bytes >= 2 * huge ? huge : 4096;
	const int64_t whole = (bytes / page + 1) * page;
	char *data = aligned_alloc((size_t)page, (size_t)whole);

	(void)threads; /* `threads` is unused without OpenMP */
	if (!data)
		return NULL;
#ifdef MADV_HUGEPAGE
	if (page == huge)
		madvise(data, (size_t)whole, MADV_HUGEPAGE);
#endif
#pragma omp parallel for num_threads(threads) schedule(static)
	for (int64_t at = 0; at < whole; at += 4096)
		memset(data + at, 0, 4096);
	return data;
}

void *job_alloc(struct job *job, int64_t bytes)
{
	job->bytes_held[job->holds] = bytes;
	return job->held[job->holds++] = need(data_alloc(bytes, job->threads), job->line);
}

void *job_output(struct job *job, int64_t bytes, const void *from)
{
	void *data = job_alloc(job, bytes);

	job->output[job->outputs].data = data;
	job->output[job->outputs].from = from;
	job->output[job->outputs++].bytes = bytes;
	return data;
}

void array_spoil(void *problem)
{
	const struct job *job = problem;

	for (int k = 0; k < job->outputs; k++)
		if (job->output[k].from)
			memcpy(job->output[k].data, job->output[k].from,
			       (size_t)job->output[k].bytes);
		else
			memset(job->output[k].data, 0xff, (size_t)job->output[k].bytes);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Returns the output of SplitMix64 (Steele, Lea and Flood 2014) in state z. */
static uint64_t mix(uint64_t z)
{
	z += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

void data_random(ek_value type, int64_t n, void *data, int64_t seed, int threads)
{
	uint64_t base = mix((uint64_t)seed);

	(void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)
	for (int64_t i = 0; i < n; i++) {
		uint64_t bits = mix(base + (uint64_t)i);
		double unit = (double)(bits >> 11) * 0x1p-52 - 1;

		switch (type) {
		case EK_F32: ((float *)data)[i] = (float)unit; break;
		case EK_F64: ((double *)data)[i] = unit; break;
		case EK_INT32: ((int32_t *)data)[i] = (int32_t)bits; break;
		default: ((int64_t *)data)[i] = (int64_t)bits; break;
		}
	}
}

void data_indices(const ek_sparse *v, int64_t seed, int threads)
{
	const int64_t share = v->nnz ? v->n / v->nnz : 0;

	(void)threads;
#pragma omp parallel for num_threads(threads)
	for (int64_t k = 0; k < v->nnz; k++) {
		double unit;

		data_random(EK_F64, 1, &unit, seed + k, 1);
		const int64_t i = k * share + (int64_t)((unit + 1) / 2 * (double)share);

		if (v->index == EK_INT32)
			((int32_t *)v->idx)[k] = (int32_t)i;
		else
			((int64_t *)v->idx)[k] = i;
	}
}

int64_t data_index(const ek_sparse *v, int64_t k)
{
	return v->index == EK_INT32 ? ((const int32_t *)v->idx)[k] : ((const int64_t *)v->idx)[k];
}

static void *random_of(struct job *job, ek_value type, int64_t n, int64_t which)
{
	void *data = job_alloc(job, n * (int64_t)ek_value_size(type));

	data_random(type, n, data, job->o->common.seed + which, job->threads);
	return data;
}

void *job_random(struct job *job, int64_t n, int64_t which)
{
	return random_of(job, job->type, n, which);
}

void *job_values(struct job *job, int64_t n, int64_t which)
{
	return job->value_size
	               ? random_of(job, job->value_size == 4 ? EK_INT32 : EK_INT64, n, which)
	               : NULL;
}

bool array_is_float(ek_value type)
{
	return type == EK_F32 || type == EK_F64;
}

double array_number(ek_value type, const void *data, int64_t i)
{
	return type == EK_F32 ? ((const float *)data)[i] : ((const double *)data)[i];
}

bool array_rounds(const struct job *job)
{
	return array_is_float(job->type) && job->p.op == EK_SUM;
}

int64_t array_order(ek_value type, const void *data, int64_t i)
{
	if (ek_value_size(type) == 4) {
		int32_t bits;

		memcpy(&bits, (const char *)data + 4 * i, sizeof bits);
		return type == EK_F32 && bits < 0 ? bits ^ INT32_MAX : bits;
	}
	int64_t bits;

	memcpy(&bits, (const char *)data + 8 * i, sizeof bits);
	return type == EK_F64 && bits < 0 ? bits ^ INT64_MAX : bits;
}

uint64_t array_hash(const struct job *job, int64_t n, const void *key, const void *value)
{
	const size_t size = (size_t)job->size, value_size = value ? (size_t)job->value_size : 0;
	uint64_t sum = 0;

	for (int64_t i = 0; i < n; i++) {
		uint64_t k = 0, v = 0;

		memcpy(&k, (const char *)key + (size_t)i * size, size);
		if (value_size)
			memcpy(&v, (const char *)value + (size_t)i * value_size, value_size);
		sum += mix(mix(k) + v);
	}
	return sum;
}

bool array_ascending(ek_value type, int64_t n, const void *key)
{
	for (int64_t i = 1; i < n; i++)
		if (array_order(type, key, i) < array_order(type, key, i - 1))
			return false;
	return true;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

static int64_t combine(const struct job *job, int64_t a, int64_t b)
{
	const ek_monoid op = job->p.op;
	const int64_t result = op == EK_SUM   ? (int64_t)((uint64_t)a + (uint64_t)b)
	                       : op == EK_MAX ? (a > b ? a : b)
	                       : op == EK_MIN ? (a < b ? a : b)
	                                      : (a | b);

	return job->type == EK_INT32 ? (int32_t)(uint32_t)(uint64_t)result : result;
}

static void add(struct array_sum *sum, double x)
{
	const double high = sum->high + x, back = high - sum->high;

	sum->low += (sum->high - (high - back)) + (x - back);
	sum->high = high;
}

void array_add_product(struct array_sum *sum, double x, double y)
{
	add(sum, x * y);
	sum->low += fma(x, y, -(x * y));
	sum->absolute += fabs(x * y);
}

void array_add(const struct job *job, struct array_sum *sum, int64_t i)
{
	const int64_t exact = array_order(job->type, job->in, i);

	if (array_rounds(job)) {
		const double x = array_number(job->type, job->in, i);

		add(sum, x);
		sum->absolute += fabs(x);
	}
	sum->exact = sum->count++ ? combine(job, sum->exact, exact) : exact;
}

double array_error(const struct job *job, const struct array_sum *sum, int64_t i, double depth)
{
	if (!array_rounds(job))
		return array_order(job->type, job->p.out, i) == sum->exact ? 0 : INFINITY;
	const double unit = job->type == EK_F32 ? 0x1p-24 : 0x1p-53;
	const double bound = depth * unit * sum->absolute;
	const double error = fabs((array_number(job->type, job->p.out, i) - sum->high) - sum->low);

	return error == 0 ? 0 : isnan(error) || bound == 0 ? INFINITY : error / bound;
}
