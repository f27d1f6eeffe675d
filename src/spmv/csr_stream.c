/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR in two beats: products of a stretch of entries go to a small buffer in the
 * first-level cache, then rows are summed from it. CSR-Stream of the works, with the buffer in the
 * place of a GPU's local memory.
 *
 * The first beat knows nothing of rows: full vectors, no branch that depends on row lengths, and
 * many fetches of x under way at once. The second sums W rows together as in csr_vector.c, from
 * memory that never misses. So matrices with many short rows of changing length, whose x does not
 * fit the cache, gain most; rows that would not fit the buffer go the way of csr_vector.c.
 *
 * Threads get the same number of rows plus entries, rows cut where need be (merge path). Reads each
 * array once. Greathouse, Daga 2014, section III.A; Merrill, Garland 2016 for the cut. */
#include <string.h>

#include "spmv/csr_vector.h"
#define EK_FILE "spmv/csr_stream.c"
#include "core/for_each.h"

#include "spmv/finish.h"
#include "spmv/products.h"

#ifndef EK_STREAM_BUFFER
#define EK_STREAM_BUFFER
enum { BUFFER = 1024 }; /* entries: 8 KiB of doubles, a sixth of a first-level cache */
#endif

static void FN(csr_stream)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x;
	const VAL alpha = (VAL)v->alpha, beta = (VAL)v->beta;
	const int64_t last = row_ptr[end];
	int64_t base = row_ptr[begin], filled = base,
		i = begin; /* buf has the products of [base, filled) */
	const VAL *y0 = v->y0;
	VAL buf[BUFFER + W], *y = v->y;

	for (; i + W <= end; i += W) {
		int64_t start = row_ptr[i], stop = row_ptr[i + W];

		if (stop - start > BUFFER) {
			EK_PASS_OF(eki_csr_vector)(A, v, i, i + W);
			base = filled = stop;
			continue;
		}
		if (stop > filled) {
			int64_t room = last - start < BUFFER ? last : start + BUFFER;

			if (filled > start)
				memmove(buf, buf + (start - base),
				        (size_t)(filled - start) * sizeof *buf);
			else
				filled = start;
			base = start;
			FN(products)(col_idx, val, x, filled, room, buf + (filled - base));
			filled = room;
		}

		FN(finish_rows)
		(FN(buffer_rows)(buf, base, row_ptr + i), alpha, beta, y0 + i, y + i);
	}
	if (i < end)
		EK_PASS_OF(eki_csr_vector)(A, v, i, end);
}

#if EK_ONCE

static ek_status prepare(ek_plan *p)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr_stream);
	int type = eki_type(p->store->value, p->store->index);

	return eki_split_prepare(p, EKI_SPLIT_MERGE, rows[p->isa][type], eki_csr_dot[p->isa][type]);
}

static double cost(const eki_features *f)
{
	static const eki_speed speed[EK_NISA] = {{1.5, 0.8}, {1.6, 0.4}, {1.5, 0.3}};
	double branches = 4 * f->mixed_share * f->short_share * (1 - f->short_share);

	return 100 +
	       eki_cost(f, f->csr_bytes, eki_work(f, speed) + branches * (double)f->stats.rows);
}

const ek_method ek_spmv_csr_stream = {
	.name = "spmv.csr.stream",
	.text = "CSR-Stream: products to a buffer in cache, then sums of rows; work cut by merge "
		"path",
	.source = "Greathouse and Daga 2014, section III.A; Merrill and Garland 2016",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_BASE1_N,
	.cost = cost,
	.prepare = prepare,
	.run = eki_split_run,
};

#endif
