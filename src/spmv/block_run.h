/* SPDX-License-Identifier: BSD-3-Clause
 * Runs of blocks of a block row: included by the methods of spmv/block.h in each pass of
 * core/for_each.h, after spmv/finish.h. */

/* sum[i], i < r <= 8, of blocks [begin, end), which lie in one block row and are one at least. */
static inline void FN(block_sums)(const block_product *p, int64_t begin, int64_t end, VAL *sum)
{
	const block_shape *h = &p->shape;
	const IDX *col = p->col;
	const int64_t stop = end - (col[end - 1] >= h->whole);
	VAL bad = 0;

	p->kernel((const VAL *)p->val + begin * h->places, col + begin, stop - begin, p->x, h->c,
	          sum);
	if (stop < end)
		p->exact(p, stop, end, sum);
	for (int i = 0; i < h->r; i++)
		bad += sum[i] * 0;
	if (bad == 0) /* false for NaN only */
		return;
	for (int i = 0; i < h->r; i++)
		sum[i] = 0;
	p->exact(p, begin, end, sum);
}

/* ---- Blocks that are cut anywhere, for eki_carry_fn ------------------------------------------ */

typedef struct FN(block_runs) {
	const ek_args *v;
	eki_carry *carry; /* first and last are set */
	block_product p;
	int64_t next; /* rows before this one are finished */
} FN(block_runs);

static inline FN(block_runs) FN(block_runs_of)(const ek_store *A, const ek_args *v, int64_t first,
                                               int64_t last, eki_carry *carry)
{
	carry->first = first;
	carry->last = last;
	return (FN(block_runs)){v, carry, eki_block_product(A, v->x, EK_ISA_OF_PASS),
	                        first * A->dim[BLOCK_R]};
}

/* Blocks [begin, end) are those of block row b, or those of them that this part has. */
static inline void FN(block_run)(FN(block_runs) * o, int64_t b, int64_t begin, int64_t end)
{
	const VAL alpha = (VAL)o->v->alpha, beta = (VAL)o->v->beta;
	const int r = o->p.shape.r;
	const VAL *y0 = o->v->y0;
	VAL sum[BLOCK_MOST], *y = o->v->y;
	double *shared = b == o->carry->first  ? o->carry->first_sum
	                 : b == o->carry->last ? o->carry->last_sum
	                                       : NULL;

	FN(block_sums)(&o->p, begin, end, sum);
	FN(finish_none)(beta, y0 + o->next, y + o->next, b * r - o->next);
	if (shared)
		for (int i = 0; i < r; i++)
			shared[i] = sum[i];
	else
		for (int i = 0; i < r; i++)
			FN(finish_row)(sum[i], alpha, beta, y0 + b * r + i, y + b * r + i);
	o->next = (b + 1) * r;
}
