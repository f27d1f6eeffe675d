/* SPDX-License-Identifier: BSD-3-Clause
 * Parts of the rows of C, each of which is a matrix of its own while it is computed. The parts of a
 * new C are copied into one matrix, columns and values on all threads, and each is freed once it is
 * copied. The parts of a C that has a pattern are views of it, of which only the row pointers are
 * copied.
 *
 * Cost: a pass over the row pointers; for a new C, reading and writing its entries once more, and
 * for a moment its memory twice. */
#include "both/sparse.h"

#ifndef EK_NO_GPU

ek_status eki_part_view(const eki_step *step, const ek_store *C, int64_t begin, int64_t rows,
                        ek_store *part)
{
	void *ptr;

	EK_RETURN_IF(eki_alloc(step->ctx, rows + 1, eki_ptr_size(C->index), &ptr));
	eki_rows_shape(C, begin, rows, part);
	part->array[CSR_PTR] = ptr;
	eki_rows_pointers(C, begin, part);
	return EK_OK;
}

void eki_part_view_free(const eki_step *step, ek_store *part)
{
	if (part->array[CSR_PTR])
		eki_free(step->ctx, part->array[CSR_PTR], part->len[CSR_PTR],
		         eki_ptr_size(part->index));
	*part = (ek_store){0};
}

/* Copies a part, whose rows begin with `row`, to C, where its entries begin at `at`. */
static void copy_part(const ek_context *ctx, const ek_store *part, ek_store *C, int64_t row,
                      int64_t at)
{
	const size_t idx = eki_idx_size(part->index), val = ek_value_size(part->value);

	for (int64_t i = 0; i < part->rows; i++)
		eki_ptr_set(C, row + i + 1, at + eki_ptr_at(part, i + 1));
	if (part->nnz == 0) /* then C may have no arrays */
		return;
	eki_copy_into(ctx, (char *)C->array[CSR_COL] + (size_t)at * idx, part->array[CSR_COL],
	              part->nnz, idx);
	eki_copy_into(ctx, (char *)C->array[CSR_VAL] + (size_t)at * val, part->array[CSR_VAL],
	              part->nnz, val);
}

ek_status eki_parts_join(const eki_step *step, ek_store *part, int64_t count, ek_store *C)
{
	int64_t nnz = 0, at = 0, row = 0;
	ek_status status;

	for (int64_t k = 0; k < count; k++)
		nnz += part[k].nnz;
	EK_TRY(eki_output_begin(step, C));
	EK_TRY(eki_output_arrays(step, C, nnz));
	eki_ptr_set(C, 0, 0);
	for (int64_t k = 0; k < count; k++) {
		copy_part(step->ctx, &part[k], C, row, at);
		row += part[k].rows;
		at += part[k].nnz;
		eki_store_free(step->ctx, &part[k]);
	}
done:
	if (status != EK_OK)
		eki_store_free(step->ctx, C);
	return status;
}

#endif
