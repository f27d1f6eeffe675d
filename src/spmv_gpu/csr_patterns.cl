/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR with shared lists of column offsets (csr_patterns.c). This text follows
 * csr_classes.cl and has the same compile-time parameters and kinds of items. In addition, it has
 * the parameter FLIGHT, the number of entries of a row that a work-item loads at once, and one more
 * kind of item, whose last number is:
 *   4 + 2^3 log2(lanes) + 2^7 n + 2^17 runs + 2^27 fives
 * The item has n rows of at most TILE entries. Its first number is not the row but the position in
 * `shape` of the description of the rows. If `fives` is 1, 5 entries are loaded at once instead of
 * FLIGHT.
 *
 * A description has these numbers, in this order:
 *   - the first row
 *   - for every 32 rows, two numbers: 32 bits that tell which of the rows begin a run, and the
 *     number of runs that begin before these rows
 *   - for each run, four numbers: where its list begins in `offset`; the column that the offsets of
 *     its first row count from; its first entry + 65536 times its first row, both counted from the
 *     start of the segment; and the number of entries of a row + 65536 times the distance in
 *     columns from row to row */
#define SHAPED 4
/* Number of groups that should fit on a multiprocessor at once. It leaves enough registers for
 * FLIGHT entries and their columns. */
#define AT_ONCE (RESIDENT * EK_WG > 1280 ? 1280 / EK_WG : RESIDENT)

/* Returns the sum of the products of entries [k, end) of a row, loading `flight` entries at once.
 * Offsets count from column `first`; the value of entry k is at index base + k of `staged`. Loads
 * beyond the end read column `first`, the last value, and whatever follows in `offset`; their
 * products are not added. */
EK_FN VAL shaped_sum(const EK_GLOBAL ek_u16 *offset, const EK_LOCAL_PTR VAL *staged, int base,
                     const EK_GLOBAL VAL *x, int first, int k, int end, const int flight)
{
	VAL sum = 0;

#pragma unroll 1
	for (offset += k; k < end; k += flight, offset += flight) {
		int c[FLIGHT];
		VAL v[FLIGHT];

#pragma unroll
		for (int j = 0; j < flight; j++)
			c[j] = EK_LOAD(offset + j);
#pragma unroll
		for (int j = 0; j < flight; j++)
			v[j] = EK_LOAD(x + (k + j < end ? first + c[j] : first));
#pragma unroll
		for (int j = 0; j < flight; j++) {
			const int at = base + (k + j < end ? k + j : end - 1);
			const VAL product = EK_MUL(staged[SLOT(at)], v[j]);

			sum += k + j < end ? product : (VAL)0;
		}
	}
	return sum;
}

/* Multiplies an item of kind 4. val points to the item's first value; `number` has space for 5
 * EK_WG ints. Values go to local memory in storage order. Each work-item loads its values, one
 * number that describes a run, and the bits that tell which run its row belongs to; it issues these
 * loads before it waits for any of them. A load beyond the end of an array reads the last element
 * again, which needs no branch. */
