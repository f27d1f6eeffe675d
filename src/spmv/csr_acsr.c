/* SPDX-License-Identifier: BSD-3-Clause
 * ACSR: CSR stays as it is, a list sorts the rows into bins by length, and each bin has a kernel
 * made for that length, so that no branch depends on the length of a single row.
 *
 * Rows without entries, and rows of exactly 1, 2, 3 and 4 entries, have bins of their own, whose
 * code has no loop over entries. Longer rows are in bins of up to 8, 16, 32 ... entries. They are
 * multiplied W rows at a time, with a vector of partial sums for each row. Each y_i is written
 * once, to scattered places.
 *
 * On a GPU a bin contains rows of the whole matrix. With such bins, a CPU would read a cache line
 * once for each bin that has a row in the line (half the speed, measured). So each strip of up to
 * 1024 entries and 256 rows has bins of its own. The strip stays in the first-level cache while its
 * bins are processed, and one byte for each row is enough to list its rows. Threads get the same
 * number of rows plus entries (merge path). Each of the few longest rows, for which the original
 * uses child grids, is shared by several threads, whose sums are added in a fixed order (split.c).
 *
 * For op T, entries are cut evenly and each thread adds to sums of its own for the columns in which
 * it has entries (csr_transposed.c). There, too, the bins avoid a loop for each short row. A strip
 * that is cut by the beginning or the end of a thread's share is multiplied row by row, without
 * bins.
 *
 * Cost: a run reads CSR once, and in addition 1 byte a row and 18 bytes a strip. Preparation reads
 * row_ptr twice.
 *
 * Liu 2015, section 5.4.7; Ashari, Sedaghati, Eisenlohr, Parthasarathy, Sadayappan 2014. */
#include "prim_body/scan.h"
#include "spmv/csr_transposed.h"
#include "spmv/row_blocks.h"
#define EK_FILE "spmv/csr_acsr.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

#include "drive/finish.h"
#include "drive/row_sums.h"

#ifndef EK_ACSR_STATE
#define EK_ACSR_STATE
enum {
	EXACT = 4,     /* bins 0 to 4 have the rows of exactly 0 to 4 entries */
	BINS = 20,     /* bin 5 has rows of up to 8 entries, bin 6 up to 16 ..., bin 19 the rest */
	ROWS = 256,    /* maximum number of rows in a strip, so that a byte can identify a row */
	ENTRIES = 1024 /* maximum number of entries in a strip, except if a single row has more */
};

typedef struct strips {
	int64_t count, *first;
	uint16_t (*end)[EXACT + 1]; /* for each strip, positions in its list where bins 0..4 end */
	uint8_t *list;              /* rows of each strip, bin by bin, counted from its first row */
} strips;
#endif

/* The operands of a strip; y, y0 and row_ptr begin with its first row. */
typedef struct FN(acsr) {
	const PTR *row_ptr;
	const IDX *col_idx;
	const VAL *val, *x;
	VAL alpha, beta, *y;
	const VAL *y0;
} FN(acsr);

/* Multiplies n rows of `len` entries each; `len` is 1 to 4. */
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

/* Returns W partial sums of row i. */
static EK_ONE_OF_W vec FN(acsr_row)(const FN(acsr) *s, int64_t i)
{
	return FN(row_sums)(s->col_idx, s->val, s->x, s->row_ptr[i], s->row_ptr[i + 1]);
}

/* Multiplies n <= W rows of any length. */
static inline void FN(acsr_group)(const FN(acsr) s, const uint8_t *list, int n)
{
	vec row[W];
	VAL sum[W];

	EK_UNROLL
	for (int r = 0; r < W; r++)
		row[r] = r < n ? FN(acsr_row)(&s, list[r]) : vzero();
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

static void FN(csr_acsr)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const strips *all = v->aux;
	struct FN(acsr) s = {.col_idx = A->array[CSR_COL],
	                     .val = A->array[CSR_VAL],
	                     .x = v->x.data,
	                     .alpha = EK_SCALAR(v->alpha),
	                     .beta = EK_SCALAR(v->beta)};

	for (int64_t t = eki_row_block_of(all->first, all->count, begin);
	     t < all->count && all->first[t] < end; t++) {
		const int64_t i = all->first[t], rows = all->first[t + 1] - i;

		s.row_ptr = (const PTR *)A->array[CSR_PTR] + i;
		s.y = (VAL *)v->y.data + i;
		s.y0 = (const VAL *)v->y0.data + i;
		FN(acsr_strip)(s, all->list + i, all->end[t], rows);
	}
}

/* ---- Op T: x and row_ptr begin with the strip's first row, y with the sum of column `first` -- */

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

/* Multiplies rows [begin, end) for op T. Strips that are only partly in the range are multiplied
 * row by row, without bins. */
