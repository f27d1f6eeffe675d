/* SPDX-License-Identifier: BSD-3-Clause
 * CSR-Adaptive: CSR stays as it is, preparation divides it into blocks of consecutive rows
 * (row_blocks.c), and each block is multiplied by the kernel that fits its rows.
 *
 * A block of short rows is streamed: its entries are multiplied in full vectors, the products are
 * stored in a buffer in the first-level cache, and the rows are summed from the buffer. Blocks of
 * longer rows, including single long rows, are multiplied by the kernel of csr_vector.c, several
 * neighbouring blocks in one call. Threads get the same number of rows plus entries (merge path):
 * blocks are cut where needed, and several threads share a very long row; their sums are added in a
 * fixed order (split.c).
 *
 * A block has up to 1024 entries and 1024 rows. The buffer for 1024 doubles takes 8 KiB, a sixth of
 * a first-level cache, and leaves space for the other data that are read (512 entries are as good,
 * 256 and 4096 lose 3 to 10 % on some matrices). Streaming is worth its cost for up to three
 * entries a row, where a vector for each row would be mostly empty. It gains 15 to 30 % in such
 * blocks, and loses as much in blocks with rows of 4 to 6 entries (measured with 8 lanes of
 * doubles). In the scalar pass, which has no vectors, nothing is streamed.
 *
 * For op T, entries are cut evenly and each thread adds to a strip of its own, as in
 * csr_transposed.c. In that file the end of the loop over each row is a branch that the processor
 * cannot predict. So blocks with up to 16 entries a row are streamed in the opposite direction. The
 * x of each row is copied to the buffer once for each entry of the row, then one loop multiplies
 * all entries of the block (1.1 to 1.5 times as fast if row lengths differ, 0.9 times if all rows
 * have four entries).
 *
 * Cost: reads each array once, and 8 bytes for each block.
 *
 * Greathouse and Daga 2014, section III, Algorithms 2 to 4. In the paper every block of more than
 * two rows is streamed, since lanes of a GPU would be idle otherwise. */
#include "spmv/csr_transposed.h"
#include "spmv/csr_vector.h"
#include "spmv/row_blocks.h"
#define EK_FILE "spmv/csr_adaptive.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

#include "drive/finish.h"
#include "spmv/products.h"

#ifndef EK_ADAPTIVE_BLOCK
#define EK_ADAPTIVE_BLOCK
enum {
	BLOCK = 1024, /* maximum number of entries, and of rows, in a block */
	SHORT = 3,    /* a block is streamed up to this mean number of entries a row */
	SHORT_T = 16  /* like SHORT, but for op T */
};

typedef struct row_blocks {
	int64_t count, *first;
} row_blocks;
#endif

/* Multiplies rows [begin, end) of a block of short rows for op N. */
static inline void FN(adaptive_stream)(const ek_store *A, const eki_run *v, int64_t begin,
                                       int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	const int64_t base = row_ptr[begin];
	const VAL *y0 = v->y0.data;
	VAL buf[BLOCK], *y = v->y.data;
	int64_t i = begin;

	FN(products)(A->array[CSR_COL], A->array[CSR_VAL], v->x.data, base, row_ptr[end], buf);
	for (; i + W <= end; i += W) {
		const vec sums = FN(buffer_rows)(buf, base, row_ptr + i);

		FN(finish_rows)(sums, alpha, beta, y0 + i, y + i);
	}
	for (; i < end; i++) {
		const vec row =
			FN(buffer_sums)(buf + (row_ptr[i] - base), row_ptr[i + 1] - row_ptr[i]);

		FN(finish_row)(vsum(row), alpha, beta, y0 + i, y + i);
	}
}

static void FN(csr_adaptive)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const row_blocks *s = v->aux;
	int64_t done = begin; /* rows [done, i) are left to the kernel of csr_vector.c */

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

/* Multiplies rows [begin, end) of a block for op T. First copies alpha x of each row to the buffer,
 * to the places of the row's entries, in whole vectors. Values that a vector writes beyond the end
 * of the row are overwritten by the next row. */
static inline void FN(adaptive_spread)(const ek_store *A, const eki_run *v, int64_t begin,
                                       int64_t end, int64_t first, VAL *sum)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const int64_t base = row_ptr[begin], n = row_ptr[end] - base;
	const IDX *col_idx = (const IDX *)A->array[CSR_COL] + base;
	const VAL *val = (const VAL *)A->array[CSR_VAL] + base, *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha);
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

static void FN(adaptive_rows_t)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                                int64_t first, void *sum)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const row_blocks *s = v->aux;
	eki_scatter_fn *const entries = EK_PASS_OF(eki_csr_scatter);
	int64_t done = begin; /* rows [done, i) are left to the kernel of csr_transposed.c */

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

static void FN(adaptive_t)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                           int64_t first, void *sum)
{
	eki_csr_scatter_rows(A, v, begin, end, first, sum, EK_PASS_OF(eki_csr_scatter),
	                     FN(adaptive_rows_t));
}

#if EK_ONCE

static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr_adaptive);
	static eki_scatter_fn *const transposed[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(adaptive_t);
	const ek_store *A = step->in[0];
	const int type = eki_type(A->value, A->index);
	const eki_row_limit limit = {BLOCK, BLOCK};
	row_blocks *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	EK_RETURN_IF(eki_step_alloc(step, eki_row_blocks_most(A->rows, A->nnz, limit) + 1,
	                            sizeof *s->first, &s->first));
	s->count = eki_row_blocks(A, 0, A->rows, limit, s->first);
	step->aux = s;
	step->bytes += s->count * (int64_t)sizeof *s->first;
	if (step->op[0] == EK_OP_T)
		return eki_csr_scatter_prepare(step, transposed[step->isa][type]);
	return eki_split_prepare(step, EKI_SPLIT_MERGE, rows[step->isa][type],
	                         eki_csr_dot[step->isa][type]);
}

const ek_method ek_spmv_csr_adaptive = {
	.name = "spmv.csr.adaptive",
	.text = "CSR-Adaptive: row blocks, streamed through a buffer where rows are short",
	.source = "Greathouse and Daga 2014, section III, Algorithms 2 to 4",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_BASE1_N | EKI_BASE1_T,
	.prepare = prepare,
	.run = eki_csr_either_run,
};

#endif
