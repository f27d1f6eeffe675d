/* SPDX-License-Identifier: BSD-3-Clause
 * Memory between two pages that nobody may touch: an array laid at its end or at its beginning
 * makes the first access behind or before it a crash (as GMP's tests do). */
#ifndef TEST_GUARD_H
#define TEST_GUARD_H

#include <stdbool.h>
#include <stddef.h>

struct guard {
	char *begin; /* of the usable pages */
	size_t size;
};

void guard_make(struct guard *g, size_t capacity);
void *guard_at_end(const struct guard *g, size_t bytes);   /* ends where the pages end */
void *guard_at_begin(const struct guard *g, size_t bytes); /* begins where they begin */
/* At the end (place % 3 = 0), at the beginning, or place / 3 % 16 times 4 bytes behind that. */
void *guard_lay(const struct guard *g, int place, size_t bytes);
/* Fills an array and what lies beside it; the check fails if something beside it has changed. */
void guard_paint(const struct guard *g, void *array, size_t bytes);
void guard_check(const struct guard *g, const void *array, size_t bytes);
void guard_read_only(const struct guard *g, bool on);
void guard_free(struct guard *g);

#endif
