/* SPDX-License-Identifier: BSD-3-Clause
 * The one context of the process, made by the first call that needs it, with the options that the
 * environment gives (EK_THREADS, EK_ISA, EK_DEVICE ...). */
#include "door.h"
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static ek_context *context;
static ek_status made;

static void make(void)
{
	made = ek_context_create(NULL, &context);
}

ekm_status ekm_context(ek_context **ctx)
{
	pthread_once(&once, make);
	*ctx = context;
	return ekm_status_of(made);
}

ekm_status ekm_status_of(ek_status status)
{
	switch (status) {
	case EK_OK: return EKM_SUCCESS;
	case EK_ENOMEM: return EKM_ALLOC_FAILED;
	case EK_EINVAL:
	case EK_ERANGE:
	case EK_EOVERFLOW:
	case EK_ELIMIT: return EKM_INVALID_VALUE;
	case EK_EUNSUPPORTED: return EKM_NOT_SUPPORTED;
	case EK_EDEVICE: return EKM_EXECUTION_FAILED;
	default: return EKM_INTERNAL_ERROR;
	}
}

void *ekm_alloc(int64_t count, size_t size)
{
	if (count == 0)
		return malloc(1);
	if (count < 0 || !size || (uint64_t)count > SIZE_MAX / 2 / size)
		return NULL;
	return malloc((size_t)count * size);
}
