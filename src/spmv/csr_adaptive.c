/* SPDX-License-Identifier: BSD-3-Clause
 * CSR-Adaptive: blocks of consecutive rows, made once beside intact CSR (row_blocks.c), and for
 * each block the kernel that fits its rows.
 *
 * A block of short rows is streamed: the products of all its entries go to a buffer in the
 * first-level cache by full vectors, then its rows are summed from there. Blocks of longer rows,
 * single long ones among them, go through the kernel of csr_vector.c, neighbours together. Threads
 * get the same number of rows plus entries (merge path): blocks are cut where need be, and a very
 * long row is summed by as many threads as its share asks for, their sums added in a fixed order
 * (split.c).
 *
 * A block has up to 1024 entries and 1024 rows: 8 KiB of doubles, a sixth of a first-level cache,
 * leaves room for what passes through it (512 is as good, 256 and 4096 lose 3 to 10 % on some
 * matrices). Streaming pays up to three entries a row, where a vector for each row would be mostly
 * empty: 15 to 30 % then, while blocks of rows of 4 to 6 lose as much by it (measured with 8 lanes
 * of doubles). Without vectors nothing is streamed.
 *
 * Transposed, entries are cut evenly and added to a strip of each thread, as in csr_transposed.c.
 * There a loop for each row costs its end, which the processor cannot foresee, so blocks of up to
 * 16 entries a row are streamed the other way round: x of each row is spread over the buffer, then
 * one loop takes all entries of the block (1.1 to 1.5 times as fast where lengths differ, 0.9 where
 * all are four).
 *
 * Reads each array once, and 8 bytes a block.
 *
 * Greathouse and Daga 2014, section III, Algorithms 2 to 4. There a block of more than two rows is
 * streamed, since lanes of a GPU idle otherwise. */
#include "spmv/csr_transposed.h"
#include "spmv/csr_vector.h"
#include "spmv/row_blocks.h"
#define EK_FILE "spmv/csr_adaptive.c"
#include "core/for_each.h"

#include "spmv/finish.h"
#include "spmv/products.h"

#ifndef EK_ADAPTIVE_BLOCK
#define EK_ADAPTIVE_BLOCK
enum {
	BLOCK = 1024, /* entries, and rows, of a block at most */
	SHORT = 3,    /* entries a row on average: a block up to that is streamed */
	SHORT_T = 16  /* the same, transposed */
};

typedef struct row_blocks {
	int64_t count, *first;
} row_blocks;
#endif

/* Rows [begin, end) of a block of short rows. */
static inline void FN(adaptive_stream)(const ek_store *A, const ek_args *v, int64_t begin,
                                       int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const VAL alpha = (VAL)v->alpha, beta = (VAL)v->beta;
	const int64_t base = row_ptr[begin];
	const VAL *y0 = v->y0;
	VAL buf[BLOCK], *y = v->y;
	int64_t i = begin;

	FN(products)(A->array[CSR_COL], A->array[CSR_VAL], v->x, base, row_ptr[end], buf);
	for (; i + W <= end; i += W)
		FN(finish_rows)
		(FN(buffer_rows)(buf, base, row_ptr + i), alpha, beta, y0 + i, y + i);
	for (; i < end; i++) {
		const vec row =
			FN(buffer_sums)(buf + (row_ptr[i] - base), row_ptr[i + 1] - row_ptr[i]);

		FN(finish_row)(vsum(row), alpha, beta, y0 + i, y + i);
	}
}

static void FN(csr_adaptive)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const row_blocks *s = v->kept;
	int64_t done = begin; /* rows from there up to i are for csr_vector.c */

	for (int64_t b = eki_row_block_of(s->first, s->count, begin), i = begin; i < end; b++) {
		const int64_t stop = s->first[b + 1] < end ? s->first[b + 1] : end;

		if (W > 1 && row_ptr[stop] - row_ptr[i] <= SHORT * (stop - i)) {
			if (done < i)
				EK_PASS_OF(eki_csr_vector)(A, v, done, i);
			FN(adaptive_stream)(A, v, i, stop);
			done = stop;
		}
		i = stop;
	}
	if (done < end)
		EK_PASS_OF(eki_csr_vector)(A, v, done, end);
}

