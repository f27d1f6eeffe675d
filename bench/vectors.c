/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench dot_dense, dot, axpy, gather, gather_zero, scatter, add, pairs_union, pairs_intersect:
 * operations on sparse vectors. x has --n entries: one at a random place in each interval of
 * --spread indices. y is dense, or has --ratio times fewer entries, one in each of as many
 * intervals of the same length. alpha is 2, so that multiplying by it rounds nothing. */
#include <math.h>
#include <string.h>

#include "array.h"

#define ALPHA 2

/* ---- Cases ----------------------------------------------------------------------------------- */

static bool has_two(const struct job *job)
{
	return job->b->op->traits & TWO;
}

static bool writes_sparse(const struct job *job)
{
	return job->b->op->operation >= EK_SPARSE_ADD;
}

static void size(struct job *job)
{
	const int64_t ratio = job->value_size, spread = job->length, n = job->n;
	const ek_value index = n * spread > INT32_MAX ? EK_INT64 : EK_INT32;
	const int64_t entry = job->size + (int64_t)ek_value_size(index);
	const int64_t other = has_two(job) ? (n / ratio ? n / ratio : 1) : 0;

	job->length = n * spread;
	job->value_size = 0;
	job->x = ek_sparse_vector(job->type, index, job->length, n, NULL, NULL);
	job->y = ek_sparse_vector(job->type, index, job->length, other, NULL, NULL);
	job->k = has_two(job) ? other : 0;
	job->bytes = has_two(job) ? (double)((n + other) * entry)
	                          : (double)(n * (entry + job->b->op->passes * job->size));
	job->need = 4.1 * (double)((n + other) * entry) +
	            (has_two(job) ? 0 : 3.1 * (double)(job->length * job->size));
	job->line =
		keep("%s %s l=%s%s%s", text_size(n), ek_value_name(job->type), text_size(spread),
	             has_two(job) ? " y=" : "", has_two(job) ? text_size(other) : "");
	job->variant = keep("spread %s%s%s", text_size(spread), has_two(job) ? ", ratio " : "",
	                    has_two(job) ? text_size(ratio) : "");
}

/* Makes ascending random indices for a vector: one in each interval of n / nnz indices. */
static void make_indices(struct job *job, ek_sparse *v, int64_t seed)
{
	v->idx = job_alloc(job, v->nnz * (int64_t)ek_value_size(v->index));
	data_indices(v, job->o->common.seed + seed, job->threads);
}

/* Finds the next index at which x or y has an entry, after the first `a` entries of x and `b` of y,
 * and which of them have one there. Returns false if there are no more. */
static bool next_index(const struct job *job, int64_t a, int64_t b, bool *in_x, bool *in_y)
{
	const int64_t i = a < job->x.nnz ? data_index(&job->x, a) : INT64_MAX;
	const int64_t j = b < job->y.nnz ? data_index(&job->y, b) : INT64_MAX;

	*in_x = i <= j;
	*in_y = j <= i;
	return i != INT64_MAX || j != INT64_MAX;
}

/* Returns the number of entries in the result of two sparse vectors. */
static int64_t count_of(const struct job *job, bool both)
{
	int64_t a = 0, b = 0, count = 0;
	bool in_x, in_y;

	for (; next_index(job, a, b, &in_x, &in_y); a += in_x, b += in_y)
		count += !both || (in_x && in_y);
	return count;
}

static void make(struct job *job)
{
	const ek_operation op = job->b->op->operation;
	const int64_t n = job->n, length = job->length, size = job->size;
	ek_sparse *x = &job->x, *y = &job->y;

	make_indices(job, x, 0);
	x->val = job_random(job, n, 1);
	if (has_two(job)) {
		make_indices(job, y, INT64_C(1) << 40);
		y->val = job_random(job, y->nnz, 2);
	} else {
		job->in = job_random(job, length, 2); /* y before the run */
	}
	if (op == EK_SPARSE_DOT || op == EK_SPARSE_DOT_DENSE) {
		job->p.out = job_output(job, sizeof(int64_t), NULL);
	} else if (op == EK_GATHER || op == EK_GATHER_ZERO) {
		x->val = job->p.out = job_output(job, n * size, NULL);
	} else if (writes_sparse(job)) {
		const int64_t most = n + y->nnz;

		job->result = job_output(job, sizeof(int64_t), NULL);
		job->z = *x;
		job->z.nnz = most;
		job->z.idx = job_output(job, most * (int64_t)ek_value_size(x->index), NULL);
		job->z.val = job_output(job, most * size, NULL);
		job->bytes += (double)(count_of(job, op == EK_PAIRS_INTERSECTION) *
		                       (size + (int64_t)ek_value_size(x->index)));
	}
	const bool writes = op == EK_SPARSE_AXPY || op == EK_SCATTER || op == EK_GATHER_ZERO;

	job->p.key = writes ? job_output(job, length * size, job->in) : NULL;
	job->dense = ek_vector(job->type, length, writes ? job->p.key : job->in);
	job->p.in = x->val;
	job->p.in_b = job->in;
	job->p.offset = x->index == EK_INT32 ? x->idx : NULL;
	job->p.n = n;
	job->p.op = EK_SUM;
	job->p.alpha = ALPHA;
}

