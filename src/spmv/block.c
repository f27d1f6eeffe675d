/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels that sum a run of blocks of one block row, for all 64 block sizes.
 *
 * The places of a block run along its longer side (format/block.h), and so do the lanes of vectors.
 * A line is a row or a column of a block in that direction:
 *     c >= r   a line is a row: c elements of x are loaded once and used in one fused multiply-add
 *              for each row; lanes are added up at the end of the run
 *     c < r    a line is a column: each column takes one fused multiply-add with one element of x
 *              in all lanes, and each lane is a row
 * A block takes min(r, c) steps. Small blocks use several accumulators in turn, since each addition
 * must wait four cycles for the result of the previous one.
 *
 * Fill is stored as 0 and multiplied by x at columns where a row has no entry, so an x of Inf or
 * NaN there makes the sum NaN. A sum that is not finite is therefore computed again, from the
 * entries that the mask marks.
 *
 * A block that reaches beyond the last column, where x ends, takes x from a copy that goes on with
 * zeros. A run has at most one such block, its last: its sums are added to those of the others. For
 * op T its columns are summed in such a copy too.
 *
 * Rounding: a product with fill is an exact zero, and adding it makes no error. Every other summand
 * contains an entry of the row, so in a row of k entries each product passes through at most k - 1
 * additions.
 *
 * Register blocking: Im and Yelick 2001; Vuduc 2003, chapter 3. */
#include "spmv/block.h"
#define EK_FILE "spmv/block.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

/* Checks by the undefined-behaviour sanitizer in 64 unrolled kernels would take minutes to compile,
 * so it is switched off in these functions. The address sanitizer still checks them. */
#ifndef EK_BLOCK_INLINE
#ifdef __clang__
#define EK_BLOCK_PLAIN __attribute__((no_sanitize("undefined")))
#else
#define EK_BLOCK_PLAIN
#endif
#define EK_BLOCK_INLINE static inline __attribute__((always_inline)) EK_BLOCK_PLAIN
#endif

/* ---- From entries alone ---------------------------------------------------------------------- */

#if EK_PER_TYPE

/* Multiplies the entries of blocks [begin, end) by x, and adds the products to the sums at `to`.
 * The mask tells entries from fill. */
static void FN(block_exact)(const block_product *p, int64_t begin, int64_t end, void *to)
{
	const block_shape *h = &p->shape;
	const IDX *col = p->col;
	VAL *sum = to;
	const VAL *x = p->x, *val = (const VAL *)p->val + begin * h->places;

	for (int64_t k = begin; k < end; k++, val += h->places)
		for (uint64_t m = block_mask(p->mask, h, k); m; m &= m - 1) {
			const int at = __builtin_ctzll(m);

			sum[block_i(h, at)] += val[at] * x[(int64_t)col[k] * h->c + block_j(h, at)];
		}
}

#endif

/* ---- Kernels for n blocks of constant size, which begin at val and col ----------------------- */

/* Prefetches the columns and the values that will be read soon. `places` is the number of values
 * that one step reads. */
EK_BLOCK_INLINE void FN(block_ahead)(const VAL *val, const IDX *col, int places)
{
	EK_AHEAD(col);
	for (int k = 0; k < places; k += 64 / (int)sizeof(VAL))
		EK_AHEAD(val + k);
}

EK_BLOCK_INLINE void FN(wide_add)(const VAL *val, const VAL *x, int r, int c, vec *acc)
{
	for (int j = 0; j < c; j += W) {
		const vmask m = vmask_n(c - j < W ? c - j : W);
		const vec xj = vload_n(x + j, m);

		EK_UNROLL
		for (int i = 0; i < r; i++)
			acc[i] = vfma(vload_n(val + i * c + j, m), xj, acc[i]);
	}
}

