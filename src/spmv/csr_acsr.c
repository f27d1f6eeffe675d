/* SPDX-License-Identifier: BSD-3-Clause
 * ACSR: a list of the rows in bins by length, beside intact CSR, and for each bin a kernel made for
 * that length, so that no branch depends on the length of a single row.
 *
 * Rows without entries, and those of one to four, have bins of their own with straight code; longer
 * ones, in bins up to 8, 16, 32 ... entries, are taken W at a time, a vector of partial sums each.
 * y_i is written where row i is: scattered, once.
 *
 * On a GPU the bins span the matrix. Here that would read every cache line once for each bin that
 * has a row in it (half the speed, measured), so each strip of up to 1024 entries and 256 rows has
 * bins of its own: all lie in the first-level cache while its bins are gone through, and a byte for
 * each row is enough to list them. Threads get the same number of rows plus entries (merge path);
 * the few longest rows are summed by as many threads as they are worth, in the place of the
 * original's child grids, their sums added in a fixed order (split.c).
 *
 * Transposed, entries are cut evenly and added to a strip of columns of each thread
 * (csr_transposed.c); the bins spare a loop for each short row there. What is left of strips of
 * rows at the ends of a thread's share goes row by row.
 *
 * Reads CSR once, a byte a row and 18 bytes a strip. Preparation reads row_ptr twice.
 *
 * Liu 2015, section 5.4.7; Ashari, Sedaghati, Eisenlohr, Parthasarathy, Sadayappan 2014. */
#include "spmv/csr_transposed.h"
#include "spmv/row_blocks.h"
#define EK_FILE "spmv/csr_acsr.c"
#include "core/for_each.h"

#include "spmv/finish.h"
#include "spmv/row_sums.h"

#ifndef EK_ACSR_STATE
#define EK_ACSR_STATE
enum {
	EXACT = 4,  /* bins 0 to 4: rows with just as many entries */
	BINS = 20,  /* bin 5: up to 8, bin 6: up to 16 ..., the last: whatever is longer */
	ROWS = 256, /* of a strip at most, so that a byte tells which */
	ENTRIES = 1024
};

typedef struct strips {
	int64_t count, *first;
	uint16_t (*end)[EXACT + 1]; /* of each strip: where the exact bins end in its list */
	uint8_t *list;              /* rows of each strip from its first on, bin by bin */
} strips;
#endif

/* A strip: y, y0 and row_ptr from its first row on. */
typedef struct FN(acsr) {
	const PTR *row_ptr;
	const IDX *col_idx;
	const VAL *val, *x;
	VAL alpha, beta, *y;
	const VAL *y0;
} FN(acsr);

/* n rows of `len` entries each, 1 to 4. */
static inline void FN(acsr_exact)(const FN(acsr) s, const uint8_t *list, int n, int len)
{
	for (int r = 0; r < n; r++) {
		const int64_t i = list[r], k = s.row_ptr[i];
		const IDX *c = s.col_idx + k;
		const VAL *a = s.val + k;
		VAL sum = a[0] * s.x[c[0]];

		EK_AHEAD(a);
		EK_AHEAD(c);
		if (len > 1)
			sum += a[1] * s.x[c[1]];
		if (len > 2)
			sum += a[2] * s.x[c[2]];
		if (len > 3)
			sum += a[3] * s.x[c[3]];
		FN(finish_row)(sum, s.alpha, s.beta, s.y0 + i, s.y + i);
	}
}

/* n rows, W at most. */
static inline void FN(acsr_group)(const FN(acsr) s, const uint8_t *list, int n)
{
	vec row[W];
	VAL sum[W];

	EK_UNROLL
	for (int r = 0; r < W; r++)
		row[r] = r < n ? FN(row_sums)(s.col_idx, s.val, s.x, s.row_ptr[list[r]],
		                              s.row_ptr[list[r] + 1])
		               : vzero();
	vstore(sum, vmul(vset1(s.alpha), vsum_rows(row)));
	if (s.beta == 0)
		for (int r = 0; r < n; r++)
			s.y[list[r]] = sum[r];
	else
		for (int r = 0; r < n; r++)
			s.y[list[r]] = sum[r] + s.beta * s.y0[list[r]];
}

