/* SPDX-License-Identifier: BSD-3-Clause
 * Block coordinates (BCOO): dense r x c blocks, each stored with its block row and its block
 * column, and sorted by block row. A block takes one index more than in BCSR, but a block row takes
 * no pointer. This saves memory if most block rows are empty. Blocks can be divided evenly among
 * threads, whatever rows they belong to.
 *
 * Liu 2015, section 5.4.3; Su and Keutzer 2012 (clSpMV). */
#include "format/block.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/bcoo.c"
#include "base/for_each.h"

#include "format/block_row.h"

#if EK_PER_TYPE

/* Fills block_row[k] for all blocks k of block rows [begin, end), whose pointers are in `view`. */
static void FN(bcoo_rows)(const ek_store *view, ek_store *out, int64_t begin, int64_t end)
{
	const PTR *block_ptr = view->array[BLOCK_HEAD];
	IDX *block_row = out->array[BLOCK_HEAD];

	for (int64_t b = begin; b < end; b++)
		for (int64_t k = block_ptr[b]; k < block_ptr[b + 1]; k++)
			block_row[k] = (IDX)b;
}

/* Writes head[b + 1] of `view` for each block row b whose last block is in [begin, end), as
 * block_ends of format/block.h requires. */
static void FN(bcoo_ends)(const ek_store *in, ek_store *view, int64_t begin, int64_t end)
{
	const int64_t blocks = in->len[BLOCK_COL];
	const IDX *block_row = in->array[BLOCK_HEAD];
	PTR *block_ptr = view->array[BLOCK_HEAD];

	for (int64_t k = begin; k < end; k++)
		if (k + 1 == blocks || block_row[k + 1] != block_row[k])
			block_ptr[block_row[k] + 1] = (PTR)(k + 1);
}

/* Copies the values of each block row whose last block is in [begin, end), including those of its
 * blocks before `begin`. */
static void FN(bcoo_values)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const block_shape h = block_shape_of(out);
	const int64_t blocks = out->len[BLOCK_COL];
	const IDX *block_row = out->array[BLOCK_HEAD];
	int64_t first = begin;

	if (begin < end)
		first = eki_idx_lower_bound(out, BLOCK_HEAD, 0, begin, block_row[begin]);
	for (int64_t k = begin; k < end; first = k) {
		do
			k++;
		while (k < end && block_row[k] == block_row[first]);
		if (k == blocks || block_row[k] != block_row[first])
			FN(block_row_values)(csr, out, &h, block_row[first], first, k);
	}
}

/* Returns the first block k in [begin, end) whose block row is out of range or less than that of
 * block k - 1, or `end` if there is none. */
static int64_t FN(bcoo_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	const IDX *block_row = s->array[BLOCK_HEAD];
	const int64_t rows = block_shape_of(s).rows;

	for (int64_t k = begin; k < end; k++)
		if (block_row[k] < (k ? block_row[k - 1] : 0) || block_row[k] >= rows)
			return k;
	return end;
}

#endif
#if EK_ONCE

static ek_status layout(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	int64_t filled;

	EK_RETURN_IF(eki_block_layout(ctx, csr, out, &filled));
	out->len[BLOCK_HEAD] = out->len[BLOCK_COL];
	return EK_OK;
}

static ek_status pattern(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const rows[EK_NTYPE] = EK_BY_TYPE(bcoo_rows);
	ek_store view;

	EK_RETURN_IF(eki_block_view(ctx, out, NULL, &view));
	eki_block_pattern(ctx, csr, &view);
	eki_fill(ctx, rows, &view, out, block_shape_of(out).rows, out->len[BLOCK_HEAD]);
	eki_block_view_free(ctx, &view);
	return EK_OK;
}

static ek_status values(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const fill[EK_NTYPE] = EK_BY_TYPE(bcoo_values);

	eki_fill(ctx, fill, csr, out, out->len[BLOCK_COL], csr->nnz);
	return EK_OK;
}

static eki_fill_fn *const ends[EK_NTYPE] = EK_BY_TYPE(bcoo_ends);

static ek_status to_csr(const ek_context *ctx, const ek_store *in, ek_store *csr)
{
	return eki_block_to_csr(ctx, in, ends, csr);
}

static ek_status check(const ek_context *ctx, const ek_store *s)
{
	static eki_fault_fn *const fault[EK_NTYPE] = EK_BY_TYPE(bcoo_fault);
	const int64_t blocks = s->len[BLOCK_COL];
	int64_t k;

	EK_RETURN_IF(eki_block_shape_check(s));
	if (s->len[BLOCK_HEAD] != blocks)
		return eki_fail(EK_ERANGE, "block_row has %lld entries for %lld blocks",
		                (long long)s->len[BLOCK_HEAD], (long long)blocks);
	k = eki_first_fault(ctx, s, fault[eki_type(s->value, s->index)], blocks);
	if (k < blocks)
		return eki_fail(EK_ERANGE,
		                "block_row[%lld] is %lld; block rows ascend and are less than %lld",
		                (long long)k, (long long)eki_idx_at(s, BLOCK_HEAD, k),
		                (long long)block_shape_of(s).rows);
	return eki_block_check(ctx, s, ends);
}

/* Returns the first block whose block row is at least b, or the number of blocks if there is
 * none. */
static int64_t first_of(const ek_store *s, int64_t b)
{
	return eki_idx_lower_bound(s, BLOCK_HEAD, 0, s->len[BLOCK_COL], b);
}

static bool find(const ek_store *s, int64_t i, int64_t j, eki_place *at)
{
	const int64_t b = i / s->dim[BLOCK_R];

	return eki_block_find(s, first_of(s, b), first_of(s, b + 1), i, j, at);
}

const ek_format ek_format_bcoo = {
	.name = "bcoo",
	.text = "coordinates of dense blocks of r x c",
	.source = "Liu 2015, section 5.4.3; Su and Keutzer 2012",
	.param = BLOCK_PARAMS,
	.array = {{"block_row", EKI_IDX},
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
