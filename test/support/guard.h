/* SPDX-License-Identifier: BSD-3-Clause
 * Memory between two guard pages, to which any access crashes the program (as in GMP's tests). So
 * accesses beyond an array at the end of this memory, or before one at its beginning, are found. */
#ifndef TEST_GUARD_H
#define TEST_GUARD_H

#include <stdbool.h>
#include <stddef.h>

struct guard {
	char *begin; /* first byte of the usable pages */
	size_t size;
};

void guard_make(struct guard *g, size_t capacity);
void *guard_at_end(const struct guard *g, size_t bytes);   /* array right before a guard page */
void *guard_at_begin(const struct guard *g, size_t bytes); /* array right after a guard page */
/* Returns an array at the end of the memory if place % 3 is 0, or at its beginning if place % 3 is
 * 1. If place % 3 is 2, the array is (place / 3) % 16 * 4 bytes after the beginning, if there is
 * room. */
void *guard_lay(const struct guard *g, int place, size_t bytes);
/* guard_paint fills an array and the bytes beside it. guard_check fails the test if a byte beside
 * the array has changed since. */
void guard_paint(const struct guard *g, void *array, size_t bytes);
void guard_check(const struct guard *g, const void *array, size_t bytes);
void guard_read_only(const struct guard *g, bool on);
void guard_free(struct guard *g);

#endif
