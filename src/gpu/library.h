/* SPDX-License-Identifier: BSD-3-Clause
 * Functions of a library that is loaded at run time. A table of them is a struct of nothing but
 * pointers to functions, in the order of a list of names, both made from one X-macro. */
#ifndef EK_GPU_LIBRARY_H
#define EK_GPU_LIBRARY_H

#include "gpu/gpu.h"

/* dlopen by `file`, a name or a path. EK_EDEVICE says that there is none, or what
 * dlerror says. */
ek_status eki_library_open(const char *file, void **library);
/* Fills a table. EK_EDEVICE with the first name that `file` lacks. */
ek_status eki_library_symbols(void *library, const char *file, const char *const *names, int count,
                              void *table);
void eki_library_close(void *library);

#endif
