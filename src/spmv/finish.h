/* SPDX-License-Identifier: BSD-3-Clause
 * The last step of a product for W rows: y = alpha sum + beta y0, where y0 is y or lies elsewhere,
 * and is not read if beta = 0. Three roundings, never fused, so that all instruction sets give the
 * same bits from the same sums. Included by files that use core/for_each.h, in every pass. */
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

/* n rows without entries: beta y0, whatever alpha is. */
static inline void FN(finish_none)(VAL beta, const VAL *y0, VAL *y, int64_t n)
{
	if (beta == 1 && y0 == y)
		return;
	for (int64_t i = 0; i < n; i++)
		y[i] = beta == 0 ? 0 : beta * y0[i];
}
