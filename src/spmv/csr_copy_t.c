/* SPDX-License-Identifier: BSD-3-Clause
 * The transposed product on CSR by a transposed copy: preparation transposes A once and chooses a
 * method and a format for the plain product with the copy. Runs compute that plain product.
 * Gathering from x is faster than scattering to y, and needs no strips (local sums of each thread).
 *
 * Cost: as much memory as A again, and a preparation that takes as long as about ten products, so
 * the method is chosen only if many calls are expected. Another format takes twice that time and
 * memory, less the column indices of the transpose in CSR. The rest of CSR stays for new values of
 * A, which are copied in the order that the transposition recorded, without sorting again. */
#include <math.h>

#include "drive/drive.h"
#include "format/sell.h"
#include "spmv/csr_vector.h"

typedef struct copies {
	eki_transposed csr;
	ek_store other; /* the transpose in another format; its format is NULL if there is none */
} copies;

static ek_status prepare(eki_step *step)
{
	char format[96];
	eki_step *child;
	copies *c;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *c, &c));
	EK_RETURN_IF(eki_step_transpose(step, &c->csr));
	step->state = c;
	EK_RETURN_IF(eki_step_children(step, 1));
	child = eki_step_child(step, step->in[0], step->op[0]);
	child->held = eki_plus(eki_store_bytes(step->in[0]),
	                       step->in[0]->nnz * (int64_t)eki_ptr_size(step->in[0]->index));
	EK_RETURN_IF(eki_step_choose_format(child, &c->other));
	step->in[0] = child->in[0];
	if (c->other.format && !c->other.format->by_column) {
		eki_step_free(step, c->csr.store.array[CSR_COL]);
		c->csr.store.array[CSR_COL] = NULL;
	}
	EK_RETURN_IF(eki_step_prepare(child));
	step->bytes = child->bytes;
	step->threads = child->threads;
	step->parts = child->parts;
	eki_format_text(child->in[0], format, sizeof format);
	return eki_step_say(step, "the copy is in %s and multiplied by %s\n", format,
	                    child->method->name);
}

static ek_status refresh(eki_step *step)
{
	copies *c = step->state;

	eki_transposed_refresh(step, &c->csr);
	return c->other.format ? eki_format_values(step->ctx, &c->csr.store, &c->other) : EK_OK;
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	eki_run copy = *v;

	return eki_step_run(step->child, &copy);
}

/* Predicts the best product with the copy, whose rows are taken to be like those of A. Of other
 * formats it hopes for SELL alone, whose padding is small for all patterns. The product in a fixed
 * order is no faster by itself (csr_strict.c), so that it is chosen only where it is asked for. */
static double cost(const eki_features *f)
{
	eki_features t = eki_transposed_features(f);
	const double plain = eki_cost_uncut(&t, eki_csr_vector_work(&t));
	const double strict = eki_cost(&t, f->csr_bytes, eki_work_csr(&t, EKI_LOOP_STRICT));

	t.fetched = true; /* as SELL does */
	const double sell = eki_convert_worthwhile(f, &ek_format_sell)
	                            ? eki_cost_units(&t, EKI_LOOP_CHUNKS) +
	                                      eki_convert_share(f, &ek_format_sell, plain)
	                            : INFINITY;

	return fmin(fmin(plain, strict), sell) + eki_transpose_share(f);
}

const ek_method ek_spmv_csr_copy_t = {
	.name = "spmv.csr.copy_t",
	.text = "transposed product: plain product of a transposed copy, by the method and the "
		"format chosen for it",
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
