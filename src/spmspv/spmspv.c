/* SPDX-License-Identifier: BSD-3-Clause
 * The operation y = alpha op(A) x with sparse x and y, and its public functions. Methods use op(A)
 * by rows, by columns, or both; this file finds these sides, as A itself or as transposed copies,
 * and counts products. */
#include <stdio.h>

#include "reshape/rows.h"
#include "spmspv/spmspv.h"
#define EK_TYPES_ONLY
#define EK_FILE "spmspv/spmspv.c"
#include "base/for_each.h"

#if EK_PER_TYPE

/* Tells whether the columns of rows begin .. end - 1 ascend; duplicates are allowed. */
static bool FN(rows_ascend)(const ek_store *csr, int64_t begin, int64_t end)
{
	const PTR *row_ptr = csr->array[CSR_PTR];
	const IDX *col_idx = csr->array[CSR_COL];
	bool wrong = false;

	for (int64_t i = begin; i < end; i++)
		for (PTR k = row_ptr[i] + 1; k < row_ptr[i + 1]; k++)
			wrong |= col_idx[k] < col_idx[k - 1];
	return !wrong;
}

/* Returns the number of products with entries begin .. end - 1 of x: the total length of their
 * columns. */
static int64_t FN(lengths)(const ek_store *cols, const ek_sparse *x, int64_t begin, int64_t end)
{
	const PTR *ptr = cols->array[CSR_PTR];
	const IDX *idx = x->idx;
	int64_t sum = 0;

	for (int64_t e = begin; e < end; e++)
		sum += ptr[idx[e] + 1] - ptr[idx[e]];
	return sum;
}

#endif
#if EK_ONCE

/* ---- Sides ----------------------------------------------------------------------------------- */

bool eki_sides_applies(const ek_store *store, ek_op op)
{
	(void)op;
	return !eki_many_columns(store);
}

static bool ascending(const ek_store *csr)
{
	static bool (*const rows_ascend[EK_NTYPE])(const ek_store *, int64_t, int64_t) =
		EK_BY_TYPE(rows_ascend);

	return rows_ascend[eki_type(csr->value, csr->index)](csr, 0, csr->rows);
}

/* Sets *to to a transposed copy of `from`. */
static ek_status transpose(eki_step *step, eki_sides *s, const ek_store *from, const ek_store **to)
{
	const ek_store *in = step->in[0];
	const ek_op op = step->op[0];
	const int64_t bytes = step->bytes;
	eki_transposed *copy = &s->copy[s->copies];
	ek_status status;

	step->in[0] = from;
	status = eki_step_transpose(step, copy);
	step->in[0] = in;
	step->op[0] = op;
	step->bytes = bytes;
	if (status != EK_OK)
		return status;
	s->copies++;
	*to = &copy->store;
	return EK_OK;
}

/* Sets *to to a copy of `from` with sorted rows, without an array as long as its columns. */
static ek_status sort(eki_step *step, eki_sides *s, const ek_store *from, const ek_store **to)
{
	const ek_context *ctx = step->ctx;
	const size_t psize = eki_ptr_size(from->index);
	eki_transposed *copy = &s->copy[s->copies];
	ek_store places = {.index = from->index};
	eki_rows rows = {.csr = &copy->store,
	                 .with_size = psize,
	                 .parts = ctx->threads < EKI_ROWS_PARTS ? ctx->threads : EKI_ROWS_PARTS};
	int64_t repeated;
	ek_status status;

	EK_RETURN_IF(eki_step_reserve(step, 4));
	EK_RETURN_IF(eki_convert_types(ctx, NULL, from, from->value, from->index, &copy->store));
	EK_TRY(eki_alloc(ctx, from->nnz, psize, &copy->from));
	places.array[CSR_PTR] = rows.with = copy->from;
	for (int64_t k = 0; k < from->nnz; k++)
		eki_ptr_set(&places, k, k);
	EK_TRY(eki_rows_sort(ctx, &rows, &repeated));
	copy->in = from;
	eki_transposed_refresh(step, copy);
	eki_step_own(step, copy->from, from->nnz * (int64_t)psize);
	eki_step_own_store(step, &copy->store);
	s->copies++;
	*to = &copy->store;
	return EK_OK;
done:
	eki_free(ctx, copy->from, from->nnz, psize);
	eki_store_free(ctx, &copy->store);
	return status;
}

