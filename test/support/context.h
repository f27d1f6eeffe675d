/* SPDX-License-Identifier: BSD-3-Clause
 * One context of three threads with counted memory, made and freed around a program's tests. */
#ifndef TEST_CONTEXT_H
#define TEST_CONTEXT_H

#include "support/heap.h"

extern struct heap heap;
extern ek_context *ctx;

/* For run_all_tests, or for the program's own set-up. */
int context_setup(void **state);
int context_setup_cut(void **state); /* small arrays are cut between threads too */
int context_teardown(void **state);

#endif
