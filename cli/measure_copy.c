/* SPDX-License-Identifier: BSD-3-Clause
 * The copy-bandwidth probes: the bound of what reads one array and writes another, once.
 *
 * McCalpin's COPY (1995) in two forms. memcpy reads every line of the target before it overwrites
 * it, unless the C library decides otherwise; the stream copy writes past the caches, so it moves
 * two thirds of the bytes, which is best where nobody will read the target soon. They copy the
 * arrays that the operation itself works on, so that pages and caches are the same. */
#include <stddef.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

#include "measure.h"

#define LINE  64
#define AHEAD 4096      /* bytes between a prefetch and its use */
#define SHARE (1 << 16) /* bytes that are worth a thread: less is copied before it has woken up */

typedef void copy_fn(char *to, const char *from, int64_t bytes);

static void copy_plain(char *to, const char *from, int64_t bytes)
{
	memcpy(to, from, (size_t)bytes);
}

#if defined(__x86_64__)
/* Bytes of `to` before its next whole line, at most `bytes`. */
static int64_t until_line(const char *to, int64_t bytes)
{
	int64_t head = (int64_t)(-(uintptr_t)to % LINE);

	return head < bytes ? head : bytes;
}

__attribute__((target("avx512f"))) static void stream_avx512(char *to, const char *from,
                                                             int64_t bytes)
{
	int64_t i = until_line(to, bytes);

	memcpy(to, from, (size_t)i);
	for (; i + LINE <= bytes; i += LINE) {
		_mm_prefetch(from + i + AHEAD, _MM_HINT_T0);
		_mm512_stream_si512((void *)(to + i), _mm512_loadu_si512(from + i));
	}
	memcpy(to + i, from + i, (size_t)(bytes - i));
	_mm_sfence();
}

__attribute__((target("avx"))) static void stream_avx(char *to, const char *from, int64_t bytes)
{
	int64_t i = until_line(to, bytes);

	memcpy(to, from, (size_t)i);
	for (; i + LINE <= bytes; i += LINE) {
		_mm_prefetch(from + i + AHEAD, _MM_HINT_T0);
		for (int k = 0; k < LINE; k += 32)
			_mm256_stream_si256((__m256i *)(void *)(to + i + k),
			                    _mm256_loadu_si256((const void *)(from + i + k)));
	}
	memcpy(to + i, from + i, (size_t)(bytes - i));
	_mm_sfence();
}
#endif

static copy_fn *stream_copy(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f"))
		return stream_avx512;
	if (__builtin_cpu_supports("avx"))
		return stream_avx;
#endif
	return copy_plain;
}

/* Where part `part` of `parts` begins, in whole lines; the last part has the rest. */
static int64_t cut(const struct copy_probe *p, int parts, int part)
{
	return part == parts ? p->bytes : p->bytes / LINE * part / parts * LINE;
}

void copy_probe_run(void *probe, int64_t calls)
{
	const struct copy_probe *p = probe;
	copy_fn *copy = p->stream ? stream_copy() : copy_plain;
	int threads = p->bytes / SHARE < p->threads ? (int)(p->bytes / SHARE) : p->threads;

	threads = threads < 1 ? 1 : threads;
	for (; calls > 0; calls--) {
#pragma omp parallel num_threads(threads) if (threads > 1)
		{
#ifdef _OPENMP
			int part = omp_get_thread_num(), parts = omp_get_num_threads();
#else
			int part = 0, parts = 1;
#endif
			int64_t begin = cut(p, parts, part);

			copy(p->to + begin, p->from + begin, cut(p, parts, part + 1) - begin);
		}
	}
}
