/* SPDX-License-Identifier: BSD-3-Clause
 * Counts the products of ek multiply, and checks its result and those of ek add and ek triple. The
 * bound of each entry needs the number of its summands and the sum of their magnitudes. Both are
 * results of the same operation: on ones, and on the magnitudes of all values. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "multiply.h"
#include "sorted.h"

/* Arrays of a matrix in CSR. */
struct arrays {
	ek_matrix *copy; /* the matrix in CSR if it is in another format, else NULL */
	ek_matrix_info info;
	ek_view ptr, idx, val;
};

static int64_t index_at(const ek_view *v, int64_t k)
{
	return v->elem_size == 4 ? ((const int32_t *)v->data)[k] : ((const int64_t *)v->data)[k];
}

static double value_at(const ek_view *v, int64_t k)
{
	return v->type == EK_F32 ? (double)((const float *)v->data)[k]
	                         : ((const double *)v->data)[k];
}

static int open_arrays(const ek_matrix *M, struct arrays *a)
{
	const struct {
		const char *name;
		ek_view *view;
	} views[] = {{"row_ptr", &a->ptr}, {"col_idx", &a->idx}, {"val", &a->val}};
	int code;

	*a = (struct arrays){.info = {.size = sizeof a->info}};
	code = tool_check(ek_matrix_get_info(M, &a->info));
	if (!code && strcmp(a->info.format, "csr") != 0) {
		code = tool_check(ek_matrix_convert(M, "csr", NULL, &a->copy));
		M = a->copy;
	}
	for (int k = 0; k < 3 && !code; k++) {
		views[k].view->size = sizeof *views[k].view;
		code = tool_check(ek_matrix_array(M, views[k].name, views[k].view));
	}
	return code;
}

/* ---- Products -------------------------------------------------------------------------------- */

/* Counts the entries in the rows, or in the columns, of a matrix. */
static void count(const struct arrays *a, bool columns, int64_t *n)
{
	if (columns)
		for (int64_t k = 0; k < a->idx.len; k++)
			n[index_at(&a->idx, k)]++;
	else
		for (int64_t i = 0; i < a->info.rows; i++)
			n[i] = index_at(&a->ptr, i + 1) - index_at(&a->ptr, i);
}

int multiply_products(const struct multiply_case *m, double *products)
{
	struct arrays a, b = {0};
	int64_t *left = NULL, *right = NULL, inner = 0;
	int code = open_arrays(m->A, &a);

	if (!code)
		code = open_arrays(m->B, &b);
	if (!code) {
		inner = m->op == EK_OP_N ? a.info.cols : a.info.rows;
		left = calloc((size_t)inner + 1, sizeof *left);
		right = calloc((size_t)inner + 1, sizeof *right);
		if (!left || !right)
			code = tool_fail(TOOL_FAILED, "out of memory to count the products");
	}
	if (!code) {
		count(&a, m->op == EK_OP_N, left);
		count(&b, m->op_b == EK_OP_T, right);
		*products = 0;
		for (int64_t k = 0; k < inner; k++)
			*products += (double)left[k] * (double)right[k];
	}
	free(left);
	free(right);
	ek_matrix_destroy(a.copy);
	ek_matrix_destroy(b.copy);
	return code;
}

/* ---- Check ----------------------------------------------------------------------------------- */

/* What replaces the values of the operands for a result of the check. */
enum kind { VALUES, MAGNITUDES, COUNTS };

/* A matrix with the pattern of another but other values. */
struct changed {
	struct arrays a;
	double *val;
	ek_matrix *M;
};

static void release(struct changed *c)
{
	ek_matrix_destroy(c->M);
	ek_matrix_destroy(c->a.copy);
	free(c->val);
}

static int change(const struct multiply_case *m, const ek_matrix *M, enum kind kind,
                  struct changed *c)
{
	int code = open_arrays(M, &c->a);

	if (code)
		return code;
	c->val = malloc(((size_t)c->a.val.len + 1) * sizeof *c->val);
	if (!c->val)
		return tool_fail(TOOL_FAILED, "out of memory for the check");
	for (int64_t k = 0; k < c->a.val.len; k++)
		c->val[k] = kind == COUNTS ? 1 : fabs(value_at(&c->a.val, k));
	return tool_check(ek_matrix_from_csr(m->ctx, EK_F64, c->a.info.index, c->a.info.rows,
	                                     c->a.info.cols, c->a.ptr.data, c->a.idx.data, c->val,
	                                     EK_BORROW, &c->M));
}

ek_status multiply_run(const struct multiply_case *m, ek_plan *plan, double alpha, double beta,
                       ek_matrix **C)
{
	switch (m->operation) {
	case EK_TRANSPOSE: return ek_transpose(plan, C);
	case EK_TRIPLE: return ek_triple(plan, alpha, C);
	case EK_SPADD: return ek_spadd(plan, alpha, beta, C);
	default: return ek_spgemm(plan, alpha, beta, C);
	}
}

const char *multiply_reference(const struct multiply_case *m)
{
	return m->operation == EK_TRIPLE  ? "triple.csr.serial"
	       : m->operation == EK_SPADD ? "spadd.csr.serial"
	                                  : "spgemm.csr.serial";
}

