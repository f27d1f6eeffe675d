/* SPDX-License-Identifier: BSD-3-Clause
 * Aggregates of rows along strong entries, and the prolongator that is constant on each of them.
 * Two passes over the rows, in their order:
 *
 *   1  a row forms a new aggregate with its strong neighbours if none of them has an aggregate yet
 *   2  a row that is left joins the aggregate, made in pass 1, of the neighbour with the largest
 *      entry
 *
 * The third pass of the publication would find nothing: a row that pass 1 leaves out has a strong
 * neighbour in an aggregate.
 *
 * Rows without strong neighbours, such as boundary conditions, belong to no aggregate: a smoother
 * solves them, and coarse levels need not see them. In pass 2 rows join only aggregates of pass 1,
 * so no aggregate grows along a chain.
 *
 * Finally the aggregates are numbered by their first rows, which need not be the rows that formed
 * them. So aggregates near each other have numbers near each other.
 *
 * One thread does the passes, since each row depends on those before it. The passes read the
 * pattern two or three times, far less often than a Galerkin product does.
 *
 * Vanek, Mandel, Brezina 1996, Algebraic multigrid by smoothed aggregation for second and fourth
 * order elliptic problems, Computing 56. */
#include <math.h>

#include "solver/solver.h"
#define EK_TYPES_ONLY
#define EK_FILE "solver/aggregate.c"
#include "base/for_each.h"

#if EK_PER_TYPE

/* Tells whether row i has strong neighbours, all of them without an aggregate. */
static bool FN(all_free)(const eki_coupling *c, const IDX *of, int64_t i)
{
	const PTR *row_ptr = c->A->array[CSR_PTR];
	const IDX *col_idx = c->A->array[CSR_COL];
	const VAL *val = c->A->array[CSR_VAL];
	bool some = false;

	for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
		const IDX j = col_idx[k];

		if (j == i || !eki_is_strong(c, i, j, (double)val[k]))
			continue;
		if (of[j] >= 0)
			return false;
		some = true;
	}
	return some;
}

/* Puts row i and its strong neighbours into aggregate g. */
static void FN(gather)(const eki_coupling *c, IDX *of, int64_t i, IDX g)
{
	const PTR *row_ptr = c->A->array[CSR_PTR];
	const IDX *col_idx = c->A->array[CSR_COL];
	const VAL *val = c->A->array[CSR_VAL];

	for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++)
		if (col_idx[k] == i || eki_is_strong(c, i, col_idx[k], (double)val[k]))
			of[col_idx[k]] = g;
	of[i] = g;
}

/* Returns the aggregate of the strong neighbour of row i with the largest entry (the first of
 * several equal ones), or -1 if no such neighbour has an aggregate. Rows that joined aggregate g in
 * this pass are marked -2 - g, which does not count as one. */
static IDX FN(nearest)(const eki_coupling *c, const IDX *of, int64_t i)
{
	const PTR *row_ptr = c->A->array[CSR_PTR];
	const IDX *col_idx = c->A->array[CSR_COL];
	const VAL *val = c->A->array[CSR_VAL];
	double most = 0;
	IDX best = -1;

	for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
		const IDX j = col_idx[k];
		const double a = fabs((double)val[k]);

		if (j != i && of[j] >= 0 && a > most && eki_is_strong(c, i, j, a)) {
			most = a;
			best = of[j];
		}
	}
	return best;
}

/* Numbers the aggregates by their first rows. */
static void FN(renumber)(void *out, int64_t n, void *numbers, int64_t count)
{
	IDX *of = out, *number = numbers, next = 0;

	for (int64_t g = 0; g < count; g++)
		number[g] = -1;
	for (int64_t i = 0; i < n; i++) {
		if (of[i] < 0)
			continue;
		if (number[of[i]] < 0)
			number[of[i]] = next++;
		of[i] = number[of[i]];
	}
}

