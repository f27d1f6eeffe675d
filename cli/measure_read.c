/* SPDX-License-Identifier: BSD-3-Clause
 * The read-bandwidth probe: the bound of every product that streams its matrix once.
 *
 * All threads of the run read one buffer, each its own contiguous part, and add up its words: the
 * pure-read relative of McCalpin's STREAM (1995). Integer addition has a latency of one cycle, so
 * the sum never limits. The buffer is as large as the matrix's CSR arrays, so the caches help the
 * probe as much as they help the product. It uses the OpenMP run time of the library: a pool of
 * threads of its own would have to be put to sleep and woken between candidates. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

#include "measure.h"

#define BLOCK   64  /* words that one step of an inner loop adds: eight vectors of 64 bytes */
#define STREAMS 4   /* places that one thread reads at the same time */
#define AHEAD   128 /* words between a prefetch and its use */
#define TRIALS  5
#define SHARE   (1 << 16) /* bytes that are worth a thread: less is read before it has woken up */

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
__attribute__((target("avx512f"))) static uint64_t sum_avx512(const uint64_t *data, int64_t words)
{
	__m512i sum[8];

	for (int k = 0; k < 8; k++)
		sum[k] = _mm512_setzero_si512();
	for (int64_t i = 0; i + BLOCK <= words; i += BLOCK)
		for (int k = 0; k < 8; k++)
			sum[k] = _mm512_add_epi64(sum[k], _mm512_loadu_si512(data + i + 8 * k));
	for (int k = 1; k < 8; k++)
		sum[0] = _mm512_add_epi64(sum[0], sum[k]);
	return (uint64_t)_mm512_reduce_add_epi64(sum[0]);
}

/* The same from several places at once and with prefetches: a processor follows several streams
 * of pages further ahead than one. */
__attribute__((target("avx512f"))) static uint64_t sum_streams(const uint64_t *data, int64_t words)
{
	int64_t length = words / STREAMS / BLOCK * BLOCK;
	__m512i sum[2 * STREAMS];

	for (int k = 0; k < 2 * STREAMS; k++)
		sum[k] = _mm512_setzero_si512();
	for (int64_t i = 0; i < length; i += 16)
		for (int k = 0; k < 2 * STREAMS; k++) {
			const uint64_t *from = data + k / 2 * length + i + k % 2 * 8;

			_mm_prefetch((const char *)(from + AHEAD), _MM_HINT_T0);
			sum[k] = _mm512_add_epi64(sum[k], _mm512_loadu_si512(from));
		}
	for (int k = 1; k < 2 * STREAMS; k++)
		sum[0] = _mm512_add_epi64(sum[0], sum[k]);
	return (uint64_t)_mm512_reduce_add_epi64(sum[0]) +
	       sum_avx512(data + STREAMS * length, words - STREAMS * length);
}

__attribute__((target("avx2"))) static uint64_t sum_avx2(const uint64_t *data, int64_t words)
{
	__m256i sum[8];
	uint64_t part[4], all = 0;

	for (int k = 0; k < 8; k++)
		sum[k] = _mm256_setzero_si256();
	for (int64_t i = 0; i + BLOCK / 2 <= words; i += BLOCK / 2)
		for (int k = 0; k < 8; k++)
			sum[k] = _mm256_add_epi64(
				sum[k], _mm256_loadu_si256((const void *)(data + i + 4 * k)));
	for (int k = 1; k < 8; k++)
		sum[0] = _mm256_add_epi64(sum[0], sum[k]);
	_mm256_storeu_si256((__m256i *)(void *)part, sum[0]);
	for (int k = 0; k < 4; k++)
		all += part[k];
	return all;
}
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

/* Words of part `part` of `parts`, in whole blocks; the last part has the rest. */
static int64_t cut(const struct read_probe *p, int parts, int part)
{
	int64_t words = p->bytes / (int64_t)sizeof(uint64_t);

	return part == parts ? words : words / parts * part / BLOCK * BLOCK;
}

void read_probe_run(void *probe, int64_t calls)
{
	struct read_probe *p = probe;
	sum_fn *sum = ways[p->way];

	for (; calls > 0; calls--) {
		uint64_t all = 0;

#pragma omp parallel num_threads(p->threads) reduction(+ : all) if (p->threads > 1)
		{
#ifdef _OPENMP
			int part = omp_get_thread_num(), parts = omp_get_num_threads();
#else
			int part = 0, parts = 1;
#endif
			int64_t begin = cut(p, parts, part);

			all += sum(p->data + begin, cut(p, parts, part + 1) - begin);
		}
		p->sum += all;
	}
}

static double once(struct read_probe *p)
{
	double start = tool_seconds();

	read_probe_run(p, 1);
	return tool_seconds() - start;
}

/* Which of the loops reads this buffer fastest here. */
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

/* Touched first by the thread that will read it, so that on a machine with several memories each
 * thread reads its own. */
static void first_touch(struct read_probe *p)
{
#pragma omp parallel num_threads(p->threads) if (p->threads > 1)
	{
#ifdef _OPENMP
		int part = omp_get_thread_num(), parts = omp_get_num_threads();
#else
		int part = 0, parts = 1;
#endif
		int64_t begin = cut(p, parts, part);

		memset(p->data + begin, 1,
		       (size_t)(cut(p, parts, part + 1) - begin) * sizeof *p->data);
	}
}

bool read_probe_make(struct read_probe *p, int64_t bytes, int threads)
{
	const int64_t page = 1 << 21;

	p->bytes = bytes < 512 ? 512 : (bytes + 63) / 64 * 64;
	p->threads = p->bytes / SHARE < threads ? (int)(p->bytes / SHARE) : threads;
	p->threads = p->threads < 1 ? 1 : p->threads;
	p->sum = 0;
	p->data = aligned_alloc((size_t)page, (size_t)((p->bytes + page - 1) / page * page));
	if (!p->data)
		return false;
#ifdef MADV_HUGEPAGE
	if (p->bytes >= page)
		madvise(p->data, (size_t)p->bytes, MADV_HUGEPAGE);
#endif
	first_touch(p);
	p->way = best_way(p);
	return true;
}

void read_probe_free(struct read_probe *p)
{
	free(p->data);
	p->data = NULL;
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
