/* SPDX-License-Identifier: BSD-3-Clause
 * The fake libcuda.so.1, loaded into this process from the path that the build gives. */
#ifndef TEST_FAKE_H
#define TEST_FAKE_H

#include "fake/fake_cuda.h"
#include "support/heap.h"

/* Loads the fake, points EK_CUDA to it, and turns off the cache of compiled programs (EK_CACHE).
 * Returns the fake's settings and records. */
struct fake_cuda *fake_cuda_use(void);
/* Creates a context of one thread, whose memory `h` counts unless it is NULL. */
ek_status fake_context(const char *device, ek_device_memory memory, struct heap *h,
                       ek_context **ctx);
/* Fails the test, with `what` in the message, if anything in the fake is still live or if the fake
 * was misused. */
void fake_clean(const char *what);
/* Skips the test, with the reason, unless there is an NVRTC for a driver of CUDA 13. */
void need_nvrtc(void);

#endif
