/* SPDX-License-Identifier: BSD-3-Clause
 * Functions of a library that is loaded at run time. They are kept in a table: a struct that holds
 * only function pointers, in the order of a list of names. The struct and the list are made from
 * one X-macro. */
#ifndef EK_GPU_LIBRARY_H
#define EK_GPU_LIBRARY_H

#include "gpu/gpu.h"

/* Opens `file`, a name or a path, by dlopen. If that fails, returns EK_EDEVICE; the message says
 * that there is no such file, or quotes dlerror. */
ek_status eki_library_open(const char *file, void **library);
/* Fills `table` with pointers to the `count` functions whose names are given. If one is missing,
 * returns EK_EDEVICE; the message names the function and `file`. */
ek_status eki_library_symbols(void *library, const char *file, const char *const *names, int count,
                              void *table);
void eki_library_close(void *library);

#endif
