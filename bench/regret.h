/* SPDX-License-Identifier: BSD-3-Clause
 * The measurement of ek bench regret (regret_measure.c), which regret.c shows. */
#ifndef EK_BENCH_REGRET_H
#define EK_BENCH_REGRET_H

#include "spmv.h"

/* Measures auto and all candidates on a matrix, and makes a case for each number of calls. The
 * records of a case are in the order of their times; the first is that of auto. Returns an exit
 * code. */
int regret_measure(struct bench *bench, const struct tool_source *source, ek_matrix *A);

#endif
