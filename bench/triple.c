/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench triple: the Galerkin products C = P^T A P of algebraic multigrid, where P is made by
 * smoothed aggregation, on up to five levels: A of a level is C of the level before. Unlike in
 * other operations, a call into an existing C rereads the values of A, since plans may hold part of
 * the product. The unit of the ratios is triple.csr.left, also on a device. */
#include <math.h>
#include <stdlib.h>

#include "sparse.h"

enum { LEVELS = 5, LEAST_ROWS = 100 };

static ek_status compute(ek_plan *plan, ek_matrix **C)
{
	return ek_triple(plan, 1, C);
}

/* Returns the largest number of products that an entry of C sums: for each column of P, the entries
 * of the rows of A that it needs. */
static double most_products(const struct sparse *p)
{
	const ek_view a_ptr = sparse_view(p->A, "row_ptr");
	const ek_view p_ptr = sparse_view(p->B, "row_ptr"), p_col = sparse_view(p->B, "col_idx");
	ek_matrix_info info = {.size = sizeof info};
	double most = 0;

	if (ek_matrix_get_info(p->B, &info) != EK_OK)
		return NAN;
	double *of = need(calloc((size_t)info.cols + 1, sizeof *of), "counts");

	for (int64_t i = 0; i < p->info.rows; i++) {
		const double n = sparse_number(&a_ptr, i + 1) - sparse_number(&a_ptr, i);

		for (int64_t k = (int64_t)sparse_number(&p_ptr, i);
		     k < (int64_t)sparse_number(&p_ptr, i + 1); k++)
			of[(int64_t)sparse_number(&p_col, k)] += n;
	}
	for (int64_t j = 0; j < info.cols; j++)
		most = fmax(most, of[j]);
	free(of);
	return most;
}

static ek_status galerkin(const ek_matrix *A, const ek_matrix *P, ek_matrix **C)
{
	const ek_hints hints = {.size = sizeof hints, .B = P, .calls = 1};
	ek_plan *plan = NULL;
	ek_status status = ek_plan_create(EK_TRIPLE, A, &hints, &plan);

	if (status == EK_OK)
		status = ek_triple(plan, 1, C);
	ek_plan_destroy(plan);
	return status;
}

/* Replaces p->A by the matrix of the next level. */
static ek_status go_down(struct sparse *p)
{
	ek_matrix *P = NULL, *C = NULL;
	ek_status status = ek_prolongator(p->A, NULL, &P);

	if (status == EK_OK)
		status = galerkin(p->A, P, &C);
	ek_matrix_destroy(P);
	if (status == EK_OK) {
		ek_matrix_destroy(p->owned_a);
		p->A = p->owned_a = C;
		status = ek_matrix_get_info(C, &p->info);
	}
	return status;
}

static bool set(struct sparse *p, int level)
{
	ek_status status = EK_OK;

	p->new_values = true;
	for (int k = 0; k < level && status == EK_OK; k++)
		status = go_down(p);
	if (status == EK_OK && level > 0 && (level == LEVELS || p->info.rows < LEAST_ROWS))
		return false;
	if (status == EK_OK)
		status = ek_prolongator(p->A, NULL, &p->owned);
	if (status != EK_OK) {
		p->why = keep("P: %s", ek_error_text());
		return false;
	}
	p->B = p->owned;
	p->depth = most_products(p) + 2;
	p->what = "P^T A P";
	p->variant = keep("level %d", level + 1);
	return true;
}

const struct operation bench_triple = {
	SPARSE_OPERATION("triple", EK_TRIPLE, sparse_children, "", "variant csr_gbps"),
	.text = "C = P^T A P, sparse, P by smoothed aggregation, on several levels, with peers",
	.help = "Times the Galerkin products of algebraic multigrid by smoothed aggregation, "
		"method by method, in turn and in rounds, on up to five levels, and compares them "
		"with other libraries. Every result is checked first, with triple.csr.serial, "
		"which takes long.\v"
		"Each call makes a plan and C, in new memory; NAME again computes new values of C "
		"after new values of A. Peers make C in each call, too, by two products: "
		"peer.mkl.unsorted leaves the rows unsorted, all others sort them. With --device "
		"the methods that run there are measured, by wall time and by the device's clock, "
		"and compared with triple.csr.left on the processor; matrices are in host memory. "
		"Of a call that makes C, that clock has the second of two products, since the plan "
		"makes the first. "
		"Exit status 1: a result was wrong.",
	.heading = "Galerkin products, method by method",
	.traits = TRIPLES,
	.begin = sparse_begin,
	.moves = "bytes of the CSR arrays of A and C",
	.unit = "triple.csr.left",
};
