/* SPDX-License-Identifier: BSD-3-Clause
 * Declarations that the generators share. A generator (one line of generators.def) has a name, an
 * example that lists all its parameters with their defaults, and the limits of these parameters.
 * Its functions compute the length and the columns of any row of the matrix, independently of other
 * rows. The driver (generate.c) does the rest: parsing, allocation, threads, sorting, values.
 *
 * A row depends only on the seed and the row number, because its random numbers are computed from a
 * counter. So the matrix does not depend on the number of threads. The only floating-point
 * operations are + - * / and sqrt. Unlike exp, log and pow, these are rounded alike on every
 * machine (IEEE 754). */
#ifndef EK_GEN_H
#define EK_GEN_H

#include "base/mix.h"
#include "matrix/matrix.h"

enum { EKI_GEN_PARAMS = 8, EKI_GEN_DIMS = 8, EKI_GEN_NAME = 64 };

typedef enum eki_gen_values {
	EKI_VALUES_REAL,
	EKI_VALUES_INTEGER,
	EKI_VALUES_STENCIL /* only for generators that set `diagonal` */
} eki_gen_values;

typedef struct eki_gen {
	const ek_context *ctx;
	const ek_generator *generator;
	uint64_t seed;
	eki_gen_values values;
	char name[EKI_GEN_NAME];      /* parameter `name`, for generators that have it */
	double param[EKI_GEN_PARAMS]; /* values in the order of the generator's `limit` */
	bool given[EKI_GEN_PARAMS];   /* whether the caller gave param[k] */
	/* `setup` sets this member and all that follow. */
	int64_t rows, cols;
	int64_t dim[EKI_GEN_DIMS]; /* numbers for the generator's own use */
	uint64_t *table; /* from eki_gen_table, for the generator's own use; freed by the driver */
	int64_t table_len;
	const void *model;   /* static data for the generator's own use */
	const ek_store *csr; /* the row pointers; set by the driver before it calls `fill` */
} eki_gen;

typedef struct eki_gen_limit {
	const char *name;
	double min, max;
	bool real; /* whether fractions are accepted, not only whole numbers */
} eki_gen_limit;

struct ek_generator {
	const char *name, *text, *example;
	/* Limits of all parameters that `example` has, except seed, values and name. `cols` must
	 * come right after `rows`. */
	eki_gen_limit limit[EKI_GEN_PARAMS];
	/* Value of the entries on the diagonal if values=stencil; all other entries are then -1.
	 * Zero if the generator does not accept values=stencil. */
	double diagonal;
	/* Checks conditions that the limits cannot express, and sets rows, cols and the generator's
	 * own members. */
	ek_status (*setup)(eki_gen *g);
	/* Returns the length of row i, at most cols. */
	int64_t (*count)(const eki_gen *g, int64_t i);
	/* Changes row lengths after all of them have been computed, so that their sum is as
	 * required. NULL if the generator needs no such changes. */
	void (*adjust)(const eki_gen *g, ek_store *csr);
	/* Writes n columns of row i to `col`. The driver then sorts these columns, moves those
	 * outside the matrix to its edge, and moves repeated columns to the next free one. */
	void (*fill)(const eki_gen *g, int64_t i, int64_t n, int64_t *col);
	/* Makes row pointers and columns of the whole matrix. A generator with this function has no
	 * `count`, `adjust` or `fill`. */
	ek_status (*build)(const eki_gen *g, ek_value value, ek_index index, ek_store *csr);
};

/* ---- spec.c ---------------------------------------------------------------------------------- */

/* Parses `spec`, such as "banded:n=1000", and sets the generator and its parameters in *g. */
ek_status eki_gen_parse(const char *spec, eki_gen *g);
/* Returns EK_EINVAL, with a message that names parameter `param` and its bad value. `expected` says
 * in that message which values are accepted. */
