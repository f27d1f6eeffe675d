/* SPDX-License-Identifier: BSD-3-Clause
 * The choices among the parts of a cocktail that are for the same entries, by the bytes that the
 * parts take (format/cocktail_split.c has the rule). */
#include "format/block_lanes.h"
#include "format/cocktail_choose.h"

/* Bytes that are added for each row in CSR, to account for the time that a row takes, and for each
 * block row in BCSR on a device, whose lanes then wait for each other. Processors take whole blocks
 * of BCSR as fast as lanes. */
enum { ROW_BYTES = 16 };
/* Dense diagonals of a band, on average, from which on all are stored as bands. */
enum { BAND = 2 };

/* Adds up groups of `height` numbers of row pointers, each as often as its largest one: the places
 * of lanes that are padded to the longest of their group. */
static int64_t padded(const ek_store *lengths, int64_t rows, int64_t height)
{
	int64_t places = 0;

	for (int64_t i = 0, most = 0; i < rows; i++) {
		const int64_t n = eki_ptr_at(lengths, i);

		most = n > most ? n : most;
		if ((i + 1) % height && i + 1 < rows)
			continue;
		places += most * height;
		most = 0;
	}
	return places;
}

void eki_cocktail_diagonals(const uint8_t *dense, int64_t count, cocktail_choice *choice)
{
	int64_t diagonals = 0, bands = 0;

	for (int64_t d = 0; d < count; d++) {
		diagonals += dense[d];
		bands += dense[d] && !(d > 0 && dense[d - 1]);
	}
	choice->diagonals = diagonals >= BAND * bands ? PART_BDIA : PART_DIA;
}

void eki_cocktail_blocks(const ek_context *ctx, const ek_store *csr, const ek_store *marks,
                         cocktail_choice *choice)
{
	const ek_store lengths = {.index = csr->index, .array = {marks->array[MARK_BLOCKS]}};
	const int64_t b = choice->block, rows = eki_groups(csr->rows, b);
	const int64_t lanes = cocktail_lanes(csr->value);
	const double idx = (double)eki_idx_size(csr->index), ptr = (double)eki_ptr_size(csr->index);
	const double block = (double)(b * b) * (double)ek_value_size(csr->value) + idx;
	int64_t blocks = 0, widest = 0;

	for (int64_t i = 0; i < rows; i++) {
		const int64_t n = eki_ptr_at(&lengths, i);

		blocks += n;
		widest = n > widest ? n : widest;
	}
	const double as_bcsr =
		(double)blocks * block + (double)rows * (ptr + (ctx->device ? ROW_BYTES : 0));
	const double as_bell =
		(double)(eki_groups(rows, BELL_HEIGHT) * BELL_HEIGHT) * (double)widest * block +
		(double)rows * idx;
	const double as_sbell = (double)padded(&lengths, rows, lanes) * block +
	                        (double)eki_groups(rows, lanes) * ptr + (double)rows * idx;

	choice->blocks = as_bcsr <= as_bell && as_bcsr <= as_sbell ? PART_BCSR
	                 : as_bell <= as_sbell                     ? PART_BELL
	                                                           : PART_SBELL;
}

/* Finds the largest width for which a column of ELLPACK takes no more bytes than its entries would
 * in coordinates. Sets *inside to the number of entries in an ELLPACK part of that width. */
static ek_status ell_width(const ek_context *ctx, const ek_store *csr, const ek_store *lengths,
                           int64_t entries, int64_t *width, int64_t *inside)
{
	const int64_t rows = csr->rows, ell = eki_entry_bytes(csr);
	const int64_t coo = ell + (int64_t)eki_idx_size(csr->index);
	const int64_t most = rows ? 2 * (entries / rows + 1) : 0; /* half of all rows, or more */
	int64_t *rows_of, k, long_rows;
	void *block;

	EK_RETURN_IF(eki_calloc(ctx, most + 1, sizeof *rows_of, &block));
	rows_of = block;
	for (int64_t i = 0; i < rows; i++) {
		const int64_t n = eki_ptr_at(lengths, i);

		rows_of[n < most ? n : most]++;
	}
	long_rows = rows_of[most];
	for (k = most; k > 0 && long_rows * coo < rows * ell;)
		long_rows += rows_of[--k];
	*inside = 0;
	for (int64_t n = 1; n <= most; n++)
		*inside += rows_of[n] * (n < k ? n : k);
	*width = k;
	eki_free(ctx, block, most + 1, sizeof *rows_of);
	return EK_OK;
}

ek_status eki_cocktail_flat(const ek_context *ctx, const ek_store *csr, const ek_store *marks,
                            cocktail_choice *choice)
{
	const ek_store lengths = {.index = csr->index, .array = {marks->array[MARK_FLAT]}};
	const int64_t rows = csr->rows, lanes = cocktail_lanes(csr->value);
	const double idx = (double)eki_idx_size(csr->index), ptr = (double)eki_ptr_size(csr->index);
	const double ell = (double)eki_entry_bytes(csr), coo = ell + idx;
	int64_t entries = 0, k, in_ell;

	for (int64_t i = 0; i < rows; i++)
		entries += eki_ptr_at(&lengths, i);
	EK_RETURN_IF(ell_width(ctx, csr, &lengths, entries, &k, &in_ell));

	const bool alone = entries == csr->nnz;
	const double pass = alone ? 0 : pass_bytes(csr), n = (double)entries;
	const double as_csr = n * ell + pass + (double)rows * (ptr + ROW_BYTES);
	const double as_ell =
		(double)rows * ((double)k * ell + idx) + pass + (double)(entries - in_ell) * coo;
	const double as_sell = (double)padded(&lengths, rows, lanes) * ell +
	                       (double)eki_groups(rows, lanes) * ptr + (double)rows * idx + pass;
	const double as_coo = n * coo + (alone ? 0 : touch_bytes(csr, n));
	const bool in_ell_part = k > 0 && as_ell <= as_csr && as_ell <= as_coo && as_ell <= as_sell;

	*choice = (cocktail_choice){.block = choice->block,
	                            .diagonals = choice->diagonals,
	                            .blocks = choice->blocks,
	                            .lanes = PART_ELL,
	                            .width = in_ell_part ? k : 0,
	                            .rest = in_ell_part || as_coo < as_csr ? PART_COO : PART_CSR};
	if (!in_ell_part && as_sell <= as_csr && as_sell <= as_coo) {
		choice->lanes = PART_SELL;
		choice->width = INT64_MAX;
	}
	return EK_OK;
}
