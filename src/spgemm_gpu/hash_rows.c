/* SPDX-License-Identifier: BSD-3-Clause
 * Launches of the kernels that compute rows of C in local memory, for "spgemm.csr.hash.gpu". Each
 * class of rows has a program of its own, since the size of its tables and the number of its
 * work-items are constants of the kernel; it is compiled when the class first has rows. */
#include <stdio.h>
#include <string.h>

#include "spgemm_gpu/hash.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_hash_rows, "spgemm_gpu/hash_rows.cl");

/* Makes the program of a class the one of the next launches. Returns its size in *size. */
static ek_status use_class(eki_job *job, const eki_step *step, const eki_hash_rows *h, int class,
                           eki_hash_size *size)
{
	const int tables = EKI_HASH_TABLE + 2 * h->sizes, pieces = tables + 2 * h->sizes;
	const bool slices = class % 2 != 0, in_pieces = class >= pieces;
	char text[1024];
	size_t used;
	int slots;

	*size = in_pieces ? h->pieces : h->size[(class - EKI_HASH_TABLE) / 2 % h->sizes];
	size->group = slices ? size->team : size->group;
	slots = class < tables ? size->slots : size->columns;
	eki_gpu_product_types(step, text, sizeof text);
	used = strlen(text);
	snprintf(text + used, sizeof text - used,
	         "#define EK_WG %d\n#define TEAM %d\n#define SLOTS %d\n#define COUNT_SLOTS %d\n"
	         "#define WINDOW %d\n#define PIECES %d\n#define SLICES %d\n",
	         size->group, size->team, slots, in_pieces ? h->pieces_count : slots,
	         class >= tables, in_pieces, slices);
	return eki_job_program(job, "hash_rows", text, eki_cl_hash_rows);
}

ek_status eki_hash_launch_class(const eki_hash_work *w, int class, int64_t first, int64_t count,
                                int64_t stride, bool compact)
{
	static const char *const kernel[] = {[EKI_HASH_COUNT] = "count_rows",
	                                     [EKI_HASH_MAKE] = "make_rows",
	                                     [EKI_HASH_VALUES] = "value_rows"};
	eki_arg args[EKI_PRODUCT_ARGS + 16];
	int n = eki_gpu_product_args(w->step, w->run, args);
	eki_hash_size size;

	EK_RETURN_IF(use_class(w->job, w->step, w->h, class, &size));
	args[n++] = eki_arg_i32(w->step->in[2] != NULL);
	args[n++] = eki_arg_i64(first);
	args[n++] = eki_arg_i64(count);
	args[n++] = eki_arg_i64(stride);
	args[n++] = eki_arg_buffer(w->list->row);
	args[n++] = eki_arg_buffer(w->h->start);
	if (w->kind == EKI_HASH_COUNT) {
		args[n++] = eki_arg_buffer(w->length);
		args[n++] = eki_arg_i32(compact);
	} else {
		args[n++] = eki_arg_buffer(w->at);
		args[n++] = eki_arg_i64(w->begin);
		args[n++] = eki_arg_buffer(w->col);
		args[n++] = eki_arg_buffer(w->val);
	}
	if (w->kind == EKI_HASH_MAKE) {
		args[n++] = eki_arg_buffer(w->length ? w->length : w->at);
		args[n++] = eki_arg_i32(w->length != NULL);
	}
	return eki_job_launch(w->job, kernel[w->kind], eki_groups(count, size.group / size.team),
	                      size.group, args, n);
}

#endif
