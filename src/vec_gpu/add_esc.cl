/* SPDX-License-Identifier: BSD-3-Clause
 * The addition of two sparse vectors on a device by expansion, sorting and compression (add_esc.c).
 * Compile-time parameters: KEY and VAL, the types of indices and values; EK_WG, work-items of a
 * group. */
#include "vec_gpu/terms.cl"

/* Writes the entries of x, then those of y. */
EK_KERNEL(expand, EK_WG)
(ek_i64 xn, ek_i64 yn, const EK_GLOBAL KEY *EK_RESTRICT x_idx, const EK_GLOBAL VAL *EK_RESTRICT x,
 VAL alpha, const EK_GLOBAL KEY *EK_RESTRICT y_idx, const EK_GLOBAL VAL *EK_RESTRICT y, VAL beta,
 EK_GLOBAL KEY *EK_RESTRICT idx, EK_GLOBAL VAL *EK_RESTRICT val)
{
	const ek_i64 k = EK_GROUP() * EK_WG + EK_LID();

	if (k < xn) {
		idx[k] = x_idx[k];
		val[k] = ek_term(alpha, x, k);
	} else if (k < xn + yn) {
		idx[k] = y_idx[k - xn];
		val[k] = ek_term(beta, y, k - xn);
	}
}

/* Sets place[k] to 1 if entry k of n sorted ones begins a segment of equal indices, and else to 0.
 * place[n] becomes 0. */
EK_KERNEL(heads, EK_WG)
(ek_i64 n, const EK_GLOBAL KEY *EK_RESTRICT idx, EK_GLOBAL KEY *EK_RESTRICT place)
{
	const ek_i64 k = EK_GROUP() * EK_WG + EK_LID();

	if (k <= n)
		place[k] = k < n && (k == 0 || idx[k] != idx[k - 1]);
}

/* Adds up each segment, into the place that its head has. place[k] is now the number of heads
 * before k. */
EK_KERNEL(compress, EK_WG)
(ek_i64 n, const EK_GLOBAL KEY *EK_RESTRICT idx, const EK_GLOBAL VAL *EK_RESTRICT val,
 const EK_GLOBAL KEY *EK_RESTRICT place, EK_GLOBAL KEY *EK_RESTRICT z_idx,
 EK_GLOBAL VAL *EK_RESTRICT z)
{
	const ek_i64 k = EK_GROUP() * EK_WG + EK_LID();

	if (k < n && place[k] != place[k + 1]) {
		VAL sum = val[k];

		for (ek_i64 e = k + 1; e < n && idx[e] == idx[k]; e++)
			sum += val[e];
		z_idx[place[k]] = idx[k];
		z[place[k]] = sum;
	}
}
