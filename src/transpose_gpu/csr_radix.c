/* SPDX-License-Identifier: BSD-3-Clause
 * Transposes a CSR matrix on a device. Preparation, which knows the pattern, sorts the entries of A
 * by column: a radix sort from the lowest digit of 8 bits to the highest, in as many passes as the
 * number of columns has bytes. It is stable, so entries of a column keep the order of the rows, and
 * duplicates theirs. What is sorted are columns and numbers of entries. Then row pointers are
 * expanded to a row for each entry, sorted columns are compressed to pointers, and rows are
 * gathered. The plan keeps the pattern of C and, for each entry of C, its number in A: so a run
 * gathers values, and copies the pattern only to a new C.
 *
 * A pass counts the digits of each tile, sums the counts up over all tiles, and moves the entries.
 * Within a tile, the rank of an entry among those with its digit is counted by comparing four
 * digits at a time, without atomic operations, whose order would not be known.
 *
 * Cost: a pass reads and writes columns and numbers once, and columns once more; a run reads and
 * writes values, and reads numbers. Radix sort by counting: Zagha and Blelloch 1991; transposing by
 * sorting: Wang, Liu, Hou, Feng 2016. */
#include "prim_gpu/arrays.h"
#include "transpose/transpose.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_transpose_radix, "transpose_gpu/csr_radix.cl");

enum { WG = 256, EACH = 16, BITS = 8, DIGITS = 1 << BITS };

typedef struct state {
	eki_buffer *from; /* number in A of each entry of C */
	eki_buffer *col;  /* row in A of each entry of C */
	eki_buffer *ptr;  /* where columns of A begin */
} state;

/* Arrays that only preparation needs. */
typedef struct sorting {
	eki_buffer *key[2], *from, *row, *place;
} sorting;

static ek_status use_program(eki_job *job, const eki_step *step)
{
	char defines[EKI_GPU_WORDS];

	eki_program_types(step->in[0]->value, step->in[0]->index, defines, sizeof defines);
	eki_gpu_word(defines, "EK_WG", WG);
	eki_gpu_word(defines, "EACH", EACH);
	return eki_job_program(job, "transpose_radix", defines, eki_cl_transpose_radix);
}

/* ---- Preparation ----------------------------------------------------------------------------- */

/* Does a pass: sorts entries by the digit that begins at bit `shift`. */
static ek_status pass(eki_job *job, const eki_step *step, const sorting *s, int shift,
                      const eki_buffer *key, const eki_buffer *from, const eki_buffer *to_key,
                      const eki_buffer *to_from)
{
	const int64_t n = step->in[0]->nnz, tiles = eki_groups(n, WG * EACH);
	const eki_arg count[] = {eki_arg_i64(n), eki_arg_buffer(key), eki_arg_i32(shift),
	                         eki_arg_i64(tiles), eki_arg_buffer(s->place)};
	const eki_arg place[] = {
		eki_arg_i64(n),           eki_arg_buffer(key),    eki_arg_buffer(from),
		eki_arg_i32(shift == 0),  eki_arg_i32(shift),     eki_arg_i64(tiles),
		eki_arg_buffer(s->place), eki_arg_buffer(to_key), eki_arg_buffer(to_from)};

	EK_RETURN_IF(use_program(job, step));
	EK_RETURN_IF(eki_job_launch(job, "radix_count", tiles, WG, count, EKI_COUNT(count)));
	EK_RETURN_IF(eki_gpu_scan(job, EK_INT64, EK_SUM, EK_EXCLUSIVE, DIGITS * tiles, s->place,
	                          s->place));
	EK_RETURN_IF(use_program(job, step));
	return eki_job_launch(job, "radix_place", tiles, WG, place, EKI_COUNT(place));
}

/* Sorts the entries of A. Sets *key to their columns. Their numbers are in h->from. */
static ek_status sort(eki_job *job, const eki_step *step, state *h, sorting *s,
                      const eki_buffer **key)
{
	const int64_t cols = step->in[0]->cols;
	const eki_buffer *from = h->from;
	int passes = 1, k;

	while (BITS * passes < 63 && cols > (int64_t)1 << (BITS * passes))
		passes++;
	*key = step->gpu->operand[0][CSR_COL];
	for (k = 0; k < passes; k++) {
		/* The last pass writes to h->from. */
		const eki_buffer *to = (passes - k) % 2 ? h->from : s->from;

		EK_RETURN_IF(pass(job, step, s, BITS * k, *key, from, s->key[k % 2], to));
		*key = s->key[k % 2];
		from = to;
	}
	return EK_OK;
}

/* Makes the pattern of C from the sorted entries. */
static ek_status make_pattern(eki_job *job, const eki_step *step, const state *h, const sorting *s,
                              const eki_buffer *key)
{
	const ek_store *A = step->in[0];
	const eki_arg expand[] = {eki_arg_i64(A->rows), eki_arg_i64(A->nnz),
	                          eki_arg_buffer(step->gpu->operand[0][CSR_PTR]),
	                          eki_arg_buffer(s->row)};
	const eki_arg gather[] = {eki_arg_i64(A->nnz), eki_arg_buffer(h->from),
	                          eki_arg_buffer(s->row), eki_arg_buffer(h->col)};
	const eki_arg compress[] = {eki_arg_i64(A->cols), eki_arg_i64(A->nnz), eki_arg_buffer(key),
	                            eki_arg_buffer(h->ptr)};

	EK_RETURN_IF(eki_job_launch(job, "expand", eki_groups(A->nnz, WG * EACH), WG, expand,
	                            EKI_COUNT(expand)));
	EK_RETURN_IF(eki_job_launch(job, "gather_rows", eki_groups(A->nnz, WG), WG, gather,
	                            EKI_COUNT(gather)));
	return eki_job_launch(job, "compress", eki_groups(A->cols + 1, WG), WG, compress,
	                      EKI_COUNT(compress));
}

/* Returns the bytes that sorting takes. */
static int64_t sorting_bytes(const ek_store *A)
{
	const int64_t places = DIGITS * eki_groups(A->nnz, WG * EACH);
	const int64_t entry = 3 * (int64_t)eki_idx_size(A->index) + (int64_t)eki_ptr_size(A->index);

	return eki_plus(eki_times(A->nnz, entry), 8 * (places + places / 1024 + 64));
}

static ek_status prepare(eki_step *step)
{
	const ek_store *A = step->in[0];
	const size_t idx = eki_idx_size(A->index), ptr = eki_ptr_size(A->index);
	const int64_t run_bytes = A->nnz * (int64_t)ek_value_size(A->value);
	const eki_buffer *key;
	sorting s = {.key = {NULL}};
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
	EK_RETURN_IF(eki_operands_limit(step->plan));
	eki_job_begin(step->gpu->device, &job);
	for (int k = 0; k < 2; k++)
		EK_TRY(eki_job_buffer(&job, A->nnz, idx, &s.key[k]));
	EK_TRY(eki_job_buffer(&job, A->nnz, ptr, &s.from));
	EK_TRY(eki_job_buffer(&job, A->nnz, idx, &s.row));
	EK_TRY(eki_job_buffer(&job, DIGITS * eki_groups(A->nnz, WG * EACH), sizeof(int64_t),
	                      &s.place));
	EK_TRY(use_program(&job, step));
	EK_TRY(sort(&job, step, h, &s, &key));
	EK_TRY(make_pattern(&job, step, h, &s, key));
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

	eki_job_begin(step->gpu->device, &job);
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
