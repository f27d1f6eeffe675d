/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on SELL-C-sigma: each row of a chunk is a lane of a vector, so a step is a load, a gather
 * and a fused multiply-add, and no sum has to be added over lanes. Up to four vectors of a chunk
 * are summed side by side, which hides the latency of the additions. If the chunk height is not a
 * multiple of the vector's width, lanes are idle in the last vector of a chunk.
 *
 * If rows are not sorted, beta is 0, and the matrix does not fit the caches, y is written with
 * non-temporal stores. A cache line of y then need not be read before it is written, which saves a
 * tenth of all bytes for rows of five entries.
 *
 * Reads the arrays of the format once, padding included, except the lengths. The lengths are read
 * only where a sum is Inf or NaN, which 0 times Inf may have caused; such rows are summed again
 * from their entries alone.
 *
 * Kreutzer, Hager, Wellein, Fehske and Bishop 2014, section 4; Liu 2015, section 5.4.1. */
#include "format/sell.h"
#include "drive/drive.h"
#define EK_FILE "spmv/sell.c"
#define EK_WITH_LOADS
#include "base/for_each.h"

#include "drive/far.h"
#include "drive/finish.h"
#include "spmv/lane_sums.h"

#ifndef EK_SELL_FLAGS
#define EK_SELL_FLAGS
struct sell_flags {
	bool past;  /* y may be written with non-temporal stores when beta is 0 */
	bool ahead; /* the arrays come from memory */
	bool far;   /* x is read from one place after another, and is fetched ahead */
};
#endif

/* Returns the row at place p of the order in which rows are stored. */
static inline int64_t FN(sell_row)(const ek_store *A, int64_t p)
{
	return A->len[SELL_PERM] ? ((const IDX *)A->array[SELL_PERM])[p] : p;
}

/* Returns the sum of the row at place p, from its entries alone. */
static VAL FN(sell_exact)(const ek_store *A, const VAL *x, int64_t p)
{
	const int64_t c = A->dim[SELL_C];
	const int64_t at = ((const PTR *)A->array[SELL_PTR])[p / c] + p % c;

	return FN(lane_exact)(A, x, at, c, ((const IDX *)A->array[SELL_LEN])[FN(sell_row)(A, p)]);
}

/* Finishes the rows at places p .. p + n - 1, n <= W, from their sums, some of which may be Inf or
 * NaN. */
static void FN(sell_finish_any)(const struct lane_run *s, int64_t p, int64_t n, vec sum)
{
	const VAL alpha = EK_SCALAR(s->v->alpha), beta = EK_SCALAR(s->v->beta);
	const VAL *y0 = s->v->y0.data;
	VAL *y = s->v->y.data, each[W];

	vstore(each, sum);
	for (int64_t r = 0; r < n; r++) {
		const int64_t i = FN(sell_row)(s->A, p + r);

		if (!EK_IS_FINITE(each[r]))
			each[r] = FN(sell_exact)(s->A, s->v->x.data, p + r);
		FN(finish_row)(each[r], alpha, beta, y0 + i, y + i);
	}
}

/* What it takes to write y. A loop over chunks holds it in registers. */
struct FN(sell_result) {
	const IDX *row; /* the row at each place, or NULL if that is the place */
	const VAL *y0;
	VAL *y, alpha, beta;
	bool past;
};

static inline struct FN(sell_result) FN(sell_result_of)(const struct lane_run *s)
{
	return (struct FN(sell_result)){
		.row = s->A->len[SELL_PERM] ? s->A->array[SELL_PERM] : NULL,
		.y0 = s->v->y0.data,
		.y = s->v->y.data,
		.alpha = EK_SCALAR(s->v->alpha),
		.beta = EK_SCALAR(s->v->beta),
		.past = s->past,
	};
}

/* Finishes the rows at places p .. p + W - 1 from their sums, all of which are finite. */
static inline __attribute__((always_inline)) void
FN(sell_finish_finite)(const struct FN(sell_result) * to, int64_t p, vec sum)
{
	if (to->row)
		FN(finish_rows_at)(sum, to->alpha, to->beta, to->y0, to->y, to->row + p);
	else if (to->past)
		vstream(to->y + p, vmul(vset1(to->alpha), sum));
	else
		FN(finish_rows)(sum, to->alpha, to->beta, to->y0 + p, to->y + p);
}

