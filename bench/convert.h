/* SPDX-License-Identifier: BSD-3-Clause
 * `ek bench convert`: convert.c selects what to make from a matrix and shows the results,
 * convert_make.c makes and measures it. */
#ifndef EK_BENCH_CONVERT_H
#define EK_BENCH_CONVERT_H

#include "run.h"

/* Measures the making of what r->name says from A, which is in CSR: a format or, if `beside`, what
 * a method prepares beside CSR. Checks that a format converts back to CSR. Returns an exit code; a
 * refusal and a failed conversion back are recorded in `r` only. */
int convert_measure(struct bench *bench, struct bench_case *c, const ek_matrix *A, double seconds,
                    bool beside, struct record *r);

#endif
