/* SPDX-License-Identifier: BSD-3-Clause
 * Bodies of primitives: serial functions on memory of the caller, which allocate nothing, start no
 * threads and cannot fail, so that kernels of any operation can include them. They know nothing of
 * matrices and contexts. The public calls in src/prim/, which own threads and memory, call the same
 * bodies; the .cl files here are the bodies for kernels on devices.
 *
 * Bodies are inlined wherever they are called. Sizes and functions that a caller gives as constants
 * are constants in the machine code, so one source serves all types. A body is compiled for the
 * baseline processor where it is defined, but for the instruction set of the caller where it is
 * inlined; therefore bodies are included before base/for_each.h. */
#ifndef EK_PRIM_BODY_BODY_H
#define EK_PRIM_BODY_BODY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define EKI_BODY static inline __attribute__((always_inline))

#endif
