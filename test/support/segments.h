/* SPDX-License-Identifier: BSD-3-Clause
 * Segments of many shapes, given by flags or by offsets, and numbers of all types. */
#ifndef TEST_SEGMENTS_H
#define TEST_SEGMENTS_H

#include <stdbool.h>

#include "evenkeel/ek.h"
#include "support/random.h"

enum shape {
	SHAPE_ONE,   /* one segment with all entries */
	SHAPE_EACH,  /* each entry is a segment */
	SHAPE_SHORT, /* segments of 1 to 7 entries */
	SHAPE_POWER, /* many short segments, few very long ones */
	SHAPE_EDGES, /* segments that end where vectors, words of flags and blocks end */
	SHAPE_EMPTY, /* some empty segments, with long runs of them inside and at both ends */
	SHAPE_LONG,  /* segments of up to 500 entries */
	SHAPES
};

struct segments {
	int64_t n, count;
	int64_t *offset;
	int32_t *offset32;
	uint8_t *flag; /* nonzero where a segment begins, except that entry 0 sometimes has 0 */
};

void segments_make(struct segments *g, enum shape shape, int64_t n, struct rng *r);
void segments_free(struct segments *g);
/* Returns the number of segments. If `flags` is true, counts only the nonempty ones, as flags
 * cannot express empty segments. */
int64_t segments_count(const struct segments *g, bool flags);
ek_segments segments_given(const struct segments *g, bool flags, ek_value offset_type);

/* Returns the next method of segmented scan or sum for the processor after m, as ek_method_next
 * does for all methods. */
const ek_method *segmented_next(const ek_method *m);
bool segmented_sums(const ek_method *m); /* whether m is a method of segmented sum, not scan */

/* Numbers of any type as long double, and the identity and the operator of ek_monoid for them. Sums
 * of integers wrap around. */
long double number_at(ek_value type, const void *v, int64_t i);
long double number_identity(ek_value type, ek_monoid op);
long double number_join(ek_value type, ek_monoid op, long double a, long double b);

#endif