EK_FN void shaped_rows(const EK_GLOBAL int *shape, const EK_GLOBAL ek_u16 *offset,
                       const EK_GLOBAL VAL *val, VAL alpha, const EK_GLOBAL VAL *x, VAL beta,
                       EK_GLOBAL VAL *y, int entries, int rows, int runs, int log_lanes, int fives,
                       EK_LOCAL_PTR VAL *staged, EK_LOCAL_PTR int *number,
                       EK_LOCAL_PTR VAL *scratch)
{
	const int lid = EK_LID(), lanes = 1 << log_lanes, words = 2 * ((rows + 31) / 32);
	const int r = lid >> log_lanes, lane = lid & (lanes - 1);
	const int row = lid < rows ? lid : rows - 1, numbers = 4 * runs;
	const EK_GLOBAL int *word = shape + 1 + row / 32 * 2, *record = shape + 1 + words;
	const ek_u32 begun = (ek_u32)EK_LOAD(word);
	const int before = EK_LOAD(word + 1);
	const int number_here = EK_LOAD(record + (lid < numbers ? lid : numbers - 1));
	EK_LOCAL_PTR int *run = number, *run_of = number + 4 * EK_WG;
	VAL sum = 0, v[UNROLL];

#pragma unroll
	for (int j = 0; j < UNROLL; j++)
		v[j] = ONCE(val + (lid + j * EK_WG < entries ? lid + j * EK_WG : entries - 1));
	run_of[lid] = 4 * (before + EK_POPCOUNT(begun << (31 - row % 32)) - 1);
	run[lid] = number_here;
#pragma unroll 1
	for (int j = lid + EK_WG; j < numbers; j += EK_WG)
		run[j] = EK_LOAD(record + j);
#pragma unroll
	for (int j = 0; j < UNROLL; j++)
		staged[SLOT(lid + j * EK_WG)] = v[j];
	EK_BARRIER();
	if (r < rows) {
		const EK_LOCAL_PTR int *my = run + run_of[r];
		const int list = my[0], first = my[1], start = my[2], length = my[3];
		const int n = length & 65535, i = r - (start >> 16);
		const int each = (n + lanes - 1) >> log_lanes, k = lane * each;
		const int end = k + each < n ? k + each : n, base = (start & 65535) + i * n;
		const int column = first + i * (length >> 16);

		sum = fives ? shaped_sum(offset + list, staged, base, x, column, k, end, 5)
		            : shaped_sum(offset + list, staged, base, x, column, k, end, FLIGHT);
	}
	sum = lanes > 1 ? ek_lanes_sum(sum, lanes, scratch) : sum;
	if (r < rows && lane == 0)
		ek_finish(sum, alpha, beta, y + (EK_LOAD(shape) + r));
}

EK_KERNEL_AT(csr_patterns, EK_WG, AT_ONCE)
(const EK_GLOBAL PTR *EK_RESTRICT item, const EK_GLOBAL PTR *EK_RESTRICT many,
 const EK_GLOBAL int *EK_RESTRICT shape, const EK_GLOBAL ek_u16 *EK_RESTRICT offset,
 const EK_GLOBAL PTR *EK_RESTRICT row_ptr, const EK_GLOBAL CODE *EK_RESTRICT code,
 const EK_GLOBAL int *EK_RESTRICT far, const EK_GLOBAL PTR *EK_RESTRICT window,
 const EK_GLOBAL VAL *EK_RESTRICT val, VAL alpha, const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta,
 EK_GLOBAL VAL *y, EK_GLOBAL VAL *partial, EK_GLOBAL int *arrived)
{
	EK_LOCAL VAL product[TILE];
	EK_LOCAL int number[ROWS + 1 > 5 * EK_WG ? ROWS + 1 : 5 * EK_WG], before;
#if EK_WARP > 1
	/* scratch and product are never in use at the same time */
	EK_LOCAL_PTR VAL *const scratch = product;
#else
	EK_LOCAL VAL scratch[EK_WG];
#endif
	const EK_GLOBAL PTR *mine = item + 4 * EK_GROUP();
	const PTR row = EK_LOAD(mine), begin = EK_LOAD(mine + 1), end = EK_LOAD(mine + 2);
	const PTR what = EK_LOAD(mine + 3);

	if ((what & 7) == SHAPED)
		shaped_rows(shape + row, offset, val + begin, alpha, x, beta, y, (int)(end - begin),
		            (int)(what >> 7) & 1023, (int)(what >> 17) & 1023,
		            (int)(what >> 3) & 15, (int)(what >> 27), product, number, scratch);
	else
		class_item(row, begin, end, what, columns_here(code, far, window), many, row_ptr,
		           val, alpha, x, beta, y, partial, arrived, product, number, &before,
		           scratch);
}
