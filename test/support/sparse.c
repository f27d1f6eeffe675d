/* SPDX-License-Identifier: BSD-3-Clause
 * The reference lists all products of a row and sorts them by column, in quadruple precision. */
#include "support/sparse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

struct term {
	int64_t col;
	quad product, addend;
	bool is_addend;
};

static void *get(int64_t n, size_t size)
{
	void *p = calloc((size_t)(n > 0 ? n : 1), size);

	if (!p)
		fail_msg("no memory for a reference");
	return p;
}

static int64_t op_rows(struct operand A)
{
	return A.op ? A.s->cols : A.s->rows;
}

static int64_t op_cols(struct operand A)
{
	return A.op ? A.s->rows : A.s->cols;
}

static void *copy_of(const void *from, int64_t n, size_t size)
{
	void *to = get(n, size);

	if (n)
		memcpy(to, from, (size_t)n * size);
	return to;
}

/* Returns op(A) in CSR with sorted rows; the caller frees it. If A is so already, it is copied,
 * since transposing takes memory for all columns. */
static struct shape applied(struct operand A)
{
	struct shape out = *A.s, T;

	if (!A.op && shape_ascending(A.s)) {
		out.ptr = copy_of(out.ptr, out.rows + 1, sizeof *out.ptr);
		out.col = copy_of(out.col, out.nnz, sizeof *out.col);
		out.val = copy_of(out.val, out.nnz, sizeof *out.val);
		out.val2 = copy_of(out.val2, out.nnz, sizeof *out.val2);
		return out;
	}
	shape_transpose(A.s, &T);
	if (A.op)
		return T;
	shape_transpose(&T, &out);
	shape_free(&T);
	return out;
}

int64_t sparse_products(struct operand A, struct operand B)
{
	int64_t products = 0;

	if (op_cols(A) != op_rows(B))
		return -1;
	struct shape a = applied(A), b = applied(B);

	for (int64_t k = 0; k < a.nnz; k++)
		products += b.ptr[a.col[k] + 1] - b.ptr[a.col[k]];
	shape_free(&a);
	shape_free(&b);
	return products;
}

static double rounded(ek_value value, double v)
{
	return value == EK_F32 ? (double)(float)v : v;
}

static int by_column(const void *a, const void *b)
{
	const struct term *p = a, *q = b;

	return p->col < q->col ? -1 : p->col > q->col;
}

static void add_row(struct sparse_reference *r, struct term *term, int64_t n)
{
	qsort(term, (size_t)n, sizeof *term, by_column);
	for (int64_t k = 0; k < n; k++) {
		const quad p = term[k].product;
		int64_t at = r->nnz - 1;

		if (k == 0 || term[k].col != term[k - 1].col) {
			at = r->nnz++;
			r->col[at] = term[k].col;
		}
		if (term[k].is_addend) {
			r->addend[at] += p;
			continue;
		}
		r->sum[at] += p;
		r->size[at] += p < 0 ? -p : p;
		r->count[at]++;
	}
}

static void open_reference(struct sparse_reference *r, int64_t rows, int64_t cols, int64_t most)
{
	*r = (struct sparse_reference){.rows = rows, .cols = cols};
	r->ptr = get(rows + 1, sizeof *r->ptr);
	r->col = get(most, sizeof *r->col);
	r->count = get(most, sizeof *r->count);
	r->sum = get(most, sizeof *r->sum);
	r->size = get(most, sizeof *r->size);
	r->addend = get(most, sizeof *r->addend);
}

void sparse_reference_make(struct sparse_reference *r, struct operand A, struct operand B,
                           const struct shape *D, ek_value value, bool second)
{
	struct shape a = applied(A), b = applied(B);
	const double *av = second ? a.val2 : a.val, *bv = second ? b.val2 : b.val;
	const int64_t most = sparse_products(A, B) + (D ? D->nnz : 0);
	struct term *term = get(most, sizeof *term);

	open_reference(r, a.rows, b.cols, most);
	for (int64_t i = 0; i < a.rows; i++) {
		int64_t n = 0;

		for (int64_t k = D ? D->ptr[i] : 0; D && k < D->ptr[i + 1]; k++)
			term[n++] = (struct term){
				.col = D->col[k],
				.product = rounded(value, second ? D->val2[k] : D->val[k]),
				.is_addend = true};
		for (int64_t k = a.ptr[i]; k < a.ptr[i + 1]; k++)
			for (int64_t e = b.ptr[a.col[k]]; e < b.ptr[a.col[k] + 1]; e++)
				term[n++] = (struct term){.col = b.col[e],
				                          .product = (quad)rounded(value, av[k]) *
				                                     (quad)rounded(value, bv[e])};
		add_row(r, term, n);
		r->ptr[i + 1] = r->nnz;
	}
	free(term);
	shape_free(&a);
	shape_free(&b);
}

