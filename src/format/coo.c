/* SPDX-License-Identifier: BSD-3-Clause
 * Coordinates: entry k is val[k] in row row_idx[k] and column col_idx[k], rows ascending. w nnz + 8
 * nnz bytes with 32-bit indices and values of w bytes: it pays where most rows are empty.
 *
 * The product sums runs of entries with the same row. Entries are cut evenly between threads, so no
 * row is too long; the rows that threads share are added up by the driver (spmv/drive.c).
 *
 * Liu 2015, section 5.2.3; segmented reduction as Bell and Garland 2009, section 3. */
#include <string.h>

#include "format/coo.h"
#include "spmv/drive.h"
#define EK_FILE "format/coo.c"
#include "core/for_each.h"

#include "spmv/finish.h"
#include "spmv/row_sums.h"

#ifndef EK_COO_STEP
#define EK_COO_STEP
enum { STEP = 8 }; /* entries by which the end of a run is looked for */
#endif

/* The end of the run of entries of one row that begins with entry k. Rows ascend, so where the
 * entry STEP on has the same row, all between have it too. */
static inline int64_t FN(coo_run)(const IDX *row_idx, int64_t k, int64_t end)
{
	const IDX row = row_idx[k++];

	EK_AHEAD(row_idx + k);
	for (; end - k >= STEP && row_idx[k + STEP - 1] == row; k += STEP)
		EK_AHEAD(row_idx + k);
	while (k < end && row_idx[k] == row)
		k++;
	return k;
}

static void FN(coo_carry)(const ek_store *A, const ek_args *v, int64_t k, int64_t end,
                          eki_carry *carry)
{
	const IDX *row_idx = A->array[COO_ROW], *col_idx = A->array[COO_COL];
	const VAL *val = A->array[COO_VAL], *x = v->x;
	const VAL alpha = (VAL)v->alpha, beta = (VAL)v->beta;
	const IDX first = row_idx[k], last = row_idx[end - 1];
	const VAL *y0 = v->y0;
	VAL *y = v->y;

	carry->first = first;
	carry->last = last;
	for (int64_t next = first; k < end;) {
		const IDX row = row_idx[k];
		const int64_t stop = FN(coo_run)(row_idx, k, end);
		const VAL sum = vsum(FN(row_sums)(col_idx, val, x, k, stop));

		FN(finish_none)(beta, y0 + next, y + next, row - next);
		if (row == first)
			carry->first_sum[0] = sum;
		else if (row == last)
			carry->last_sum[0] = sum;
		else
			FN(finish_row)(sum, alpha, beta, y0 + row, y + row);
		next = (int64_t)row + 1;
		k = stop;
	}
}

static void FN(coo_scatter)(const ek_store *A, const ek_args *v, int64_t k, int64_t end,
                            int64_t first, void *to)
{
	const IDX *row_idx = A->array[COO_ROW], *col_idx = A->array[COO_COL];
	const VAL *val = A->array[COO_VAL], *x = v->x;
	const VAL alpha = (VAL)v->alpha;
	VAL *sum = to;

	for (; k < end; k++)
		sum[col_idx[k] - first] += val[k] * (alpha * x[row_idx[k]]);
}

#if EK_PER_TYPE

/* Rows of entries [begin, end). */
static void FN(coo_expand)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	IDX *row_idx = out->array[COO_ROW];
	int64_t k = begin;

	for (int64_t i = begin < end ? eki_row_of(csr, begin) : 0; k < end; i++)
		for (; k < end && k < row_ptr[i + 1]; k++)
			row_idx[k] = (IDX)i;
}

/* Row pointers of the rows that begin behind entry begin - 1 and not behind entry end - 1. */
static void FN(coo_compress)(const ek_store *in, ek_store *csr, int64_t begin, int64_t end)
{
	const IDX *row_idx = in->array[COO_ROW];
	PTR *row_ptr = csr->array[CSR_PTR];
	int64_t i = begin ? (int64_t)row_idx[begin - 1] + 1 : 0;

	for (int64_t k = begin; k < end; k++)
		for (; i <= row_idx[k]; i++)
			row_ptr[i] = (PTR)k;
	if (end == in->nnz && (begin < end || end == 0))
		for (; i <= in->rows; i++)
			row_ptr[i] = (PTR)end;
}

/* First k in [begin, end) whose row is less than that of the entry before, or outside, or end. */
static int64_t FN(coo_row_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	const IDX *row_idx = s->array[COO_ROW];

	for (int64_t k = begin; k < end; k++)
		if (row_idx[k] < (k ? row_idx[k - 1] : 0) || row_idx[k] >= s->rows)
			return k;
	return end;
}

#endif
#if EK_ONCE

