/* SPDX-License-Identifier: BSD-3-Clause
 * Cuts the rows of C into batches with about the same work. One pass over the entries of A adds up
 * the lengths of the rows of B that each row of C needs, which is the number of its products
 * (Gustavson 1978). Threads take batches one after the other, so those with longer rows take fewer.
 * The pass marks the first row of each batch by a bit, since it does not know the number of
 * batches. */
#include <string.h>

#include "spgemm/batches.h"
#define EK_TYPES_ONLY
#define EK_FILE "spgemm/batches.c"
#include "base/for_each.h"

#if EK_PER_TYPE

static void FN(cut_rows)(eki_batch_cut *c)
{
	const PTR *a_ptr = c->A->array[CSR_PTR], *b_ptr = c->B->array[CSR_PTR];
	const IDX *a_col = c->A->array[CSR_COL];
	const int64_t cols = c->B->cols, products_most = EKI_BATCH_PRODUCTS * c->entries;
	int64_t entries = 0, products = 0, in_batch = EKI_BATCH_ROWS;

	for (int64_t i = c->begin; i < c->end; i++) {
		int64_t u = 0, bound;

		if (c->kind == EKI_SUM)
			u = a_ptr[i + 1] - a_ptr[i] + b_ptr[i + 1] - b_ptr[i];
		else
			for (PTR k = a_ptr[i]; k < a_ptr[i + 1]; k++)
				u += b_ptr[a_col[k] + 1] - b_ptr[a_col[k]];
		if (c->D)
			u += eki_ptr_at(c->D, i + 1) - eki_ptr_at(c->D, i);
		bound = u < cols ? u : cols;
		if (in_batch == EKI_BATCH_ROWS || entries + bound > c->entries ||
		    products + u > products_most) {
			c->first[i / 64] |= (uint64_t)1 << (i % 64);
			c->products += (double)products;
			entries = products = in_batch = 0;
		}
		entries += bound;
		products += u;
		c->bound += (double)bound;
		in_batch++;
		c->row_products = u > c->row_products ? u : c->row_products;
	}
	c->products += (double)products;
}

/* Returns the length of the longest of the rows [begin, end). */
static int64_t FN(longest)(const ek_store *csr, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	PTR most = 0;

	for (int64_t i = begin; i < end; i++)
		most = row_ptr[i + 1] - row_ptr[i] > most ? row_ptr[i + 1] - row_ptr[i] : most;
	return most;
}

#endif
#if EK_ONCE

enum { PARTS = 64 };

/* Batches have equal numbers of rows if no row can have more than this times the mean number of
 * products. */
#define EVEN 2.5

typedef void cut_fn(eki_batch_cut *);
typedef int64_t longest_fn(const ek_store *, int64_t, int64_t);

struct cut_job {
	eki_batch_cut part[PARTS];
	cut_fn *cut;
	int parts;
};

static void cut_part(void *arg, int part)
{
	struct cut_job *job = arg;
	eki_batch_cut *c = &job->part[part];
	const int64_t words = eki_groups(c->A->rows, 64), rows = c->A->rows;
	const int64_t begin = eki_cut(words, job->parts, part);
	const int64_t end = eki_cut(words, job->parts, part + 1);

	if (begin == end)
		return;
	memset(c->first + begin, 0, (size_t)(end - begin) * sizeof *c->first);
	c->begin = 64 * begin;
	c->end = 64 * end < rows ? 64 * end : rows;
	job->cut(c);
}

/* Lists the marked rows in b->begin. */
static ek_status list(eki_step *step, const uint64_t *first, eki_batches *b)
{
	const int64_t rows = step->in[0]->rows, words = eki_groups(rows, 64);

	b->count = 0;
	for (int64_t w = 0; w < words; w++)
		b->count += __builtin_popcountll(first[w]);
	EK_RETURN_IF(eki_step_alloc(step, b->count + 1, sizeof *b->begin, &b->begin));
	b->count = 0;
	for (int64_t w = 0; w < words; w++)
		for (uint64_t set = first[w]; set; set &= set - 1)
			b->begin[b->count++] = 64 * w + __builtin_ctzll(set);
	b->begin[b->count] = rows;
	return EK_OK;
}

struct longest_job {
	const ek_store *csr;
	longest_fn *longest;
	int parts;
	int64_t most[PARTS];
};