/* Rows [begin, end) of a block, transposed: the x of each row goes to the places of its entries in
 * the buffer, by full vectors of which the next row takes what is too much. */
static inline void FN(adaptive_spread)(const ek_store *A, const ek_args *v, int64_t begin,
                                       int64_t end, int64_t first, VAL *sum)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const int64_t base = row_ptr[begin], n = row_ptr[end] - base;
	const IDX *col_idx = (const IDX *)A->array[CSR_COL] + base;
	const VAL *val = (const VAL *)A->array[CSR_VAL] + base, *x = v->x;
	const VAL alpha = (VAL)v->alpha;
	VAL buf[BLOCK + W];
	int64_t k = 0;

	for (int64_t i = begin; i < end; i++) {
		const vec xi = vset1(alpha * x[i]);
		int64_t at = row_ptr[i] - base;

		do {
			vstore(buf + at, xi);
			at += W;
		} while (at < row_ptr[i + 1] - base);
	}
	for (; k + W <= n; k += W) {
		EK_AHEAD(val + k);
		EK_AHEAD(col_idx + k);
		for (int64_t j = k; j < k + W; j++)
			sum[col_idx[j] - first] += val[j] * buf[j];
	}
	for (; k < n; k++)
		sum[col_idx[k] - first] += val[k] * buf[k];
}

static void FN(adaptive_rows_t)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end,
                                int64_t first, void *sum)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const row_blocks *s = v->kept;
	eki_scatter_fn *const entries = EK_PASS_OF(eki_csr_scatter);
	int64_t done = begin; /* rows from there up to i are for csr_transposed.c */

	for (int64_t b = eki_row_block_of(s->first, s->count, begin), i = begin; i < end; b++) {
		const int64_t stop = s->first[b + 1] < end ? s->first[b + 1] : end;

		if (W > 1 && row_ptr[stop] - row_ptr[i] <= SHORT_T * (stop - i)) {
			entries(A, v, row_ptr[done], row_ptr[i], first, sum);
			FN(adaptive_spread)(A, v, i, stop, first, sum);
			done = stop;
		}
		i = stop;
	}
	entries(A, v, row_ptr[done], row_ptr[end], first, sum);
}

static void FN(adaptive_t)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end,
                           int64_t first, void *sum)
{
	eki_csr_scatter_rows(A, v, begin, end, first, sum, EK_PASS_OF(eki_csr_scatter),
	                     FN(adaptive_rows_t));
}

#if EK_ONCE

static ek_status prepare(ek_plan *p)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr_adaptive);
	static eki_scatter_fn *const turned[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(adaptive_t);
	const ek_store *A = p->store;
	const int type = eki_type(A->value, A->index);
	const eki_row_limit limit = {BLOCK, BLOCK};
	row_blocks *s;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	EK_RETURN_IF(eki_plan_alloc(p, eki_row_blocks_most(A->rows, A->nnz, limit) + 1,
	                            sizeof *s->first, &s->first));
	s->count = eki_row_blocks(A, 0, A->rows, limit, s->first);
	p->kept = s;
	p->bytes += s->count * (int64_t)sizeof *s->first;
	if (p->op == EK_OP_T)
		return eki_csr_scatter_prepare(p, turned[p->isa][type]);
	return eki_split_prepare(p, EKI_SPLIT_MERGE, rows[p->isa][type], eki_csr_dot[p->isa][type]);
}

const ek_method ek_spmv_csr_adaptive = {
	.name = "spmv.csr.adaptive",
	.text = "CSR-Adaptive: row blocks, streamed through a buffer where rows are short",
	.source = "Greathouse and Daga 2014, section III, Algorithms 2 to 4",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_BASE1_N | EKI_BASE1_T,
	.prepare = prepare,
	.run = eki_csr_either_run,
};

#endif
