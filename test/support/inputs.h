/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays of any type of number, each hard for some of the methods that compare numbers. */
#ifndef TEST_INPUTS_H
#define TEST_INPUTS_H

#include "evenkeel/ek.h"
#include "support/random.h"

enum input {
	BITS,  /* random bits */
	SMALL, /* integers 0 to 99 */
	EQUAL,
	TWO,
	SORTED,
	REVERSED,
	ORGAN,  /* ascending, then descending */
	KILLER, /* the worst case for quicksort with the median of three (Musser 1997) */
	SAWTOOTH,
	PERIOD,  /* periodic in a power of two, so equal steps sample few values */
	OUTLIER, /* all numbers except one in the same bucket of a radix method */
	CLOSE,   /* numbers that differ only in the last digit of a radix method */
	ENDS,    /* special values: zeros, infinities, NaN, least and greatest numbers */
	SAMPLED, /* large numbers at the places of both samples of kselect.sample */
	UNIT,    /* uniform floats, 0 <= x < 1, or integers scaled from them */
	INPUTS
};

void input_make(enum input kind, ek_value type, int64_t n, struct rng *r, void *v);

/* bits_at returns the bits of number i in the lowest 4 or 8 bytes. bits_set stores such bits. */
uint64_t bits_at(ek_value type, const void *v, int64_t i);
void bits_set(ek_value type, void *v, int64_t i, uint64_t bits);
/* Returns the rank of a number. Ranks have the same order as the numbers. The order of floats is
 * the total order of IEEE 754. */
uint64_t rank_of(ek_value type, uint64_t bits);
void ranks_sorted(ek_value type, const void *v, int64_t n, uint64_t *rank);
/* Computes the sorted ranks of each of several lists, as ranks_sorted does for one. */
void lists_ranks(ek_value type, const char *in, int64_t lists, int64_t n, uint64_t *rank);

#endif
