/* SPDX-License-Identifier: BSD-3-Clause
 * Classes of rows of C for "spgemm.csr.hash.gpu". Rows are sorted by class on the device, by
 * counting, and in each class they stay in order, so neighbouring groups read neighbouring rows of
 * A. The host reads only where the classes begin.
 *
 * Rows of a class differ by a factor of two in their bounds (on GPUs) or, if these are small
 * enough, in the columns they span. A sample has the same number of rows of each class that has as
 * many, so the few long rows count. */
#include <stdio.h>
#include <string.h>

#include "prim_gpu/arrays.h"
#include "spgemm_gpu/hash.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_hash_classes, "spgemm_gpu/hash_classes.cl");

enum {
	WG = 256,
	EACH = 8, /* entries that a work-item copies to C */
	LEAST_SLOTS = 32,
	SHARE = 16,        /* slots of a table for each work-item */
	TEAM_MOST = 256,   /* work-items of a row */
	GROUP_MOST = 128,  /* work-items of a group that computes several rows */
	GROUP_LEAST = 32,  /* the same with little local memory */
	SLOTS_MOST = 8192, /* slots of the largest table */
	SAMPLE = 64,       /* rows of a class that are counted to estimate nnz(C), at least */
	PIECES_SAMPLE = 8  /* the same for rows beyond all tables */
};

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* Returns the bytes of local memory that a work-item needs besides tables: descriptions of lists,
 * sums of their lengths, turns, a column, and numbers of entries. */
static int64_t item_bytes(const eki_step *step)
{
	const ek_store *A = step->in[0];

	return 2 * (int64_t)eki_ptr_size(A->index) + (int64_t)ek_value_size(A->value) + 20 +
	       (int64_t)eki_idx_size(A->index) + 4;
}

static int64_t slot_bytes(const eki_step *step)
{
	return 4 + (int64_t)ek_value_size(step->in[0]->value);
}

/* Returns how many columns have room for sums, bits and counts of bits in `bytes` bytes. */
static int columns_in(const eki_step *step, int64_t bytes, int team)
{
	const int64_t size = (int64_t)ek_value_size(step->in[0]->value);
	const int64_t words = bytes / (32 * size + 8);

	return 32 * (int)(words < team ? words : team);
}

/* Adds a size whose tables have `slots` slots, if the device has the local memory. */
static bool add_size(const eki_step *step, int64_t local, int slots, int team, eki_hash_rows *h)
{
	const int64_t table = slots * slot_bytes(step);
	int group = team > GROUP_MOST ? team : GROUP_MOST;

	while (group > team && group > GROUP_LEAST &&
	       group / team * table + group * item_bytes(step) > local)
		group /= 2;
	if (group / team * table + group * item_bytes(step) > local)
		return false;
	h->size[h->sizes++] = (eki_hash_size){.slots = slots,
	                                      .columns = columns_in(step, table, team),
	                                      .team = team,
	                                      .group = group};
	return true;
}

/* Returns the largest number of work-items of a group to which local memory leaves SHARE / 2 slots
 * or more each. */
static int largest_team(const eki_step *step, int64_t local)
{
	int team = TEAM_MOST;

	while (team > GROUP_LEAST &&
	       local < team * (item_bytes(step) + SHARE / 2 * slot_bytes(step)))
		team /= 2;
	return team;
}

void eki_hash_sizes(const eki_step *step, int64_t local, eki_hash_rows *h)
{
	const ek_store *A = step->in[0], *B = step->in[1];
	const int team = largest_team(step, local);
	const int64_t left = local - team * item_bytes(step) - 64;
	const int64_t most = left / slot_bytes(step) / 32 * 32;
	const int slots = most < SLOTS_MOST ? (int)most : SLOTS_MOST;
	const bool gpu = strcmp(step->ctx->device->info.kind, "gpu") == 0;
	/* On processors all tables are in the same caches, and programs take long to compile. */
	const int ratio = gpu ? 2 : 64;
	const int64_t count = 8 * (local - team * (item_bytes(step) + 8)) / 32 * 32;

	h->lanes = eki_gpu_lanes(B->rows, B->nnz, 4, 32);
	h->row_lanes = eki_gpu_lanes(A->rows, A->nnz, 1, 32);
	for (int s = LEAST_SLOTS; h->sizes < EKI_HASH_SIZES - 1 && s < slots; s *= ratio)
		if (!add_size(step, local, s, s / SHARE > h->lanes ? s / SHARE : h->lanes, h))
			break;
	if (h->sizes == 0 || slots > h->size[h->sizes - 1].slots)
		add_size(step, local, slots, team, h);
	h->classes = 4 + 4 * h->sizes;
	h->pieces = (eki_hash_size){
		.columns = columns_in(step, left, team), .team = team, .group = team};
	h->pieces_count = (int)(count < 1 << 20 ? count : 1 << 20);
}

/* ---- Programs -------------------------------------------------------------------------------- */

