/* SPDX-License-Identifier: BSD-3-Clause
 * Bins of rows by the upper bound on their entries, for spgemm/csr_bins.c and
 * spgemm_gpu/csr_bins.c. */
#ifndef EK_SPGEMM_BINS_H
#define EK_SPGEMM_BINS_H

#include "plan/plan.h"

enum {
	EKI_BINS = 38,
	EKI_BIN_LONG = 37,    /* the last bin: that of all longer rows */
	EKI_HEAP_MOST = 32,   /* greatest bound of group 3, which has a bin for each bound */
	EKI_ESC_MOST = 512,   /* greatest bound of group 4, whose bins end at powers of two */
	EKI_LONG_FIRST = 256, /* entries that a temporary row of group 5 has room for at first */
	EKI_PROGRESSIVE_FIRST = 32 /* the same for all rows, with the progressive method */
};

/* The groups of bins; each has a method for its rows. */
typedef enum eki_bin_group {
	EKI_GROUP_EMPTY = 1, /* bin 0 */
	EKI_GROUP_COPY,      /* bin 1 */
	EKI_GROUP_HEAP,      /* bins 2 to 32 */
	EKI_GROUP_ESC,       /* bins 33 to 36 */
	EKI_GROUP_MERGE      /* bin 37 */
} eki_bin_group;

/* Ways to get memory for rows whose lengths are not known: the parameter of the method. */
typedef enum eki_bin_memory {
	EKI_MEMORY_HYBRID = 1, /* temporary rows as long as the bound; those of group 5 grow */
	EKI_MEMORY_BOUND,      /* temporary rows as long as the bound */
	EKI_MEMORY_PRECISE,    /* C is counted, then filled */
	/* temporary rows of groups 3 to 5 are merged, and grow from a guess: an estimate of their
	 * lengths, or EKI_PROGRESSIVE_FIRST (bins_rooms.c) */
	EKI_MEMORY_PROBABILISTIC,
	EKI_MEMORY_PROGRESSIVE
} eki_bin_memory;

enum { EKI_MEMORY_METHODS = EKI_MEMORY_PROGRESSIVE };
/* clang-format off */
#define EKI_BINS_PARAMETERS { \
	{"memory", 1, EKI_MEMORY_METHODS, \
	 "1 hybrid, 2 upper bound, 3 precise, 4 probabilistic, 5 progressive"}, \
}
/* clang-format on */

/* Tells whether temporary rows grow. */
static inline bool eki_bins_grow(eki_bin_memory memory)
{
	return memory != EKI_MEMORY_BOUND && memory != EKI_MEMORY_PRECISE;
}
/* Tells whether all rows that do grow start from guesses. */
static inline bool eki_bins_guess(eki_bin_memory memory)
{
	return memory >= EKI_MEMORY_PROBABILISTIC;
}

/* Rows of C in bins. */
typedef struct eki_bins {
	/* rows begin[b] .. begin[b + 1] - 1 of `row` are those of bin b, ascending */
	int64_t begin[EKI_BINS + 1], *row;
	int64_t products[EKI_BINS]; /* sum of the bounds of each bin */
	/* bound of each row; after eki_bins_places, where its temporary row begins */
	int64_t *at;
	int64_t total, most; /* sum of all bounds; greatest bound */
	/* entries of all temporary rows of the hybrid method: at first, and if all rows of group 5
	 * grow to their bounds */
	int64_t hybrid_first, hybrid_most;
	/* The methods that guess: room of each temporary row at first, and place of each row in
	 * `row`; sums as those of the hybrid method. NULL and 0 with other methods. */
	int64_t *room, *rank, room_first, room_most;
} eki_bins;

/* Returns the bin of rows that may have up to `bound` entries. */
int eki_bin_of(int64_t bound);
/* Returns the group of a bin. */
eki_bin_group eki_bin_group_of(int bin);
/* Allocates the arrays of *b for the rows of C. They belong to the plan. */
ek_status eki_bins_begin(eki_step *step, eki_bins *b);
/* Puts the rows, whose bounds are in b->at, into bins. */
void eki_bins_fill(eki_bins *b, int64_t rows);
/* Does both, and computes the bounds on the processor. */
ek_status eki_bins_make(eki_step *step, eki_bins *b);
/* Returns the first bin whose temporary rows may grow. */
static inline int eki_bins_growing(const eki_bins *b)
{
	return b->room ? 2 : EKI_BIN_LONG;
}
/* Replaces the bounds of the rows by the places of their temporary rows. Returns the number of
 * entries that all temporary rows have room for. */
int64_t eki_bins_places(eki_bins *b, eki_bin_memory memory);
/* Adds what is in the bins to the text of ek_plan_explain. */
ek_status eki_bins_say(eki_step *step, const eki_bins *b);

#endif
