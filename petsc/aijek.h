/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of the PETSc door share. The door is a layer on <evenkeel/ek.h>: matrices of type
 * seqaijek are seqaij matrices, with PETSc's own arrays, whose products the library computes. */
#ifndef EK_PETSC_AIJEK_H
#define EK_PETSC_AIJEK_H

#include "evenkeel_petsc.h"
#include <evenkeel/ek.h>
#include <petsc/private/matimpl.h>

#define MATAIJEK    "aijek"
#define MATSEQAIJEK "seqaijek"
#define MATMPIAIJEK "mpiaijek"

#if defined(PETSC_USE_COMPLEX)
#error "complex numbers are not supported: build with a real PETSc"
#endif
#if defined(PETSC_USE_REAL_SINGLE)
#define EKP_VALUE EK_F32
#elif defined(PETSC_USE_REAL_DOUBLE)
#define EKP_VALUE EK_F64
#else
#error "PetscScalar must be float or double"
#endif
#if defined(PETSC_USE_64BIT_INDICES)
#define EKP_INDEX EK_I64
#else
#define EKP_INDEX EK_I32
#endif

/* Turns a failure of the library into PETSc's error, with the library's text. */
#define EKP_CALL(call)                                                                    \
	do {                                                                              \
		ek_status status_ = (call);                                               \
		PetscCheck(status_ == EK_OK, PETSC_COMM_SELF,                             \
		           status_ == EK_ENOMEM ? PETSC_ERR_MEM : PETSC_ERR_LIB,          \
		           "evenkeel: %s: %s", ek_status_text(status_), ek_error_text()); \
	} while (0)

/* Options of a matrix, -mat_ek_... */
typedef struct ekp_options {
	char method[128], method_t[128], format[128]; /* "": the library chooses */
	PetscInt calls[8], levels; /* expected products, for each level of Galerkin products */
	PetscBool explain, measure, compare, early;
} ekp_options;

/* A matrix of PETSc as the library sees it: it borrows the arrays. */
typedef struct ekp_operand {
	PetscObjectId id;
	const PetscInt *row_ptr, *col_idx;
	const PetscScalar *val;
	PetscInt rows, cols;
	PetscObjectState pattern, values;
	ek_matrix *matrix;
} ekp_operand;

/* What a matrix has besides its being aij (Mat's spptr). */
typedef struct ekp_state {
	ekp_operand operand;
	ek_plan *plan[2]; /* for op N and op T, made when they are first needed */
	PetscInt filled;  /* rows with entries */
	PetscBool added;  /* products are only added to vectors: an off-diagonal block */
	PetscBool aij[2]; /* aij's own loops do the product: they are faster */
	PetscInt level;   /* how many Galerkin products led to this matrix */
	/* Blocks of parallel matrices have no prefix: they are given the options of the whole. */
	ekp_options *given;
} ekp_state;

/* Gives A's state. A matrix that took the contents of an aij matrix by MatHeaderMerge keeps our
 * functions and comes without a state: it gets one. */
PETSC_INTERN PetscErrorCode ekp_state_of(Mat A, ekp_state **s);
/* Frees A's plans, and what the library knows about its arrays, if A has a state. */
PETSC_INTERN void ekp_forget(Mat A);
/* Lets PETSc call aij's own functions for those products of A that they do, and ours for others. */
PETSC_INTERN void ekp_route(Mat A);
/* Reads the options of A, whose state may be NULL if there is none yet. */
PETSC_INTERN PetscErrorCode ekp_options_of(Mat A, const ekp_state *s, ekp_options *o);

/* The functions of MATSEQAIJ and MATMPIAIJ, which ours stand in front of. */
extern struct _MatOps ekp_seq_aij, ekp_mpi_aij;
/* The end of the assembly of a parallel matrix is under way. */
extern PetscBool ekp_assembling_whole;
extern PetscLogEvent ekp_event_plan, ekp_event_symbolic, ekp_event_numeric;

PETSC_INTERN PetscErrorCode ekp_context(ek_context **ctx);
PETSC_INTERN PetscErrorCode ekp_read_options(Mat A, ekp_options *o);
PETSC_INTERN PetscErrorCode ekp_list_options(PetscOptionItems *PetscOptionsObject, ekp_options *o);
PETSC_INTERN PetscErrorCode ekp_explain(const char *what, Mat A, const ek_plan *plan);

/* Brings an operand up to date with A. *same becomes false if the arrays are not those of the last
 * call, and plans for it must be made again. */
PETSC_INTERN PetscErrorCode ekp_operand_update(ekp_operand *o, Mat A, PetscBool *same);
PETSC_INTERN void ekp_operand_forget(ekp_operand *o);

