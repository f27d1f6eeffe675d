/* SPDX-License-Identifier: BSD-3-Clause
 * The features of a step's matrix from which methods predict their times: what the problem says,
 * one pass over row_ptr, and, unless so few calls are expected that it does not pay, a sample of
 * the columns; for SpGEMM also a sample of the lists of B. */
#include "plan/plan.h"

/* Finds how many products an entry of A has: the mean length of the rows of B that a sample of the
 * entries meets. Rows whose first columns are neighbours count as consecutive. */
static void sample_products(const ek_store *A, const ek_store *B, eki_features *f)
{
	enum { SAMPLE = 1024 };
	const int64_t count = A->nnz < SAMPLE ? A->nnz : SAMPLE;
	double products = 0, beside = 0;

	for (int64_t k = 0; k < count; k++) {
		const int64_t i = eki_col_at(A, eki_cut(A->nnz, (int)count, (int)k));
		const int64_t first = eki_ptr_at(B, i), n = eki_ptr_at(B, i + 1) - first;

		products += (double)n;
		if (n > 1 && eki_col_at(B, first + 1) == eki_col_at(B, first) + 1)
			beside += (double)n;
	}
	f->products = count ? products / (double)count : 0;
	f->products_beside = count ? beside / (double)count : 0;
}

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
	if (step->problem->operation->number == EK_SPGEMM)
		sample_products(A, step->in[1], f);
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
