/* SPDX-License-Identifier: BSD-3-Clause
 * Products and sums of sparse matrices, conversions, copies and exports. */
#ifndef VAL
#include "support.h"

enum { FULL = 90, COUNT, FINALIZE, FULL_NO_VAL, FINALIZE_NO_VAL };

#define MKL_FILE "sparse.c"
#include "each.h"

int main(void)
{
	all_s();
	all_d();
	all_s_64();
	all_d_64();
	printf("%d failures\n", failures);
	return failures != 0;
}

#else
#include "sample.h"

/* What the arrays of a handle look like: shape and base, and sorted lines. */
static void FN(check_arrays)(handle *C, int shape, int base, const plain *p)
{
	int is = -1, layout = 0;
	INT rows, cols, block = 1, *start, *end = NULL, *idx;
	VAL *val;
	int status;

	switch (shape) {
	case CSR: status = S(export_csr)(C, &is, &rows, &cols, &start, &end, &idx, &val); break;
	case CSC: status = S(export_csc)(C, &is, &rows, &cols, &start, &end, &idx, &val); break;
	case COO: status = S(export_coo)(C, &is, &rows, &cols, &block, &start, &idx, &val); break;
	default:
		status = S(export_bsr)(C, &is, &layout, &rows, &cols, &block, &start, &end, &idx,
		                       &val);
		CHECK(layout == (shape == BSR_ROWS ? BY_ROWS : BY_COLS), "layout %d", layout);
		rows *= block;
		cols *= block;
	}
	CHECK(status == SUCCESS && is == base, "shape %d: status %d base %d", shape, status, is);
	CHECK(rows == p->rows && cols == p->cols, "%d x %d", (int)rows, (int)cols);
	for (INT i = 0; end && i < (shape == CSC ? cols : rows / block); i++)
		for (INT k = start[i] + 1 - base; k < end[i] - base; k++)
			CHECK(idx[k - 1] < idx[k], "line %d is not sorted", (int)i);
	status = shape == CSR ? S(export_csc)(C, &is, &rows, &cols, &start, &end, &idx, &val)
	                      : S(export_csr)(C, &is, &rows, &cols, &start, &end, &idx, &val);
	CHECK(status == INVALID_VALUE, "an export of another shape: %d", status);
}

/* What a product with A of a shape is in. */
static int FN(shape_of)(int shape)
{
	return shape == COO ? CSR : shape;
}

static void FN(products)(const plain *p, const plain *q, int shape_a, int shape_b, int base)
{
	static FN(sample) a, b;

	FN(sample_of)(&a, p, shape_a, base, 0);
	FN(sample_of)(&b, q, shape_b, shape_b % 2, shape_a % 3);
	for (int op = N; op <= H; op++) {
		const plain left = plain_op(p, op, general);
		const plain right = left.cols == q->rows ? *q : plain_op(q, T, general);
		const int op_b = left.cols == q->rows ? N : T;
		const plain want = plain_product(&left, &right);
		handle *C = NULL;
		VAL dense[MOST * MOST];

		if (left.cols != right.rows)
			continue;
		CHECK(W(sp2m)(op, general, a.A, op_b, general, b.A, FULL, &C) == SUCCESS, "sp2m");
		FN(check_is)(C, &want, "sp2m");
		FN(check_arrays)(C, FN(shape_of)(shape_a), base, &want);
		W(destroy)(C);
		for (int k = 0; k < MOST * MOST; k++)
			dense[k] = (VAL)(k % 5);
		CHECK(S(sp2md)(op, general, a.A, op_b, general, b.A, 2, 3, dense, BY_COLS,
		               want.rows) == SUCCESS,
		      "sp2md");
		for (int k = 0; k < want.rows * want.cols; k++)
			CHECK((double)dense[k] ==
			              2 * want.a[k % want.rows * want.cols + k / want.rows] +
			                      3 * (k % 5),
			      "sp2md %d", k);
		if (op_b != N)
			continue;
		CHECK(W(spmm)(op, a.A, b.A, &C) == SUCCESS, "spmm");
		FN(check_is)(C, &want, "spmm");
		W(destroy)(C);
		CHECK(S(spmmd)(op, a.A, b.A, BY_ROWS, dense, want.cols) == SUCCESS, "spmmd");
		for (int k = 0; k < want.rows * want.cols; k++)
			CHECK((double)dense[k] == want.a[k], "spmmd %d", k);
	}
	W(destroy)(a.A);
	W(destroy)(b.A);
}

