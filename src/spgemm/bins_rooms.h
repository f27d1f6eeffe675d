/* SPDX-License-Identifier: BSD-3-Clause
 * The rooms of temporary rows of SpGEMM by bins: guesses of the first, and growth. */
#ifndef EK_SPGEMM_BINS_ROOMS_H
#define EK_SPGEMM_BINS_ROOMS_H

#include "spgemm/bins.h"

/* Returns the room that a full temporary row gets, at most its bound. */
int64_t eki_bins_grown(eki_bin_memory memory, int64_t room, int64_t bound);
/* Guesses the rooms of all rows by a method that does so. Needs the bounds. Fails with EK_ELIMIT if
 * the limit on memory does not allow it. */
ek_status eki_bins_rooms(eki_step *step, eki_bins *b, eki_bin_memory memory);

#endif
