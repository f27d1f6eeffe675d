/* SPDX-License-Identifier: BSD-3-Clause
 * Products with formats that are stored in lanes; a lane is a row or a piece of a row. The j-th
 * entries of all lanes of a chunk are stored side by side, so the entries of one lane are `step`
 * places apart. The function lane_sums multiplies a chunk, for SELL-C-sigma and BRC; each lane of
 * the chunk gets one lane of a vector. The functions for a single lane, which ELLPACK uses too,
 * tell entries from padding by the length of the lane. In all of these formats, columns and values
 * are the arrays CSR_COL and CSR_VAL. Included in each pass of base/for_each.h. */
#ifndef EK_LANES_WIDE
#define EK_LANES_WIDE
enum { LANES_WIDE = 4 }; /* maximum number of vectors that are summed side by side */

struct lane_run {
	const ek_store *A;
	const eki_run *v;
	bool past;    /* y is written with non-temporal stores of whole aligned vectors */
	bool x_ahead; /* x is prefetched where it is read like a stream */
	bool ahead;   /* values and columns are prefetched */
};
#endif

/* Finishes lanes p .. p + n - 1, n <= W. `sum` has their sums, which include the products of
 * padding. */
typedef void (*FN(lane_finish))(const struct lane_run *s, int64_t p, int64_t n, vec sum);

/* Multiplies `wide` vectors of lanes side by side, which hides the latency of the additions. `wide`
 * is a compile-time constant. Finishes the first n lanes, or all if there are fewer. */
static inline __attribute__((always_inline)) void
FN(lane_vectors)(const struct lane_run *s, int64_t p, int64_t n, int64_t step, int64_t at,
                 int64_t end, FN(lane_finish) finish, const int wide)
{
	const IDX *col_idx = s->A->array[CSR_COL];
	const VAL *val = s->A->array[CSR_VAL], *x = s->v->x.data;
	const int64_t first = at;
	const bool ahead = s->ahead;
	vec sum[LANES_WIDE];

	EK_UNROLL
	for (int k = 0; k < wide; k++)
		sum[k] = vzero();
	for (; at < end; at += step) {
		EK_UNROLL
		for (int k = 0; k < wide; k++) {
			const VAL *a = val + at + k * W;
			const IDX *c = col_idx + at + k * W;

			if (ahead) {
				EK_AHEAD(a);
				EK_AHEAD(c);
			}
			sum[k] = vfma(vload(a), vgather_inlined(x, c), sum[k]);
		}
	}
	/* If the last columns of neighbouring lanes follow each other, as in meshes, x is read like
	 * a stream too. */
	if (s->x_ahead && at > first &&
	    (uint64_t)(col_idx[at - step + W - 1] - col_idx[at - step]) < 2 * W)
		EK_AHEAD(x + col_idx[at - step]);
	EK_UNROLL
	for (int k = 0; k < wide; k++) {
		const int64_t left = n - k * W;

		if (left > 0)
			finish(s, p + k * W, left < W ? left : W, sum[k]);
	}
}

/* Finishes the W rows row[0] ... row[W - 1], which differ. */
static inline void FN(finish_rows_at)(vec sum, VAL alpha, VAL beta, const VAL *y0, VAL *y,
                                      const IDX *row)
{
	vec r = vmul(vset1(alpha), sum);

	if (beta != 0)
		r = vadd(r, vmul(vset1(beta), vgather_inlined(y0, row)));
	vscatter(y, row, r);
}

/* Returns the sums of fewer than W lanes: the lanes that are active in `m`. */
static inline vec FN(lane_rest)(const struct lane_run *s, int64_t step, int64_t at, int64_t end,
                                vmask m)
{
	const IDX *col_idx = s->A->array[CSR_COL];
	const VAL *val = s->A->array[CSR_VAL], *x = s->v->x.data;
	vec sum = vzero();

	for (; at < end; at += step) {
		if (s->ahead) {
			EK_AHEAD(val + at);
			EK_AHEAD(col_idx + at);
		}
		sum = vfma(vload_n(val + at, m), vgather_n(x, col_idx + at, m), sum);
	}
	return sum;
}

/* Multiplies a chunk of `lanes` lanes, of which the first n are lanes p .. p + n - 1 of the matrix,
 * and finishes these n lanes. Entries of the first lane are at places `at`, at + lanes and so on,
 * below `end`. `finish` is a compile-time constant, so it is inlined and sums stay in registers;
 * SELL takes 4 to 7 % longer if they pass through memory (rows of four entries, AVX-512,
 * measured). */
static inline __attribute__((always_inline)) void FN(lane_sums)(const struct lane_run *s, int64_t p,
                                                                int64_t n, int64_t lanes,
                                                                int64_t at, int64_t end,
                                                                FN(lane_finish) finish)
{
	int64_t l = 0;

	for (; lanes - l >= LANES_WIDE * W && l < n; l += LANES_WIDE * W)
		FN(lane_vectors)(s, p + l, n - l, lanes, at + l, end, finish, LANES_WIDE);
	for (; lanes - l >= 2 * W && l < n; l += 2 * W)
		FN(lane_vectors)(s, p + l, n - l, lanes, at + l, end, finish, 2);
	for (; lanes - l >= W && l < n; l += W)
		FN(lane_vectors)(s, p + l, n - l, lanes, at + l, end, finish, 1);
	if (l < n)
		finish(s, p + l, n - l, FN(lane_rest)(s, lanes, at + l, end, vmask_n(lanes - l)));
}

/* Returns the sum of the products of a lane's n entries with x, without padding. The first entry is
 * at place `at`, the others `step` places apart. */
static inline VAL FN(lane_exact)(const ek_store *A, const VAL *x, int64_t at, int64_t step,
                                 int64_t n)
{
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL];
	VAL sum = 0;

	for (int64_t j = 0; j < n; j++, at += step)
		sum += val[at] * x[col_idx[at]];
	return sum;
}

/* Multiplies the n entries of a lane by `xi`, and adds the products to the sums of their columns.
 * sum[0] is the sum of column `first`. */
static inline void FN(lane_scatter)(const ek_store *A, int64_t at, int64_t step, int64_t n, VAL xi,
                                    int64_t first, VAL *sum)
{
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL];

	for (int64_t j = 0; j < n; j++, at += step)
		sum[col_idx[at] - first] += val[at] * xi;
}
