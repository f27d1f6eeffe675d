/* SPDX-License-Identifier: BSD-3-Clause
 * The sums of block rows as lanes (block_lanes.c). For each block, W lanes gather c vectors of x,
 * and each of them takes part in r fused multiply-adds, one for each row of the blocks. There is a
 * kernel for each r, whose sums are in registers, for W lanes. A slice has fewer lanes only if the
 * caller chose its height, or made the matrix on another machine, so one kernel with sums in memory
 * does for all r there. */
#include "spmv/block_lanes_sums.h"
#define EK_FILE "spmv/block_lanes_sums.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

/* Returns x at the columns of W blocks, plus k. The other lanes than those of `m` get any
 * elements. `whole` and `inside`, compile-time constants, tell that there are W lanes, and that no
 * column is beyond the last one. */
static inline __attribute__((always_inline)) vec FN(lanes_gather)(const lanes_job *job,
                                                                  const IDX *col, int k, vmask m,
                                                                  const bool whole,
                                                                  const bool inside)
{
	const VAL *x = job->x;

	if (!inside) {
		IDX at[W] = {0};

		for (int n = 0; n < job->lanes; n++)
			at[n] = (IDX)(col[n] + (int64_t)k < job->last ? col[n] + (int64_t)k
			                                              : job->last);
		return vgather_inlined(x, at);
	}
	return whole ? vgather_inlined(x + k, col) : vgather_n(x + k, col, m);
}

/* Adds blocks [begin, end) of all lanes to the sums of their r rows. If the lanes fill a vector, r
 * is a compile-time constant, and the sums stay in registers. */
static inline __attribute__((always_inline)) void FN(lanes_add)(const lanes_job *job, int64_t begin,
                                                                int64_t end, const int r,
                                                                const bool whole, const bool inside,
                                                                vec *sum)
{
	const block_shape *h = &job->l->shape;
	const int64_t height = job->l->height, row = h->row_step * height;
	const VAL *val = (const VAL *)job->val + begin * height * h->places;
	const IDX *col = (const IDX *)job->col + begin * height;
	const vmask m = vmask_n(job->lanes);

	for (int64_t t = begin; t < end; t++, val += height * h->places, col += height)
		for (int k = 0; k < h->c; k++) {
			const vec x = FN(lanes_gather)(job, col, k, m, whole, inside);
			const VAL *a = val + k * h->col_step * height;

			if (whole) {
				EK_UNROLL
				for (int i = 0; i < r; i++)
					sum[i] = vfma(vload(a + i * row), x, sum[i]);
			} else {
				for (int i = 0; i < r; i++)
					sum[i] = vfma(vload_n(a + i * row, m), x, sum[i]);
			}
		}
}

/* Computes the sums of W lanes. r is a compile-time constant. */
static inline __attribute__((always_inline)) void FN(lanes_sums)(const lanes_job *job, const int r,
                                                                 void *to)
{
	vec sum[BLOCK_MOST];
	VAL *each = to;

	EK_UNROLL
	for (int i = 0; i < r; i++)
		sum[i] = vzero();
	FN(lanes_add)(job, 0, job->inside, r, true, true, sum);
	FN(lanes_add)(job, job->inside, job->width, r, true, false, sum);
	EK_UNROLL
	for (int i = 0; i < r; i++)
		vstore(each + i * W, sum[i]);
}

/* Computes the sums of fewer lanes than W. */
static void FN(lanes_few)(const lanes_job *job, void *to)
{
	const int r = (int)job->l->shape.r;
	vec sum[BLOCK_MOST];
	VAL *each = to;

	for (int i = 0; i < r; i++)
		sum[i] = vzero();
	FN(lanes_add)(job, 0, job->inside, r, false, true, sum);
	FN(lanes_add)(job, job->inside, job->width, r, false, false, sum);
	for (int i = 0; i < r; i++)
		vstore(each + i * W, sum[i]);
	vleave();
}

#define EK_HEIGHTS(of) of(1) of(2) of(3) of(4) of(5) of(6) of(7) of(8)
#define EK_KERNEL(r)                                                    \
	static void FN(lanes_sums_##r)(const lanes_job *job, void *sum) \
	{                                                               \
		FN(lanes_sums)(job, r, sum);                            \
		vleave();                                               \
	}
EK_HEIGHTS(EK_KERNEL)

static lanes_kernel *FN(lanes_kernel)(int64_t r)
{
#define EK_NAME(r) , FN(lanes_sums_##r)
	static lanes_kernel *const kernel[] = {FN(lanes_few) EK_HEIGHTS(EK_NAME)};

	return kernel[r];
}
#undef EK_NAME
#undef EK_KERNEL
#undef EK_HEIGHTS

#if EK_ONCE

lanes_kernel *eki_lanes_kernel(ek_isa isa, int type, int64_t r)
{
	static lanes_kernel *(*const kernel[EK_NISA][EK_NTYPE])(int64_t) =
		EK_BY_ISA_AND_TYPE(lanes_kernel);

	return kernel[isa][type](r);
}

#endif
