/* SPDX-License-Identifier: BSD-3-Clause
 * SpMM on CSR by panels of up to 4 W columns. A is read once for each panel, and the sums for a row
 * of Y stay in registers. An entry costs a broadcast of its value and, for every W columns, a load
 * and a fused multiply-add. There are no gathers, since a row of a panel is contiguous. Entries are
 * added to two sets of sums in turn, which hides the latency of the additions.
 *
 * X is read in place if it is row-major and fits one panel. Otherwise it is copied to the scratch of
 * the run, where the rows of a panel are adjacent: rows far apart would compete for the same few sets
 * of a cache (measured: with the copy, 64 columns take 0.5 to 0.7 of the time). If X is large and the
 * matrix allows it, each thread copies only a window of it, which stays in the cache (window.c);
 * otherwise all of a panel is copied first. If many entries are far from each other, their rows of X
 * are prefetched.
 *
 * Y is written in place. If it is column-major, W rows at a time are transposed in registers. If it is
 * large and not read, it is written with non-temporal stores: by rows that are made of whole cache
 * lines, or by pieces of columns, which are collected first. Each thread gets about the same number of
 * entries, even if that cuts rows (split.c). op T multiplies with a transposed copy.
 *
 * Memory traffic: A once for each panel, Y once, and X once or, if whole panels are copied and do not
 * stay in a cache, three times. Row-major panels are used as in Yang, Buluc, Owens 2018 (row splitting,
 * merge-based cuts) and Aktulga, Buluc, Williams, Yang 2014. */
#include "drive/split.h"
#include "spmm/pack.h"
#include "spmm/window.h"
#define EK_FILE "spmm/csr_panels.c"
#include "base/for_each.h"

#include "drive/finish.h"
#include "spmm/panel.h"

#ifndef EK_TOGETHER
#define EK_TOGETHER
enum {
	TOGETHER = 16384, /* maximum number of entries for which a window moves once */
	BEYOND = 8 << 20  /* bytes of Y above which non-temporal stores are used, except in tests */
};
#endif

/* Finds the rows [begin, *end) of A that are multiplied with the next window, at least one chunk.
 * Returns the rows of X that they need. These may be more than the window has room for if it is one
 * chunk. */
static eki_span FN(panel_next)(const ek_store *A, const eki_window *w, int64_t begin, int64_t *end)
{
	const PTR *row_ptr = A->array[CSR_PTR];
	eki_span need = {A->cols + 1, 0};
	int64_t i = begin;

	while (i < *end) {
		const int64_t next = *end - i < EKI_CHUNK ? *end : i + EKI_CHUNK;
		const eki_span more = EK_PASS_OF(eki_span_of)(A, row_ptr[i], row_ptr[next]);
		const eki_span both = eki_span_join(need, more);

		if (i > begin &&
		    (both.high - both.low > w->room || row_ptr[next] - row_ptr[begin] > TOGETHER))
			break;
		need = both;
		i = next;
		if (need.high - need.low > w->room)
			break;
	}
	*end = i;
	return need;
}

/* Multiplies rows [begin, end) of A by a block X, windows of which are packed. */
static void FN(panel_windows)(const ek_store *A, const eki_run *v, int64_t begin, int64_t end)
{
	const panels *p = v->aux;
	eki_window w = {.room = p->room, .width = p->width};
	int part = 0;

	if (v->width == 1 || (v->x.col == 1 && v->x.row <= 2 * p->width)) {
		FN(panel)(A, v, begin, end);
		return;
	}
	while (p->first[part] != begin)
		part++;
	w.buffer = v->scratch + p->x + part * p->room * p->width * (int64_t)sizeof(VAL);
	for (int64_t i = begin, next; i < end; i = next) {
		next = end;
		const eki_span need = FN(panel_next)(A, &w, i, &next);
		eki_run block = *v;

		if (need.high - need.low > w.room) {
			FN(panel_far_rows)(A, v, i, next);
			continue;
		}
		if (need.low < need.high)
			eki_window_move(&w, A, EK_ISA_OF_PASS, v, need);
		block.x = (eki_dense){.data = (VAL *)(void *)w.buffer - w.span.low * p->width,
		                      .row = p->width,
		                      .col = 1};
		FN(panel)(A, &block, i, next);
	}
}