ek_status eki_gen_bad(const eki_gen *g, int param, const char *expected);
/* Lowers a parameter to `most` unless the caller gave it, so that defaults fit a small matrix. */
void eki_gen_fit(eki_gen *g, int param, double most);
/* Lowers a parameter to `most` unless the caller gave it. If the caller gave a larger value,
 * returns EK_EINVAL. `expected` then says in the message which values are accepted. */
ek_status eki_gen_at_most(eki_gen *g, int param, double most, const char *expected);

/* ---- sample.c -------------------------------------------------------------------------------- */

/* Returns x to the power of e, where e >= 0 is truncated to 20 binary places. The result has the
 * same bits on every machine. */
double eki_gen_pow(double x, double e);
/* Sorts columns in place, in O(n log n) time at worst. */
void eki_gen_sort(int64_t *col, int64_t n);
/* Makes n columns (n <= cols) sorted, distinct and inside 0 .. cols - 1. Moves as few columns as it
 * can. */
void eki_gen_settle(int64_t *col, int64_t n, int64_t cols);
/* Draws n columns from [begin, end), all equally likely. Columns may repeat if n is small compared
 * with the range. */
void eki_gen_choose(uint64_t *rng, int64_t begin, int64_t end, int64_t n, int64_t *col);
/* Fills the table of g with a distribution of lengths from min to max. With eki_gen_zipf, the
 * probability of a length is proportional to (length - min + shift)^-exponent, with shift > 0
 * (Zipf, Mandelbrot). With eki_gen_geometric, the probability falls by a constant factor from each
 * length to the next; the mean is close to `mean` if max is far above it. */
ek_status eki_gen_zipf(eki_gen *g, int64_t min, int64_t max, double shift, double exponent);
ek_status eki_gen_geometric(eki_gen *g, int64_t min, int64_t max, double mean);
/* Returns the exponent for which the mean length in the table of eki_gen_zipf is nearest to
 * `mean`. */
double eki_gen_zipf_fit(int64_t min, int64_t max, double shift, double mean);
/* Returns the length that the number `random` selects from the table of g. `min` is the smallest
 * length in the table. */
int64_t eki_gen_table_draw(const eki_gen *g, int64_t min, uint64_t random);
/* Draws a number between mean - width and mean + width with a bell-shaped distribution: a scaled
 * sum of four uniform numbers. */
double eki_gen_bell(uint64_t *rng, double mean, double width);
ek_status eki_gen_table(eki_gen *g, int64_t len);
int64_t eki_gen_root(int64_t n, int degree); /* returns the largest r with r^degree <= n */

/* ---- Random numbers --------------------------------------------------------------------------
 * SplitMix64 (Steele, Lea, Flood 2014): the state is a counter, and a random number is the counter
 * with its bits mixed. */

/* Returns the initial state of the random numbers of row i in stream number `stream`. Streams are
 * independent of one another. */
static inline uint64_t eki_rng(const eki_gen *g, int stream, int64_t i)
{
	uint64_t s = eki_random_at((uint64_t)stream, g->seed);

	return eki_mix(s + 0xd1342543de82ef95u * (uint64_t)(i + 1));
}

static inline uint64_t eki_rng_next(uint64_t *rng)
{
	return eki_mix(*rng += EKI_GOLDEN);
}

/* Returns the next random number, uniform in [0, 1). */
static inline double eki_rng_unit(uint64_t *rng)
{
	return (double)(eki_rng_next(rng) >> 11) * 0x1p-53;
}

/* Returns the next random number, uniform in 0 .. n - 1; n is at most 2^52. */
static inline int64_t eki_rng_below(uint64_t *rng, int64_t n)
{
	return (int64_t)(eki_rng_unit(rng) * (double)n);
}

/* The streams of random numbers, one for each purpose. */
enum { EKI_RNG_LENGTH = 1, EKI_RNG_COLUMN = 2, EKI_RNG_VALUE = 3, EKI_RNG_OTHER = 4 };

#endif
