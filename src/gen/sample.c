/* SPDX-License-Identifier: BSD-3-Clause
 * Distributions that come out alike on every machine: powers by square roots, laws of lengths
 * by a table of cumulated probabilities, sums of uniform numbers for bells. */
#include <math.h>

#include "gen/gen.h"

/* x^e = x^(whole part) times the square roots x^(1/2), x^(1/4), ... that the binary places of e ask
 * for: sqrt and * are rounded alike everywhere. */
double eki_gen_pow(double x, double e)
{
	int64_t whole = (int64_t)e;
	double fraction = e - (double)whole, root = x, power = 1;

	for (int64_t k = 0; k < whole; k++)
		power *= x;
	for (int bit = 0; bit < 20 && fraction > 0; bit++) {
		root = sqrt(root);
		fraction *= 2;
		if (fraction >= 1) {
			power *= root;
			fraction -= 1;
		}
	}
	return power;
}

int64_t eki_gen_root(int64_t n, int degree)
{
	int64_t low = 0, high = degree == 1 ? n : degree == 2 ? 3000000000 : 2000000;

	while (high - low > 1) {
		int64_t mid = low + (high - low) / 2, power = mid;

		for (int k = 1; k < degree; k++)
			power *= mid;
		if (power <= n)
			low = mid;
		else
			high = mid;
	}
	return high <= n && degree == 1 ? high : low;
}

static void sift(int64_t *col, int64_t root, int64_t n)
{
	int64_t c = col[root];

	for (int64_t child; (child = 2 * root + 1) < n; root = child) {
		child += child + 1 < n && col[child + 1] > col[child];
		if (col[child] <= c)
			break;
		col[root] = col[child];
	}
	col[root] = c;
}

/* Insertion for short rows, heap sort (Williams 1964) for long ones: no workspace, no bad case. */
void eki_gen_sort(int64_t *col, int64_t n)
{
	if (n > 48) {
		for (int64_t k = n / 2 - 1; k >= 0; k--)
			sift(col, k, n);
		for (int64_t k = n - 1; k > 0; k--) {
			int64_t c = col[0];

			col[0] = col[k];
			col[k] = c;
			sift(col, 0, k);
		}
		return;
	}
	for (int64_t k = 1; k < n; k++) {
		int64_t c = col[k], at = k;

		for (; at > 0 && col[at - 1] > c; at--)
			col[at] = col[at - 1];
		col[at] = c;
	}
}

/* From the left each column is moved behind the one before, then from the right each before the one
 * behind. */
void eki_gen_settle(int64_t *col, int64_t n, int64_t cols)
{
	bool fine = n == 0 || (col[0] >= 0 && col[n - 1] < cols), sorted = true;

	for (int64_t k = 1; k < n; k++) {
		sorted &= col[k - 1] <= col[k];
		fine &= col[k - 1] < col[k];
	}
	if (fine)
		return;
	if (!sorted)
		eki_gen_sort(col, n);
	for (int64_t k = 0, least = 0; k < n; k++, least++)
		col[k] = least = col[k] > least ? col[k] : least;
	for (int64_t k = n - 1, most = cols - 1; k >= 0; k--, most--)
		col[k] = most = col[k] < most ? col[k] : most;
}

/* Many of few: each in turn with the probability that is left (Knuth, Algorithm S). Few of many:
 * independent draws; the driver moves the rare repetitions by one place. */
void eki_gen_choose(uint64_t *rng, int64_t begin, int64_t end, int64_t n, int64_t *col)
{
	if (n > (end - begin) / 8) {
		for (int64_t j = begin, left = n; left > 0; j++)
			if (eki_rng_below(rng, end - j) < left)
				col[n - left--] = j;
	} else {
		for (int64_t k = 0; k < n; k++)
			col[k] = begin + eki_rng_below(rng, end - begin);
	}
}

double eki_gen_bell(uint64_t *rng, double mean, double width)
{
	double sum = 0;

	for (int k = 0; k < 4; k++)
		sum += eki_rng_unit(rng);
	return mean + width * (sum / 2 - 1);
}

ek_status eki_gen_table(eki_gen *g, int64_t len)
{
	void *table;

	EK_RETURN_IF(eki_alloc(g->ctx, len, sizeof *g->table, &table));
	g->table = table;
	g->table_len = len;
	return EK_OK;
}

/* Cumulated probabilities, scaled to 2^53, of weights that may follow from the one before. */
typedef double weight_fn(const double *law, int64_t z, double before);

static ek_status cumulate(eki_gen *g, int64_t len, weight_fn *weight, const double *law)
{
	double total = 0, sum = 0, w = 0;

	EK_RETURN_IF(eki_gen_table(g, len));
	for (int64_t z = 0; z < len; z++)
		total += w = weight(law, z, w);
	for (int64_t z = 0; z < len; z++) {
		sum += w = weight(law, z, w);
		g->table[z] = (uint64_t)(sum / total * 0x1p53);
	}
	g->table[len - 1] = UINT64_C(1) << 53;
	return EK_OK;
}

static double zipf_weight(const double *law, int64_t z, double before)
{
	(void)before;
	return 1 / eki_gen_pow((double)z + law[0], law[1]);
}

ek_status eki_gen_zipf(eki_gen *g, int64_t min, int64_t max, double shift, double exponent)
{
	return cumulate(g, max - min + 1, zipf_weight, (double[]){shift, exponent});
}

static double geometric_weight(const double *law, int64_t z, double before)
{
	return z ? before * law[0] : 1;
}

ek_status eki_gen_geometric(eki_gen *g, int64_t min, int64_t max, double mean)
{
	double above = mean - (double)min;

	return cumulate(g, max - min + 1, geometric_weight, (double[]){above / (above + 1)});
}

/* Gallops, since most lengths are short, then bisects. */
int64_t eki_gen_table_draw(const eki_gen *g, int64_t min, uint64_t random)
{
	int64_t low = -1, high = 0;

	random >>= 11;
	while (random >= g->table[high]) {
		low = high;
		high = 2 * high + 1 < g->table_len ? 2 * high + 1 : g->table_len - 1;
	}
	while (high - low > 1) {
		int64_t mid = low + (high - low) / 2;

		if (random >= g->table[mid])
			low = mid;
		else
			high = mid;
	}
	return min + high;
}

/* Bisects over multiples of 1/1024, whose powers need ten square roots at most. */
double eki_gen_zipf_fit(int64_t min, int64_t max, double shift, double mean)
{
	int low = 0, high = 8 * 1024;

	while (high - low > 1) {
		int mid = (low + high) / 2;
		double law[] = {shift, mid / 1024.0}, weight = 0, sum = 0;

		for (int64_t z = 0; z <= max - min; z++) {
			double p = zipf_weight(law, z, 0);

			weight += p;
			sum += p * (double)z;
		}
		if ((double)min + sum / weight > mean)
			low = mid;
		else
			high = mid;
	}
	return low / 1024.0;
}
