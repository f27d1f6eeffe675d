/* SPDX-License-Identifier: BSD-3-Clause
 * Batch k-selection on a device by digits of 8 bits. Each pass counts the next digit of the entries
 * that have the digits found so far; the sums of the counts tell the next digit of the k-th
 * smallest. Groups count pieces of a list, so that few long lists fill the device, too, and a group
 * for each list adds up their counts. If the k smallest are wanted, the entries that are less than
 * the k-th are counted and copied in order, then copies of the k-th follow.
 *
 * Counters in local memory are added to by atomic operations on integers, so the result is the same
 * in every run. No input makes it slow, but entries with equal digits wait for each other.
 *
 * Cost: one read of all lists for each byte of a number, and two more for the k smallest. Alabi,
 * Blanchard, Gordon and Steinbach 2012; Knuth 1998, section 5.2.5, for digits. */
#include <string.h>

#include "prim_gpu/arrays.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_kselect_radix, "prim_gpu/kselect_radix.cl");

/* A list has at most PIECES pieces, and each piece has at least PIECE entries. */
enum { WG = 256, DIGITS = 256, DIGIT_BITS = 8, PIECE = 16384, PIECES = 256 };

/* One call: its arrays on the device, the pieces of a list and their length. */
typedef struct select {
	eki_job *job;
	const eki_array *a;
	eki_buffer in, kth, smallest, *known, *left;
	int64_t pieces, length;
	int bits;
} select;

static ek_status use_program(const select *s)
{
	char defines[EKI_GPU_WORDS];

	eki_gpu_pairs(s->a->type, 0, defines, sizeof defines);
	strcat(defines, s->bits == 64 ? "#define WIDE\n" : "");
	strcat(defines, "#define VAL ek_i64\n#define OP(a, b) ((a) + (b))\n");
	eki_gpu_word(defines, "BITS", s->bits);
	eki_gpu_word(defines, "EK_WG", WG);
	return eki_job_program(s->job, "kselect_radix", defines, eki_cl_kselect_radix);
}

/* Finds the k-th smallest of each list, digit by digit. */
static ek_status find(const select *s)
{
	const eki_array *a = s->a;
	const int64_t groups = eki_times(s->pieces, a->lists);
	eki_buffer *counts;

	EK_RETURN_IF(eki_job_buffer(s->job, eki_times(groups, DIGITS), sizeof(int32_t), &counts));
	for (int shift = s->bits - DIGIT_BITS; shift >= 0; shift -= DIGIT_BITS) {
		const int first = shift == s->bits - DIGIT_BITS;
		const eki_arg count[] = {eki_arg_i64(a->n),        eki_arg_i64(s->pieces),
		                         eki_arg_i64(s->length),   eki_arg_i32(shift),
		                         eki_arg_i32(first),       eki_arg_buffer(&s->in),
		                         eki_arg_buffer(s->known), eki_arg_buffer(counts)};
		const eki_arg choose[] = {eki_arg_i64(a->k),      eki_arg_i64(s->pieces),
		                          eki_arg_i32(shift),     eki_arg_i32(first),
		                          eki_arg_buffer(counts), eki_arg_buffer(s->known),
		                          eki_arg_buffer(s->left)};

		EK_RETURN_IF(eki_job_launch(s->job, "count_digits", groups, WG, count,
		                            EKI_COUNT(count)));
		EK_RETURN_IF(eki_job_launch(s->job, "choose_digit", a->lists, WG, choose,
		                            EKI_COUNT(choose)));
	}
	const eki_arg write[] = {eki_arg_i64(a->lists), eki_arg_buffer(s->known),
	                         eki_arg_buffer(&s->kth)};

	return eki_job_launch(s->job, "write_kth", eki_groups(a->lists, WG), WG, write,
	                      EKI_COUNT(write));
}

/* Copies the k smallest of each list. */
static ek_status gather(const select *s)
{
	const eki_array *a = s->a;
	const int64_t groups = eki_times(s->pieces, a->lists), per = eki_groups(a->k, WG);
	eki_buffer *less;

	EK_RETURN_IF(eki_job_buffer(s->job, groups, sizeof(int64_t), &less));
	const eki_arg count[] = {eki_arg_i64(a->n),        eki_arg_i64(s->pieces),
	                         eki_arg_i64(s->length),   eki_arg_buffer(&s->in),
	                         eki_arg_buffer(s->known), eki_arg_buffer(less)};
	const eki_arg copy[] = {eki_arg_i64(a->n),      eki_arg_i64(a->k),
	                        eki_arg_i64(s->pieces), eki_arg_i64(s->length),
	                        eki_arg_buffer(&s->in), eki_arg_buffer(s->known),
	                        eki_arg_buffer(less),   eki_arg_buffer(&s->smallest)};
	const eki_arg fill[] = {eki_arg_i64(a->k), eki_arg_i64(per), eki_arg_buffer(s->known),
	                        eki_arg_buffer(s->left), eki_arg_buffer(&s->smallest)};

	EK_RETURN_IF(eki_job_launch(s->job, "count_less", groups, WG, count, EKI_COUNT(count)));
	EK_RETURN_IF(eki_gpu_scan(s->job, EK_INT64, EK_SUM, EK_EXCLUSIVE, groups, less, less));
	EK_RETURN_IF(use_program(s));
	EK_RETURN_IF(eki_job_launch(s->job, "copy_less", groups, WG, copy, EKI_COUNT(copy)));
	return eki_job_launch(s->job, "copy_equal", eki_times(per, a->lists), WG, fill,
	                      EKI_COUNT(fill));
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	const int64_t size = (int64_t)ek_value_size(a->type), most = eki_groups(a->n, PIECE);
	eki_gpu_arrays on;
	select s = {.job = &on.job, .a = a, .bits = 8 * (int)size};
	ek_status status;

	s.pieces = most < PIECES ? most : PIECES;
	s.length = eki_groups(a->n, s.pieces);
	eki_gpu_arrays_begin(step, a, &on);
	EK_TRY(use_program(&s));
	EK_TRY(eki_gpu_array_in(&on, a->in, a->lists * a->n * size, &s.in));
	EK_TRY(eki_gpu_array_out(&on, a->out, a->lists * size, &s.kth));
	if (a->smallest)
		EK_TRY(eki_gpu_array_out(&on, a->smallest, a->lists * a->k * size, &s.smallest));
	EK_TRY(eki_job_buffer(&on.job, a->lists, (size_t)size, &s.known));
	EK_TRY(eki_job_buffer(&on.job, a->lists, sizeof(int64_t), &s.left));
	EK_TRY(find(&s));
	if (a->smallest)
		status = gather(&s);
done:
	return eki_gpu_arrays_end(&on, status);
}

static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	const double size = (double)ek_value_size(a->type);

	return eki_gpu_cost(f,
	                    (double)a->lists * (double)a->n * size * (size + (a->smallest ? 2 : 0)),
	                    2 * (int)size + 1);
}

const ek_method ek_kselect_gpu_radix = {
	.name = "kselect.radix.gpu",
	.text = "the k-th smallest digit by digit, on a device",
	.source = "Alabi, Blanchard, Gordon, Steinbach 2012",
	.operation = EK_KSELECT,
	.backend = EKI_GPU,
	.cost = cost,
	.run = run,
};

#endif
