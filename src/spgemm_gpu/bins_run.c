/* SPDX-License-Identifier: BSD-3-Clause
 * Stages 3 and 4 of SpGEMM by bins on a device (csr_bins.c). The host launches a kernel for each
 * bin that has rows; rows that are merged take more than one launch (bins_merge.c).
 *
 * Liu 2015, section 9.4.2. */
#include <stdio.h>

#include "spgemm_gpu/csr_bins.h"

#ifndef EK_NO_GPU

void eki_gpu_bin_defines(const eki_step *step, const eki_gpu_bins *s, int wg, int products,
                         char *defines, size_t size)
{
	size_t used;

	eki_gpu_product_types(step, defines, size);
	used = strlen(defines);
	snprintf(defines + used, size - used,
	         "#define EK_WG %d\n#define PRODUCTS %d\n#define KEY %s\n", wg, products,
	         s->narrow ? "int" : "ek_i64");
}

/* ---- Stage 3 --------------------------------------------------------------------------------- */

/* How rows of a group are computed. */
static const struct {
	eki_gpu_bin_program *program;
	const char *kernel;
	bool by_item; /* a work-item has a row; otherwise a group has one */
} method[] = {[EKI_GROUP_COPY] = {eki_gpu_copy_program, "copy_products", true},
              [EKI_GROUP_HEAP] = {eki_gpu_heap_program, "heap_rows", true},
              [EKI_GROUP_ESC] = {eki_gpu_esc_program, "esc_rows", false}};

static int64_t rows_of(const eki_gpu_bins *s, int bin)
{
	return s->bins.begin[bin + 1] - s->bins.begin[bin];
}

ek_status eki_gpu_bins_compile(eki_job *job, const eki_step *step, const eki_gpu_bins *s)
{
	int wg;

	for (int bin = 1; bin < eki_gpu_bins_end(s); bin++)
		if (rows_of(s, bin) > 0)
			EK_RETURN_IF(method[eki_bin_group_of(bin)].program(job, step, s, bin, &wg));
	return EK_OK;
}

static ek_status launch_bin(eki_gpu_bins_run *o, int bin)
{
	const eki_bin_group group = eki_bin_group_of(bin);
	const int64_t rows = rows_of(o->s, bin);
	eki_arg args[EKI_PRODUCT_ARGS + 8];
	int count = eki_gpu_product_args(o->step, o->p.run, args), wg;

	args[count++] = eki_arg_i64(o->s->bins.begin[bin]);
	args[count++] = eki_arg_i64(rows);
	args[count++] = eki_arg_buffer(o->s->row);
	args[count++] = eki_arg_buffer(o->at);
	args[count++] = eki_arg_i32(o->make);
	args[count++] = eki_arg_buffer(o->col);
	args[count++] = eki_arg_buffer(o->val);
	args[count++] = eki_arg_buffer(o->length);
	EK_RETURN_IF(method[group].program(&o->p.job, o->step, o->s, bin, &wg));
	return eki_job_launch(&o->p.job, method[group].kernel,
	                      method[group].by_item ? eki_groups(rows, wg) : rows, wg, args, count);
}

