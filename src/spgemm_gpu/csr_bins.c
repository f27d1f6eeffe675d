/* SPDX-License-Identifier: BSD-3-Clause
 * SpGEMM on CSR with rows in bins, in four stages, on a device.
 *
 *   1  bound the entries of each row of C by the number of its products: on the device (product.c)
 *   2  put the rows into 38 bins in five groups by their bounds: on the host (spgemm/bins.c)
 *   3  compute the rows, into temporary rows: a launch for each bin that has rows (bins_run.c)
 *   4  add up the lengths of the rows, allocate C, and copy the rows (product.c, bins_copy.c)
 *
 *   group 1   bin 0         nothing
 *   group 2   bin 1         a copy, a work-item a row
 *   group 3   bins 2-32     heap, a work-item a row, with a program for each bin (bins_heap.cl)
 *   group 4   bins 33-36    bitonic ESC, a group a row (bins_esc.cl)
 *   group 5   bin 37        merge, a group a row; rows grow between launches (bins_merge.c)
 *
 * Preparation does stages 1 and 2, which read the pattern only, and compiles the programs.
 *
 * The parameter `memory` says where rows of unknown length are stored, as for the processor's
 * method (spgemm/csr_bins.c): 1, hybrid: in temporary rows with room for the bound, in group 5 for
 * 256 entries at first; 2, upper bound: in temporary rows with room for the bound; 3, precise: in
 * C, whose entries are counted first, as a product of Boolean matrices; 4, probabilistic, and 5,
 * progressive: in temporary rows with room for an estimate, made on the host, or for 32 entries, of
 * which those of groups 3 to 5 are merged and grow by half.
 *
 * There are two ways to let a row grow. If the context's device shares memory with the host,
 * temporary rows are in shared memory, where they grow in place. Otherwise they get new places in
 * the device's memory and are copied.
 *
 * All methods add the products of an entry to 0 one after the other, in the order of the lists, as
 * the processor's methods do. So bits are the same as theirs on devices that round each operation
 * and keep denormal numbers.
 *
 * The method is published for comparison. It has no cost function, so it is never chosen
 * automatically, but plans with hints.measure try it. Cost: products times the logarithm of the
 * products of a row, and every entry is written twice.
 *
 * Liu 2015, chapter 9, Algorithms 33 to 35; Liu and Vinter 2014. */
#include <stdio.h>

#include "spgemm/bins_rooms.h"
#include "spgemm_gpu/csr_bins.h"

#ifndef EK_NO_GPU

enum {
	KEY_BITS = 9,            /* low bits of a key at most: EKI_ESC_MOST is 1 << KEY_BITS */
	COUNTED_MOST = 64 << 20, /* bytes for rows that are counted at a time, if one fits */
	TEXT_BYTES = 4096,       /* upper bound on the text of the plan */
	BUFFERS = 8              /* most small temporary buffers of a run at a time */
};

/* ---- Stages 1 and 2 -------------------------------------------------------------------------- */

static ek_status make_bins(eki_step *step, eki_gpu_bins *s, eki_job *job)
{
	const int64_t rows = step->in[0]->rows, size = (int64_t)sizeof(int64_t);
	eki_device *dev = step->gpu->device;

	EK_RETURN_IF(eki_gpu_buffer(step, rows + 1, sizeof(int64_t), false, NULL, &s->at));
	EK_RETURN_IF(eki_gpu_product_bounds(job, step, s->at));
	EK_RETURN_IF(eki_bins_begin(step, &s->bins));
	EK_RETURN_IF(eki_buffer_read(dev, s->at, s->bins.at, rows * size));
	eki_bins_fill(&s->bins, rows);
	s->merged = s->bins.begin[eki_gpu_bins_end(s)];
	EK_RETURN_IF(eki_step_alloc(step, eki_gpu_merged(s), sizeof *s->bound, &s->bound));
	for (int64_t k = 0; k < eki_gpu_merged(s); k++)
		s->bound[k] = s->bins.at[s->bins.row[s->merged + k]];
	return eki_gpu_buffer(step, rows, sizeof(int64_t), false, s->bins.row, &s->row);
}

