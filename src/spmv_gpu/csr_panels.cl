/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR by panels of columns (csr_panels.c): the kernels of preparation, then those of a run.
 * Compile-time parameters: EK_WG, work-items of a group; EACH, entries of a tile for each of them,
 * an even number; TILE_COLD and TILE_LAST, bits of a tile, which has a word for each entry, not for
 * each two, or is the last of its chunk; SECTOR, values in 32 bytes. `width` is the number of
 * columns of a panel. The last kernel of a run, which needs none of them but EK_WG, is in
 * csr_panels_join.cl.
 *
 * Four numbers describe a tile: its first entry in the order of the panels, how many entries it
 * has, where its words begin, in halves of a tile, and TILE_COLD and TILE_LAST. Four numbers
 * describe a chunk: its first tile, the number of its tiles, its panel, or -1 if its columns are
 * in no panel, and the number of its first piece. */
#include "prim_body/scan.cl"
#define TILE (EK_WG * EACH)
#define HALF (TILE / 2)

/* ---- Preparation ----------------------------------------------------------------------------- */

/* Adds up the entries of each column in `count`. Adds to *fetched the number of entries that are
 * not in the same 32 bytes of x as the entry before them. */
EK_KERNEL(panels_count, EK_WG)
(ek_i64 n, const EK_GLOBAL IDX *EK_RESTRICT col_idx, EK_GLOBAL int *EK_RESTRICT count,
 EK_GLOBAL int *EK_RESTRICT fetched)
{
	EK_LOCAL int own;
	const ek_i64 k = EK_GROUP() * EK_WG + EK_LID();

	if (EK_LID() == 0)
		own = 0;
	EK_BARRIER();
	if (k < n) {
		const IDX j = col_idx[k];

		EK_ATOMIC_ADD(count + j, 1);
		if (k == 0 || col_idx[k - 1] / SECTOR != j / SECTOR)
			EK_LOCAL_ADD(&own, 1);
	}
	EK_BARRIER();
	if (EK_LID() == 0)
		EK_ATOMIC_ADD(fetched, own);
}

/* Writes the class of each column: 0 for the most entries, 31 for none. */
EK_KERNEL(panels_class, EK_WG)
(ek_i64 cols, const EK_GLOBAL int *EK_RESTRICT count, EK_GLOBAL IDX *EK_RESTRICT key)
{
	const ek_i64 j = EK_GROUP() * EK_WG + EK_LID();
	int k = 31;

	if (j >= cols)
		return;
	for (int c = count[j]; c > 0; c /= 2)
		k--;
	key[j] = k;
}

/* Handles one panel in each group, as if all columns were in panels: writes the place of each of
 * its columns in `order`, and the number of its entries. */
EK_KERNEL(panels_rank, EK_WG)
(int width, ek_i64 cols, const EK_GLOBAL PTR *EK_RESTRICT order,
 const EK_GLOBAL int *EK_RESTRICT count, EK_GLOBAL int *EK_RESTRICT rank,
 EK_GLOBAL ek_i64 *EK_RESTRICT entries)
{
	EK_LOCAL ek_i64 scratch[EK_WG];
	const ek_i64 first = EK_GROUP() * width;
	const ek_i64 end = first + width < cols ? first + width : cols;
	ek_i64 own = 0;

	for (ek_i64 k = first + EK_LID(); k < end; k += EK_WG) {
		const PTR j = order[k];

		rank[j] = (int)k;
		own += count[j];
	}
	ek_scan_before(own, scratch);
	if (EK_LID() == 0)
		entries[EK_GROUP()] = scratch[EK_WG - 1];
}

/* Writes the panel of each entry, or `panels` if its column is in none. */
EK_KERNEL(panels_key, EK_WG)
(int width, ek_i64 n, ek_i64 panels, const EK_GLOBAL IDX *EK_RESTRICT col_idx,
 const EK_GLOBAL int *EK_RESTRICT rank, EK_GLOBAL IDX *EK_RESTRICT key)
{
	const ek_i64 k = EK_GROUP() * EK_WG + EK_LID();

	if (k < n) {
		const int p = rank[col_idx[k]] / width;

		key[k] = p < panels ? p : (IDX)panels;
	}
}

