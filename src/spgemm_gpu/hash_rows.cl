/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of C = alpha A B + beta D of one class (csr_hash.c). TEAM work-items compute a row, and a
 * group EK_WG / TEAM rows. Compile-time parameters, besides those of row_table.cl and operands.cl:
 *
 *   SLOTS, COUNT_SLOTS  slots of a row's table, where sums are needed and where not
 *   PIECES              1 if the columns of a row may reach beyond its window. Then the row is
 *                       computed window by window, each from the first column that remains
 *   SLICES              how lists are divided between the work-items of a team, which read the
 *                       descriptions of TEAM lists at a time: if 0, list after list by all of them;
 *                       if 1, TEAM products at a time, whatever lists they come from (EK_WG is
 *                       TEAM then)
 *
 * The products of an entry are added in the order of the lists, without atomic operations on
 * values. The columns of a list differ, so work-items that add one list never meet; a barrier ends
 * the list. In a slice they may meet: then they take turns, in rounds. In each round the first
 * work-item that waits for a slot adds its product. */
#include "prim_body/scan.cl"
#include "spgemm_gpu/operands.cl"
#include "spgemm_gpu/row_table.cl"

#define ROWS   (EK_WG / TEAM)
#define WORDS  ((SLOTS + 31) / 32)
#define COUNT  0 /* counts the entries of a row */
#define MAKE   1 /* writes columns and values */
#define VALUES 2 /* writes values; the columns are known */
#define TURNS  (2 * TEAM)
#if SLICES
#define SLICED(n) (n)
#else
#define SLICED(n) 1
#endif
#define NO_TURN 0x7fffffff

/* The rows of this launch are list[first], list[first + stride], ... start[i] is the first column
 * of row i of C. has_d tells whether there is a matrix D. */
#define ROW_PARAMETERS                                        \
	int has_d, ek_i64 first, ek_i64 count, ek_i64 stride, \
		const EK_GLOBAL IDX *EK_RESTRICT list, const EK_GLOBAL IDX *EK_RESTRICT start

/* The team's memory. `from`, `stop` and `factor` describe TEAM lists: their entries, and what these
 * are multiplied by. */
#define TEAM_PARAMETERS                                                       \
	EK_LOCAL_PTR int *key, EK_LOCAL_PTR VAL *sum, EK_LOCAL_PTR PTR *from, \
		EK_LOCAL_PTR PTR *stop, EK_LOCAL_PTR VAL *factor
#define TEAM_ARGUMENTS key, sum, from, stop, factor

