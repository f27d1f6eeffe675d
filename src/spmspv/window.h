/* SPDX-License-Identifier: BSD-3-Clause
 * A sparse accumulator (SPA): sums for a range of rows. Three levels of flags tell which rows have
 * one: `flag` has one byte for each row, `group` one for 64 rows, `super` one for 64 groups.
 * Setting a byte does not read it, so it does not wait for the one before. The rows come out in
 * order, without sorting, in O(entries + rows / 2^18), and are cleared as they are read, so arrays
 * that were zero are zero again.
 *
 * Gilbert, Moler and Schreiber 1992 (SPA); the levels are a tree in which each node has 64
 * children. Included once in each pass of base/for_each.h. */
#ifndef EK_SPMSPV_WINDOW_H
#define EK_SPMSPV_WINDOW_H

typedef struct eki_spa {
	void *sum;
	uint8_t *flag, *group, *super;
} eki_spa;

/* Return the lengths of the three arrays of flags for n rows: whole cache lines. */
static inline int64_t eki_spa_flags(int64_t n)
{
	return eki_groups(n, 64) * 64;
}
static inline int64_t eki_spa_groups(int64_t n)
{
	return eki_groups(n, 4096) * 64;
}
static inline int64_t eki_spa_supers(int64_t n)
{
	return eki_groups(n, (int64_t)1 << 18) * 64;
}

#endif

/* Adds n products a[k] x to rows row[k] - base. Returns the number of rows that had no sum
 * before. */
static inline int64_t FN(spa_add)(const eki_spa *s, int64_t n, const IDX *row, IDX base,
                                  const VAL *a, VAL x, bool read)
{
	VAL *restrict sum = s->sum;
	uint8_t *restrict flag = s->flag, *restrict group = s->group, *restrict super = s->super;
	int64_t new = 0;

	for (int64_t k = 0; k < n; k++) {
		const IDX i = row[k] - base;

		if (read)
			sum[i] += a[k] * x;
		new += !flag[i];
		flag[i] = 1;
		group[i >> 6] = 1;
		super[i >> 12] = 1;
	}
	return new;
}

/* Writes the rows whose flags are set in one group, and alpha times their sums, as entries n, n +
 * 1, ... Clears sums and flags. Returns the number of entries written so far. If `idx` is NULL, it
 * only clears. */
static inline int64_t FN(spa_group)(const eki_spa *s, int64_t g, VAL alpha, IDX base, IDX *idx,
                                    VAL *val, int64_t n)
{
	VAL *sum = (VAL *)s->sum + 64 * g;
	uint64_t set = vflags(s->flag + 64 * g);

	memset(s->flag + 64 * g, 0, 64);
	base += (IDX)(64 * g);
	while (set) {
		const int at = __builtin_ctzll(set);

		if (!idx) {
			sum[at] = 0;
			set &= set - 1;
			continue;
		}
#ifdef vpack
		const int first = at & -W;
		const vmask lanes = (vmask)(set >> first);

		vpack_lanes(idx + n, base + (IDX)first, lanes);
		vpack(val + n, vmul(vset1(alpha), vload(sum + first)), lanes);
		vstore_n(sum + first, vzero(), lanes);
		n += __builtin_popcount(lanes);
		set &= ~((uint64_t)0xff << first);
#else
		idx[n] = base + (IDX)at;
		val[n++] = alpha * sum[at];
		sum[at] = 0;
		set &= set - 1;
#endif
	}
	return n;
}

/* Writes the rows of [begin, end) that have sums, as FN(spa_group) does. Returns their number. */
static int64_t FN(spa_write)(const eki_spa *s, int64_t begin, int64_t end, VAL alpha, IDX base,
                             IDX *idx, VAL *val)
{
	int64_t n = 0;

	for (int64_t line = begin >> 18; line << 18 < end; line++) {
		uint64_t supers = vflags(s->super + 64 * line);

		if (!supers)
			continue;
		memset(s->super + 64 * line, 0, 64);
		for (; supers; supers &= supers - 1) {
			const int64_t first = 64 * line + __builtin_ctzll(supers);
			uint64_t groups = vflags(s->group + 64 * first);

			memset(s->group + 64 * first, 0, 64);
			for (; groups; groups &= groups - 1)
				n = FN(spa_group)(s, 64 * first + __builtin_ctzll(groups), alpha,
				                  base, idx, val, n);
		}
	}
	return n;
}
