/* SPDX-License-Identifier: BSD-3-Clause
 * The reduction (reduce_tree.c). Compile-time parameters: VAL, OP and IDENTITY; EK_WG,
 * work-items of a group; ITEMS, a power of two, numbers of a work-item. A tile has EK_WG * ITEMS
 * numbers. Those of a work-item are EK_WG apart, so that neighbouring work-items read
 * neighbouring numbers. */
#include "prim_body/scan_op.cl"

#define TILE (EK_WG * ITEMS)

/* Writes what the numbers of each tile combine to, the identity if there are none. */
EK_KERNEL(tile_reduce, EK_WG)
(ek_i64 n, const EK_GLOBAL VAL *EK_RESTRICT in, EK_GLOBAL VAL *EK_RESTRICT total)
{
	EK_LOCAL VAL scratch[EK_WG];
	const ek_i64 begin = EK_GROUP() * TILE + EK_LID();
	VAL own[ITEMS];

	for (int k = 0; k < ITEMS; k++)
		own[k] = begin + k * EK_WG < n ? EK_STREAM(&in[begin + k * EK_WG]) : IDENTITY;
	for (int d = ITEMS / 2; d > 0; d /= 2)
		for (int k = 0; k < d; k++)
			own[k] = OP(own[k], own[k + d]);
	own[0] = ek_op_reduce(own[0], scratch);
	if (EK_LID() == 0)
		total[EK_GROUP()] = own[0];
}
