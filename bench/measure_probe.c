/* SPDX-License-Identifier: BSD-3-Clause
 * The bandwidth probes. The rate at which the threads of a measurement can read bounds operations
 * that read their input once. The rate at which these threads can copy bounds operations that read
 * one array and write another.
 *
 * Reading. Each thread adds up the words of its own contiguous part, like STREAM (McCalpin 1995)
 * without its writes. Integer addition has a latency of one cycle, so it never limits the rate. The
 * buffer is as large as what the operation reads, so the caches help the probe as much as they help
 * the operation. Of several loops, the fastest on this machine is used.
 *
 * Copying. The COPY of STREAM in two forms. memcpy makes the processor read every cache line of the
 * target before it is overwritten, unless the C library decides otherwise. The stream copy writes
 * by non-temporal stores, so it moves two thirds of the bytes, which is best if the target is not
 * read soon. Both copy the arrays that the operation itself works on, so that pages and caches are
 * the same.
 *
 * Both probes use the OpenMP run time, as peers do. Its idle threads spin for a while, as those of
 * the library do, so measure.c waits between candidates until all of them sleep. */
#define _GNU_SOURCE
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

#include "measure.h"

#define TRIALS  5
#define LINE    64
#define BLOCK   64   /* words that one step of an inner loop adds: eight vectors of 64 bytes */
#define STREAMS 4    /* number of places that a thread reads at once */
#define AHEAD   4096 /* bytes between a prefetch and its use, in copies */
/* Least bytes for a thread. Moving fewer takes less time than waking another thread. */
#define SHARE (1 << 16)

/* Calls part(state, begin, end) in each thread for its part of `bytes` bytes. Parts begin at
 * multiples of `unit`, and the last part also has the remaining bytes. Returns the sum of the
 * results. */
static uint64_t in_parts(int threads, int64_t bytes, int64_t unit, void *state,
                         uint64_t (*part)(void *state, int64_t begin, int64_t end))
{
	uint64_t all = 0;

	(void)threads; /* `threads` is unused without OpenMP */
#pragma omp parallel num_threads(threads) reduction(+ : all) if (threads > 1)
	{
#ifdef _OPENMP
		int at = omp_get_thread_num(), parts = omp_get_num_threads();
#else
		int at = 0, parts = 1;
#endif
		int64_t units = bytes / unit,
			end = at + 1 == parts ? bytes : units * (at + 1) / parts * unit;

		all += part(state, units * at / parts * unit, end);
	}
	return all;
}

static int threads_for(int64_t bytes, int threads)
{
	const int64_t most = bytes / SHARE;

	return most < 1 ? 1 : most < threads ? (int)most : threads;
}

/* ---- Reading --------------------------------------------------------------------------------- */

typedef uint64_t sum_fn(const uint64_t *data, int64_t words);

static uint64_t sum_plain(const uint64_t *data, int64_t words)
{
	uint64_t sum[8] = {0};

	for (int64_t i = 0; i + 8 <= words; i += 8)
		for (int k = 0; k < 8; k++)
			sum[k] += data[i + k];
	return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}

#if defined(__x86_64__)
#define VECTOR(bytes) __attribute__((vector_size(bytes), aligned(8), may_alias))
typedef uint64_t vec32 VECTOR(32);
typedef uint64_t vec64 VECTOR(64);

/* Defines a function that adds up words in eight vectors, from `streams` places at once. Reading
 * several places, with prefetches, lets the processor fetch further ahead than reading one. */
#define SUM(name, isa, vec, streams)                                                               \
	__attribute__((target(isa))) static uint64_t name(const uint64_t *data, int64_t words)     \
	{                                                                                          \
		enum { W = sizeof(vec) / 8, EACH = 8 / (streams) };                                \
		const int64_t length = words / (streams) / BLOCK * BLOCK;                          \
		vec sum[8] = {{0}};                                                                \
		uint64_t all = 0;                                                                  \
                                                                                                   \
		for (int64_t i = 0; i < length; i += EACH * W)                                     \
			for (int k = 0; k < 8; k++) {                                              \
				const uint64_t *from =                                             \
					data + k / EACH * length + i + k % EACH * W;               \
                                                                                                   \
				if ((streams) > 1)                                                 \
					_mm_prefetch((const char *)from + AHEAD / 4, _MM_HINT_T0); \
				sum[k] += *(const vec *)(const void *)from;                        \
			}                                                                          \
		for (int k = 0; k < 8 * W; k++)                                                    \
			all += sum[k / W][k % W];                                                  \
		return all + sum_plain(data + (streams)*length, words - (streams)*length);         \
	}
SUM(sum_avx2, "avx2", vec32, 1)
SUM(sum_avx512, "avx512f", vec64, 1)
SUM(sum_streams, "avx512f", vec64, STREAMS)
#endif