static void FN(acsr_strip)(const FN(acsr) s, const uint8_t *list, const uint16_t *bin, int64_t rows)
{
	int64_t r = 0;

	for (; r < bin[0]; r++)
		FN(finish_none)(s.beta, s.y0 + list[r], s.y + list[r], 1);
	FN(acsr_exact)(s, list + bin[0], bin[1] - bin[0], 1);
	FN(acsr_exact)(s, list + bin[1], bin[2] - bin[1], 2);
	FN(acsr_exact)(s, list + bin[2], bin[3] - bin[2], 3);
	FN(acsr_exact)(s, list + bin[3], bin[4] - bin[3], 4);
	for (r = bin[4]; r + W <= rows; r += W)
		FN(acsr_group)(s, list + r, W);
	if (r < rows)
		FN(acsr_group)(s, list + r, (int)(rows - r));
}

static void FN(csr_acsr)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end)
{
	const strips *all = v->kept;
	FN(acsr)
	s = {.col_idx = A->array[CSR_COL],
	     .val = A->array[CSR_VAL],
	     .x = v->x,
	     .alpha = (VAL)v->alpha,
	     .beta = (VAL)v->beta};

	for (int64_t t = eki_row_block_of(all->first, all->count, begin);
	     t < all->count && all->first[t] < end; t++) {
		s.row_ptr = (const PTR *)A->array[CSR_PTR] + all->first[t];
		s.y = (VAL *)v->y + all->first[t];
		s.y0 = (const VAL *)v->y0 + all->first[t];
		FN(acsr_strip)
		(s, all->list + all->first[t], all->end[t], all->first[t + 1] - all->first[t]);
	}
}

/* ---- Transposed: x, row_ptr are those of a strip, y is the sums of columns from `first` on --- */

static inline void FN(acsr_exact_t)(const FN(acsr) s, const uint8_t *list, int n, int len,
                                    int64_t first)
{
	for (int r = 0; r < n; r++) {
		const int64_t k = s.row_ptr[list[r]];
		const VAL xi = s.alpha * s.x[list[r]];

		EK_AHEAD(s.val + k);
		EK_AHEAD(s.col_idx + k);
		for (int j = 0; j < len; j++)
			s.y[s.col_idx[k + j] - first] += s.val[k + j] * xi;
	}
}

static void FN(acsr_strip_t)(const FN(acsr) s, const uint8_t *list, const uint16_t *bin,
                             int64_t rows, int64_t first)
{
	FN(acsr_exact_t)(s, list + bin[0], bin[1] - bin[0], 1, first);
	FN(acsr_exact_t)(s, list + bin[1], bin[2] - bin[1], 2, first);
	FN(acsr_exact_t)(s, list + bin[2], bin[3] - bin[2], 3, first);
	FN(acsr_exact_t)(s, list + bin[3], bin[4] - bin[3], 4, first);
	for (int64_t r = bin[4]; r < rows; r++) {
		const int64_t end = s.row_ptr[list[r] + 1];
		const VAL xi = s.alpha * s.x[list[r]];
		int64_t k = s.row_ptr[list[r]];

		EK_AHEAD(s.val + k);
		EK_AHEAD(s.val + k + W);
		EK_AHEAD(s.col_idx + k);
		for (; k < end; k++)
			s.y[s.col_idx[k] - first] += s.val[k] * xi;
	}
}

/* Rows of strips that reach beyond [begin, end) go entry by entry. */
static void FN(acsr_rows_t)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end,
                            int64_t first, void *sum)
{
	const strips *all = v->kept;
	const PTR *row_ptr = A->array[CSR_PTR];
	eki_scatter_fn *const entries = EK_PASS_OF(eki_csr_scatter);
	int64_t t = eki_row_block_of(all->first, all->count, begin), i = all->first[t];
	FN(acsr)
	s = {.col_idx = A->array[CSR_COL],
	     .val = A->array[CSR_VAL],
	     .alpha = (VAL)v->alpha,
	     .y = sum};

	if (i < begin) {
		i = all->first[++t] < end ? all->first[t] : end;
		entries(A, v, row_ptr[begin], row_ptr[i], first, sum);
	}
	for (; i < end && all->first[t + 1] <= end; i = all->first[++t]) {
		s.row_ptr = row_ptr + i;
		s.x = (const VAL *)v->x + i;
		FN(acsr_strip_t)
		(s, all->list + i, all->end[t], all->first[t + 1] - i, first);
	}
	entries(A, v, row_ptr[i], row_ptr[end], first, sum);
}

