/* SPDX-License-Identifier: BSD-3-Clause
 * The common parts of SpGEMM on a device. The lengths of the rows of C are summed up on the device;
 * then the host, which alone can allocate the arrays of C, reads the row pointers. In memory that
 * both sides share, kernels write to the arrays of C themselves, as they do if only the device is
 * to have them (C->there). Otherwise they write to temporary memory of the device, which is copied
 * at the end. */
#include <stdio.h>
#include <string.h>

#include "prim_gpu/arrays.h"
#include "spgemm_gpu/product.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_product, "spgemm_gpu/product.cl");

enum { WG = 256, PART = 1 << 15 };

/* ---- Operands -------------------------------------------------------------------------------- */

ek_status eki_gpu_product_prepare(eki_step *step)
{
	EK_RETURN_IF(eki_gpu_open(step));
	return eki_gpu_mirror_operands(step);
}

void eki_gpu_product_types(const eki_step *step, char *defines, size_t size)
{
	size_t used;

	eki_program_types(step->in[0]->value, step->in[0]->index, defines, size);
	used = strlen(defines);
	snprintf(defines + used, size - used, "#define HAS_D %d\n", step->in[2] != NULL);
}

int eki_gpu_product_args(const eki_step *step, const eki_run *run, eki_arg args[EKI_PRODUCT_ARGS])
{
	const ek_value value = step->in[0]->value;
	int count = 0;

	args[count++] = eki_arg_i64(step->in[0]->rows);
	for (int m = 0; m < EKI_MAX_MATRICES; m++)
		for (int k = CSR_PTR; k <= CSR_VAL; k++)
			/* Without D, A's arrays stand for its own, which are not read. */
			args[count++] = eki_arg_buffer(step->gpu->operand[step->in[m] ? m : 0][k]);
	args[count++] = eki_arg_val(value, run->alpha);
	args[count++] = eki_arg_val(value, run->beta);
	return count;
}

ek_status eki_gpu_product_bounds(eki_job *job, const eki_step *step, const eki_buffer *bound)
{
	eki_arg args[EKI_PRODUCT_ARGS + 1];
	const int count = eki_gpu_product_args(step, &(eki_run){0}, args);
	char defines[EKI_GPU_WORDS];

	eki_gpu_product_types(step, defines, sizeof defines);
	eki_gpu_word(defines, "EK_WG", WG);
	EK_RETURN_IF(eki_job_program(job, "product", defines, eki_cl_product));
	args[count] = eki_arg_buffer(bound);
	return eki_job_launch(job, "row_bounds", eki_groups(step->in[0]->rows + 1, WG), WG, args,
	                      count + 1);
}

/* ---- C --------------------------------------------------------------------------------------- */

void eki_gpu_product_begin(const eki_step *step, const eki_run *run, eki_gpu_product *p)
{
	*p = (eki_gpu_product){
		.step = step, .run = run, .keep_col = run->C->array[CSR_PTR] != NULL};
	eki_job_begin_for(step, &p->job);
}

/* Row pointers of C and their copy in 64 bits, of which threads convert parts. */
struct pointers {
	ek_store *C;
	int64_t *at;
	bool from_c;
};

static void convert_part(void *arg, int part)
{
	const struct pointers *t = arg;
	const int64_t end = t->C->rows + 1;

	for (int64_t i = (int64_t)part * PART; i < end && i < (int64_t)(part + 1) * PART; i++) {
		if (t->from_c)
			t->at[i] = eki_ptr_at(t->C, i);
		else
			eki_ptr_set(t->C, i, t->at[i]);
	}
}

static void convert(const eki_gpu_product *p, struct pointers t)
{
	eki_parallel(p->step->ctx, p->step->threads, (int)eki_groups(t.C->rows + 1, PART),
	             convert_part, &t);
}

static size_t size_of(const ek_store *C, int which)
{
	return which == CSR_COL ? eki_idx_size(C->index) : ek_value_size(C->value);
}

bool eki_gpu_product_itself(const eki_gpu_product *p, int which, eki_buffer *array)
{
	const ek_store *C = p->run->C;

	if (C->nnz == 0)
		return false;
	if (!C->there)
		return eki_buffer_around(p->job.device, C->array[which],
		                         C->nnz * (int64_t)size_of(C, which), array);
	*array = *C->there[which];
	array->foreign = true;
	return true;
}

