/* SPDX-License-Identifier: BSD-3-Clause
 * CSR from coordinates on a device (to_csr_radix.c). Compile-time parameters: VAL, PTR, IDX; EK_WG,
 * work-items of a group. */

/* Sets place[e] to 1 if entry e is the first at its place, and else to 0; place[n] becomes 0. Sets
 * *unsorted to 1 if an entry belongs before the one in front of it. */
EK_KERNEL(heads, EK_WG)
(ek_i64 n, const EK_GLOBAL IDX *EK_RESTRICT row, const EK_GLOBAL IDX *EK_RESTRICT col,
 EK_GLOBAL PTR *EK_RESTRICT place, EK_GLOBAL int *EK_RESTRICT unsorted)
{
	const ek_i64 e = EK_GROUP() * EK_WG + EK_LID();

	if (e > n)
		return;
	if (e > 0 && e < n) {
		const IDX i = row[e - 1], j = col[e - 1];

		if (i > row[e] || (i == row[e] && j > col[e]))
			*unsorted = 1; /* all that write here write the same */
		place[e] = i != row[e] || j != col[e];
	} else {
		place[e] = e < n;
	}
}

/* Writes the entries of C: the first work-item at a place adds all that are there. from[e] is the
 * number of entry e among those given, or e if `sorted` is not 0. place[e] is now the number of
 * places before e. */
EK_KERNEL(fill, EK_WG)
(ek_i64 n, int sorted, const EK_GLOBAL PTR *EK_RESTRICT from, const EK_GLOBAL IDX *EK_RESTRICT col,
 const EK_GLOBAL VAL *EK_RESTRICT val, const EK_GLOBAL PTR *EK_RESTRICT place,
 EK_GLOBAL IDX *EK_RESTRICT c_col, EK_GLOBAL VAL *EK_RESTRICT c_val)
{
	const ek_i64 e = EK_GROUP() * EK_WG + EK_LID();

	if (e >= n || place[e] == place[e + 1])
		return;
	const PTR to = place[e];
	VAL sum = val[sorted ? (PTR)e : from[e]];

	for (ek_i64 k = e + 1; k < n && place[k] == place[k + 1]; k++)
		sum += val[sorted ? (PTR)k : from[k]];
	c_col[to] = col[e];
	c_val[to] = sum;
}

/* Makes row pointers to entries of C of those to sorted entries. */
EK_KERNEL(point, EK_WG)
(ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT place, EK_GLOBAL PTR *EK_RESTRICT ptr)
{
	const ek_i64 i = EK_GROUP() * EK_WG + EK_LID();

	if (i <= rows)
		ptr[i] = place[ptr[i]];
}
