/* SPDX-License-Identifier: BSD-3-Clause
 * The inner loops of products with panels (spmm/csr_panels.c): rows of A times a panel of up to MOST * W
 * columns, whose sums stay in registers, and the different ways to write Y. Included by files that use
 * base/for_each.h, in every pass, after drive/finish.h. */
#ifndef EK_PANELS
#define EK_PANELS
enum {
	MOST = 4,   /* maximum number of SIMD vectors in a row of a panel */
	LINE = 64,  /* bytes of a cache line */
	STAGE = 64, /* number of rows of a column-major Y that are written together */
	AHEAD = 12  /* number of entries after which a row of X that is prefetched is used */
};

/* State of the step. */
typedef struct panels {
	eki_transposed copy; /* transposed matrix, which runs use for op T */
	int64_t x;           /* offset of a copied panel of X, or of the windows, in the scratch */
	int width;           /* number of columns in a panel */
	int64_t beyond;      /* bytes of Y above which it is written with non-temporal stores */
	bool far;            /* whether many entries need rows of X that are not in the cache */
	int64_t room;        /* number of rows of a window, or 0 if there are no windows */
	int64_t *first;      /* first row of A of each part, or -1 if the part has no whole rows */
} panels;
#endif

/* Prefetches a row of a panel. */
static inline void FN(panel_fetch)(const VAL *x, const int G)
{
	const char *at = (const char *)x;

	EK_UNROLL
	for (int line = 0; line < G * W * (int)sizeof(VAL); line += LINE)
		__builtin_prefetch(at + line);
}

/* Multiplies entries [k, end) of a row of A by a panel whose rows are G SIMD vectors wide, and adds
 * up the products. If `whole` is false, the last vector has only the lanes in `last`. Prefetches
 * the rows of the panel that later entries before entry number `far` need. Always inlined, so that G is a constant and the sums stay in registers. */
static inline __attribute__((always_inline)) void
FN(panel_sums)(const IDX *col_idx, const VAL *val, const VAL *x, int64_t row, int64_t k,
               int64_t end, const int G, bool whole, vmask last, int64_t far, vec sum[MOST])
{
	vec odd[MOST];

	EK_UNROLL
	for (int g = 0; g < G; g++)
		sum[g] = odd[g] = vzero();
	for (; k + 1 < end; k += 2) {
		const VAL *even_x = x + col_idx[k] * row, *odd_x = x + col_idx[k + 1] * row;
		const vec a = vset1(val[k]), b = vset1(val[k + 1]);

		EK_AHEAD(val + k);
		EK_AHEAD(col_idx + k);
		if (k + AHEAD + 1 < far) {
			FN(panel_fetch)(x + col_idx[k + AHEAD] * row, G);
			FN(panel_fetch)(x + col_idx[k + AHEAD + 1] * row, G);
		}
		EK_UNROLL
		for (int g = 0; g + 1 < G; g++) {
			sum[g] = vfma(a, vload(even_x + g * W), sum[g]);
			odd[g] = vfma(b, vload(odd_x + g * W), odd[g]);
		}
		even_x += (G - 1) * W;
		odd_x += (G - 1) * W;
		sum[G - 1] = vfma(a, whole ? vload(even_x) : vload_n(even_x, last), sum[G - 1]);
		odd[G - 1] = vfma(b, whole ? vload(odd_x) : vload_n(odd_x, last), odd[G - 1]);
	}
	if (k < end) {
		const VAL *at = x + col_idx[k] * row;
		const vec a = vset1(val[k]);

		if (k + AHEAD < far)
			FN(panel_fetch)(x + col_idx[k + AHEAD] * row, G);
		EK_UNROLL
		for (int g = 0; g + 1 < G; g++)
			sum[g] = vfma(a, vload(at + g * W), sum[g]);
		at += (G - 1) * W;
		sum[G - 1] = vfma(a, whole ? vload(at) : vload_n(at, last), sum[G - 1]);
	}
	EK_UNROLL
	for (int g = 0; g < G; g++)
		sum[g] = vadd(sum[g], odd[g]);
}

