/* SPDX-License-Identifier: BSD-3-Clause
 * The union of two sparse vectors, or of two sets of pairs, as a plain loop: the reference for the
 * other methods. Each step takes the lesser of the two current indices with its value or, if they
 * are equal, combines the two values.
 *
 * This is the merge of two sorted lists without duplicates; Liu 2015, section 7.4.3, has it in
 * parallel steps. */
#include "vec/vec.h"
#define EK_VECTORS
#define EK_TYPES_ONLY
#define EK_FILE "vec/unite_serial.c"
#include "base/for_each.h"

#include "vec/terms.h"

static void FN(add_serial)(const eki_array *a)
{
	const IDX *xi = a->x.idx, *yi = a->y.idx;
	const VAL *xv = a->x.val, *yv = a->y.val;
	const VAL alpha = (VAL)a->alpha.re, beta = (VAL)a->beta.re;
	IDX *zi = a->z.idx;
	VAL *zv = a->z.val;
	int64_t n = 0;

	for (int64_t i = 0, j = 0; i < a->x.nnz || j < a->y.nnz; n++) {
		const bool x = i < a->x.nnz && (j == a->y.nnz || xi[i] <= yi[j]);
		const bool y = j < a->y.nnz && (i == a->x.nnz || yi[j] <= xi[i]);

		zi[n] = x ? xi[i] : yi[j];
		if (x && y)
			zv[n] = sop(EK_SUM, FN(term)(alpha, xv, i), FN(term)(beta, yv, j));
		else
			zv[n] = x ? FN(term)(alpha, xv, i) : FN(term)(beta, yv, j);
		i += x;
		j += y;
	}
	*a->count = n;
}

static void FN(union_serial)(const eki_array *a)
{
	const IDX *xi = a->x.idx, *yi = a->y.idx;
	const VAL *xv = a->x.val, *yv = a->y.val;
	IDX *zi = a->z.idx;
	VAL *zv = a->z.val;
	int64_t n = 0;

	for (int64_t i = 0, j = 0; i < a->x.nnz || j < a->y.nnz; n++) {
		const bool x = i < a->x.nnz && (j == a->y.nnz || xi[i] <= yi[j]);
		const bool y = j < a->y.nnz && (i == a->x.nnz || yi[j] <= xi[i]);

		zi[n] = x ? xi[i] : yi[j];
		zv[n] = x && y ? sop(a->op, xv[i], yv[j]) : x ? xv[i] : yv[j];
		i += x;
		j += y;
	}
	*a->count = n;
}

#if EK_ONCE

typedef void unite_fn(const eki_array *);

static ek_status run_add(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	static unite_fn *const add[2][4] = EK_BY_VECTOR(add_serial);

	(void)step;
	add[eki_index_row(a)][eki_value_row(a->type)](a);
	return EK_OK;
}

static ek_status run_union(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	static unite_fn *const unite[2][4] = EK_BY_VECTOR(union_serial);

	(void)step;
	unite[eki_index_row(a)][eki_value_row(a->type)](a);
	return EK_OK;
}

/* Predicts the time in nanoseconds: about every second entry costs a mispredicted branch. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;

	return f->machine->vector.serial_entry[1] * (double)(a->x.nnz + a->y.nnz);
}

const ek_method ek_add_serial = {
	.name = "add.serial",
	.text = "the plain loop, the reference",
	.source = "two pointers, as in Liu 2015, Algorithm 16",
	.operation = EK_SPARSE_ADD,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run_add,
	.cost = cost,
};

const ek_method ek_pairs_union_serial = {
	.name = "pairs_union.serial",
	.text = "the plain loop, the reference",
	.source = "two pointers, as in Liu 2015, Algorithm 16",
	.operation = EK_PAIRS_UNION,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run_union,
	.cost = cost,
};

#endif
