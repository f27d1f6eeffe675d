/* SPDX-License-Identifier: BSD-3-Clause
 * The instruction sets that the processor supports, and the size of its cache. */
#include <unistd.h>

#include "base/base.h"

ek_isa eki_cpu_isa(void)
{
#ifdef EK_HAVE_X86
	__builtin_cpu_init();
	bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	            __builtin_cpu_supports("bmi2");

	if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
		return EK_ISA_AVX512;
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
#ifdef EK_HAVE_X86
	return "scalar avx2 avx512 avx2-loads avx512-loads";
#elif defined(EK_HAVE_NEON)
	return "scalar neon";
#else
	return "scalar";
#endif
}

int64_t eki_cpu_cache(void)
{
	long bytes = 0;

#ifdef _SC_LEVEL3_CACHE_SIZE
	bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
	return bytes > 0 ? bytes : (int64_t)32 << 20;
}

static const char *const isa_name[EK_NISA] = {"scalar", "avx2", "avx512", "avx2-loads",
                                              "avx512-loads", "neon"};

const char *ek_isa_name(ek_isa isa)
{
	return (int)isa >= 0 && (int)isa < EK_NISA ? isa_name[isa] : NULL;
}
