/* SPDX-License-Identifier: BSD-3-Clause
 * SpGEMM by bins on a device: group 2, whose rows are copies of an entry, and stage 4, which copies
 * temporary rows to C: those of group 2 by a work-item each, all longer ones by a group each.
 * Liu 2015, section 9.4.2. */
#include "spgemm_gpu/csr_bins.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_bins_copy, "spgemm_gpu/bins_copy.cl");

/* Work-items of a group: for single entries, short rows, and rows that may be long. */
enum { WG_SINGLE = 256, WG_SHORT = 64, WG_LONG = 256 };

static ek_status use_program(eki_job *job, const eki_step *step, const eki_gpu_bins *s, int wg)
{
	char defines[256];

	eki_gpu_bin_defines(step, s, wg, 1, defines, sizeof defines);
	return eki_job_program(job, "bins_copy", defines, eki_cl_bins_copy);
}

ek_status eki_gpu_copy_program(eki_job *job, const eki_step *step, const eki_gpu_bins *s, int bin,
                               int *wg)
{
	(void)bin;
	*wg = WG_SINGLE;
	return use_program(job, step, s, *wg);
}

/* Adds the arguments for EK_ARRANGE_PARAMETERS. Returns the number of all arguments. */
static int to_c(const eki_gpu_bins_run *o, const eki_buffer *col, const eki_buffer *val,
                eki_arg *args, int count)
{
	args[count++] = eki_arg_buffer(col);
	args[count++] = eki_arg_buffer(val);
	args[count++] = eki_arg_buffer(o->p.at);
	args[count++] = eki_arg_buffer(&o->p.col);
	args[count++] = eki_arg_buffer(&o->p.val);
	return count;
}

ek_status eki_gpu_arrange(eki_gpu_bins_run *o)
{
	const int64_t *begin = o->s->bins.begin;
	const int64_t singles = begin[2] - begin[1], rows = o->s->merged - begin[2];
	eki_job *job = &o->p.job;
	eki_arg args[9] = {eki_arg_i64(begin[1]), eki_arg_i64(singles), eki_arg_buffer(o->s->row),
	                   eki_arg_buffer(o->at)};

	if (singles > 0) {
		EK_RETURN_IF(use_program(job, o->step, o->s, WG_SINGLE));
		EK_RETURN_IF(eki_job_launch(job, "arrange_single", eki_groups(singles, WG_SINGLE),
		                            WG_SINGLE, args, to_c(o, o->col, o->val, args, 4)));
	}
	if (rows == 0)
		return EK_OK;
	args[0] = eki_arg_i64(begin[2]);
	args[1] = eki_arg_buffer(o->s->row);
	args[2] = eki_arg_buffer(o->at);
	EK_RETURN_IF(use_program(job, o->step, o->s, WG_SHORT));
	return eki_job_launch(job, "arrange_rows", rows, WG_SHORT, args,
	                      to_c(o, o->col, o->val, args, 3));
}

ek_status eki_gpu_arrange_listed(eki_gpu_bins_run *o, const int64_t *item, int64_t count,
                                 const eki_buffer *list, const eki_gpu_block *from)
{
	eki_job *job = &o->p.job;
	eki_arg args[6] = {eki_arg_buffer(list)};

	if (count == 0)
		return EK_OK;
	EK_RETURN_IF(use_program(job, o->step, o->s, WG_LONG));
	EK_RETURN_IF(eki_buffer_write(job->device, list, item, 2 * count * (int64_t)sizeof *item));
	return eki_job_launch(job, "arrange_listed", count, WG_LONG, args,
	                      to_c(o, from->col, from->val, args, 1));
}

ek_status eki_gpu_move(eki_gpu_bins_run *o, const int64_t *item, int64_t count,
                       const eki_buffer *list, const eki_gpu_block *from, const eki_gpu_block *to)
{
	eki_job *job = &o->p.job;
	const eki_arg args[] = {eki_arg_buffer(list), eki_arg_buffer(from->col),
	                        eki_arg_buffer(from->val), eki_arg_buffer(to->col),
	                        eki_arg_buffer(to->val)};

	if (count == 0)
		return EK_OK;
	EK_RETURN_IF(use_program(job, o->step, o->s, WG_LONG));
	EK_RETURN_IF(eki_buffer_write(job->device, list, item, 3 * count * (int64_t)sizeof *item));
	return eki_job_launch(job, "move_rows", count, WG_LONG, args, EKI_COUNT(args));
}

#endif
