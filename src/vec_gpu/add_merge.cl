/* SPDX-License-Identifier: BSD-3-Clause
 * The addition of two sparse vectors on a device by merging (add_merge.c). Compile-time parameters:
 * those of prim_body/pairs.cl; VAL; EK_WG, work-items of a group; EACH, entries of a work-item. */
#include "prim_body/pairs.cl"
#include "vec_gpu/terms.cl"

#define TILE (EK_WG * EACH)

/* Writes the values of x, each times alpha. */
EK_KERNEL(scale, EK_WG)
(ek_i64 xn, const EK_GLOBAL VAL *EK_RESTRICT x, VAL alpha, EK_GLOBAL VAL *EK_RESTRICT sum)
{
	const ek_i64 k = EK_GROUP() * EK_WG + EK_LID();

	if (k < xn)
		sum[k] = ek_term(alpha, x, k);
}

/* Looks for each index of y in x. If it is there, its value is added to that of x; otherwise
 * place[k] becomes 1, and else 0. place[yn] becomes 0. The indices of a group's tile are searched
 * for between the places of the first and the last of them. */
EK_KERNEL(fuse, EK_WG)
(ek_i64 xn, ek_i64 yn, const EK_GLOBAL KEY *EK_RESTRICT x_idx,
 const EK_GLOBAL KEY *EK_RESTRICT y_idx, const EK_GLOBAL VAL *EK_RESTRICT y, VAL beta,
 EK_GLOBAL VAL *EK_RESTRICT sum, EK_GLOBAL KEY *EK_RESTRICT place)
{
	EK_LOCAL ek_i64 ends[2];
	const ek_i64 begin = EK_GROUP() * TILE, end = begin + TILE < yn ? begin + TILE : yn;

	if (EK_LID() < 2)
		ends[EK_LID()] = ek_rank(x_idx, xn, y_idx[EK_LID() ? end - 1 : begin], EK_LID());
	EK_BARRIER();
	const ek_i64 low = ends[0], some = ends[1] - low;

	for (ek_i64 k = begin + EK_LID(); k < end; k += EK_WG) {
		const ek_i64 i = low + ek_rank(x_idx + low, some, y_idx[k], 0);
		const int found = i < xn && x_idx[i] == y_idx[k];

		if (found)
			sum[i] += ek_term(beta, y, k);
		place[k] = !found;
	}
	if (end == yn && EK_LID() == 0)
		place[yn] = 0;
}

/* Copies the entries of y that x does not have. place[k] is now the number of those before k. */
EK_KERNEL(copy, EK_WG)
(ek_i64 yn, const EK_GLOBAL KEY *EK_RESTRICT y_idx, const EK_GLOBAL VAL *EK_RESTRICT y, VAL beta,
 const EK_GLOBAL KEY *EK_RESTRICT place, EK_GLOBAL KEY *EK_RESTRICT idx,
 EK_GLOBAL VAL *EK_RESTRICT val)
{
	const ek_i64 k = EK_GROUP() * EK_WG + EK_LID();

	if (k < yn && place[k] != place[k + 1]) {
		idx[place[k]] = y_idx[k];
		val[place[k]] = ek_term(beta, y, k);
	}
}
