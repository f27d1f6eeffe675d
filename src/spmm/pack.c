/* SPDX-License-Identifier: BSD-3-Clause
 * Copies columns of a dense block to a panel with adjacent rows. Column-major blocks are transposed in
 * registers, W rows and W columns at a time. A panel that no cache can hold is written with
 * non-temporal stores. Cost: the columns are read once, and written once. */
#include "spmm/pack.h"
#define EK_FILE "spmm/pack.c"
#include "base/for_each.h"

static void FN(pack)(const eki_run *v, int64_t begin, int64_t end, bool stream)
{
	const VAL *x = v->x.data;
	VAL *to = v->y.data;
	const int64_t whole = v->width / W * W, row = v->y.row;
	int64_t i = begin;

	stream = stream && whole == row;
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

eki_pack_fn *const eki_pack[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(pack);

struct pack_job {
	const eki_run *v; /* run in which x is the block to copy, and y is the panel */
	int64_t rows;
	int parts;
	bool stream;
	eki_pack_fn *pack;
};

static void pack_part(void *arg, int part)
{
	const struct pack_job *job = arg;

	job->pack(job->v, eki_cut(job->rows, job->parts, part),
	          eki_cut(job->rows, job->parts, part + 1), job->stream);
}

void eki_pack_all(const eki_step *step, char *panel, int64_t width, eki_run *v)
{
	const ek_store *A = step->in[0];
	const int64_t size = (int64_t)ek_value_size(A->value), skip = A->base * size;
	const eki_dense to = {.data = panel, .row = width, .col = 1};
	eki_run from = {.x = v->x, .y = to, .width = v->width};
	struct pack_job job = {.v = &from,
	                       .rows = step->x_len,
	                       .parts = step->parts,
	                       .stream = step->x_len * width * size > eki_cpu_cache() / 2,
	                       .pack = eki_pack[step->isa][eki_type(A->value, A->index)]};

	from.x.data = (char *)v->x.data + skip * v->x.row;
	eki_parallel(step->threads, step->parts, pack_part, &job);
	v->x = to;
	v->x.data = (char *)to.data - skip * width;
}

#endif
