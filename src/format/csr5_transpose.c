/* SPDX-License-Identifier: BSD-3-Clause
 * Transposes the tiles of CSR5: the entry in lane l and step j of a tile moves from place l sigma +
 * j to place j omega + l, or back. Squares with as many rows and columns as a vector has lanes are
 * transposed in registers. Values are moved in their own type; column indices are moved as floats
 * if they have 4 bytes and as doubles if they have 8, since only their bits matter. If the result
 * replaces the input, each tile is first copied. */
#include <string.h>

#include "format/csr5_transpose.h"
#define EK_FILE "format/csr5_transpose.c"
#include "base/for_each.h"

/* Transposes `rows` x `cols` numbers, stored row by row in `from`, into `cols` x `rows` numbers in
 * `to`. */
static inline void FN(transpose_tile)(const VAL *from, VAL *to, int64_t rows, int64_t cols)
{
	int64_t r = 0;

	for (; r + W <= rows; r += W)
		for (int64_t c = 0; c < cols; c += W) {
			const int m = (int)(cols - c < W ? cols - c : W);
			vec t[W];

			vtranspose(from + r * cols + c, cols, m, t);
			for (int k = 0; k < m; k++)
				vstore(to + (c + k) * rows + r, t[k]);
		}
	for (; r < rows; r++)
		for (int64_t c = 0; c < cols; c++)
			memcpy(to + c * rows + r, from + r * cols + c, sizeof(VAL));
}

static void FN(csr5_transpose)(const csr5_shape *h, const void *from, void *to, int64_t begin,
                               int64_t end, bool back)
{
	const int64_t rows = back ? h->sigma : h->omega, cols = back ? h->omega : h->sigma;
	VAL copy[CSR5_MAX_OMEGA * CSR5_MAX_SIGMA];

	for (int64_t t = begin; t < end; t++) {
		const VAL *in = (const VAL *)from + t * h->tile;

		if (from == to) {
			memcpy(copy, in, (size_t)h->tile * sizeof *copy);
			in = copy;
		}
		FN(transpose_tile)(in, (VAL *)to + t * h->tile, rows, cols);
	}
}

#if EK_ONCE

typedef void transpose_fn(const csr5_shape *, const void *, void *, int64_t, int64_t, bool);

struct transpose_job {
	transpose_fn *fn;
	csr5_shape shape;
	const void *from;
	void *to;
	bool back;
	int parts;
};

static void transpose_part(void *arg, int part)
{
	const struct transpose_job *job = arg;

	job->fn(&job->shape, job->from, job->to, eki_cut(job->shape.tiles, job->parts, part),
	        eki_cut(job->shape.tiles, job->parts, part + 1), job->back);
}

void csr5_transpose(const ek_context *ctx, const ek_store *s, const void *from, void *to,
                    size_t size, bool back)
{
	static transpose_fn *const fn[EK_NISA][EK_NTYPE] = EK_BY_ISA_AND_TYPE(csr5_transpose);
	const csr5_shape h = csr5_shape_of(s);
	const size_t tiled = (size_t)(h.tiles * h.tile) * size;
	const ek_value type = size == ek_value_size(s->value) ? s->value
	                      : size == 8                     ? EK_F64
	                                                      : EK_F32;
	struct transpose_job job = {
		fn[ctx->isa][eki_type(type, EK_I32)], h, from, to, back, eki_parts(ctx, s->nnz)};

	eki_parallel(ctx, ctx->threads, job.parts, transpose_part, &job);
	if (from != to && h.tiles * h.tile < s->nnz)
		memcpy((char *)to + tiled, (const char *)from + tiled,
		       (size_t)s->nnz * size - tiled);
}

#endif