static ek_pairs pairs_of(const ek_sparse *v)
{
	return ek_key_value(v->index, ek_value_size(v->value), v->nnz, v->idx, v->val);
}

static ek_status call(struct job *job, const ek_array_options *o)
{
	const ek_pairs a = pairs_of(&job->x), b = pairs_of(&job->y), c = pairs_of(&job->z);

	switch (job->b->op->operation) {
	case EK_SPARSE_DOT_DENSE:
		return ek_sparse_dot_dense(job->ctx, o, &job->x, &job->dense, job->p.out);
	case EK_SPARSE_DOT: return ek_sparse_dot(job->ctx, o, &job->x, &job->y, job->p.out);
	case EK_SPARSE_AXPY: return ek_sparse_axpy(job->ctx, o, ALPHA, &job->x, &job->dense);
	case EK_GATHER: return ek_gather(job->ctx, o, &job->dense, &job->x);
	case EK_GATHER_ZERO: return ek_gather_zero(job->ctx, o, &job->dense, &job->x);
	case EK_SCATTER: return ek_scatter(job->ctx, o, &job->x, &job->dense);
	case EK_SPARSE_ADD:
		return ek_sparse_add(job->ctx, o, ALPHA, &job->x, 1, &job->y, job->result, &job->z);
	case EK_PAIRS_UNION:
		return ek_pairs_union(job->ctx, o, job->type, EK_SUM, &a, &b, job->result, &c);
	default:
		return ek_pairs_intersection(job->ctx, o, job->type, EK_SUM, &a, &b, job->result,
		                             &c);
	}
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* Returns the error of entry k of `out`, which should be alpha x + y, divided by the bound gamma(2)
 * (|alpha x| + |y|). Integers must be exact, and so must results with only one of the terms. The
 * terms are entry i of x and entry j of y; a negative i or j means that there is none. */
static double sum_error(const struct job *job, double alpha, const void *x, int64_t i,
                        const void *y, int64_t j, const void *out, int64_t k)
{
	if (!array_is_float(job->type)) {
		const uint64_t sum =
			(i < 0 ? 0 : (uint64_t)alpha * (uint64_t)array_order(job->type, x, i)) +
			(j < 0 ? 0 : (uint64_t)array_order(job->type, y, j));
		const uint64_t other = sum ^ (uint64_t)array_order(job->type, out, k);

		return (job->type == EK_INT32 ? (uint32_t)other : other) ? INFINITY : 0;
	}
	const double u = job->type == EK_F32 ? 0x1p-24 : 0x1p-53;
	const double a = i < 0 ? 0 : alpha * array_number(job->type, x, i);
	const double b = j < 0 ? 0 : array_number(job->type, y, j);
	const double error = fabs(array_number(job->type, out, k) - (a + b));

	return error == 0 ? 0 : i < 0 || j < 0 ? INFINITY : error / (2 * u * (fabs(a) + fabs(b)));
}

/* Returns the error of a dot product divided by its bound. Products are formed in twice double
 * precision. */
static double dot_error(const struct job *job)
{
	const bool two = has_two(job), floats = array_is_float(job->type);
	struct array_sum sum = {.count = 0};
	int64_t a = 0, b = 0;
	bool in_x = true, in_y = true;

	for (; two ? next_index(job, a, b, &in_x, &in_y) : a < job->n;
	     a += in_x, b += two && in_y) {
		const void *y = two ? job->y.val : job->in;
		const int64_t j = two ? b : data_index(&job->x, a);

		if (in_x && in_y && floats)
			array_add_product(&sum, array_number(job->type, job->x.val, a),
			                  array_number(job->type, y, j));
		else if (in_x && in_y)
			sum.exact = (int64_t)((uint64_t)sum.exact +
			                      (uint64_t)array_order(job->type, job->x.val, a) *
			                              (uint64_t)array_order(job->type, y, j));
	}
	sum.exact = job->type == EK_INT32 ? (int32_t)(uint32_t)(uint64_t)sum.exact : sum.exact;
	return array_error(job, &sum, 0, (double)job->n);
}

/* Returns the largest error in the outputs of an operation with a dense y. */
static double dense_error(const struct job *job)
{
	const ek_operation op = job->b->op->operation;
	const void *now = job->dense.data;
	double worst = 0;
	int64_t k = 0;

	for (int64_t i = 0; i < job->length; i++) {
		const bool here = k < job->n && data_index(&job->x, k) == i;

		if (here && (op == EK_GATHER || op == EK_GATHER_ZERO))
			worst = fmax(worst, sum_error(job, 1, NULL, -1, job->in, i, job->x.val, k));
		/* The entry of y after the run. */
		worst = fmax(worst,
		             sum_error(job, op == EK_SPARSE_AXPY ? ALPHA : 1, job->x.val,
		                       here && (op == EK_SPARSE_AXPY || op == EK_SCATTER) ? k : -1,
		                       job->in,
		                       here && (op == EK_SCATTER || op == EK_GATHER_ZERO) ? -1 : i,
		                       now, i));
		k += here;
	}
	return worst;
}

static double sparse_error_of(const struct job *job)
{
	const ek_operation op = job->b->op->operation;
	int64_t a = 0, b = 0, k = 0;
	double worst = 0;
	bool in_x, in_y;

	if (*job->result < 0 || *job->result > job->z.nnz)
		return INFINITY;
	for (; next_index(job, a, b, &in_x, &in_y); a += in_x, b += in_y) {
		if (op == EK_PAIRS_INTERSECTION && !(in_x && in_y))
			continue;
		if (k == *job->result ||
		    data_index(&job->z, k) != (in_x ? data_index(&job->x, a) : data_index(&job->y, b)))
			return INFINITY;
		worst = fmax(worst,
		             sum_error(job, op == EK_SPARSE_ADD ? ALPHA : 1, job->x.val,
		                       in_x ? a : -1, job->y.val, in_y ? b : -1, job->z.val, k++));
	}
	return k == *job->result ? worst : INFINITY;
}

static double error(void *problem, const char *method)
{
	const struct job *job = problem;
	const ek_operation op = job->b->op->operation;

	(void)method;
	return op == EK_SPARSE_DOT || op == EK_SPARSE_DOT_DENSE ? dot_error(job)
	       : writes_sparse(job)                             ? sparse_error_of(job)
	                                                        : dense_error(job);
}

/* ---- The operations -------------------------------------------------------------------------- */

static void check(struct bench_options *o)
{
	for (int n = 0; n < o->n.count; n++)
		for (int k = 0; k < o->length.count; k++)
			if (o->n.value[n] > (INT64_C(1) << 40) / o->length.value[k])
				tool_usage("--n, --spread: vectors of at most 2^40 indices are "
				           "expected");
}

/* Defines an operation that makes `with` passes over entries of y besides reading x. */
#define VECTOR(called, of, has, with, what, more_options, more_defaults)                   \
	const struct operation bench_##called = {                                          \
		ARRAY_OPERATION(#called, of, NUMBERS | (has)),                             \
		.passes = with,                                                            \
		.text = what,                                                              \
		.help = ARRAY_HELP(what, "other libraries",                                \
	                           #called " --n 2^10,2^20 --spread 1,64 --peers\n"),      \
		.options = ARRAY_OPTIONS "n spread " more_options,                         \
		.defaults = "time=1 type=f32,f64 n=2^12,2^20 spread=8,256 " more_defaults, \
		.check = check,                                                            \
		.moves = "bytes of the entries and of the places of y that are read or written"}

#define TWO_VECTORS(called, of, what, more_options, more_defaults) \
	VECTOR(called, of, TWO, 0, what, "ratio " more_options, "ratio=1,64 " more_defaults)

VECTOR(dot_dense, EK_SPARSE_DOT_DENSE, 0, 1, "dot products of a sparse and a dense vector", "", "");
TWO_VECTORS(dot, EK_SPARSE_DOT, "dot products of two sparse vectors", "", "");
VECTOR(axpy, EK_SPARSE_AXPY, 0, 2, "y = y + alpha x with a sparse x", "", "");
VECTOR(gather, EK_GATHER, 0, 1, "copies of entries of a dense vector to a sparse one", "", "");
VECTOR(gather_zero, EK_GATHER_ZERO, 0, 2, "the same, and zeros in their place", "", "");
VECTOR(scatter, EK_SCATTER, 0, 1, "copies of a sparse vector to entries of a dense one", "", "");
TWO_VECTORS(add, EK_SPARSE_ADD, "z = alpha x + y with sparse vectors", "block arity", "arity=4");
TWO_VECTORS(pairs_union, EK_PAIRS_UNION, "unions of indices with values", "", "");
TWO_VECTORS(pairs_intersect, EK_PAIRS_INTERSECTION, "intersections of indices with values", "", "");
