/* SPDX-License-Identifier: BSD-3-Clause
 * The method "transpose.csr.radix" goes through buckets of columns (radix.c), which are found when
 * the plan is made (radix_make.c). If the columns are too many for buckets, or a few of them have
 * most of the entries and stores go to few places anyway, it counts like "transpose.csr.scan". */
#include "transpose/radix.h"

typedef struct state {
	eki_radix radix;
	int64_t at; /* scratch of a run */
} state;

static void own_tables(eki_step *step, const eki_radix *r)
{
	eki_step_own(step, r->bucket_of, r->ranges * (int64_t)sizeof *r->bucket_of);
	eki_step_own(step, r->column, (r->ranges + 1) * (int64_t)sizeof *r->column);
	eki_step_own(step, r->begin, (r->buckets * r->parts + 1) * (int64_t)sizeof *r->begin);
}

static ek_status prepare(eki_step *step)
{
	const ek_store *in = step->in[0];
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	step->state = s;
	step->parts = eki_flip_parts(step->ctx, in, step->threads);
	EK_RETURN_IF(eki_step_reserve(step, 3));
	EK_RETURN_IF(eki_radix_make(step->ctx, in, step->parts, INT64_MAX, &s->radix));
	if (s->radix.buckets) {
		own_tables(step, &s->radix);
		return eki_step_scratch(step, eki_radix_bytes(&s->radix, in, false), 1, &s->at);
	}
	step->parts = eki_scan_parts(in, step->parts);
	EK_RETURN_IF(eki_step_say(step, "no buckets fit the columns; entries are counted\n"));
	return eki_step_scratch(step, eki_scan_bytes(in, step->parts, true), 1, &s->at);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	eki_flip flip;

	EK_RETURN_IF(eki_flip_begin(step, v, &flip));
	if (s->radix.buckets)
		eki_radix_flip(&flip, &s->radix, v->scratch + s->at);
	else
		eki_scan_flip(&flip, step->parts, v->scratch + s->at);
	return EK_OK;
}

double eki_radix_memory(const eki_features *f)
{
	return 2 * (double)f->stats.nnz + f->threads * f->machine->core_bytes;
}

double eki_radix_cost(const eki_features *f)
{
	const double nnz = (double)f->stats.nnz, idx = (double)eki_idx_size(f->index);
	const double entry = idx + (double)ek_value_size(f->value);
	const double bytes = nnz * (idx + 5 * entry + 4) +
	                     2 * (double)f->stats.cols * (double)eki_ptr_size(f->index);

	return (bytes / f->machine->memory_gbps + nnz * f->machine->radix_entry) / f->threads +
	       (f->threads > 1 ? 3 * f->machine->wake : 0);
}

const ek_method ek_transpose_csr_radix = {
	.name = "transpose.csr.radix",
	.text = "buckets of columns, filled by whole cache lines and sorted in cache",
	.source = "this library; Satish et al. 2010 (write-combining buffers)",
	.operation = EK_TRANSPOSE,
	.format = {&ek_format_csr},
	.backend = EKI_CPU,
	.traits = EKI_OP_N | EKI_STRICT,
	.cost = eki_radix_cost,
	.memory = eki_radix_memory,
	.prepare = prepare,
	.run = run,
};
