/* SPDX-License-Identifier: BSD-3-Clause
 * Group 3 of SpGEMM by bins on a device: each bin from 2 to 32 has a program for its number of
 * products. Liu 2015, sections 7.4.1 and 9.4.2. */
#include "spgemm_gpu/csr_bins.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_bins_heap, "spgemm_gpu/bins_heap.cl");

ek_status eki_gpu_heap_program(eki_job *job, const eki_step *step, const eki_gpu_bins *s, int bin,
                               int *wg)
{
	const int64_t pair = (s->narrow ? 4 : 8) + (int64_t)ek_value_size(step->in[0]->value);
	char defines[256];

	*wg = 64;
	while (*wg * bin * pair > job->device->info.local && *wg > 1)
		*wg /= 2;
	eki_gpu_bin_defines(step, s, *wg, bin, defines, sizeof defines);
	return eki_job_program(job, "bins_heap", defines, eki_cl_bins_heap);
}

#endif
