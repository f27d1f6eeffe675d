/* SPDX-License-Identifier: BSD-3-Clause
 * Transposes a CSR matrix by counting. The entries are cut into equal parts, and each part counts
 * its entries in each column. A prefix sum over columns and parts turns the counts into positions,
 * to which each part scatters its entries. "transpose.csr.serial", the reference, has one part,
 * which is the counting sort of Gustavson 1978; "transpose.csr.scan" has one for each thread. The
 * sort is stable: the entries of a column are in the order of the rows, and duplicates keep their
 * order.
 *
 * Cost: column indices are read twice and values once, row indices and values are written once;
 * there are parts * columns counters, so the number of parts is limited by the average number of
 * entries in a column. If the columns of nearby rows are far apart, each entry is written to two
 * cache lines that are in no cache. Source: Wang, Liu, Hou, Feng 2016, section 4.1 (ScanTrans). */
#include "prim/counters.h"
#include "transpose/transpose.h"
#define EK_TYPES_ONLY
#define EK_FILE "transpose/csr_scan.c"
#include "base/for_each.h"

#if EK_PER_TYPE

static void FN(flip_count)(const ek_store *in, int64_t begin, int64_t end, void *counter)
{
	const IDX *col_idx = in->array[CSR_COL];
	PTR *count = counter;

	for (int64_t k = begin; k < end; k++)
		count[col_idx[k]]++;
}

/* Scatters entries [begin, end), where begin < end. `rows` and `from` say what to write besides the
 * values, and are constants in each call. */
static inline void FN(flip_entries)(const eki_flip *f, int64_t begin, int64_t end, PTR *at,
                                    bool rows, bool from)
{
	const PTR *row_ptr = f->in->array[CSR_PTR];
	const IDX *col_idx = f->in->array[CSR_COL];
	const VAL *val = f->in->array[CSR_VAL];
	IDX *out_idx = f->out->array[CSR_COL];
	VAL *out_val = f->out->array[CSR_VAL];
	PTR *out_from = f->from;
	int64_t k = begin;

	for (int64_t i = eki_row_of(f->in, begin); k < end; i++)
		for (const int64_t stop = row_ptr[i + 1] < end ? row_ptr[i + 1] : end; k < stop;
		     k++) {
			const PTR p = at[col_idx[k]]++;

			if (rows)
				out_idx[p] = (IDX)i;
			if (from)
				out_from[p] = (PTR)k;
			out_val[p] = val[k];
		}
}

static void FN(flip_scatter)(const eki_flip *f, int64_t begin, int64_t end, void *counter)
{
	if (f->values)
		FN(flip_entries)(f, begin, end, counter, false, false);
	else if (f->from)
		FN(flip_entries)(f, begin, end, counter, true, true);
	else
		FN(flip_entries)(f, begin, end, counter, true, false);
}

#endif
#if EK_ONCE

enum { MOST_PARTS = 63 };

struct scan {
	const eki_flip *flip;
	int parts;
	eki_counters counters;
};

static void count_part(void *arg, int part)
{
	static void (*const count[])(const ek_store *, int64_t, int64_t, void *) =
		EK_BY_TYPE(flip_count);
	const struct scan *s = arg;
	const ek_store *in = s->flip->in;

	count[eki_type(in->value, in->index)](in, eki_cut(in->nnz, s->parts, part),
	                                      eki_cut(in->nnz, s->parts, part + 1),
	                                      eki_counters_clear(&s->counters, part));
}

static void scatter_part(void *arg, int part)
{
	static void (*const scatter[])(const eki_flip *, int64_t, int64_t, void *) =
		EK_BY_TYPE(flip_scatter);
	const struct scan *s = arg;
	const ek_store *in = s->flip->in;
	const int64_t begin = eki_cut(in->nnz, s->parts, part),
		      end = eki_cut(in->nnz, s->parts, part + 1);

	if (begin < end)
		scatter[eki_type(in->value, in->index)](s->flip, begin, end,
		                                        eki_counters_of(&s->counters, part));
}

