/* SPDX-License-Identifier: BSD-3-Clause
 * Machines on which one loop is fast, so that the choice of a method or a format is known. */
#ifndef TEST_FAST_H
#define TEST_FAST_H

#include "base/base.h"

/* Gives a context a machine on which one loop takes no time and all others are slow. With
 * EKI_LOOPS, products with blocks take no time. The machine is the same for all contexts, so this
 * changes those that have it already. */
void make_fast(ek_context *ctx, eki_loop loop);

#endif
