/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR with exactly the same number of entries for each thread: the first and the last row
 * of a part may be pieces of rows, whose sums are added up between parts (split.c); whole rows are
 * multiplied by the kernel of csr_vector.c. One row of a million entries costs no more than a
 * million rows of one entry.
 *
 * Preparation: one binary search for each thread. Liu 2015, section 8.3. Cutting by nonzeros, even
 * inside rows, is from the segmented sums of Blelloch, Heroux, Zagha 1993; their flags are not
 * needed here. */
#include "spmv/csr_vector.h"

static ek_status prepare(eki_step *step)
{
	int type = eki_type(step->in[0]->value, step->in[0]->index);

	return eki_split_prepare(step, EKI_SPLIT_NNZ, eki_csr_vector[step->isa][type],
	                         eki_csr_dot[step->isa][type]);
}

static double cost(const eki_features *f)
{
	return eki_cost(f, f->csr_bytes, eki_csr_vector_work(f)) + f->machine->call;
}

const ek_method ek_spmv_csr_balanced = {
	.name = "spmv.csr.balanced",
	.text = "SIMD inside a row, the same number of nonzeros for each thread, rows cut where "
		"need be",
	.source = "Liu 2015, section 8.3; Blelloch, Heroux and Zagha 1993",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_BASE1_N,
	.cost = cost,
	.prepare = prepare,
	.run = eki_split_run,
};
