/* SPDX-License-Identifier: BSD-3-Clause
 * SpMM on CSR by panels of up to 4 W columns. A is read once for each panel, and the sums for a row
 * of Y stay in registers. An entry costs a broadcast of its value and, for every W columns, a load
 * and a fused multiply-add. There are no gathers, since a row of a panel is contiguous. Entries are
 * added to two sets of sums in turn, which hides the latency of the additions.
 *
 * X is read in place if it is row-major and fits one panel. Otherwise each panel is copied to the
 * scratch of the run, where its rows are adjacent: rows far apart would compete for the same few
 * sets of a cache (measured: with the copy, 64 columns take 0.5 to 0.7 of the time). Y is written
 * in place, with non-temporal stores if it is large and made of whole cache lines. If it is
 * column-major, W rows at a time are transposed in registers. Each thread gets about the same
 * number of entries, even if that cuts rows (split.c). op T multiplies by a transposed copy.
 *
 * Memory traffic: A once for each panel, Y once, and X once or, if it is copied, three times.
 * Row-major panels are used as in Yang, Buluc, Owens 2018 (row splitting, merge-based cuts) and
 * Aktulga, Buluc, Williams, Yang 2014. */
#include "drive/split.h"
#define EK_FILE "spmm/csr_panels.c"
#include "base/for_each.h"

#ifndef EK_PANELS
#define EK_PANELS
enum {
	MOST = 4,        /* maximum number of SIMD vectors in a row of a panel */
	LINE = 64,       /* bytes of a cache line */
	BEYOND = 8 << 20 /* bytes of Y above which non-temporal stores are used */
};

/* State of the step. */
typedef struct panels {
	eki_transposed copy; /* transposed matrix, which runs use for op T */
	int64_t x;           /* offset of a copied panel of X in the scratch memory */
	int width;           /* number of columns in a panel */
} panels;
#endif

/* Multiplies entries [k, end) of a row of A by a panel whose rows are G SIMD vectors wide, and adds
 * up the products. If `whole` is false, the last vector has only the lanes in `last`. Always
 * inlined, so that G is a constant and the sums stay in registers. */
static inline __attribute__((always_inline)) void
FN(panel_sums)(const IDX *col_idx, const VAL *val, const VAL *x, int64_t row, int64_t k,
               int64_t end, const int G, bool whole, vmask last, vec sum[MOST])
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

/* Finishes rows [i, i + count) of a column-major Y. `sum` has MOST * W numbers for each row. It
 * stays a function of its own: inlined for each G, it would be most of the code of this file. */
static __attribute__((noinline)) void FN(panel_columns)(const eki_run *v, int64_t i, int count,
                                                        const VAL *sum)
{
	const vec alpha = vset1(EK_SCALAR(v->alpha));
	const VAL beta = EK_SCALAR(v->beta);
	const vmask m = vmask_n(count);
	VAL *y = (VAL *)v->y.data + i;

	for (int g = 0; g * W < v->width; g++) {
		vec column[W];

		vtranspose(sum + g * W, MOST * W, W, column);
		for (int j = 0; j < W && g * W + j < v->width; j++)
			FN(panel_finish)(column[j], alpha, beta, y + (g * W + j) * v->y.col, m);
	}
}

/* Tells whether Y is written with non-temporal stores. This is so if Y is not read, is large, and
 * is written in whole cache lines. */
static inline bool FN(panel_streams)(const ek_store *A, const eki_run *v)
{
	const size_t row = (size_t)v->y.row * sizeof(VAL), panel = (size_t)v->width * sizeof(VAL);
	const size_t at = (size_t)(uintptr_t)v->y.data;

	return eki_is(v->beta, 0) && v->y.col == 1 && v->width % W == 0 &&
	       (size_t)A->rows * row > BEYOND &&
	       (row == panel ? (at | row) % sizeof(vec) == 0 : (at | row | panel) % LINE == 0);
}

/* Multiplies rows [begin, end) of A by a panel whose rows are G SIMD vectors wide (up to G W
 * columns). */
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
	VAL sums[W * MOST * W] = {0}, *y = v->y.data;
	const bool stream = whole && FN(panel_streams)(A, v);
	int waiting = 0;

	for (int64_t i = begin; i < end; i++) {
		const int64_t k = row_ptr[i], stop = row_ptr[i + 1];
		VAL *to = y + i * v->y.row;
		vec sum[MOST];

		FN(panel_sums)(col_idx, val, x, v->x.row, k, stop, G, whole, last, sum);
		if (stream) {
			EK_UNROLL
			for (int g = 0; g < G; g++)
				vstream(to + g * W, vmul(alpha, sum[g]));
			continue;
		}
		if (v->y.col == 1) {
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
		if (++waiting == W || i + 1 == end) {
			FN(panel_columns)(v, i + 1 - waiting, waiting, sums);
			waiting = 0;
		}
	}
	if (stream)
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

		FN(panel_sums)(col_idx, val, x + j, v->x.row, begin, end, 1, false, m, sum);
		vstore_n((VAL *)result + j, sum[0], m);
	}
}

/* Copies rows [begin, end) of the block v->x, which has up to MOST * W columns, to the panel v->y.
 * Columns of the panel that the block lacks are not written. The panel bypasses the caches if it is
 * too `large` to stay in the last of them. */
