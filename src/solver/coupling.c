/* SPDX-License-Identifier: BSD-3-Clause
 * Opens a matrix for aggregation: its options, the matrix in CSR with sorted rows, and its
 * diagonal. Whether an entry is strong is computed from these at each use. */
#include <math.h>

#include "solver/solver.h"
#define EK_TYPES_ONLY
#define EK_FILE "solver/coupling.c"
#include "base/for_each.h"

#if EK_PER_TYPE

/* Finds the diagonal of rows [begin, end). Returns the first row whose diagonal is 0 or not finite,
 * or `end`. */
static int64_t FN(coupling_diagonal)(const ek_store *A, double *diagonal, int64_t begin,
                                     int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL];
	int64_t bad = end;

	for (int64_t i = begin; i < end; i++) {
		VAL d = 0;

		for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++)
			d = col_idx[k] == i ? val[k] : d;
		diagonal[i] = (double)d;
		if (bad == end && (d == 0 || !EK_IS_FINITE(d)))
			bad = i;
	}
	return bad;
}

#endif
#if EK_ONCE

typedef int64_t diagonal_fn(const ek_store *, double *, int64_t, int64_t);

enum { PARTS = 64 };

struct diagonal_job {
	const eki_coupling *c;
	diagonal_fn *fn;
	int parts;
	int64_t bad[PARTS];
};

static void diagonal_part(void *arg, int part)
{
	struct diagonal_job *job = arg;
	const ek_store *A = job->c->A;
	const int64_t end = eki_cut(A->rows, job->parts, part + 1);
	const int64_t bad = job->fn(A, job->c->diagonal, eki_cut(A->rows, job->parts, part), end);

	job->bad[part] = bad < end ? bad : A->rows;
}

static ek_status find_diagonal(const eki_coupling *c)
{
	static diagonal_fn *const fn[EK_NTYPE] = EK_BY_TYPE(coupling_diagonal);
	const ek_store *A = c->A;
	const int parts = eki_parts(c->ctx, A->nnz + A->rows);
	struct diagonal_job job = {.c = c,
	                           .fn = fn[eki_type(A->value, A->index)],
	                           .parts = parts < PARTS ? parts : PARTS};

	eki_parallel(c->ctx, c->ctx->threads, job.parts, diagonal_part, &job);
	for (int part = 0; part < job.parts; part++)
		if (job.bad[part] < A->rows)
			return eki_fail(EK_EINVAL,
			                "row %lld of A, from 0, has the diagonal %g; it must be "
			                "finite and not 0",
			                (long long)job.bad[part], c->diagonal[job.bad[part]]);
	return EK_OK;
}

static ek_status read_options(const ek_aggregation *given, eki_coupling *c)
{
	ek_aggregation o = {.size = sizeof o};

	if (given)
		EK_RETURN_IF(EKI_STRUCT_IN("options", ek_aggregation, given, &o));
	if (!(o.strength >= 0 && o.strength <= DBL_MAX))
		return eki_fail(EK_EINVAL, "options.strength is %g; 0 or more is expected",
		                o.strength);
	if (!(o.omega >= 0 && o.omega < 2))
		return eki_fail(EK_EINVAL,
		                "options.omega is %g; 0 (default) or a number below 2 is expected",
		                o.omega);
	c->strength = o.strength;
	c->omega = o.omega > 0 ? o.omega : 4.0 / 3;
	return EK_OK;
}

ek_status eki_coupling_open(const ek_matrix *A, const ek_aggregation *options, eki_coupling *c)
{
	void *diagonal;
	ek_status status;

	*c = (eki_coupling){0};
	EK_RETURN_IF(eki_matrix_check(A));
	EK_RETURN_IF(read_options(options, c));
	if (A->store.rows != A->store.cols)
		return eki_fail(EK_EINVAL, "A is %lld x %lld; a square matrix is expected",
		                (long long)(A->transposed ? A->store.cols : A->store.rows),
		                (long long)(A->transposed ? A->store.rows : A->store.cols));
	c->ctx = A->ctx;
	EK_TRY(eki_matrix_csr(A, false, &c->copy, &c->A));
	if (!eki_ascends_strictly(c->ctx, c->A))
		EK_TRY(eki_csr_copy_as(c->ctx, c->A->index, true, &c->copy, &c->A));
	EK_TRY(eki_alloc(c->ctx, c->A->rows, sizeof *c->diagonal, &diagonal));
	c->diagonal = diagonal;
	EK_TRY(find_diagonal(c));
done:
	if (status != EK_OK)
		eki_coupling_close(c);
	return status;
}

void eki_coupling_close(eki_coupling *c)
{
	if (c->diagonal)
		eki_free(c->ctx, c->diagonal, c->A->rows, sizeof *c->diagonal);
	if (c->ctx)
		eki_store_free(c->ctx, &c->copy);
	*c = (eki_coupling){0};
}

#endif
