/* SPDX-License-Identifier: BSD-3-Clause
 * Recordings (gpu/record.h) for a driver that has none: lists of commands with copies of their
 * arguments, which are given to the driver one after the other when they are run. */
#ifndef TEST_TAPE_H
#define TEST_TAPE_H

#include <stdbool.h>

#include "evenkeel/ek.h"

/* Gives the driver of the context's device recordings, in which each command counts as `counts`.
 * Returns false if it has its own. Only one context may have them at a time. */
bool tape_open(ek_context *ctx, int counts);
void tape_close(ek_context *ctx);

#endif