/* The lower triangle of C, which the handle keeps, and must bring new values to. */
static void FN(check_lower)(handle *C, const plain *p)
{
	const descr lower = {TRIANGULAR, LOWER, NON_UNIT};
	const plain want = plain_op(p, N, lower);
	VAL dense[MOST * MOST];

	CHECK(S(convert_dense)(C, lower, BY_ROWS, p->cols, dense) == SUCCESS, "lower triangle");
	for (int k = 0; k < p->rows * p->cols; k++)
		CHECK((double)dense[k] == want.a[k], "entry %d of the lower triangle", k);
}

/* The stages, new values between them, and descriptors. */
static void FN(stages)(int shape, int base)
{
	const descr lower = {TRIANGULAR, LOWER, UNIT}, symmetric = {SYMMETRIC, UPPER, NON_UNIT};
	const plain p = make_plain(12, 12, 1), q = make_plain(12, 12, 2), r = make_plain(8, 12, 3);
	const plain left = plain_op(&p, T, lower), right = plain_op(&q, N, symmetric);
	plain want = plain_product(&left, &right);
	static FN(sample) a, b, other;
	handle *C = NULL, *before;

	FN(sample_of)(&a, &p, shape, base, 0);
	FN(sample_of)(&b, &q, shape, base, 0);
	FN(sample_of)(&other, &r, shape, base, 0);
	CHECK(W(sp2m)(T, lower, a.A, N, symmetric, b.A, COUNT, &C) == SUCCESS, "count");
	before = C;
	CHECK(W(sp2m)(T, lower, a.A, N, symmetric, b.A, FINALIZE, &C) == SUCCESS, "finalize");
	CHECK(C == before, "another handle");
	FN(check_is)(C, &want, "stages");
	FN(check_lower)(C, &want);
	for (int k = 0; k < a.count * (shape >= BSR_ROWS ? 4 : 1); k++)
		a.val[k] *= 2;
	CHECK(W(optimize)(a.A) == SUCCESS, "optimize");
	CHECK(W(sp2m)(T, lower, a.A, N, symmetric, b.A, FINALIZE, &C) == SUCCESS, "again");
	CHECK(C == before, "another handle for new values");
	for (int k = 0; k < 144; k++) /* the diagonal of A stays 1 */
		want.a[k] = 2 * want.a[k] - right.a[k];
	FN(check_is)(C, &want, "new values");
	FN(check_lower)(C, &want);
	CHECK(W(sp2m)(N, general, other.A, N, general, b.A, FINALIZE_NO_VAL, &C) == SUCCESS, "r");
	want = plain_product(&r, &q);
	FN(check_is)(C, &want, "other operands");
	before = C;
	CHECK(W(sp2m)(N, general, b.A, N, general, other.A, FINALIZE, &C) == INVALID_VALUE, "size");
	CHECK(W(sp2m)(N, general, b.A, N, general, other.A, FULL, &C) == INVALID_VALUE, "size");
	CHECK(W(sp2m)(N, general, b.A, N, general, b.A, 7, &C) == INVALID_VALUE, "stage");
	CHECK(W(spmm)(9, b.A, b.A, &C) == INVALID_VALUE, "op");
	CHECK(C == before, "a failing call wrote its output");
	W(destroy)(C);
	W(destroy)(a.A);
	W(destroy)(b.A);
	W(destroy)(other.A);
}

/* The later stage brings values that were changed in place, without any other call. */
static void FN(changed)(int shape, int base, int gaps)
{
	const int size = shape >= BSR_ROWS ? 4 : 1;
	const plain p = make_plain(12, 12, 4), q = make_plain(12, 12, 5);
	static FN(sample) a, b;

	for (int k = 0; k < 8; k++) {
		const int op_a = k & 1 ? T : N, op_b = k & 2 ? T : N;
		const bool twice = k & 4;
		const plain left = plain_op(&p, op_a, general);
		const plain right = plain_op(twice ? &p : &q, op_b, general);
		plain want = plain_product(&left, &right);
		handle *C = NULL, *B;

		FN(sample_of)(&a, &p, shape, base, gaps);
		FN(sample_of)(&b, &q, shape, base, gaps);
		B = twice ? a.A : b.A;
		CHECK(W(sp2m)(op_a, general, a.A, op_b, general, B, COUNT, &C) == SUCCESS, "count");
		FN(check_is)(C, &want, "before");
		for (int n = 0; n < a.count * size; n++)
			a.val[n] *= 2;
		for (int n = 0; n < b.count * size; n++)
			b.val[n] *= 3;
		CHECK(W(sp2m)(op_a, general, a.A, op_b, general, B, FINALIZE, &C) == SUCCESS,
		      "finalize");
		for (int n = 0; n < 144; n++)
			want.a[n] *= twice ? 4 : 6;
		FN(check_is)(C, &want, "changed in place");
		W(destroy)(C);
		W(destroy)(a.A);
		W(destroy)(b.A);
	}
}

