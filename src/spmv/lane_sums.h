/* SPDX-License-Identifier: BSD-3-Clause
 * Lanes: entries j of rows, or of pieces of rows, lie side by side, so those of a single one are
 * `step` places apart. The sums of a chunk of lanes, of SELL-C-sigma and BRC, in the lanes of
 * vectors; and what is done with a single one, of ELLPACK too, whose length tells entries from
 * padding. Columns and values are arrays CSR_COL and CSR_VAL in all of them. Included in each pass
 * of core/for_each.h. */
#ifndef EK_LANES_WIDE
#define EK_LANES_WIDE
enum { LANES_WIDE = 4 }; /* vectors side by side */

struct lane_run {
	const ek_store *A;
	const ek_args *v;
	bool past;    /* y goes past the caches, in whole aligned vectors */
	bool x_ahead; /* x is fetched ahead where it is a stream */
};
#endif

/* Finishes lanes p .. p + n - 1, n <= W, from their sums, padding included. */
typedef void (*FN(lane_finish))(const struct lane_run *s, int64_t p, int64_t n, vec sum);

/* `wide` vectors of lanes side by side, a constant, which hides the time of the additions. */
static inline __attribute__((always_inline)) void
FN(lane_vectors)(const struct lane_run *s, int64_t p, int64_t n, int64_t step, int64_t at,
                 int64_t end, FN(lane_finish) finish, const int wide)
{
	const IDX *col_idx = s->A->array[CSR_COL];
	const VAL *val = s->A->array[CSR_VAL], *x = s->v->x;
	const int64_t first = at;
	vec sum[LANES_WIDE];

	EK_UNROLL
	for (int k = 0; k < wide; k++)
		sum[k] = vzero();
	for (; at < end; at += step) {
		EK_UNROLL
		for (int k = 0; k < wide; k++) {
			const VAL *a = val + at + k * W;
			const IDX *c = col_idx + at + k * W;

			EK_AHEAD(a);
			EK_AHEAD(c);
			sum[k] = vfma(vload(a), vgather(x, c), sum[k]);
		}
	}
	/* Where the last columns of lanes follow each other, as in meshes, x is a stream too. */
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

/* Less than a vector of lanes. */
static inline vec FN(lane_rest)(const struct lane_run *s, int64_t step, int64_t at, int64_t end,
                                vmask m)
{
	const IDX *col_idx = s->A->array[CSR_COL];
	const VAL *val = s->A->array[CSR_VAL], *x = s->v->x;
	vec sum = vzero();

	for (; at < end; at += step) {
		EK_AHEAD(val + at);
		EK_AHEAD(col_idx + at);
		sum = vfma(vload_n(val + at, m), vgather_n(x, col_idx + at, m), sum);
	}
	return sum;
}

/* Finishes a chunk of `lanes` lanes, of which n, from lane p of the matrix on, count. Entries of
 * the first are at places `at`, at + lanes and so on, below `end`. `finish` is a constant, so it is
 * inlined and sums stay in registers: SELL takes 4 to 7 % longer if they pass through memory (rows
 * of four, AVX-512, measured). */
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

/* The sum of the n entries of a lane alone. */
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

/* Adds xi times the n entries of a lane to the sums of their columns, which begin with column
 * `first`. */
static inline void FN(lane_scatter)(const ek_store *A, int64_t at, int64_t step, int64_t n, VAL xi,
                                    int64_t first, VAL *sum)
{
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *val = A->array[CSR_VAL];

	for (int64_t j = 0; j < n; j++, at += step)
		sum[col_idx[at] - first] += val[at] * xi;
}
