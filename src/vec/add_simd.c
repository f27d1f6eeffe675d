/* SPDX-License-Identifier: BSD-3-Clause
 * The addition of two sparse vectors in registers, a block at a time: the values of the block are
 * multiplied by their factors, a merge network merges the entries of x with those of y
 * (eki_merge_run), and a compression adds up neighbours with equal indices. All of it stays in the
 * first-level cache, and no branch depends on the indices. A search on a diagonal finds the next
 * block; a block never ends between two equal indices. Which of two equal indices comes first
 * depends on the network, but a sum of two numbers does not depend on their order.
 *
 * Cost: one read of x and y and one write of z, and some passes over each block.
 *
 * Chhugani et al. 2008, for the merge. */
#include <string.h>

#include "prim/merge.h"
#include "prim/network.h"
#include "vec/simd.h"

/* What kernels need for a block. */
typedef struct block {
	const eki_array *a;
	size_t is, vs; /* bytes of an index, and of a value */
	int64_t val[EKI_BLOCK + EKI_BLOCK_PAD];
	int64_t idx[EKI_BLOCK + EKI_BLOCK_PAD], sum[EKI_BLOCK + EKI_BLOCK_PAD];
	eki_block_bits bits;
} block;

static int64_t index_at(const void *idx, int64_t k, size_t size)
{
	return size == 8 ? ((const int64_t *)idx)[k] : ((const int32_t *)idx)[k];
}

/* Adds the first p entries of x and the first q of y in `t`. Returns the number of entries
 * written. */
static int64_t add_block(block *b, const eki_two *t, int64_t p, int64_t q, int64_t space)
{
	const eki_array *a = b->a;
	const int wide = b->is == 8, value = eki_value_row(a->type);
	char *xv = (char *)b->val, *yv = xv + (size_t)p * b->vs;
	int64_t count;

	eki_block_scale[a->isa][value](t->alpha, t->xv, p, xv);
	eki_block_scale[a->isa][value](t->beta, t->yv, q, yv);
	eki_merge_run[a->isa][wide][b->vs / 4](p, t->xi, xv, q, t->yi, yv, b->idx, b->sum, 0);
	count = eki_block_indices[a->isa][wide](b->idx, p + q, &b->bits, t->zi, space);
	eki_block_values[a->isa][value](b->sum, p + q, &b->bits, t->zv, space);
	return count;
}

static int64_t add_blocks(const eki_two *given)
{
	const eki_array *a = given->array;
	const eki_array keys = {.type = a->x.index};
	block b = {.a = a, .is = ek_value_size(a->x.index), .vs = ek_value_size(a->type)};
	const int64_t space = given->xn + given->yn;
	eki_two t = *given;
	int64_t count = 0;

	while (t.xn + t.yn > 0) {
		const eki_merge m = {.an = t.xn, .bn = t.yn, .a = t.xi, .b = t.yi};
		const int64_t d = t.xn + t.yn < EKI_BLOCK ? t.xn + t.yn : EKI_BLOCK;
		const int64_t p = eki_merge_cut(&keys, &m, d);
		int64_t q = d - p, n;

		if (p > 0 && q < t.yn && index_at(t.xi, p - 1, b.is) == index_at(t.yi, q, b.is))
			q++;
		n = add_block(&b, &t, p, q, space - count);
		count += n;
		t.xi = eki_merge_at(t.xi, p, b.is);
		t.xv = eki_merge_at(t.xv, p, b.vs);
		t.yi = eki_merge_at(t.yi, q, b.is);
		t.yv = eki_merge_at(t.yv, q, b.vs);
		t.zi = eki_merge_at(t.zi, n, b.is);
		t.zv = eki_merge_at(t.zv, n, b.vs);
		t.xn -= p;
		t.yn -= q;
	}
	return count;
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	(void)step;
	return eki_two_pieces(v->array, NULL, add_blocks);
}

/* Predicts the time in nanoseconds. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	const eki_vector_speed *s = &f->machine->vector;
	const bool wide = a->x.index == EK_INT64 || ek_value_size(a->type) == 8;

	return s->simd_call + s->simd_entry[eki_isa_row(a->isa)][wide] *
	                              (double)(a->x.nnz + a->y.nnz) / a->threads;
}

const ek_method ek_add_simd = {
	.name = "add.simd",
	.text = "merge in registers, sums of neighbours with equal indices",
	.source = "evenkeel; Chhugani et al. 2008, for the merge",
	.operation = EK_SPARSE_ADD,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
	.cost = cost,
};
