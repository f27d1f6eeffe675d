/* SPDX-License-Identifier: BSD-3-Clause
 * NVRTC, NVIDIA's run-time compiler, for our CUDA driver and for tests. Compiling needs no
 * device. */
#ifndef EK_GPU_NVRTC_H
#define EK_GPU_NVRTC_H

#include "gpu/gpu.h"

enum { EKI_NVRTC_TARGET = 24, EKI_NVRTC_ANY = 0 };

/* Loads NVRTC on the first call; later calls return the same result. `newest` is the latest major
 * version of CUDA that the driver supports, or EKI_NVRTC_ANY if the code will not be run. If no
 * suitable NVRTC is found, returns EK_EDEVICE; the message says where it was looked for. */
ek_status eki_nvrtc_open(int newest);
/* Finds the compilation target whose code a device can run. `arch` is 10 times the compute
 * capability of the device: 90 for 9.0. If NVRTC knows this architecture, the target is machine
 * code for it, such as "sm_90". Otherwise the target is PTX, such as "compute_80", for the newest
 * architecture before `arch` that NVRTC knows. The driver compiles PTX to machine code. NVRTC must
 * be open. */
ek_status eki_nvrtc_target(int arch, char target[EKI_NVRTC_TARGET]);
/* Writes the version of NVRTC, the target and all options: "NVRTC 13.0 sm_90 ...". */
ek_status eki_nvrtc_describe(const char *target, char *text, size_t size);
/* Compiles `text` to machine code if the target is one such as "sm_90", or to PTX with a final 0 if
 * it is one such as "compute_90". The code is allocated by eki_alloc. */
ek_status eki_nvrtc_compile(const ek_context *ctx, const char *target, const char *name,
                            const char *text, void **code, int64_t *bytes);
/* Writes a compiler's log as one line of at most size - 1 characters. If the log is longer, the
 * rest is cut off. */
void eki_nvrtc_one_line(const char *log, char *line, size_t size);

#endif
