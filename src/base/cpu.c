/* SPDX-License-Identifier: BSD-3-Clause
 * The instruction sets that the processor supports, its version, and the size of its cache. */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/base.h"

#ifdef EK_HAVE_X86
#include <cpuid.h>
#endif

eki_cpu_version eki_cpu_version_here(void)
{
	unsigned r[4] = {0};

#ifdef EK_HAVE_X86
	(void)__get_cpuid(1, &r[0], &r[1], &r[2], &r[3]);
#endif
	const unsigned family = r[0] >> 8 & 15;

	return (eki_cpu_version){
		.family = family + (family == 15 ? r[0] >> 20 & 255 : 0),
		.model = (r[0] >> 4 & 15) + (r[0] >> 12 & 0xf0),
		.stepping = r[0] & 15,
	};
}

ek_isa eki_cpu_isa(void)
{
#ifdef EK_HAVE_X86
	__builtin_cpu_init();
	bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	            __builtin_cpu_supports("bmi2");

#ifdef EK_HAVE_AVX512
	if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
		return EK_ISA_AVX512;
#endif
	if (avx2)
		return EK_ISA_AVX2;
	return EK_ISA_SCALAR;
#elif defined(EK_HAVE_NEON)
	return EK_ISA_NEON;
#else
	return EK_ISA_SCALAR;
#endif
}

const char *eki_isa_compiled(void)
{
#ifdef EK_HAVE_AVX512
	return "scalar avx2 avx512 avx2-loads avx512-loads";
#elif defined(EK_HAVE_X86)
	return "scalar avx2 avx2-loads";
#elif defined(EK_HAVE_NEON)
	return "scalar neon";
#else
	return "scalar";
#endif
}

/* Returns the number in a file of Linux about a cache of the first processor, or 0. */
static long cache_number(int cache, const char *what)
{
	char path[80];
	long number = 0;
	FILE *f;

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", cache, what);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%ld", &number) != 1)
		number = 0;
	fclose(f);
	return number;
}

/* Returns the size in bytes, as Linux reports it, of the highest cache whose level is from `low` to
 * `high`, or 0. */
static int64_t cache_of(long low, long high)
{
	long bytes = 0, level = low - 1, found;

	for (int cache = 0; (found = cache_number(cache, "level")) > 0; cache++)
		if (found > level && found <= high) {
			level = found;
			bytes = 1024 * cache_number(cache, "size"); /* such as 32768K */
		}
	return bytes;
}

/* Looks for a cache of level 3 or higher, since virtual machines may hide it and report the core's
 * own caches only. Asks Linux first, which knows the cache that the first processor reaches;
 * sysconf adds up all caches of some processors. On a virtual Zen 4 it says 320 MiB, where eight
 * cores share 32. */
static int64_t find_cache(void)
{
	int64_t bytes = cache_of(3, LONG_MAX);

#ifdef _SC_LEVEL3_CACHE_SIZE
	if (bytes <= 0)
		bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
	return bytes > 0 ? bytes : (int64_t)32 << 20;
}

int64_t eki_cpu_core_cache(void)
{
	return cache_of(2, 2);
}

int64_t eki_cpu_cache(void)
{
	static _Atomic int64_t known;
	int64_t bytes = atomic_load_explicit(&known, memory_order_relaxed);

	if (!bytes) {
		bytes = find_cache();
		atomic_store_explicit(&known, bytes, memory_order_relaxed);
	}
	return bytes;
}

static const char *const isa_name[EK_NISA] = {"scalar", "avx2", "avx512", "avx2-loads",
                                              "avx512-loads", "neon"};

const char *ek_isa_name(ek_isa isa)
{
	return (int)isa >= 0 && (int)isa < EK_NISA ? isa_name[isa] : NULL;
}
