/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR with SIMD inside each row: CSR-vector of the works. Threads get whole rows, cut so
 * that each has as many rows plus entries as the others.
 *
 * The cost of a vector on short rows is the sum of its lanes at the end of each row. Here W rows
 * share it: each row leaves one vector of partial sums, and a W x W transposition with additions on
 * the way makes W sums at once, about three instructions a row. A masked load takes the last
 * entries of a row, so a row of up to W entries needs no branch. Four accumulators for rows of more
 * than 4 W entries hide the latency of the additions.
 *
 * Reads each array once. Bell, Garland 2009; Liu 2015, Algorithm 29. */
#include "spmv/csr_vector.h"
#define EK_FILE "spmv/csr_vector.c"
#include "core/for_each.h"

#include "spmv/finish.h"
#include "spmv/row_sums.h"

static void FN(csr_vector)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x;
	const VAL alpha = (VAL)v->alpha, beta = (VAL)v->beta;
	const VAL *y0 = v->y0;
	VAL *y = v->y;
	int64_t i = begin;

	for (; i + W <= end; i += W) {
		vec row[W];

		EK_UNROLL
		for (int r = 0; r < W; r++)
			row[r] = FN(row_sums)(col_idx, val, x, row_ptr[i + r], row_ptr[i + r + 1]);
		FN(finish_rows)(vsum_rows(row), alpha, beta, y0 + i, y + i);
	}
	for (; i < end; i++) {
		vec row = FN(row_sums)(col_idx, val, x, row_ptr[i], row_ptr[i + 1]);

		FN(finish_row)(vsum(row), alpha, beta, y0 + i, y + i);
	}
}

#if EK_ONCE

eki_rows_fn *const eki_csr_vector[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr_vector);

static ek_status prepare(ek_plan *p)
{
	int type = eki_type(p->store->value, p->store->index);

	return eki_split_prepare(p, EKI_SPLIT_ROWS, eki_csr_vector[p->isa][type], NULL);
}

/* `branches`: rows of changing length around the width of a vector. `misses`: a short row leaves
 * lanes of a gather empty, so fewer fetches of a scattered x are under way at once. */
double eki_csr_vector_work(const eki_features *f)
{
	static const eki_speed speed[EK_NISA] = {{1.0, 0.6}, {1.9, 0.3}, {1.9, 0.2}};
	double branches = 4 * f->mixed_share * f->short_share * (1 - f->short_share);
	double misses = 12 * f->mixed_share * f->far_share * fmax(0, 1 - f->stats.row_mean / 6);

	if ((double)f->stats.cols * (double)ek_value_size(f->value) < EKI_L2_BYTES)
		misses = 0;
	return eki_work(f, speed) + (branches + misses) * (double)f->stats.rows;
}

static double cost(const eki_features *f)
{
	return eki_cost_uncut(f, eki_csr_vector_work(f));
}

const ek_method ek_spmv_csr_vector = {
	.name = "spmv.csr.vector",
	.text = "CSR-vector: SIMD inside a row, sums of several rows together, whole rows for each "
		"thread",
	.source = "Bell and Garland 2009; Liu 2015, Algorithm 29",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_BASE1_N,
	.cost = cost,
	.prepare = prepare,
	.run = eki_split_run,
};

#endif
