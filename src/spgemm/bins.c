/* SPDX-License-Identifier: BSD-3-Clause
 * The first two stages of SpGEMM by bins (csr_bins.c, spgemm_gpu/csr_bins.c).
 *
 * Stage 1 bounds the entries of each row of C by the number of its products: the sum of the lengths
 * of the rows of B and D that it is made of. Rows are independent, so threads share them.
 * O(nnz(A)). The method for devices does this stage on the device (spgemm_gpu/product.c), and the
 * next one here.
 *
 * Stage 2 puts each row into one of 38 bins by its bound, in one array of all rows with a segment
 * for each bin. Rows ascend within a bin. It also adds up how much memory temporary rows take. It
 * is a counting sort on one thread, O(rows), as in the source.
 *
 *   group 1   bin 0         no products
 *   group 2   bin 1         one product
 *   group 3   bins 2-32     2 to 32 products, a bin for each number
 *   group 4   bins 33-36    up to 64, 128, 256 and 512 products
 *   group 5   bin 37        more products
 *
 * Liu 2015, section 9.4.2, Algorithms 34 and 35. */
#include "spgemm/bins_rooms.h"
#include "prim_body/scan.h"
#define EK_TYPES_ONLY
#define EK_FILE "spgemm/bins.c"
#include "base/for_each.h"

#if EK_PER_TYPE

static void FN(bound_rows)(const eki_step *step, int64_t begin, int64_t end, int64_t *bound)
{
	const ek_store *A = step->in[0], *B = step->in[1], *D = step->in[2];
	const PTR *a_ptr = A->array[CSR_PTR], *b_ptr = B->array[CSR_PTR];
	const IDX *a_col = A->array[CSR_COL];

	for (int64_t i = begin; i < end; i++) {
		int64_t u = D ? eki_ptr_at(D, i + 1) - eki_ptr_at(D, i) : 0;

		for (PTR k = a_ptr[i]; k < a_ptr[i + 1]; k++)
			u += b_ptr[a_col[k] + 1] - b_ptr[a_col[k]];
		bound[i] = u;
	}
}

#endif
#if EK_ONCE

int eki_bin_of(int64_t bound)
{
	int bin = EKI_HEAP_MOST + 1;

	if (bound <= EKI_HEAP_MOST)
		return (int)bound;
	for (int64_t most = 2 * EKI_HEAP_MOST; most < bound && bin < EKI_BIN_LONG; most *= 2)
		bin++;
	return bin;
}

eki_bin_group eki_bin_group_of(int bin)
{
	return bin == 0               ? EKI_GROUP_EMPTY
	       : bin == 1             ? EKI_GROUP_COPY
	       : bin <= EKI_HEAP_MOST ? EKI_GROUP_HEAP
	       : bin == EKI_BIN_LONG  ? EKI_GROUP_MERGE
	                              : EKI_GROUP_ESC;
}

/* ---- Stage 1 --------------------------------------------------------------------------------- */

typedef void bound_fn(const eki_step *, int64_t, int64_t, int64_t *);

struct bound_job {
	const eki_step *step;
	bound_fn *bound;
	int64_t *at;
	int parts;
};

static void bound_part(void *arg, int part)
{
	const struct bound_job *job = arg;
	const int64_t rows = job->step->in[0]->rows;

	job->bound(job->step, eki_cut(rows, job->parts, part), eki_cut(rows, job->parts, part + 1),
	           job->at);
}

/* ---- Stage 2 --------------------------------------------------------------------------------- */

/* Returns the sum of all capacities that a temporary row of group 5 has had once it has grown to
 * its bound. */
static int64_t grown(int64_t bound)
{
	int64_t all = EKI_LONG_FIRST, last = EKI_LONG_FIRST;

	while (last < bound) {
		last = eki_bins_grown(EKI_MEMORY_HYBRID, last, bound);
		all = eki_plus(all, last);
	}
	return all;
}

