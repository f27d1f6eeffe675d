/* SPDX-License-Identifier: BSD-3-Clause
 * The product of sparse matrices that ek bench spgemm measures (spgemm.c), and the check of its results
 * (spgemm_check.c). */
#ifndef EK_BENCH_SPGEMM_H
#define EK_BENCH_SPGEMM_H

#include "run.h"

/* The product that is measured. */
struct spgemm {
	ek_matrix *A, *C; /* C: reference */
	ek_matrix *size;  /* |A| |B|, for bounds */
	ek_op op_b;
	ek_context *ctx;
	ek_peer_problem peer;
	ek_peer_result from_peer;
	const ek_matrix *result; /* C of the entrant that is checked, or NULL for from_peer */
	double products, row_max;
};

/* Returns a view of an array of a matrix; its data is NULL if there is no such array. */
ek_view spgemm_view(const ek_matrix *A, const char *name);
/* Returns element k of a view. */
double spgemm_number(const ek_view *v, int64_t k);
/* Members of struct operation. */
void spgemm_spoil(void *problem);
double spgemm_error(void *problem, const char *method);

#endif