/* Keep the functions of plain matrices, before the first of ours is made. */
PETSC_INTERN PetscErrorCode ekp_capture_seq(void);
PETSC_INTERN PetscErrorCode ekp_capture_mpi(void);
PETSC_INTERN PetscErrorCode ekp_create_seq(Mat A);
PETSC_INTERN PetscErrorCode ekp_create_mpi(Mat A);
PETSC_INTERN PetscErrorCode ekp_seq_from_aij(Mat A, MatType type, MatReuse reuse, Mat *M);
PETSC_INTERN PetscErrorCode ekp_seq_to_aij(Mat A, MatType type, MatReuse reuse, Mat *M);
PETSC_INTERN PetscErrorCode ekp_mpi_from_aij(Mat A, MatType type, MatReuse reuse, Mat *M);
PETSC_INTERN PetscErrorCode ekp_mpi_to_aij(Mat A, MatType type, MatReuse reuse, Mat *M);
/* Does the work of a conversion between aij and aijek, by what converts in place. */
PETSC_INTERN PetscErrorCode ekp_convert_by(PetscErrorCode (*in_place)(Mat), Mat A, MatReuse reuse,
                                           Mat *M);
PETSC_INTERN PetscErrorCode ekp_convert(Mat A, MatType type, MatReuse reuse, Mat *M);
PETSC_INTERN PetscErrorCode ekp_set_from_options(Mat A, PetscOptionItems *items);

/* Computes z = op(A) x, or z = y + op(A) x if y is not NULL, by aij's own loops; y may be z. */
PETSC_INTERN PetscErrorCode ekp_aij_multiply(Mat A, int op, Vec x, Vec y, Vec z);
/* Makes the plan for op N (0) or op T (1), unless there is one for the arrays that A has. */
PETSC_INTERN PetscErrorCode ekp_plan(Mat A, int op);
/* Finds out by a few products, which are only added to vectors or not, whether a plan is slower
 * than aij's own loops. */
PETSC_INTERN PetscErrorCode ekp_compare(Mat A, int op, PetscBool added, ek_plan *plan,
                                        PetscBool *slower);
/* Gives C the level after that of A if it is a Galerkin product of A. */
PETSC_INTERN PetscErrorCode ekp_take_level(Mat C);
/* Gives a block of a parallel matrix its level and options, and says which block it is. */
PETSC_INTERN PetscErrorCode ekp_give_options(Mat A, PetscBool added, PetscInt level,
                                             const ekp_options *o);

PETSC_INTERN PetscErrorCode ekp_product_sparse(Mat C);
PETSC_INTERN PetscErrorCode ekp_product_dense(Mat C);
PETSC_INTERN PetscErrorCode ekp_product_parallel(Mat C);
PETSC_INTERN PetscErrorCode ekp_product_dense_parallel(Mat C);
PETSC_INTERN PetscErrorCode ekp_product_as_aij(Mat C);
/* Makes the plan of the product C, in place of *plan; A is the library's first factor. */
PETSC_INTERN PetscErrorCode ekp_product_plan(Mat C, const char *what, ek_operation operation,
                                             const ek_matrix *A, const ek_hints *hints,
                                             ek_plan **plan);
/* A sequential matrix that multiplies dense ones, and its plan. */
typedef struct ekp_multiplier {
	ekp_operand A;
	ek_plan *plan;
} ekp_multiplier;

/* Brings the multiplier of the product C up to date with A. Makes its plan if A's arrays are not
 * those of the last call. */
PETSC_INTERN PetscErrorCode ekp_multiplier_update(ekp_multiplier *m, Mat C, const char *what,
                                                  Mat A, const ek_hints *hints);
PETSC_INTERN void ekp_multiplier_forget(ekp_multiplier *m);
/* The pattern of a matrix in csr. */
typedef struct ekp_pattern {
	PetscInt rows, cols;
	const PetscInt *row_ptr, *col_idx;
} ekp_pattern;

/* Logs the flops of a product. *multiplications is kept for the patterns; negative: not counted. */
PETSC_INTERN PetscErrorCode ekp_log_product(MatProductType type, const ekp_pattern *A,
                                            const ekp_pattern *B, PetscLogDouble *multiplications);
/* Does a phase of the product C with its data, as an event that -log_view shows. */
PETSC_INTERN PetscErrorCode ekp_product_phase(Mat C, PetscLogEvent event,
                                              PetscErrorCode (*phase)(Mat C, void *data));
/* Gives C its sizes and type: it has the rows of the first factor and the columns of the last. */
PETSC_INTERN PetscErrorCode ekp_product_shape(Mat C, MatType type);
PETSC_INTERN PetscErrorCode ekp_view_of(const ek_matrix *C, const char *array, ek_view *view);
/* Writes the values of a row into a row of C that has the same columns and perhaps others, whose
 * values become zero. Gives false if a column is missing. Without `to` it only finds that out. */
PETSC_INTERN PetscBool ekp_put_row(PetscInt count, const PetscInt *from_idx,
                                   const PetscScalar *from, PetscInt room, const PetscInt *idx,
                                   PetscScalar *to);
#endif
