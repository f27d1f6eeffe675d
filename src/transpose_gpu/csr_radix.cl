/* SPDX-License-Identifier: BSD-3-Clause
 * The values of a transpose on a device (csr_radix.c). Compile-time parameters: VAL, PTR; EK_WG,
 * work-items of a group. */

/* Writes the value of each entry of C. */
EK_KERNEL(gather_values, EK_WG)
(ek_i64 n, const EK_GLOBAL PTR *EK_RESTRICT from, const EK_GLOBAL VAL *EK_RESTRICT a_val,
 EK_GLOBAL VAL *EK_RESTRICT c_val)
{
	const ek_i64 e = EK_GROUP() * EK_WG + EK_LID();

	if (e < n)
		c_val[e] = a_val[from[e]];
}