/* Adds the pieces of each panel to `pieces`, as if no chunk cut one in two. `panel` and `row` have
 * the panels and the rows of the entries in the order of the panels. */
EK_KERNEL(panels_pieces, EK_WG)
(ek_i64 n, const EK_GLOBAL IDX *EK_RESTRICT panel, const EK_GLOBAL IDX *EK_RESTRICT row,
 EK_GLOBAL int *EK_RESTRICT pieces)
{
	EK_LOCAL int own; /* those of the panel of the group's first entry */
	const ek_i64 begin = EK_GROUP() * EK_WG, k = begin + EK_LID();

	if (EK_LID() == 0)
		own = 0;
	EK_BARRIER();
	if (k < n && (k == 0 || panel[k] != panel[k - 1] || row[k] != row[k - 1])) {
		if (panel[k] == panel[begin])
			EK_LOCAL_ADD(&own, 1);
		else
			EK_ATOMIC_ADD(pieces + panel[k], 1);
	}
	EK_BARRIER();
	if (EK_LID() == 0)
		EK_ATOMIC_ADD(pieces + panel[begin], own);
}

/* Writes for each entry of a tile whether a piece ends with it. `row` has the rows of the entries
 * in the order of the panels. */
EK_KERNEL(panels_ends, EK_WG)
(const EK_GLOBAL int *EK_RESTRICT tile, const EK_GLOBAL IDX *EK_RESTRICT row,
 EK_GLOBAL int *EK_RESTRICT ends)
{
	const EK_GLOBAL int *own = tile + 4 * EK_GROUP();
	const ek_i64 first = own[0], last = first + own[1] - 1;
	const int closed = own[3] & TILE_LAST;

	for (ek_i64 k = first + EK_LID(); k <= last; k += EK_WG)
		ends[k] = (closed && k == last) || row[k] != row[k + 1];
}

/* Writes the row of each piece. `number` tells how many pieces end before each of n + 1 entries. */
EK_KERNEL(panels_rows, EK_WG)
(ek_i64 n, const EK_GLOBAL int *EK_RESTRICT number, const EK_GLOBAL IDX *EK_RESTRICT row,
 EK_GLOBAL IDX *EK_RESTRICT piece_row)
{
	const ek_i64 k = EK_GROUP() * EK_WG + EK_LID();

	if (k < n && number[k] != number[k + 1])
		piece_row[number[k]] = row[k];
}

/* Writes the place of each piece. `from` lists the pieces by rows. */
EK_KERNEL(panels_place, EK_WG)
(ek_i64 pieces, const EK_GLOBAL PTR *EK_RESTRICT from, EK_GLOBAL int *EK_RESTRICT place)
{
	const ek_i64 k = EK_GROUP() * EK_WG + EK_LID();

	if (k < pieces)
		place[from[k]] = (int)k;
}

/* Writes the number of each chunk's first piece. */
EK_KERNEL(panels_first, EK_WG)
(ek_i64 chunks, const EK_GLOBAL int *EK_RESTRICT tile, const EK_GLOBAL int *EK_RESTRICT number,
 EK_GLOBAL int *EK_RESTRICT chunk)
{
	const ek_i64 c = EK_GROUP() * EK_WG + EK_LID();

	if (c < chunks)
		chunk[4 * c + 3] = number[tile[4 * (ek_i64)chunk[4 * c]]];
}

/* Writes the words of a tile. Work-item l of a run has entries l * EACH to l * EACH + EACH - 1, and
 * reads word j of its own at j * EK_WG + l. A word has the column of an entry, and in its highest
 * bit whether a piece ends; or two such halves with columns in 16 bits, counted in the panel.
 * Places without an entry, which are at the end of a panel, get column 0. */