static void FN(acsr_rows_t)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                            int64_t first, void *sum)
{
	const strips *all = v->aux;
	const PTR *row_ptr = A->array[CSR_PTR];
	eki_scatter_fn *const entries = EK_PASS_OF(eki_csr_scatter);
	int64_t t = eki_row_block_of(all->first, all->count, begin), i = all->first[t];
	struct FN(acsr) s = {.col_idx = A->array[CSR_COL],
	                     .val = A->array[CSR_VAL],
	                     .alpha = EK_SCALAR(v->alpha),
	                     .y = sum};

	if (i < begin) {
		i = all->first[++t] < end ? all->first[t] : end;
		entries(A, v, row_ptr[begin], row_ptr[i], first, sum);
	}
	for (; i < end && all->first[t + 1] <= end; i = all->first[++t]) {
		const int64_t rows = all->first[t + 1] - i;

		s.row_ptr = row_ptr + i;
		s.x = (const VAL *)v->x.data + i;
		FN(acsr_strip_t)(s, all->list + i, all->end[t], rows, first);
	}
	entries(A, v, row_ptr[i], row_ptr[end], first, sum);
}

static void FN(acsr_t)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
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

/* Lists the rows of strip t bin by bin, in ascending order within a bin. */
static void fill_strip(const ek_store *A, strips *s, int64_t t)
{
	const int64_t first = s->first[t], rows = s->first[t + 1] - first;
	uint8_t *list = s->list + first, bin[ROWS];
	int at[BINS + 1] = {0};

	for (int64_t i = 0; i < rows; i++) {
		bin[i] = (uint8_t)bin_of(eki_ptr_at(A, first + i + 1) - eki_ptr_at(A, first + i));
		at[bin[i] + 1]++;
	}
	eki_inclusive_sum(at, BINS + 1);
	for (int b = 0; b <= EXACT; b++)
		s->end[t][b] = (uint16_t)at[b + 1];
	for (int64_t i = 0; i < rows; i++)
		list[at[bin[i]]++] = (uint8_t)i;
}

static void fill_part(void *arg, int part)
{
	const eki_step *step = arg;
	strips *s = step->aux;

	for (int64_t t = eki_cut(s->count, step->parts, part);
	     t < eki_cut(s->count, step->parts, part + 1); t++)
		fill_strip(step->in[0], s, t);
}

/* Cuts the rows that lie wholly in one part into strips. A row that several parts share becomes a
 * strip of its own, so that the strips have no gaps; no part multiplies such a strip. */
static void cut_strips(const eki_step *step, strips *s, eki_row_limit limit)
{
	s->count = 0;
	s->first[0] = 0;
	for (int part = 0; part < step->parts; part++) {
		int64_t begin, end;

		eki_split_whole(step, part, &begin, &end);
		if (begin > s->first[s->count])
			s->first[++s->count] = begin;
		s->count += eki_row_blocks(step->in[0], begin, end, limit, s->first + s->count);
	}
}

static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr_acsr);
	static eki_scatter_fn *const transposed[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(acsr_t);
	const eki_row_limit limit = {ENTRIES, ROWS};
	const ek_store *A = step->in[0];
	const int type = eki_type(A->value, A->index);
	strips *s;

	if (step->op[0] == EK_OP_T)
		EK_RETURN_IF(eki_csr_scatter_prepare(step, transposed[step->isa][type]));
	else
		EK_RETURN_IF(eki_split_prepare(step, EKI_SPLIT_MERGE, rows[step->isa][type],
		                               eki_csr_dot[step->isa][type]));

	/* The bound is for a matrix that is cut as a whole, but each part is cut on its own. So a
	 * part may need 4 more strips: 3 for rounding in its own bound, and 1 for a row that it
	 * shares. */
	const int64_t most = eki_row_blocks_most(A->rows, A->nnz, limit) + 4 * (int64_t)step->parts;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	EK_RETURN_IF(eki_step_alloc(step, most + 1, sizeof *s->first, &s->first));
	EK_RETURN_IF(eki_step_alloc(step, most, sizeof *s->end, &s->end));
	EK_RETURN_IF(eki_step_alloc(step, A->rows, sizeof *s->list, &s->list));
	if (step->op[0] == EK_OP_T)
		s->count = eki_row_blocks(A, 0, A->rows, limit, s->first);
	else
		cut_strips(step, s, limit);
	step->aux = s;
	step->bytes += A->rows + s->count * (int64_t)(sizeof *s->first + sizeof *s->end);
	eki_parallel(step->ctx, step->threads, step->parts, fill_part, step);
	return EK_OK;
}

const ek_method ek_spmv_csr_acsr = {
	.name = "spmv.csr.acsr",
	.text = "ACSR: a list of rows in bins by length, a kernel for each bin",
	.source = "Liu 2015, section 5.4.7; Ashari et al. 2014",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_BASE1_N | EKI_BASE1_T,
	.prepare = prepare,
	.run = eki_csr_either_run,
};

#endif
