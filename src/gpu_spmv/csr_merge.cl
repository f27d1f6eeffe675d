/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR by merge path (csr_merge.c). Parameters: EK_WG, ITEMS (of the path, for each
 * work-item). A tile is EK_WG * ITEMS steps of the path, the work of a group. */
#define TILE    (EK_WG * ITEMS)
#define NEVER   0x7fffffff
#define CARRIES 16 /* work-items that add the parts of one row */

/* Before which row the path crosses diagonal t * TILE: start[t], for each of `count`. */
EK_KERNEL(merge_search, EK_WG)
(ek_i64 count, ek_i64 rows, ek_i64 nnz, const EK_GLOBAL PTR *EK_RESTRICT row_ptr,
 EK_GLOBAL PTR *start)
{
	const ek_i64 t = EK_GROUP() * EK_WG + EK_LID();

	if (t < count) {
		const ek_i64 d = t * TILE < rows + nnz ? t * TILE : rows + nnz;
		ek_i64 low = d > nnz ? d - nnz : 0, high = d < rows ? d : rows;

		while (low < high) {
			const ek_i64 mid = low + (high - low) / 2;

			if (row_ptr[mid + 1] <= d - mid - 1)
				low = mid + 1;
			else
				high = mid;
		}
		start[t] = (PTR)low;
	}
}

/* The products of `entries` entries to local memory. */
EK_FN void stage_products(const EK_GLOBAL IDX *col_idx, const EK_GLOBAL VAL *val,
                          const EK_GLOBAL VAL *x, int entries, EK_LOCAL_PTR VAL *product)
{
	IDX col[ITEMS];
	VAL v[ITEMS];

	if (entries == 0)
		return;
#pragma unroll
	for (int j = 0; j < ITEMS; j++) {
		const int k = EK_LID() + j * EK_WG;

		col[j] = EK_STREAM(col_idx + (k < entries ? k : entries - 1));
	}
#pragma unroll
	for (int j = 0; j < ITEMS; j++) {
		const int k = EK_LID() + j * EK_WG;

		v[j] = EK_STREAM(val + (k < entries ? k : entries - 1));
	}
#pragma unroll
	for (int j = 0; j < ITEMS; j++)
		product[EK_LID() + j * EK_WG] = v[j] * EK_LOAD(x + col[j]);
}

/* The row that diagonal d of a tile crosses; row_end[r], from the tile's first entry on. */
EK_FN int search(const EK_LOCAL_PTR int *row_end, int rows, int entries, int d)
{
	int low = d > entries ? d - entries : 0, high = d < rows ? d : rows;

	while (low < high) {
		const int mid = (low + high) / 2;

		if (row_end[mid] <= d - mid - 1)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* What work-items before this one have of the row that is open at its first step: the sum of
 * their carries since one of them closed a row. `closed`: this one did. Barriers. */
EK_FN VAL carry_in(VAL carry, int closed, EK_LOCAL_PTR VAL *sum, EK_LOCAL_PTR int *known)
{
	const int lid = EK_LID();

	for (int d = 1; d < EK_WG; d *= 2) {
		sum[lid] = carry;
		known[lid] = closed;
		EK_BARRIER();
		if (!closed && lid >= d) {
			carry += sum[lid - d];
			closed = known[lid - d];
		}
		EK_BARRIER();
	}
	sum[lid] = carry;
	EK_BARRIER();
	return lid > 0 ? sum[lid - 1] : (VAL)0;
}

/* `carry` gets, of each tile, the sum of the row that is open at its end; `head` the part of the
 * row that it closes first, if that began before. */
EK_KERNEL_AT(merge_tiles, EK_WG, 5)
(ek_i64 rows, ek_i64 nnz, const EK_GLOBAL PTR *EK_RESTRICT start,
 const EK_GLOBAL PTR *EK_RESTRICT row_ptr, const EK_GLOBAL IDX *EK_RESTRICT col_idx,
 const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha, const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta,
 EK_GLOBAL VAL *y, EK_GLOBAL VAL *carry, EK_GLOBAL VAL *head)
{
	EK_LOCAL VAL product[TILE], sums[EK_WG];
	EK_LOCAL int row_end[TILE + 1], known[EK_WG];
	const ek_i64 from = EK_GROUP() * TILE;
	const ek_i64 to = from + TILE < rows + nnz ? from + TILE : rows + nnz;
	const PTR row = EK_LOAD(start + EK_GROUP()), next = EK_LOAD(start + EK_GROUP() + 1);
	const PTR begin = (PTR)(from - row), d = EK_LID() * ITEMS;
	const int count = (int)(next - row), entries = (int)(to - next - begin);
	int r, k, first = -1;
	VAL sum = 0, of_first = 0, before;

	stage_products(col_idx + begin, val + begin, x, entries, product);
	for (r = EK_LID(); r < count; r += EK_WG)
		row_end[r] = (int)(EK_LOAD(row_ptr + row + r + 1) - begin);
	if (EK_LID() == 0)
		row_end[count] = NEVER;
	EK_BARRIER();
	r = search(row_end, count, entries, (int)d < count + entries ? (int)d : count + entries);
	k = (int)d - r;
	for (int j = 0; j < ITEMS && (int)d + j < count + entries; j++)
		if (k < row_end[r]) {
			sum += product[k++];
		} else {
			if (first < 0) {
				first = r;
				of_first = sum;
			} else {
				ek_finish(sum, alpha, beta, y + row + r);
			}
			sum = 0;
			r++;
		}
	before = carry_in(sum, first >= 0, sums, known);
	if (first == 0 && EK_LOAD(row_ptr + row) < begin)
		head[EK_GROUP()] = before + of_first;
	else if (first >= 0)
		ek_finish(before + of_first, alpha, beta, y + row + first);
	if (EK_LID() == EK_WG - 1)
		carry[EK_GROUP()] = sums[EK_WG - 1];
}

/* Rows of more than one tile: the carries from the tile where the row begins, and the head of the
 * one where it ends. */
EK_KERNEL(merge_carries, EK_WG)
(ek_i64 tiles, ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT start,
 const EK_GLOBAL PTR *EK_RESTRICT row_ptr, const EK_GLOBAL VAL *EK_RESTRICT carry,
 const EK_GLOBAL VAL *EK_RESTRICT head, VAL alpha, VAL beta, EK_GLOBAL VAL *y)
{
	EK_LOCAL VAL room[EK_WG];
	const int lane = EK_LID() % CARRIES;
	const ek_i64 t = EK_GROUP() * (EK_WG / CARRIES) + EK_LID() / CARRIES;
	const ek_i64 row = t < tiles ? start[t + 1] : rows;
	ek_i64 last = -1; /* tile */
	VAL sum = 0;

	if (row < rows && (row_ptr[row] + row) / TILE == t)
		last = (row_ptr[row + 1] + row) / TILE;
	for (ek_i64 k = t + lane; k < last; k += CARRIES)
		sum += carry[k];
	sum = ek_lanes_sum(sum, CARRIES, room);
	if (t < last && lane == 0)
		ek_finish(sum + head[last], alpha, beta, y + row);
}
