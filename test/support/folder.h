/* SPDX-License-Identifier: BSD-3-Clause
 * A folder for the files that a program's tests write, and memory of which no block may be large:
 * what a file says of its sizes is not to be believed. */
#ifndef TEST_FOLDER_H
#define TEST_FOLDER_H

#include "support/heap.h"

extern struct heap heap;
extern char folder[64], path[512];

/* For run_all_tests, or for the program's own set-up. */
int folder_setup(void **state);
/* Nothing may be left in the folder, neither files nor temporary ones; no large block may have been
 * asked for. */
int folder_teardown(void **state);
/* Removes the files there whose names end so, which the library made. */
void folder_empty(const char *end);
/* Makes `path` that of a file there. */
const char *in_folder(const char *name);

#endif
