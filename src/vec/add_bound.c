/* SPDX-License-Identifier: BSD-3-Clause
 * The choice of a method as published: by the upper bound on the length of the result, x->nnz +
 * y->nnz. Up to 32 the heap method, up to 512 bitonic expand-sort-compress, else the merge method;
 * these are the bins of the rows in the thesis's product of two sparse matrices. They were made for
 * GPUs. On a processor other methods are faster, so the library's own choice goes by predicted
 * times.
 *
 * Liu 2015, sections 7.2 and 9.4.2 (Algorithm 35). */
#include "vec/add.h"

/* Largest upper bounds for the heap method and for expand-sort-compress. */
enum { HEAP_UP_TO = 32, ESC_UP_TO = 512 };

static ek_status run(const eki_step *step, const eki_run *v)
{
	const int64_t bound = v->array->x.nnz + v->array->y.nnz;
	const ek_method *method = bound <= HEAP_UP_TO  ? &ek_add_heap
	                          : bound <= ESC_UP_TO ? &ek_add_esc
	                                               : &ek_add_merge;

	return method->run(step, v);
}

const ek_method ek_add_bound = {
	.name = "add.bound",
	.text = "the heap, esc or merge method, by the upper bound of the result's length",
	.source = "Liu 2015, sections 7.2 and 9.4.2",
	.operation = EK_SPARSE_ADD,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
};
