/* SPDX-License-Identifier: BSD-3-Clause
 * y += alpha x for a dense y: the plain loop, on one thread or on all. Each entry costs a load and
 * a store at an address that its index gives.
 *
 * Liu 2015, section 2.3.1 (addition of a dense and a sparse vector). */
#include "vec/vec.h"
#define EK_VECTORS
#define EK_TYPES_ONLY
#define EK_FILE "vec/axpy.c"
#include "base/for_each.h"

#include "vec/terms.h"

static void FN(axpy)(const eki_array *a, int64_t begin, int64_t end)
{
	const IDX *idx = a->x.idx;
	const VAL *val = a->x.val;
	VAL *y = a->dense;
	const VAL alpha = (VAL)a->alpha.re;

	if (alpha == 0)
		return;
	for (int64_t k = begin; k < end; k++)
		y[idx[k]] = sop(EK_SUM, y[idx[k]], FN(times)(alpha, val[k]));
}

#if EK_ONCE

static eki_range_fn *const axpy[2][4] = EK_BY_VECTOR(axpy);

static ek_status run_serial(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;

	(void)step;
	axpy[eki_index_row(a)][eki_value_row(a->type)](a, 0, a->x.nnz);
	return EK_OK;
}

static ek_status run_threads(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;

	(void)step;
	return eki_ranges(a, axpy[eki_index_row(a)][eki_value_row(a->type)]);
}

static double cost(const eki_features *f)
{
	return (double)f->array->x.nnz;
}

const ek_method ek_axpy_serial = {
	.name = "axpy.serial",
	.text = "the plain loop, the reference",
	.source = "Liu 2015, section 2.3.1",
	.operation = EK_SPARSE_AXPY,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run_serial,
};

const ek_method ek_axpy_threads = {
	.name = "axpy.threads",
	.text = "a range of the entries for each thread",
	.source = "Liu 2015, section 2.3.1",
	.operation = EK_SPARSE_AXPY,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run_threads,
	.cost = cost,
};

#endif
