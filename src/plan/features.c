/* SPDX-License-Identifier: BSD-3-Clause
 * The features of a step's matrix from which methods predict their times: what the problem says,
 * one pass over row_ptr, and, unless so few calls are expected that it does not pay, a sample of
 * the columns. */
#include "plan/plan.h"

ek_status eki_step_features(const eki_step *step, double memory, eki_features *f)
{
	const ek_store *A = step->in[0];

	*f = (eki_features){.value = A->value,
	                    .index = A->index,
	                    .op = step->op[0],
	                    .threads = A->nnz + A->rows < step->ctx->small_work ? 1 : step->threads,
	                    .isa = step->isa,
	                    .calls = step->problem->calls,
	                    .announced = step->problem->calls,
	                    .width = step->problem->width,
	                    .machine = step->ctx->machine,
	                    .csr_bytes = (double)step->bytes,
	                    .on_processor = eki_device_is_processor(step->ctx),
	                    .strict = step->problem->reproducible == EK_REPRO_STRICT,
	                    .memory = memory};
	if (f->strict) {
		/* Strict methods differ in their order of summation, so the choice must not depend
		 * on threads, instruction set or machine. Therefore all predictions are for one
		 * fixed machine. */
		f->threads = 16;
		f->isa = EK_ISA_AVX2;
		f->machine = eki_machine_fixed();
	}
	if (A->format == &ek_format_csr) {
		EK_RETURN_IF(eki_row_stats(step->ctx, A, f));
		if (eki_sample_shapes(A, f))
			eki_unforeseen_rows(A, f);
		else
			eki_unforeseen_guess(f);
		return EK_OK;
	}
	f->store = A;
	f->stats.rows = A->rows;
	f->stats.cols = A->cols;
	f->stats.nnz = A->nnz;
	return EK_OK;
}
