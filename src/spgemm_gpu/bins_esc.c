/* SPDX-License-Identifier: BSD-3-Clause
 * Group 4 of SpGEMM by bins on a device: each of the bins 33 to 36 has a program for up to 64, 128,
 * 256 or 512 products. Liu 2015, sections 7.4.2 and 9.4.2. */
#include "spgemm_gpu/csr_bins.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_bins_esc, "spgemm_gpu/bins_esc.cl");

ek_status eki_gpu_esc_program(eki_job *job, const eki_step *step, const eki_gpu_bins *s, int bin,
                              int *wg)
{
	const int products = 2 * EKI_HEAP_MOST << (bin - EKI_HEAP_MOST - 1);
	char defines[256];

	*wg = products / 2;
	eki_gpu_bin_defines(step, s, *wg, products, defines, sizeof defines);
	return eki_job_program(job, "bins_esc", defines, eki_cl_bins_esc);
}

#endif
