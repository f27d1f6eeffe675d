/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of SpGEMM by bins on a device that are merged (bins_merge.c): how they grow. In memory that
 * host and device share a row has more room where it is. Otherwise all rows that grow in a round
 * get places in a new block of memory, and are copied there.
 *
 * Rows come to the ends of their rooms in different rounds, if their lists are not equally long, so
 * there may be far more rounds in which some row grows than times that any row grows. A block that
 * its last row has left is dropped, and the next block takes its number: there are never more
 * blocks than rows, besides the first, which belongs to the run.
 *
 * Liu 2015, sections 9.4.2 and 9.5.3. */
#include "spgemm/bins_rooms.h"
#include "spgemm_gpu/csr_bins.h"

#ifndef EK_NO_GPU

/* ---- Blocks ---------------------------------------------------------------------------------- */

int64_t eki_gpu_most_blocks(int64_t rows)
{
	return rows + 2; /* the first, one for each row, and a new one */
}

void eki_gpu_first_block(eki_gpu_merging *m, const eki_buffer *col, const eki_buffer *val)
{
	m->block[0] = (eki_gpu_block){.col = col, .val = val};
	m->blocks = 1;
}

/* Takes a block that is not used yet, or not any more, with memory for `all` entries. */
static ek_status new_block(eki_gpu_merging *m, int64_t all, int64_t idx, int64_t val,
                           eki_gpu_block **out)
{
	eki_gpu_block *b = &m->block[1];

	while (b < m->block + m->blocks && b->rows > 0)
		b++;
	*b = (eki_gpu_block){0};
	EK_RETURN_IF(eki_job_buffer(&m->o->p.job, all, (size_t)idx, &b->own_col));
	EK_RETURN_IF(eki_job_buffer(&m->o->p.job, all, (size_t)val, &b->own_val));
	b->col = b->own_col;
	b->val = b->own_val;
	m->blocks += b == m->block + m->blocks;
	*out = b;
	return EK_OK;
}

/* Drops the memory of a block without rows. That of the first is the run's. */
static void drop_block(eki_gpu_merging *m, eki_gpu_block *b)
{
	if (!b->own_col)
		return;
	eki_job_drop(&m->o->p.job, b->own_col);
	eki_job_drop(&m->o->p.job, b->own_val);
	b->own_col = b->own_val = NULL;
}

/* ---- Growth ---------------------------------------------------------------------------------- */

static bool wants_room(const eki_gpu_merging *m, int64_t k)
{
	return !m->row[k].done && m->state[EKI_MERGE_STATE * k + EKI_MERGE_NEED] > m->row[k].room;
}

static int64_t grown(const eki_gpu_merging *m, int64_t k)
{
	return eki_bins_grown(m->o->s->memory, m->row[k].room, m->o->s->bound[k]);
}

/* Moves all rows that grow from one block to their places in another. */
static ek_status move(eki_gpu_merging *m, eki_gpu_block *from, eki_gpu_block *to, int64_t entry)
{
	int64_t n = 0;

	for (int64_t k = m->begin; k < m->end && n < from->open; k++)
		if (wants_room(m, k) && m->row[k].block == from - m->block) {
			int64_t *item = m->item + EKI_MERGE_ITEM * n++;

			item[0] = m->row[k].place;
			item[1] = m->row[k].place = m->row[k].next;
			item[2] = m->state[EKI_MERGE_STATE * k];
			m->row[k].block = to - m->block;
			m->o->copied += item[2] * entry;
		}
	EK_RETURN_IF(eki_gpu_move(m->o, m->item, n, m->list, from, to));
	from->rows -= n;
	from->open -= n;
	to->rows += n;
	to->open += n;
	if (from->rows == 0)
		drop_block(m, from);
	return EK_OK;
}

/* Gives all rows that grow places in a new block with room for `all` entries. */
static ek_status re_place(eki_gpu_merging *m, int64_t all, int64_t idx, int64_t val)
{
	eki_gpu_block *to;

	EK_RETURN_IF(new_block(m, all, idx, val, &to));
	for (eki_gpu_block *from = m->block; from < m->block + m->blocks; from++)
		if (from != to && from->open > 0)
			EK_RETURN_IF(move(m, from, to, idx + val));
	return EK_OK;
}

ek_status eki_gpu_grow(eki_gpu_merging *m)
{
	const ek_store *A = m->o->step->in[0];
	const int64_t idx = (int64_t)eki_idx_size(A->index), val = (int64_t)ek_value_size(A->value);
	const bool in_place = m->o->s->in_place;
	int64_t all = 0;

	for (int64_t k = m->begin; k < m->end; k++) {
		eki_gpu_merged_row *r = &m->row[k];

		if (!wants_room(m, k))
			continue;
		const int64_t uncapped = eki_bins_grown(m->o->s->memory, r->uncapped, INT64_MAX);

		r->next = all;
		all += grown(m, k);
		m->o->bytes += (grown(m, k) - (in_place ? r->room : 0)) * (idx + val);
		m->o->uncapped += (uncapped - (in_place ? r->uncapped : 0)) * (idx + val);
		r->uncapped = uncapped;
	}
	if (all > 0 && !in_place)
		EK_RETURN_IF(re_place(m, all, idx, val));
	for (int64_t k = m->begin; k < m->end; k++)
		if (wants_room(m, k))
			m->row[k].room = grown(m, k);
	return EK_OK;
}

#endif
