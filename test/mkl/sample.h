/* SPDX-License-Identifier: BSD-3-Clause
 * For one pair of types: the declarations, and samples, matrices in the arrays of a shape. */
#define EACH_COMPRESSED(name)                                                       \
	int S(create_##name)(handle **, int, INT, INT, INT *, INT *, INT *, VAL *); \
	int S(export_##name)(handle *, int *, INT *, INT *, INT **, INT **, INT **, VAL **);
EACH_COMPRESSED(csr)
EACH_COMPRESSED(csc)
#undef EACH_COMPRESSED
int S(create_coo)(handle **, int, INT, INT, INT, INT *, INT *, VAL *);
int S(create_bsr)(handle **, int, int, INT, INT, INT, INT *, INT *, INT *, VAL *);
int S(export_coo)(handle *, int *, INT *, INT *, INT *, INT **, INT **, VAL **);
int S(export_bsr)(handle *, int *, int *, INT *, INT *, INT *, INT **, INT **, INT **, VAL **);
int S(mv)(int, VAL, handle *, descr, const VAL *, VAL, VAL *);
int S(mm)(int, VAL, handle *, descr, int, const VAL *, INT, INT, VAL, VAL *, INT);
int S(spmmd)(int, handle *, handle *, int, VAL *, INT);
int S(sp2md)(int, descr, handle *, int, descr, handle *, VAL, VAL, VAL *, int, INT);
int S(add)(int, handle *, VAL, handle *, handle **);
int S(convert_dense)(handle *, descr, int, INT, VAL *);
int S(set_value)(handle *, INT, INT, VAL);
int S(update_values)(handle *, INT, INT *, INT *, VAL *);
int W(spmm)(int, handle *, handle *, handle **);
int W(sp2m)(int, descr, handle *, int, descr, handle *, int, handle **);
int W(convert_csr)(handle *, int, handle **);
int W(convert_csc)(handle *, int, handle **);
int W(convert_coo)(handle *, int, handle **);
int W(convert_bsr)(handle *, INT, int, int, handle **);
int W(copy)(handle *, descr, handle **);
int W(order)(handle *);
int W(optimize)(handle *);
int W(set_mv_hint)(handle *, int, descr, INT);
int W(set_mm_hint)(handle *, int, descr, int, INT, INT);
int W(set_memory_hint)(handle *, int);
int W(destroy)(handle *);

typedef struct FN(sample) {
	int shape, base, rows, cols;
	INT start[MOST + 1], ends[MOST], *end, idx[ENTRIES], row[ENTRIES];
	VAL val[ENTRIES * 4];
	INT count;
	handle *A;
} FN(sample);

/* Appends the entry or block at line i and index j. */
static void FN(append)(FN(sample) * s, const plain *p, int i, int j)
{
	const bool blocks = s->shape >= BSR_ROWS;

	s->row[s->count] = (INT)(i + s->base);
	s->idx[s->count] = (INT)(j + s->base);
	if (!blocks)
		s->val[s->count] =
			(VAL)(s->shape == CSC ? p->a[j * p->cols + i] : p->a[i * p->cols + j]);
	for (int k = 0; blocks && k < 4; k++) {
		const int r = s->shape == BSR_ROWS ? k / 2 : k % 2;
		const int c = s->shape == BSR_ROWS ? k % 2 : k / 2;

		s->val[s->count * 4 + k] = (VAL)p->a[(2 * i + r) * p->cols + 2 * j + c];
	}
	s->count++;
}

static bool FN(stored)(int shape, const plain *p, int i, int j)
{
	if (shape < BSR_ROWS)
		return (shape == CSC ? p->a[j * p->cols + i] : p->a[i * p->cols + j]) != 0;
	for (int k = 0; k < 4; k++)
		if (p->a[(2 * i + k / 2) * p->cols + 2 * j + k % 2] != 0)
			return true;
	return false;
}

/* Puts the entries into the arrays, indices of odd lines descending. gaps: 0 for one array of
 * pointers, 1 for two, which begin after two entries that belong to no line, 2 for gaps. */
static void FN(fill)(FN(sample) * s, const plain *p, int shape, int base, int gaps)
{
	const int b = shape >= BSR_ROWS ? 2 : 1;
	const int lines = (shape == CSC ? p->cols : p->rows) / b;
	const int width = (shape == CSC ? p->rows : p->cols) / b;

	memset(s, 0, sizeof *s);
	s->shape = shape;
	s->base = base;
	s->rows = p->rows;
	s->cols = p->cols;
	s->count = gaps && shape != COO ? 2 : 0;
	for (int i = 0; i < lines; i++) {
		s->start[i] = s->count + base;
		for (int j = 0; j < width; j++) {
			const int at = i % 2 ? width - 1 - j : j;

			if (FN(stored)(shape, p, i, at))
				FN(append)(s, p, i, at);
		}
		s->ends[i] = s->count + base;
		s->count += gaps == 2 && shape != COO && i % 3 == 1;
	}
	s->start[lines] = s->count + base;
	s->end = gaps ? s->ends : s->start + 1;
}

static int FN(create)(FN(sample) * s)
{
	const INT rows = s->rows, cols = s->cols;

	switch (s->shape) {
	case CSR:
		return S(create_csr)(&s->A, s->base, rows, cols, s->start, s->end, s->idx, s->val);
	case CSC:
		return S(create_csc)(&s->A, s->base, rows, cols, s->start, s->end, s->idx, s->val);
	case COO:
		return S(create_coo)(&s->A, s->base, rows, cols, s->count, s->row, s->idx, s->val);
	default:
		return S(create_bsr)(&s->A, s->base, s->shape == BSR_ROWS ? BY_ROWS : BY_COLS,
		                     rows / 2, cols / 2, 2, s->start, s->end, s->idx, s->val);
	}
}

static void FN(sample_of)(FN(sample) * s, const plain *p, int shape, int base, int gaps)
{
	FN(fill)(s, p, shape, base, gaps);
	CHECK(FN(create)(s) == SUCCESS, "shape %d base %d gaps %d", shape, base, gaps);
}

/* Checks that A is p, by the dense matrix and by a product. */
static inline void FN(check_is)(handle *A, const plain *p, const char *what)
{
	VAL dense[MOST * MOST], x[MOST], y[MOST];

	CHECK(S(convert_dense)(A, general, BY_ROWS, p->cols, dense) == SUCCESS, "%s", what);
	for (int k = 0; k < p->rows * p->cols; k++)
		CHECK(dense[k] == (VAL)p->a[k], "%s: entry %d is %g, not %g", what, k,
		      (double)dense[k], p->a[k]);
	for (int j = 0; j < p->cols; j++)
		x[j] = (VAL)(j - 3);
	CHECK(S(mv)(N, 1, A, general, x, 0, y) == SUCCESS, "%s", what);
	for (int i = 0; i < p->rows; i++) {
		double sum = 0;

		for (int j = 0; j < p->cols; j++)
			sum += p->a[i * p->cols + j] * (j - 3);
		CHECK((double)y[i] == sum, "%s: row %d", what, i);
	}
}