static void longest_part(void *arg, int part)
{
	struct longest_job *job = arg;
	const int64_t rows = job->csr->rows;

	job->most[part] = job->longest(job->csr, eki_cut(rows, job->parts, part),
	                               eki_cut(rows, job->parts, part + 1));
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

double eki_batch_terms(const eki_step *step, eki_result_kind kind, int64_t begin, int64_t end)
{
	const ek_store *A = step->in[0], *B = step->in[1], *D = step->in[2];
	double terms = 0;

	if (kind == EKI_SUM)
		return (double)(eki_ptr_at(A, end) - eki_ptr_at(A, begin) + eki_ptr_at(B, end) -
		                eki_ptr_at(B, begin));
	for (int64_t k = eki_ptr_at(A, begin); k < eki_ptr_at(A, end); k++) {
		const int64_t j = eki_col_at(A, k);

		terms += (double)(eki_ptr_at(B, j + 1) - eki_ptr_at(B, j));
	}
	return D ? terms + (double)(eki_ptr_at(D, end) - eki_ptr_at(D, begin)) : terms;
}

int64_t eki_longest_row(const ek_context *ctx, const ek_store *csr)
{
	static longest_fn *const longest[EK_NTYPE] = EK_BY_TYPE(longest);
	const int parts = eki_parts(ctx, csr->rows);
	struct longest_job job = {.csr = csr,
	                          .longest = longest[eki_type(csr->value, csr->index)],
	                          .parts = parts < PARTS ? parts : PARTS};
	int64_t most = 0;

	eki_parallel(ctx, ctx->threads, job.parts, longest_part, &job);
	for (int part = 0; part < job.parts; part++)
		most = larger(most, job.most[part]);
	return most;
}

/* Finds the longest rows of A, B and D. */
static void find_longest(const eki_step *step, int64_t longest[EKI_MAX_MATRICES])
{
	const ek_store *A = step->in[0], *B = step->in[1], *D = step->in[2];

	longest[0] = eki_longest_row(step->ctx, A);
	longest[1] = B == A ? longest[0] : eki_longest_row(step->ctx, B);
	longest[2] = D ? eki_longest_row(step->ctx, D) : 0;
}

/* Cuts the rows into batches of equal numbers of rows if, by the longest rows of A, B and D, which
 * are in b->longest, no row can have many more products than the mean. Sets *done to whether it
 * did. */
static ek_status cut_evenly(eki_step *step, int64_t entries, eki_batches *b, bool *done)
{
	const ek_store *A = step->in[0], *B = step->in[1], *D = step->in[2];
	const int64_t a = b->longest[0], most = b->longest[1], d = b->longest[2];
	const double product = (double)A->nnz * (double)B->nnz / (double)(B->rows + !B->rows);
	const double mean = b->kind == EKI_SUM ? (double)A->nnz + (double)B->nnz : product;
	const int64_t bound = b->kind == EKI_SUM ? a + most : eki_plus(eki_times(a, most), d);
	int64_t rows;

	*done = A->rows > 0 && bound <= entries &&
	        (double)bound * (double)A->rows <= EVEN * (mean + (D ? (double)D->nnz : 0));
	if (!*done)
		return EK_OK;
	rows = entries / (bound + !bound) < EKI_BATCH_ROWS ? entries / (bound + !bound)
	                                                   : EKI_BATCH_ROWS;
	b->products = mean + (D ? (double)D->nnz : 0);
	b->row_products = bound;
	b->row_bound = bound < B->cols ? bound : B->cols;
	b->bound = (double)A->rows * (double)b->row_bound;
	b->even = true;
	b->entries = (rows < A->rows ? rows : A->rows) * bound;
	b->count = eki_groups(A->rows, rows);
	EK_RETURN_IF(eki_step_alloc(step, b->count + 1, sizeof *b->begin, &b->begin));
	for (int64_t k = 0; k <= b->count; k++)
		b->begin[k] = eki_group(A->rows, rows, k);
	return EK_OK;
}

ek_status eki_batches_make(eki_step *step, eki_result_kind kind, int64_t entries, eki_batches *b)
{
	static cut_fn *const cut[EK_NTYPE] = EK_BY_TYPE(cut_rows);
	const ek_store *A = step->in[0], *B = step->in[1];
	const int parts = eki_parts(step->ctx, A->nnz + A->rows);
	struct cut_job job = {.cut = cut[eki_type(A->value, A->index)],
	                      .parts = parts < PARTS ? parts : PARTS};
	const int64_t words = eki_groups(A->rows, 64);
	uint64_t *first;
	bool done;

	*b = (eki_batches){.kind = kind};
	find_longest(step, b->longest);
	b->row_lists = b->longest[0] + 1;
	EK_RETURN_IF(cut_evenly(step, entries, b, &done));
	if (done)
		return EK_OK;
	/* The marks stay with the plan, so that ek_plan_memory counts them. */
	EK_RETURN_IF(eki_step_alloc(step, words, sizeof *first, &first));
	for (int part = 0; part < job.parts; part++)
		job.part[part] = (eki_batch_cut){.A = A,
		                                 .B = B,
		                                 .D = step->in[2],
		                                 .kind = kind,
		                                 .entries = entries,
		                                 .first = first};
	eki_parallel(step->ctx, step->threads, job.parts, cut_part, &job);
	for (int part = 0; part < job.parts; part++) {
		b->products += job.part[part].products;
		b->bound += job.part[part].bound;
		b->row_products = larger(b->row_products, job.part[part].row_products);
	}
	b->row_bound = b->row_products < B->cols ? b->row_products : B->cols;
	b->entries = larger(b->row_bound,
	                    b->products < (double)entries ? (int64_t)b->products : entries);
	return list(step, first, b);
}

#endif