ek_status eki_sides_prepare(eki_step *step, int which, eki_sides *s)
{
	const ek_store *A = step->in[0], *flipped = NULL;
	const bool plain = step->op[0] == EK_OP_N;
	const ek_method *m = step->method;
	bool sorted, alone = false; /* whether rows are sorted without a transposition */

	if (m->applies && !m->applies(A, step->op[0]))
		return eki_fail(EK_EUNSUPPORTED, "method %s does not apply to this matrix",
		                m->name);
	sorted = !(which & (plain ? EKI_ROWS : EKI_COLS_ASCENDING & ~EKI_COLS)) || ascending(A);
	if (!sorted && eki_many_columns(A)) {
		EK_RETURN_IF(sort(step, s, A, &A));
		sorted = alone = true;
	}
	/* A transposition sorts by itself, so the transpose of the transpose is A with sorted
	 * rows. */
	if (!sorted || which & (plain ? EKI_COLS : EKI_ROWS))
		EK_RETURN_IF(transpose(step, s, A, &flipped));
	if (!sorted)
		EK_RETURN_IF(transpose(step, s, flipped, &A));
	s->rows = !(which & EKI_ROWS) ? NULL : plain ? A : flipped;
	s->cols = !(which & EKI_COLS) ? NULL : plain ? flipped : A;
	if (!s->copies)
		return EK_OK;
	return eki_step_say(step, "keeps %s of A\n",
	                    s->copies == 2 ? "a transposed copy and one with sorted rows"
	                    : alone        ? "a copy with sorted rows"
	                                   : "a transposed copy");
}

ek_status eki_sides_refresh(eki_step *step)
{
	eki_sides *s = step->state;

	for (int k = 0; k < s->copies; k++)
		eki_transposed_refresh(step, &s->copy[k]);
	return EK_OK;
}

/* ---- Products -------------------------------------------------------------------------------- */

typedef struct counting {
	const ek_store *cols;
	const ek_sparse *x;
	eki_products *p;
	int64_t sum[EKI_CHUNKS];
	int64_t (*lengths)(const ek_store *, const ek_sparse *, int64_t, int64_t);
} counting;

static void count_chunk(void *arg, int c)
{
	counting *w = arg;
	const int64_t n = w->x->nnz;

	w->sum[c] = w->lengths(w->cols, w->x, eki_cut(n, w->p->chunks, c),
	                       eki_cut(n, w->p->chunks, c + 1));
}

void eki_products_count(const eki_step *step, const ek_store *cols, const ek_sparse *x,
                        eki_products *p)
{
	static int64_t (*const lengths[EK_NTYPE])(const ek_store *, const ek_sparse *, int64_t,
	                                          int64_t) = EK_BY_TYPE(lengths);
	counting w;

	w.cols = cols;
	w.x = x;
	w.p = p;
	w.lengths = lengths[eki_type(cols->value, cols->index)];
	p->chunks = x->nnz < 4 * EKI_CHUNKS ? (int)(x->nnz / 4 + 1) : EKI_CHUNKS;
	eki_parallel(step->ctx, x->nnz < step->ctx->small_work ? 1 : step->threads, p->chunks,
	             count_chunk, &w);
	p->total = eki_positions(w.sum, p->chunks, p->before);
	p->before[p->chunks] = p->total;
}

void eki_products_find(const ek_store *cols, const ek_sparse *x, const eki_products *p, int64_t k,
                       int64_t *entry, int64_t *within)
{
	int c = 0;
	int64_t e;

	while (c < p->chunks - 1 && p->before[c + 1] <= k)
		c++;
	k -= p->before[c];
	for (e = eki_cut(x->nnz, p->chunks, c); e < x->nnz; e++) {
		const int64_t j = eki_sparse_index(x, e);
		const int64_t n = eki_ptr_at(cols, j + 1) - eki_ptr_at(cols, j);

		if (k < n)
			break;
		k -= n;
	}
	*entry = e;
	*within = e < x->nnz ? k : 0;
}

void eki_entries_to(const ek_sparse *y, int64_t at, int64_t n, const void *idx, const void *val)
{
	const size_t is = ek_value_size(y->index), vs = ek_value_size(y->value);

	if (n == 0)
		return;
	memmove((char *)y->idx + (size_t)at * is, idx, (size_t)n * is);
	memmove((char *)y->val + (size_t)at * vs, val, (size_t)n * vs);
}

/* ---- The operation --------------------------------------------------------------------------- */

static ek_status check(const eki_problem *p)
{
	const ek_store *s = &p->A[0].M->store;

	EK_RETURN_IF(eki_lengths_check(p, "x or y"));
	if (s->index != EK_I64 && (s->rows > INT32_MAX || s->cols > INT32_MAX))
		return eki_fail(EK_EUNSUPPORTED,
		                "A is %lld x %lld with indices of type %s, in which the indices of "
		                "x and y do not fit; ek_matrix_convert changes types to EK_I64",
		                (long long)s->rows, (long long)s->cols, ek_index_name(s->index));
	return EK_OK;
}

/* Takes A in csr or in csc, as the hints say; without them as it is stored, or any other format as
 * a copy in CSR. */
static ek_status operands(ek_plan *p)
{
	const bool flipped = p->problem.columns;
	const bool op_t = p->problem.A[0].op == EK_OP_T;

	EK_RETURN_IF(eki_plan_operand(p, 0, op_t != flipped, false));
	p->root.op[0] = op_t != flipped ? EK_OP_T : EK_OP_N;
	snprintf(p->format, sizeof p->format, "%s", flipped ? "csc" : "csr");
	return EK_OK;
}

/* Checks the types and the length of a vector, which must be n. `what` tells in messages what op(A)
 * has n of: "rows" or "columns". */