/* Writes numbers of all sizes, separated by commas. */
static size_t list_numbers(const eki_hash_rows *h, const char *name, int which, char *text,
                           size_t size)
{
	size_t used = (size_t)snprintf(text, size, "#define %s ", name);

	for (int k = 0; k < h->sizes; k++) {
		const eki_hash_size *s = &h->size[k];
		const int number[] = {s->slots - s->slots / 4, s->columns, s->team};

		used += (size_t)snprintf(text + used, size - used, "%s%d", k ? ", " : "",
		                         number[which]);
	}
	return used + (size_t)snprintf(text + used, size - used, "\n");
}

static ek_status use_classes(eki_job *job, const eki_step *step, const eki_hash_rows *h, int lanes)
{
	char text[1024];
	size_t used;

	eki_gpu_product_types(step, text, sizeof text);
	used = strlen(text);
	used += (size_t)snprintf(text + used, sizeof text - used,
	                         "#define EK_WG %d\n#define LANES %d\n#define EACH %d\n"
	                         "#define SIZES %d\n#define PIECES_TEAM %d\n",
	                         WG, lanes, EACH, h->sizes, h->pieces.team);
	used += list_numbers(h, "CAPACITY", 0, text + used, sizeof text - used);
	used += list_numbers(h, "COLUMNS", 1, text + used, sizeof text - used);
	list_numbers(h, "TEAMS", 2, text + used, sizeof text - used);
	return eki_job_program(job, "hash_classes", text, eki_cl_hash_classes);
}

/* ---- Classes --------------------------------------------------------------------------------- */

ek_status eki_hash_shapes(eki_job *job, const eki_step *step, const eki_hash_rows *h,
                          const eki_buffer *bound)
{
	eki_arg args[EKI_PRODUCT_ARGS + 5];
	int count = eki_gpu_product_args(step, &(eki_run){0}, args);

	EK_RETURN_IF(use_classes(job, step, h, h->row_lanes));
	args[count++] = eki_arg_i32(step->in[2] != NULL);
	args[count++] = eki_arg_buffer(bound);
	args[count++] = eki_arg_buffer(h->start);
	args[count++] = eki_arg_buffer(h->span);
	args[count++] = eki_arg_buffer(h->mean);
	return eki_job_launch(job, "row_shapes",
	                      eki_groups(step->in[0]->rows + 1, WG / h->row_lanes), WG, args,
	                      count);
}

int64_t eki_hash_classify_bytes(const eki_hash_rows *h, int64_t rows)
{
	const int64_t places = h->classes * eki_groups(rows, WG) + 1;

	return 8 * (places + places / 1024 + 64 + h->classes + 1);
}

ek_status eki_hash_classify(eki_job *job, const eki_step *step, const eki_hash_rows *h,
                            const eki_buffer *bound, const eki_buffer *at, int64_t begin,
                            int64_t end, eki_hash_list *list)
{
	const int64_t groups = eki_groups(end - begin, WG);
	eki_buffer *place = NULL, *first = NULL;
	ek_status status;

	memset(list->first, 0, sizeof list->first);
	if (groups == 0)
		return EK_OK;
	EK_TRY(eki_job_buffer(job, h->classes * groups + 1, sizeof(int64_t), &place));
	EK_TRY(eki_job_buffer(job, h->classes + 1, sizeof(int64_t), &first));
	eki_arg args[] = {
		eki_arg_i64(begin),  eki_arg_i64(end),        eki_arg_buffer(at ? at : bound),
		eki_arg_i32(!at),    eki_arg_buffer(h->span), eki_arg_buffer(h->mean),
		eki_arg_i64(groups), eki_arg_buffer(place),   eki_arg_buffer(list->row)};
	const eki_arg begin_args[] = {eki_arg_i64(groups), eki_arg_buffer(place),
	                              eki_arg_buffer(first)};

	EK_TRY(use_classes(job, step, h, h->lanes));
	EK_TRY(eki_job_launch(job, "class_count", groups, WG, args, EKI_COUNT(args) - 1));
	EK_TRY(eki_gpu_scan(job, EK_INT64, EK_SUM, EK_EXCLUSIVE, h->classes * groups + 1, place,
	                    place));
	EK_TRY(use_classes(job, step, h, h->lanes));
	EK_TRY(eki_job_launch(job, "class_place", groups, WG, args, EKI_COUNT(args)));
	EK_TRY(eki_job_launch(job, "class_begin", 1, WG, begin_args, EKI_COUNT(begin_args)));
	EK_TRY(eki_buffer_read(job->device, first, list->first,
	                       (h->classes + 1) * (int64_t)sizeof *list->first));
	for (int c = 0; c <= h->classes; c++)
		list->first[c] += begin;
done:
	eki_job_drop(job, first);
	eki_job_drop(job, place);
	return status;
}

/* ---- Launches -------------------------------------------------------------------------------- */