EK_BLOCK_INLINE void FN(wide_sums)(const VAL *val, const IDX *col, int64_t n, const VAL *x, int r,
                                   int c, VAL *sum)
{
	const int ways = r == 1 ? 4 : r <= 3 ? 2 : 1;
	vec acc[16];

	EK_UNROLL
	for (int i = 0; i < 16; i++)
		acc[i] = vzero();
	for (; n >= ways; n -= ways, val += ways * r * c, col += ways) {
		FN(block_ahead)(val, col, ways * r * c);
		EK_UNROLL
		for (int w = 0; w < ways; w++) {
			const VAL *xw = x + (int64_t)col[w] * c;

			FN(wide_add)(val + w * r * c, xw, r, c, acc + w * r);
		}
	}
	for (; n > 0; n--, val += r * c, col++)
		FN(wide_add)(val, x + (int64_t)*col * c, r, c, acc);
	EK_UNROLL
	for (int w = 1; w < ways; w++)
		for (int i = 0; i < r; i++) {
			acc[i] = vadd(acc[i], acc[w * r + i]);
			acc[w * r + i] = vzero();
		}
	if (r == 1)
		sum[0] = vsum(acc[0]);
	else
		for (int i = 0; i < r; i += W)
			vstore(sum + i, vsum_rows(acc + i));
}

/* Adds the products of a block with c < r to the accumulators: column j goes to accumulator (first
 * + j) mod `ways`. */
EK_BLOCK_INLINE void FN(tall_add)(const VAL *val, const VAL *x, int r, int c, int first, int ways,
                                  vec (*acc)[8 / W])
{
	EK_UNROLL
	for (int j = 0; j < c; j++) {
		const vec xj = vset1(x[j]);

		for (int i = 0; i < r; i += W) {
			const vmask m = vmask_n(r - i < W ? r - i : W);
			vec *a = &acc[(first + j) % ways][i / W];

			*a = vfma(vload_n(val + j * r + i, m), xj, *a);
		}
	}
}

EK_BLOCK_INLINE void FN(tall_sums)(const VAL *val, const IDX *col, int64_t n, const VAL *x, int r,
                                   int c, VAL *sum)
{
	const int ways = W == 1 || r > 2 * W ? 1 : 4, step = ways == 1 || c > 3 ? 1
	                                                     : c == 1           ? 4
	                                                                        : 2;
	vec acc[4][8 / W];

	EK_UNROLL
	for (int w = 0; w < 4; w++)
		for (int i = 0; i < 8 / W; i++)
			acc[w][i] = vzero();
	for (; n >= step; n -= step, val += step * r * c, col += step) {
		FN(block_ahead)(val, col, step * r * c);
		EK_UNROLL
		for (int k = 0; k < step; k++) {
			const VAL *xk = x + (int64_t)col[k] * c;

			FN(tall_add)(val + k * r * c, xk, r, c, k * c, ways, acc);
		}
	}
	for (; n > 0; n--, val += r * c, col++)
		FN(tall_add)(val, x + (int64_t)*col * c, r, c, 0, ways, acc);
	for (int i = 0; i < r; i += W) {
		vec a = acc[0][i / W];

		EK_UNROLL
		for (int w = 1; w < ways; w++)
			a = vadd(a, acc[w][i / W]);
		vstore(sum + i, a);
	}
}

/* Multiplies n blocks of 1 x 1. Their arrays are the same as in CSR. */
EK_BLOCK_INLINE void FN(single_sums)(const VAL *val, const IDX *col, int64_t n, const VAL *x,
                                     VAL *sum)
{
	vec a = vzero();

	for (; n > W; n -= W, val += W, col += W) {
		EK_AHEAD(val);
		EK_AHEAD(col);
		a = vfma(vload(val), vgather(x, col), a);
	}

	vmask m = vmask_n(n);

	*sum = vsum(vfma(vload_n(val, m), vgather_n(x, col, m), a));
}

/* EK_SIZES calls the macro `of` with (r, name, c) for each block size that gets a kernel; `name` is
 * the end of the kernel's name. r and c are constants, except that c is a variable in the scalar
 * pass, where a constant would gain little. */
#if W == 1
#define EK_SIZES(of)                                                                        \
	of(1, 0, c) of(2, 0, c) of(3, 0, c) of(4, 0, c) of(5, 0, c) of(6, 0, c) of(7, 0, c) \
		of(8, 0, c)
