/* SPDX-License-Identifier: BSD-3-Clause
 * mkl_sparse_?_mv and ?_mm in every shape, base, descriptor and operation, against plain loops, and
 * by several threads on one handle. */
#ifndef VAL
#include "support.h"
#include <pthread.h>

#define MKL_FILE "vectors.c"
#include "each.h"

int main(void)
{
	products_s();
	products_d();
	products_s_64();
	products_d_64();
	threads_s();
	threads_d();
	threads_s_64();
	threads_d_64();
	printf("%d failures\n", failures);
	return failures != 0;
}

#else
#include "sample.h"

/* One product with a vector; with beta = 0, y begins as NaN. */
static void FN(mv_case)(handle *A, const plain *p, int op, descr d, double alpha, double beta)
{
	const plain q = plain_op(p, op, d);
	const bool square = p->rows == p->cols;
	VAL x[MOST], y[MOST];
	int status;

	for (int k = 0; k < MOST; k++) {
		x[k] = (VAL)(k - 4);
		y[k] = beta ? (VAL)(2 * k) : (VAL)NAN;
	}
	status = S(mv)(op, (VAL)alpha, A, d, x, (VAL)beta, y);
	if ((d.type == SYMMETRIC || d.type == HERMITIAN) && !square) {
		CHECK(status == INVALID_VALUE, "status %d", status);
		CHECK(beta ? y[1] == 2 : isnan(y[1]), "y was written");
		return;
	}
	CHECK(status == SUCCESS, "status %d", status);
	for (int i = 0; i < MOST; i++) {
		double sum = 0;

		for (int j = 0; i < q.rows && j < q.cols; j++)
			sum += q.a[i * q.cols + j] * (j - 4);
		if (i < q.rows)
			CHECK((double)y[i] == alpha * sum + beta * 2 * i,
			      "op %d type %d mode %d diag %d row %d: %g", op, d.type, d.mode,
			      d.diag, i, (double)y[i]);
		else
			CHECK(beta ? y[i] == 2 * i : isnan(y[i]), "written after the end");
	}
}

/* One product with a block whose lines are two longer than they need be. */
static void FN(mm_case)(handle *A, const plain *p, int op, descr d, int layout, int width)
{
	enum { LD = MOST + 2 };
	const plain q = plain_op(p, op, d);
	const int ldx = layout == BY_ROWS ? width + 2 : q.cols + 2;
	const int ldy = layout == BY_ROWS ? width + 2 : q.rows + 2;
	VAL x[LD * LD], y[LD * LD], before[LD * LD];

	for (int k = 0; k < LD * LD; k++) {
		x[k] = (VAL)(k % 11 - 5);
		y[k] = before[k] = (VAL)(k % 7);
	}
	CHECK(S(mm)(op, 2, A, d, layout, x, width, ldx, 3, y, ldy) == SUCCESS, "mm");
	for (int i = 0; i < q.rows; i++)
		for (int c = 0; c < width; c++) {
			const int at = layout == BY_ROWS ? i * ldy + c : c * ldy + i;
			double sum = 0;

			for (int j = 0; j < q.cols; j++)
				sum += q.a[i * q.cols + j] *
				       x[layout == BY_ROWS ? j * ldx + c : c * ldx + j];
			CHECK((double)y[at] == 2 * sum + 3 * (double)before[at],
			      "op %d type %d layout %d width %d", op, d.type, layout, width);
			y[at] = before[at];
		}
	CHECK(memcmp(y, before, sizeof y) == 0, "written between the lines");
}

static void FN(all_products)(handle *A, const plain *p)
{
	for (int type = GENERAL; type <= DIAGONAL; type++)
		for (int k = 0; k < (type == GENERAL ? 1 : 4); k++)
			for (int op = N; op <= H; op++) {
				const descr d = {type, LOWER + k / 2, NON_UNIT + k % 2};

				FN(mv_case)(A, p, op, d, 1, 0);
				FN(mv_case)(A, p, op, d, -2, 3);
				if (p->rows != p->cols && type > GENERAL)
					continue;
				FN(mm_case)(A, p, op, d, BY_ROWS, 1 + 2 * k);
				FN(mm_case)(A, p, op, d, BY_COLS, 3);
			}
}

static void FN(products)(void)
{
	static const int sizes[][2] = {{12, 12}, {14, 8}, {6, 16}};
	static const descr lower = {TRIANGULAR, LOWER, UNIT};
	static FN(sample) s;

	for (int k = 0; k < 3; k++) {
		const plain p = make_plain(sizes[k][0], sizes[k][1], 7 + (uint32_t)k);

		for (int way = 0; way < SHAPES * 6; way++) {
			FN(sample_of)(&s, &p, way / 6, way % 2, way / 2 % 3);
			FN(all_products)(s.A, &p);
			CHECK(W(set_memory_hint)(s.A, way % 4 < 2 ? 80 : 81) == SUCCESS, "hint");
			CHECK(W(set_mv_hint)(s.A, N, general, 1000) == SUCCESS, "hint");
			CHECK(W(set_mv_hint)(s.A, T, lower, 5) == SUCCESS, "hint");
			CHECK(W(set_mm_hint)(s.A, T, general, BY_ROWS, 3, 50) == SUCCESS, "hint");
			CHECK(W(optimize)(s.A) == SUCCESS, "optimize");
			FN(all_products)(s.A, &p);
			CHECK(W(destroy)(s.A) == SUCCESS, "destroy");
		}
	}
}

/* Threads whose first products on one handle need the same plans at the same time. */
static void *FN(thread)(void *arg)
{
	FN(sample) *s = arg;
	const plain p = make_plain(s->rows, s->cols, 5);

	for (int k = 0; k < 20; k++) {
		FN(mv_case)(s->A, &p, N + k % 2, general, 1, 0);
		FN(mv_case)(s->A, &p, N, (descr){SYMMETRIC, LOWER + k / 2 % 2, UNIT}, 2, 1);
		FN(mm_case)(s->A, &p, N, general, BY_ROWS, 1 + k % 5);
	}
	return NULL;
}

static void FN(threads)(void)
{
	const plain p = make_plain(16, 16, 5);

	for (int round = 0; round < 10; round++) {
		FN(sample) s;
		pthread_t thread[4];

		FN(sample_of)(&s, &p, round % SHAPES, 0, 0);
		for (int k = 0; k < 4; k++)
			pthread_create(&thread[k], NULL, FN(thread), &s);
		for (int k = 0; k < 4; k++)
			pthread_join(thread[k], NULL);
		W(destroy)(s.A);
	}
}
#endif
