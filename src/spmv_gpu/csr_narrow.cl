/* SPDX-License-Identifier: BSD-3-Clause
 * Column indices in 16 bits (csr_narrow.h). Compile-time parameters: EK_WG, work-items of a group,
 * at least SAMPLES; FIRST_FAR, the first code of a far entry. There is one group for each item. The
 * second and third of the item's four numbers tell where its entries begin and end. */
#include "prim_body/scan.cl"

#define SAMPLES 32

/* Returns the start of the window around the column of entry n * sample / SAMPLES of an item that
 * has n entries. */
EK_FN int window_at(const EK_GLOBAL IDX *col_idx, int n, int sample)
{
	const int middle = (int)EK_LOAD(col_idx + (int)((ek_i64)n * sample / SAMPLES));

	return middle > FIRST_FAR / 2 ? middle - FIRST_FAR / 2 : 0;
}

EK_FN int is_near(IDX col, int base)
{
	return (ek_u32)((int)col - base) < FIRST_FAR;
}

/* Finds the window of each item: of the windows around SAMPLES of its columns, the one with the
 * most entries inside, or the first such window if there are several. Stores the start of the
 * window and the number of entries outside it. */
EK_KERNEL(csr_narrow_window, EK_WG)
(const EK_GLOBAL PTR *EK_RESTRICT item, const EK_GLOBAL IDX *EK_RESTRICT col_idx,
 EK_GLOBAL PTR *EK_RESTRICT window)
{
	EK_LOCAL int hits[EK_WG];
	const EK_GLOBAL PTR *mine = item + 4 * EK_GROUP();
	const PTR begin = mine[1];
	const int n = (int)(mine[2] - begin), lid = EK_LID();
	const int base = n > 0 ? window_at(col_idx + begin, n, lid % SAMPLES) : 0;
	int near = 0;

	for (int k = lid / SAMPLES; k < n; k += EK_WG / SAMPLES)
		near += is_near(EK_LOAD(col_idx + begin + k), base);
	hits[lid] = near;
	EK_BARRIER();
	if (lid < SAMPLES)
		for (int k = lid + SAMPLES; k < EK_WG; k += SAMPLES)
			hits[lid] += hits[k];
	EK_BARRIER();
	if (lid == 0) {
		int best = 0;

		for (int k = 1; k < SAMPLES; k++)
			best = hits[k] > hits[best] ? k : best;
		window[2 * EK_GROUP()] = n > 0 ? window_at(col_idx + begin, n, best) : 0;
		window[2 * EK_GROUP() + 1] = n - hits[best];
	}
}

/* Makes the codes of all entries. Stores the columns of an item's far entries in `far`, in order,
 * beginning at the place that the second number of the item's window gives. */
EK_KERNEL(csr_narrow_codes, EK_WG)
(const EK_GLOBAL PTR *EK_RESTRICT item, const EK_GLOBAL IDX *EK_RESTRICT col_idx,
 const EK_GLOBAL PTR *EK_RESTRICT window, EK_GLOBAL ek_u16 *EK_RESTRICT code,
 EK_GLOBAL int *EK_RESTRICT far)
{
	EK_LOCAL ek_i64 before[EK_WG];
	const EK_GLOBAL PTR *mine = item + 4 * EK_GROUP();
	const PTR begin = mine[1];
	const int n = (int)(mine[2] - begin), lid = EK_LID();
	const int base = (int)window[2 * EK_GROUP()];
	const int each = (n + EK_WG - 1) / EK_WG, from = lid * each;
	const int to = from + each < n ? from + each : n;
	EK_GLOBAL int *away = far + window[2 * EK_GROUP() + 1];
	int count = 0, at;

	for (int k = from; k < to; k++)
		count += !is_near(EK_LOAD(col_idx + begin + k), base);
	at = (int)ek_scan_before(count, before);
	for (int k = from; k < to; k++) {
		const int col = (int)EK_LOAD(col_idx + begin + k);

		if (is_near(col, base)) {
			code[begin + k] = (ek_u16)(col - base);
		} else {
			code[begin + k] = (ek_u16)(FIRST_FAR + at);
			away[at++] = col;
		}
	}
}
