/* SPDX-License-Identifier: BSD-3-Clause
 * Operations with a sparse result as problems of `ek bench`. sparse.c makes the problems, enters
 * the methods and shows the figures, sparse_check.c checks results. The file of an operation has
 * two functions: one says what is computed from a matrix, the other computes it by a plan.
 */
#ifndef EK_BENCH_SPARSE_H
#define EK_BENCH_SPARSE_H

#include "run.h"

/* What is measured. An operation sets the members of the first group, which sparse.c has preset for
 * an operation on A alone. */
struct sparse {
	const ek_matrix *B; /* second operand, or NULL; A or `owned` */
	ek_matrix *owned;   /* a matrix that is freed with the problem, or NULL */
	ek_matrix *owned_a; /* likewise A, if that is not the matrix of the command line */
	bool new_values;    /* whether calls into an existing C reread the values of A */
	ek_op op_b;
	const char *what;    /* what is computed, such as "A^2", for the title */
	const char *variant; /* the same in records, or NULL */
	bool unsorted;       /* whether rows of C may be unsorted (--unsorted) */
	double products;     /* products of entries, or NAN if these are not counted */
	double flops;
	const char *why; /* why the matrix cannot be used, or NULL */
	double depth; /* an entry of C has an error of at most `depth` roundings of its summands */

	ek_matrix *A;
	ek_matrix_info info; /* of A */
	ek_context *ctx;
	const struct operation *op;
	ek_matrix *C, *size; /* reference; the same with absolute values, for bounds */
	ek_peer_problem peer;
	ek_peer_result from_peer;
	const ek_matrix *result; /* C of the entrant being checked, or NULL for from_peer */
};

/* Returns a view of an array of a matrix; its data is NULL if there is no such array. */
ek_view sparse_view(const ek_matrix *A, const char *name);
/* Returns element k of a view. */
double sparse_number(const ek_view *v, int64_t k);

/* Members of struct operation. sparse_begin and sparse_children are for operations that have
 * methods on devices. */
extern const struct argp_child sparse_children[];
int sparse_begin(struct bench *bench);
int sparse_matrix(struct bench *bench, const struct tool_source *source, ek_matrix *A);
void sparse_enter(struct field *f);
void sparse_spoil(void *problem);
double sparse_error(void *problem, const char *method);
const char *sparse_title(const struct bench *bench, const struct bench_case *c);
extern const struct column sparse_columns[];

/* Sets members of struct operation as all operations with a sparse result do. Each file has
 * functions of these names. `own` are further options, `more` further keys of records. */
#define SPARSE_OPERATION(called, of, argp_children, own, more)                                    \
	.name = called, .operation = of, .usage = "[MATRIX...]", .children = argp_children,       \
	.options = "suite html rounds time peers peer_dir method" own, .defaults = "time=3",      \
	.check = check_matrices, .problem = "matrices", .columns = sparse_columns,                \
	.walk = walk_matrices, .matrix = sparse_matrix, .each = table_case, .end = groups_end,    \
	.title = sparse_title, .place = text_place, .enter = sparse_enter, .spoil = sparse_spoil, \
	.error = sparse_error, .set = set, .compute = compute,                                    \
	.fields = MATRIX_KEYS more                                                                \
		" value index device_name driver device_memory result_nnz " TIME_KEYS             \
		"bytes gflops device_ms device_gflops temporary_bytes "                           \
		"temporary_uncapped temporary_bound "                                             \
		"temporary_precise unit vs_csr vs_best_peer error" RUN_KEYS

#endif
