/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that multiply runs of blocks; all blocks of a run are in one block row. The methods
 * that use spmv/block.h include this file in each pass of base/for_each.h, after drive/finish.h. */

/* Gives the operands of a product with blocks for op N. */
static inline block_product FN(block_plain)(const ek_store *A, const VAL *x)
{
	block_product p = eki_block_product(A, x, EK_ISA_OF_PASS);
	VAL *tail = (VAL *)&p.x_tail;

	for (int j = 0; j < p.beyond; j++)
		tail[j] = x[p.shape.whole * p.shape.c + j];
	return p;
}

/* Multiplies blocks [begin, end) by x, and stores the sum of their row i in sum[i], for i < r <= 8.
 * There is at least one block, and all are in one block row. */
static inline void FN(block_sums)(const block_product *p, int64_t begin, int64_t end, VAL *sum)
{
	const block_shape *h = &p->shape;
	const IDX *col = p->col, first = 0;
	const VAL *val = p->val;
	const int64_t stop = end - (col[end - 1] >= h->whole);
	VAL bad = 0, last[BLOCK_MOST];

	p->kernel(val + begin * h->places, col + begin, stop - begin, p->x, h->c, sum);
	if (stop < end) {
		p->kernel(val + stop * h->places, &first, 1, &p->x_tail, h->c, last);
		for (int i = 0; i < h->r; i++)
			sum[i] += last[i];
	}
	for (int i = 0; i < h->r; i++)
		bad += sum[i] * 0;
	if (bad == 0) /* false only if `bad` is NaN, that is, if a sum is not finite */
		return;
	for (int i = 0; i < h->r; i++)
		sum[i] = 0;
	p->exact(p, begin, end, sum);
}

/* ---- Block rows that are cut between parts, for eki_carry_fn --------------------------------- */

typedef struct FN(block_runs) {
	const eki_run *v;
	eki_carry *carry; /* carry whose members `first` and `last` are already set */
	block_product p;
	int64_t next; /* rows before this one are finished */
} FN(block_runs);

static inline FN(block_runs) FN(block_runs_of)(const ek_store *A, const eki_run *v, int64_t first,
                                               int64_t last, eki_carry *carry)
{
	carry->first = first;
	carry->last = last;
	return (FN(block_runs)){v, carry, FN(block_plain)(A, v->x.data), first * A->dim[BLOCK_R]};
}

/* Finishes all rows up to the end of block row b, whose rows have the sums `sum` in this part. */
static inline void FN(block_finish)(FN(block_runs) * o, int64_t b, const VAL *sum)
{
	const VAL alpha = EK_SCALAR(o->v->alpha), beta = EK_SCALAR(o->v->beta);
	const int r = o->p.shape.r;
	const VAL *y0 = o->v->y0.data;
	VAL *y = o->v->y.data;
	VAL *shared = b == o->carry->first  ? o->carry->first_sum
	              : b == o->carry->last ? o->carry->last_sum
	                                    : NULL;

	FN(finish_none)(beta, y0 + o->next, y + o->next, b * r - o->next);
	if (shared)
		for (int i = 0; i < r; i++)
			shared[i] = sum[i];
	else
		for (int i = 0; i < r; i++)
			FN(finish_row)(sum[i], alpha, beta, y0 + b * r + i, y + b * r + i);
	o->next = (b + 1) * r;
}

/* Multiplies blocks [begin, end), which are the blocks of block row b in this part, and finishes
 * all rows up to the end of that block row. */
static inline void FN(block_run)(FN(block_runs) * o, int64_t b, int64_t begin, int64_t end)
{
	VAL sum[BLOCK_MOST];

	FN(block_sums)(&o->p, begin, end, sum);
	FN(block_finish)(o, b, sum);
}
