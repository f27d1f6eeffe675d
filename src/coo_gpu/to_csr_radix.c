/* SPDX-License-Identifier: BSD-3-Clause
 * CSR from coordinates on a device. Entries are sorted by column, then by row (prim_gpu/radix.c).
 * Both sorts are stable, so entries at the same place stay in the order given. Each entry that is
 * the first at its place is marked; a scan of the marks gives the places in C, where the work-item
 * of a marked entry writes the sum of all that are there, in their order. Row pointers are found by
 * a search in the sorted rows.
 *
 * The marks of the coordinates as they are given also tell whether these are sorted already; then
 * the sorts are left out.
 *
 * Cost: the sorts, a pass for each byte of a column and of a row; two gathers of indices, one of
 * values, and four passes over marks. Radix sort by counting: Zagha and Blelloch 1991. */
#include "prim_gpu/radix.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_to_csr_radix, "coo_gpu/to_csr_radix.cl");

enum { WG = 256 };

/* One call: the caller's arrays on the device, and the sorted entries. */
typedef struct call {
	eki_gpu_arrays on;
	const eki_array *a;
	eki_buffer row, col, val, c_ptr, c_col, c_val;
	const eki_buffer *from; /* numbers of the sorted entries, or NULL if they were sorted */
	const eki_buffer *sorted_row, *sorted_col;
	eki_buffer *place, *unsorted;
} call;

static ek_status use_program(call *c)
{
	char defines[EKI_GPU_WORDS];

	eki_program_types(c->a->type, c->a->index, defines, sizeof defines);
	eki_gpu_word(defines, "EK_WG", WG);
	return eki_job_program(&c->on.job, "to_csr_radix", defines, eki_cl_to_csr_radix);
}

static ek_status bring(call *c)
{
	const eki_array *a = c->a;
	const int64_t ptr = (int64_t)eki_ptr_size(a->index), idx = (int64_t)eki_idx_size(a->index),
		      size = (int64_t)ek_value_size(a->type);

	EK_RETURN_IF(eki_gpu_array_in(&c->on, a->row_idx, a->n * idx, &c->row));
	EK_RETURN_IF(eki_gpu_array_in(&c->on, a->col_idx, a->n * idx, &c->col));
	EK_RETURN_IF(eki_gpu_array_in(&c->on, a->in, a->n * size, &c->val));
	EK_RETURN_IF(eki_gpu_array_out(&c->on, a->out_col, a->n * idx, &c->c_col));
	EK_RETURN_IF(eki_gpu_array_out(&c->on, a->out, a->n * size, &c->c_val));
	EK_RETURN_IF(eki_gpu_array_out(&c->on, a->row_ptr, (a->rows + 1) * ptr, &c->c_ptr));
	EK_RETURN_IF(eki_job_buffer(&c->on.job, a->n + 1, (size_t)ptr, &c->place));
	return eki_job_buffer(&c->on.job, 1, sizeof(int32_t), &c->unsorted);
}

/* Marks the entries that are the first at their places. */
static ek_status mark(call *c)
{
	const eki_arg args[] = {eki_arg_i64(c->a->n), eki_arg_buffer(c->sorted_row),
	                        eki_arg_buffer(c->sorted_col), eki_arg_buffer(c->place),
	                        eki_arg_buffer(c->unsorted)};

	EK_RETURN_IF(use_program(c));
	return eki_job_launch(&c->on.job, "heads", eki_groups(c->a->n + 1, WG), WG, args,
	                      EKI_COUNT(args));
}

/* Sorts the entries by row and column. */
static ek_status sort(call *c)
{
	const eki_array *a = c->a;
	eki_job *job = &c->on.job;
	eki_buffer *by_col, *by_row, *gathered;
	const eki_buffer *unused;
	eki_gpu_radix r;

	EK_RETURN_IF(eki_gpu_radix_begin(job, a->index, a->n, &r));
	EK_RETURN_IF(eki_job_buffer(job, a->n, eki_ptr_size(a->index), &by_col));
	EK_RETURN_IF(eki_job_buffer(job, a->n, eki_ptr_size(a->index), &by_row));
	EK_RETURN_IF(eki_job_buffer(job, a->n, eki_idx_size(a->index), &gathered));
	EK_RETURN_IF(eki_gpu_radix_sort(&r, a->cols, &c->col, NULL, by_col, &unused));
	EK_RETURN_IF(eki_gpu_gather(&r, by_col, &c->row, gathered));
	EK_RETURN_IF(eki_gpu_radix_sort(&r, a->rows, gathered, by_col, by_row, &c->sorted_row));
	EK_RETURN_IF(eki_gpu_gather(&r, by_row, &c->col, gathered));
	c->sorted_col = gathered;
	c->from = by_row;
	return EK_OK;
}

