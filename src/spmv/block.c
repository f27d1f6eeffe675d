/* SPDX-License-Identifier: BSD-3-Clause
 * The sums of a run of blocks of one block row, for all 64 sizes.
 *
 * Places run along the longer side of a block (format/block.h), which is also what lies in the lanes:
 *     c >= r   a line is a row: load c entries of x once, and one fused addition for each row; lanes are
 *              added up at the end of the run
 *     c < r    a line is a column: one fused addition of an entry of x in all lanes; a lane is a row
 * so a block takes min(r, c) steps. Small blocks use several accumulators in turn, since an addition
 * waits four cycles for the one before.
 *
 * Fill is 0, and x is read at columns where a row may have no entry: when a sum is not finite, it is
 * made again from the entries that the mask names. So are blocks that stick out on the right, which x
 * has no room for; there is one in a run at most, the last.
 *
 * Rounding: a product with fill is an exact zero, and adding it makes no error; every other partial sum
 * has an entry of the row, so a term passes at most k - 1 additions.
 *
 * Register blocking: Im and Yelick 2001; Vuduc 2003, chapter 3. */
#include "spmv/block.h"
#define EK_FILE "spmv/block.c"
#include "core/for_each.h"

/* The undefined-behaviour sanitizer would check each register of 64 kernels, which takes minutes to
 * compile; the address sanitizer sees all of it. */
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

/* Adds the entries of blocks [begin, end). */
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

/* ---- Kernels: n blocks from val and col on, of constant size ---------------------------------- */

/* Fetches the places of `bytes` that are to come. */
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
		for (int w = 0; w < ways; w++)
			FN(wide_add)
		(val + w * r * c, x + (int64_t)col[w] * c, r, c, acc + w * r);
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

/* Column j of the block goes to accumulators j, j + 4, ... of `ways`. */
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
		for (int k = 0; k < step; k++)
			FN(tall_add)
		(val + k * r * c, x + (int64_t)col[k] * c, r, c, k * c, ways, acc);
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

/* Blocks of one entry: CSR. */
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

/* r and c are constants, but c is not in the scalar pass, where it gains little. */
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

/* The entries of blocks [begin, end) times xs, which is alpha x of the block row. */
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

static void FN(block_scatter)(const block_product *p, double factor, int64_t b, int64_t begin,
                              int64_t end, int64_t first, void *to)
{
	const block_shape *h = &p->shape;
	const IDX *col = p->col;
	const VAL *x = (const VAL *)p->x + b * h->r, *val = (const VAL *)p->val + begin * h->places;
	const VAL alpha = (VAL)factor;
	VAL *sum = to, xs[BLOCK_MOST] = {0}, bad = 0;
	int64_t stop = end - (end > begin && col[end - 1] >= h->whole);

	for (int i = 0; i < h->r && b * h->r + i < p->rows; i++) {
		xs[i] = alpha * x[i];
		bad += xs[i] * 0;
	}
	stop = bad == 0 ? stop : begin;
	for (int64_t k = begin; k < stop; k++, val += h->places) {
		VAL *at = sum + ((int64_t)col[k] * h->c - first);

		FN(block_ahead)(val, col + k, h->places);
		if (h->c >= h->r)
			FN(wide_scatter)(val, xs, h->r, h->c, at);
		else
			FN(tall_scatter)(val, xs, h->r, h->c, at);
	}
	FN(block_exact_t)(p, xs, stop, end, first, sum);
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
	                       .kernel = kernel[isa][type](&h),
	                       .exact = exact[type]};
}

ek_status eki_block_prepare(ek_plan *p, eki_carry_fn *const carry[EK_NISA][EK_NTYPE],
                            eki_scatter_fn *const scatter[EK_NISA][EK_NTYPE])
{
	const ek_store *A = p->store;
	const int type = eki_type(A->value, A->index);

	return eki_drive_prepare(p, &(eki_drive){.units = A->len[BLOCK_COL],
	                                         .carry = carry[p->isa][type],
	                                         .height = (int)A->dim[BLOCK_R],
	                                         .scatter = scatter[p->isa][type],
	                                         .span = eki_block_span});
}

#endif
