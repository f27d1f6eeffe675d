/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays that are hard for methods that compare numbers, and the ranks of numbers, computed from
 * their bits. */
#include <math.h>
#include <stdbool.h>

#include "support/inputs.h"
#include "support/support.h"

/* ---- Numbers as bits ------------------------------------------------------------------------- */

uint64_t bits_at(ek_value type, const void *v, int64_t i)
{
	uint32_t b4;
	uint64_t b8;

	if (ek_value_size(type) == 4) {
		memcpy(&b4, (const char *)v + i * 4, 4);
		return b4;
	}
	memcpy(&b8, (const char *)v + i * 8, 8);
	return b8;
}

void bits_set(ek_value type, void *v, int64_t i, uint64_t bits)
{
	uint32_t b4 = (uint32_t)bits;

	if (ek_value_size(type) == 4)
		memcpy((char *)v + i * 4, &b4, 4);
	else
		memcpy((char *)v + i * 8, &bits, 8);
}

/* Returns the rank of a number, computed from its sign and magnitude. */
uint64_t rank_of(ek_value type, uint64_t bits)
{
	const int last = 8 * (int)ek_value_size(type) - 1;
	const uint64_t top = UINT64_C(1) << last, all = top | (top - 1);
	const bool floats = type == EK_F32 || type == EK_F64;

	if (!floats)
		return (bits + top) & all;
	return bits & top ? top - 1 - (bits & (top - 1)) : bits + top;
}

static int by_rank(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void ranks_sorted(ek_value type, const void *v, int64_t n, uint64_t *rank)
{
	for (int64_t i = 0; i < n; i++)
		rank[i] = rank_of(type, bits_at(type, v, i));
	qsort(rank, (size_t)n, sizeof *rank, by_rank);
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

static uint64_t special(ek_value type, struct rng *r)
{
	static const float f4[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN,
	                           -NAN, 1.0f,  1e-45f,   -1e-45f};
	const int last = 8 * (int)ek_value_size(type) - 1;
	const uint64_t top = UINT64_C(1) << last;
	const int which = (int)rng_below(r, 9);
	double f8 = (double)f4[which];
	uint64_t bits;
	uint32_t b4;

	if (type == EK_INT32 || type == EK_INT64)
		return (const uint64_t[]){
			0, 1, 2, (uint64_t)-1, top, top - 1, top + 1, top - 2, 77}[which];
	memcpy(&b4, &f4[which], 4);
	memcpy(&bits, &f8, 8);
	if (rng_below(r, 8) == 0) /* the least or the greatest float in IEEE's total order: a NaN */
		return rng_below(r, 2) ? top - 1 : top | (top - 1);
	return type == EK_F32 ? b4 : bits;
}

/* Stores large numbers where kselect_sample.c takes its sample: `run` neighbours in each piece. */
static void at_sample(ek_value type, int64_t n, int run, uint64_t seed, void *v)
{
	const double root = 3 * sqrt((double)n);
	const int count = root < 4096 ? (int)root / 4 * 4 : 4096;
	const uint64_t pieces = (uint64_t)(count / run);
	const uint64_t stride = pieces ? (uint64_t)n / pieces : 0,
		       places = stride - (uint64_t)run + 1;

	for (uint64_t i = 0; i < pieces; i++) {
		uint64_t random = (i + seed) * UINT64_C(0x9e3779b97f4a7c15);

		random = (random ^ random >> 32) * UINT64_C(0xd6e8feb86659fd93);
		for (int j = 0; j < run; j++)
			value_set(type, v,
			          (int64_t)(i * stride + ((random >> 32) * places >> 32)) + j, 1e9);
	}
}

void input_make(enum input kind, ek_value type, int64_t n, struct rng *r, void *v)
{
	const bool floats = type == EK_F32 || type == EK_F64;

	for (int64_t i = 0; i < n; i++) {
		double x = 0;

		switch (kind) {
		case SMALL: x = (double)rng_below(r, 100); break;
		case EQUAL: x = 5; break;
		case TWO: x = (double)rng_below(r, 2) - 1; break;
		case SORTED: x = (double)i; break;
		case REVERSED: x = (double)-i; break;
		case ORGAN: x = (double)(i < n / 2 ? i : n - i); break;
		case KILLER:
			x = (double)(i >= n / 2 ? 2 * (i - n / 2 + 1) : i % 2 ? n / 2 + i : i + 1);
			break;
		case SAWTOOTH: x = (double)(i % 37); break;
		case PERIOD: x = (double)(i % 64 ? i % 1024 : -i); break;
		case OUTLIER: x = i == n / 3 ? -1e9 : 1e6 + (double)rng_below(r, 3); break;
		case CLOSE: x = (double)(1000000 + rng_below(r, 1000)); break;
		case SAMPLED: x = (double)rng_below(r, 1000000); break;
		case UNIT:
			x = (double)(rng_next(r) >> 11) * 0x1p-53;
			x = floats ? x : x * 2e9 - 1e9;
			break;
		default:
			bits_set(type, v, i, kind == BITS ? rng_next(r) : special(type, r));
			continue;
		}
		value_set(type, v, i, x);
	}
	if (kind == SAMPLED && n > 1024) {
		at_sample(type, n, 4, 4096, v);
		at_sample(type, n, 1, 8192, v);
	}
}

void lists_ranks(ek_value type, const char *in, int64_t lists, int64_t n, uint64_t *rank)
{
	for (int64_t j = 0; j < lists; j++)
		ranks_sorted(type, in + j * n * (int64_t)ek_value_size(type), n, rank + j * n);
}
