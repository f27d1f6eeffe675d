/* SPDX-License-Identifier: BSD-3-Clause
 * Reads the entries of a row from the sums in a dense window of columns (spgemm/flags.c,
 * triple/csr_fused.c), and clears them. Included once in each pass of base/for_each.h. */

/* Reads the sums at n known columns, and clears them. */
static void FN(collect)(const eki_window *s, const IDX *col, int64_t n, IDX base, VAL *val)
{
	VAL *sum = s->sum;

	for (int64_t k = 0; k < n; k++) {
		val[k] = sum[col[k] - base];
		sum[col[k] - base] = 0;
	}
}

/* Writes the columns of group g whose flags are set, and their sums, as entries n, n + 1, ...
 * Clears flags and sums. Returns the number of entries so far. If `val` is NULL, it counts and
 * clears flags only. */
static inline int64_t FN(write_group)(const eki_window *s, int64_t g, IDX base, IDX *col, VAL *val,
                                      int64_t n)
{
	VAL *sum = (VAL *)s->sum + 64 * g;
	uint8_t *flag = s->flag + 64 * g;
	uint64_t set = vflags(flag);

	if (!set)
		return n;
	memset(flag, 0, 64);
	if (!val)
		return n + __builtin_popcountll(set);
	base += (IDX)(64 * g);
	while (set) {
#ifdef vpack
		const int first = __builtin_ctzll(set) & -W;
		const vmask lanes = (vmask)(set >> first);

		vpack_lanes(col + n, base + (IDX)first, lanes);
		vpack(val + n, vload(sum + first), lanes);
		vstore(sum + first, vzero());
		n += __builtin_popcount(lanes);
		set &= ~((uint64_t)0xff << first);
#else
		const int first = __builtin_ctzll(set);

		col[n] = base + (IDX)first;
		val[n++] = sum[first];
		sum[first] = 0;
		set &= set - 1;
#endif
	}
	return n;
}

/* Does the same for a group whose columns are marked by bits. */
static inline int64_t FN(write_bits)(const eki_window *s, int64_t g, IDX base, IDX *col, VAL *val,
                                     int64_t n)
{
	VAL *sum = (VAL *)s->sum + 64 * g;
	uint64_t set = s->bits[g];

	s->bits[g] = 0;
	if (!val)
		return n + __builtin_popcountll(set);
	base += (IDX)(64 * g);
	for (; set; set &= set - 1) {
		const int j = __builtin_ctzll(set);

		col[n] = base + (IDX)j;
		val[n++] = sum[j];
		sum[j] = 0;
	}
	return n;
}

/* Writes the entries of the first `groups` groups, from entry n on. Returns the number of entries
 * so far. */
static int64_t FN(write)(const eki_window *s, int64_t groups, IDX base, int mark, IDX *col,
                         VAL *val, int64_t n)
{
	if (mark == EKI_MARK_FLAGS) {
		for (int64_t g = 0; g < groups; g++)
			n = FN(write_group)(s, g, base, col, val, n);
		return n;
	}
	for (int64_t first = 0; first < groups; first += 64) {
		uint64_t set = vflags(s->group + first);

		if (set)
			memset(s->group + first, 0, 64);
		for (; set; set &= set - 1)
			n = mark == EKI_MARK_BITS
			            ? FN(write_bits)(s, first + __builtin_ctzll(set), base, col,
			                             val, n)
			            : FN(write_group)(s, first + __builtin_ctzll(set), base, col,
			                              val, n);
	}
	return n;
}
