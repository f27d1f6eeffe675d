/* SPDX-License-Identifier: BSD-3-Clause
 * ek_csr_to_coo: checks of its arguments, and the method of the processor, which writes each row
 * number as often as the row has entries. */
#include "coo/coo.h"
#define EK_TYPES_ONLY
#define EK_FILE "coo/to_coo.c"
#include "base/for_each.h"

#if EK_PER_TYPE

/* Returns the first wrong row pointer, or rows + 1. */
static int64_t FN(wrong_pointer)(const eki_array *a)
{
	const PTR *ptr = a->in;

	if (ptr[0] != 0)
		return 0;
	for (int64_t i = 1; i <= a->rows; i++)
		if (ptr[i] < ptr[i - 1] || ptr[i] > a->n)
			return i;
	return ptr[a->rows] == a->n ? a->rows + 1 : a->rows;
}

static void FN(expand)(const eki_array *a)
{
	const PTR *ptr = a->in;
	IDX *row = a->out;

	for (int64_t i = 0; i < a->rows; i++)
		for (int64_t k = ptr[i]; k < ptr[i + 1]; k++)
			row[k] = (IDX)i;
}

#endif

#if EK_ONCE

ek_status eki_coo_sizes(const eki_array *a)
{
	EK_RETURN_IF(eki_type_check(a->type, a->index));
	EK_RETURN_IF(eki_length_check("rows", a->rows));
	EK_RETURN_IF(eki_length_check("cols", a->cols));
	EK_RETURN_IF(eki_length_check("nnz", a->n));
	if (a->rows > eki_idx_max(a->index) || a->cols > eki_idx_max(a->index))
		return eki_fail(EK_EOVERFLOW,
		                "%lld rows and %lld columns do not fit the index type %s",
		                (long long)a->rows, (long long)a->cols, ek_index_name(a->index));
	if (a->n >= eki_ptr_max(a->index))
		return eki_fail(EK_EOVERFLOW,
		                "%lld entries do not fit the row pointer type of index %s",
		                (long long)a->n, ek_index_name(a->index));
	return EK_OK;
}

ek_status ek_csr_to_coo(ek_context *ctx, const ek_array_options *options, ek_index index,
                        int64_t rows, const void *row_ptr, int64_t nnz, void *row_idx)
{
	eki_array a = {.operation = EK_TO_COO,
	               .type = EK_F32,
	               .index = index,
	               .rows = rows,
	               .n = nnz,
	               .in = row_ptr,
	               .out = row_idx,
	               .handles = eki_array_handles(ctx, options)};

	EK_RETURN_IF(eki_coo_sizes(&a));

	const int64_t ptr = (int64_t)eki_ptr_size(index), idx = (int64_t)eki_idx_size(index);

	EK_RETURN_IF(eki_array_check("row_ptr", row_ptr, rows + 1, (size_t)ptr));
	EK_RETURN_IF(eki_array_check("row_idx", row_idx, nnz, (size_t)idx));
	EK_RETURN_IF(eki_array_overlap(a.handles, "row_ptr", row_ptr, (rows + 1) * ptr, "row_idx",
	                               row_idx, nnz * idx, 1));
	return eki_array_call(ctx, options, rows + nnz + 1, &a);
}

static ek_status contents(const eki_array *a)
{
	static int64_t (*const wrong[])(const eki_array *) = EK_BY_TYPE(wrong_pointer);
	const int64_t i = wrong[eki_type(a->type, a->index)](a);
	const ek_store s = {.index = a->index, .array[CSR_PTR] = (void *)(uintptr_t)a->in};

	if (i > a->rows)
		return EK_OK;
	return eki_fail(EK_ERANGE,
	                "row_ptr[%lld] is %lld; row pointers begin with 0, do not decrease and end "
	                "with nnz = %lld",
	                (long long)i, (long long)eki_ptr_at(&s, i), (long long)a->n);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	static void (*const expand[])(const eki_array *) = EK_BY_TYPE(expand);

	(void)step;
	expand[eki_type(v->array->type, v->array->index)](v->array);
	return EK_OK;
}

/* Predicts the time in nanoseconds: that of writing the rows. */
static double cost(const eki_features *f)
{
	return (double)(f->array->rows + f->array->n);
}

const eki_operation eki_op_to_coo = {
	.name = "to_coo",
	.text = "the row of each entry, from row pointers",
	.number = EK_TO_COO,
	.contents = contents,
};

const ek_method ek_to_coo_serial = {
	.name = "to_coo.serial",
	.text = "the plain loop, the reference",
	.source = "evenkeel",
	.operation = EK_TO_COO,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run,
	.cost = cost,
};

#endif
