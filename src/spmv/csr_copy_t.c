/* SPDX-License-Identifier: BSD-3-Clause
 * The transposed product on CSR by a transposed copy: preparation transposes A once and chooses a
 * method for the plain product with the copy. Runs compute that plain product. Gathering from x is
 * faster than scattering to y, and needs no strips (local sums of each thread).
 *
 * Cost: as much memory as A again, and a preparation that takes as long as about ten products, so
 * the method is chosen only if many calls are expected. When values change, they are copied in the
 * order that the transposition recorded, in one pass and without sorting again. */
#include "spmv/csr_vector.h"

static ek_status prepare(eki_step *step)
{
	eki_transposed *copy;
	eki_step *child;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *copy, &copy));
	EK_RETURN_IF(eki_step_transpose(step, copy));
	step->state = copy;
	EK_RETURN_IF(eki_step_children(step, 1));
	child = eki_step_child(step, step->in[0], step->op[0]);
	EK_RETURN_IF(eki_step_choose(child));
	EK_RETURN_IF(eki_step_prepare(child));
	step->bytes = child->bytes;
	step->threads = child->threads;
	step->parts = child->parts;
	return eki_step_say(step, "the copy is multiplied by %s\n", child->method->name);
}

static ek_status refresh(eki_step *step)
{
	eki_transposed_refresh(step, step->state);
	return EK_OK;
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	eki_run copy = *v;

	return eki_step_run(step->child, &copy);
}

static double cost(const eki_features *f)
{
	eki_features t = *f;

	t.stats.rows = f->stats.cols;
	t.stats.cols = f->stats.rows;
	t.stats.row_mean = t.stats.rows ? (double)t.stats.nnz / (double)t.stats.rows : 0;
	return eki_cost(f, f->csr_bytes, eki_csr_vector_work(&t) * 1.1) +
	       (f->machine->transpose_entry * (double)f->stats.nnz +
	        f->machine->transpose_column * (double)f->stats.cols) /
	               (double)f->calls;
}

const ek_method ek_spmv_csr_copy_t = {
	.name = "spmv.csr.copy_t",
	.text = "transposed product: plain product of a transposed copy, by the method chosen for "
		"it",
	.source = "Liu 2015, section 2.4; Wang et al. 2016 for the transposition",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_T,
	.cost = cost,
	.memory = eki_transposed_bytes,
	.prepare = prepare,
	.refresh = refresh,
	.run = run,
};