EK_KERNEL(panels_words, EK_WG)
(int width, const EK_GLOBAL int *EK_RESTRICT tile, const EK_GLOBAL PTR *EK_RESTRICT from,
 const EK_GLOBAL IDX *EK_RESTRICT col_idx, const EK_GLOBAL int *EK_RESTRICT rank,
 const EK_GLOBAL int *EK_RESTRICT number, EK_GLOBAL ek_u32 *EK_RESTRICT words)
{
	const EK_GLOBAL int *own = tile + 4 * EK_GROUP();
	const ek_i64 first = own[0];
	const int n = own[1], cold = own[3] & TILE_COLD, per_word = cold ? 1 : 2;
	EK_GLOBAL ek_u32 *to = words + (ek_i64)own[2] * HALF;

	for (int w = EK_LID(); w < TILE / per_word; w += EK_WG) {
		ek_u32 word = 0;

		for (int h = 0; h < per_word; h++) {
			const int q = w % EK_WG * EACH + w / EK_WG * per_word + h;

			if (q < n) {
				const ek_i64 k = first + q;
				const IDX j = col_idx[from[k]];
				const ek_u32 end = number[k] != number[k + 1];

				word |= cold ? (ek_u32)j | end << 31
				             : ((ek_u32)(rank[j] % width) | end << 15) << 16 * h;
			}
		}
		to[w] = word;
	}
}

/* Copies the values of a tile, work-item by work-item as in panels_words. */
EK_KERNEL(panels_values, EK_WG)
(const EK_GLOBAL int *EK_RESTRICT tile, const EK_GLOBAL PTR *EK_RESTRICT from,
 const EK_GLOBAL VAL *EK_RESTRICT a_val, EK_GLOBAL VAL *EK_RESTRICT val)
{
	const EK_GLOBAL int *own = tile + 4 * EK_GROUP();
	const ek_i64 first = own[0];

	val += EK_GROUP() * TILE;
	for (int w = EK_LID(); w < TILE; w += EK_WG) {
		const int q = w % EK_WG * EACH + w / EK_WG;

		val[w] = q < own[1] ? a_val[from[first + q]] : (VAL)0;
	}
}

/* ---- A run ----------------------------------------------------------------------------------- */

/* Copies the entries of x whose columns are in panels, panel after panel. */
EK_KERNEL(panels_pack, EK_WG)
(ek_i64 hot, const EK_GLOBAL PTR *EK_RESTRICT order, const EK_GLOBAL VAL *EK_RESTRICT x,
 EK_GLOBAL VAL *EK_RESTRICT packed)
{
	const ek_i64 k = EK_GROUP() * EK_WG + EK_LID();

	if (k < hot)
		packed[k] = EK_LOAD(x + EK_STREAM(order + k));
}

/* Loads the values of the work-item's entries of a tile. */
EK_FN void panels_values_of(const EK_GLOBAL VAL *val, VAL *product)
{
#pragma unroll
	for (int j = 0; j < EACH; j++)
		product[j] = EK_STREAM(val + j * EK_WG + EK_LID());
}

/* Multiplies the work-item's entries of a tile whose columns are in a panel. Returns a mask that
 * has a bit for each entry: whether a piece ends with it. */
EK_FN ek_u32 panels_hot(const EK_GLOBAL ek_u32 *words, const EK_GLOBAL VAL *val,
                        const EK_LOCAL_PTR VAL *part, VAL *product)
{
	ek_u32 word[EACH / 2], ends = 0;

#pragma unroll
	for (int j = 0; j < EACH / 2; j++)
		word[j] = EK_STREAM(words + j * EK_WG + EK_LID());
	panels_values_of(val, product);
#pragma unroll
	for (int j = 0; j < EACH; j++) {
		const ek_u32 code = word[j / 2] >> 16 * (j % 2);

		product[j] = EK_MUL(product[j], part[code & 0x7fff]);
		ends |= (code >> 15 & 1) << j;
	}
	return ends;
}

/* Does the same for columns that are in no panel. */
EK_FN ek_u32 panels_cold(const EK_GLOBAL ek_u32 *words, const EK_GLOBAL VAL *val,
                         const EK_GLOBAL VAL *x, VAL *product)
{
	ek_u32 word[EACH], ends = 0;

#pragma unroll
	for (int j = 0; j < EACH; j++)
		word[j] = EK_STREAM(words + j * EK_WG + EK_LID());
	panels_values_of(val, product);
#pragma unroll
	for (int j = 0; j < EACH; j++) {
		product[j] = EK_MUL(product[j], EK_LOAD(x + (word[j] & 0x7fffffff)));
		ends |= (word[j] >> 31) << j;
	}
	return ends;
}