/* Sets y = alpha sum + beta y with three roundings: nothing is fused. */
static inline void FN(panel_finish)(vec sum, vec alpha, VAL beta, VAL *y, vmask m)
{
	sum = vmul(alpha, sum);
	if (beta != 0)
		sum = vadd(sum, vmul(vset1(beta), vload_n(y, m)));
	vstore_n(y, sum, m);
}

/* Finishes `count` rows of a column-major block, whose columns begin at y and are `ld` values apart.
 * `sum` has MOST * W numbers for each row. It stays a function of its own: inlined for each G, it
 * would be most of the code of this file. */
static __attribute__((noinline)) void FN(panel_columns)(const eki_run *v, VAL *y, int64_t ld,
                                                        int count, const VAL *sum)
{
	const vec alpha = vset1(EK_SCALAR(v->alpha));
	const VAL beta = EK_SCALAR(v->beta);
	const vmask m = vmask_n(count);

	for (int g = 0; g * W < v->width; g++) {
		vec column[W];

		vtranspose(sum + g * W, MOST * W, W, column);
		for (int j = 0; j < W && g * W + j < v->width; j++)
			FN(panel_finish)(column[j], alpha, beta, y + (g * W + j) * ld, m);
	}
}

/* Writes `count` rows of each column to a column-major Y, from row i on, with non-temporal stores where
 * they fill whole vectors. `stage` has STAGE rows for each column. */
static __attribute__((noinline)) void FN(panel_flush)(const eki_run *v, int64_t i, int count,
                                                      const VAL *stage)
{
	for (int64_t j = 0; j < v->width; j++) {
		const VAL *from = stage + j * STAGE;
		VAL *y = (VAL *)v->y.data + i + j * v->y.col;
		int k = 0;

		for (; k < count && (uintptr_t)(y + k) % sizeof(vec) != 0; k++)
			y[k] = from[k];
		for (; k + W <= count; k += W)
			vstream(y + k, vload(from + k));
		for (; k < count; k++)
			y[k] = from[k];
	}
}

/* Tells whether Y is so large that no cache will hold it. */
static inline bool FN(panel_large)(const ek_store *A, const eki_run *v)
{
	const int64_t line = v->y.col == 1 ? v->y.row : v->width;

	return A->rows * line * (int64_t)sizeof(VAL) > ((const panels *)v->aux)->beyond;
}

/* Tells whether a row-major Y is written with non-temporal stores. This is so if Y is not read, is
 * large, and is written in whole cache lines. */
static inline bool FN(panel_streams)(const ek_store *A, const eki_run *v)
{
	const size_t row = (size_t)v->y.row * sizeof(VAL), panel = (size_t)v->width * sizeof(VAL);
	const size_t at = (size_t)(uintptr_t)v->y.data;

	return eki_is(v->beta, 0) && v->y.col == 1 && v->width % W == 0 && FN(panel_large)(A, v) &&
	       (row == panel ? (at | row) % sizeof(vec) == 0 : (at | row | panel) % LINE == 0);
}

/* Multiplies rows [begin, end) of A by a panel whose rows are G SIMD vectors wide (up to G W
 * columns), and writes a row-major Y. */