int64_t sparse_triples(struct operand A, struct operand P)
{
	const struct operand R = {P.s, !P.op};
	int64_t products = 0;

	if (op_cols(A) != op_rows(P) || op_rows(A) != op_rows(P))
		return -1;
	struct shape a = applied(A), p = applied(P), r = applied(R);

	for (int64_t k = 0; k < r.nnz; k++)
		for (int64_t e = a.ptr[r.col[k]]; e < a.ptr[r.col[k] + 1]; e++)
			products += p.ptr[a.col[e] + 1] - p.ptr[a.col[e]];
	shape_free(&a);
	shape_free(&p);
	shape_free(&r);
	return products;
}

void sparse_reference_triple(struct sparse_reference *r, struct operand A, struct operand P,
                             ek_value value, bool second)
{
	struct shape a = applied(A), p = applied(P), t = applied((struct operand){P.s, !P.op});
	const double *av = second ? a.val2 : a.val, *pv = second ? p.val2 : p.val;
	const double *tv = second ? t.val2 : t.val;
	const int64_t most = sparse_triples(A, P);
	struct term *term = get(most, sizeof *term);

	open_reference(r, t.rows, p.cols, most);
	for (int64_t i = 0; i < t.rows; i++) {
		int64_t n = 0;

		for (int64_t k = t.ptr[i]; k < t.ptr[i + 1]; k++)
			for (int64_t e = a.ptr[t.col[k]]; e < a.ptr[t.col[k] + 1]; e++) {
				const quad left =
					(quad)rounded(value, tv[k]) * (quad)rounded(value, av[e]);

				for (int64_t q = p.ptr[a.col[e]]; q < p.ptr[a.col[e] + 1]; q++)
					term[n++] = (struct term){
						.col = p.col[q],
						.product = left * (quad)rounded(value, pv[q])};
			}
		add_row(r, term, n);
		r->ptr[i + 1] = r->nnz;
	}
	free(term);
	shape_free(&a);
	shape_free(&p);
	shape_free(&t);
}

void sparse_reference_free(struct sparse_reference *r)
{
	free(r->ptr);
	free(r->col);
	free(r->count);
	free(r->sum);
	free(r->size);
	free(r->addend);
}

/* Returns the bound of ek.h for entry k. An operand's duplicates may be added up first, each sum
 * with its own error, so the number of products counts twice. */
static quad bound(const struct sparse_reference *r, int64_t k, double alpha, double beta,
                  ek_value value)
{
	const quad u = value == EK_F32 ? 0x1p-24 : 0x1p-53;
	const quad eta = value == EK_F32 ? 0x1p-150 : (quad)0x1p-1000 * 0x1p-75;
	const quad terms = 2 * (quad)r->count[k] + 2;
	const quad d = r->addend[k] < 0 ? -r->addend[k] : r->addend[k];
	const quad b = beta < 0 ? -(quad)beta : beta, a = alpha < 0 ? -(quad)alpha : alpha;

	return terms * u / (1 - terms * u) * (a * r->size[k] + b * d) +
	       2 * terms * (a > 1 ? a : 1) * eta;
}

static bool value_right(const struct sparse_reference *r, int64_t k, double value, enum data data,
                        double alpha, double beta, ek_value type)
{
	const quad exact =
		(alpha ? (quad)alpha * r->sum[k] : 0) + (beta ? (quad)beta * r->addend[k] : 0);
	const quad error = (quad)value - exact;

	if (data == DATA_EXACT)
		return error == 0;
	return (error < 0 ? -error : error) <= bound(r, k, alpha, beta, type);
}

/* Sets `view` to the arrays of C, and *columns if it is in CSC. */
static void result_arrays(const ek_matrix *C, ek_view view[3], bool *columns)
{
	static const char *const name[2][3] = {{"row_ptr", "col_idx", "val"},
	                                       {"col_ptr", "row_idx", "val"}};
	ek_matrix_info info = {.size = sizeof info};

	expect_status(ek_matrix_get_info(C, &info), EK_OK);
	*columns = strcmp(info.format, "csc") == 0;
	for (int k = 0; k < 3; k++) {
		view[k].size = sizeof *view;
		expect_status(ek_matrix_array(C, name[*columns][k], &view[k]), EK_OK);
	}
}

