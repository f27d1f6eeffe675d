/* SPDX-License-Identifier: BSD-3-Clause
 * Block CSR (BCSR): like CSR, but with dense r x c blocks in place of entries. Blocks are aligned
 * to multiples of r and c. A block takes r c values, one column, and ceil(r c / 8) bytes of mask,
 * which the product normally does not read. A block row takes one pointer. With full blocks of
 * 3 x 3 doubles, a product reads 8.4 bytes per entry, compared with 12 in CSR.
 *
 * Liu 2015, section 5.4.4; Im and Yelick 2001; Vuduc 2003, chapter 3. format/block.h and
 * format/block_size.c describe how blocks are made and how their size is chosen. */
#include "format/block.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/bcsr.c"
#include "base/for_each.h"

#include "format/block_row.h"

#if EK_PER_TYPE

static void FN(bcsr_values)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const block_shape h = block_shape_of(out);
	const PTR *block_ptr = out->array[BLOCK_HEAD];

	for (int64_t b = begin; b < end; b++)
		FN(block_row_values)(csr, out, &h, b, block_ptr[b], block_ptr[b + 1]);
}

#endif
#if EK_ONCE

static ek_status layout(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	int64_t filled;

	EK_RETURN_IF(eki_block_layout(ctx, csr, out, &filled));
	out->len[BLOCK_HEAD] = block_shape_of(out).rows + 1;
	return EK_OK;
}

static ek_status pattern(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	eki_block_pattern(ctx, csr, out);
	return EK_OK;
}

static ek_status values(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const fill[EK_NTYPE] = EK_BY_TYPE(bcsr_values);

	eki_fill(ctx, fill, csr, out, block_shape_of(out).rows, csr->nnz);
	return EK_OK;
}

static ek_status to_csr(const ek_context *ctx, const ek_store *in, ek_store *csr)
{
	return eki_block_to_csr(ctx, in, NULL, csr);
}

static ek_status check(const ek_context *ctx, const ek_store *s)
{
	int64_t rows, before = 0;

	EK_RETURN_IF(eki_block_shape_check(s));
	rows = block_shape_of(s).rows;
	if (s->len[BLOCK_HEAD] != rows + 1 || eki_ptr_at(s, 0) != 0 ||
	    eki_ptr_at(s, rows) != s->len[BLOCK_COL])
		return eki_fail(EK_ERANGE, "block_ptr does not go from 0 to %lld in %lld steps",
		                (long long)s->len[BLOCK_COL], (long long)rows);
	for (int64_t b = 1; b <= rows; before = eki_ptr_at(s, b++))
		if (eki_ptr_at(s, b) < before)
			return eki_fail(EK_ERANGE, "block_ptr decreases at block row %lld",
			                (long long)b - 1);
	return eki_block_check(ctx, s, NULL);
}

static bool find(const ek_store *s, int64_t i, int64_t j, eki_place *at)
{
	const int64_t b = i / s->dim[BLOCK_R];

	return eki_block_find(s, eki_ptr_at(s, b), eki_ptr_at(s, b + 1), i, j, at);
}

const ek_format ek_format_bcsr = {
	.name = "bcsr",
	.text = "CSR of dense blocks of r x c",
	.source = "Liu 2015, section 5.4.4; Im and Yelick 2001",
	.param = BLOCK_PARAMS,
	.array = {{"block_ptr", EKI_PTR},
                  {"block_col", EKI_IDX},
                  {"val", EKI_VALUE},
                  {"mask", EKI_BYTE}},
	.check = check,
	.convert = {16, 100},
	.layout = layout,
	.estimate = eki_block_estimate,
	.pattern = pattern,
	.values = values,
	.to_csr = to_csr,
	.find = find,
	.by_column = true,
};

#endif
