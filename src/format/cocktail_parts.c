/* SPDX-License-Identifier: BSD-3-Clause
 * The table of the parts of a cocktail, and a part as a store of its own. */
#include "format/bdia.h"
#include "format/block_lanes.h"
#include "format/cocktail_parts.h"
#include "format/coo.h"
#include "format/dia.h"
#include "format/ell.h"
#include "format/mask.h"
#include "format/parts.h"
#include "format/sell.h"

const cocktail_kind eki_cocktail_kind[PARTS] = {
	[PART_DIA] = {&ek_format_dia, 0, COCKTAIL_BITS, DIA_MASK},
	[PART_BCSR] = {&ek_format_bcsr, 3, COCKTAIL_BITS, BLOCK_MASK},
	[PART_ELL] = {&ek_format_ell, 7, COCKTAIL_SUM, ELL_LEN},
	[PART_CSR] = {&ek_format_csr, 10, COCKTAIL_LENGTH, CSR_VAL},
	[PART_COO] = {&ek_format_coo, 13, COCKTAIL_LENGTH, COO_VAL},
	[PART_BDIA] = {&ek_format_bdia, 16, COCKTAIL_BITS, BDIA_MASK},
	[PART_SELL] = {&ek_format_sell, 20, COCKTAIL_SUM, SELL_LEN},
	[PART_BELL] = {&ek_format_bell, 25, COCKTAIL_BITS, BLOCK_MASK},
	[PART_SBELL] = {&ek_format_sbell, 29, COCKTAIL_BITS, BLOCK_MASK}};

void eki_cocktail_dims(ek_store *part, int k, int64_t block)
{
	switch (k) {
	case PART_DIA: part->dim[DIA_STRIDE] = dia_stride(part->rows); break;
	case PART_SELL:
		part->dim[SELL_C] = cocktail_lanes(part->value);
		part->dim[SELL_SIGMA] = 1;
		break;
	case PART_SBELL: part->dim[SBELL_H] = cocktail_lanes(part->value); /* fall through */
	case PART_BELL:
	case PART_BCSR: part->dim[BLOCK_R] = part->dim[BLOCK_C] = block; break;
	}
}

/* Returns the width of a BELL part from the lengths of its arrays. */
static int64_t bell_width(const ek_store *part)
{
	const int64_t lanes =
		part->dim[BLOCK_R] > 0 ? block_lanes_of(part).slices * BELL_HEIGHT : 0;

	return lanes > 0 ? part->len[BLOCK_COL] / lanes : 0;
}

ek_store eki_cocktail_part(const ek_store *s, int k)
{
	ek_store part = eki_part(s, eki_cocktail_kind[k].format, eki_cocktail_kind[k].first);

	eki_cocktail_dims(&part, k, s->dim[COCKTAIL_BLOCK]);
	if (k == PART_ELL)
		ell_part_shape(&part, s->dim[COCKTAIL_WIDTH]);
	if (k == PART_BELL)
		part.dim[BELL_WIDTH] = bell_width(&part);
	if (eki_cocktail_kind[k].count == COCKTAIL_LENGTH)
		part.nnz = part.len[eki_cocktail_kind[k].counted];
	if (!s->len[eki_cocktail_kind[k].first])
		part.format = NULL;
	return part;
}

static int64_t count_bits(const ek_store *part, int array)
{
	const uint8_t *byte = part->array[array];
	int64_t n = 0;

	if (part->format->array[array].elem == EKI_WORD)
		return mask_count(part->array[array], part->len[array]);
	for (int64_t at = 0; at < part->len[array]; at++)
		n += __builtin_popcount(byte[at]);
	return n;
}

static int64_t count_entries(const ek_store *part, int k)
{
	switch (eki_cocktail_kind[k].count) {
	case COCKTAIL_BITS: return count_bits(part, eki_cocktail_kind[k].counted);
	case COCKTAIL_SUM: return eki_idx_sum(part, eki_cocktail_kind[k].counted);
	case COCKTAIL_LENGTH: break;
	}
	return part->len[eki_cocktail_kind[k].counted];
}

void eki_cocktail_parts(const ek_store *s, ek_store part[PARTS])
{
	for (int k = 0; k < PARTS; k++) {
		part[k] = eki_cocktail_part(s, k);
		part[k].nnz = part[k].format ? count_entries(&part[k], k) : 0;
	}
}
