/* SPDX-License-Identifier: BSD-3-Clause
 * New values, sorting, and what calls answer that are wrong or not done. */
#ifndef VAL
#include "support.h"

static const descr symmetric = {SYMMETRIC, LOWER, NON_UNIT};

#define MKL_FILE "values.c"
#include "each.h"

/* Some of those that are not done; any arguments would do. */
int mkl_sparse_z_create_csr(handle **);
int mkl_sparse_z_mv_64(int, double);
int mkl_sparse_d_trsv(void);
int mkl_sparse_syrk_64(int, handle *, handle **);

int main(void)
{
	all_s();
	all_d();
	all_s_64();
	all_d_64();
	CHECK(mkl_sparse_z_create_csr(NULL) == NOT_SUPPORTED, "z");
	CHECK(mkl_sparse_z_mv_64(N, 1) == NOT_SUPPORTED, "z");
	CHECK(mkl_sparse_d_trsv() == NOT_SUPPORTED, "trsv");
	CHECK(mkl_sparse_syrk_64(N, NULL, NULL) == NOT_SUPPORTED, "syrk");
	printf("%d failures\n", failures);
	return failures != 0;
}

#else
#include "sample.h"

static void FN(check_both)(handle *A, const plain *p, const char *what)
{
	const plain q = plain_op(p, N, symmetric);
	VAL dense[MOST * MOST], x[MOST] = {0}, y[MOST];

	FN(check_is)(A, p, what);
	CHECK(S(convert_dense)(A, symmetric, BY_ROWS, q.cols, dense) == SUCCESS, "%s", what);
	for (int k = 0; k < q.rows * q.cols; k++)
		CHECK(dense[k] == (VAL)q.a[k], "%s: symmetric entry %d", what, k);
	for (int j = 0; j < q.cols; j++) {
		x[j] = 1;
		CHECK(S(mv)(N, 1, A, symmetric, x, 0, y) == SUCCESS, "%s", what);
		for (int i = 0; i < q.rows; i++)
			CHECK((double)y[i] == q.a[i * q.cols + j], "%s: symmetric %d %d", what, i,
			      j);
		x[j] = 0;
	}
}

/* set_value, update_values in both forms, values changed in place, before and after optimize. */
static void FN(values)(int shape, int base, int gaps, bool optimize)
{
	plain p = make_plain(12, 12, 9);
	static FN(sample) s, twice;
	INT row[2] = {-1, -1}, col[2] = {-1, -1};
	VAL val[2], before[ENTRIES * 4];
	INT count = 0;

	FN(sample_of)(&s, &p, shape, base, gaps);
	CHECK(W(set_mv_hint)(s.A, N, general, 100000) == SUCCESS, "hint");
	CHECK(W(set_mv_hint)(s.A, N, symmetric, 100000) == SUCCESS, "hint");
	if (optimize)
		CHECK(W(optimize)(s.A) == SUCCESS, "optimize");
	FN(check_both)(s.A, &p, "made");
	for (int k = 0; k < 144 && count < 2; k++)
		if (p.a[k] != 0 && k > 20 * (count + 1)) {
			row[count] = (INT)(k / 12 + base);
			col[count++] = (INT)(k % 12 + base);
			p.a[k] = 20 + k;
		}
	val[0] = (VAL)p.a[(row[0] - base) * 12 + col[0] - base];
	val[1] = (VAL)p.a[(row[1] - base) * 12 + col[1] - base];
	CHECK(S(set_value)(s.A, row[0], col[0], val[0]) == SUCCESS, "set");
	CHECK(S(set_value)(s.A, row[1], col[1], val[1]) == SUCCESS, "set");
	FN(check_both)(s.A, &p, "two values");
	CHECK(S(set_value)(s.A, 12 + base, base, 1) == INVALID_VALUE, "row");
	for (int k = 0; k < s.count * (shape >= BSR_ROWS ? 4 : 1); k++)
		s.val[k] *= 3;
	for (int k = 0; k < 144; k++)
		p.a[k] *= 3;
	if (optimize || gaps == 2 || shape >= COO)
		CHECK(W(optimize)(s.A) == SUCCESS, "optimize");
	FN(check_is)(s.A, &p, "in place");
	CHECK(W(optimize)(s.A) == SUCCESS, "optimize");
	FN(check_both)(s.A, &p, "optimized");

	memcpy(before, s.val, sizeof before);
	p.a[(row[0] - base) * 12 + col[0] - base] = val[0] = -5;
	p.a[(row[1] - base) * 12 + col[1] - base] = val[1] = -6;
	CHECK(S(update_values)(s.A, 2, row, col, val) == SUCCESS, "update");
	FN(check_both)(s.A, &p, "updated");
	col[1] = 12 + base;
	CHECK(S(update_values)(s.A, 2, row, col, val) == INVALID_VALUE, "column");
	FN(check_both)(s.A, &p, "refused");
	for (int k = 0; k < 144; k++)
		p.a[k] *= 2;
	FN(fill)(&twice, &p, shape, base, 0);
	count = twice.count * (shape >= BSR_ROWS ? 4 : 1);
	CHECK(S(update_values)(s.A, count + 1, NULL, NULL, twice.val) == INVALID_VALUE, "count");
	CHECK(S(update_values)(s.A, count, NULL, NULL, twice.val) == SUCCESS, "all");
	FN(check_both)(s.A, &p, "all values");
	CHECK(memcmp(before, s.val, sizeof before) == 0, "the caller's values were written");
	CHECK(W(order)(s.A) == SUCCESS, "order");
	FN(check_both)(s.A, &p, "sorted");
	W(destroy)(s.A);
}