/* Returns the first entry in [low, high) whose column is not below `base` + `off`. */
EK_FN PTR first_from(const EK_GLOBAL IDX *col, PTR low, PTR high, IDX base, int off)
{
	while (low < high) {
		const PTR middle = low + (high - low) / 2;

		if (col[middle] - base < off)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Narrows a list to the columns of the window, and lowers *next, the first column behind it that a
 * list has, or -1. */
EK_FN void narrow(const EK_GLOBAL IDX *col, PTR *low, PTR *high, IDX base, int slots, IDX *next)
{
#if PIECES
	const PTR end = *high;

	*low = first_from(col, *low, end, base, 0);
	*high = first_from(col, *low, end, base, slots);
	if (*high < end && (*next < 0 || col[*high] < *next))
		*next = col[*high];
#endif
}

/* Adds a product to its slot. */
EK_FN void add(const int mode, int read, TEAM_PARAMETERS, int slots, int k, VAL product, int *fresh)
{
	const int s = table_slot(key, slots, k, mode != VALUES, fresh);

	if (mode != COUNT && read)
		sum[s] += product;
}

/* Adds TEAM lists, one after the other, of which the first `lists` may have entries. The first
 * entries of the next list are read before those of this one are added. */
EK_FN void add_lists(const int mode, int read, TEAM_PARAMETERS, int slots, int lane, IDX base,
                     int lists, const EK_GLOBAL IDX *col, const EK_GLOBAL VAL *val, int *fresh)
{
	PTR e = from[0] + lane, end = stop[0];
	IDX j = e < end ? col[e] : 0;
	VAL v = mode != COUNT && read && e < end ? val[e] : (VAL)0;

	for (int l = 0; l < lists; l++) {
		const int more = l + 1 < lists;
		const PTR next = more ? from[l + 1] + lane : 0, next_end = more ? stop[l + 1] : 0;
		const IDX next_j = next < next_end ? col[next] : 0;
		const VAL next_v = mode != COUNT && read && next < next_end ? val[next] : (VAL)0;
		const VAL a = mode != COUNT ? factor[l] : (VAL)0;

		if (e < end)
			add(mode, read, TEAM_ARGUMENTS, slots, (int)(j - base), EK_MUL(a, v),
			    fresh);
		for (e += TEAM; e < end; e += TEAM)
			add(mode, read, TEAM_ARGUMENTS, slots, (int)(col[e] - base),
			    mode != COUNT && read ? EK_MUL(a, val[e]) : (VAL)0, fresh);
		if (mode != COUNT)
			SYNC();
		e = next;
		end = next_end;
		j = next_j;
		v = next_v;
	}
}

#if SLICES
/* Adds products to slots, in the order of the work-items. *round counts the rounds; the numbers of
 * work-items are smaller in later rounds. Three flags take turns: one tells whether anyone waits in
 * this round; a slow work-item may still read that of the round before; and the next one is 0. */
EK_FN void add_in_turn(EK_LOCAL_PTR VAL *sum, EK_LOCAL_PTR int *turn, EK_LOCAL_PTR int *waiting,
                       int *round, int lane, int waits, int s, VAL product)
{
	EK_LOCAL_PTR int *mine = turn + s % TURNS;

	for (int any = 1; any; ++*round) {
		const int number = lane - *round * TEAM;

		if (waits) {
			EK_LOCAL_MIN(mine, number);
			EK_LOCAL_OR(waiting + *round % 3, 1);
		}
		EK_BARRIER();
		if (lane == 0)
			waiting[(*round + 2) % 3] = 0;
		any = waiting[*round % 3];
		if (waits && *mine == number) {
			sum[s] += product;
			waits = 0;
		}
		if (any)
			EK_BARRIER();
	}
}

/* Adds TEAM lists, TEAM products at a time. */
EK_FN void add_slices(const int mode, int read, TEAM_PARAMETERS, int slots, int lane, IDX base,
                      const EK_GLOBAL IDX *col, const EK_GLOBAL VAL *val, int *fresh,
                      EK_LOCAL_PTR ek_i64 *ends, EK_LOCAL_PTR int *turn)
{
	EK_LOCAL_PTR int *waiting = turn + TURNS;
	int round = 0;

	ek_scan_before(stop[lane] - from[lane], ends);
	for (int k = lane; k < TURNS + 3; k += TEAM)
		turn[k] = k < TURNS ? NO_TURN : 0;
	EK_BARRIER();
	for (ek_i64 p = 0; p < ends[TEAM - 1]; p += TEAM) {
		const int has = p + lane < ends[TEAM - 1];
		int s = 0;
		VAL product = 0;

		if (has) {
			int low = 0, high = TEAM - 1;

			while (low < high) { /* finds the list of the product */
				const int middle = (low + high) / 2;

				if (ends[middle] <= p + lane)
					low = middle + 1;
				else
					high = middle;
			}
			const PTR e = stop[low] - (PTR)(ends[low] - p - lane);

			s = table_slot(key, slots, (int)(col[e] - base), mode != VALUES, fresh);
			if (mode != COUNT && read)
				product = EK_MUL(factor[low], val[e]);
		}
		if (mode != COUNT && read)
			add_in_turn(sum, turn, waiting, &round, lane, has, s, product);
		if (round > 0x3fffffff / TEAM) { /* numbers must not wrap around */
			EK_BARRIER();
			for (int k = lane; k < TURNS + 3; k += TEAM)
				turn[k] = k < TURNS ? NO_TURN : 0;
			round = 0;
			EK_BARRIER();
		}
	}
}
#endif

#if PIECES
/* Returns the smallest value of the work-items that is not -1. `scratch` has an entry for each. Has
 * barriers. */
EK_FN IDX smallest(IDX v, EK_LOCAL_PTR IDX *scratch)
{
	EK_BARRIER();
	scratch[EK_LID()] = v;
	EK_BARRIER();
	for (int d = EK_WG / 2; d > 0; d /= 2) {
		if (EK_LID() < d) {
			const IDX a = scratch[EK_LID()], b = scratch[EK_LID() + d];

			scratch[EK_LID()] = a < 0 || (b >= 0 && b < a) ? b : a;
		}
		EK_BARRIER();
	}
	return scratch[0];
}
#endif

/* Adds all lists of row i, as far as their columns are in the window that begins at `base`. Returns
 * the first column behind it that this work-item has seen, or -1. */
EK_FN IDX add_row(const int mode, EK_PRODUCT_PARAMETERS, int has_d, TEAM_PARAMETERS, int slots,
                  int lane, ek_i64 i, IDX base, int chunks, int *fresh, EK_LOCAL_PTR ek_i64 *ends,
                  EK_LOCAL_PTR int *turn, EK_LOCAL_PTR int *flag)
{
	const int read = !EK_IS_ZERO(alpha);
	const PTR begin = i < 0 ? 0 : a_ptr[i], end = i < 0 ? 0 : a_ptr[i + 1];
	IDX next = -1;

	PTR low = i < 0 || !has_d ? 0 : d_ptr[i], high = i < 0 || !has_d ? 0 : d_ptr[i + 1];

	narrow(d_col, &low, &high, base, slots, &next);
	for (PTR e = low + lane; e < high; e += TEAM)
		add(mode, !EK_IS_ZERO(beta), TEAM_ARGUMENTS, slots, (int)(d_col[e] - base),
		    mode != COUNT && !EK_IS_ZERO(beta) ? EK_MUL(beta, d_val[e]) : (VAL)0, fresh);
	for (int c = 0; c < chunks; c++) {
		const PTR k = begin + (PTR)c * TEAM + lane;
		const ek_i64 left = (ek_i64)(end - begin) - (ek_i64)c * TEAM;

		SYNC();
		from[lane] = stop[lane] = 0;
		if (k < end) {
			PTR l = b_ptr[a_col[k]], h = b_ptr[a_col[k] + 1];

			narrow(b_col, &l, &h, base, slots, &next);
			from[lane] = l;
			stop[lane] = h;
			if (mode != COUNT)
				factor[lane] = read ? EK_MUL(alpha, a_val[k]) : (VAL)0;
		}
		SYNC();
#if SLICES
		add_slices(mode, read, TEAM_ARGUMENTS, slots, lane, base, b_col, b_val, fresh, ends,
		           turn);
#else
		add_lists(mode, read, TEAM_ARGUMENTS, slots, lane, base,
		          ek_largest(left < TEAM ? (int)left : TEAM, TEAM, flag), b_col, b_val,
		          fresh);
#endif
	}
	SYNC();
	return next;
}

#define PRODUCT_ARGUMENTS \
	rows, a_ptr, a_col, a_val, b_ptr, b_col, b_val, d_ptr, d_col, d_val, alpha, beta

/* Declares the memory of a group whose tables have `slots` slots, `sums` of them with sums, and
 * what each work-item knows of its row. i is -1 if the team has none. */
#define DECLARE_ROW(slots, sums)                                                             \
	EK_LOCAL int keys[ROWS * KEYS(slots)], flag[1];                         \
	EK_LOCAL VAL sum_of[(sums) ? ROWS * (sums) : 1], factors[(sums) ? EK_WG : 1];        \
	EK_LOCAL PTR froms[EK_WG], stops[EK_WG];                                             \
	EK_LOCAL ek_i64 ends[SLICED(EK_WG)];                                                 \
	EK_LOCAL int turn[SLICED(TURNS + 3)];                                                \
	const int lane = EK_LID() % TEAM, team = EK_LID() / TEAM;                            \
	const ek_i64 unit = EK_GROUP() * ROWS + team;                                        \
	const ek_i64 i = unit < count ? (ek_i64)list[first + unit * stride] : -1;            \
	EK_LOCAL_PTR int *key = keys + team * KEYS(slots);                                   \
	EK_LOCAL_PTR VAL *sum = sum_of + ((sums) ? team * (sums) : 0);                       \
	EK_LOCAL_PTR VAL *factor = factors + ((sums) ? team * TEAM : 0);                     \
	EK_LOCAL_PTR PTR *from = froms + team * TEAM, *stop = stops + team * TEAM;           \
	const int chunks = ek_largest(                                                       \
		i < 0 ? 0 : (int)((a_ptr[i + 1] - a_ptr[i] + TEAM - 1) / TEAM), TEAM, flag); \
	IDX base = i < 0 ? 0 : start[i];                                                     \
	int fresh = 0
#define ROW_ARGUMENTS(slots)                                                                  \
	PRODUCT_ARGUMENTS, has_d, TEAM_ARGUMENTS, slots, lane, i, base, chunks, &fresh, ends, \
		turn, flag

/* Sets `base` to the beginning of the next window, or ends the loop over windows. Uses an array
 * that DECLARE_NEXTS declares. */
#if PIECES
#define DECLARE_NEXTS EK_LOCAL IDX nexts[EK_WG]
#define NEXT_WINDOW(next)             \
	base = smallest(next, nexts); \
	if (base < 0)                 \
	break
#else
#define DECLARE_NEXTS (void)flag
#define NEXT_WINDOW(next) \
	(void)(next);     \
	break
#endif

/* Stores the number of entries of row i in length[i] or, if `compact` is not 0, that of the k-th
 * row of the launch in length[k]. */
EK_KERNEL(count_rows, EK_WG)
(EK_PRODUCT_PARAMETERS, ROW_PARAMETERS, EK_GLOBAL ek_i64 *EK_RESTRICT length, int compact)
{
	DECLARE_ROW(COUNT_SLOTS, 0);
	EK_LOCAL int found[ROWS];
	DECLARE_NEXTS;
	ek_i64 n = 0;

	for (;;) {
		table_clear(key, sum, COUNT_SLOTS, 0, lane);
		if (lane == 0)
			found[team] = 0;
		SYNC();
		const IDX next = add_row(COUNT, ROW_ARGUMENTS(COUNT_SLOTS));
#if WINDOW
		table_count(key, COUNT_SLOTS, lane, found + team);
#else
		EK_LOCAL_ADD(found + team, fresh);
		SYNC();
#endif
		n += found[team];
		NEXT_WINDOW(next);
	}
	if (i >= 0 && lane == 0)
		length[compact ? unit : i] = n;
}

/* Writes row i from place at[i] - begin on. If `store` is not 0, also stores its length. */
EK_KERNEL(make_rows, EK_WG)
(EK_PRODUCT_PARAMETERS, ROW_PARAMETERS, const EK_GLOBAL ek_i64 *at, ek_i64 begin,
 EK_GLOBAL IDX *EK_RESTRICT c_col, EK_GLOBAL VAL *EK_RESTRICT c_val, EK_GLOBAL ek_i64 *length,
 int store)
{
	DECLARE_ROW(SLOTS, SLOTS);
	DECLARE_NEXTS;
#if WINDOW
	EK_LOCAL int befores[ROWS * WORDS];
#else
	EK_LOCAL int found[ROWS];
#endif
	ek_i64 to = i < 0 ? 0 : at[i] - begin, n = 0;

	for (;;) {
		table_clear(key, sum, SLOTS, SLOTS, lane);
#if !WINDOW
		if (lane == 0)
			found[team] = 0;
#endif
		SYNC();
		const IDX next = add_row(MAKE, ROW_ARGUMENTS(SLOTS));
#if WINDOW
		n += table_write(key, sum, SLOTS, lane, befores + team * WORDS, base,
		                 c_col + to + n, c_val + to + n);
#else
		table_pack(key, sum, SLOTS, lane, found + team);
		n = found[team];
		table_sort(key, sum, (int)n, ek_largest((int)n, TEAM, flag), lane);
		for (int k = lane; k < n; k += TEAM) {
			c_col[to + k] = base + key[k];
			c_val[to + k] = sum[k];
		}
#endif
		SYNC();
		NEXT_WINDOW(next);
	}
	if (store && i >= 0 && lane == 0)
		length[i] = n;
}

/* Writes the values of row i, whose columns are known. */
EK_KERNEL(value_rows, EK_WG)
(EK_PRODUCT_PARAMETERS, ROW_PARAMETERS, const EK_GLOBAL ek_i64 *EK_RESTRICT at, ek_i64 begin,
 const EK_GLOBAL IDX *EK_RESTRICT c_col, EK_GLOBAL VAL *EK_RESTRICT c_val)
{
	DECLARE_ROW(SLOTS, SLOTS);
	DECLARE_NEXTS;
	const ek_i64 to = i < 0 ? 0 : at[i] - begin, end = i < 0 ? 0 : at[i + 1] - begin;
	ek_i64 k = to + lane;

	for (;;) {
		table_clear(key, sum, SLOTS, SLOTS, lane);
		SYNC();
#if !WINDOW
		for (ek_i64 e = to + lane; e < end; e += TEAM)
			table_slot(key, SLOTS, (int)(c_col[e] - base), 0, &fresh);
		SYNC();
#endif
		const IDX next = add_row(VALUES, ROW_ARGUMENTS(SLOTS));

		for (; k < end && (!PIECES || c_col[k] - base < SLOTS); k += TEAM)
			c_val[k] = sum[table_slot(key, SLOTS, (int)(c_col[k] - base), 0, &fresh)];
		SYNC();
		NEXT_WINDOW(next);
	}
}
