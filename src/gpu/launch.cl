/* SPDX-License-Identifier: BSD-3-Clause
 * Computes y = beta y. If beta is 0, writes zeros without reading y. */
EK_KERNEL(scale, 256)(ek_i64 n, VAL beta, EK_GLOBAL VAL *y)
{
	const ek_i64 i = EK_GROUP() * 256 + EK_LID();

	if (i < n)
		ek_scale(beta, y + i);
}
