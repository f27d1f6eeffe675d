/* SPDX-License-Identifier: BSD-3-Clause
 * The rows of the entries of a CSR matrix on a device: a group has a tile of consecutive entries,
 * and finds the rows of the first and of the last by search. Each work-item then searches between
 * these for the row of an entry (prim_gpu/radix.cl). So the length of a row is of no importance.
 *
 * Cost: one write of the rows, and a search of log2(rows of a tile) steps for each entry. */
#include "prim_gpu/radix.h"

#ifndef EK_NO_GPU

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	eki_buffer ptr, row;
	eki_gpu_arrays on;
	ek_status status;

	eki_gpu_arrays_begin(step, a, &on);
	EK_TRY(eki_gpu_array_in(&on, a->in, (a->rows + 1) * (int64_t)eki_ptr_size(a->index), &ptr));
	EK_TRY(eki_gpu_array_out(&on, a->out, a->n * (int64_t)eki_idx_size(a->index), &row));
	status = eki_gpu_expand(&on.job, a->index, a->rows, a->n, &ptr, &row);
done:
	return eki_gpu_arrays_end(&on, status);
}

static double cost(const eki_features *f)
{
	const eki_array *a = f->array;

	return eki_gpu_cost(f,
	                    (double)(a->rows * (int64_t)eki_ptr_size(a->index) +
	                             a->n * (int64_t)eki_idx_size(a->index)),
	                    1);
}

const ek_method ek_to_coo_gpu_search = {
	.name = "to_coo.search.gpu",
	.text = "each entry searches for its row among those of its tile, on a device",
	.source = "evenkeel",
	.operation = EK_TO_COO,
	.backend = EKI_GPU,
	.cost = cost,
	.run = run,
};

#endif
