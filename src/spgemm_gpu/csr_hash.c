/* SPDX-License-Identifier: BSD-3-Clause
 * SpGEMM on CSR on a device, with rows in classes. Each row of C is computed in the local memory of
 * a group, whose work-items and memory follow from the size of the row:
 *
 *   one list        it is copied and scaled
 *   near columns    sums in a window of consecutive columns, and a bitmap of those with an entry.
 *                   The bitmap gives the columns in order
 *   other rows      sums in a hash table, whose entries are then sorted by column
 *   too long rows   windows one after the other, each from the first column that remains; or, if
 *                   they are many, each by a group of its own (hash_far.c)
 *
 * Preparation finds a bound on the entries of each row and its first and last column, and sorts the
 * rows into classes by these (hash_classes.c). How products are divided between work-items is said
 * at row_sums.cl: those of an entry are always added in the order of the lists, so C has the bits
 * that the processor's methods give.
 *
 * A new C is made in one phase or in two. In one phase rows go to temporary memory with room for
 * their bounds, and from there to C. In two phases, the first counts the entries of the rows, in
 * tables without sums; the second sorts the rows into classes again, by their entries, so that
 * tables are no larger than needed. Counting reads all lists of B once more and fills all tables
 * once more, while the way through temporary memory costs a copy of C. So there is one phase if an
 * estimate from a sample of each class says that bounds are at most LOOSE times the entries, or if
 * C is small; the temporary memory is then at most LOOSE times C, and the tables at most so much
 * too large. If the device runs out of memory in a run, two phases take the place of one, and
 * batches of rows the place of all of C.
 *
 * Ideas: rows in classes by their products, sizes of tables in local memory, Nagasaka, Nukada and
 * Matsuoka 2017; a look at the rows, and windows for near columns, Parger et al. 2020 (spECK);
 * Gustavson 1978. Order-preserving additions are own. */
#include <stdio.h>
#include <string.h>

#include "prim_gpu/arrays.h"
#include "spgemm_gpu/hash.h"

#ifndef EK_NO_GPU

/* Maximum number of bounds for an entry of C in one phase. */
#define LOOSE 4.0
/* Bound on the entries of a C that is not worth a sample: it is made in one phase. */
enum { SMALL = 1 << 16 };
/* KiB of local memory that a group takes at most, if the device has them. Where the device is a
 * processor, tables should stay in its first or second cache. */
enum { LOCAL_MOST = 256, CPU_LOCAL = 64 };
enum { BUFFERS = 10 }; /* most temporary buffers of a run at a time */

/* ---- Preparation ----------------------------------------------------------------------------- */

/* Sets h->bound and h->longest to the sum and the maximum of the bounds. */
static ek_status total_bounds(eki_job *job, int64_t rows, eki_hash_rows *h, const eki_buffer *bound)
{
	static const ek_monoid op[] = {EK_SUM, EK_MAX};
	int64_t *const to[] = {&h->bound, &h->longest};
	eki_buffer *scan = NULL;
	ek_status status;

	EK_TRY(eki_job_buffer(job, rows + 1, sizeof(int64_t), &scan));
	for (int k = 0; k < 2; k++) {
		EK_TRY(eki_gpu_scan(job, EK_INT64, op[k], EK_INCLUSIVE, rows + 1, bound, scan));
		EK_TRY(eki_buffer_read_part(job->device, scan, rows * (int64_t)sizeof *to[k], to[k],
		                            sizeof *to[k]));
	}
done:
	eki_job_drop(job, scan);
	return status;
}

/* Decides whether C is made in one phase. Then moves the bounds, summed up, to
 * h->temporary_at. */
static ek_status choose_phases(eki_job *job, eki_step *step, eki_hash_rows *h, eki_buffer *bound)
{
	const int64_t rows = step->in[0]->rows;
	const eki_device *dev = job->device;

	if (step->problem->memory > 0)
		return EK_OK;
	if (h->bound > SMALL)
		EK_RETURN_IF(eki_hash_sample(job, step, h, bound));
	h->in_one_phase =
		h->compression <= LOOSE &&
		eki_times(h->bound, 2 * eki_entry_bytes(step->in[0])) <= dev->info.memory / 2;
	if (!h->in_one_phase)
		return EK_OK;
	EK_RETURN_IF(eki_gpu_scan(job, EK_INT64, EK_SUM, EK_EXCLUSIVE, rows + 1, bound, bound));
	EK_RETURN_IF(
		eki_gpu_buffer(step, rows + 1, sizeof(int64_t), false, NULL, &h->temporary_at));
	return dev->driver->copy(job->device, h->temporary_at, 0, bound, 0, bound->bytes);
}

/* Returns the bytes that a run takes besides the entries of a batch: lengths of rows, on the device
 * and on the host, and what sorts rows into classes. */
static int64_t run_bytes(const eki_step *step, const eki_hash_rows *h)
{
	const int64_t rows = step->in[0]->rows;

	return 16 * (rows + 1) + 8 * (rows / 1024 + 64) + eki_hash_classify_bytes(h, rows) +
	       eki_hash_far_bytes(h) + BUFFERS * EKI_JOB_LEAST;
}

/* Chooses the entries of a batch: what the limit on memory leaves, or else half of the device's
 * memory, but at least the longest row, for which runs need room. */
