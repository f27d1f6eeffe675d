/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs of keys and values in two arrays. Their sizes are compile-time constants where speed
 * counts. Keys are integers of 4 or 8 bytes, or floats in the total order of IEEE 754: their bits,
 * taken as a signed integer, have that order if all bits except the sign are inverted where the
 * sign is set. Values are bytes, so a value may be of any type. */
#ifndef EK_PRIM_BODY_PAIR_H
#define EK_PRIM_BODY_PAIR_H

#include "prim_body/body.h"

/* Where pairs are stored; `value` is ignored if there are no values. */
typedef struct eki_pair_at {
	void *key;
	char *value;
} eki_pair_at;

/* Size of a key (4 or 8 bytes) and size of a value (0 if there are no values). */
typedef struct eki_pair_kind {
	int64_t key, value;
	bool flip; /* true if keys are floats */
} eki_pair_kind;

/* Returns key i as the integer by which it is compared. */
EKI_BODY int64_t eki_key_at(eki_pair_at p, int64_t i, eki_pair_kind of)
{
	const char *key = (const char *)p.key + i * of.key;
	int32_t narrow;
	int64_t wide;

	if (of.key == 4) {
		memcpy(&narrow, key, sizeof narrow);
		return of.flip ? narrow ^ (INT32_MAX & -(int32_t)(narrow < 0)) : narrow;
	}
	memcpy(&wide, key, sizeof wide);
	return of.flip ? wide ^ (INT64_MAX & -(int64_t)(wide < 0)) : wide;
}

/* Copies pair i of `from` to place o of `to`. */
EKI_BODY void eki_pair_move(eki_pair_at from, int64_t i, eki_pair_at to, int64_t o,
                            eki_pair_kind of)
{
	memcpy((char *)to.key + o * of.key, (const char *)from.key + i * of.key, (size_t)of.key);
	if (of.value)
		memcpy(to.value + o * of.value, from.value + i * of.value, (size_t)of.value);
}

/* Copies n pairs from `from`, beginning at place i, to `to`, beginning at place o. */
EKI_BODY void eki_pairs_copy(int64_t n, eki_pair_at from, int64_t i, eki_pair_at to, int64_t o,
                             eki_pair_kind of)
{
	if (n == 0) /* arrays may then be NULL */
		return;
	memcpy((char *)to.key + o * of.key, (const char *)from.key + i * of.key,
	       (size_t)(n * of.key));
	if (of.value)
		memcpy(to.value + o * of.value, from.value + i * of.value, (size_t)(n * of.value));
}

/* Returns where pair i and the pairs after it are stored. */
EKI_BODY eki_pair_at eki_run_at(eki_pair_at p, int64_t i, eki_pair_kind of)
{
	return (eki_pair_at){(char *)p.key + i * of.key,
	                     of.value ? p.value + i * of.value : p.value};
}

#endif
