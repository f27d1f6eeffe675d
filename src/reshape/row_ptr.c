/* SPDX-License-Identifier: BSD-3-Clause
 * Makes row pointers, and other arrays of positions, from lengths by prefix sums in place. If there
 * is enough to do, all threads share a prefix sum. */
#include "prim/prim.h"

void eki_ptr_scan(const ek_context *ctx, ek_index index, ek_scan_kind kind, int64_t n, void *count)
{
	const eki_array a = {.operation = EK_SCAN,
	                     .type = eki_ptr_type(index),
	                     .op = EK_SUM,
	                     .kind = kind,
	                     .n = n,
	                     .in = count,
	                     .out = count,
	                     .ctx = ctx,
	                     .isa = ctx->isa,
	                     .threads = eki_parts(ctx, n)};

	eki_scan_into(&a);
}

void eki_ptr_sum(const ek_context *ctx, ek_store *csr)
{
	eki_ptr_set(csr, 0, 0);
	eki_ptr_scan(ctx, csr->index, EK_INCLUSIVE, csr->rows + 1, csr->array[CSR_PTR]);
}

void eki_fill_csr(const ek_context *ctx, eki_fill_fn *const lengths[EK_NTYPE],
                  eki_fill_fn *const entries[EK_NTYPE], const ek_store *in, ek_store *csr,
                  int64_t n)
{
	eki_fill(ctx, lengths, in, csr, n, csr->nnz);
	eki_ptr_sum(ctx, csr);
	eki_fill(ctx, entries, in, csr, n, csr->nnz);
}

void eki_ptr_of_lengths(const ek_context *ctx, const ek_store *s, int array, ek_store *csr)
{
	for (int64_t i = 0; i < csr->rows; i++)
		eki_ptr_set(csr, i + 1, eki_idx_at(s, array, i));
	eki_ptr_sum(ctx, csr);
}