/* Writes the arrays of C. */
static ek_status put(call *c)
{
	const eki_array *a = c->a;
	const eki_arg fill[] = {eki_arg_i64(a->n),
	                        eki_arg_i32(!c->from),
	                        eki_arg_buffer(c->from ? c->from : c->place),
	                        eki_arg_buffer(c->sorted_col),
	                        eki_arg_buffer(&c->val),
	                        eki_arg_buffer(c->place),
	                        eki_arg_buffer(&c->c_col),
	                        eki_arg_buffer(&c->c_val)};
	const eki_arg point[] = {eki_arg_i64(a->rows), eki_arg_buffer(c->place),
	                         eki_arg_buffer(&c->c_ptr)};

	EK_RETURN_IF(
		eki_gpu_compress(&c->on.job, a->index, a->rows, a->n, c->sorted_row, &c->c_ptr));
	EK_RETURN_IF(use_program(c));
	EK_RETURN_IF(eki_job_launch(&c->on.job, "fill", eki_groups(a->n, WG), WG, fill,
	                            EKI_COUNT(fill)));
	return eki_job_launch(&c->on.job, "point", eki_groups(a->rows + 1, WG), WG, point,
	                      EKI_COUNT(point));
}

static ek_status convert(call *c, int64_t *count)
{
	const eki_array *a = c->a;
	eki_device *dev = c->on.job.device;
	int32_t unsorted = 0;

	c->sorted_row = &c->row;
	c->sorted_col = &c->col;
	EK_RETURN_IF(dev->driver->clear(dev, c->unsorted));
	EK_RETURN_IF(mark(c));
	EK_RETURN_IF(eki_buffer_read(dev, c->unsorted, &unsorted, sizeof unsorted));
	if (unsorted) {
		EK_RETURN_IF(sort(c));
		EK_RETURN_IF(mark(c));
	}
	EK_RETURN_IF(eki_gpu_places(&c->on.job, eki_ptr_type(a->index), a->n,
	                            a->n, c->place, count));
	return put(c);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	const int64_t size[2] = {(int64_t)eki_idx_size(a->index), (int64_t)ek_value_size(a->type)};
	call c = {.a = a};
	int64_t count = 0;
	ek_status status;

	eki_gpu_arrays_begin(step, a, &c.on);
	EK_TRY(bring(&c));
	EK_TRY(convert(&c, &count));
	eki_gpu_arrays_shorten(&c.on, a->out_col, count * size[0]);
	eki_gpu_arrays_shorten(&c.on, a->out, count * size[1]);
done:
	status = eki_gpu_arrays_end(&c.on, status);
	if (status == EK_OK)
		*a->count = count;
	return status;
}

/* Predicts the time of coordinates in random order. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	const int64_t ptr = (int64_t)eki_ptr_size(a->index), idx = (int64_t)eki_idx_size(a->index);
	const int64_t entry =
		2 * (3 * idx + 2 * ptr) + 6 * ptr + 2 * (int64_t)ek_value_size(a->type);
	int passes = 2;

	for (int64_t end = a->cols; end > 256; end /= 256)
		passes++;
	for (int64_t end = a->rows; end > 256; end /= 256)
		passes++;
	return eki_gpu_cost(f, (double)(a->n * (passes * (3 * idx + 2 * ptr) + entry)),
	                    4 * passes + 10);
}

const ek_method ek_to_csr_gpu_radix = {
	.name = "to_csr.radix.gpu",
	.text = "stable radix sorts by column and row, unless sorted, then sums, on a device",
	.source = "Zagha, Blelloch 1991",
	.operation = EK_TO_CSR,
	.backend = EKI_GPU,
	.cost = cost,
	.run = run,
};

#endif