/* Scans over the work-items of the group: `own` are a work-item's sum behind the last end of a
 * piece and its number of ends. *before gets those of all work-items before it. Returns those of
 * the group. Has barriers, the last of them after `sums` and `marks` were read. */
EK_FN ek_open panels_scan(ek_open own, ek_open *before, EK_LOCAL_PTR VAL *sums,
                          EK_LOCAL_PTR int *marks)
{
	const int lid = EK_LID();
	ek_open all = {(VAL)0, 0};

#if EK_WARP > 1
	own = ek_segmented_scan_warp(own, lid % EK_WARP, EK_WARP, before);
	if (lid % EK_WARP == EK_WARP - 1)
		ek_open_put(own, lid / EK_WARP, sums, marks);
	EK_BARRIER();
#pragma unroll
	for (int w = 0; w < EK_WG / EK_WARP; w++) {
		if (w == lid / EK_WARP)
			*before = ek_open_join(all, *before);
		all = ek_open_join(all, ek_open_get(w, sums, marks));
	}
#else
	ek_segmented_scan(own, lid, 1, EK_WG, 1, sums, marks);
	*before = all;
	if (lid > 0)
		*before = ek_open_get(lid - 1, sums, marks);
	all = ek_open_get(EK_WG - 1, sums, marks);
#endif
	EK_BARRIER();
	return all;
}

/* Multiplies one chunk in each group, tile by tile. The sum of each piece goes to its place in
 * `sum`. */
EK_KERNEL_AT(panels_multiply, EK_WG, 4)
(int width, const EK_GLOBAL int *EK_RESTRICT chunk, const EK_GLOBAL int *EK_RESTRICT tile,
 ek_i64 hot, const EK_GLOBAL ek_u32 *EK_RESTRICT words, const EK_GLOBAL VAL *EK_RESTRICT val,
 const EK_GLOBAL VAL *EK_RESTRICT x, const EK_GLOBAL VAL *EK_RESTRICT packed,
 const EK_GLOBAL int *EK_RESTRICT place, EK_GLOBAL VAL *EK_RESTRICT sum EK_LOCAL_PARAMETER(panel))
{
	EK_LOCAL_DECLARE(panel);
	EK_LOCAL_PTR VAL *part = (EK_LOCAL_PTR VAL *)panel;
	EK_LOCAL VAL sums[EK_WG];
	EK_LOCAL int marks[EK_WG];
	const EK_GLOBAL int *own = chunk + 4 * EK_GROUP();
	const int tiles = own[1], cold = own[2] < 0;
	const ek_i64 begin = (ek_i64)own[2] * width;
	const ek_i64 left = hot - begin < width ? hot - begin : width;
	ek_open open = {(VAL)0, own[3]}; /* the piece that is open, and its number */

	val += (ek_i64)own[0] * TILE;
	words += (ek_i64)tile[4 * (ek_i64)own[0] + 2] * HALF;
	if (!cold)
		for (int k = EK_LID(); k < left; k += EK_WG)
			part[k] = EK_LOAD(packed + begin + k);
	EK_BARRIER();
	for (int t = 0; t < tiles; t++) {
		VAL product[EACH];
		const ek_u32 ends = cold ? panels_cold(words, val, x, product)
		                         : panels_hot(words, val, part, product);
		ek_open mine = {(VAL)0, 0}, before, all;
		VAL s;
		int at;

		for (int j = 0; j < EACH; j++) {
			mine.sum += product[j];
			if (ends >> j & 1) {
				mine.sum = 0;
				mine.marks++;
			}
		}
		all = panels_scan(mine, &before, sums, marks);
		before = ek_open_join(open, before);
		s = before.sum;
		at = before.marks;
		for (int j = 0; j < EACH; j++) {
			s += product[j];
			if (ends >> j & 1) {
				sum[EK_LOAD(place + at++)] = s;
				s = 0;
			}
		}
		open = ek_open_join(open, all);
		val += TILE;
		words += cold ? TILE : HALF;
	}
}