bool sparse_check(const struct sparse_reference *r, const ek_matrix *C, enum data data,
                  double alpha, double beta, char *text, size_t size)
{
	ek_matrix_info info = {.size = sizeof info};
	ek_view view[3];
	bool columns;

	expect_status(ek_matrix_get_info(C, &info), EK_OK);
	result_arrays(C, view, &columns);
	if (info.rows != r->rows || info.cols != r->cols || info.nnz != r->nnz) {
		snprintf(text, size,
		         "C is %lld x %lld with %lld entries; expected %lld x %lld, %lld",
		         (long long)info.rows, (long long)info.cols, (long long)info.nnz,
		         (long long)r->rows, (long long)r->cols, (long long)r->nnz);
		return false;
	}
	if (ek_matrix_check(C) != EK_OK) {
		snprintf(text, size, "%s", ek_error_text());
		return false;
	}
	/* If C is in CSC, entry k of the reference is the next entry of its column. */
	int64_t *next = get(columns ? r->cols + 1 : 0, sizeof *next);

	for (int64_t j = 0; columns && j < r->cols; j++)
		next[j] = (int64_t)value_at(view[0].type, view[0].data, j);
	for (int64_t i = 0; i < r->rows; i++)
		for (int64_t k = r->ptr[i]; k < r->ptr[i + 1]; k++) {
			const int64_t at = columns ? next[r->col[k]]++ : k;
			const int64_t index = columns ? i : r->col[k];
			const double v = value_at(view[2].type, view[2].data, at);

			if ((int64_t)value_at(view[1].type, view[1].data, at) == index &&
			    (columns ||
			     (int64_t)value_at(view[0].type, view[0].data, i) == r->ptr[i]) &&
			    value_right(r, k, v, data, alpha, beta, view[2].type))
				continue;
			snprintf(
				text, size,
				"entry %lld of row %lld: column %lld, value %.17g; expected column "
				"%lld, value %.17g",
				(long long)(k - r->ptr[i]), (long long)i,
				(long long)value_at(view[1].type, view[1].data, at), v,
				(long long)index,
				(double)(alpha * r->sum[k] + beta * r->addend[k]));
			free(next);
			return false;
		}
	free(next);
	return true;
}

/* Makes a matrix without entries that has room for them. */
static void shape_open(struct shape *s, const char *name, int64_t rows, int64_t cols, int64_t room)
{
	*s = (struct shape){.rows = rows, .cols = cols};
	snprintf(s->name, sizeof s->name, "%s", name);
	s->ptr = calloc((size_t)rows + 1, sizeof *s->ptr);
	s->col = calloc((size_t)room, sizeof *s->col);
	s->val = calloc((size_t)room, sizeof *s->val);
	s->val2 = calloc((size_t)room, sizeof *s->val2);
}

static void add_entry(struct rng *draw, struct shape *s, int64_t col)
{
	s->col[s->nnz] = col;
	s->val[s->nnz] = rng_integer(draw, 3);
	s->val2[s->nnz++] = rng_integer(draw, 3);
}

void sparse_random(struct rng *draw, struct shape *s, int64_t rows, int64_t cols, int64_t most)
{
	shape_open(s, "random", rows, cols, rows * most + 1);
	for (int64_t i = 0; i < rows; i++) {
		const int64_t n = cols ? rng_below(draw, (most < cols ? most : cols) + 1) : 0;
		int64_t j = cols > n ? rng_below(draw, cols - n) : 0;

		for (int64_t k = 0; k < n && j < cols; k++) {
			add_entry(draw, s, j);
			j += 1 + (rng_below(draw, 5) == 0 ? rng_below(draw, cols / 3 + 1) : 0);
		}
		s->ptr[i + 1] = s->nnz;
	}
}

/* Adds up to 12 runs of entries to the last row. */
static void add_runs(struct rng *draw, struct shape *s)
{
	const int64_t runs = 1 + rng_below(draw, 12), room = s->cols / runs;

	for (int64_t k = 0; k < runs; k++) {
		const int64_t first = k * room + rng_below(draw, room - 20);
		const int64_t n = 1 + rng_below(draw, 20);

		for (int64_t j = 0; j < n; j++)
			add_entry(draw, s, first + j);
	}
}

void sparse_nodes(struct rng *draw, struct shape *s, int64_t rows, int64_t cols)
{
	int64_t next = 0; /* the first row of the next node */

	shape_open(s, "nodes", rows, cols, rows * 12 * 20);
	for (int64_t i = 0; i < rows; i++) {
		if (i < next) {
			for (int64_t k = s->ptr[i - 1]; k < s->ptr[i]; k++)
				add_entry(draw, s, s->col[k]);
		} else {
			next += 1 + rng_below(draw, 6);
			add_runs(draw, s);
		}
		s->ptr[i + 1] = s->nnz;
	}
}

/* ---- Sorted copies --------------------------------------------------------------------------- */

ek_matrix *sparse_sorted(const ek_matrix *C)
{
	ek_matrix_info info = {.size = sizeof info};
	ek_matrix *other, *sorted;

	expect_status(ek_matrix_get_info(C, &info), EK_OK);
	expect_status(
		ek_matrix_convert(C, strcmp(info.format, "csc") == 0 ? "csr" : "csc", NULL, &other),
		EK_OK);
	expect_status(ek_matrix_convert(other, info.format, NULL, &sorted), EK_OK);
	ek_matrix_destroy(other);
	return sorted;
}
