/* SPDX-License-Identifier: BSD-3-Clause
 * Random distributions whose results have the same bits on every machine: powers are computed from
 * square roots, row lengths are drawn from a table of cumulative probabilities, and bell-shaped
 * numbers are sums of uniform ones. */
#include <math.h>

#include "gen/gen.h"
#include "prim_body/heap_sort.h"
#include "prim_body/sort.h"

/* Computes x^e as x^(whole part of e) times some of the square roots x^(1/2), x^(1/4), ...: those
 * for which the corresponding binary place of e is 1. This uses only sqrt and *, which are rounded
 * alike everywhere. */
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

		for (int k = 1; k < degree && power <= n; k++)
			power = power > n / mid ? n + 1 : power * mid;
		if (power <= n)
			low = mid;
		else
			high = mid;
	}
	return high <= n && degree == 1 ? high : low;
}

void eki_gen_sort(int64_t *col, int64_t n)
{
	const eki_pair_at run = {col, NULL};
	const eki_pair_kind of = {sizeof *col, 0, false};

	if (n > 48)
		eki_heap_sort(n, run, of);
	else
		eki_insertion_sort(n, run, of);
}

/* Goes through the sorted columns from left to right and raises each to at least one more than the
 * column before it. Then goes from right to left and lowers each to at most one less than the
 * column after it. */
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

/* If n is more than an eighth of the range, visits each column in turn and takes it with
 * probability (columns still to take) / (columns still to visit) (Knuth, Algorithm S). Otherwise
 * draws each column independently. The driver moves the few repeated columns by one place. */
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

/* A function that returns the weight of length min + z. `law` has the parameters of the
 * distribution; `before` is the weight of length min + z - 1. */
typedef double weight_fn(const double *law, int64_t z, double before);

/* Fills the table of g with the cumulative probabilities of `len` lengths, scaled to 2^53. The
 * function `weight` returns the weight of each length. */
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

struct drawn {
	const uint64_t *table;
	uint64_t random;
};

static bool below_drawn(const void *of, int64_t i)
{
	const struct drawn *d = of;

	return d->table[i] <= d->random;
}

/* Searches the table by galloping from its start, since most lengths are short. */
int64_t eki_gen_table_draw(const eki_gen *g, int64_t min, uint64_t random)
{
	return min +
	       eki_gallop(0, g->table_len, below_drawn, &(struct drawn){g->table, random >> 11});
}

/* Finds the exponent by bisection over multiples of 1/1024, for which powers need at most ten
 * square roots. */
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
