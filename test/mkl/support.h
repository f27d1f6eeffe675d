/* SPDX-License-Identifier: BSD-3-Clause
 * What the tests of mkl/ share: the declarations of the interface, as a program without MKL's
 * header would write them, small matrices of whole numbers in every shape, and plain loops. */
#ifndef MKL_SUPPORT_H
#define MKL_SUPPORT_H
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct descr {
	int type, mode, diag;
} descr;
typedef struct handle handle;

enum { N = 10, T = 11, H = 12 };
enum { GENERAL = 20, SYMMETRIC, HERMITIAN, TRIANGULAR, DIAGONAL, BLOCK_TRIANGULAR };
enum { LOWER = 40, UPPER };
enum { NON_UNIT = 50, UNIT };
enum { BY_ROWS = 101, BY_COLS };
enum { SUCCESS, NOT_INITIALIZED, ALLOC_FAILED, INVALID_VALUE, FAILED, INTERNAL, NOT_SUPPORTED };
enum { CSR, CSC, COO, BSR_ROWS, BSR_COLS, SHAPES };
enum { MOST = 16, ENTRIES = MOST * MOST + 3 * MOST };

static const descr general = {GENERAL, LOWER, NON_UNIT};

/* A dense matrix, row-major; 0 means no entry. */
typedef struct plain {
	int rows, cols;
	double a[MOST * MOST];
} plain;

static int failures;

#define CHECK(condition, ...)                                                  \
	do {                                                                   \
		if (!(condition) && failures++ < 20) {                         \
			printf("%s:%d: %s: ", __FILE__, __LINE__, #condition); \
			printf(__VA_ARGS__);                                   \
			printf("\n");                                          \
		}                                                              \
	} while (0)

static inline int number(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return (int)(*state >> 16);
}

/* About a third of the entries, some rows empty. */
static inline plain make_plain(int rows, int cols, uint32_t seed)
{
	plain p = {rows, cols, {0}};

	for (int i = 0; i < rows; i++)
		for (int j = 0; j < cols; j++)
			if (i % 5 != 3 && number(&seed) % 3 == 0)
				p.a[i * cols + j] = 1 + number(&seed) % 9;
	return p;
}

/* op of what a descriptor makes of a matrix. */
static inline plain plain_op(const plain *p, int op, descr d)
{
	plain q = {p->rows, p->cols, {0}}, t = {p->cols, p->rows, {0}};
	const bool symmetric = d.type == SYMMETRIC || d.type == HERMITIAN;

	for (int i = 0; i < p->rows; i++)
		for (int j = 0; j < p->cols; j++) {
			double v = p->a[i * p->cols + j];

			if (d.type != GENERAL && i == j && d.diag == UNIT)
				v = 1;
			else if (d.type == DIAGONAL && i != j)
				v = 0;
			else if (d.type != GENERAL && d.type != DIAGONAL && i != j &&
			         (i > j) != (d.mode == LOWER))
				v = symmetric ? p->a[j * p->cols + i] : 0;
			q.a[i * p->cols + j] = v;
		}
	for (int i = 0; i < p->rows; i++)
		for (int j = 0; j < p->cols; j++)
			t.a[j * p->rows + i] = q.a[i * p->cols + j];
	return op == N ? q : t;
}

static inline plain plain_product(const plain *a, const plain *b)
{
	plain c = {a->rows, b->cols, {0}};

	for (int i = 0; i < a->rows; i++)
		for (int j = 0; j < b->cols; j++)
			for (int k = 0; k < a->cols; k++)
				c.a[i * c.cols + j] +=
					a->a[i * a->cols + k] * b->a[k * b->cols + j];
	return c;
}

#endif
