/* SPDX-License-Identifier: BSD-3-Clause
 * A matrix in CSR5 on a device. It is either converted from CSR on the device, or copied from a
 * CSR5 store. */
#ifndef EK_GPU_SPMV_CSR5_MAKE_H
#define EK_GPU_SPMV_CSR5_MAKE_H

#include "format/csr5.h"
#include "gpu/gpu.h"

enum { CSR5_GROUP = 128 }; /* work-items of a group; a multiple of every omega */

extern const char eki_cl_csr5_make[];

typedef struct csr5_on_device {
	ek_store store; /* parameters and array lengths; its array pointers are NULL */
	const eki_buffer *array[EKI_MAX_ARRAYS];
	bool made; /* whether the matrix was converted from step->in[0], a store in CSR */
} csr5_on_device;

/* Sets omega and sigma in A->store: to those of the CSR5 store if there is one, else to those that
 * the caller asked for, else to values that suit the device. The method's first parameters must be
 * r, s, t and u. */
ek_status csr5_device_shape(eki_step *step, csr5_on_device *A);
/* Makes the arrays on the device. The program of the step must have been built from csr5.cl and
 * csr5_make.cl. */
ek_status csr5_device_make(eki_step *step, csr5_on_device *A);
/* Updates the values on the device after the values of the step's store have changed. */
ek_status csr5_device_refresh(eki_step *step, csr5_on_device *A);

#endif
