/* SPDX-License-Identifier: BSD-3-Clause
 * What this library does not do answers SPARSE_STATUS_NOT_SUPPORTED, and reads no argument: a
 * program that has MKL too must not bring our handles to MKL's function of that name. */
#include "door.h"

#define ANSWER(name)                               \
	EKM_API ekm_status mkl_sparse_##name(void) \
	{                                          \
		return EKM_NOT_SUPPORTED;          \
	}
#define REFUSED(name)         ANSWER(name) ANSWER(name##_64)
#define REFUSED_REAL(name)    REFUSED(s_##name) REFUSED(d_##name)
#define REFUSED_COMPLEX(name) REFUSED(c_##name) REFUSED(z_##name)
#include "refused.def"
