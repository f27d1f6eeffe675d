/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on SELL-C-sigma: a lane of a vector for each row of a chunk, so a step is a load, a gather
 * and a fused addition, and no sum has to be added over lanes. Up to four vectors of a chunk go
 * side by side, which hides the time of the additions where chunks are narrow. A chunk height that
 * is no multiple of the vector's width leaves lanes idle in its last vector.
 *
 * Where nothing is sorted and beta is 0, y goes past the caches if the matrix does not fit them: a
 * line that is not wanted need not be read before it is written, a tenth of all bytes for rows of
 * five.
 *
 * Reads the bytes of the format once, padding included, but the lengths only where a sum comes out
 * Inf or NaN, which 0 times Inf may have caused: such rows are summed again from their entries
 * alone.
 *
 * Kreutzer, Hager, Wellein, Fehske and Bishop 2014, section 4; Liu 2015, section 5.4.1. */
#include "format/sell.h"
#include "spmv/drive.h"
#define EK_FILE "spmv/sell.c"
#include "core/for_each.h"

#include "spmv/finish.h"
#include "spmv/lane_sums.h"

/* The row at place p. */
static inline int64_t FN(sell_row)(const ek_store *A, int64_t p)
{
	return A->len[SELL_PERM] ? ((const IDX *)A->array[SELL_PERM])[p] : p;
}

/* The sum of the row at place p, from its entries alone. */
static VAL FN(sell_exact)(const ek_store *A, const VAL *x, int64_t p)
{
	const int64_t c = A->dim[SELL_C];
	const int64_t at = ((const PTR *)A->array[SELL_PTR])[p / c] + p % c;

	return FN(lane_exact)(A, x, at, c, ((const IDX *)A->array[SELL_LEN])[FN(sell_row)(A, p)]);
}

/* Finishes the rows at places p .. p + n - 1, n <= W, from their sums. */
static inline void FN(sell_finish)(const struct lane_run *s, int64_t p, int64_t n, vec sum)
{
	const VAL alpha = (VAL)s->v->alpha, beta = (VAL)s->v->beta;
	const bool finite = vfinite(sum);
	const VAL *y0 = s->v->y0;
	VAL *y = s->v->y, each[W];

	if (n == W && finite && s->past) {
		vstream(y + p, vmul(vset1(alpha), sum));
		return;
	}
	if (n == W && finite && !s->A->len[SELL_PERM]) {
		FN(finish_rows)(sum, alpha, beta, y0 + p, y + p);
		return;
	}
	vstore(each, sum);
	for (int64_t r = 0; r < n; r++) {
		if (!finite && !isfinite(each[r]))
			each[r] = FN(sell_exact)(s->A, s->v->x, p + r);
		FN(finish_row)
		(each[r], alpha, beta, y0 + FN(sell_row)(s->A, p + r),
		 y + FN(sell_row)(s->A, p + r));
	}
}

static void FN(sell_multiply)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end)
{
	const PTR *chunk_ptr = A->array[SELL_PTR];
	const int64_t c = A->dim[SELL_C];
	const bool *past = v->kept, aligned = (uintptr_t)v->y % sizeof(vec) == 0;
	const struct lane_run s = {A, v, *past && v->beta == 0 && c % W == 0 && aligned,
	                           .x_ahead = true};

	for (int64_t k = begin; k < end; k++) {
		const int64_t p = k * c, rows = sell_first(A, k + 1) - p;

		FN(lane_sums)(&s, p, rows, c, chunk_ptr[k], chunk_ptr[k + 1], FN(sell_finish));
	}
	if (s.past)
		vstream_end();
}

#if EK_PER_TYPE

static void FN(sell_scatter)(const ek_store *A, const ek_args *v, int64_t begin, int64_t end,
                             int64_t first, void *to)
{
	const PTR *chunk_ptr = A->array[SELL_PTR];
	const IDX *len = A->array[SELL_LEN];
	const VAL *x = v->x, alpha = (VAL)v->alpha;
	const int64_t c = A->dim[SELL_C];

	for (int64_t p = sell_first(A, begin); p < sell_first(A, end); p++) {
		const int64_t i = FN(sell_row)(A, p);
		const int64_t at = chunk_ptr[p / c] + p % c;

		FN(lane_scatter)(A, at, c, len[i], alpha * x[i], first, to);
	}
}

#endif
#if EK_ONCE

/* Does y go past the caches? Of a large cache, which belongs to many cores, a process gets a part:
 * measured, that gains from 64 MiB on, and loses below. Where small work is cut too, which tests
 * ask for, always. */
static bool past_caches(const ek_plan *p)
{
	const int64_t half = eki_cpu_cache() / 2, most = (int64_t)64 << 20;

	return !p->store->len[SELL_PERM] &&
	       (!p->ctx->small_work || p->bytes > (half < most ? half : most));
}

static void span(const ek_store *A, int64_t begin, int64_t end, int64_t span[2])
{
	eki_span(A, SELL_COL, eki_ptr_at(A, begin), eki_ptr_at(A, end), span);
}

static ek_status prepare(ek_plan *p)
{
	static eki_rows_fn *const multiply[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(sell_multiply);
	static eki_scatter_fn *const scatter[EK_NTYPE] = EK_BY_TYPE(sell_scatter);
	const ek_store *A = p->store;
	const int type = eki_type(A->value, A->index);
	bool *past;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *past, &past));
	*past = past_caches(p);
	p->kept = past;
	if (p->op == EK_OP_N)
		p->bytes -= A->rows * (int64_t)eki_idx_size(A->index); /* the lengths */
	return eki_drive_prepare(p, &(eki_drive){.units = sell_chunks(A),
	                                         .unit_ptr = A->array[SELL_PTR],
	                                         .rows = multiply[p->isa][type],
	                                         .scatter = scatter[type],
	                                         .span = span});
}

const ek_method ek_spmv_sell = {
	.name = "spmv.sell",
	.text = "a lane for each row of a chunk, up to the longest of them",
	.source = "Kreutzer et al. 2014, section 4",
	.operation = EK_SPMV,
	.format = &ek_format_sell,
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.prepare = prepare,
	.run = eki_drive_run,
};

#endif