static ek_status place(eki_gpu_product *p, int which, eki_buffer *array)
{
	const ek_store *C = p->run->C;

	if (C->there && eki_gpu_product_itself(p, which, array))
		return EK_OK;
	return eki_job_place(&p->job, C->array[which], C->nnz * (int64_t)size_of(C, which), array);
}

ek_status eki_gpu_product_place(eki_gpu_product *p, bool columns)
{
	if (columns)
		EK_RETURN_IF(place(p, CSR_COL, &p->col));
	return place(p, CSR_VAL, &p->val);
}

/* Makes the arrays of the nnz entries of C, where they are to be. */
static ek_status make_arrays(const eki_gpu_product *p, ek_store *C, int64_t nnz)
{
	EK_RETURN_IF(eki_output_arrays(p->step, C, nnz));
	for (int k = CSR_COL; C->there && k <= CSR_VAL; k++) {
		eki_buffer_free(p->job.device, C->there[k]);
		EK_RETURN_IF(
			eki_buffer_alloc(p->job.device, nnz, size_of(C, k), false, C->there[k]));
	}
	return EK_OK;
}

ek_status eki_gpu_product_rows(eki_gpu_product *p, eki_buffer *at)
{
	const int64_t rows = p->step->in[0]->rows;
	ek_store *C = p->run->C;
	int64_t *host = NULL;
	ek_status status;

	p->at = at;
	EK_TRY(eki_alloc(p->step->ctx, rows + 1, sizeof *host, (void *)&host));
	EK_TRY(eki_buffer_read(p->job.device, at, host, (rows + 1) * (int64_t)sizeof *host));
	EK_TRY(eki_output_begin(p->step, C));
	EK_TRY(make_arrays(p, C, host[rows]));
	convert(p, (struct pointers){C, host, false});
done:
	eki_free(p->step->ctx, host, rows + 1, sizeof *host);
	return status;
}

ek_status eki_gpu_product_arrays(eki_gpu_product *p, eki_buffer *length)
{
	EK_RETURN_IF(eki_gpu_scan(&p->job, EK_INT64, EK_SUM, EK_EXCLUSIVE,
	                          p->step->in[0]->rows + 1, length, length));
	EK_RETURN_IF(eki_gpu_product_rows(p, length));
	return eki_gpu_product_place(p, true);
}

ek_status eki_gpu_product_pointers(eki_gpu_product *p, eki_buffer *at)
{
	ek_store *C = p->run->C;
	const int64_t bytes = (C->rows + 1) * (int64_t)sizeof(int64_t);
	int64_t *host = NULL;
	ek_status status;

	p->at = at;
	EK_TRY(eki_alloc(p->step->ctx, C->rows + 1, sizeof *host, (void *)&host));
	convert(p, (struct pointers){C, host, true});
	status = eki_buffer_write(p->job.device, at, host, bytes);
done:
	eki_free(p->step->ctx, host, C->rows + 1, sizeof *host);
	return status;
}

ek_status eki_gpu_product_known(eki_gpu_product *p)
{
	const ek_store *C = p->run->C;
	eki_buffer *at;

	EK_RETURN_IF(eki_job_buffer(&p->job, C->rows + 1, sizeof(int64_t), &at));
	EK_RETURN_IF(eki_gpu_product_pointers(p, at));
	EK_RETURN_IF(eki_gpu_product_place(p, true));
	return p->col.foreign ? EK_OK
	                      : eki_buffer_write(p->job.device, &p->col, C->array[CSR_COL],
	                                         p->col.bytes);
}

/* Copies an array of C to the host, unless kernels wrote to the array itself. */
static ek_status bring(const eki_gpu_product *p, const eki_buffer *from, int which)
{
	return from->foreign
	               ? EK_OK
	               : eki_buffer_read(p->job.device, from, p->run->C->array[which], from->bytes);
}

void eki_gpu_product_again(eki_gpu_product *p)
{
	eki_store_free(p->step->ctx, p->run->C);
	eki_job_end(&p->job);
	p->col = p->val = (eki_buffer){0};
}

ek_status eki_gpu_product_end(eki_gpu_product *p, ek_status status)
{
	if (status == EK_OK && !p->keep_col)
		status = bring(p, &p->col, CSR_COL);
	if (status == EK_OK)
		status = bring(p, &p->val, CSR_VAL);
	if (status == EK_OK)
		status = p->job.device->driver->wait(p->job.device);
	if (status != EK_OK && !p->keep_col)
		eki_store_free(p->step->ctx, p->run->C);
	eki_job_end(&p->job);
	return status;
}

#endif
