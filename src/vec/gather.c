/* SPDX-License-Identifier: BSD-3-Clause
 * Gather, gather and zero, scatter: plain loops, on one thread or on all.
 *
 * Dodson, Grimes and Lewis 1991, Sparse extensions to the Fortran Basic Linear Algebra Subprograms
 * (GTHR, GTHRZ, SCTR); Liu 2015, section 2.3.1. */
#include "vec/vec.h"
#define EK_VECTORS
#define EK_TYPES_ONLY
#define EK_FILE "vec/gather.c"
#include "base/for_each.h"

static void FN(gather)(const eki_array *a, int64_t begin, int64_t end)
{
	const IDX *idx = a->x.idx;
	const VAL *y = a->dense;
	VAL *val = a->x.val;

	for (int64_t k = begin; k < end; k++)
		val[k] = y[idx[k]];
}

static void FN(gather_zero)(const eki_array *a, int64_t begin, int64_t end)
{
	const IDX *idx = a->x.idx;
	VAL *y = a->dense, *val = a->x.val;

	for (int64_t k = begin; k < end; k++) {
		val[k] = y[idx[k]];
		y[idx[k]] = 0;
	}
}

static void FN(scatter)(const eki_array *a, int64_t begin, int64_t end)
{
	const IDX *idx = a->x.idx;
	const VAL *val = a->x.val;
	VAL *y = a->dense;

	for (int64_t k = begin; k < end; k++)
		y[idx[k]] = val[k];
}

#if EK_ONCE

/* Returns the kernel for an operation and its types. */
static eki_range_fn *kernel(const eki_array *a)
{
	static eki_range_fn *const gather[2][4] = EK_BY_VECTOR(gather);
	static eki_range_fn *const gather_zero[2][4] = EK_BY_VECTOR(gather_zero);
	static eki_range_fn *const scatter[2][4] = EK_BY_VECTOR(scatter);
	const int index = eki_index_row(a), value = eki_value_row(a->type);

	if (a->operation == EK_GATHER)
		return gather[index][value];
	return a->operation == EK_SCATTER ? scatter[index][value] : gather_zero[index][value];
}

static ek_status run_serial(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;

	(void)step;
	kernel(a)(a, 0, a->x.nnz);
	return EK_OK;
}

static ek_status run_threads(const eki_step *step, const eki_run *v)
{
	(void)step;
	return eki_ranges(v->array, kernel(v->array));
}

static double cost(const eki_features *f)
{
	return (double)f->array->x.nnz;
}

const ek_method ek_gather_serial = {
	.name = "gather.serial",
	.text = "the plain loop, the reference",
	.source = "Dodson, Grimes and Lewis 1991, GTHR",
	.operation = EK_GATHER,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run_serial,
};

const ek_method ek_gather_threads = {
	.name = "gather.threads",
	.text = "a range of the entries for each thread",
	.source = "Dodson, Grimes and Lewis 1991, GTHR",
	.operation = EK_GATHER,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run_threads,
	.cost = cost,
};

const ek_method ek_gather_zero_serial = {
	.name = "gather_zero.serial",
	.text = "the plain loop, the reference",
	.source = "Dodson, Grimes and Lewis 1991, GTHRZ",
	.operation = EK_GATHER_ZERO,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run_serial,
};

const ek_method ek_gather_zero_threads = {
	.name = "gather_zero.threads",
	.text = "a range of the entries for each thread",
	.source = "Dodson, Grimes and Lewis 1991, GTHRZ",
	.operation = EK_GATHER_ZERO,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run_threads,
	.cost = cost,
};

const ek_method ek_scatter_serial = {
	.name = "scatter.serial",
	.text = "the plain loop, the reference",
	.source = "Dodson, Grimes and Lewis 1991, SCTR",
	.operation = EK_SCATTER,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run_serial,
};

const ek_method ek_scatter_threads = {
	.name = "scatter.threads",
	.text = "a range of the entries for each thread",
	.source = "Dodson, Grimes and Lewis 1991, SCTR",
	.operation = EK_SCATTER,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run_threads,
	.cost = cost,
};

#endif
