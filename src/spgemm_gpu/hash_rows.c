/* SPDX-License-Identifier: BSD-3-Clause
 * Launches of the kernels that compute rows of C in local memory, for "spgemm.csr.hash.gpu". Each
 * class of rows has a program of its own, since the size of local memory and the number of
 * work-items are constants of a kernel; it is compiled when the class first has rows. */
#include "prim_gpu/arrays.h"
#include "spgemm_gpu/hash.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_hash_rows, "spgemm_gpu/hash_rows.cl");

ek_status eki_hash_program(eki_job *job, const eki_step *step, const eki_hash_rows *h, int class,
                           int *group)
{
	const bool window = class >= EKI_HASH_TABLE + h->sizes;
	const eki_hash_size *s = &h->size[(class - EKI_HASH_TABLE) % h->sizes];
	char text[EKI_GPU_WORDS];

	eki_gpu_product_types(step, text, sizeof text);
	eki_gpu_word(text, "EK_WG", s->group);
	eki_gpu_word(text, "SLOTS", window ? s->columns : s->slots);
	eki_gpu_word(text, "COUNT_SLOTS", window ? s->count_columns : s->slots);
	eki_gpu_word(text, "WINDOW", window);
	*group = s->group;
	return eki_job_program(job, "hash_rows", text, eki_cl_hash_rows);
}

/* Returns the bytes of the table of a class (DECLARE_ROW in hash_rows.cl). */
static int64_t table_bytes(const eki_hash_work *w, int class)
{
	const bool window = class >= EKI_HASH_TABLE + w->h->sizes, sums = w->kind != EKI_HASH_COUNT;
	const eki_hash_size *s = &w->h->size[(class - EKI_HASH_TABLE) % w->h->sizes];
	const int slots = !window ? s->slots : sums ? s->columns : s->count_columns;
	const int64_t value = sums ? (int64_t)ek_value_size(w->step->in[0]->value) : 0;

	return slots * value + (window ? slots / 32 : slots) * (int64_t)sizeof(int32_t);
}

ek_status eki_hash_launch_class(const eki_hash_work *w, int class, int64_t first, int64_t count,
                                int64_t stride, bool compact)
{
	static const char *const kernel[] = {[EKI_HASH_COUNT] = "count_rows",
	                                     [EKI_HASH_MAKE] = "make_rows",
	                                     [EKI_HASH_VALUES] = "value_rows"};
	eki_arg args[EKI_PRODUCT_ARGS + 13];
	int n = eki_gpu_product_args(w->step, w->run, args), group;

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
	args[n++] = eki_arg_local(table_bytes(w, class));
	return eki_job_launch(w->job, kernel[w->kind], count, group, args, n);
}

#endif