static void FN(acsr_t)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end,
                       int64_t first, void *sum)
{
	eki_csr_scatter_rows(A, v, begin, end, first, sum, EK_PASS_OF(eki_csr_scatter),
	                     FN(acsr_rows_t));
}

#if EK_ONCE

static int bin_of(int64_t n)
{
	int b = EXACT;

	if (n <= EXACT)
		return (int)n;
	while (b < BINS - 1 && n > (int64_t)1 << (b - 2))
		b++;
	return b;
}

/* Rows of strip t to their bins, in order. */
static void fill_strip(const ek_store *A, strips *s, int64_t t)
{
	const int64_t first = s->first[t], rows = s->first[t + 1] - first;
	uint8_t *list = s->list + first, bin[ROWS];
	int at[BINS + 1] = {0};

	for (int64_t i = 0; i < rows; i++) {
		bin[i] = (uint8_t)bin_of(eki_ptr_at(A, first + i + 1) - eki_ptr_at(A, first + i));
		at[bin[i] + 1]++;
	}
	for (int b = 0; b < BINS; b++)
		at[b + 1] += at[b];
	for (int b = 0; b <= EXACT; b++)
		s->end[t][b] = (uint16_t)at[b + 1];
	for (int64_t i = 0; i < rows; i++)
		list[at[bin[i]]++] = (uint8_t)i;
}

static void fill_part(void *arg, int part)
{
	const ek_plan *p = arg;
	strips *s = p->kept;

	for (int64_t t = eki_cut(s->count, p->parts, part);
	     t < eki_cut(s->count, p->parts, part + 1); t++)
		fill_strip(p->store, s, t);
}

/* The rows that a part has whole, in strips. Rows that parts share are strips of their own, so that
 * strips follow each other; no part asks for those. */
static void cut_strips(const ek_plan *p, strips *s, eki_row_limit limit)
{
	s->count = 0;
	s->first[0] = 0;
	for (int part = 0; part < p->parts; part++) {
		int64_t begin, end;

		eki_split_whole(p, part, &begin, &end);
		if (begin > s->first[s->count])
			s->first[++s->count] = begin;
		s->count += eki_row_blocks(p->store, begin, end, limit, s->first + s->count);
	}
}

static ek_status prepare(ek_plan *p)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr_acsr);
	static eki_scatter_fn *const turned[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(acsr_t);
	const eki_row_limit limit = {ENTRIES, ROWS};
	const ek_store *A = p->store;
	const int type = eki_type(A->value, A->index);
	strips *s;

	if (p->op == EK_OP_T)
		EK_RETURN_IF(eki_csr_scatter_prepare(p, turned[p->isa][type]));
	else
		EK_RETURN_IF(eki_split_prepare(p, EKI_SPLIT_MERGE, rows[p->isa][type],
		                               eki_csr_dot[p->isa][type]));

	/* What rounding down leaves of each part, and the row that it shares. */
	const int64_t most = eki_row_blocks_most(A->rows, A->nnz, limit) + 4 * (int64_t)p->parts;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	EK_RETURN_IF(eki_plan_alloc(p, most + 1, sizeof *s->first, &s->first));
	EK_RETURN_IF(eki_plan_alloc(p, most, sizeof *s->end, &s->end));
	EK_RETURN_IF(eki_plan_alloc(p, A->rows, sizeof *s->list, &s->list));
	if (p->op == EK_OP_T)
		s->count = eki_row_blocks(A, 0, A->rows, limit, s->first);
	else
		cut_strips(p, s, limit);
	p->kept = s;
	p->bytes += A->rows + s->count * (int64_t)(sizeof *s->first + sizeof *s->end);
	eki_parallel(p->threads, p->parts, fill_part, p);
	return EK_OK;
}

const ek_method ek_spmv_csr_acsr = {
	.name = "spmv.csr.acsr",
	.text = "ACSR: a list of rows in bins by length, a kernel for each bin",
	.source = "Liu 2015, section 5.4.7; Ashari et al. 2014",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_BASE1_N | EKI_BASE1_T,
	.prepare = prepare,
	.run = eki_csr_either_run,
};

#endif
