/* SPDX-License-Identifier: BSD-3-Clause
 * Takes the sums of 64 places of a dense window whose flags are set (spmspv/window.h,
 * spgemm/window_read.h). Included once in each pass of base/for_each.h. */

/* Writes the places of `set`, which begin at `base`, and their sums, times alpha if `scaled`, as
 * entries n and following. Clears the sums. Returns the number of entries written so far. */
static inline int64_t FN(take)(VAL *sum, uint64_t set, bool scaled, VAL alpha, IDX base, IDX *idx,
                               VAL *val, int64_t n)
{
	while (set) {
#ifdef vpack
		const int first = __builtin_ctzll(set) & -W;
		const vmask lanes = (vmask)(set >> first);
		const vec sums = vload(sum + first);

		vpack_lanes(idx + n, base + (IDX)first, lanes);
		vpack(val + n, scaled ? vmul(vset1(alpha), sums) : sums, lanes);
		vstore(sum + first, vzero());
		n += __builtin_popcount(lanes);
		set &= ~((uint64_t)0xff << first);
#else
		const int first = __builtin_ctzll(set);

		idx[n] = base + (IDX)first;
		val[n++] = scaled ? alpha * sum[first] : sum[first];
		sum[first] = 0;
		set &= set - 1;
#endif
	}
	return n;
}
