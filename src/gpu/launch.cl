/* SPDX-License-Identifier: BSD-3-Clause
 * y = beta y; beta = 0 writes zeros. */
EK_KERNEL(scale, 256)(ek_i64 n, VAL beta, EK_GLOBAL VAL *y)
{
	const ek_i64 i = EK_GROUP() * 256 + EK_LID();

	if (i < n)
		y[i] = beta == 0 ? (VAL)0 : beta * y[i];
}