static void FN(sums)(const plain *p, const plain *q, int shape, int base)
{
	static FN(sample) a, b;

	FN(sample_of)(&a, p, shape, base, 0);
	for (int op = N; op <= H; op++) {
		const plain left = plain_op(p, op, general);
		const plain right = plain_op(q, op, general);
		plain want = right;
		handle *C = NULL;

		FN(sample_of)(&b, &right, (shape + op) % SHAPES, op % 2, 0);
		for (int k = 0; k < want.rows * want.cols; k++)
			want.a[k] += 3 * left.a[k];
		CHECK(S(add)(op, a.A, 3, b.A, &C) == SUCCESS, "add");
		FN(check_is)(C, &want, "add");
		FN(check_arrays)(C, FN(shape_of)(shape), base, &want);
		W(destroy)(C);
		W(destroy)(b.A);
	}
	W(destroy)(a.A);
}

static void FN(conversions)(const plain *p, int shape, int base, int gaps)
{
	static FN(sample) a;
	handle *B[7] = {NULL};

	FN(sample_of)(&a, p, shape, base, gaps);
	for (int op = N; op <= H; op++) {
		const plain want = plain_op(p, op, general);

		CHECK(W(convert_csr)(a.A, op, &B[CSR]) == SUCCESS, "csr");
		CHECK(W(convert_csc)(a.A, op, &B[CSC]) == SUCCESS, "csc");
		CHECK(W(convert_coo)(a.A, op, &B[COO]) == SUCCESS, "coo");
		CHECK(W(convert_bsr)(a.A, 2, BY_ROWS, op, &B[BSR_ROWS]) == SUCCESS, "bsr");
		CHECK(W(convert_bsr)(a.A, 2, BY_COLS, op, &B[BSR_COLS]) == SUCCESS, "bsr");
		CHECK(W(convert_bsr)(a.A, 5, BY_COLS, op, &B[6]) == INVALID_VALUE && !B[6], "5");
		CHECK(W(convert_bsr)(a.A, (INT)1 << (sizeof(INT) * 8 - 2), BY_COLS, op, &B[6]) ==
		                      INVALID_VALUE &&
		              !B[6],
		      "huge blocks");
		for (int k = 0; k < SHAPES; k++) {
			handle *copy = NULL;

			CHECK(W(order)(B[k]) == SUCCESS, "order");
			FN(check_is)(B[k], &want, "converted");
			FN(check_arrays)(B[k], k, base, &want);
			CHECK(W(copy)(B[k], general, &copy) == SUCCESS, "copy");
			W(destroy)(B[k]);
			FN(check_is)(copy, &want, "copied");
			FN(check_arrays)(copy, k, base, &want);
			W(destroy)(copy);
		}
	}
	W(destroy)(a.A);
}

static void FN(all)(void)
{
	const plain p = make_plain(14, 8, 3), q = make_plain(8, 12, 4), r = make_plain(14, 10, 5);
	const plain s = make_plain(14, 8, 6);

	for (int k = 0; k < SHAPES * SHAPES; k++) {
		FN(products)(&p, &q, k / SHAPES, k % SHAPES, k % 2);
		FN(products)(&p, &r, k / SHAPES, k % SHAPES, k % 2);
	}
	for (int k = 0; k < SHAPES * 2; k++) {
		FN(stages)(k / 2, k % 2);
		FN(sums)(&p, &s, k / 2, k % 2);
		for (int gaps = 0; gaps < 3; gaps++) {
			FN(conversions)(&p, k / 2, k % 2, gaps);
			FN(changed)(k / 2, k % 2, gaps);
		}
	}
}
#endif
