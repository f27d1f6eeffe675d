/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of SpGEMM by bins on a device that are merged: those of group 5, whose lengths nobody knows.
 *
 * Each launch goes on with the rows that are not done, from their checkpoints. A row stops when
 * there is no room for what comes next: in its temporary row, or in local memory. Then the host
 * lets grow what is too short:
 *
 *   - the temporary row, up to its bound: it doubles or, if its first room was a guess, grows by
 *     half. In the device's own memory, which cannot be re-allocated, all rows that grow get places
 *     in a new block, and are copied there; a block that all rows have left is dropped. In memory
 *     that host and device share, every row has addresses for its bound from the beginning, and
 *     only those that it uses have memory behind them. So a row grows where it is
 *   - the room in local memory, for all rows, as long as it fits. Rows that are longer stay in
 *     global memory, and local memory takes what each launch adds to them
 *
 * A row whose room has reached its bound never stops for room again, so a row has at most
 * log2(bound / 256) doublings, or log1.5(bound) growths by half, and after these a launch for each
 * time that local memory is full.
 *
 * Liu 2015, sections 7.4.3, 9.4.2 and 9.5.3. */
#include <stdio.h>

#include "spgemm_gpu/csr_bins.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_bins_merge, "spgemm_gpu/bins_merge.cl");

enum {
	LOCAL_MOST = 48 << 10, /* local memory that every CUDA device grants without a request */
	WG_LEAST = 64,
	WG_MOST = 256
};

/* ---- Sizes and programs ---------------------------------------------------------------------- */

ek_status eki_gpu_merge_program(eki_job *job, const eki_step *step, const eki_gpu_bins *s,
                                int level, bool past)
{
	char defines[256];
	size_t used;

	eki_gpu_product_types(step, defines, sizeof defines);
	used = strlen(defines);
	snprintf(defines + used, sizeof defines - used,
	         "#define EK_WG %d\n#define LEVEL %d\n#define PAST %d\n", s->wg, level, past);
	return eki_job_program(job, "bins_merge", defines, eki_cl_bins_merge);
}

/* Returns the bytes of local memory of a group. */
static int64_t local_bytes(const eki_step *step, int wg, int level)
{
	const int64_t idx = (int64_t)eki_idx_size(step->in[0]->index);
	const int64_t val = (int64_t)ek_value_size(step->in[0]->value);

	return level * (2 * idx + val) + wg * (3 * idx + val + (int64_t)sizeof(int64_t));
}

/* Returns the room in local memory of the first launch. */
static int first_level(const eki_gpu_bins *s)
{
	int level = EKI_LONG_FIRST;

	if (!eki_bins_grow(s->memory))
		while (level < s->level_most && level < s->bins.most)
			level *= 2;
	return level;
}

ek_status eki_gpu_merge_prepare(eki_job *job, const eki_step *step, eki_gpu_bins *s)
{
	const ek_store *B = step->in[1];
	const int64_t local =
		job->device->info.local < LOCAL_MOST ? job->device->info.local : LOCAL_MOST;

	if (eki_gpu_merged(s) == 0)
		return EK_OK;
	s->wg = eki_gpu_lanes(B->rows, B->nnz, WG_LEAST, WG_MOST);
	while (s->wg > WG_LEAST && local_bytes(step, s->wg, EKI_LONG_FIRST) > local)
		s->wg /= 2;
	EK_RETURN_IF(eki_gpu_local(step, local_bytes(step, s->wg, EKI_LONG_FIRST)));
	s->level_most = EKI_LONG_FIRST;
	while (local_bytes(step, s->wg, 2 * s->level_most) <= local)
		s->level_most *= 2;
	return eki_gpu_merge_program(job, step, s, first_level(s), false);
}

int64_t eki_gpu_merge_bytes(int64_t rows)
{
	const int64_t row = (int64_t)sizeof(eki_gpu_merged_row) +
	                    2 * (EKI_MERGE_STATE + EKI_MERGE_ITEM) * (int64_t)sizeof(int64_t);

	return rows == 0 ? 0
	                 : eki_plus(eki_times(rows, row),
	                            eki_times(eki_gpu_most_blocks(rows), sizeof(eki_gpu_block)));
}

/* ---- Launches -------------------------------------------------------------------------------- */

static int64_t row_of(const eki_gpu_merging *m, int64_t k)
{
	return m->o->s->bins.row[m->o->s->merged + k];
}