/* After mkl_sparse_order the caller's arrays are sorted, each value with its index. */
static void FN(sorted)(int shape, int base, int gaps)
{
	const plain p = make_plain(10, 14, 4);
	static FN(sample) s, before;
	const int lines = shape == CSC ? 14 : 10;

	FN(sample_of)(&s, &p, shape, base, gaps);
	before = s;
	CHECK(W(order)(s.A) == SUCCESS, "order");
	for (int i = 0; i < lines; i++)
		for (INT k = s.start[i] - base; k < s.end[i] - base; k++) {
			const int j = (int)s.idx[k] - base;

			CHECK(k == s.start[i] - base || s.idx[k - 1] < s.idx[k], "line %d", i);
			CHECK((double)s.val[k] ==
			              (shape == CSC ? p.a[j * 14 + i] : p.a[i * 14 + j]),
			      "line %d", i);
		}
	CHECK(memcmp(s.start, before.start, sizeof s.start) == 0, "pointers were written");
	W(destroy)(s.A);
}

static void FN(errors)(void)
{
	const plain p = make_plain(8, 8, 1);
	static FN(sample) s;
	handle *const none = (handle *)&s, *A = none;
	VAL x[MOST] = {0}, y[MOST] = {7};
	INT idx;

	CHECK(W(destroy)(NULL) == NOT_INITIALIZED, "destroy");
	CHECK(W(optimize)(NULL) == NOT_INITIALIZED, "optimize");
	CHECK(W(order)(NULL) == NOT_INITIALIZED, "order");
	CHECK(S(mv)(N, 1, NULL, general, x, 0, y) == NOT_INITIALIZED, "mv");
	CHECK(W(spmm)(N, NULL, NULL, &A) == NOT_INITIALIZED, "spmm");
	FN(sample_of)(&s, &p, CSR, 0, 0);
	CHECK(S(mv)(13, 1, s.A, general, x, 0, y) == INVALID_VALUE, "op");
	CHECK(S(mv)(N, 1, s.A, (descr){27, 0, 0}, x, 0, y) == INVALID_VALUE, "type");
	CHECK(S(mv)(N, 1, s.A, (descr){TRIANGULAR, 42, 50}, x, 0, y) == INVALID_VALUE, "mode");
	CHECK(S(mv)(N, 1, s.A, (descr){TRIANGULAR, 40, 52}, x, 0, y) == INVALID_VALUE, "diag");
	CHECK(S(mv)(N, 1, s.A, general, NULL, 0, y) == NOT_INITIALIZED, "x");
	CHECK(S(mm)(N, 1, s.A, general, 100, x, 1, 8, 0, y, 8) == INVALID_VALUE, "layout");
	CHECK(S(mm)(N, 1, s.A, general, BY_COLS, x, 1, 7, 0, y, 8) == INVALID_VALUE, "ldx");
	CHECK(S(mm)(N, 1, s.A, general, BY_ROWS, x, 0, 1, 0, y, 1) == INVALID_VALUE, "columns");
	CHECK(W(set_memory_hint)(s.A, 82) == INVALID_VALUE, "memory");
	CHECK(W(set_mv_hint)(s.A, N, general, 0) == INVALID_VALUE, "calls");
	CHECK(y[0] == 7, "a failing call wrote its output");
	W(destroy)(s.A);

	idx = s.idx[1];
	s.idx[1] = 8;
	s.A = none;
	CHECK(FN(create)(&s) == INVALID_VALUE && s.A == none, "column 8");
	s.idx[1] = idx;
	s.base = 1;
	CHECK(FN(create)(&s) == INVALID_VALUE && s.A == none, "start[0] = 0 from base 1");
	s.base = 0;
	s.rows = 0;
	CHECK(FN(create)(&s) == INVALID_VALUE && s.A == none, "no rows");
	CHECK(S(create_csr)(&A, 0, 8, 8, NULL, s.end, s.idx, s.val) == NOT_INITIALIZED, "start");
	CHECK(S(create_csr)(&A, 2, 8, 8, s.start, s.end, s.idx, s.val) == INVALID_VALUE, "base");
	CHECK(S(create_bsr)(&A, 0, BY_ROWS, 8, 8, 0, s.start, s.end, s.idx, s.val) == INVALID_VALUE,
	      "block");
	CHECK(A == none, "a failing call wrote its output");
	if (sizeof(INT) == 4) { /* 4 (2^30 + 1) is 4 in 32 bits, the first column of a block */
		INT start = 0, end = 1, block = (INT)1 << 30 | 1;
		VAL one[16] = {1};

		CHECK(S(create_bsr)(&A, 0, BY_ROWS, 1, 2, 4, &start, &end, &block, one) ==
		              INVALID_VALUE,
		      "column 2^30 + 1 of 2");
	} else { /* 2^32 squared is 0 in 64 bits: a block of no values */
		INT start = 0, end = 1, block = 0;
		VAL one[1] = {1};

		CHECK(S(create_bsr)(&A, 0, BY_ROWS, 1, 1, (INT)1 << (sizeof(INT) * 4), &start, &end,
		                    &block, one) == INVALID_VALUE,
		      "blocks of 2^32");
	}
}

static void FN(all)(void)
{
	for (int k = 0; k < SHAPES * 12; k++)
		FN(values)(k / 12, k % 2, k / 2 % 3, k / 6 % 2);
	for (int k = 0; k < 12; k++)
		FN(sorted)(k / 6, k % 2, k / 2 % 3);
	FN(errors)();
}
#endif