int eki_scan_parts(const ek_store *in, int parts)
{
	parts = parts < MOST_PARTS ? parts : MOST_PARTS;
	while (parts > 1 && in->cols > in->nnz / parts)
		parts--;
	return parts;
}

int64_t eki_scan_bytes(const ek_store *in, int parts, bool values)
{
	const int64_t own = eki_times(in->cols, parts - 1);

	return eki_times(values ? eki_plus(own, eki_plus(in->cols, 1)) : own,
	                 (int64_t)eki_ptr_size(in->index));
}

void eki_scan_flip(const eki_flip *flip, int parts, void *scratch)
{
	const ek_store *in = flip->in;
	struct scan s = {.flip = flip,
	                 .parts = parts,
	                 .counters = {.n = in->cols,
	                              .size = eki_ptr_size(in->index),
	                              .parts = parts,
	                              .own = parts > 1 ? scratch : NULL,
	                              .begin = flip->out->array[CSR_PTR]}};

	if (flip->values)
		s.counters.begin =
			(char *)scratch + (size_t)eki_counters_len(&s.counters) * s.counters.size;
	if (in->cols > 0)
		eki_parallel(flip->ctx, flip->threads, parts, count_part, &s);
	eki_counters_scan(flip->ctx, &s.counters, flip->threads);
	eki_parallel(flip->ctx, flip->threads, parts, scatter_part, &s);
}

/* ---- The methods ----------------------------------------------------------------------------- */

typedef struct state {
	int64_t at; /* counters in the scratch of a run */
} state;

static ek_status prepare(eki_step *step)
{
	const bool serial = step->method->traits & EKI_SERIAL;
	const ek_store *in = step->in[0];
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	step->state = s;
	step->threads = serial ? 1 : step->threads;
	step->parts = eki_scan_parts(in, eki_flip_parts(step->ctx, in, step->threads));
	return eki_step_scratch(step, eki_scan_bytes(in, step->parts, true), 1, &s->at);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	eki_flip flip;

	EK_RETURN_IF(eki_flip_begin(step, v, &flip));
	eki_scan_flip(&flip, step->parts, v->scratch + s->at);
	return EK_OK;
}

/* Returns the bytes of the counters. */
static double memory(const eki_features *f)
{
	const double all = (double)f->stats.cols * f->threads, nnz = (double)f->stats.nnz;
	const double most = nnz > (double)f->stats.cols ? nnz : (double)f->stats.cols;

	return (all < most ? all : most) * (double)eki_ptr_size(f->index);
}

double eki_scan_cost(const eki_features *f)
{
	const double nnz = (double)f->stats.nnz, idx = (double)eki_idx_size(f->index);
	const double entry = idx + (double)ek_value_size(f->value);
	const double bytes = nnz * (idx + 3 * entry) +
	                     6 * (double)f->stats.cols * (double)eki_ptr_size(f->index);
	/* the share of the places in C that are in no cache */
	const double away = nnz * entry / (nnz * entry + (double)eki_cpu_cache());
	const double far = f->machine->scatter_far * f->far_share * away;

	return (bytes / f->machine->memory_gbps + nnz * (f->machine->scatter_entry + far)) /
	               f->threads +
	       (f->threads > 1 ? 3 * f->machine->wake : 0);
}

const ek_method ek_transpose_csr_serial = {
	.name = "transpose.csr.serial",
	.text = "counting sort by column, one thread: the reference",
	.source = "Gustavson 1978",
	.operation = EK_TRANSPOSE,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_STRICT | EKI_SERIAL,
	.prepare = prepare,
	.run = run,
};

const ek_method ek_transpose_csr_scan = {
	.name = "transpose.csr.scan",
	.text = "each thread counts its entries by column; scanned counters are positions",
	.source = "Wang, Liu, Hou, Feng 2016, section 4.1 (ScanTrans)",
	.operation = EK_TRANSPOSE,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_STRICT,
	.cost = eki_scan_cost,
	.memory = memory,
	.prepare = prepare,
	.run = run,
};

#endif
