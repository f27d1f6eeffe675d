/* SPDX-License-Identifier: BSD-3-Clause
 * The last step of a product for W rows or for one: y = alpha sum + beta y0. y0 is y itself or
 * another array, and is not read if beta is 0. The three operations are rounded one by one, never
 * fused, so that all instruction sets give the same bits from the same sums. Included by files that
 * use base/for_each.h, in every pass. */
static inline void FN(finish_rows)(vec sum, VAL alpha, VAL beta, const VAL *y0, VAL *y)
{
	if (beta == 0)
		vstore(y, vmul(vset1(alpha), sum));
	else
		vstore(y, vadd(vmul(vset1(alpha), sum), vmul(vset1(beta), vload(y0))));
}

static inline void FN(finish_row)(VAL sum, VAL alpha, VAL beta, const VAL *y0, VAL *y)
{
	*y = beta == 0 ? alpha * sum : alpha * sum + beta * *y0;
}

/* Sets y to beta y0 for n rows without entries, whatever alpha is. */
static inline void FN(finish_none)(VAL beta, const VAL *y0, VAL *y, int64_t n)
{
	if (beta == 1 && y0 == y)
		return;
	for (int64_t i = 0; i < n; i++)
		y[i] = beta == 0 ? 0 : beta * y0[i];
}