/* Finishes the rows at places p .. p + n - 1, n <= W, from their sums. */
static inline void FN(sell_finish)(const struct lane_run *s, int64_t p, int64_t n, vec sum)
{
	const struct FN(sell_result) to = FN(sell_result_of)(s);

	if (n < W || !vfinite(sum))
		FN(sell_finish_any)(s, p, n, sum);
	else
		FN(sell_finish_finite)(&to, p, sum);
}

/* Returns the sums of the W rows of a chunk of height W, whose entries are at places `at` to `end`.
 * Two vectors of sums hide the latency of the additions. With `ahead`, prefetches the entries. That
 * pays if they come from memory, and costs up to a quarter of the time if they are in a cache
 * (Zen 4, measured). With `far`, fetches x ahead, for entries of places up to `last` + 2 W. Both
 * are compile-time constants, so that the loop has no branch. */
static inline __attribute__((always_inline)) vec FN(sell_chunk)(const VAL *val, const IDX *col_idx,
                                                                const VAL *x, int64_t at,
                                                                int64_t end, const bool ahead,
                                                                const bool far, int64_t last)
{
	vec a = vzero(), b = vzero();

	for (; end - at >= 2 * W; at += 2 * W) {
		if (ahead) {
			EK_AHEAD(val + at);
			EK_AHEAD(val + at + W);
			EK_AHEAD(col_idx + at);
		}
		if (far)
			FN(far_fetch)(x, col_idx + eki_far_place(at, last), 2 * W);
		a = vfma(vload(val + at), vgather_inlined(x, col_idx + at), a);
		b = vfma(vload(val + at + W), vgather_inlined(x, col_idx + at + W), b);
	}
	if (at < end) {
		if (far)
			FN(far_fetch)(x, col_idx + eki_far_place(at, last), W);
		a = vfma(vload(val + at), vgather_inlined(x, col_idx + at), a);
	}
	return vadd(a, b);
}

/* Multiplies chunks of W rows. All that a chunk needs is held in registers, and what is rare is a
 * call: otherwise rows of four entries take up to 1.6 times as long (Zen 4, measured). `ahead` and
 * `far` are as above. */
static inline __attribute__((always_inline)) void FN(sell_chunks)(const struct lane_run *s,
                                                                  int64_t begin, int64_t end,
                                                                  const bool ahead, const bool far)
{
	const PTR *chunk_ptr = s->A->array[SELL_PTR];
	const IDX *col_idx = s->A->array[CSR_COL];
	const VAL *val = s->A->array[CSR_VAL], *x = s->v->x.data;
	const struct FN(sell_result) to = FN(sell_result_of)(s);
	const int64_t last = s->A->len[SELL_COL] - 2 * W;

	for (int64_t k = begin, at = chunk_ptr[k]; k < end; k++) {
		const int64_t next = chunk_ptr[k + 1];
		const vec sum = FN(sell_chunk)(val, col_idx, x, at, next, ahead, far, last);

		at = next;
		if (vfinite(sum))
			FN(sell_finish_finite)(&to, k * W, sum);
		else
			FN(sell_finish_any)(s, k * W, W, sum);
	}
}

/* Multiplies chunks of any height, the last of which may have fewer rows. */
static inline void FN(sell_any_chunks)(const struct lane_run *s, int64_t begin, int64_t end)
{
	const PTR *chunk_ptr = s->A->array[SELL_PTR];
	const int64_t c = s->A->dim[SELL_C];

	for (int64_t k = begin; k < end; k++) {
		const int64_t p = k * c, rows = sell_first(s->A, k + 1) - p;

		FN(lane_sums)(s, p, rows, c, chunk_ptr[k], chunk_ptr[k + 1], FN(sell_finish));
	}
}

/* Returns the end of those of chunks [begin, end) for which sell_chunks is. */
static inline int64_t FN(sell_full)(const ek_store *A, int64_t begin, int64_t end)
{
	if (A->dim[SELL_C] != W || begin == end)
		return begin;
	return end * W > A->rows ? end - 1 : end;
}