void eki_coo_expand(const ek_context *ctx, const ek_store *csr, ek_store *coo)
{
	static eki_fill_fn *const expand[EK_NTYPE] = EK_BY_TYPE(coo_expand);

	eki_fill(ctx, expand, csr, coo, csr->nnz, csr->nnz);
}

void eki_coo_compress(const ek_context *ctx, const ek_store *coo, ek_store *csr)
{
	static eki_fill_fn *const compress[EK_NTYPE] = EK_BY_TYPE(coo_compress);

	eki_fill(ctx, compress, coo, csr, coo->nnz, coo->nnz);
}

static ek_status layout(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	(void)ctx;
	out->len[COO_ROW] = out->len[COO_COL] = out->len[COO_VAL] = csr->nnz;
	return EK_OK;
}

static ek_status pattern(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	eki_coo_expand(ctx, csr, out);
	eki_copy_into(ctx, out->array[COO_COL], csr->array[CSR_COL], csr->nnz,
	              eki_idx_size(csr->index));
	return EK_OK;
}

static ek_status values(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	eki_copy_into(ctx, out->array[COO_VAL], csr->array[CSR_VAL], csr->nnz,
	              ek_value_size(csr->value));
	return EK_OK;
}

static ek_status to_csr(const ek_context *ctx, const ek_store *in, ek_store *csr)
{
	eki_coo_compress(ctx, in, csr);
	eki_copy_into(ctx, csr->array[CSR_COL], in->array[COO_COL], in->nnz,
	              eki_idx_size(in->index));
	eki_copy_into(ctx, csr->array[CSR_VAL], in->array[COO_VAL], in->nnz,
	              ek_value_size(in->value));
	return EK_OK;
}

static ek_status check(const ek_context *ctx, const ek_store *s)
{
	static eki_fault_fn *const fault[EK_NTYPE] = EK_BY_TYPE(coo_row_fault);
	ek_store columns = *s;
	int64_t k;

	EK_RETURN_IF(eki_len_check(s, (int64_t[]){s->nnz, s->nnz, s->nnz}));
	k = eki_first_fault(ctx, s, fault[eki_type(s->value, s->index)], s->nnz);
	if (k < s->nnz)
		return eki_fail(
			EK_ERANGE, "row_idx[%lld] is %lld; rows ascend and are less than %lld",
			(long long)k, (long long)eki_idx_at(s, COO_ROW, k), (long long)s->rows);
	columns.array[CSR_COL] = s->array[COO_COL];
	k = eki_col_fault(ctx, &columns);
	if (k < s->nnz)
		return eki_fail(EK_ERANGE, "col_idx[%lld] is %lld; 0 to %lld are possible",
		                (long long)k, (long long)eki_idx_at(s, COO_COL, k),
		                (long long)s->cols - 1);
	return EK_OK;
}

static bool find(const ek_store *s, int64_t i, int64_t j, eki_place *at)
{
	int64_t k = at->array < 0 ? eki_idx_lower_bound(s, COO_ROW, 0, s->nnz, i) : at->k + 1;

	for (; k < s->nnz && eki_idx_at(s, COO_ROW, k) == i; k++)
		if (eki_idx_at(s, COO_COL, k) == j) {
			*at = (eki_place){COO_VAL, k};
			return true;
		}
	return false;
}

static void span(const ek_store *A, int64_t begin, int64_t end, int64_t span[2])
{
	eki_span(A, COO_COL, begin, end, span);
}

static ek_status prepare(ek_plan *p)
{
	static eki_carry_fn *const carry[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(coo_carry);
	static eki_scatter_fn *const scatter[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(coo_scatter);
	const int type = eki_type(p->store->value, p->store->index);

	return eki_drive_prepare(p, &(eki_drive){.units = p->store->nnz,
	                                         .carry = carry[p->isa][type],
	                                         .scatter = scatter[p->isa][type],
	                                         .span = span});
}

static const ek_method spmv = {
	.name = "spmv.coo",
	.text = "runs of entries of a row, the same number of entries for each thread",
	.source = "Bell and Garland 2009, section 3",
	.operation = EK_SPMV,
	.format = &ek_format_coo,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.run = eki_drive_run,
};

const ek_format ek_format_coo = {
	.name = "coo",
	.text = "coordinates: row, column and value of each entry",
	.source = "Liu 2015, section 5.2.3",
	.array = {{"row_idx", EKI_IDX}, {"col_idx", EKI_IDX}, {"val", EKI_VALUE}},
	.check = check,
	.layout = layout,
	.pattern = pattern,
	.values = values,
	.to_csr = to_csr,
	.find = find,
	.values_alone = true,
	.method = {&spmv},
};

#endif
