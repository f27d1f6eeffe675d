/* SPDX-License-Identifier: BSD-3-Clause
 * Launches of the kernels that compute rows of C in local memory, for "spgemm.csr.hash.gpu". Each
 * class of rows has a program of its own, since the size of local memory and the number of
 * work-items are constants of a kernel; it is compiled when the class first has rows. */
#include "prim_gpu/arrays.h"
#include "spgemm_gpu/hash.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_hash_rows, "spgemm_gpu/hash_rows.cl");

static bool has_window(const eki_hash_rows *h, int class)
{
	return class >= EKI_HASH_TABLE + h->sizes;
}

/* Returns the size of the tables of a class. Rows whose windows are shared out have the largest. */
static const eki_hash_size *size_of(const eki_hash_rows *h, int class)
{
	return &h->size[class == eki_hash_far(h) ? h->sizes - 1
	                                         : (class - EKI_HASH_TABLE) % h->sizes];
}

/* Returns the slots of the table of a class, with sums or without. */
static int slots_of(const eki_hash_rows *h, int class, bool sums)
{
	const eki_hash_size *s = size_of(h, class);

	return !has_window(h, class) ? s->slots : sums ? s->columns : s->count_columns;
}

ek_status eki_hash_program(eki_job *job, const eki_step *step, const eki_hash_rows *h, int class,
                           int *group)
{
	char text[EKI_GPU_WORDS];

	*group = size_of(h, class)->group;
	eki_gpu_product_types(step, text, sizeof text);
	eki_gpu_word(text, "EK_WG", *group);
	eki_gpu_word(text, "SLOTS", slots_of(h, class, true));
	eki_gpu_word(text, "COUNT_SLOTS", slots_of(h, class, false));
	eki_gpu_word(text, "WINDOW", has_window(h, class));
	return class == eki_hash_far(h) ? eki_job_program(job, "hash_far", text, eki_cl_hash_far)
	                                : eki_job_program(job, "hash_rows", text, eki_cl_hash_rows);
}

int64_t eki_hash_table_bytes(const eki_hash_work *w, int class, bool sums)
{
	const int slots = slots_of(w->h, class, sums);
	const int64_t value = sums ? (int64_t)ek_value_size(w->step->in[0]->value) : 0;
	const int64_t keys = has_window(w->h, class) ? slots / 32 : slots;

	return slots * value + keys * (int64_t)sizeof(int32_t);
}

ek_status eki_hash_launch_class(const eki_hash_work *w, int class, int64_t first, int64_t count,
                                int64_t stride, bool compact)
{
	static const char *const kernel[] = {[EKI_HASH_COUNT] = "count_rows",
	                                     [EKI_HASH_MAKE] = "make_rows",
	                                     [EKI_HASH_VALUES] = "value_rows"};
	eki_arg args[EKI_PRODUCT_ARGS + 13];
	int n = eki_gpu_product_args(w->step, w->run, args), group;

	if (class == eki_hash_far(w->h)) /* to count entries, a group has few windows or one */
		class --;
	EK_RETURN_IF(eki_hash_program(w->job, w->step, w->h, class, &group));
	args[n++] = eki_arg_i64(first);
	args[n++] = eki_arg_i64(stride);
	args[n++] = eki_arg_buffer(w->list->row);
	args[n++] = eki_arg_buffer(w->h->start);
	args[n++] = eki_arg_buffer(w->h->span);
	args[n++] = eki_arg_buffer(w->at);
	args[n++] = eki_arg_i32(w->kind == EKI_HASH_COUNT);
	if (w->kind != EKI_HASH_COUNT) {
		args[n++] = eki_arg_i64(w->begin);
		args[n++] = eki_arg_buffer(w->col);
		args[n++] = eki_arg_buffer(w->val);
	}
	if (w->kind != EKI_HASH_VALUES)
		args[n++] = eki_arg_buffer(w->length ? w->length : w->at);
	if (w->kind == EKI_HASH_COUNT)
		args[n++] = eki_arg_i32(compact);
	if (w->kind == EKI_HASH_MAKE)
		args[n++] = eki_arg_i32(w->length != NULL);
	args[n++] = eki_arg_local(eki_hash_table_bytes(w, class, w->kind != EKI_HASH_COUNT));
	return eki_job_launch(w->job, kernel[w->kind], count, group, args, n);
}

#endif
