/* SPDX-License-Identifier: BSD-3-Clause
 * The lines of x that rows of A read. A device needs copies of these lines, unless they are shared,
 * before it can multiply, and over a bus a copy may take longer than the product. So rows that read
 * few lines, or lines which the rows before them read too, are worth more on the device than others
 * with as many entries.
 *
 * Lines are counted exactly: for each line, the first part of the rows that reads it is found by
 * one pass over the columns, on all threads. Each thread takes whole parts and lowers the number of
 * a line by a compare-and-swap; the result does not depend on their order.
 *
 * Copies are made in ranges. Each copy of its own has a cost, so lines in gaps between ranges are
 * copied too where there would be too many ranges. Cost: O(nnz) and a byte for each line. */
#include "both/both.h"

#ifndef EK_NO_GPU

enum {
	LINE = 64
}; /* bytes of a line of the processor's caches, and of two sectors of a device's */

void eki_lines_size(const eki_step *step, eki_lines *lines)
{
	const int64_t row = (int64_t)ek_value_size(step->in[0]->value) * eki_gpu_width(step);

	lines->span = row < LINE ? LINE / row : 1;
	lines->count = eki_groups(step->x_len, lines->span);
}

struct job {
	const ek_store *A;
	const int64_t *begin;
	const eki_lines *lines;
};

static void find_part(void *arg, int part)
{
	const struct job *job = arg;
	const ek_store *A = job->A;
	const int64_t end = eki_ptr_at(A, job->begin[part + 1]);
	int64_t last = -1; /* the line of the entry before, which need not be looked at again */

	for (int64_t k = eki_ptr_at(A, job->begin[part]); k < end; k++) {
		const int64_t line = eki_col_at(A, k) / job->lines->span;
		_Atomic uint8_t *at = &job->lines->first[line];
		uint8_t seen = atomic_load_explicit(at, memory_order_relaxed);

		while (line != last && seen > part &&
		       !atomic_compare_exchange_weak(at, &seen, (uint8_t)part))
			;
		last = line;
	}
}

void eki_lines_find(const eki_step *step, const ek_store *A, const int64_t *begin, int parts,
                    eki_lines *lines)
{
	struct job job = {A, begin, lines};

	for (int64_t k = 0; k < lines->count; k++)
		atomic_init(&lines->first[k], EKI_NO_PART);
	eki_parallel(step->ctx, step->threads, parts, find_part, &job);
}

/* Lists the ranges of lines between which there are gaps of more than `gap` lines. Returns their
 * number, or EKI_RANGES + 1 if there are more than EKI_RANGES. */
static int list(const eki_lines *lines, int parts, int64_t gap, eki_range *range)
{
	int count = 0;

	for (int64_t k = 0; k < lines->count; k++) {
		if (lines->first[k] >= parts)
			continue;
		if (count && k - range[count - 1].end <= gap) {
			range[count - 1].end = k + 1;
			continue;
		}
		if (count == EKI_RANGES)
			return EKI_RANGES + 1;
		range[count++] = (eki_range){k, k + 1};
	}
	return count;
}

int eki_lines_ranges(const eki_lines *lines, int parts, int64_t x_len, eki_range *range)
{
	int count;

	for (int64_t gap = 0; (count = list(lines, parts, gap, range)) > EKI_RANGES;)
		gap = 4 * gap + 4;
	for (int k = 0; k < count; k++) {
		range[k].begin *= lines->span;
		range[k].end *= lines->span;
		range[k].end = range[k].end < x_len ? range[k].end : x_len;
	}
	return count;
}

#endif
