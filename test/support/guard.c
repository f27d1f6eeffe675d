/* SPDX-License-Identifier: BSD-3-Clause
 * Guard pages by mmap and mprotect. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <sys/mman.h>
#include <unistd.h>

#include "support/support.h"
#include "support/guard.h"

void guard_make(struct guard *g, size_t capacity)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *map;

	g->size = (capacity / page + 1) * page;
	map = mmap(NULL, g->size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED || mprotect(map + page, g->size, PROT_READ | PROT_WRITE) != 0)
		fail_msg("no guard pages for %zu bytes", capacity);
	g->begin = map + page;
}

void *guard_at_end(const struct guard *g, size_t bytes)
{
	return g->begin + g->size - bytes;
}

void *guard_at_begin(const struct guard *g, size_t bytes)
{
	(void)bytes;
	return g->begin;
}

void *guard_lay(const struct guard *g, int place, size_t bytes)
{
	const size_t shift = (size_t)(place / 3) % 16 * 4;

	if (place % 3 == 0)
		return guard_at_end(g, bytes);
	return g->begin + (place % 3 == 2 && bytes + shift <= g->size ? shift : 0);
}

/* Bytes before and after an array that are checked for changes: more than the widest store. */
enum { BESIDE = 256, PAINT = 0x5a };

static char *paint_begin(const struct guard *g, const char *array)
{
	return array - g->begin < BESIDE ? g->begin : g->begin + (array - g->begin) - BESIDE;
}

static char *paint_end(const struct guard *g, const char *end)
{
	const char *last = g->begin + g->size;

	return g->begin + (last - end < BESIDE ? last - g->begin : end - g->begin + BESIDE);
}

void guard_paint(const struct guard *g, void *array, size_t bytes)
{
	char *begin = paint_begin(g, array);

	memset(begin, PAINT, (size_t)(paint_end(g, (char *)array + bytes) - begin));
}

void guard_check(const struct guard *g, const void *array, size_t bytes)
{
	const char *first = array, *last = first + bytes;

	for (const char *p = paint_begin(g, first); p < paint_end(g, last); p++)
		if ((p < first || p >= last) && *p != PAINT)
			fail_msg("byte %lld from an array of %zu bytes has changed",
			         (long long)(p - first), bytes);
}

void guard_read_only(const struct guard *g, bool on)
{
	mprotect(g->begin, g->size, on ? PROT_READ : PROT_READ | PROT_WRITE);
}

void guard_free(struct guard *g)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (g->begin)
		munmap(g->begin - page, g->size + 2 * page);
	g->begin = NULL;
}
