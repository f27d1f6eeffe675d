/* SPDX-License-Identifier: BSD-3-Clause
 * Classes of rows of C for "spgemm.csr.hash.gpu". Rows are sorted by class on the device, by
 * counting, and in each class they stay in order, so neighbouring groups read neighbouring rows of
 * A. The host reads only where the classes begin.
 *
 * The tables of a class are four times as large as those of the class before, and their groups have
 * twice the work-items, up to GROUP_MOST: so the multiprocessors of a GPU have a similar number of
 * work-items in each class but the last ones. The last tables take all memory that a group may
 * have, so that few rows have to be computed window by window. A row uses only as much of its
 * table as it needs. A sample has the same number of rows of each class that has as many, so the
 * few long rows count. */
#include <stdio.h>
#include <string.h>

#include "prim_gpu/arrays.h"
#include "spgemm_gpu/hash.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_hash_classes, "spgemm_gpu/hash_classes.cl");

enum {
	WG = 256,
	EACH = 8,          /* entries that a work-item copies to C */
	SLOTS_LEAST = 128, /* slots of the smallest table */
	RATIO = 4,         /* slots of a table for each of those of the next smaller one */
	GROUP_LEAST = 32,  /* work-items for the smallest table */
	GROUP_MOST = 256,  /* the same for the largest */
	CPU_GROUP_MOST = 128,
	COUNT_MOST = 1 << 20, /* columns of a window in which they are counted */
	SAMPLE = 64,          /* rows of a class that are counted to estimate nnz(C), at least */
	LARGE_SAMPLE = 8      /* the same for rows in the largest windows */
};

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* Returns the bytes of local memory that the work-items of a group need besides tables. */
static int64_t item_bytes(const eki_step *step, int group)
{
	const int64_t size = (int64_t)ek_value_size(step->in[0]->value);

	return group * (2 * 8 + 2 * size + 4 + group / 8) + 64;
}

static int64_t slot_bytes(const eki_step *step)
{
	return 4 + (int64_t)ek_value_size(step->in[0]->value);
}

/* Adds a size with `slots` slots. A window has as many columns as have room for sums and bits in
 * the same memory, and a bit for each work-item's word. */
static void add_size(const eki_step *step, int64_t slots, int group, eki_hash_rows *h)
{
	const int64_t bytes = slots * slot_bytes(step);
	const int64_t words = bytes / (32 * (int64_t)ek_value_size(step->in[0]->value) + 4);
	const int64_t count = bytes / 4 * 32;

	h->size[h->sizes++] =
		(eki_hash_size){.slots = (int)slots,
	                        .columns = 32 * (int)(words < group ? words : group),
	                        .count_columns = (int)(count < COUNT_MOST ? count : COUNT_MOST),
	                        .group = group};
}

void eki_hash_sizes(const eki_step *step, int64_t local, eki_hash_rows *h)
{
	const ek_store *A = step->in[0], *B = step->in[1];
	const bool gpu = strcmp(step->ctx->device->info.kind, "gpu") == 0;
	int most = gpu ? GROUP_MOST : CPU_GROUP_MOST, group = GROUP_LEAST;
	int64_t slots;

	while (most > GROUP_LEAST && 3 * item_bytes(step, most) > local)
		most /= 2;
	slots = (local - item_bytes(step, most)) / slot_bytes(step);
	/* On processors all tables are in the same caches, and programs take long to compile. */
	for (int64_t s = SLOTS_LEAST; gpu && h->sizes < EKI_HASH_SIZES - 1 && s <= slots / 2;
	     s *= RATIO) {
		if (s * slot_bytes(step) + item_bytes(step, group) <= local)
			add_size(step, s, group, h);
		if (group < most)
			group *= 2;
	}
	add_size(step, slots, most, h);
	h->lanes = eki_gpu_lanes(B->rows, B->nnz, 4, 32);
	/* Two numbers, so that few programs serve all matrices. */
	h->row_lanes = eki_gpu_lanes(A->rows, A->nnz, 1, 32) > 8 ? 32 : 4;
	h->classes = EKI_HASH_TABLE + 2 * h->sizes + 1;
}

/* ---- Programs -------------------------------------------------------------------------------- */

/* Writes the capacities of all hash tables, or the columns of all windows, separated by commas. */
static size_t list_numbers(const eki_hash_rows *h, const char *name, bool columns, char *text,
                           size_t size)
{
	size_t used = (size_t)snprintf(text, size, "#define %s ", name);

	for (int k = 0; k < h->sizes; k++) {
		const eki_hash_size *s = &h->size[k];

		used += (size_t)snprintf(text + used, size - used, "%s%d", k ? ", " : "",
		                         columns ? s->columns : s->slots - s->slots / 4);
	}
	return used + (size_t)snprintf(text + used, size - used, "\n");
}

static ek_status use_classes(eki_job *job, const eki_step *step, const eki_hash_rows *h)
{
	char text[1024];
	size_t used;

	eki_gpu_product_types(step, text, sizeof text);
	used = strlen(text);
	used += (size_t)snprintf(
		text + used, sizeof text - used,
		"#define EK_WG %d\n#define LANES %d\n#define EACH %d\n#define SIZES %d\n", WG,
		h->row_lanes, EACH, h->sizes);
	used += list_numbers(h, "CAPACITY", false, text + used, sizeof text - used);
	list_numbers(h, "COLUMNS", true, text + used, sizeof text - used);
	return eki_job_program(job, "hash_classes", text, eki_cl_hash_classes);
}