static sum_fn *const ways[] = {sum_plain,
#if defined(__x86_64__)
                               sum_avx2, sum_avx512, sum_streams,
#endif
                               NULL};

static bool can_run(int way)
{
#if defined(__x86_64__)
	static const int needs_avx512[] = {0, 0, 1, 1};

	if (way > 0)
		return needs_avx512[way] ? __builtin_cpu_supports("avx512f")
		                         : __builtin_cpu_supports("avx2");
#endif
	return way == 0;
}

static uint64_t sum_part(void *probe, int64_t begin, int64_t end)
{
	const struct read_probe *p = probe;

	return ways[p->way](p->data + begin / 8, (end - begin) / 8);
}

void read_probe_run(void *probe, int64_t calls)
{
	struct read_probe *p = probe;

	for (; calls > 0; calls--)
		p->sum += in_parts(p->threads, p->bytes, 8 * LINE, p, sum_part);
}

static double once(struct read_probe *p)
{
	double start = tool_seconds();

	read_probe_run(p, 1);
	return tool_seconds() - start;
}

/* Returns the index of the loop that reads the buffer fastest on this machine. */
static int best_way(struct read_probe *p)
{
	double least = HUGE_VAL;
	int best = 0;

	for (int way = 0; ways[way]; way++) {
		p->way = way;
		for (int k = 0; can_run(way) && k < TRIALS; k++) {
			double seconds = once(p);

			if (seconds < least) {
				least = seconds;
				best = way;
			}
		}
	}
	return best;
}

bool read_probe_make(struct read_probe *p, int64_t bytes, int threads)
{
	p->bytes = bytes < 8 * LINE ? 8 * LINE : (bytes + LINE - 1) / LINE * LINE;
	p->threads = threads_for(p->bytes, threads);
	p->sum = 0;
	p->data = data_alloc(p->bytes, p->threads);
	if (!p->data)
		return false;
	p->way = best_way(p);
	return true;
}

void read_probe_free(void *probe)
{
	free(((struct read_probe *)probe)->data);
}

double read_probe_memory(int threads)
{
	static double known;
	static int known_threads;
	int64_t bytes = INT64_C(1) << 30,
		have = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	struct read_probe p;
	double sample[9];

	if (known_threads == threads)
		return known;
	if (bytes > have / 8)
		bytes = have / 8;
	known_threads = threads;
	known = 0;
	if (!read_probe_make(&p, bytes, threads))
		return known;
	for (int k = 0; k < 9; k++)
		sample[k] = once(&p);
	known = (double)p.bytes / measure_quantile(sample, 9, 0) * 1e-9;
	read_probe_free(&p);
	return known;
}

/* ---- Copying --------------------------------------------------------------------------------- */

typedef void copy_fn(char *to, const char *from, int64_t bytes);

static void copy_plain(char *to, const char *from, int64_t bytes)
{
	memcpy(to, from, (size_t)bytes);
}

#if defined(__x86_64__)
/* Returns the number of bytes from `to` to the next start of a cache line, at most `bytes`. */
static int64_t until_line(const char *to, int64_t bytes)
{
	int64_t head = (int64_t)(-(uintptr_t)to % LINE);

	return head < bytes ? head : bytes;
}

/* Defines a function that copies by store(to, from), a non-temporal store of `width` bytes. */
#define STREAM(name, isa, width, store)                                                          \
	__attribute__((target(isa))) static void name(char *to, const char *from, int64_t bytes) \
	{                                                                                        \
		int64_t i = until_line(to, bytes);                                               \
                                                                                                 \
		memcpy(to, from, (size_t)i);                                                     \
		for (; i + LINE <= bytes; i += LINE) {                                           \
			_mm_prefetch(from + i + AHEAD, _MM_HINT_T0);                             \
			for (int k = 0; k < LINE; k += (width))                                  \
				store((void *)(to + i + k), (const void *)(from + i + k));       \
		}                                                                                \
		memcpy(to + i, from + i, (size_t)(bytes - i));                                   \
		_mm_sfence();                                                                    \
	}
#define STORE_64(to, from) _mm512_stream_si512(to, _mm512_loadu_si512(from))
#define STORE_32(to, from) _mm256_stream_si256(to, _mm256_loadu_si256(from))
STREAM(stream_avx512, "avx512f", 64, STORE_64)
STREAM(stream_avx, "avx", 32, STORE_32)
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

static uint64_t copy_part(void *probe, int64_t begin, int64_t end)
{
	const struct copy_probe *p = probe;

	(p->stream ? stream_copy() : copy_plain)(p->to + begin, p->from + begin, end - begin);
	return 0;
}

void copy_probe_run(void *probe, int64_t calls)
{
	struct copy_probe *p = probe;

	for (; calls > 0; calls--)
		in_parts(threads_for(p->bytes, p->threads), p->bytes, LINE, p, copy_part);
}