ek_status eki_gpu_merge_begin(eki_gpu_bins_run *o, eki_gpu_merging *m)
{
	const int64_t count = eki_gpu_merged(o->s), numbers = count * (int64_t)sizeof(int64_t);
	eki_job *job = &o->p.job;

	*m = (eki_gpu_merging){.o = o, .end = count};
	if (count == 0)
		return EK_OK;
	EK_RETURN_IF(eki_calloc(o->step->ctx, count, sizeof *m->row, (void *)&m->row));
	EK_RETURN_IF(eki_calloc(o->step->ctx, count, EKI_MERGE_STATE * sizeof(int64_t),
	                        (void *)&m->state));
	EK_RETURN_IF(
		eki_alloc(o->step->ctx, count, EKI_MERGE_ITEM * sizeof(int64_t), (void *)&m->item));
	EK_RETURN_IF(eki_calloc(o->step->ctx, eki_gpu_most_blocks(count), sizeof *m->block,
	                        (void *)&m->block));
	EK_RETURN_IF(eki_job_buffer(job, count, EKI_MERGE_STATE * sizeof(int64_t), &m->on_state));
	EK_RETURN_IF(eki_job_buffer(job, count, EKI_MERGE_ITEM * sizeof(int64_t), &m->list));
	m->level = first_level(o->s);
	return eki_buffer_write(job->device, m->on_state, m->state, EKI_MERGE_STATE * numbers);
}

void eki_gpu_merge_end(eki_gpu_merging *m)
{
	const int64_t count = m->o ? eki_gpu_merged(m->o->s) : 0;

	if (count == 0)
		return;
	eki_free(m->o->step->ctx, m->row, count, sizeof *m->row);
	eki_free(m->o->step->ctx, m->state, count, EKI_MERGE_STATE * sizeof(int64_t));
	eki_free(m->o->step->ctx, m->item, count, EKI_MERGE_ITEM * sizeof(int64_t));
	eki_free(m->o->step->ctx, m->block, eki_gpu_most_blocks(count), sizeof *m->block);
}

