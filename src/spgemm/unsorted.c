/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of a sparse product, C = alpha A B + beta D, whose columns may have any order
 * (hints.unsorted). Products are added to a dense window with a sum for each column of C. A column
 * that has no flag yet gets one, and is listed. The list is the row: its columns are in the order
 * in which the lists of the row have them first. So nothing is sorted, no flags are searched, and
 * neither the first nor the last column of a row need be known.
 *
 * The loop over products has no branch: each writes its column behind the list, which only grows if
 * the flag was not set.
 *
 * Products of an entry are added to 0 one after the other, in the order of the lists, so entries
 * have the same bits as those of sorted rows (flags.c). Cost: for each product, one addition, one
 * flag and one store to the list; for each entry of C, two loads and four stores. Gustavson 1978,
 * whose rows are not sorted either. */
#include "spgemm/unsorted.h"
#define EK_TYPES_ONLY
#define EK_FILE "spgemm/unsorted.c"
#include "base/for_each.h"

#if EK_PER_TYPE
#include "spgemm/lists.h"

#include "spgemm/listed.h"

/* Writes the n listed columns and their sums, unless `val` is NULL, and clears flags and sums. */
static inline void FN(take_listed)(const eki_window *s, int64_t n, IDX *restrict col,
                                   VAL *restrict val)
{
	const IDX *restrict list = s->list;
	VAL *restrict sum = s->sum;
	uint8_t *restrict flag = s->flag;

	for (int64_t k = 0; k < n; k++) {
		const IDX j = list[k];

		if (val) {
			col[k] = j;
			val[k] = sum[j];
		}
		flag[j] = 0;
		sum[j] = 0;
	}
}

/* Makes or counts rows. */
static int64_t FN(list_rows)(const eki_rows_task *t, const eki_window *s)
{
	const bool count = t->mode == EKI_ROWS_COUNT, read = !count && eki_reads_factors(t->run);
	const bool with_d = t->step->in[2];
	const LISTS l = FN(lists_of)(t, s->b); /* constant, so that it stays in registers */
	LISTS d = l;
	int64_t all = 0;

	for (int64_t i = t->begin; i < t->end; i++) {
		int64_t n = 0;

		if (with_d) {
			FN(list_of_d)(&d, i);
			n = FN(add_new)(s, d.d, 0, d.d.read, s->list, n);
		}
		n = FN(add_new_rows)(&l, s, l.a_ptr[i], l.a_ptr[i + 1], 0, read, s->b->far, s->list,
		                     n);
		if (count)
			FN(take_listed)(s, n, NULL, NULL);
		else
			FN(take_listed)(s, n, (IDX *)t->col + all, (VAL *)t->val + all);
		if (t->lengths)
			eki_ptr_set(t->lengths, i + 1, n);
		all += n;
	}
	return all;
}

/* Adds a list to the sums. */
static inline void FN(add_list)(const eki_window *s, LIST list)
{
	VAL *restrict sum = s->sum;

	for (int64_t k = 0; list.read && k < list.n; k++)
		sum[list.col[k]] += list.a * list.val[k];
}

/* Computes the values of rows of C, which has its columns. */
static int64_t FN(list_values)(const eki_rows_task *t, const eki_window *s)
{
	const ek_store *C = t->run->C;
	LISTS l = FN(lists_of)(t, s->b);
	const int64_t begin = eki_ptr_at(C, t->begin), end = eki_ptr_at(C, t->end);
	const IDX *col = (const IDX *)C->array[CSR_COL] + begin;
	VAL *sum = s->sum, *val = t->val;
	int64_t at = 0;

	for (int64_t i = t->begin; i < t->end; i++) {
		if (t->step->in[2])
			FN(list_of_d)(&l, i);
		l.begin = l.a_ptr[i];
		l.count = l.a_ptr[i + 1] - l.begin + (l.d.n > 0);
		for (int64_t k = 0; k < l.count; k++) {
			if (s->b->far)
				FN(prefetch)(&l, l.begin + (PTR)k);
			FN(add_list)(s, FN(list_at)(&l, k));
		}
		for (; at < eki_ptr_at(C, i + 1) - begin; at++) {
			val[at] = sum[col[at]];
			sum[col[at]] = 0;
		}
	}
	return end - begin;
}

static int64_t FN(unsorted_rows)(const eki_rows_task *t, const eki_window *s)
{
	return t->mode == EKI_ROWS_VALUES ? FN(list_values)(t, s) : FN(list_rows)(t, s);
}

#undef LIST
#undef LISTS
#endif
#if EK_ONCE

eki_flags_fn *const eki_unsorted_rows[EK_NTYPE] = EK_BY_TYPE(unsorted_rows);

#endif