/* Computes all rows except those that are merged, those with most products first. */
static ek_status launch_bins(eki_gpu_bins_run *o)
{
	for (int bin = eki_gpu_bins_end(o->s) - 1; bin > 0; bin--)
		if (rows_of(o->s, bin) > 0)
			EK_RETURN_IF(launch_bin(o, bin));
	return EK_OK;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* Takes memory for the lengths of the rows. */
static ek_status take_lengths(eki_gpu_bins_run *o, eki_buffer **length)
{
	EK_RETURN_IF(eki_job_buffer(&o->p.job, o->step->in[0]->rows + 1, sizeof(int64_t), length));
	o->length = *length;
	return o->p.job.device->driver->clear(o->p.job.device, *length);
}

/* Takes memory for the temporary rows. */
static ek_status take_rows(eki_gpu_bins_run *o)
{
	const ek_store *A = o->step->in[0];
	const size_t size[] = {eki_idx_size(A->index), ek_value_size(A->value)};
	const eki_buffer **out[] = {&o->col, &o->val};

	for (int k = 0; k < 2; k++) {
		eki_buffer *buffer = &o->shared[k];

		if (o->s->in_place)
			EK_RETURN_IF(eki_buffer_alloc(o->p.job.device, o->s->temporary, size[k],
			                              true, buffer));
		else
			EK_RETURN_IF(eki_job_buffer(&o->p.job, o->s->temporary, size[k], &buffer));
		*out[k] = buffer;
		o->bytes += (!o->s->in_place   ? o->s->temporary
		             : o->s->bins.room ? o->s->bins.room_first
		                               : o->s->bins.hybrid_first) *
		            (int64_t)size[k];
	}
	return EK_OK;
}

/* Computes C by way of temporary rows. */
static ek_status with_temporary(eki_gpu_bins_run *o)
{
	eki_gpu_merging m = {0};
	eki_buffer *length;
	ek_status status;

	EK_RETURN_IF(take_lengths(o, &length));
	EK_RETURN_IF(take_rows(o));
	o->uncapped = o->bytes;
	o->at = o->s->at;
	o->make = EKI_MAKE_COL | EKI_MAKE_VAL | EKI_MAKE_LENGTH;
	EK_TRY(eki_gpu_merge_begin(o, &m));
	EK_TRY(launch_bins(o));
	EK_TRY(eki_gpu_merge(&m));
	EK_TRY(eki_gpu_product_arrays(&o->p, length));
	EK_TRY(eki_gpu_arrange(o));
	status = eki_gpu_merge_arrange(&m);
done:
	eki_gpu_merge_end(&m);
	return status;
}

/* Uses C itself for the rows of the next launches. */
static void use_c(eki_gpu_bins_run *o, int make)
{
	o->make = make;
	o->at = o->length = o->p.at; /* lengths are not written */
	o->col = &o->p.col;
	o->val = &o->p.val;
}

/* Counts the entries of C, and then fills it. */
static ek_status precisely(eki_gpu_bins_run *o)
{
	eki_gpu_merging m = {0};
	eki_buffer *length;
	ek_status status;

	EK_RETURN_IF(take_lengths(o, &length));
	o->at = o->col = o->val = o->s->at; /* neither read nor written */
	o->make = EKI_MAKE_LENGTH;
	EK_TRY(eki_gpu_merge_begin(o, &m));
	EK_TRY(launch_bins(o));
	EK_TRY(eki_gpu_merge_count(&m));
	EK_TRY(eki_gpu_product_arrays(&o->p, length));
	use_c(o, EKI_MAKE_COL | EKI_MAKE_VAL);
	EK_TRY(launch_bins(o));
	status = eki_gpu_merge_into(&m);
done:
	eki_gpu_merge_end(&m);
	return status;
}

/* Writes the values of a known C. */
static ek_status values(eki_gpu_bins_run *o)
{
	EK_RETURN_IF(eki_gpu_product_known(&o->p));
	use_c(o, EKI_MAKE_VAL);
	EK_RETURN_IF(launch_bins(o));
	return eki_gpu_merge_values(o);
}

ek_status eki_gpu_bins_run_all(const eki_step *step, const eki_run *v)
{
	eki_gpu_bins *s = step->state;
	eki_gpu_bins_run o = {.step = step, .s = s};
	ek_status status;
	bool known;

	eki_gpu_product_begin(step, v, &o.p);
	known = o.p.keep_col;
	status = known                             ? values(&o)
	         : s->memory == EKI_MEMORY_PRECISE ? precisely(&o)
	                                           : with_temporary(&o);
	status = eki_gpu_product_end(&o.p, status);
	for (int k = 0; k < 2; k++)
		eki_buffer_free(step->gpu->device, &o.shared[k]);
	if (status != EK_OK || known)
		return status;
	atomic_store(&s->bytes, o.bytes);
	atomic_store(&s->uncapped, o.uncapped);
	atomic_store(&s->copied, o.copied);
	atomic_store(&s->launches, o.launches);
	return EK_OK;
}

#endif
