/* SPDX-License-Identifier: BSD-3-Clause
 * A memory of the places of x, pages or lines, that entries have read, as small as what processors
 * remember. Places that are some multiple of its size apart push each other out. */
#ifndef EK_COST_PLACES_H
#define EK_COST_PLACES_H

#include <stdbool.h>
#include <stdint.h>

enum { EKI_PLACES = 256 };

typedef struct eki_place_memory {
	int64_t seen[EKI_PLACES]; /* 2 + a place, which is never negative; 0 is none */
} eki_place_memory;

/* Remembers a place, and tells whether neither it nor one beside it was remembered before. */
static inline bool eki_place_new(eki_place_memory *p, int64_t place)
{
	const int64_t number = place + 2;
	bool new = true;

	for (int64_t near = number - 1; near <= number + 1; near++)
		new &= p->seen[near % EKI_PLACES] != near;
	p->seen[number % EKI_PLACES] = number;
	return new;
}

#endif
