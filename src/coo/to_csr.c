/* SPDX-License-Identifier: BSD-3-Clause
 * ek_coo_to_csr: checks of its arguments, and the method of the processor. Two counting sorts, by
 * column and then by row, order the numbers of the entries; both are stable, so entries at the same
 * place stay in the order given, in which they are added. Then each row is written.
 *
 * Cost: O(nnz + rows + cols) on one thread; two arrays of numbers, and a counter for each row or
 * column. Gustavson 1978, for the sorts. */
#include "coo/coo.h"
#include "matrix/matrix.h"
#include "vec/vec.h"
#define EK_TYPES_ONLY
#define EK_FILE "coo/to_csr.c"
#include "base/for_each.h"

#if EK_PER_TYPE

/* Sorts n numbers of entries by the key that each entry has in 0 .. end - 1. `from` is NULL if the
 * numbers are 0, 1, 2 ... `begin` has end + 1 counters; it gets where each key begins. */
static void FN(sort_by)(int64_t n, const IDX *key, int64_t end, const PTR *from, PTR *begin,
                        PTR *to)
{
	for (int64_t j = 0; j <= end; j++)
		begin[j] = 0;
	for (int64_t k = 0; k < n; k++)
		begin[key[k] + 1]++;
	for (int64_t j = 0; j < end; j++)
		begin[j + 1] += begin[j];
	for (int64_t k = 0; k < n; k++) {
		const PTR e = from ? from[k] : (PTR)k;

		to[begin[key[e]]++] = e;
	}
}

static void FN(assemble)(const eki_array *a, void *counter, void *by_column, void *by_row)
{
	const IDX *row_idx = a->row_idx, *col_idx = a->col_idx;
	const VAL *val = a->in;
	const PTR *entry = by_row;
	PTR *row_ptr = a->row_ptr;
	IDX *out_col = a->out_col;
	VAL *out_val = a->out;
	int64_t n = 0, k = 0;

	FN(sort_by)(a->n, col_idx, a->cols, NULL, counter, by_column);
	FN(sort_by)(a->n, row_idx, a->rows, by_column, counter, by_row);
	row_ptr[0] = 0;
	for (int64_t i = 0; i < a->rows; i++) {
		for (const int64_t begin = n; k < a->n && row_idx[entry[k]] == i; k++) {
			const PTR e = entry[k];

			if (n > begin && out_col[n - 1] == col_idx[e]) {
				out_val[n - 1] += val[e];
			} else {
				out_col[n] = col_idx[e];
				out_val[n++] = val[e];
			}
		}
		row_ptr[i + 1] = (PTR)n;
	}
	*a->count = n;
}

#endif

#if EK_ONCE

ek_status ek_coo_to_csr(ek_context *ctx, const ek_array_options *options, ek_value value,
                        ek_index index, int64_t rows, int64_t cols, int64_t nnz,
                        const void *row_idx, const void *col_idx, const void *val, int64_t *count,
                        void *row_ptr, void *out_col, void *out_val)
{
	eki_array a = {.operation = EK_TO_CSR,
	               .type = value,
	               .index = index,
	               .rows = rows,
	               .cols = cols,
	               .n = nnz,
	               .row_idx = row_idx,
	               .col_idx = col_idx,
	               .in = val,
	               .count = count,
	               .row_ptr = row_ptr,
	               .out_col = out_col,
	               .out = out_val,
	               .handles = eki_array_handles(ctx, options)};

	EK_RETURN_IF(eki_coo_sizes(&a));

	const size_t ptr = eki_ptr_size(index), idx = eki_idx_size(index),
		     size = ek_value_size(value);

	EK_RETURN_IF(eki_array_check("row_idx", row_idx, nnz, idx));
	EK_RETURN_IF(eki_array_check("col_idx", col_idx, nnz, idx));
	EK_RETURN_IF(eki_array_check("val", val, nnz, size));
	EK_RETURN_IF(eki_array_check("count", count, 1, sizeof *count));
	EK_RETURN_IF(eki_array_check("row_ptr", row_ptr, rows + 1, ptr));
	EK_RETURN_IF(eki_array_check("out_col", out_col, nnz, idx));
	EK_RETURN_IF(eki_array_check("out_val", out_val, nnz, size));

	const eki_region output[4] = {{"row_ptr", row_ptr, (rows + 1) * (int64_t)ptr},
	                              {"out_col", out_col, nnz * (int64_t)idx},
	                              {"out_val", out_val, nnz * (int64_t)size},
	                              {"count", count, sizeof *count}};
	const eki_region input[3] = {{"row_idx", row_idx, nnz * (int64_t)idx},
	                             {"col_idx", col_idx, nnz * (int64_t)idx},
	                             {"val", val, nnz * (int64_t)size}};

	EK_RETURN_IF(eki_regions_apart(a.handles, 4, output, 3, input));
	return eki_array_call(ctx, options, nnz + rows + 1, &a);
}

static ek_status contents(const eki_array *a)
{
	EK_RETURN_IF(
		eki_coordinates_check(a->ctx, "row_idx", a->row_idx, a->index, a->n, a->rows, 0));
	return eki_coordinates_check(a->ctx, "col_idx", a->col_idx, a->index, a->n, a->cols, 0);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	static void (*const assemble[])(const eki_array *, void *, void *, void *) =
		EK_BY_TYPE(assemble);
	const eki_array *a = v->array;
	const int64_t counters = 1 + (a->rows > a->cols ? a->rows : a->cols);
	const size_t ptr = eki_ptr_size(a->index);
	void *counter = NULL, *by_column = NULL, *by_row = NULL;
	ek_status status;

	EK_TRY(eki_alloc(step->ctx, counters, ptr, &counter));
	EK_TRY(eki_alloc(step->ctx, a->n, ptr, &by_column));
	EK_TRY(eki_alloc(step->ctx, a->n, ptr, &by_row));
	assemble[eki_type(a->type, a->index)](a, counter, by_column, by_row);
done:
	eki_free(step->ctx, by_row, a->n, ptr);
	eki_free(step->ctx, by_column, a->n, ptr);
	eki_free(step->ctx, counter, counters, ptr);
	return status;
}

/* Predicts the time in nanoseconds: each entry is read or written in places of random order about
 * six times. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;

	return 6 * (double)a->n + (double)(a->rows + a->cols);
}

const eki_operation eki_op_to_csr = {
	.name = "to_csr",
	.text = "compressed sparse rows from coordinates",
	.number = EK_TO_CSR,
	.contents = contents,
};

const ek_method ek_to_csr_serial = {
	.name = "to_csr.serial",
	.text = "two counting sorts, the reference",
	.source = "Gustavson 1978",
	.operation = EK_TO_CSR,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run,
	.cost = cost,
};

#endif