static void FN(panel_pack)(const eki_run *v, int64_t begin, int64_t end, bool large)
{
	const VAL *x = v->x.data;
	VAL *to = v->y.data;
	const int64_t whole = v->width / W * W, row = v->y.row;
	const bool stream = large && whole == row;
	int64_t i = begin;

	for (; i + W <= end; i += W)
		for (int64_t g = 0; g < whole; g += W) {
			vec r[W];

			if (v->x.col == 1) {
				EK_UNROLL
				for (int k = 0; k < W; k++)
					r[k] = vload(x + (i + k) * v->x.row + g);
			} else {
				vtranspose(x + i + g * v->x.col, v->x.col, W, r);
			}
			EK_UNROLL
			for (int k = 0; k < W; k++)
				if (stream)
					vstream(to + (i + k) * row + g, r[k]);
				else
					vstore(to + (i + k) * row + g, r[k]);
		}
	for (int64_t j = 0; j < v->width; j++)
		for (int64_t k = j < whole ? i : begin; k < end; k++)
			to[k * row + j] = x[k * v->x.row + j * v->x.col];
	if (stream)
		vstream_end();
}

#if EK_ONCE

typedef void pack_fn(const eki_run *, int64_t, int64_t, bool);

/* Returns the width of a panel in columns. With that width there are as few panels as possible, all
 * of nearly the same width. */
static int panel_width(int64_t width, int64_t lanes)
{
	const int64_t count = eki_groups(width, MOST * lanes);

	return (int)(eki_groups(eki_groups(width, count), lanes) * lanes);
}

static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(panel);
	static eki_dot_fn *const dot[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(panel_dot);
	const ek_store *A = step->in[0];
	const int type = eki_type(A->value, A->index);
	panels *p;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *p, &p));
	*p = (panels){.width = panel_width(step->problem->width, eki_lanes(step->isa, A->value))};
	if (step->op[0] == EK_OP_T)
		EK_RETURN_IF(eki_step_transpose(step, &p->copy));
	EK_RETURN_IF(eki_step_scratch(step, eki_times(step->x_len, p->width),
	                              ek_value_size(A->value), &p->x));
	EK_RETURN_IF(eki_split_prepare_wide(step, EKI_SPLIT_NNZ, p->width, rows[step->isa][type],
	                                    dot[step->isa][type]));
	step->aux = p;
	return EK_OK;
}

static ek_status refresh(eki_step *step)
{
	panels *p = step->aux;

	if (step->in[0] == &p->copy.store)
		eki_transposed_refresh(step, &p->copy);
	return EK_OK;
}

struct pack_job {
	const eki_run *v; /* run in which x is the block to copy, and y is the panel */
	int64_t rows;
	int parts;
	pack_fn *pack;
	bool large; /* whether the panel is too large for the last-level cache */
};

static void pack_part(void *arg, int part)
{
	const struct pack_job *job = arg;

	job->pack(job->v, eki_cut(job->rows, job->parts, part),
	          eki_cut(job->rows, job->parts, part + 1), job->large);
}

/* Copies the columns of X in run `v` to the scratch memory, in row-major order, and makes the run
 * read the copies. */
static void pack(const eki_step *step, const panels *p, eki_run *v)
{
	static pack_fn *const fn[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(panel_pack);
	const ek_store *A = step->in[0];
	const int64_t skip = A->base * (int64_t)ek_value_size(A->value);
	const eki_dense to = {.data = v->scratch + p->x, .row = p->width, .col = 1};
	const int64_t bytes = step->x_len * p->width * (int64_t)ek_value_size(A->value);
	eki_run from = {.x = v->x, .y = to, .width = v->width};

	from.x.data = (char *)v->x.data + skip * v->x.row;
	eki_parallel(step->ctx, step->threads, step->parts, pack_part,
	             &(struct pack_job){&from, step->x_len, step->parts,
	                                fn[step->isa][eki_type(A->value, A->index)],
	                                bytes > eki_cpu_cache() / 2});
	v->x = to;
	v->x.data = (char *)to.data - skip * p->width;
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const panels *p = step->aux;

	if (v->width == 1 || (v->x.col == 1 && v->width <= p->width))
		return eki_split_run(step, v);
	for (int64_t j = 0; j < v->width; j += p->width) {
		eki_run part = eki_run_columns(v, ek_value_size(step->in[0]->value), j,
		                               v->width - j < p->width ? v->width - j : p->width);

		pack(step, p, &part);
		EK_RETURN_IF(eki_split_run(step, &part));
	}
	return EK_OK;
}

/* Predicts the time. Each panel reads A again. An entry of A takes the time `entry` for each panel,
 * plus the time `vector` for each SIMD vector of columns. */
static double cost(const eki_features *f)
{
	const eki_panel_speed *v = &f->machine->panel[eki_isa_row(f->isa)];
	const int64_t lanes = eki_lanes(f->isa, f->value);
	const double vectors = (double)eki_groups(f->width, lanes);
	const double count = (double)eki_groups(f->width, MOST * lanes);
	const double nnz = (double)f->stats.nnz, size = (double)ek_value_size(f->value);
	const double copied = (double)f->width * (double)f->stats.cols * size;
	const double again = (count - 1) * nnz * (size + sizeof(int32_t));
	const double transposed =
		f->op == EK_OP_T ? f->machine->transpose_entry * nnz / (double)f->calls : 0;
	const double work = count * ((double)f->stats.rows * v->row + nnz * v->entry) +
	                    vectors * nnz * v->vector;

	return eki_cost(f, f->csr_bytes + copied + again, work) + transposed;
}

static double memory(const eki_features *f)
{
	return f->op == EK_OP_T ? eki_transposed_bytes(f) : 0;
}

const ek_method ek_spmm_csr_panels = {
	.name = "spmm.csr.panels",
	.text = "A read once for a panel of columns, SIMD across columns, the same number of "
		"nonzeros for each thread",
	.source = "Yang, Buluc and Owens 2018; Aktulga et al. 2014",
	.operation = EK_SPMM,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_BASE1_N,
	.cost = cost,
	.memory = memory,
	.prepare = prepare,
	.refresh = refresh,
	.run = run,
};

#endif
