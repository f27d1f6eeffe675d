/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR in two steps: the products of a segment of entries are stored in a small buffer in
 * the first-level cache, then rows are summed from that buffer. This is CSR-Stream of the
 * literature, with the buffer in place of a GPU's local memory.
 *
 * The first step ignores rows: it uses full vectors, has no branch that depends on row lengths, and
 * keeps many fetches of x in flight. The second step sums W rows together as in csr_vector.c, from
 * memory that is always in the cache. So the gain is largest if there are many short rows of
 * changing length and x does not fit the cache. Rows that do not fit the buffer are multiplied by
 * the kernel of csr_vector.c.
 *
 * Threads get the same number of rows plus entries; rows are cut where needed (merge path). Reads
 * each array once. Greathouse, Daga 2014, section III.A; the cut is that of Merrill, Garland
 * 2016. */
#include <string.h>

#include "spmv/csr_vector.h"
#define EK_FILE "spmv/csr_stream.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

#include "drive/finish.h"
#include "spmv/products.h"

#ifndef EK_STREAM_BUFFER
#define EK_STREAM_BUFFER
enum { BUFFER = 1024 }; /* number of entries: 8 KiB of doubles, a sixth of a first-level cache */
#endif

static void FN(csr_stream)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	const int64_t last = row_ptr[end];
	int64_t i = begin, base = row_ptr[begin];
	int64_t filled = base; /* `buf` has the products of entries [base, filled) */
	const VAL *y0 = v->y0.data;
	VAL buf[BUFFER + W], *y = v->y.data;

	for (; i + W <= end; i += W) {
		int64_t start = row_ptr[i], stop = row_ptr[i + W];

		if (stop - start > BUFFER) {
			EK_PASS_OF(eki_csr_vector)(A, v, i, i + W);
			base = filled = stop;
			continue;
		}
		if (stop > filled) {
			int64_t most = last - start < BUFFER ? last : start + BUFFER;

			if (filled > start)
				memmove(buf, buf + (start - base),
				        (size_t)(filled - start) * sizeof *buf);
			else
				filled = start;
			base = start;
			FN(products)(col_idx, val, x, filled, most, buf + (filled - base));
			filled = most;
		}

		const vec sums = FN(buffer_rows)(buf, base, row_ptr + i);

		FN(finish_rows)(sums, alpha, beta, y0 + i, y + i);
	}
	if (i < end)
		EK_PASS_OF(eki_csr_vector)(A, v, i, end);
}

#if EK_ONCE

static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr_stream);
	int type = eki_type(step->in[0]->value, step->in[0]->index);

	return eki_split_prepare(step, EKI_SPLIT_MERGE, rows[step->isa][type],
	                         eki_csr_dot[step->isa][type]);
}

static double cost(const eki_features *f)
{
	const double branches =
		f->machine->mixed_rows * f->mixed_share * f->short_share * (1 - f->short_share);

	return f->machine->call +
	       eki_cost(f, f->csr_bytes,
	                eki_work_csr(f, EKI_LOOP_STREAM) + branches * (double)f->stats.rows);
}

const ek_method ek_spmv_csr_stream = {
	.name = "spmv.csr.stream",
	.text = "CSR-Stream: products to a buffer in cache, then sums of rows; work cut by merge "
		"path",
	.source = "Greathouse and Daga 2014, section III.A; Merrill and Garland 2016",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_BASE1_N,
	.cost = cost,
	.prepare = prepare,
	.run = eki_split_run,
};

#endif
