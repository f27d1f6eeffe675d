/* SPDX-License-Identifier: BSD-3-Clause
 * NVIDIA's run-time compiler, for the CUDA driver and for tests, which need no device. */
#ifndef EK_GPU_NVRTC_H
#define EK_GPU_NVRTC_H

#include "gpu/gpu.h"

enum { EKI_NVRTC_TARGET = 24, EKI_NVRTC_ANY = 0 };

/* Loads NVRTC, once. `newest`: the greatest major version of CUDA that the driver understands;
 * EKI_NVRTC_ANY where the code is not to run. EK_EDEVICE says what was looked for. */
ek_status eki_nvrtc_open(int newest);
/* What to compile for so that a device of compute capability arch / 10 . arch % 10 runs it:
 * "sm_90" if NVRTC knows it, else the newest "compute_" below, whose code the driver compiles on.
 * NVRTC is open. */
ek_status eki_nvrtc_target(int arch, char target[EKI_NVRTC_TARGET]);
/* "NVRTC 13.0 sm_90", and all options. */
ek_status eki_nvrtc_describe(const char *target, char *text, size_t size);
/* Machine code for "sm_90", PTX with its final 0 for "compute_90"; from eki_alloc. */
ek_status eki_nvrtc_compile(const ek_context *ctx, const char *target, const char *name,
                            const char *text, void **code, int64_t *bytes);
/* A log of a compiler on one line of at most size - 1 characters, cut at its end. */
void eki_nvrtc_one_line(const char *log, char *line, size_t size);

#endif
