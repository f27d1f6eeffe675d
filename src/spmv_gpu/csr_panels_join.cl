/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR by panels of columns (csr_panels.c): the last kernel of a run, a program of its own,
 * since the number of work-items for each row follows from the number of pieces, which is known
 * only after the kernels of csr_panels.cl have made them. Compile-time parameters: EK_WG,
 * work-items of a group; LANES, work-items for each row. */
#define MANY (32 * LANES) /* the group adds up rows of more pieces one by one */

/* Adds up the pieces of each row, which are side by side in `sum`, and finishes y. */
EK_KERNEL(panels_join, EK_WG)
(ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT row_piece, const EK_GLOBAL VAL *EK_RESTRICT sum,
 VAL alpha, VAL beta, EK_GLOBAL VAL *y)
{
	EK_LOCAL VAL scratch[EK_WG];
	EK_LOCAL int many[EK_WG / LANES], count;
	const int lane = EK_LID() % LANES;
	const ek_i64 first = EK_GROUP() * (EK_WG / LANES), i = first + EK_LID() / LANES;
	const PTR begin = i < rows ? EK_LOAD(row_piece + i) : 0;
	const PTR end = i < rows ? EK_LOAD(row_piece + i + 1) : 0;
	VAL s = 0;

	if (EK_LID() == 0)
		count = 0;
	EK_BARRIER();
	if (end - begin > MANY) {
		if (lane == 0)
			many[EK_LOCAL_ADD(&count, 1)] = EK_LID() / LANES;
	} else {
		for (PTR k = begin + lane; k < end; k += LANES)
			s += EK_STREAM(sum + k);
	}
	s = ek_lanes_sum(s, LANES, scratch);
	if (i < rows && lane == 0 && begin == end)
		ek_scale(beta, y + i);
	else if (i < rows && lane == 0 && end - begin <= MANY)
		ek_finish(s, alpha, beta, y + i);
	EK_BARRIER();
	for (int m = 0; m < count; m++) {
		const ek_i64 row = first + many[m];
		const PTR stop = row_piece[row + 1];

		s = 0;
		for (PTR k = row_piece[row] + EK_LID(); k < stop; k += EK_WG)
			s += EK_STREAM(sum + k);
		s = ek_lanes_sum(s, EK_WG, scratch);
		if (EK_LID() == 0)
			ek_finish(s, alpha, beta, y + row);
	}
}
