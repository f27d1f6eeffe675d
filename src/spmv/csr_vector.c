/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR with SIMD inside each row: this is CSR-vector of the literature. Threads get whole
 * rows, so that each thread has about the same number of rows plus entries.
 *
 * With short rows, most of the cost of vectors is adding up the lanes at the end of each row. Here
 * W rows share that cost: each row leaves one vector of partial sums. A W x W transposition, with
 * additions between its steps, then gives all W sums at once, at about three instructions a row.
 * The last entries of a row are read by a masked load, so a row of up to W entries needs no branch.
 * Rows of more than 4 W entries use four accumulators, which hides the latency of the additions.
 *
 * Reads each array once. Bell, Garland 2009; Liu 2015, Algorithm 29. */
#include "spmv/csr_vector.h"
#define EK_FILE "spmv/csr_vector.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

#include "drive/finish.h"
#include "drive/row_sums.h"

static void FN(csr_vector)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	const VAL *y0 = v->y0.data;
	VAL *y = v->y.data;
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

static ek_status prepare(eki_step *step)
{
	int type = eki_type(step->in[0]->value, step->in[0]->index);

	return eki_split_prepare(step, EKI_SPLIT_ROWS, eki_csr_vector[step->isa][type], NULL);
}

/* Predicts the work. `branches` is the cost of mispredicted branches, which come from rows whose
 * lengths vary around the width of a vector. `misses` is the cost of waiting for x: a short row
 * leaves lanes of a gather empty, so fewer fetches of a scattered x are in flight at the same
 * time. */
double eki_csr_vector_work(const eki_features *f)
{
	const eki_machine *m = f->machine;
	double branches = m->mixed_rows * f->mixed_share * f->short_share * (1 - f->short_share);
	double misses =
		m->far_rows * f->mixed_share * f->far_share * fmax(0, 1 - f->stats.row_mean / 6);

	if ((double)f->stats.cols * (double)ek_value_size(f->value) < m->core_bytes)
		misses = 0;
	return eki_work_csr(f, EKI_LOOP_GATHER) + (branches + misses) * (double)f->stats.rows;
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
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_BASE1_N,
	.cost = cost,
	.prepare = prepare,
	.run = eki_split_run,
};

#endif