#else
#define EK_ROW(of, r)                                                                       \
	of(r, 1, 1) of(r, 2, 2) of(r, 3, 3) of(r, 4, 4) of(r, 5, 5) of(r, 6, 6) of(r, 7, 7) \
		of(r, 8, 8)
#define EK_SIZES(of)  \
	EK_ROW(of, 1) \
	EK_ROW(of, 2) \
	EK_ROW(of, 3) \
	EK_ROW(of, 4) EK_ROW(of, 5) EK_ROW(of, 6) EK_ROW(of, 7) EK_ROW(of, 8)
#endif
#define EK_KERNEL(r, name, width)                                                             \
	EK_BLOCK_PLAIN static void FN(sums_##r##x##name)(                                     \
		const void *val, const void *col, int64_t n, const void *x, int c, void *sum) \
	{                                                                                     \
		(void)c;                                                                      \
		if (r == 1 && width == 1)                                                     \
			FN(single_sums)(val, col, n, x, sum);                                 \
		else if (width >= r)                                                          \
			FN(wide_sums)(val, col, n, x, r, width, sum);                         \
		else                                                                          \
			FN(tall_sums)(val, col, n, x, r, width, sum);                         \
	}
EK_SIZES(EK_KERNEL)

static eki_block_kernel *FN(block_kernel)(const block_shape *h)
{
#define EK_NAME(r, name, width) FN(sums_##r##x##name),
	static eki_block_kernel *const kernel[] = {EK_SIZES(EK_NAME)};

	return kernel[W == 1 ? h->r - 1 : (h->r - 1) * BLOCK_MOST + h->c - 1];
}
#undef EK_NAME
#undef EK_KERNEL
#undef EK_SIZES
#undef EK_ROW

/* ---- Transposed ------------------------------------------------------------------------------ */

/* Multiplies the entries of blocks [begin, end) by `xs`, which is alpha x for the rows of the block
 * row, and adds the products to `sum`. sum[0] is the sum of column `first`. The mask tells entries
 * from fill. */
static void FN(block_exact_t)(const block_product *p, const VAL *xs, int64_t begin, int64_t end,
                              int64_t first, VAL *sum)
{
	const block_shape *h = &p->shape;
	const IDX *col = p->col;
	const VAL *val = (const VAL *)p->val + begin * h->places;

	for (int64_t k = begin; k < end; k++, val += h->places)
		for (uint64_t m = block_mask(p->mask, h, k); m; m &= m - 1) {
			const int at = __builtin_ctzll(m);

			sum[(int64_t)col[k] * h->c + block_j(h, at) - first] +=
				val[at] * xs[block_i(h, at)];
		}
}

static inline void FN(wide_scatter)(const VAL *val, const VAL *xs, int r, int c, VAL *sum)
{
	for (int j = 0; j < c; j += W) {
		const vmask m = vmask_n(c - j < W ? c - j : W);
		vec t = vload_n(sum + j, m);

		for (int i = 0; i < r; i++)
			t = vfma(vload_n(val + i * c + j, m), vset1(xs[i]), t);
		vstore_n(sum + j, t, m);
	}
}

static inline void FN(tall_scatter)(const VAL *val, const VAL *xs, int r, int c, VAL *sum)
{
	for (int j = 0; j < c; j++, val += r) {
		vec t = vzero();

		for (int i = 0; i < r; i += W) {
			const vmask m = vmask_n(r - i < W ? r - i : W);

			t = vfma(vload_n(val + i, m), vload(xs + i), t);
		}
		sum[j] += vsum(t);
	}
}

/* Multiplies blocks [begin, end) like block_exact_t, with vectors. No block reaches beyond the last
 * column, and xs is finite. */
