/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of parallel products share. mpiproduct.c says how they work together. */
#ifndef EK_PETSC_MPIPRODUCT_H
#define EK_PETSC_MPIPRODUCT_H

#include "aijek.h"
#include <petscsf.h>

/* The arrays of the blocks of a parallel matrix, diagonal and off-diagonal. */
typedef struct ekp_blocks {
	const PetscInt *ptr[2], *idx[2];
	PetscScalar *val[2];
	PetscInt rows, cols; /* that this rank owns */
	const PetscInt *ghost;
	PetscInt ghosts; /* columns of the off-diagonal block; ghost has their global numbers */
} ekp_blocks;

/* A matrix in csr with arrays of its own. */
typedef struct ekp_factor {
	PetscInt rows, cols;
	PetscInt *row_ptr, *col_idx;
	PetscScalar *val;
	ek_matrix *matrix;
} ekp_factor;

/* What this rank multiplies to get its share of a product of A and B. */
typedef struct ekp_factors {
	ekp_factor A, B;
	PetscBool square; /* they are for B^T A B */
	PetscInt own;     /* columns of B that this rank owns: 0 to own - 1 */
	/* The columns that follow them, by global numbers, ascending. */
	PetscInt *ghost, ghosts;
	/* Rows that others want of this rank, whose values go into `sent`, one row after the other.
	 * Values come into `got`; entry k of the rows of others is got[from[k]]. */
	PetscSF entries;
	PetscInt *wanted, wanted_rows, *from, arriving;
	PetscScalar *sent, *got;
} ekp_factors;

/* How values of the local product get into C. */
typedef struct ekp_place {
	/* The local product; its rows from `rows` on belong to other ranks. */
	const PetscInt *ptr, *idx;
	const PetscScalar *val;
	PetscInt rows, own;
	/* Entries of row i in ghost columns are its last; their columns in the off-diagonal block
	 * of C are col[ghost_ptr[i]] to col[ghost_ptr[i + 1] - 1], or -1 if it has no such one. */
	PetscInt *ghost_ptr, *col;
	/* Rows that come from other ranks: piece s is added to row piece_row[s] of C. It has
	 * entries piece_ptr[s] to piece_ptr[s + 1] - 1 of `got`, in the columns got_col of C. Entry
	 * k is added to entry pos[k] of the diagonal block or, if pos[k] is negative, to entry
	 * -1 - pos[k] of the other. */
	PetscSF entries; /* NULL if no rows can come */
	PetscInt pieces, *piece_row, *piece_ptr, *got_col, *pos;
	PetscScalar *got;
} ekp_place;

PETSC_INTERN PetscErrorCode ekp_blocks_of(Mat A, ekp_blocks *b);

/* Says whether the product C is ours: it is PETSc's if the caller names one of PETSc's algorithms,
 * if it is neither A B nor P^T A P, or if rows are not distributed as they must be, which PETSc
 * reports. */
PETSC_INTERN PetscErrorCode ekp_product_is_ours(Mat C, PetscBool *ours);

/* Makes an error of one rank one of all: gives `mine`, or what another rank has. Collective. */
PETSC_INTERN PetscErrorCode ekp_agree(MPI_Comm comm, PetscErrorCode mine);

/* Tells whether this rank owns a column, a global number: its entries are in the diagonal block. */
static inline PetscBool ekp_owns_column(Mat A, PetscInt col)
{
	return col >= A->cmap->rstart && col < A->cmap->rend ? PETSC_TRUE : PETSC_FALSE;
}

/* Makes the factors for A B or, if `square`, for B^T A B. Collective, as are the others. */
PETSC_INTERN PetscErrorCode ekp_factors_make(Mat A, Mat B, PetscBool square, ekp_factors *f);
/* Takes the values that A and B have now. */
PETSC_INTERN PetscErrorCode ekp_factors_values(Mat A, Mat B, ekp_factors *f);
PETSC_INTERN PetscErrorCode ekp_factors_free(ekp_factors *f);

/* Finds out where the entries of a local product go. If it has rows of other ranks, rows are
 * distributed by the columns of B. */
PETSC_INTERN PetscErrorCode ekp_place_make(Mat B, const ekp_factors *f, const ek_matrix *product,
                                           ekp_place *p);
/* Gives C, which has its type, its pattern, and zeros for values. */
PETSC_INTERN PetscErrorCode ekp_place_pattern(Mat C, const ekp_factors *f, const ekp_place *p);
/* Finds the entries of C that the values belong to. *fits is false if C of this rank lacks one. */
PETSC_INTERN PetscErrorCode ekp_place_fit(Mat C, const ekp_factors *f, ekp_place *p,
                                          PetscBool *fits);
/* Puts the values into C; it must fit. */
PETSC_INTERN PetscErrorCode ekp_place_values(Mat C, const ekp_place *p);
PETSC_INTERN PetscErrorCode ekp_place_free(ekp_place *p);
#endif