static inline __attribute__((always_inline)) void FN(panel_rows)(const ek_store *A,
                                                                 const eki_run *v, int64_t begin,
                                                                 int64_t end, const int G,
                                                                 bool whole)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x.data;
	const vec alpha = vset1(EK_SCALAR(v->alpha));
	const VAL beta = EK_SCALAR(v->beta);
	const vmask all = vmask_n(W), last = vmask_n(v->width - (G - 1) * W);
	const bool stream = whole && FN(panel_streams)(A, v), by_columns = v->y.col != 1;
	const bool staged = by_columns && beta == 0 && FN(panel_large)(A, v);
	const int64_t far = ((const panels *)v->aux)->far ? row_ptr[end] : 0;
	VAL sums[W * MOST * W] = {0}, stage[MOST * W * STAGE], *y = v->y.data;
	int waiting = 0, ready = 0;

	for (int64_t i = begin; i < end; i++) {
		const int64_t k = row_ptr[i], stop = row_ptr[i + 1];
		VAL *to = y + i * v->y.row;
		vec sum[MOST];

		FN(panel_sums)(col_idx, val, x, v->x.row, k, stop, G, whole, last, far, sum);
		if (stream) {
			EK_UNROLL
			for (int g = 0; g < G; g++)
				vstream(to + g * W, vmul(alpha, sum[g]));
			continue;
		}
		if (!by_columns) {
			EK_UNROLL
			for (int g = 0; g < G; g++) {
				const vmask m = g + 1 < G ? all : last;

				FN(panel_finish)(sum[g], alpha, beta, to + g * W, m);
			}
			continue;
		}
		EK_UNROLL
		for (int g = 0; g < G; g++)
			vstore(sums + (waiting * MOST + g) * W, sum[g]);
		if (++waiting < W && i + 1 < end)
			continue;
		if (staged) {
			FN(panel_columns)(v, stage + ready, STAGE, waiting, sums);
			ready += waiting;
			if (ready + W > STAGE || i + 1 == end) {
				FN(panel_flush)(v, i + 1 - ready, ready, stage);
				ready = 0;
			}
		} else {
			FN(panel_columns)(v, y + i + 1 - waiting, v->y.col, waiting, sums);
		}
		waiting = 0;
	}
	if (stream || staged)
		vstream_end();
}

static void FN(panel)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const bool whole = v->width % W == 0;

	switch ((v->width + W - 1) / W * 2 + whole) {
	case 2: FN(panel_rows)(A, v, begin, end, 1, false); break;
	case 3: FN(panel_rows)(A, v, begin, end, 1, true); break;
	case 4: FN(panel_rows)(A, v, begin, end, 2, false); break;
	case 5: FN(panel_rows)(A, v, begin, end, 2, true); break;
	case 6: FN(panel_rows)(A, v, begin, end, 3, false); break;
	case 7: FN(panel_rows)(A, v, begin, end, 3, true); break;
	case 8: FN(panel_rows)(A, v, begin, end, 4, false); break;
	default: FN(panel_rows)(A, v, begin, end, 4, true); break;
	}
}

/* Does the same as panel_sums for W columns of a block X whose rows are not contiguous. */
static inline vec FN(panel_apart)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                                  int64_t first)
{
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = (const VAL *)v->x.data + first * v->x.col;
	const int64_t count = v->width - first < W ? v->width - first : W;
	vec sum[2] = {vzero(), vzero()};
	VAL row[W] = {0};

	for (int64_t k = begin; k < end; k++) {
		const int odd = (k - begin) & 1;

		for (int64_t j = 0; j < count; j++)
			row[j] = x[col_idx[k] * v->x.row + j * v->x.col];
		sum[odd] = vfma(vset1(val[k]), vload(row), sum[odd]);
	}
	return vadd(sum[0], sum[1]);
}

/* Computes the dot product of entries [begin, end), a piece of one row of A, with each column of
 * X. */
static void FN(panel_dot)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                          void *result)
{
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL], *x = v->x.data;

	for (int64_t j = 0; j < v->width; j += W) {
		const vmask m = vmask_n(v->width - j < W ? v->width - j : W);
		vec sum[MOST];

		if (v->x.col == 1 || v->width == 1)
			FN(panel_sums)
		(col_idx, val, x + j, v->x.row, begin, end, 1, false, m, 0, sum);
		else sum[0] = FN(panel_apart)(A, v, begin, end, j);
		vstore_n((VAL *)result + j, sum[0], m);
	}
}

/* Multiplies rows [begin, end) of A by a block X whose rows are not contiguous. */
static void FN(panel_far_rows)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	const VAL alpha = EK_SCALAR(v->alpha), beta = EK_SCALAR(v->beta);
	VAL sum[MOST * W];

	for (int64_t i = begin; i < end; i++) {
		VAL *y = (VAL *)v->y.data + i * v->y.row;

		FN(panel_dot)(A, v, row_ptr[i], row_ptr[i + 1], sum);
		for (int64_t j = 0; j < v->width; j++)
			FN(finish_row)(sum[j], alpha, beta, y + j * v->y.col, y + j * v->y.col);
	}
}