static void FN(sell_multiply)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const int64_t c = A->dim[SELL_C];
	const struct sell_flags *flags = v->aux;
	const bool aligned = (uintptr_t)v->y.data % sizeof(vec) == 0;
	const int64_t full = FN(sell_full)(A, begin, end);
	const struct lane_run s = {
		.A = A,
		.v = v,
		.past = flags->past && eki_is(v->beta, 0) && c % W == 0 && aligned,
		.x_ahead = flags->ahead,
		.ahead = flags->ahead,
	};

	if (full > begin && flags->far && A->len[SELL_COL] >= 2 * W)
		FN(sell_chunks)(&s, begin, full, true, true);
	else if (full > begin && flags->ahead)
		FN(sell_chunks)(&s, begin, full, true, false);
	else if (full > begin)
		FN(sell_chunks)(&s, begin, full, false, false);
	FN(sell_any_chunks)(&s, full, end);
	if (s.past)
		vstream_end();
	vleave();
}

#if EK_PER_TYPE

static void FN(sell_scatter)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                             int64_t first, void *to)
{
	const PTR *chunk_ptr = A->array[SELL_PTR];
	const IDX *len = A->array[SELL_LEN];
	const VAL *x = v->x.data, alpha = EK_SCALAR(v->alpha);
	const int64_t c = A->dim[SELL_C];

	for (int64_t p = sell_first(A, begin); p < sell_first(A, end); p++) {
		const int64_t i = FN(sell_row)(A, p);
		const int64_t at = chunk_ptr[p / c] + p % c;

		FN(lane_scatter)(A, at, c, len[i], alpha * x[i], first, to);
	}
}

#endif
#if EK_ONCE

/* Tells whether y is written with non-temporal stores when beta is 0. Such stores gain if a run
 * moves more bytes than half of the cache, or more than 64 MiB, and lose otherwise (measured). The
 * limit of 64 MiB is for large caches: many cores share them, so a process gets only a part. If
 * rows are sorted, such stores are never used. If rows are not sorted and even small work is cut
 * into parts (small_work = 0), as in tests, such stores are always used. */
static bool past_caches(const eki_step *step)
{
	const int64_t half = eki_cpu_cache() / 2, most = (int64_t)64 << 20;

	return !step->in[0]->len[SELL_PERM] &&
	       (!step->ctx->small_work || step->bytes > (half < most ? half : most));
}

static void span(const ek_store *A, int64_t begin, int64_t end, int64_t span[2])
{
	eki_span(A, SELL_COL, eki_ptr_at(A, begin), eki_ptr_at(A, end), span);
}

static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const multiply[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(sell_multiply);
	static eki_scatter_fn *const scatter[EK_NTYPE] = EK_BY_TYPE(sell_scatter);
	const ek_store *A = step->in[0];
	const int type = eki_type(A->value, A->index);
	struct sell_flags *flags;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *flags, &flags));
	*flags = (struct sell_flags){
		.past = past_caches(step),
		.ahead = eki_from_memory(step),
		.far = eki_far_apart(step, SELL_COL, EKI_FAR_PAGE),
	};
	step->aux = flags;
	/* Runs of op N do not read the lengths of the rows. */
	if (step->op[0] == EK_OP_N)
		step->bytes -= A->rows * (int64_t)eki_idx_size(A->index);
	return eki_drive_prepare(step, &(eki_drive){.units = sell_chunks(A),
	                                            .unit_ptr = A->array[SELL_PTR],
	                                            .rows = multiply[step->isa][type],
	                                            .scatter = scatter[type],
	                                            .span = span});
}

/* Predicts the time. One thread multiplies all of a chunk, so that a row which has a large share of
 * the entries keeps it busy for as long as its chunk takes, padding included. */
static double cost(const eki_features *f)
{
	const double rows = f->store ? (double)f->store->dim[SELL_C] : 1;
	const double places = rows * (double)f->stats.row_max;
	const bool sorted = f->store && f->store->dim[SELL_SIGMA] > 1;
	const size_t place = ek_value_size(f->value) + eki_idx_size(f->index);
	eki_features ahead = *f, one = *f;

	ahead.fetched = f->op == EK_OP_N;
	one.threads = 1;
	one.far_share = one.lost_share = 0;
	return fmax(eki_cost_units(&ahead, EKI_LOOP_CHUNKS) +
	                    sorted * f->machine->sorted_row * (double)f->stats.rows / f->threads,
	            eki_cost(&one, places * (double)place,
	                     eki_work(f, EKI_LOOP_CHUNKS, rows, places)));
}

const ek_method ek_spmv_sell = {
	.name = "spmv.sell",
	.text = "a lane for each row of a chunk, up to the longest of them",
	.source = "Kreutzer et al. 2014, section 4",
	.operation = EK_SPMV,
	.format = {&ek_format_sell},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.run = eki_drive_run,
};

#endif
