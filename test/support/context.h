/* SPDX-License-Identifier: BSD-3-Clause
 * One context of three threads, whose memory is counted. It is made before a program's tests and
 * freed after them. */
#ifndef TEST_CONTEXT_H
#define TEST_CONTEXT_H

#include "support/heap.h"

extern struct heap heap;
extern ek_context *ctx;

/* Set-up and tear-down for run_all_tests; a program's own set-up and tear-down may call them. */
int context_setup(void **state);
int context_setup_cut(void **state); /* the same, dividing even small arrays */
int context_teardown(void **state);

#endif
