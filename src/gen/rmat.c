/* SPDX-License-Identifier: BSD-3-Clause
 * Generator of R-MAT graphs (Chakrabarti, Zhan, Faloutsos, SIAM Data Mining 2004). Each edge falls
 * into one of the four quadrants of the matrix with probabilities a, b, c and d = 1 - a - b - c,
 * then into a quadrant of that quadrant, and so on. If shuffle is 1, vertices are then renamed by a
 * bijection, so that vertices of high degree do not crowd at low numbers. If an edge occurs several
 * times, it is kept only once, so the matrix has fewer than factor * 2^scale entries.
 *
 * Edges are independent of each other, so they are made in parallel and then assembled. */
#include "gen/gen.h"

enum { SCALE, FACTOR, A, B, C, SHUFFLE };
enum { EDGE_PARTS = 256 }; /* number of parts; it does not depend on the number of threads */

struct edge_job {
	const eki_gen *g;
	int64_t edges;
	ek_index index;
	void *row, *col;
};

/* Returns the new name of vertex v. The map of 0 .. 2^scale - 1 onto itself is one to one, because
 * multiplications by odd numbers, additions and xors with right shifts can all be undone. */
static uint64_t rename_vertex(uint64_t v, int scale, uint64_t seed)
{
	uint64_t mask = (UINT64_C(1) << scale) - 1, key = eki_mix(seed + 1);

	for (int round = 0; round < 4; round++) {
		v = (v * (key | 1) + (key >> 32)) & mask;
		v ^= v >> (scale / 2 + 1);
		key = eki_mix(key);
	}
	return v;
}

static void edge_part(void *arg, int part)
{
	const struct edge_job *job = arg;
	const eki_gen *g = job->g;
	double a = g->param[A], ab = a + g->param[B], abc = ab + g->param[C];
	int scale = (int)g->param[SCALE];
	int64_t end = eki_cut(job->edges, EDGE_PARTS, part + 1);

	for (int64_t e = eki_cut(job->edges, EDGE_PARTS, part); e < end; e++) {
		uint64_t rng = eki_rng(g, EKI_RNG_OTHER, e), row = 0, col = 0;

		for (int bit = 0; bit < scale; bit++) {
			double u = eki_rng_unit(&rng);

			row = row << 1 | (u >= ab);
			col = col << 1 | ((u >= a && u < ab) || u >= abc);
		}
		if (g->param[SHUFFLE] > 0) {
			row = rename_vertex(row, scale, g->seed);
			col = rename_vertex(col, scale, g->seed);
		}
		if (job->index == EK_I64) {
			((int64_t *)job->row)[e] = (int64_t)row;
			((int64_t *)job->col)[e] = (int64_t)col;
		} else {
			((int32_t *)job->row)[e] = (int32_t)row;
			((int32_t *)job->col)[e] = (int32_t)col;
		}
	}
}

static ek_status rmat_setup(eki_gen *g)
{
	g->rows = g->cols = INT64_C(1) << (int)g->param[SCALE];
	if (g->param[A] + g->param[B] + g->param[C] > 1)
		return eki_gen_bad(g, A, "a share that makes at most 1 with b and c");
	return EK_OK;
}

static ek_status rmat_build(const eki_gen *g, ek_value value, ek_index index, ek_store *csr)
{
	struct edge_job job = {
		.g = g, .edges = (int64_t)(g->param[FACTOR] * (double)g->rows), .index = index};
	size_t isize = eki_idx_size(index), vsize = ek_value_size(value);
	void *val = NULL;
	ek_status status;

	if (job.edges >= eki_ptr_max(index))
		return eki_fail(EK_EOVERFLOW, "rmat: %lld edges do not fit the index type %s",
		                (long long)job.edges, ek_index_name(index));
	EK_TRY(eki_alloc(g->ctx, job.edges, isize, &job.row));
	EK_TRY(eki_alloc(g->ctx, job.edges, isize, &job.col));
	EK_TRY(eki_calloc(g->ctx, job.edges, vsize, &val));
	eki_parallel(g->ctx, g->ctx->threads, EDGE_PARTS, edge_part, &job);
	EK_TRY(eki_assemble(g->ctx, value, index, g->rows, g->cols, job.edges, job.row, job.col,
	                    val, EK_DUP_LAST, csr, NULL));
done:
	eki_free(g->ctx, job.row, job.edges, isize);
	eki_free(g->ctx, job.col, job.edges, isize);
	eki_free(g->ctx, val, job.edges, vsize);
	return status;
}

const ek_generator eki_gen_rmat = {
	.name = "rmat",
	.text = "R-MAT graph of 2^scale vertices, about factor edges for each, renamed if "
		"shuffle=1",
	.example = "rmat:scale=18,factor=16,a=0.57,b=0.19,c=0.19,shuffle=1,seed=1,values=real",
	.limit = {{"scale", 0, 40, false},
                  {"factor", 0, 1000, true},
                  {"a", 0, 1, true},
                  {"b", 0, 1, true},
                  {"c", 0, 1, true},
                  {"shuffle", 0, 1, false}},
	.setup = rmat_setup,
	.build = rmat_build,
};