/* Goes on with the rows of a block that are not done. */
static ek_status launch_block(eki_gpu_merging *m, int64_t block)
{
	const eki_gpu_bins_run *o = m->o;
	eki_job *job = &m->o->p.job;
	eki_arg args[EKI_PRODUCT_ARGS + 8];
	int count = eki_gpu_product_args(o->step, o->p.run, args);
	int64_t n = 0;

	for (int64_t k = m->begin; k < m->end && n < m->block[block].open; k++)
		if (!m->row[k].done && m->row[k].block == block) {
			int64_t *item = m->item + EKI_MERGE_ITEM * n++;

			item[0] = k;
			item[1] = m->row[k].place;
			item[2] = m->row[k].room;
		}
	if (n == 0)
		return EK_OK;
	EK_RETURN_IF(eki_buffer_write(job->device, m->list, m->item,
	                              n * EKI_MERGE_ITEM * (int64_t)sizeof *m->item));
	args[count++] = eki_arg_i64(o->s->merged);
	args[count++] = eki_arg_buffer(o->s->row);
	args[count++] = eki_arg_buffer(m->list);
	args[count++] = eki_arg_buffer(m->on_state);
	args[count++] = eki_arg_i32(o->make);
	args[count++] = eki_arg_buffer(m->block[block].col);
	args[count++] = eki_arg_buffer(m->block[block].val);
	args[count++] = eki_arg_buffer(o->length);
	EK_RETURN_IF(eki_gpu_merge_program(job, o->step, o->s, m->level, m->past));
	return eki_job_launch(job, "merge_rows", n, o->s->wg, args, count);
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* Takes over what a launch has found out. Returns the number of rows that are not done. */
static int64_t look(eki_gpu_merging *m)
{
	int64_t left = 0;

	for (int64_t k = m->begin; k < m->end; k++) {
		const bool done = m->state[EKI_MERGE_STATE * k + EKI_MERGE_NEED] == 0;

		m->block[m->row[k].block].open -= done && !m->row[k].done;
		m->row[k].done = done;
		left += !done;
	}
	return left;
}

/* Launches until all rows, which are in the first block, are done. */
static ek_status launch_rounds(eki_gpu_merging *m)
{
	const eki_gpu_bins *s = m->o->s;
	const int64_t bytes = eki_gpu_merged(s) * EKI_MERGE_STATE * (int64_t)sizeof(int64_t);

	m->level = first_level(s);
	m->past = false;
	m->block[0].rows = m->block[0].open = m->end - m->begin;
	for (int64_t left = m->end - m->begin; left > 0;) {
		for (int64_t block = 0; block < m->blocks; block++)
			EK_RETURN_IF(launch_block(m, block));
		m->o->launches++;
		EK_RETURN_IF(eki_buffer_read(m->o->p.job.device, m->on_state, m->state, bytes));
		left = look(m);
		if (left > 0)
			EK_RETURN_IF(eki_gpu_grow(m));
		m->past = m->level == s->level_most;
		m->level *= m->past ? 1 : 2;
	}
	return EK_OK;
}

ek_status eki_gpu_merge(eki_gpu_merging *m)
{
	const eki_gpu_bins *s = m->o->s;
	const int64_t longs = s->bins.begin[EKI_BIN_LONG] - s->merged;

	if (m->end == 0)
		return EK_OK;
	eki_gpu_first_block(m, m->o->col, m->o->val);
	for (int64_t k = 0; k < m->end; k++) {
		const int64_t room = s->bins.room ? s->bins.room[row_of(m, k)]
		                     : s->memory == EKI_MEMORY_HYBRID && k >= longs ? EKI_LONG_FIRST
		                                                                    : s->bound[k];

		m->row[k] = (eki_gpu_merged_row){
			.place = s->bins.at[row_of(m, k)], .room = room, .uncapped = room};
	}
	return launch_rounds(m);
}

ek_status eki_gpu_merge_arrange(eki_gpu_merging *m)
{
	for (int64_t block = 0; block < m->blocks; block++) {
		int64_t n = 0;

		for (int64_t k = 0; k < m->end && n < m->block[block].rows; k++)
			if (m->row[k].block == block) {
				m->item[2 * n] = row_of(m, k);
				m->item[2 * n++ + 1] = m->row[k].place;
			}
		EK_RETURN_IF(eki_gpu_arrange_listed(m->o, m->item, n, m->list, &m->block[block]));
	}
	return EK_OK;
}

/* ---- The precise method ---------------------------------------------------------------------- */

ek_status eki_gpu_merge_count(eki_gpu_merging *m)
{
	eki_gpu_bins_run *o = m->o;
	const int64_t count = m->end, slots = o->s->slots;
	const size_t idx = eki_idx_size(o->step->in[0]->index);
	eki_buffer *col;

	if (count == 0)
		return EK_OK;
	EK_RETURN_IF(eki_job_buffer(&o->p.job, eki_times(slots, o->s->counted), idx, &col));
	o->bytes += slots * o->s->counted * (int64_t)idx;
	o->uncapped = o->bytes;
	eki_gpu_first_block(m, col, col);
	for (int64_t begin = 0; begin < count; begin = m->end) {
		m->begin = begin;
		m->end = begin + slots < count ? begin + slots : count;
		for (int64_t k = begin; k < m->end; k++)
			m->row[k] = (eki_gpu_merged_row){.place = (k - begin) * o->s->counted,
			                                 .room = o->s->counted};
		EK_RETURN_IF(launch_rounds(m));
	}
	eki_job_drop(&o->p.job, col);
	m->begin = 0;
	return EK_OK;
}

ek_status eki_gpu_merge_into(eki_gpu_merging *m)
{
	const ek_store *C = m->o->p.run->C;
	const int64_t numbers = EKI_MERGE_STATE * m->end;

	if (m->end == 0)
		return EK_OK;
	eki_gpu_first_block(m, m->o->col, m->o->val);
	memset(m->state, 0, (size_t)numbers * sizeof *m->state);
	EK_RETURN_IF(eki_buffer_write(m->o->p.job.device, m->on_state, m->state,
	                              numbers * (int64_t)sizeof *m->state));
	for (int64_t k = 0; k < m->end; k++) {
		const int64_t i = row_of(m, k), at = eki_ptr_at(C, i);

		m->row[k] = (eki_gpu_merged_row){.place = at, .room = eki_ptr_at(C, i + 1) - at};
	}
	return launch_rounds(m);
}

/* ---- Known columns --------------------------------------------------------------------------- */

ek_status eki_gpu_merge_values(eki_gpu_bins_run *o)
{
	const eki_gpu_bins *s = o->s;
	eki_arg args[EKI_PRODUCT_ARGS + 5];
	int count = eki_gpu_product_args(o->step, o->p.run, args);

	if (eki_gpu_merged(s) == 0)
		return EK_OK;
	args[count++] = eki_arg_i64(s->merged);
	args[count++] = eki_arg_buffer(s->row);
	args[count++] = eki_arg_buffer(o->at);
	args[count++] = eki_arg_buffer(o->col);
	args[count++] = eki_arg_buffer(o->val);
	EK_RETURN_IF(eki_gpu_merge_program(&o->p.job, o->step, s, first_level(s), false));
	return eki_job_launch(&o->p.job, "add_to_rows", eki_gpu_merged(s), s->wg, args, count);
}

#endif
