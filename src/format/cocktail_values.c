/* SPDX-License-Identifier: BSD-3-Clause
 * Fills new values into a matrix in the cocktail format, entry by entry. An entry is searched for
 * on the dense diagonals and then in the dense blocks. If it is in neither, it is a flat entry,
 * stored in the ELLPACK or SELL part or else in the CSR or coordinate part. Flat entries of a row
 * have ascending columns, which the check of the format makes sure of, so the entry is usually the
 * next one after the flat entry found last. */
#include "format/cocktail_values.h"
#include "format/coo.h"
#include "format/ell.h"
#include "format/sell.h"
#define EK_TYPES_ONLY
#define EK_FILE "format/cocktail_values.c"
#include "base/for_each.h"

#ifndef EK_COCKTAIL_SPECIAL
#define EK_COCKTAIL_SPECIAL
/* The parts for diagonals and blocks. */
static const int special_part[] = {PART_DIA, PART_BDIA, PART_BCSR, PART_BELL, PART_SBELL};
enum { SPECIAL_PARTS = sizeof special_part / sizeof *special_part };
#endif

#if EK_PER_TYPE

/* The flat entries of a row, which are on no dense diagonal and in no dense block: first those in
 * the ELLPACK or SELL part, in a lane, then those in the CSR or coordinate part. */
struct FN(flat_row) {
	const IDX *lane_col, *rest_col;
	VAL *lane_val, *rest_val;
	int64_t in_lane, all, step, next;
};

static inline IDX FN(flat_col)(const struct FN(flat_row) * f, int64_t n)
{
	return n < f->in_lane ? f->lane_col[n * f->step] : f->rest_col[n - f->in_lane];
}

struct FN(flat_sought) {
	const struct FN(flat_row) * row;
	int64_t j;
};

static inline bool FN(flat_before)(const void *of, int64_t n)
{
	const struct FN(flat_sought) *s = of;

	return FN(flat_col)(s->row, n) < s->j;
}

/* Returns the address of the value of the flat entry in column j. Tries entry f->next first, since
 * it is probably the right one. */
static inline VAL *FN(flat_place)(struct FN(flat_row) * f, int64_t j)
{
	int64_t n = f->next;

	if (n >= f->all || FN(flat_col)(f, n) != j)
		n = eki_search(0, f->all, FN(flat_before), &(struct FN(flat_sought)){f, j});
	f->next = n + 1;
	return n < f->in_lane ? f->lane_val + n * f->step : f->rest_val + (n - f->in_lane);
}

static struct FN(flat_row) FN(flat_row_of)(const ek_store *part, int64_t i)
{
	const ek_store *ell = &part[PART_ELL], *sell = &part[PART_SELL];
	const ek_store *csr = &part[PART_CSR], *coo = &part[PART_COO];
	struct FN(flat_row) f = {.step = 1};
	int64_t begin, end;

	if (ell->format) {
		f.in_lane = ((const IDX *)ell->array[ELL_LEN])[i];
		f.lane_col = (const IDX *)ell->array[ELL_COL] + i;
		f.lane_val = (VAL *)ell->array[ELL_VAL] + i;
		f.step = ell->dim[ELL_STRIDE];
	} else if (sell->format) { /* whose rows are not sorted */
		f.step = sell->dim[SELL_C];
		begin = ((const PTR *)sell->array[SELL_PTR])[i / f.step] + i % f.step;
		f.in_lane = ((const IDX *)sell->array[SELL_LEN])[i];
		f.lane_col = (const IDX *)sell->array[SELL_COL] + begin;
		f.lane_val = (VAL *)sell->array[SELL_VAL] + begin;
	}
	f.all = f.in_lane;
	if (csr->format) {
		begin = ((const PTR *)csr->array[CSR_PTR])[i];
		end = ((const PTR *)csr->array[CSR_PTR])[i + 1];
		f.rest_col = (const IDX *)csr->array[CSR_COL] + begin;
		f.rest_val = (VAL *)csr->array[CSR_VAL] + begin;
		f.all += end - begin;
	} else if (coo->format) {
		begin = eki_idx_lower_bound(coo, COO_ROW, 0, coo->nnz, i);
		end = eki_idx_lower_bound(coo, COO_ROW, 0, coo->nnz, i + 1);
		f.rest_col = (const IDX *)coo->array[COO_COL] + begin;
		f.rest_val = (VAL *)coo->array[COO_VAL] + begin;
		f.all += end - begin;
	}
	return f;
}

/* Returns the first row in [begin, end) whose flat entries do not ascend, or `end` if there is
 * none. */
static int64_t FN(flat_fault)(const ek_store *s, int64_t begin, int64_t end)
{
	ek_store part[PARTS];

	for (int p = 0; p < PARTS; p++)
		part[p] = eki_cocktail_part(s, p);
	for (int64_t i = begin; i < end; i++) {
		const struct FN(flat_row) flat = FN(flat_row_of)(part, i);

		for (int64_t n = 1; n < flat.all; n++)
			if (FN(flat_col)(&flat, n) <= FN(flat_col)(&flat, n - 1))
				return i;
	}
	return end;
}

static void FN(cocktail_values)(const ek_store *csr, ek_store *out, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL];
	const VAL *from = csr->array[CSR_VAL];
	ek_store part[PARTS];

	for (int p = 0; p < PARTS; p++)
		part[p] = eki_cocktail_part(out, p);
	for (int64_t i = begin; i < end; i++) {
		struct FN(flat_row) flat = FN(flat_row_of)(part, i);

		for (int64_t k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
			VAL *to = NULL;

			for (int n = 0; n < SPECIAL_PARTS && !to; n++) {
				const ek_store *p = &part[special_part[n]];
				eki_place at = {-1, -1};

				if (p->format && p->format->find(p, i, col_idx[k], &at))
					to = (VAL *)p->array[at.array] + at.k;
			}
			*(to ? to : FN(flat_place)(&flat, col_idx[k])) = from[k];
		}
	}
}

#endif
#if EK_ONCE

ek_status eki_cocktail_flat_check(const ek_context *ctx, const ek_store *s,
                                  const ek_store part[PARTS])
{
	static eki_fault_fn *const fault[EK_NTYPE] = EK_BY_TYPE(flat_fault);
	int64_t i;

	if ((part[PART_ELL].format && part[PART_SELL].format) ||
	    (part[PART_CSR].format && part[PART_COO].format))
		return eki_fail(EK_ERANGE, "parts in both %s are not possible",
		                part[PART_CSR].format && part[PART_COO].format ? "csr and coo"
		                                                               : "ell and sell");
	i = eki_first_fault(ctx, s, fault[eki_type(s->value, s->index)], s->rows);
	if (i < s->rows)
		return eki_fail(EK_ERANGE,
		                "row %lld: columns do not ascend in its entries in ell or sell, "
		                "then csr or coo",
		                (long long)i);
	return EK_OK;
}

ek_status eki_cocktail_values(const ek_context *ctx, const ek_store *csr, ek_store *out)
{
	static eki_fill_fn *const fn[EK_NTYPE] = EK_BY_TYPE(cocktail_values);

	eki_fill(ctx, fn, csr, out, csr->rows, csr->nnz);
	return EK_OK;
}

#endif
