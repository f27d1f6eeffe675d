/* SPDX-License-Identifier: BSD-3-Clause
 * Transposes a CSR matrix on a device. Preparation, which knows the pattern, sorts the entries of A
 * by column (prim_gpu/radix.c). The sort is stable, so entries of a column keep the order of the
 * rows, and duplicates theirs. Then row pointers are expanded to a row for each entry, sorted
 * columns are compressed to pointers, and rows are gathered. The plan keeps the pattern of C and,
 * for each entry of C, its number in A: so a run gathers values, and copies the pattern only to a
 * new C.
 *
 * Cost: that of the sort; a run reads and writes values, and reads numbers. Transposing by sorting:
 * Wang, Liu, Hou, Feng 2016. */
#include "prim_gpu/radix.h"
#include "transpose/transpose.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_transpose_radix, "transpose_gpu/csr_radix.cl");

enum { WG = 256 };

typedef struct state {
	eki_buffer *from; /* number in A of each entry of C */
	eki_buffer *col;  /* row in A of each entry of C */
	eki_buffer *ptr;  /* where columns of A begin */
} state;

static ek_status use_program(eki_job *job, const eki_step *step)
{
	char defines[EKI_GPU_WORDS];

	eki_program_types(step->in[0]->value, step->in[0]->index, defines, sizeof defines);
	eki_gpu_word(defines, "EK_WG", WG);
	return eki_job_program(job, "transpose_radix", defines, eki_cl_transpose_radix);
}

/* ---- Preparation ----------------------------------------------------------------------------- */

/* Makes the pattern of C; `row` has room for a row for each entry of A. */
static ek_status make_pattern(eki_gpu_radix *r, const eki_step *step, const state *h,
                              const eki_buffer *row)
{
	const ek_store *A = step->in[0];
	const eki_buffer *col;

	EK_RETURN_IF(eki_gpu_radix_sort(r, A->cols, step->gpu->operand[0][CSR_COL], NULL, h->from,
	                                &col));
	EK_RETURN_IF(eki_gpu_expand(r->job, A->index, A->rows, A->nnz,
	                            step->gpu->operand[0][CSR_PTR], row));
	EK_RETURN_IF(eki_gpu_gather(r, h->from, row, h->col));
	return eki_gpu_compress(r->job, A->index, A->cols, A->nnz, col, h->ptr);
}

/* Returns the bytes that preparation takes besides those of the plan. */
static int64_t sorting_bytes(const ek_store *A)
{
	return eki_plus(eki_gpu_radix_bytes(A->index, A->nnz),
	                A->nnz * (int64_t)eki_idx_size(A->index));
}

static ek_status prepare(eki_step *step)
{
	const ek_store *A = step->in[0];
	const size_t idx = eki_idx_size(A->index), ptr = eki_ptr_size(A->index);
	const int64_t run_bytes = A->nnz * (int64_t)ek_value_size(A->value);
	eki_gpu_radix sort;
	eki_buffer *row;
	state *h;
	eki_job job;
	ek_status status;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *h, &h));
	step->state = h;
	EK_RETURN_IF(eki_gpu_open(step));
	EK_RETURN_IF(eki_gpu_mirror_operands(step));
	EK_RETURN_IF(eki_gpu_buffer(step, A->nnz, ptr, false, NULL, &h->from));
	EK_RETURN_IF(eki_gpu_buffer(step, A->nnz, idx, false, NULL, &h->col));
	EK_RETURN_IF(eki_gpu_buffer(step, A->cols + 1, ptr, false, NULL, &h->ptr));
	step->plan->run_bytes = sorting_bytes(A) > run_bytes ? sorting_bytes(A) : run_bytes;
	step->plan->room = step->plan->room_array = run_bytes;
	EK_RETURN_IF(eki_operands_limit(step->plan));
	eki_job_begin_for(step, &job);
	EK_TRY(eki_gpu_radix_begin(&job, A->index, A->nnz, &sort));
	EK_TRY(eki_job_buffer(&job, A->nnz, idx, &row));
	EK_TRY(make_pattern(&sort, step, h, row));
	EK_TRY(use_program(&job, step)); /* compiled now, so that no run waits for that */
	status = job.device->driver->flush(job.device);
done:
	eki_job_end(&job);
	return status;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* Gathers the values and copies them to C. */
static ek_status values(eki_job *job, const eki_step *step, ek_store *C)
{
	const state *h = step->state;
	const int64_t bytes = C->nnz * (int64_t)ek_value_size(C->value);
	eki_buffer val;

	if (bytes == 0)
		return EK_OK;
	EK_RETURN_IF(eki_job_place(job, C->array[CSR_VAL], bytes, &val));
	const eki_arg args[] = {eki_arg_i64(C->nnz), eki_arg_buffer(h->from),
	                        eki_arg_buffer(step->gpu->operand[0][CSR_VAL]),
	                        eki_arg_buffer(&val)};

	EK_RETURN_IF(use_program(job, step));
	EK_RETURN_IF(eki_job_launch(job, "gather_values", eki_groups(C->nnz, WG), WG, args,
	                            EKI_COUNT(args)));
	return eki_buffer_read(job->device, &val, C->array[CSR_VAL], bytes);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *h = step->state;
	eki_flip flip;
	eki_job job;
	ek_status status;

	eki_job_begin_for(step, &job);
	EK_TRY(eki_flip_begin(step, v, &flip));
	if (!flip.values) {
		EK_TRY(eki_buffer_read(job.device, h->ptr, flip.out->array[CSR_PTR],
		                       h->ptr->bytes));
		EK_TRY(eki_buffer_read(job.device, h->col, flip.out->array[CSR_COL],
		                       h->col->bytes));
	}
	status = values(&job, step, flip.out);
done:
	eki_job_end(&job);
	return status;
}

/* Predicts the time of a run: values and numbers of entries are read, and values written. */
static double cost(const eki_features *f)
{
	return eki_gpu_cost(f, 2 * f->csr_bytes, 1);
}

const ek_method ek_transpose_gpu_csr_radix = {
	.name = "transpose.csr.radix.gpu",
	.text = "a radix sort of the pattern by column; runs gather values, on a device",
	.source = "Zagha, Blelloch 1991; Wang, Liu, Hou, Feng 2016",
	.operation = EK_TRANSPOSE,
	.format = {&ek_format_csr},
	.backend = EKI_GPU,
	.traits = EKI_OP_N,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh_operands,
	.run = run,
};

#endif
