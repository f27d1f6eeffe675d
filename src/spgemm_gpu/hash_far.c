/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of C that fit no table and have columns in many windows, for "spgemm.csr.hash.gpu". One
 * group that took the windows of such a row one after the other would search all lists of the row
 * for each: for a row of a graph whose node has 10^5 neighbours, this takes longer than all other
 * rows together. So each window is the work of a group (hash_far.cl).
 *
 * A new row is made in three launches: one counts its entries in chunks, which are windows without
 * sums, another one writes their columns, and the last one adds values up in windows. A group finds
 * the place of its window in the row by a search in the columns, as it does where columns are
 * known, so no window has a number in memory. Counting alone is the work of one group for each
 * row (hash_rows.cl), since chunks are few.
 *
 * The host waits for the numbers of windows and chunks, which are numbers of groups. */
#include "prim_gpu/arrays.h"
#include "spgemm_gpu/hash.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_hash_far, "spgemm_gpu/hash_far.cl");

/* Windows and chunks of `count` rows of a list. */
typedef struct units {
	int64_t first, count;
	eki_buffer *at; /* unit[] in hash_far.cl */
	int64_t windows, chunks;
	int group;
} units;

static int64_t numbers(int64_t rows)
{
	return 2 * (rows + 1);
}

static ek_status read_number(eki_job *job, const eki_buffer *from, int64_t k, int64_t *to)
{
	return eki_buffer_read_part(job->device, from, k * (int64_t)sizeof *to, to, sizeof *to);
}

/* Counts the windows and chunks of rows u->first, ... of a list. The caller drops u->at. */
static ek_status find_units(eki_job *job, const eki_step *step, const eki_hash_rows *h,
                            const eki_hash_list *list, units *u)
{
	const int64_t n = numbers(u->count);

	EK_RETURN_IF(eki_job_buffer(job, n, sizeof(int64_t), &u->at));
	const eki_arg args[] = {eki_arg_i64(u->first), eki_arg_i64(u->count),
	                        eki_arg_buffer(list->row), eki_arg_buffer(h->span),
	                        eki_arg_buffer(u->at)};

	EK_RETURN_IF(eki_hash_program(job, step, h, eki_hash_far(h), &u->group));
	EK_RETURN_IF(eki_job_launch(job, "far_units", eki_groups(u->count + 1, u->group), u->group,
	                            args, EKI_COUNT(args)));
	EK_RETURN_IF(eki_gpu_scan(job, EK_INT64, EK_SUM, EK_EXCLUSIVE, n, u->at, u->at));
	EK_RETURN_IF(read_number(job, u->at, u->count, &u->windows));
	EK_RETURN_IF(read_number(job, u->at, n - 1, &u->chunks));
	u->chunks -= u->windows;
	return EK_OK;
}

ek_status eki_hash_count_chunks(eki_job *job, const eki_step *step, eki_hash_rows *h)
{
	const int64_t *first = h->by_bound.first + eki_hash_far(h);
	units u = {.first = first[0], .count = first[1] - first[0]};
	ek_status status = EK_OK;

	if (u.count > 0)
		status = find_units(job, step, h, &h->by_bound, &u);
	h->chunks = u.chunks;
	eki_job_drop(job, u.at);
	return status;
}

int64_t eki_hash_far_bytes(const eki_hash_rows *h)
{
	const int64_t *first = h->by_bound.first + eki_hash_far(h);
	const int64_t all = numbers(first[1] - first[0]) + h->chunks + 1;

	return first[0] < first[1] ? 8 * (all + all / 1024 + 64) : 0;
}

/* Stores the arguments that all kernels have. Returns their number. */
static int common_args(const eki_hash_work *w, const units *u, eki_arg *args)
{
	int n = eki_gpu_product_args(w->step, w->run, args);

	args[n++] = eki_arg_i64(u->first);
	args[n++] = eki_arg_i64(u->count);
	args[n++] = eki_arg_buffer(w->list->row);
	args[n++] = eki_arg_buffer(w->h->start);
	args[n++] = eki_arg_buffer(w->h->span);
	args[n++] = eki_arg_buffer(u->at);
	return n;
}

/* Writes the columns of the rows, and their lengths where these are wanted. */
static ek_status make_columns(const eki_hash_work *w, const units *u)
{
	const int class = eki_hash_far(w->h);
	const eki_arg table = eki_arg_local(eki_hash_table_bytes(w, class, false));
	eki_arg args[EKI_PRODUCT_ARGS + 13];
	int n = common_args(w, u, args), group;
	eki_buffer *found = NULL;
	ek_status status;

	EK_TRY(eki_job_buffer(w->job, u->chunks + 1, sizeof(int64_t), &found));
	args[n++] = eki_arg_buffer(found);
	args[n] = table;
	EK_TRY(eki_job_launch(w->job, "far_count", u->chunks, u->group, args, n + 1));
	EK_TRY(eki_gpu_scan(w->job, EK_INT64, EK_SUM, EK_EXCLUSIVE, u->chunks + 1, found, found));
	EK_TRY(eki_hash_program(w->job, w->step, w->h, class, &group));
	args[n++] = eki_arg_buffer(w->at);
	args[n++] = eki_arg_i64(w->begin);
	args[n++] = eki_arg_buffer(w->col);
	args[n++] = eki_arg_buffer(w->length ? w->length : w->at);
	args[n++] = eki_arg_i32(w->length != NULL);
	args[n++] = table;
	status = eki_job_launch(w->job, "far_columns", u->chunks, u->group, args, n);
done:
	eki_job_drop(w->job, found);
	return status;
}

static ek_status make_values(const eki_hash_work *w, const units *u)
{
	eki_arg args[EKI_PRODUCT_ARGS + 13];
	int n = common_args(w, u, args);

	args[n++] = eki_arg_buffer(w->at);
	args[n++] = eki_arg_i64(w->begin);
	args[n++] = eki_arg_buffer(w->col);
	args[n++] = eki_arg_buffer(w->val);
	args[n++] = eki_arg_buffer(w->length ? w->length : w->at);
	args[n++] = eki_arg_i32(w->length != NULL);
	args[n++] = eki_arg_local(eki_hash_table_bytes(w, eki_hash_far(w->h), true));
	return eki_job_launch(w->job, "far_values", u->windows, u->group, args, n);
}

ek_status eki_hash_launch_far(const eki_hash_work *w)
{
	const int class = eki_hash_far(w->h);
	units u = {.first = w->from[class], .count = w->to[class] - w->from[class]};
	ek_status status;

	EK_TRY(find_units(w->job, w->step, w->h, w->list, &u));
	EK_TRY(eki_hash_program(w->job, w->step, w->h, class, &u.group));
	if (w->kind == EKI_HASH_MAKE)
		EK_TRY(make_columns(w, &u));
	status = make_values(w, &u);
done:
	eki_job_drop(w->job, u.at);
	return status;
}

#endif
