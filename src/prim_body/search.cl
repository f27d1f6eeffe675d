/* SPDX-License-Identifier: BSD-3-Clause
 * Searches in sorted arrays: functions for kernels, the same as in prim_body/search.h. A line
 * #include "prim_body/search.cl" in a kernel is replaced by this text (gpu/prelude.c). */
#ifndef EK_SEARCH_CL
#define EK_SEARCH_CL

/* Returns the first index in [low, high) whose element is greater than k, or `high` if there is
 * none. */
EK_FN ek_i64 ek_upper_bound(const EK_GLOBAL PTR *v, ek_i64 low, ek_i64 high, ek_i64 k)
{
	while (low < high) {
		const ek_i64 middle = low + (high - low) / 2;

		if (v[middle] <= k)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns the last index in [low, high] whose element is at most e, as that of `low` is. */
EK_FN ek_i64 ek_last_not_above(const EK_GLOBAL ek_i64 *v, ek_i64 low, ek_i64 high, ek_i64 e)
{
	while (low < high) {
		const ek_i64 middle = low + (high - low + 1) / 2;

		if (v[middle] <= e)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Returns how many rows end before the point where the merge path of row ends and entries crosses
 * diagonal d. Row i ends at end[i]. */
EK_FN ek_i64 ek_merge_path(const EK_GLOBAL PTR *end, ek_i64 rows, ek_i64 entries, ek_i64 d)
{
	ek_i64 low = d > entries ? d - entries : 0, high = d < rows ? d : rows;

	while (low < high) {
		const ek_i64 middle = low + (high - low) / 2;

		if (end[middle] <= d - middle - 1)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Does the same as ek_merge_path, for an array in local memory. */
EK_FN int ek_merge_path_local(const EK_LOCAL_PTR int *end, int rows, int entries, int d)
{
	int low = d > entries ? d - entries : 0, high = d < rows ? d : rows;

	while (low < high) {
		const int middle = (low + high) / 2;

		if (end[middle] <= d - middle - 1)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
