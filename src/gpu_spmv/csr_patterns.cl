/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR with shared lists of columns (csr_patterns.c), behind csr_classes.cl, whose
 * parameters and kinds of items it has; beside these, FLIGHT, the entries of a row that a work-item
 * takes at once, and a kind more:
 *   4 + 2^3 log2(lanes) + 2^7 n + 2^17 runs + 2^27 fives   n rows of at most TILE entries; instead
 *      of the first row, where they are described in `shape`; fives: 5 are better than FLIGHT
 *
 * A description: the first row; for every 32 rows two numbers, which of them begin a run (a bit
 * each), and how many runs begin before; for each run four numbers, where its list begins in
 * `offset`, the column that the offsets of its first row count from, the first entry + 65536 the
 * first row, both within the stretch, and the entries of a row + 65536 times how many columns each
 * row lies behind the one before. */
#define SHAPED 4
/* Registers for FLIGHT entries and their columns. */
#define AT_ONCE (RESIDENT * EK_WG > 1280 ? 1280 / EK_WG : RESIDENT)

/* Entries [k, end) of a row, `flight` at once: offsets count from column `first`, and entry k is
 * staged at `base` + k. Behind the end column `first` and the last value are read; of `offset`,
 * what follows. */
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
			const VAL product = staged[SLOT(at)] * v[j];

			sum += k + j < end ? product : (VAL)0;
		}
	}
	return sum;
}

/* Kind 4. val from its first entry on. `number` has five for each work-item. Values go to local
 * memory in the order in which they lie; with them, and before the first is waited for, come the
 * first numbers of runs, and what tells of which run a row is. Behind the end of each the last one
 * is read again, without conditions. */
EK_FN void shaped_rows(const EK_GLOBAL int *shape, const EK_GLOBAL ek_u16 *offset,
                       const EK_GLOBAL VAL *val, VAL alpha, const EK_GLOBAL VAL *x, VAL beta,
                       EK_GLOBAL VAL *y, int entries, int rows, int runs, int log_lanes, int fives,
                       EK_LOCAL_PTR VAL *staged, EK_LOCAL_PTR int *number,
                       EK_LOCAL_PTR VAL *room)
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
	sum = lanes > 1 ? ek_lanes_sum(sum, lanes, room) : sum;
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
#ifdef __CUDACC__
	VAL *const room = product; /* not wanted at the same time */
#else
	EK_LOCAL VAL room[EK_WG];
#endif
	const EK_GLOBAL PTR *mine = item + 4 * EK_GROUP();
	const PTR row = EK_LOAD(mine), begin = EK_LOAD(mine + 1), end = EK_LOAD(mine + 2);
	const PTR what = EK_LOAD(mine + 3);

	if ((what & 7) == SHAPED)
		shaped_rows(shape + row, offset, val + begin, alpha, x, beta, y, (int)(end - begin),
		            (int)(what >> 7) & 1023, (int)(what >> 17) & 1023,
		            (int)(what >> 3) & 15, (int)(what >> 27), product, number, room);
	else
		class_item(row, begin, end, what, columns_here(code, far, window), many, row_ptr,
		           val, alpha, x, beta, y, partial, arrived, product, number, &before,
		           room);
}