static int64_t FN(aggregate)(const eki_coupling *c, void *out)
{
	const int64_t n = c->A->rows;
	IDX *of = out, count = 0;

	for (int64_t i = 0; i < n; i++)
		of[i] = -1;
	for (int64_t i = 0; i < n; i++)
		if (of[i] < 0 && FN(all_free)(c, of, i))
			FN(gather)(c, of, i, count++);
	for (int64_t i = 0; i < n; i++) {
		const IDX g = of[i] < 0 ? FN(nearest)(c, of, i) : -1;

		if (g >= 0)
			of[i] = -2 - g;
	}
	for (int64_t i = 0; i < n; i++)
		of[i] = of[i] < -1 ? -2 - of[i] : of[i];
	return count;
}

/* Writes the row pointers, columns and values of T. */
static void FN(tentative)(const void *aggregates, ek_store *T)
{
	const IDX *of = aggregates;
	PTR *row_ptr = T->array[CSR_PTR], at = 0;
	IDX *col_idx = T->array[CSR_COL];
	VAL *val = T->array[CSR_VAL];

	for (int64_t i = 0; i < T->rows; i++) {
		row_ptr[i] = at;
		if (of[i] >= 0) {
			col_idx[at] = of[i];
			val[at++] = 1;
		}
	}
	row_ptr[T->rows] = at;
}

static int64_t FN(members)(const void *aggregates, int64_t n)
{
	const IDX *of = aggregates;
	int64_t count = 0;

	for (int64_t i = 0; i < n; i++)
		count += of[i] >= 0;
	return count;
}

#endif
#if EK_ONCE

typedef int64_t aggregate_fn(const eki_coupling *, void *);
typedef void renumber_fn(void *, int64_t, void *, int64_t);
typedef void tentative_fn(const void *, ek_store *);
typedef int64_t members_fn(const void *, int64_t);

ek_status eki_aggregates_make(const eki_coupling *c, eki_aggregates *g)
{
	static aggregate_fn *const fn[EK_NTYPE] = EK_BY_TYPE(aggregate);
	static renumber_fn *const renumber[EK_NTYPE] = EK_BY_TYPE(renumber);
	const int type = eki_type(c->A->value, c->A->index);
	const size_t idx = eki_idx_size(c->A->index);
	void *numbers;

	EK_RETURN_IF(eki_alloc(c->ctx, c->A->rows, idx, &g->of));
	g->count = fn[type](c, g->of);
	EK_RETURN_IF(eki_alloc(c->ctx, g->count, idx, &numbers));
	renumber[type](g->of, c->A->rows, numbers, g->count);
	eki_free(c->ctx, numbers, g->count, idx);
	return EK_OK;
}

void eki_aggregates_free(const eki_coupling *c, eki_aggregates *g)
{
	eki_free(c->ctx, g->of, c->A->rows, eki_idx_size(c->A->index));
}

ek_status ek_aggregate(const ek_matrix *A, const ek_aggregation *options, ek_matrix **T)
{
	static tentative_fn *const fill[EK_NTYPE] = EK_BY_TYPE(tentative);
	static members_fn *const members[EK_NTYPE] = EK_BY_TYPE(members);
	eki_aggregates g = {0};
	ek_store store = {0};
	eki_coupling c;
	ek_status status;
	int type;

	if (!T)
		return eki_fail(EK_EINVAL, "T, where the result goes, is NULL");
	EK_RETURN_IF(eki_coupling_open(A, options, &c));
	type = eki_type(c.A->value, c.A->index);
	EK_TRY(eki_aggregates_make(&c, &g));
	EK_TRY(eki_csr_alloc(c.ctx, c.A->value, c.A->index, c.A->rows, g.count,
	                     members[type](g.of, c.A->rows), &store));
	fill[type](g.of, &store);
	EK_TRY(eki_matrix_from_store((ek_context *)(uintptr_t)c.ctx, &store, T));
done:
	if (status != EK_OK)
		eki_store_free(c.ctx, &store);
	eki_aggregates_free(&c, &g);
	eki_coupling_close(&c);
	return status;
}

#endif
