/* SPDX-License-Identifier: BSD-3-Clause
 * Runs of "spgemm.csr.batches.gpu". A batch is a plan that is made and destroyed in the run, since
 * what it knows of the rows of C takes as much memory as they do. It finds B on the device by the
 * address of its arrays, where the step has them, or, of a slice, a plan that lives as long as the
 * slice is there. There is one slice at a time, since runs of a plan on a device take turns
 * (gpu/run.c). */
#include "gpu/job.h"
#include "spgemm_gpu/csr_batches.h"

#ifndef EK_NO_GPU

/* What rows of A are multiplied by: B itself, or a slice of its columns. */
typedef struct factor {
	const ek_store *B;
	const int64_t *columns; /* those of a slice begin and end here; NULL for B itself */
} factor;

/* ---- A batch --------------------------------------------------------------------------------- */

/* Makes a plan for the step's problem with another B and a limit on memory. */
static ek_status make_plan(const eki_step *step, const ek_store *B, ek_plan **plan)
{
	const eki_batched *s = step->state;
	eki_problem problem = *step->problem;

	problem.memory = s->limit;
	EK_RETURN_IF(eki_plan_new(step->ctx, &problem, plan));
	(*plan)->root = (eki_step){.method = s->method,
	                           .problem = &(*plan)->problem,
	                           .ctx = step->ctx,
	                           .plan = *plan,
	                           .in = {step->in[0], B},
	                           .from = {step->from[0], step->from[1], step->from[2]},
	                           .op = {EK_OP_N, EK_OP_N, EK_OP_N},
	                           .isa = step->isa,
	                           .threads = step->threads,
	                           .parts = step->parts};
	return EK_OK;
}

/* Computes the rows [begin, end) of C, or the slice of them. */
static ek_status try_batch(const eki_step *step, const eki_run *v, const factor *f, int64_t begin,
                           int64_t end, ek_store *part)
{
	const int64_t rows = end - begin;
	eki_run run = *v;
	ek_store A, D, slice = {0};
	ek_plan *plan = NULL;
	ek_status status;

	run.C = part;
	EK_TRY(make_plan(step, f->B, &plan));
	EK_TRY(eki_rows_view(&plan->root, step->in[0], begin, rows, &A));
	plan->root.in[0] = &A;
	if (step->in[2] && f->columns) {
		EK_TRY(eki_slice_make(step, step->in[2], begin, rows, f->columns, true, &slice));
		plan->root.in[2] = &slice;
	} else if (step->in[2]) {
		EK_TRY(eki_rows_view(&plan->root, step->in[2], begin, rows, &D));
		plan->root.in[2] = &D;
	}
	EK_TRY(eki_step_prepare(&plan->root));
	status = eki_step_run(&plan->root, &run);
done:
	ek_plan_destroy(plan);
	eki_store_free(step->ctx, &slice);
	return status;
}

/* Does the same. If the device runs out of memory, tries again without the temporary buffers that
 * other work has left there. */
static ek_status run_batch(const eki_step *step, const eki_run *v, const factor *f, int64_t begin,
                           int64_t end, ek_store *part)
{
	const ek_status status = try_batch(step, v, f, begin, end, part);

	if (status != EK_ENOMEM)
		return status;
	eki_jobs_trim(step->gpu->device);
	return try_batch(step, v, f, begin, end, part);
}

/* ---- Rows of a C that has a pattern ---------------------------------------------------------- */

static ek_status fill_rows(const eki_step *step, const eki_run *v, const factor *f, int64_t begin,
                           int64_t end)
{
	ek_store part;
	ek_status status;

	EK_RETURN_IF(eki_part_view(step, v->C, begin, end - begin, &part));
	status = run_batch(step, v, f, begin, end, &part);
	eki_part_view_free(step, &part);
	return status;
}

/* Fills a slice of the rows, by way of a copy of it. */
static ek_status fill_slice(const eki_step *step, const eki_run *v, const factor *f, int64_t begin,
                            int64_t end)
{
	ek_store part;
	ek_status status;

	EK_RETURN_IF(
		eki_slice_make(step, v->C, begin, end - begin, f->columns, false, &part));
	status = run_batch(step, v, f, begin, end, &part);
	if (status == EK_OK)
		eki_slice_return(step, &part, begin, f->columns[0], v->C);
	eki_store_free(step->ctx, &part);
	return status;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* Multiplies all rows of A by B or a slice. Makes an array of parts, or, if that is NULL, fills
 * C. */
static ek_status run_batches(const eki_step *step, const eki_run *v, const factor *f,
                             ek_store *part)
{
	for (int64_t row = 0, end; row < step->in[0]->rows; row = end) {
		end = eki_batched_end(step, row);
		EK_RETURN_IF(part         ? run_batch(step, v, f, row, end, part++)
		             : f->columns ? fill_slice(step, v, f, row, end)
		                          : fill_rows(step, v, f, row, end));
	}
	return EK_OK;
}

/* Brings a slice of B to the device, and multiplies by it. */
static ek_status run_slice(const eki_step *step, const eki_run *v, const int64_t *columns,
                           ek_store *part)
{
	const ek_store *B = step->in[1];
	ek_store slice = {0};
	ek_plan *there = NULL;
	ek_status status;

	EK_TRY(eki_slice_make(step, B, 0, B->rows, columns, true, &slice));
	EK_TRY(make_plan(step, &slice, &there));
	EK_TRY(eki_gpu_open(&there->root));
	EK_TRY(eki_gpu_mirror_operand(&there->root, 1));
	status = run_batches(step, v, &(factor){&slice, columns}, part);
done:
	ek_plan_destroy(there);
	eki_store_free(step->ctx, &slice);
	return status;
}

static ek_status run_slices(const eki_step *step, const eki_run *v, ek_store *part)
{
	const eki_batched *s = step->state;
	ek_status status = EK_OK;

	for (int k = 0; k < s->slices.count && status == EK_OK; k++)
		status = run_slice(step, v, &s->slices.first[k], part ? part + k * s->count : NULL);
	return status;
}

static ek_status multiply(const eki_step *step, const eki_run *v, ek_store *part)
{
	const eki_batched *s = step->state;

	return s->slices.count ? run_slices(step, v, part)
	                       : run_batches(step, v, &(factor){step->in[1], NULL}, part);
}

static ek_status run_new(const eki_step *step, const eki_run *v)
{
	const eki_batched *s = step->state;
	const int64_t slices = s->slices.count, count = (slices ? slices : 1) * s->count;
	ek_store *part;
	ek_status status;
	void *block;

	EK_RETURN_IF(eki_calloc(step->ctx, count, sizeof *part, &block));
	part = block;
	EK_TRY(multiply(step, v, part));
	status = slices ? eki_slices_join(step, part, slices, s->count, v->C)
	                : eki_parts_join(step, part, count, v->C);
done:
	for (int64_t k = 0; k < count; k++)
		eki_store_free(step->ctx, &part[k]);
	eki_free(step->ctx, part, count, sizeof *part);
	return status;
}

ek_status eki_batched_run(const eki_step *step, const eki_run *v)
{
	return v->C->array[CSR_PTR] ? multiply(step, v, NULL) : run_new(step, v);
}

#endif