/* Finds the places of the temporary rows. In shared memory, rows that grow have addresses for their
 * bounds. */
static ek_status find_places(eki_step *step, eki_gpu_bins *s)
{
	const int64_t rows = step->in[0]->rows;

	if (s->memory == EKI_MEMORY_PRECISE)
		return EK_OK;
	s->temporary = eki_bins_places(&s->bins, s->in_place ? EKI_MEMORY_BOUND : s->memory);
	return eki_buffer_write(step->gpu->device, s->at, s->bins.at,
	                        rows * (int64_t)sizeof *s->bins.at);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The temporary bytes that each memory method needs, for entries alone. */
typedef struct needs {
	int64_t first;                 /* hybrid: before rows grow */
	int64_t most;                  /* hybrid: if all rows grow to their bounds */
	int64_t room_first, room_most; /* the same for a method that guesses, if there is one */
	int64_t bound;
	int64_t slot;   /* precise: for each row that is counted at a time */
	int64_t always; /* of all methods, for lengths and places of rows */
} needs;

static needs find_needs(const eki_step *step, const eki_gpu_bins *s)
{
	const int64_t idx = (int64_t)eki_idx_size(step->in[0]->index), size = sizeof(int64_t);
	const int64_t entry = (int64_t)ek_value_size(step->in[0]->value) + idx;
	const eki_bins *b = &s->bins;
	needs n = {.first = eki_times(b->hybrid_first, entry),
	           .room_first = eki_times(b->room_first, entry),
	           .bound = eki_times(b->total, entry)};

	n.most = s->in_place ? n.bound : eki_times(b->hybrid_most, entry);
	n.room_most = s->in_place ? n.bound : eki_times(b->room_most, entry);
	n.slot = eki_times(s->counted, idx);
	/* The lengths are summed up on the device, with an eighth more for the sums of tiles. */
	n.always = eki_plus(eki_times(step->in[0]->rows + 1, 2 * size + size / 8) + TEXT_BYTES +
	                            BUFFERS * EKI_JOB_LEAST,
	                    eki_gpu_merge_bytes(eki_gpu_merged(s)));
	return n;
}

/* Returns how many merged rows can be counted at a time within `bytes`: at least one. */
static int64_t slots_within(const eki_gpu_bins *s, const needs *n, int64_t bytes)
{
	const int64_t rows = eki_gpu_merged(s);
	const int64_t most = n->slot > 0 ? bytes / n->slot : rows;

	return most > rows ? rows : most < 1 ? rows > 0 : most;
}

/* Chooses the memory method: that of the parameter; by default hybrid, or precise if the limit on
 * memory demands it. If even that takes too much, the plan refuses the method
 * (eki_operands_limit). */
static void choose_memory(eki_step *step, eki_gpu_bins *s, const needs *n)
{
	const int64_t limit = step->problem->memory;
	const int64_t held = eki_plus(eki_plan_needs(step->plan), n->always);
	int64_t bytes;

	s->memory = step->param[0] ? (eki_bin_memory)step->param[0] : EKI_MEMORY_HYBRID;
	if (limit > 0 && !step->param[0] && eki_plus(held, n->most) > limit)
		s->memory = EKI_MEMORY_PRECISE;
	step->param[0] = s->memory;
	s->in_place = s->in_place && eki_bins_grow(s->memory) && eki_gpu_merged(s) > 0;
	s->slots = slots_within(s, n, COUNTED_MOST);
	if (limit > 0 && eki_plus(held, s->slots * n->slot) > limit)
		s->slots = slots_within(s, n, limit > held ? limit - held : 0);
	bytes = s->memory == EKI_MEMORY_HYBRID  ? n->most
	        : s->memory == EKI_MEMORY_BOUND ? n->bound
	        : eki_bins_guess(s->memory)     ? n->room_most
	                                        : s->slots * n->slot;
	step->plan->run_bytes = eki_plus(n->always, bytes);
	step->plan->room = eki_plus(n->always, s->memory == EKI_MEMORY_HYBRID ? n->first
	                                       : eki_bins_guess(s->memory)    ? n->room_first
	                                                                      : bytes);
}

static ek_status say(eki_step *step, const eki_gpu_bins *s, const needs *n)
{
	EK_RETURN_IF(eki_bins_say(step, &s->bins));
	EK_RETURN_IF(eki_step_say(
		step,
		"         temporary bytes: hybrid %lld to %lld, upper bound %lld, precise %lld; "
		"this plan has memory=%d",
		(long long)n->first, (long long)n->most, (long long)n->bound,
		(long long)(s->slots * n->slot), (int)s->memory));
	if (eki_bins_guess(s->memory))
		EK_RETURN_IF(eki_step_say(step, ", which takes %lld to %lld",
		                          (long long)n->room_first, (long long)n->room_most));
	return eki_step_say(step, "%s\n",
	                    !eki_bins_grow(s->memory) || eki_gpu_merged(s) == 0 ? ""
	                    : s->in_place ? ", and rows grow in shared memory without copies"
	                                  : ", and rows that grow are copied");
}

/* ---- The method ------------------------------------------------------------------------------ */

static ek_status compile(eki_step *step, eki_gpu_bins *s, eki_job *job)
{
	EK_RETURN_IF(eki_gpu_merge_prepare(job, step, s));
	return eki_gpu_bins_compile(job, step, s);
}

static ek_status prepare(eki_step *step)
{
	const eki_bin_memory asked = (eki_bin_memory)step->param[0];
	eki_gpu_bins *s;
	needs n;
	eki_job job;
	ek_status status;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	memset(s, 0, sizeof *s);
	step->state = s;
	EK_RETURN_IF(eki_gpu_product_prepare(step));
	s->narrow = step->in[1]->cols <= (int64_t)INT32_MAX >> KEY_BITS;
	s->keys = !eki_bins_guess(asked) && step->in[1]->cols <= INT64_MAX >> KEY_BITS;
	s->in_place = step->gpu->device->memory == EKI_MEMORY_SHARED;
	eki_job_begin_for(step, &job);
	EK_TRY(make_bins(step, s, &job));
	if (eki_bins_guess(asked))
		EK_TRY(eki_bins_rooms(step, &s->bins, asked));
	s->counted = s->bins.most < step->in[1]->cols ? s->bins.most : step->in[1]->cols;
	n = find_needs(step, s);
	choose_memory(step, s, &n);
	EK_TRY(compile(step, s, &job));
	EK_TRY(say(step, s, &n));
	status = find_places(step, s);
done:
	eki_job_end(&job);
	return status;
}

static void report(const eki_step *step, char *text, size_t size)
{
	eki_gpu_bins *s = step->state;

	if (atomic_load(&s->uncapped) > 0)
		snprintf(text, size,
		         "         last new C: %lld temporary bytes (%lld if rows grew beyond "
		         "their bounds), %lld launches of merges, %lld bytes copied as rows grew\n",
		         (long long)atomic_load(&s->bytes), (long long)atomic_load(&s->uncapped),
		         (long long)atomic_load(&s->launches), (long long)atomic_load(&s->copied));
}

const ek_method ek_spgemm_gpu_csr_bins = {
	.name = "spgemm.csr.bins.gpu",
	.text = "rows in 38 bins by their products: copied, heap, bitonic ESC or merge, on a "
		"device",
	.source = "Liu 2015, chapter 9, Algorithms 33 to 35; Liu, Vinter 2014",
	.operation = EK_SPGEMM,
	.format = {&ek_format_csr, &ek_format_csr, &ek_format_csr},
	.param = EKI_BINS_PARAMETERS,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_TRIED,
	.prepare = prepare,
	.refresh = eki_gpu_refresh_operands,
	.run = eki_gpu_bins_run_all,
	.report = report,
};

#endif
