/* SPDX-License-Identifier: BSD-3-Clause
 * The only place where threads are started. Work is a number of parts; who does which is decided
 * here, so results depend on the parts alone, never on how many threads the run time grants (inside
 * a caller's own parallel region that may be one). Without OpenMP the parts run one after the
 * other. */
#ifdef _OPENMP
#include <omp.h>
#endif

#include "core/ek_core.h"

void eki_parallel(int threads, int parts, eki_part_fn *fn, void *arg)
{
	if (threads > parts)
		threads = parts;
#ifdef _OPENMP
	if (threads > 1) {
#pragma omp parallel num_threads(threads)
		{
			int step = omp_get_num_threads();

			for (int part = omp_get_thread_num(); part < parts; part += step)
				fn(arg, part);
		}
		return;
	}
#endif
	for (int part = 0; part < parts; part++)
		fn(arg, part);
}

int eki_default_threads(void)
{
#ifdef _OPENMP
	return omp_get_max_threads();
#else
	return 1;
#endif
}
