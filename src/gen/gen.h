/* SPDX-License-Identifier: BSD-3-Clause
 * What the generators share. A generator is a row of a table (generators.def): a name, an example
 * that lists all its parameters with their defaults, the limits of these parameters, and functions
 * that say, for any row of the matrix on its own, how long it is and which columns it has. The
 * driver (generate.c) does the rest: parsing, allocation, threads, sorting, values.
 *
 * Rows are functions of (seed, row) alone, by random numbers that are computed from a counter, so
 * the matrix does not depend on the number of threads. Only + - * / and sqrt are used on floating
 * point numbers, which IEEE 754 rounds alike everywhere; exp, log and pow it does not. */
#ifndef EK_GEN_H
#define EK_GEN_H

#include "core/ek_core.h"

enum { EKI_GEN_PARAMS = 8, EKI_GEN_DIMS = 8, EKI_GEN_NAME = 64 };

typedef enum eki_gen_values {
	EKI_VALUES_REAL,
	EKI_VALUES_INTEGER,
	EKI_VALUES_STENCIL /* of generators that have a `diagonal` */
} eki_gen_values;

typedef struct eki_gen {
	const ek_context *ctx;
	const ek_generator *generator;
	uint64_t seed;
	eki_gen_values values;
	char name[EKI_GEN_NAME];      /* name=..., of the generators that have it */
	double param[EKI_GEN_PARAMS]; /* in the order of the generator's limits */
	bool given[EKI_GEN_PARAMS];   /* else the default of the example */
	/* What `setup` fills in. */
	int64_t rows, cols;
	int64_t dim[EKI_GEN_DIMS]; /* the generator's own */
	uint64_t *table; /* the generator's own, from eki_gen_table; the driver frees it */
	int64_t table_len;
	const void *model; /* the generator's own, static */
} eki_gen;

typedef struct eki_gen_limit {
	const char *name;
	double min, max;
	bool real; /* else a whole number is expected */
} eki_gen_limit;

struct ek_generator {
	const char *name, *text, *example;
	eki_gen_limit
		limit[EKI_GEN_PARAMS]; /* every parameter of the example but seed, values, name;
	                                  cols stands behind rows */
	double diagonal; /* of values=stencil, -1 elsewhere; 0: there is no such choice */
	/* Checks what the limits cannot express, and sets rows, cols and whatever it likes. */
	ek_status (*setup)(eki_gen *g);
	int64_t (*count)(const eki_gen *g, int64_t i); /* length of row i, at most cols */
	/* Changes lengths after all were counted, to meet figures of the whole matrix. NULL: not
	 * needed. */
	void (*adjust)(const eki_gen *g, ek_store *csr);
	/* Columns of row i, which has n: the driver sorts them, brings those outside to the edge,
	 * and moves those that repeat to the next free place. */
	void (*fill)(const eki_gen *g, int64_t i, int64_t n, int64_t *col);
	/* Instead of count, adjust and fill: row pointers and columns of the whole matrix. */
	ek_status (*build)(const eki_gen *g, ek_value value, ek_index index, ek_store *csr);
};

/* ---- spec.c ---------------------------------------------------------------------------------- */

/* Finds the generator and its parameters. */
ek_status eki_gen_parse(const char *spec, eki_gen *g);
ek_status eki_gen_bad(const eki_gen *g, int param, const char *expected); /* EK_EINVAL */
/* Lowers a parameter that is not given, so that defaults fit a small matrix. */
void eki_gen_fit(eki_gen *g, int param, double most);

/* ---- sample.c -------------------------------------------------------------------------------- */

/* x to the power of e >= 0, with 20 binary places of e, the same bits everywhere. */
double eki_gen_pow(double x, double e);
void eki_gen_sort(int64_t *col, int64_t n);
/* Makes columns sorted, different and inside 0 .. cols - 1 (n <= cols), moving as few as it can;
 * those that are so already stay. */
void eki_gen_settle(int64_t *col, int64_t n, int64_t cols);
/* n columns of [begin, end), equally likely; they may repeat if they are few. */
void eki_gen_choose(uint64_t *rng, int64_t begin, int64_t end, int64_t n, int64_t *col);
/* Laws of lengths min .. max, as a table in g: P(length) proportional to (length - min +
 * shift)^-exponent, shift > 0 (Zipf, Mandelbrot), or falling by the same factor from each length to
 * the next, so that the mean comes near `mean` if max is far above it. */
ek_status eki_gen_zipf(eki_gen *g, int64_t min, int64_t max, double shift, double exponent);
ek_status eki_gen_geometric(eki_gen *g, int64_t min, int64_t max, double mean);
/* The exponent that gives this mean, as nearly as possible. */
double eki_gen_zipf_fit(int64_t min, int64_t max, double shift, double mean);
/* A length from the table. */
int64_t eki_gen_table_draw(const eki_gen *g, int64_t min, uint64_t random);
/* Bell-shaped: mean +- width, a sum of four uniform numbers. */
double eki_gen_bell(uint64_t *rng, double mean, double width);
ek_status eki_gen_table(eki_gen *g, int64_t len);
int64_t eki_gen_root(int64_t n, int degree); /* the largest r with r^degree <= n */

/* ---- Random numbers --------------------------------------------------------------------------
 * SplitMix64 (Steele, Lea, Flood 2014): a counter, and a function that mixes its bits. */

static inline uint64_t eki_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Where row i starts; streams are independent. */
static inline uint64_t eki_rng(const eki_gen *g, int stream, int64_t i)
{
	uint64_t s = eki_mix(g->seed + 0x9e3779b97f4a7c15u * (uint64_t)(stream + 1));

	return eki_mix(s + 0xd1342543de82ef95u * (uint64_t)(i + 1));
}

static inline uint64_t eki_rng_next(uint64_t *rng)
{
	return eki_mix(*rng += 0x9e3779b97f4a7c15u);
}

/* [0, 1) */
static inline double eki_rng_unit(uint64_t *rng)
{
	return (double)(eki_rng_next(rng) >> 11) * 0x1p-53;
}

/* 0 .. n - 1, n at most 2^52 */
static inline int64_t eki_rng_below(uint64_t *rng, int64_t n)
{
	return (int64_t)(eki_rng_unit(rng) * (double)n);
}

/* Streams. */
enum { EKI_RNG_LENGTH = 1, EKI_RNG_COLUMN = 2, EKI_RNG_VALUE = 3, EKI_RNG_OTHER = 4 };

#endif
