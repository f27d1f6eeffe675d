/* SPDX-License-Identifier: BSD-3-Clause
 * The lists whose sum is a row of C (spgemm/flags.c, spgemm/bins_rows.c). Included once in each
 * pass of base/for_each.h. */
#define LIST  FN(list)
#define LISTS FN(lists)

/* Entries that are added to a row of C, each times `a`. */
typedef struct LIST {
	const IDX *col;
	const VAL *val; /* not read if `read` is false */
	int64_t n;
	VAL a;
	bool read;
} LIST;

/* The lists of a row. */
typedef struct LISTS {
	const eki_rows_task *t;
	const eki_b_pattern *b;
	const IDX *a_col, *b_col;
	const VAL *a_val, *b_val;
	const PTR *a_ptr, *b_ptr;
	int64_t a_nnz;
	VAL alpha;
	bool read;     /* whether values of A and B are read */
	PTR begin;     /* first entry of A */
	int64_t count; /* number of lists, including that of D */
	LIST d;        /* the row of D; it is the first list unless it is empty */
	int64_t products;
	IDX first, last; /* smallest and largest column */
} LISTS;

static LISTS FN(lists_of)(const eki_rows_task *t, const eki_b_pattern *b)
{
	const ek_store *A = t->step->in[0], *B = t->step->in[1];
	const bool values = t->mode != EKI_ROWS_COUNT;

	return (LISTS){
		.t = t,
		.b = b,
		.a_ptr = A->array[CSR_PTR],
		.a_col = A->array[CSR_COL],
		.a_val = A->array[CSR_VAL],
		.a_nnz = A->nnz,
		.b_ptr = B->array[CSR_PTR],
		.b_col = B->array[CSR_COL],
		.b_val = B->array[CSR_VAL],
		.alpha = EK_SCALAR(t->run->alpha),
		.read = values && eki_reads_factors(t->run),
		.d = {.a = EK_SCALAR(t->run->beta), .read = values && eki_reads_addend(t->run)}};
}

/* Returns list k of a row. */
static inline LIST FN(list_at)(const LISTS *l, int64_t k)
{
	const bool has_d = l->d.n > 0;
	LIST list = {.read = l->read};
	PTR row, begin;

	if (has_d && k == 0)
		return l->d;
	k += l->begin - has_d;
	row = l->a_col[k];
	begin = l->b_ptr[row];
	list.n = l->b_ptr[row + 1] - begin;
	list.col = l->b_col + begin;
	if (l->read) {
		list.val = l->b_val + begin;
		list.a = l->alpha * l->a_val[k];
	}
	return list;
}

/* Prefetches what entries of A soon after entry k will need. Always inlined: gcc takes a call of a
 * function that only prefetches for one without an effect, and drops it. */
static inline __attribute__((always_inline)) void FN(prefetch)(const LISTS *l, PTR k)
{
	const int64_t soon = (int64_t)k + 64, later = (int64_t)k + 128;

	if (later >= l->a_nnz)
		return;
	const PTR begin = l->b_ptr[l->a_col[soon]];

	__builtin_prefetch(l->b_ptr + l->a_col[later]);
	__builtin_prefetch(l->b_col + begin);
	if (l->read)
		__builtin_prefetch(l->b_val + begin);
}

/* Takes the row of D as a list. */
static void FN(list_of_d)(LISTS *l, int64_t i)
{
	const ek_store *D = l->t->step->in[2];
	const int64_t begin = eki_ptr_at(D, i);

	l->d.n = eki_ptr_at(D, i + 1) - begin;
	l->d.col = (const IDX *)D->array[CSR_COL] + begin;
	l->d.val = (const VAL *)D->array[CSR_VAL] + begin;
	if (l->d.n > 0) {
		l->products = l->d.n;
		l->first = l->d.col[0];
		l->last = l->d.col[l->d.n - 1];
	}
}

/* Takes the lists of row i, and finds the number of their products and their first and last
 * columns. */
static inline void FN(take_lists)(LISTS *l, int64_t i)
{
	const PTR *b_ptr = l->b_ptr, end = l->a_ptr[i + 1];
	const IDX *col = l->b_col;

	l->begin = l->a_ptr[i];
	l->products = 0;
	l->first = sizeof(IDX) == 4 ? INT32_MAX : (IDX)INT64_MAX;
	l->last = -1;
	if (l->t->step->in[2])
		FN(list_of_d)(l, i);
	l->count = end - l->begin + (l->d.n > 0);
	for (PTR k = l->begin; k < end; k++) {
		const PTR from = b_ptr[l->a_col[k]], to = b_ptr[l->a_col[k] + 1];

		if (l->b->far)
			FN(prefetch)(l, k);
		if (from == to)
			continue;
		l->products += to - from;
		l->first = col[from] < l->first ? col[from] : l->first;
		l->last = col[to - 1] > l->last ? col[to - 1] : l->last;
	}
}

/* Takes the lists of row i if the row of C has the columns of the row before, each plus a constant.
 * Returns the constant, 0 or 1, or -1 if none is known. */
static inline int FN(take_shifted)(LISTS *l, int64_t i)
{
	const PTR begin = l->a_ptr[i], n = l->a_ptr[i + 1] - begin;
	const uint64_t *shifted = l->b->shifted;
	const IDX *col, *before;
	int shift;

	if (n == 0 || begin - l->begin != n)
		return -1;
	col = l->a_col + begin;
	before = col - n;
	shift = col[0] == before[0] ? 0 : col[0] == before[0] + 1 && shifted ? 1 : -1;
	for (PTR k = 0; k < n && shift >= 0; k++)
		if (col[k] != before[k] + shift || (shift && !eki_bit(shifted, col[k])))
			shift = -1;
	if (shift < 0)
		return -1;
	l->begin = begin;
	if (l->products > 0) { /* otherwise there is no first column */
		l->first += (IDX)shift;
		l->last += (IDX)shift;
	}
	return shift;
}
