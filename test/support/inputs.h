/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays that are hard for one method or another that compares numbers, of any type. */
#ifndef TEST_INPUTS_H
#define TEST_INPUTS_H

#include "evenkeel/ek.h"
#include "support/random.h"

enum input {
	BITS,  /* any bits */
	SMALL, /* 0 .. 99 */
	EQUAL,
	TWO,
	SORTED,
	REVERSED,
	ORGAN,  /* up and down */
	KILLER, /* of the median of three (Musser 1997) */
	SAWTOOTH,
	PERIOD,  /* of a power of two: the sample may meet few values */
	OUTLIER, /* all in one bucket of a radix method but one */
	CLOSE,   /* in the last digit of a radix method only */
	ENDS,    /* special values */
	SAMPLED, /* great only where kselect.sample looks, the first time and the second */
	UNIT,    /* uniform numbers, 0 <= x < 1, or scaled to integers */
	INPUTS
};

void input_make(enum input kind, ek_value type, int64_t n, struct rng *r, void *v);

/* Number i as bits, in the lowest 4 or 8 bytes. */
uint64_t bits_at(ek_value type, const void *v, int64_t i);
void bits_set(ek_value type, void *v, int64_t i, uint64_t bits);
/* The place of a number in the order: of floats, that of IEEE 754. */
uint64_t rank_of(ek_value type, uint64_t bits);
void ranks_sorted(ek_value type, const void *v, int64_t n, uint64_t *rank);
/* The same for each of several lists. */
void lists_ranks(ek_value type, const char *in, int64_t lists, int64_t n, uint64_t *rank);

#endif
