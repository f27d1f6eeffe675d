/* SPDX-License-Identifier: BSD-3-Clause
 * Stage 3 of SpGEMM by bins (csr_bins.c): rows of C by the method of their group.
 *
 *   group 1   nothing to do
 *   group 2   the one product is copied
 *   group 3   heap (heap_fuse.c)
 *   group 4   bitonic ESC (esc.h)
 *   group 5   merge (merge_lists.h)
 *
 * Every method adds the products of an entry to 0 one after the other, in the order of the lists:
 * the row of D, then the rows of B. So all give the same bits. Entries whose value is 0 are kept.
 *
 * Liu 2015, sections 7.4 and 9.4.2. */
#include "spgemm/bins_rows.h"
#include "prim_body/merge.h"
#include "prim_body/search.h"
#define EK_TYPES_ONLY
#define EK_FILE "spgemm/bins_rows.c"
#include "base/for_each.h"

#if EK_PER_TYPE

#include "spgemm/lists.h"

#include "spgemm/esc.h"
#include "spgemm/merge_lists.h"

/* ---- Groups 2 and 3 -------------------------------------------------------------------------- */

/* Copies the only product of a row. */
static int64_t FN(copy_product)(const LISTS *l, IDX *col, VAL *val)
{
	LIST list = FN(list_at)(l, 0);

	for (int64_t k = 1; list.n == 0; k++)
		list = FN(list_at)(l, k);
	if (col)
		*col = list.col[0];
	if (val)
		*val = list.read ? 0 + list.a * list.val[0] : 0;
	return 1;
}

static int64_t FN(heap_row)(const LISTS *l, const eki_bins_piece *p, IDX *col, VAL *val)
{
	const bool narrow = p->tools->narrow;
	char *keys = (char *)p->scratch->of.sort.key +
	             (EKI_FUSE_ARITY - 1) * (narrow ? sizeof(int32_t) : sizeof(int64_t));
	const VAL *sum = (const VAL *)(void *)p->scratch->of.sort.sum;
	const int64_t n = FN(expand)(l, keys, narrow, EKI_FUSE_BITS, true,
	                             val ? (VAL *)(void *)p->scratch->of.sort.product : NULL);
	const int64_t head = p->tools->fuse(n, keys, val ? sizeof *val : 0,
	                                    p->scratch->of.sort.product, p->scratch->of.sort.sum);

	for (int64_t k = head; col && k < n; k++)
		col[k - head] = (IDX)(FN(key_at)(keys, narrow, k) >> EKI_FUSE_BITS);
	if (val)
		memcpy(val, sum + head, (size_t)(n - head) * sizeof *val);
	return n - head;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Computes row k of the piece, or goes on with it. Returns the number of its entries, or -1 if it
 * needs more room. `col` and `val` are where it goes, or NULL if they are not wanted. */
static int64_t FN(bins_row)(LISTS *l, const eki_bins_piece *p, int64_t k, IDX *col, VAL *val)
{
	const ek_store *C = p->task->run->C;
	const int64_t i = p->row[k];
	eki_long_row whole = {.col = col ? (void *)col : p->counted, .val = val};
	eki_long_row *r = p->long_rows ? p->long_rows + k : &whole;

	if (p->group == EKI_GROUP_EMPTY)
		return 0;
	FN(take_lists)(l, i);
	if (p->group == EKI_GROUP_COPY)
		return FN(copy_product)(l, col, val);
	if (p->group == EKI_GROUP_HEAP)
		return FN(heap_row)(l, p, col, val);
	if (p->group == EKI_GROUP_ESC)
		return FN(esc_row)(l, p, col, val);
	if (p->task->mode == EKI_ROWS_VALUES) {
		const int64_t begin = eki_ptr_at(C, i), n = eki_ptr_at(C, i + 1) - begin;

		FN(fuse_lists)(l, (const IDX *)C->array[CSR_COL] + begin, n, val);
		return n;
	}
	if (r == &whole)
		r->capacity = l->products;
	r->bound = l->products;
	FN(merge_lists)(l, p->scratch, r);
	return r->done ? r->n : -1;
}

static int64_t FN(bins_rows)(const eki_bins_piece *p)
{
	static const eki_b_pattern none;
	const eki_rows_task *t = p->task;
	const bool make = t->mode == EKI_ROWS_MAKE, count = t->mode == EKI_ROWS_COUNT;
	LISTS l = FN(lists_of)(t, &none);
	int64_t all = 0;

	for (int64_t k = 0; k < p->rows; k++) {
		const int64_t i = p->row[k];
		const int64_t at = p->at ? p->at[i] : count ? 0 : eki_ptr_at(t->run->C, i);
		int64_t n;

		if (p->long_rows && p->long_rows[k].done)
			continue;
		n = FN(bins_row)(&l, p, k, make ? (IDX *)t->col + at : NULL,
		                 count ? NULL : (VAL *)t->val + at);
		if (n < 0)
			continue;
		if (t->lengths)
			eki_ptr_set(t->lengths, i + 1, n);
		all += n;
	}
	return all;
}

#undef LIST
#undef LISTS

#endif
#if EK_ONCE

eki_bins_rows_fn *const eki_bins_rows[EK_NTYPE] = EK_BY_TYPE(bins_rows);

#endif
