/* SPDX-License-Identifier: BSD-3-Clause
 * The transposed product y = alpha A^T x + beta y on CSR, without atomic operations.
 *
 * Entries are cut evenly between parts, even inside rows. Each part adds val * x[row] of its
 * entries to a strip of its own, an array of sums for the range of columns in which the part has
 * entries. The driver (drive.c) adds the strips in the order of the parts, so the result depends on
 * the number of parts, but never on timing.
 *
 * Cost: a run reads each array of A once, and writes and reads the strips. Preparation finds the
 * columns of each part in one pass over col_idx, and allocates the strips: at most parts * columns
 * values. After Liu 2015, section 2.4; the strips are the "local buffers with effective ranges" of
 * Batista et al. 2010, who use them for symmetric products. */
#include "spmv/csr_transposed.h"
#define EK_FILE "spmv/csr_transposed.c"
#include "base/for_each.h"

/* Multiplies entries [k, end) by alpha x for op T, and adds the products to the sums at `to`. The
 * sum of column `first` comes first. */
static void FN(csr_scatter)(const ek_store *A, const eki_run *v, int64_t k, int64_t end,
                            int64_t first, void *to)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x.data;
	const VAL alpha = EK_SCALAR(v->alpha);
	VAL *sum = to;

	for (int64_t i = k < end ? eki_row_of(A, k) : 0; k < end; i++) {
		int64_t stop = row_ptr[i + 1] < end ? row_ptr[i + 1] : end;
		VAL xi = alpha * x[i];

		for (; k < stop; k++)
			sum[col_idx[k] - first] += val[k] * xi;
	}
}

#if EK_ONCE

eki_scatter_fn *const eki_csr_scatter[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr_scatter);

void eki_csr_scatter_rows(const ek_store *A, const eki_run *v, int64_t k, int64_t end,
                          int64_t first, void *sum, eki_scatter_fn *entries, eki_scatter_fn *rows)
{
	const int64_t stop = end < A->nnz ? eki_row_of(A, end) : A->rows;
	int64_t i = eki_row_of(A, k);

	i += eki_ptr_at(A, i) < k;
	if (i >= stop) {
		entries(A, v, k, end, first, sum);
		return;
	}
	entries(A, v, k, eki_ptr_at(A, i), first, sum);
	rows(A, v, i, stop, first, sum);
	entries(A, v, eki_ptr_at(A, stop), end, first, sum);
}

static void span(const ek_store *A, int64_t begin, int64_t end, int64_t span[2])
{
	eki_span(A, CSR_COL, begin, end, span);
}

ek_status eki_csr_scatter_prepare(eki_step *step, eki_scatter_fn *scatter)
{
	return eki_drive_prepare(
		step, &(eki_drive){.units = step->in[0]->nnz, .scatter = scatter, .span = span});
}

ek_status eki_csr_either_run(const eki_step *step, const eki_run *v)
{
	return step->op[0] == EK_OP_T ? eki_drive_run(step, v) : eki_split_run(step, v);
}

static ek_status prepare(eki_step *step)
{
	const int type = eki_type(step->in[0]->value, step->in[0]->index);

	return eki_csr_scatter_prepare(step, eki_csr_scatter[step->isa][type]);
}

double eki_csr_scatter_cost(const eki_features *f, double bytes, double rows)
{
	const double nnz = (double)f->stats.nnz;
	eki_features one = *f;

	one.threads = 1;
	return fmin(eki_cost_strips(f, bytes, rows, nnz), eki_cost_strips(&one, bytes, rows, nnz));
}

static double cost(const eki_features *f)
{
	return eki_csr_scatter_cost(f, f->csr_bytes, (double)f->stats.rows);
}

const ek_method ek_spmv_csr_transposed = {
	.name = "spmv.csr.transposed",
	.text = "transposed product: each thread adds to a strip of its own, strips are added in "
		"order",
	.source = "Liu 2015, section 2.4; Batista et al. 2010 for the strips",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_T | EKI_BASE1_T,
	.cost = cost,
	.prepare = prepare,
	.run = eki_drive_run,
};

#endif