static ek_status vector_check(const ek_plan *p, const char *name, const ek_sparse *given, int64_t n,
                              const char *what, ek_sparse *own)
{
	const ek_store *A = p->root.in[0];
	const ek_value index = A->index == EK_I64 ? EK_INT64 : EK_INT32;

	EK_RETURN_IF(eki_sparse_in(name, given, own));
	if (own->value != A->value)
		return eki_fail(EK_EINVAL, "%s->value is %s, and A has values of type %s", name,
		                ek_value_name(own->value), ek_value_name(A->value));
	if (own->index != index)
		return eki_fail(EK_EINVAL,
		                "%s->index is %s; A has indices of type %s, so %s is expected",
		                name, ek_value_name(own->index), ek_index_name(A->index),
		                ek_value_name(index));
	if (own->n != n)
		return eki_fail(EK_EINVAL, "%s->n is %lld, and op(A) has %lld %s", name,
		                (long long)own->n, (long long)n, what);
	return EK_OK;
}

/* Checks x, and its indices. */
static ek_status x_check(const ek_plan *p, const ek_sparse *given, ek_sparse *x)
{
	eki_array a = {.ctx = p->ctx, .isa = p->root.isa};

	EK_RETURN_IF(vector_check(p, "x", given, p->root.x_len, "columns", x));
	a.x = *x;
	a.threads = x->nnz < p->ctx->small_work ? 1 : p->root.threads;
	return eki_contents_of_x(&a);
}

static ek_status apart_check(const ek_plan *p, const ek_sparse *x, const ek_sparse *y,
                             int64_t *count)
{
	const eki_region output[3] = {eki_idx_region("y->idx", y),
	                              eki_val_region("y->val", y),
	                              {"count", count, sizeof *count}};
	const eki_region input[2] = {eki_idx_region("x->idx", x), eki_val_region("x->val", x)};

	EK_RETURN_IF(eki_regions_apart(false, 3, output, 2, input));
	for (int k = 0; k < p->arrays; k++) {
		const eki_region array = {p->array[k].name, p->array[k].data, p->array[k].bytes};

		EK_RETURN_IF(eki_regions_apart(false, 3, output, 1, &array));
	}
	return EK_OK;
}

/* Runs the plan with checked arguments. */
static ek_status multiply(ek_plan *p, double alpha, eki_sparse_run *s)
{
	eki_run run = {.sparse = s, .width = 1};

	s->count = 0;
	if (p->root.in[0]->value == EK_F32)
		alpha = eki_widen(eki_narrow(alpha));
	run.alpha = eki_real(alpha == 0 ? 0 : alpha); /* -0 becomes 0 */
	if (s->x.nnz == 0 || p->root.in[0]->nnz == 0)
		return EK_OK;
	return eki_plan_run(p, &run);
}

ek_status ek_spmspv(ek_plan *plan, double alpha, const ek_sparse *x, int64_t *count,
                    const ek_sparse *y)
{
	eki_sparse_run s;

	EK_RETURN_IF(eki_plan_check_for(plan, EK_SPMSPV));
	EK_RETURN_IF(vector_check(plan, "y", y, plan->root.y_len, "rows", &s.y));
	EK_RETURN_IF(eki_array_check("count", count, 1, sizeof *count));
	EK_RETURN_IF(x_check(plan, x, &s.x));
	EK_RETURN_IF(apart_check(plan, &s.x, &s.y, count));
	EK_RETURN_IF(multiply(plan, alpha, &s));
	if (s.count > s.y.nnz)
		return eki_fail(EK_EINVAL,
		                "y->nnz is %lld, and y must have space for the %lld entries of the "
		                "result",
		                (long long)s.y.nnz, (long long)s.count);
	*count = s.count;
	return EK_OK;
}

ek_status ek_spmspv_size(ek_plan *plan, const ek_sparse *x, int64_t *most, int64_t *exact)
{
	eki_sparse_run s = {0};
	eki_products p = {0};
	int64_t bound;

	EK_RETURN_IF(eki_plan_check_for(plan, EK_SPMSPV));
	EK_RETURN_IF(x_check(plan, x, &s.x));
	const ek_store *A = plan->root.in[0];
	const eki_sides *sides = plan->root.state;
	const ek_store *cols = sides->cols ? sides->cols : plan->root.op[0] == EK_OP_T ? A : NULL;

	if (cols)
		eki_products_count(&plan->root, cols, &s.x, &p);
	bound = cols ? p.total : s.x.nnz ? A->nnz : 0;
	bound = bound < plan->root.y_len ? bound : plan->root.y_len;
	s.y = s.x;
	s.y.nnz = 0;
	if (exact)
		EK_RETURN_IF(multiply(plan, 0, &s));
	if (most)
		*most = bound;
	if (exact)
		*exact = s.count;
	return EK_OK;
}

const eki_operation eki_op_spmspv = {
	.name = "spmspv",
	.text = "y = alpha op(A) x with sparse x and y",
	.number = EK_SPMSPV,
	.matrices = 1,
	.check = check,
	.operands = operands,
};

#endif
