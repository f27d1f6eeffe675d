/* SPDX-License-Identifier: BSD-3-Clause
 * A folder for the files that a program's tests write, and memory hooks that refuse large blocks: a
 * damaged file that states large sizes must not make the library allocate them. */
#ifndef TEST_FOLDER_H
#define TEST_FOLDER_H

#include "support/heap.h"

extern struct heap heap;
extern char folder[64], path[512];

/* Set-up for run_all_tests; a program's own set-up may call it. */
int folder_setup(void **state);
/* Fails the test if the folder has files, even temporary ones, or a large block was requested. */
int folder_teardown(void **state);
/* Removes the folder's files, made by the library, whose names end with `end`. */
void folder_empty(const char *end);
/* Sets `path` to the path of file `name` in the folder and returns it. */
const char *in_folder(const char *name);

#endif