ek_status eki_bins_begin(eki_step *step, eki_bins *b)
{
	const int64_t rows = step->in[0]->rows;

	*b = (eki_bins){0};
	EK_RETURN_IF(eki_step_alloc(step, rows, sizeof *b->row, &b->row));
	return eki_step_alloc(step, rows, sizeof *b->at, &b->at);
}

void eki_bins_fill(eki_bins *b, int64_t rows)
{
	int64_t next[EKI_BINS];

	for (int64_t i = 0; i < rows; i++) {
		const int64_t u = b->at[i];
		const int bin = eki_bin_of(u);
		const bool grows = bin == EKI_BIN_LONG;

		b->begin[bin]++;
		b->products[bin] = eki_plus(b->products[bin], u);
		b->total = eki_plus(b->total, u);
		b->most = u > b->most ? u : b->most;
		b->hybrid_first = eki_plus(b->hybrid_first, grows ? EKI_LONG_FIRST : u);
		b->hybrid_most = eki_plus(b->hybrid_most, grows ? grown(u) : u);
	}
	eki_exclusive_sum(b->begin, EKI_BINS + 1);
	memcpy(next, b->begin, sizeof next);
	for (int64_t i = 0; i < rows; i++)
		b->row[next[eki_bin_of(b->at[i])]++] = i;
}

ek_status eki_bins_make(eki_step *step, eki_bins *b)
{
	static bound_fn *const bound[EK_NTYPE] = EK_BY_TYPE(bound_rows);
	const ek_store *A = step->in[0];
	struct bound_job job = {.step = step,
	                        .bound = bound[eki_type(A->value, A->index)],
	                        .parts = eki_parts(step->ctx, A->nnz + A->rows)};

	EK_RETURN_IF(eki_bins_begin(step, b));
	job.at = b->at;
	eki_parallel(step->ctx, step->threads, job.parts, bound_part, &job);
	eki_bins_fill(b, A->rows);
	return EK_OK;
}

int64_t eki_bins_places(eki_bins *b, eki_bin_memory memory)
{
	const int64_t *longs = b->row + b->begin[EKI_BIN_LONG];
	const int64_t count = b->begin[EKI_BINS] - b->begin[EKI_BIN_LONG];

	for (int64_t k = 0; k < count && memory == EKI_MEMORY_HYBRID; k++)
		b->at[longs[k]] = EKI_LONG_FIRST;
	for (int64_t i = 0; i < b->begin[EKI_BINS] && eki_bins_guess(memory); i++)
		b->at[i] = b->room[i];
	return b->begin[EKI_BINS] ? eki_exclusive_sum(b->at, b->begin[EKI_BINS]) : 0;
}

/* ---- Text ------------------------------------------------------------------------------------ */

ek_status eki_bins_say(eki_step *step, const eki_bins *b)
{
	static const char *const name[] = {[EKI_GROUP_EMPTY] = "empty",
	                                   [EKI_GROUP_COPY] = "copied",
	                                   [EKI_GROUP_HEAP] = "heap",
	                                   [EKI_GROUP_ESC] = "bitonic ESC",
	                                   [EKI_GROUP_MERGE] = "merge"};

	for (int bin = 0, end; bin < EKI_BINS; bin = end) {
		const eki_bin_group group = eki_bin_group_of(bin);
		int64_t products = 0;

		for (end = bin; end < EKI_BINS && eki_bin_group_of(end) == group; end++)
			products = eki_plus(products, b->products[end]);
		EK_RETURN_IF(eki_step_say(
			step, "         group %d, %s: %lld rows, bound %lld entries", (int)group,
			name[group], (long long)(b->begin[end] - b->begin[bin]),
			(long long)products));
		if (end - bin > 1 && b->begin[end] > b->begin[bin])
			EK_RETURN_IF(eki_step_say(step, "; rows of each bin:"));
		for (int k = bin; k < end && end - bin > 1; k++)
			if (b->begin[k + 1] > b->begin[k])
				EK_RETURN_IF(
					eki_step_say(step, " %d: %lld", k,
				                     (long long)(b->begin[k + 1] - b->begin[k])));
		EK_RETURN_IF(eki_step_say(step, "\n"));
	}
	return EK_OK;
}

#endif