/* Puts the launch for all rows that are copies into the queue. */
static ek_status launch_copies(const eki_hash_work *w)
{
	const int64_t *first = w->list->first + EKI_HASH_COPY, count = first[1] - first[0];
	eki_arg args[EKI_PRODUCT_ARGS + 16];
	int n = eki_gpu_product_args(w->step, w->run, args);

	if (count == 0 || w->kind == EKI_HASH_COUNT)
		return EK_OK;
	EK_RETURN_IF(use_classes(w->job, w->step, w->h, w->h->lanes));
	args[n++] = eki_arg_i64(first[0]);
	args[n++] = eki_arg_i64(count);
	args[n++] = eki_arg_buffer(w->list->row);
	args[n++] = eki_arg_buffer(w->at);
	args[n++] = eki_arg_i64(w->begin);
	args[n++] = eki_arg_buffer(w->col);
	args[n++] = eki_arg_buffer(w->val);
	args[n++] = eki_arg_buffer(w->length ? w->length : w->at);
	args[n++] = eki_arg_i32(w->length != NULL);
	args[n++] = eki_arg_i32(w->kind == EKI_HASH_MAKE);
	return eki_job_launch(w->job, "copy_rows", eki_groups(count, WG / w->h->lanes), WG, args,
	                      n);
}

ek_status eki_hash_launch(const eki_hash_work *w)
{
	const int64_t *first = w->list->first;

	/* The longest rows go first, so that no group is left with one at the end. */
	for (int class = w->h->classes - 1; class >= EKI_HASH_TABLE; class --)
		if (first[class] < first[class + 1])
			EK_RETURN_IF(eki_hash_launch_class(
				w, class, first[class], first[class + 1] - first[class], 1, false));
	return launch_copies(w);
}

ek_status eki_hash_arrange(const eki_hash_work *w, int64_t nnz, const eki_buffer *from_col,
                           const eki_buffer *from_val)
{
	const eki_arg args[] = {eki_arg_i64(w->step->in[0]->rows),
	                        eki_arg_buffer(w->h->temporary_at),
	                        eki_arg_buffer(w->at),
	                        eki_arg_buffer(from_col),
	                        eki_arg_buffer(from_val),
	                        eki_arg_buffer(w->col),
	                        eki_arg_buffer(w->val)};

	EK_RETURN_IF(use_classes(w->job, w->step, w->h, w->h->lanes));
	return eki_job_launch(w->job, "arrange", eki_groups(nnz, WG * EACH), WG, args,
	                      EKI_COUNT(args));
}

/* ---- The sample ------------------------------------------------------------------------------ */

/* Counts the sample of a class. Adds the bounds and the entries that all its rows then have. */
static ek_status sample_class(const eki_hash_work *w, int class, const eki_buffer *bound,
                              double sum[2])
{
	enum { MOST = 2 * SAMPLE };
	const int64_t *first = w->list->first + class, rows = first[1] - first[0];
	const int64_t stride = rows / (class >= w->h->classes - 2 ? PIECES_SAMPLE : SAMPLE);
	const int64_t step = stride > 1 ? stride : 1, count = eki_groups(rows, step);
	const eki_arg args[] = {eki_arg_i64(first[0]), eki_arg_i64(count),
	                        eki_arg_i64(step),     eki_arg_buffer(w->list->row),
	                        eki_arg_buffer(bound), eki_arg_buffer(w->length)};
	int64_t number[MOST];

	for (int k = 0; k < 2; k++) {
		double total = 0;

		if (k == 0 || class == EKI_HASH_COPY) {
			EK_RETURN_IF(use_classes(w->job, w->step, w->h, w->h->lanes));
			EK_RETURN_IF(eki_job_launch(w->job, "sample_bounds", eki_groups(count, WG),
			                            WG, args, EKI_COUNT(args)));
		} else {
			EK_RETURN_IF(eki_hash_launch_class(w, class, first[0], count, step, true));
		}
		EK_RETURN_IF(eki_buffer_read(w->job->device, w->length, number,
		                             count * (int64_t)sizeof *number));
		for (int64_t i = 0; i < count; i++)
			total += (double)number[i];
		sum[k] += total / (double)count * (double)rows;
	}
	return EK_OK;
}

ek_status eki_hash_sample(eki_job *job, const eki_step *step, eki_hash_rows *h,
                          const eki_buffer *bound)
{
	const int64_t *first = h->by_bound.first;
	const eki_run run = {.width = 1}; /* values are not read */
	eki_hash_work w = {.job = job,
	                   .step = step,
	                   .run = &run,
	                   .h = h,
	                   .list = &h->by_bound,
	                   .kind = EKI_HASH_COUNT};
	double sum[2] = {0, 0};
	eki_buffer *length = NULL;
	ek_status status;

	EK_TRY(eki_job_buffer(job, 2 * SAMPLE, sizeof(int64_t), &length));
	w.length = length;
	for (int class = EKI_HASH_COPY; class < h->classes; class ++)
		if (first[class] < first[class + 1])
			EK_TRY(sample_class(&w, class, bound, sum));
	h->compression = sum[1] > 0 ? sum[0] / sum[1] : 1;
done:
	eki_job_drop(job, length);
	return status;
}

#endif
