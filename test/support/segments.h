/* SPDX-License-Identifier: BSD-3-Clause
 * Segments of many shapes, given by flags or by offsets, and numbers of all types. */
#ifndef TEST_SEGMENTS_H
#define TEST_SEGMENTS_H

#include <stdbool.h>

#include "evenkeel/ek.h"
#include "support/random.h"

enum shape {
	SHAPE_ONE,   /* one segment over all */
	SHAPE_EACH,  /* each entry is a segment */
	SHAPE_SHORT, /* of 1 to 7 entries */
	SHAPE_POWER, /* few are very long */
	SHAPE_EDGES, /* end where vectors, words of flags and blocks end */
	SHAPE_EMPTY, /* among others long runs of empty ones, at both ends too */
	SHAPE_LONG,  /* of up to 500 */
	SHAPES
};

struct segments {
	int64_t n, count;
	int64_t *offset;
	int32_t *offset32;
	uint8_t *flag; /* any number but 0 where a segment begins; entry 0 has 0 at times */
};

void segments_make(struct segments *g, enum shape shape, int64_t n, struct rng *r);
void segments_free(struct segments *g);
/* Without the empty ones, which flags cannot express. */
int64_t segments_count(const struct segments *g, bool flags);
ek_segments segments_given(const struct segments *g, bool flags, ek_value offset_type);

/* ek_method_next among the methods of segmented scan and sum. */
const ek_method *segmented_next(const ek_method *m);
bool segmented_sums(const ek_method *m); /* not scans */

/* A long double holds numbers of all types; sums of integers wrap around. */
long double number_at(ek_value type, const void *v, int64_t i);
long double number_identity(ek_value type, ek_monoid op);
long double number_join(ek_value type, ek_monoid op, long double a, long double b);

#endif