/* ---- Classes --------------------------------------------------------------------------------- */

ek_status eki_hash_shapes(eki_job *job, const eki_step *step, const eki_hash_rows *h,
                          const eki_buffer *bound)
{
	eki_arg args[EKI_PRODUCT_ARGS + 3];
	int count = eki_gpu_product_args(step, &(eki_run){0}, args);

	EK_RETURN_IF(use_classes(job, step, h));
	args[count++] = eki_arg_buffer(bound);
	args[count++] = eki_arg_buffer(h->start);
	args[count++] = eki_arg_buffer(h->span);
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
		eki_arg_i64(begin),    eki_arg_i64(end),         eki_arg_buffer(at ? at : bound),
		eki_arg_i32(!at),      eki_arg_buffer(h->span),  eki_arg_i64(groups),
		eki_arg_buffer(place), eki_arg_buffer(list->row)};
	const eki_arg begin_args[] = {eki_arg_i64(groups), eki_arg_buffer(place),
	                              eki_arg_buffer(first)};

	EK_TRY(use_classes(job, step, h));
	EK_TRY(eki_job_launch(job, "class_count", groups, WG, args, EKI_COUNT(args) - 1));
	EK_TRY(eki_gpu_scan(job, EK_INT64, EK_SUM, EK_EXCLUSIVE, h->classes * groups + 1, place,
	                    place));
	EK_TRY(use_classes(job, step, h));
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

ek_status eki_hash_cut(eki_job *job, const eki_step *step, const eki_hash_rows *h,
                       const eki_hash_list *list, const int64_t *row, int n,
                       int64_t (*cut)[EKI_HASH_CLASSES])
{
	int64_t in[EKI_HASH_PIECES + EKI_HASH_CLASSES + 1], out[EKI_HASH_PIECES * EKI_HASH_CLASSES];
	const int count = n + h->classes + 1;
	eki_buffer *asked = NULL, *found = NULL;
	ek_status status;

	memcpy(in, row, (size_t)n * sizeof *in);
	memcpy(in + n, list->first, (size_t)(h->classes + 1) * sizeof *in);
	EK_TRY(eki_job_buffer(job, count, sizeof *in, &asked));
	EK_TRY(eki_job_buffer(job, n * h->classes, sizeof *out, &found));
	EK_TRY(eki_buffer_write(job->device, asked, in, count * (int64_t)sizeof *in));
	const eki_arg args[] = {eki_arg_i32(n), eki_arg_buffer(asked), eki_arg_buffer(list->row),
	                        eki_arg_buffer(found)};

	EK_TRY(use_classes(job, step, h));
	EK_TRY(eki_job_launch(job, "class_cut", 1, WG, args, EKI_COUNT(args)));
	EK_TRY(eki_buffer_read(job->device, found, out, n * h->classes * (int64_t)sizeof *out));
	for (int k = 0; k < n; k++)
		memcpy(cut[k], out + k * h->classes, (size_t)h->classes * sizeof *out);
done:
	eki_job_drop(job, found);
	eki_job_drop(job, asked);
	return status;
}

/* ---- Launches -------------------------------------------------------------------------------- */

/* Puts the launch for rows that are copies into the queue. */
static ek_status launch_copies(const eki_hash_work *w)
{
	const int64_t first = w->from[EKI_HASH_COPY], count = w->to[EKI_HASH_COPY] - first;
	eki_arg args[EKI_PRODUCT_ARGS + 16];
	int n = eki_gpu_product_args(w->step, w->run, args);

	if (count == 0 || w->kind == EKI_HASH_COUNT)
		return EK_OK;
	EK_RETURN_IF(use_classes(w->job, w->step, w->h));
	args[n++] = eki_arg_i32(w->h->lanes);
	args[n++] = eki_arg_i64(first);
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

/* Puts the launches for the rows of a class that are not copies into the queue. */
static ek_status launch_rows(const eki_hash_work *w, int class)
{
	const int64_t first = w->from[class];

	return class == eki_hash_far(w->h) && w->kind != EKI_HASH_COUNT
	               ? eki_hash_launch_far(w)
	               : eki_hash_launch_class(w, class, first, w->to[class] - first, 1, false);
}

ek_status eki_hash_launch(const eki_hash_work *w)
{
	/* The longest rows go first, so that no group is left with one at the end. */
	for (int class = w->h->classes - 1; class >= EKI_HASH_TABLE; class --)
		if (w->from[class] < w->to[class])
			EK_RETURN_IF(launch_rows(w, class));
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

	EK_RETURN_IF(use_classes(w->job, w->step, w->h));
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
	const int64_t stride = rows / (class < w->h->classes - 2 ? SAMPLE : LARGE_SAMPLE);
	const int64_t step = stride > 1 ? stride : 1, count = eki_groups(rows, step);
	const eki_arg args[] = {eki_arg_i64(first[0]), eki_arg_i64(count),
	                        eki_arg_i64(step),     eki_arg_buffer(w->list->row),
	                        eki_arg_buffer(bound), eki_arg_buffer(w->length)};
	int64_t number[MOST];

	for (int k = 0; k < 2; k++) {
		double total = 0;

		if (k == 0 || class == EKI_HASH_COPY) {
			EK_RETURN_IF(use_classes(w->job, w->step, w->h));
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
	                   .kind = EKI_HASH_COUNT,
	                   .at = bound};
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