static void choose_capacity(eki_step *step, eki_hash_rows *h)
{
	const int64_t value = (int64_t)ek_value_size(step->in[0]->value);
	const int64_t idx = (int64_t)eki_idx_size(step->in[0]->index);
	const int64_t entry = eki_entry_bytes(step->in[0]), limit = step->problem->memory;
	const int64_t held = eki_plan_needs(step->plan) + run_bytes(step, h);
	const int64_t left = limit > 0 ? limit - held : step->ctx->device->info.memory / 2;

	h->capacity = left / entry < h->bound ? left / entry : h->bound;
	if (h->capacity < h->longest)
		h->capacity = h->longest;
	step->plan->run_bytes = eki_plus(run_bytes(step, h), eki_times(h->capacity, entry));
	if (step->part)
		return;
	step->plan->room = eki_plus(run_bytes(step, h), eki_times(h->longest, entry));
	step->plan->room_array = eki_times(h->longest, value > idx ? value : idx);
}

static ek_status say(eki_step *step, const eki_hash_rows *h)
{
	const int64_t *first = h->by_bound.first;
	const int tables = EKI_HASH_TABLE, windows = tables + h->sizes;
	const int64_t *far = first + eki_hash_far(h);

	EK_RETURN_IF(eki_step_say(
		step,
		"         rows of C: %lld empty, %lld copies, %lld in hash tables, %lld in "
		"windows\n",
		(long long)(first[1] - first[0]), (long long)(first[2] - first[1]),
		(long long)(first[windows] - first[tables]),
		(long long)(first[h->classes] - first[windows])));
	if (far[0] < far[1])
		EK_RETURN_IF(eki_step_say(
			step, "         windows of %lld rows are shared out to groups\n",
			(long long)(far[1] - far[0])));
	if (step->problem->memory > 0)
		return eki_step_say(
			step,
			"         memory is limited: C is counted, then made in batches "
			"of %lld entries\n",
			(long long)h->capacity);
	if (h->compression > 0)
		EK_RETURN_IF(eki_step_say(step, "         entries of C, by a sample: %.0f\n",
		                          (double)h->bound / h->compression));
	return eki_step_say(step, "         at most %lld entries: %s\n", (long long)h->bound,
	                    h->in_one_phase ? "one phase, through temporary rows"
	                                    : "two phases, the first counts");
}

/* Makes the arrays that the plan keeps. */
static ek_status make_arrays(eki_step *step, eki_hash_rows *h)
{
	const ek_store *A = step->in[0];
	const int64_t rows = A->rows;
	const size_t idx = eki_idx_size(A->index);
	eki_buffer *list;

	EK_RETURN_IF(eki_gpu_buffer(step, rows, idx, false, NULL, &h->start));
	EK_RETURN_IF(eki_gpu_buffer(step, rows, sizeof(int32_t), false, NULL, &h->span));
	EK_RETURN_IF(eki_gpu_buffer(step, rows, idx, false, NULL, &list));
	h->by_bound.row = list;
	EK_RETURN_IF(eki_gpu_buffer(step, rows, idx, false, NULL, &list));
	h->by_length.row = list;
	if (step->problem->memory > 0)
		return EK_OK;
	EK_RETURN_IF(eki_gpu_buffer(step, rows + 1, sizeof(int64_t), false, NULL, &h->at));
	return eki_gpu_buffer(step, 0, idx, false, NULL, &h->col); /* grows in a run */
}

static ek_status prepare(eki_step *step)
{
	const ek_device_info *on = &step->ctx->device->info;
	eki_buffer *bound;
	eki_hash_rows *h;
	eki_job job;
	int64_t local, most;
	ek_status status;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *h, &h));
	memset(h, 0, sizeof *h);
	step->state = h;
	EK_RETURN_IF(eki_gpu_product_prepare(step));
	most = eki_gpu_param(step, 0, strcmp(on->kind, "gpu") == 0 ? LOCAL_MOST : CPU_LOCAL);
	for (local = LOCAL_MOST; local > most;)
		local /= 2;
	local = most < on->local_most / 1024 ? 1024 * local : on->local_most;
	step->param[0] = local / 1024;
	eki_hash_sizes(step, local, h);
	EK_RETURN_IF(make_arrays(step, h));
	eki_job_begin_for(step, &job);
	EK_TRY(eki_job_buffer(&job, step->in[0]->rows + 1, sizeof(int64_t), &bound));
	EK_TRY(eki_hash_shapes(&job, step, h, bound));
	EK_TRY(total_bounds(&job, step->in[0]->rows, h, bound));
	EK_TRY(eki_hash_classify(&job, step, h, bound, NULL, 0, step->in[0]->rows, &h->by_bound));
	EK_TRY(eki_hash_count_chunks(&job, step, h));
	EK_TRY(choose_phases(&job, step, h, bound));
	choose_capacity(step, h);
	status = say(step, h);
done:
	eki_job_end(&job);
	return status;
}

/* ---- The row --------------------------------------------------------------------------------- */

/* Predicts the time of two passes over A and over the lists of B, one for each entry of A. As long
 * as no other method of devices has a prediction, only its order of magnitude matters. */
static double cost(const eki_features *f)
{
	enum { LAUNCHES = 12 };
	const double entry = (double)(eki_idx_size(f->index) + ek_value_size(f->value));

	return eki_gpu_cost(
		f, 2 * (f->csr_bytes + (double)f->stats.nnz * f->products * entry), LAUNCHES);
}

const ek_method ek_spgemm_gpu_csr_hash = {
	.name = "spgemm.csr.hash.gpu",
	.text = "rows in classes: copies, hash tables and windows in local memory, on a device",
	.source = "Nagasaka, Nukada, Matsuoka 2017; Parger et al. 2020; own",
	.operation = EK_SPGEMM,
	.format = {&ek_format_csr, &ek_format_csr, &ek_format_csr},
	.param = {{"local", 8, 256,
                   "KiB of local memory of a group, at most: what the device has if that is no "
                   "more, else rounded down to a power of two; 256, or 64 on processors"}},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh_operands,
	.run = eki_hash_run,
	.report = eki_hash_report,
};

#endif
