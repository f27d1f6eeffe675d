/* SPDX-License-Identifier: BSD-3-Clause
 * The fake of libcuda.so.1 in this process, found by its path, which the build gives. */
#ifndef TEST_FAKE_H
#define TEST_FAKE_H

#include "fake/fake_cuda.h"
#include "support/heap.h"

/* Lets EK_CUDA name the fake, and EK_CACHE no folder; NULL if the library has been loaded. */
struct fake_cuda *fake_cuda_use(void);
/* A context of one thread; h: NULL, or where its memory is counted. */
ek_status fake_context(const char *device, ek_device_memory memory, struct heap *h,
                       ek_context **ctx);
/* Nothing lives in the fake, and it was used by the rules; or the test fails with `what`. */
void fake_clean(const char *what);
/* Is there NVRTC, for a driver of CUDA 13? Otherwise the test is skipped, and says why. */
void need_nvrtc(void);

#endif
