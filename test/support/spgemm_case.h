/* SPDX-License-Identifier: BSD-3-Clause
 * Tests of SpGEMM: one product, its references, and checked runs of a plan. */
#ifndef TEST_SPGEMM_CASE_H
#define TEST_SPGEMM_CASE_H

#include "support/held.h"
#include "support/sparse.h"

/* One product to test. */
struct spgemm_problem {
	struct shape *shape[3]; /* of A, B and D; that of D may be NULL */
	int op[2];
	ek_value value;
	enum data data;
	/* without and with D, with the first and the second values */
	struct sparse_reference ref[4];
};

/* One way to compute the product. */
struct spgemm_variant {
	const ek_method *method; /* NULL for `auto` */
	const char *params;      /* parameters of the method, or NULL */
	const char *same_as;     /* name of a method that must give the same bits, or NULL */
	int held[3];
	ek_index index[3], result;
	ek_context *ctx;
	const char *on; /* text that says where it runs */
	ek_reproducible repro;
	bool unsorted; /* whether hints.unsorted is 1 */
	double alpha, beta;
	bool with_d;
};

/* Makes the references; with D, only if there is a shape for it. */
void spgemm_references(struct spgemm_problem *p);
void spgemm_references_free(struct spgemm_problem *p);
/* Draws alpha, beta, whether D is added, how the operands are held, and all index types. */
void spgemm_draw(const struct spgemm_problem *p, struct rng *draw, struct spgemm_variant *v);
/* Runs a plan into a new matrix and into an existing one, with first and second values, and checks
 * every result. Sets *bits to a copy of the values for the first, which the caller frees. */
void spgemm_check(const struct spgemm_problem *p, const struct spgemm_variant *v, struct rng *draw,
                  void **bits, size_t *bytes);

/* Runs a plan into new matrices and into existing ones, in two threads at the same time. All runs
 * must succeed. */
void spgemm_in_two_threads(ek_plan *plan);

/* Calls `check` with a shape times its transpose, on both sides, and times a random matrix, each
 * with a random D, if there are not too many products. */
void spgemm_products_of_shape(int k, ek_value value, enum data data, struct rng *draw,
                              void (*check)(struct spgemm_problem *p));
/* Calls `check` with `times` random products of many sizes, since row lengths decide which code
 * computes a row. */
void spgemm_products_at_random(int times, struct rng *draw,
                               void (*check)(struct spgemm_problem *p));

#endif
