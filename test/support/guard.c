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
