/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on a device with a matrix that is a sum of parts: y = alpha A_1 x + beta y, then y = alpha
 * A_p x + y for each further part p. Each part is multiplied by a child of the step, by the method
 * of the device that is chosen for its format. The launches follow each other in the queue. x and y
 * are brought to the device once, by this step, and the children use them there.
 *
 * Reads what the children read. Each part after the first, except coordinates, also reads and
 * writes all of y. For rounding, and for alpha that is Inf or NaN, see spmv/compose.c. */
#include "spmv/compose.h"
#include "spmv_gpu/compose.h"

#ifndef EK_NO_GPU

ek_status eki_gpu_compose_prepare(eki_step *step, eki_gpu_parts_fn *parts)
{
	ek_store part[EKI_GPU_PARTS];

	EK_RETURN_IF(eki_gpu_prepare(step, NULL, NULL, NULL));
	return eki_compose_prepare(step, part, parts(step->in[0], part));
}

ek_status eki_gpu_compose_run(const eki_step *step, const eki_run *v)
{
	eki_gpu_vectors on;
	eki_run each = *v;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	each.there = &on;
	for (int k = 0; k < step->children; k++) {
		EK_RETURN_IF(eki_step_run(&step->child[k], &each));
		each.beta = eki_real(1);
	}
	return eki_gpu_leave(step, v, &on);
}

#endif
