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
 * copied too where there would be too many ranges. If the device does its rows in several parts, so
 * that copies run beside kernels, ranges are cut where the part changes that first reads them. Each
 * line is copied once, and never later than before the first part that reads it; a few lines among
 * those of an earlier part go with these. So at no time a line changes that a kernel may be
 * reading. Where no byte of a buffer may change while a kernel uses the buffer, ranges are not cut,
 * and all go before the first part. Cost: O(nnz) and a byte for each line. */
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

void eki_lines_above(const eki_lines *lines, const ek_store *A, const int64_t bound[EKI_SHARES + 1],
                     eki_above above[EKI_SHARES + 1])
{
	int64_t count[EKI_SHARES + 1] = {0};

	for (int64_t k = 0; k < lines->count; k++)
		if (lines->first[k] != EKI_NO_PART)
			count[lines->first[k] + 1]++;
	for (int k = 0; k <= EKI_SHARES; k++) {
		count[k] += k ? count[k - 1] : 0;
		above[k] = (eki_above){.work = (double)(bound[k] + eki_ptr_at(A, bound[k])) /
		                               (double)(A->rows + A->nnz),
		                       .lines = (double)count[k] / (double)lines->count,
		                       .rows = (double)bound[k] / (double)A->rows};
	}
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
		range[count++] = (eki_range){k, k + 1, lines->first[k]};
	}
	return count;
}

/* Cuts a range of lines where the part changes that first reads them, into ranges that have `least`
 * lines or more, but for the last one. Lists them from `range` on, and returns the place behind. */
static eki_range *cut(const eki_lines *lines, int parts, const eki_range *whole, int64_t least,
                      eki_range *range)
{
	eki_range *r = range;

	*r = (eki_range){whole->begin, whole->begin, whole->part};
	for (int64_t k = whole->begin; k < whole->end; k++) {
		const int part = lines->first[k];

		if (part < parts && part != r->part) {
			if (r->end - r->begin >= least)
				*++r = (eki_range){k, k, part};
			else if (part < r->part)
				r->part = part;
			if (r > range && r[-1].part == r->part)
				r--; /* the two are one */
		}
		r->end = k + 1;
	}
	return r + 1;
}

int eki_lines_ranges(const eki_lines *lines, int parts, int64_t x_len, bool cuts, eki_range *range)
{
	eki_range whole[EKI_RANGES], *end = range;
	int64_t all = 0, gap = 0;
	int count;

	while ((count = list(lines, parts, gap, whole)) > EKI_RANGES)
		gap = 4 * gap + 4;
	for (int k = 0; k < count; k++)
		all += whole[k].end - whole[k].begin;
	for (int k = 0; k < count; k++)
		if (cuts)
			end = cut(lines, parts, &whole[k], eki_groups(all, EKI_RANGES), end);
		else
			*end++ = whole[k];
	count = (int)(end - range);
	for (int k = 0; k < count; k++) {
		range[k].begin *= lines->span;
		range[k].end *= lines->span;
		range[k].end = range[k].end < x_len ? range[k].end : x_len;
	}
	return count;
}

#endif
