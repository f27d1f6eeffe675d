/* SPDX-License-Identifier: BSD-3-Clause
 * The number of entries of a sparse product, estimated from a few of its rows. */
#ifndef EK_SPGEMM_ESTIMATE_H
#define EK_SPGEMM_ESTIMATE_H

#include "spgemm/output.h"

enum { EKI_ESTIMATE_FROM = 512 }; /* rows from which an estimate takes little of the time */
/* Estimates the entries of C, counting a few rows by `rows`. */
double eki_output_estimate(const eki_step *step, const eki_run *run, const eki_batches *batches,
                           eki_rows_fn *rows);

#endif
