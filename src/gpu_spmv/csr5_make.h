/* SPDX-License-Identifier: BSD-3-Clause
 * A matrix in CSR5 on a device: made there from CSR, or a mirror of a store that is in CSR5. */
#ifndef EK_GPU_SPMV_CSR5_MAKE_H
#define EK_GPU_SPMV_CSR5_MAKE_H

#include "format/csr5.h"
#include "gpu/gpu.h"

enum { CSR5_GROUP = 128 }; /* work-items; a multiple of all omega */

typedef struct csr5_on_device {
	ek_store store; /* without arrays: parameters and lengths */
	const eki_buffer *array[EKI_MAX_ARRAYS];
	bool made; /* from CSR: plan->store is that */
} csr5_on_device;

/* omega and sigma, from what the plan multiplies with or was asked for. */
ek_status csr5_device_shape(const ek_plan *plan, csr5_on_device *A);
/* The arrays; the program of the plan is that of csr5.cl. */
ek_status csr5_device_make(ek_plan *plan, csr5_on_device *A);
ek_status csr5_device_refresh(ek_plan *plan, csr5_on_device *A);

#endif