static inline void FN(block_fast_t)(const block_product *p, const VAL *xs, int64_t begin,
                                    int64_t end, int64_t first, VAL *sum)
{
	const block_shape *h = &p->shape;
	const IDX *col = p->col;
	const VAL *val = (const VAL *)p->val + begin * h->places;

	for (int64_t k = begin; k < end; k++, val += h->places) {
		VAL *at = sum + ((int64_t)col[k] * h->c - first);

		FN(block_ahead)(val, col + k, h->places);
		if (h->c >= h->r)
			FN(wide_scatter)(val, xs, h->r, h->c, at);
		else
			FN(tall_scatter)(val, xs, h->r, h->c, at);
	}
}

/* Multiplies block k, which reaches beyond the last column, like block_fast_t. */
static inline void FN(block_tail_t)(const block_product *p, const VAL *xs, int64_t k, int64_t first,
                                    VAL *sum)
{
	const int64_t begin = p->shape.whole * p->shape.c;
	VAL tail[BLOCK_MOST] = {0}, *at = sum + (begin - first);

	for (int j = 0; j < p->beyond; j++)
		tail[j] = at[j];
	FN(block_fast_t)(p, xs, k, k + 1, begin, tail);
	for (int j = 0; j < p->beyond; j++)
		at[j] = tail[j];
}

static void FN(block_scatter)(const block_product *p, eki_scalar factor, int64_t b, int64_t begin,
                              int64_t end, int64_t first, void *to)
{
	const block_shape *h = &p->shape;
	const IDX *col = p->col;
	const VAL *x = (const VAL *)p->x + b * h->r;
	const VAL alpha = EK_SCALAR(factor);
	VAL xs[BLOCK_MOST] = {0}, bad = 0;
	const int64_t stop = end - (end > begin && col[end - 1] >= h->whole);

	for (int i = 0; i < h->r && b * h->r + i < p->rows; i++) {
		xs[i] = alpha * x[i];
		bad += xs[i] * 0;
	}
	if (bad != 0) { /* true only if `bad` is NaN, that is, if a factor is not finite */
		FN(block_exact_t)(p, xs, begin, end, first, to);
		return;
	}
	FN(block_fast_t)(p, xs, begin, stop, first, to);
	if (stop < end)
		FN(block_tail_t)(p, xs, stop, first, to);
}

#if EK_ONCE

eki_block_scatter_fn *const eki_block_scatter[EK_NISA][EK_NTYPE] =
	EK_BY_ISA_AND_TYPE(block_scatter);

void eki_block_span(const ek_store *A, int64_t begin, int64_t end, int64_t span[2])
{
	const int64_t c = A->dim[BLOCK_C];

	eki_span(A, BLOCK_COL, begin, end, span);
	span[0] *= c;
	span[1] = span[1] * c < A->cols ? span[1] * c : A->cols;
}

typedef eki_block_kernel *kernel_fn(const block_shape *);

block_product eki_block_product(const ek_store *A, const void *x, ek_isa isa)
{
	static kernel_fn *const kernel[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(block_kernel);
	static eki_block_exact_fn *const exact[EK_NTYPE] = EK_BY_TYPE(block_exact);
	const int type = eki_type(A->value, A->index);
	const block_shape h = block_shape_of(A);

	return (block_product){.shape = h,
	                       .col = A->array[BLOCK_COL],
	                       .val = A->array[BLOCK_VAL],
	                       .mask = A->array[BLOCK_MASK],
	                       .x = x,
	                       .rows = A->rows,
	                       .beyond = (int)(A->cols - h.whole * h.c),
	                       .kernel = kernel[isa][type](&h),
	                       .exact = exact[type]};
}

ek_status eki_block_prepare(eki_step *step, eki_carry_fn *const carry[EK_NISA][EK_NTYPE],
                            eki_scatter_fn *const scatter[EK_NISA][EK_NTYPE])
{
	const ek_store *A = step->in[0];
	const int type = eki_type(A->value, A->index);

	return eki_drive_prepare(step, &(eki_drive){.units = A->len[BLOCK_COL],
	                                            .carry = carry[step->isa][type],
	                                            .height = (int)A->dim[BLOCK_R],
	                                            .scatter = scatter[step->isa][type],
	                                            .span = eki_block_span});
}

#endif
