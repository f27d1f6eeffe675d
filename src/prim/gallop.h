/* SPDX-License-Identifier: BSD-3-Clause
 * The search by growing steps, in each pass of a file with EK_INTS_ONLY: 1, 2, 4 ... entries
 * onwards, then bisection of the last step; O(log distance). Bentley and Yao 1976. */

/* The first of entries j .. n - 1 that is not below x, or n. */
static int64_t FN(gallop)(const VAL *b, int64_t j, int64_t n, VAL x)
{
	int64_t step = 1, end;

	while (step <= n - j && b[j + step - 1] < x) {
		j += step;
		step *= 2;
	}
	end = step <= n - j ? j + step - 1 : n;
	while (j < end) {
		const int64_t mid = j + (end - j) / 2;

		if (b[mid] < x)
			j = mid + 1;
		else
			end = mid;
	}
	return j;
}