#if EK_ONCE

/* Returns the width of a panel in columns. With that width there are as few panels as possible, all
 * of nearly the same width. */
static int panel_width(int64_t width, int64_t lanes)
{
	const int64_t count = eki_groups(width, MOST * lanes);

	return (int)(eki_groups(eki_groups(width, count), lanes) * lanes);
}

/* Reserves windows for all parts, and finds the rows with which the parts begin. */
static ek_status prepare_windows(eki_step *step, panels *p)
{
	EK_RETURN_IF(eki_step_alloc(step, step->parts, sizeof *p->first, &p->first));
	for (int part = 0; part < step->parts; part++) {
		int64_t begin, end;

		eki_split_whole(step, part, &begin, &end);
		p->first[part] = begin < end ? begin : -1;
	}
	return eki_step_scratch(step, eki_times(step->parts * p->room, p->width),
	                        ek_value_size(step->in[0]->value), &p->x);
}

/* Tells whether many entries need rows of X that are not in the cache. */
static bool many_far(const eki_step *step, int width)
{
	const ek_store *A = step->in[0];
	const double x = (double)A->cols * width * (double)ek_value_size(A->value);
	eki_features f = {.far_share = 0};

	if (!step->ctx->small_work) /* as in tests */
		return A->rows > EKI_CHUNK;
	if (x < step->ctx->machine->core_bytes)
		return false;
	eki_sample_shapes(A, &f);
	return f.far_share > 0.05;
}

static ek_status prepare(eki_step *step)
{
	static eki_rows_fn *const rows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(panel);
	static eki_rows_fn *const windows[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(panel_windows);
	static eki_dot_fn *const dot[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(panel_dot);
	const int type = eki_type(step->in[0]->value, step->in[0]->index);
	panels *p;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *p, &p));
	*p = (panels){.width = panel_width(step->problem->width,
	                                   eki_lanes(step->isa, step->in[0]->value))};
	if (step->op[0] == EK_OP_T)
		EK_RETURN_IF(eki_step_transpose(step, &p->copy));
	p->beyond = step->ctx->small_work ? BEYOND : 0;
	p->far = many_far(step, p->width);
	p->room = eki_window_room(step, p->width);
	EK_RETURN_IF(eki_split_prepare_wide(step, EKI_SPLIT_NNZ, p->width,
	                                    (p->room ? windows : rows)[step->isa][type],
	                                    dot[step->isa][type]));
	step->aux = p;
	if (p->room)
		return prepare_windows(step, p);
	return eki_step_scratch(step, eki_times(step->x_len, p->width),
	                        ek_value_size(step->in[0]->value), &p->x);
}

static ek_status refresh(eki_step *step)
{
	panels *p = step->aux;

	if (step->in[0] == &p->copy.store)
		eki_transposed_refresh(step, &p->copy);
	return EK_OK;
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const panels *p = step->aux;

	if (p->room || v->width == 1 || (v->x.col == 1 && v->width <= p->width))
		return eki_split_run(step, v);
	for (int64_t j = 0; j < v->width; j += p->width) {
		eki_run part = eki_run_columns(v, ek_value_size(step->in[0]->value), j,
		                               v->width - j < p->width ? v->width - j : p->width);

		eki_pack_all(step, v->scratch + p->x, p->width, &part);
		EK_RETURN_IF(eki_split_run(step, &part));
	}
	return EK_OK;
}

/* Predicts the time. Each panel reads A again. An entry of A takes the time `entry` for each panel,
 * plus the time `vector` for each SIMD vector of columns. */
static double cost(const eki_features *f)
{
	const eki_panel_speed *v = &f->machine->panel[f->isa];
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