/* Makes C by the reference, in the reference's format. */
static int reference(const struct multiply_case *m, const ek_matrix *const in[3], double alpha,
                     double beta, ek_matrix **C)
{
	const ek_hints hints = {.size = sizeof hints,
	                        .method = multiply_reference(m),
	                        .op = m->op,
	                        .op_b = m->op_b,
	                        .B = in[1],
	                        .D = in[2],
	                        .index = m->index};
	ek_plan *plan = NULL;
	int code = tool_check(ek_plan_create(m->operation, in[0], &hints, &plan));

	if (!code)
		code = tool_check(multiply_run(m, plan, alpha, beta, C));
	ek_plan_destroy(plan);
	return code;
}

/* Makes the result of one kind, in CSR. */
static int product(const struct multiply_case *m, enum kind kind, struct arrays *out)
{
	const ek_matrix *in[3] = {m->A, m->B, m->D};
	struct changed c[3] = {0};
	ek_matrix *C = NULL;
	int code = TOOL_OK;

	*out = (struct arrays){0};
	for (int k = 0; k < 3 && !code && kind != VALUES; k++)
		if (in[k]) {
			code = change(m, in[k], kind, &c[k]);
			in[k] = c[k].M;
		}
	if (!code)
		code = reference(m, in,
		                 kind == COUNTS       ? 1
		                 : kind == MAGNITUDES ? fabs(m->alpha)
		                                      : m->alpha,
		                 kind == COUNTS       ? (m->operation == EK_SPADD ? 1 : 0)
		                 : kind == MAGNITUDES ? fabs(m->beta)
		                                      : m->beta,
		                 &C);
	if (!code)
		code = open_arrays(C, out);
	if (!code && out->copy)
		ek_matrix_destroy(C);
	else
		out->copy = C;
	for (int k = 0; k < 3; k++)
		release(&c[k]);
	return code;
}

/* Returns the error of entry k divided by twice its bound, since the reference has an error,
 * too. */
static double quotient(const struct arrays *c, const struct arrays r[3], int64_t k)
{
	const bool wide = c->val.type == EK_F64;
	const double u = wide ? DBL_EPSILON / 2 : FLT_EPSILON / 2;
	const double tiny = wide ? DBL_TRUE_MIN : FLT_TRUE_MIN;
	const double x = value_at(&c->val, k), y = value_at(&r[VALUES].val, k);
	const double n = value_at(&r[COUNTS].val, k) + 2;
	const double bound = n * u / (1 - n * u) * value_at(&r[MAGNITUDES].val, k) + 2 * n * tiny;

	if (x == y || (isnan(x) && isnan(y)))
		return 0;
	return isfinite(x) && isfinite(y) ? fabs(x - y) / (2 * bound) : INFINITY;
}

static int compare(const struct arrays *c, const struct arrays r[3], struct multiply_error *error)
{
	for (int64_t i = 0; i < c->info.rows; i++) {
		if (index_at(&c->ptr, i + 1) != index_at(&r->ptr, i + 1))
			return tool_fail(TOOL_FAILED,
			                 "row %lld of C ends at entry %lld, not at %lld",
			                 (long long)i + 1, (long long)index_at(&c->ptr, i + 1),
			                 (long long)index_at(&r->ptr, i + 1));
		for (int64_t k = index_at(&c->ptr, i); k < index_at(&c->ptr, i + 1); k++) {
			const int64_t j = index_at(&r->idx, k);
			const double q = quotient(c, r, k);

			if (index_at(&c->idx, k) != j)
				return tool_fail(
					TOOL_FAILED,
					"row %lld of C has an entry in column %lld, not %lld",
					(long long)i + 1, (long long)index_at(&c->idx, k) + 1,
					(long long)j + 1);
			if (q > error->worst)
				*error = (struct multiply_error){q, value_at(&c->val, k),
				                                 value_at(&r->val, k), i, j};
		}
	}
	return TOOL_OK;
}

/* Opens the arrays of C. If its columns may have any order, those of a sorted copy. */
static int open_result(const struct multiply_case *m, const ek_matrix *C, struct arrays *c)
{
	ek_matrix *sorted = NULL;
	int64_t twice = 0;
	int code = open_arrays(C, c);

	if (code || !m->unsorted || c->copy) /* the conversion from csc sorts */
		return code;
	code = tool_check(sorted_copy(m->ctx, C, &sorted, &twice));
	if (!code)
		code = open_arrays(sorted, c);
	c->copy = sorted;
	if (!code && twice)
		code = tool_fail(TOOL_FAILED, "C has %lld columns twice in a row",
		                 (long long)twice);
	return code;
}

int multiply_check(const struct multiply_case *m, const ek_matrix *C, struct multiply_error *error)
{
	struct arrays c, r[3] = {0};
	int code = open_result(m, C, &c);

	*error = (struct multiply_error){0};
	for (int kind = VALUES; kind <= COUNTS && !code; kind++)
		code = product(m, (enum kind)kind, &r[kind]);
	if (!code)
		code = compare(&c, r, error);
	for (int kind = VALUES; kind <= COUNTS; kind++)
		ek_matrix_destroy(r[kind].copy);
	ek_matrix_destroy(c.copy);
	return code;
}
