/* SPDX-License-Identifier: BSD-3-Clause
 * Ways to assemble a matrix other than by MatSetValues, for assembled.c: from coordinates, by
 * MatSetPreallocationCOO, and on the grids of a DMDA, by stencils, local numbers and local
 * coordinates. Values are small integers. */
#ifndef EK_PETSC_SOURCES_H
#define EK_PETSC_SOURCES_H

#include "integers.h"
#include <petscdmda.h>

typedef struct source source;
struct source {
	const char *name;
	PetscErrorCode (*make)(const source *s, MatType type, Mat *A);
	/* Gives A all of its values, which depend on the seed. */
	PetscErrorCode (*set)(const source *s, Mat A, PetscInt seed);
	PetscInt n;        /* rows, or points in each direction */
	PetscInt dim, dof; /* of grids */
	DMDAStencilType stencil;
	DMBoundaryType boundary;
	PetscBool by_option; /* the type comes from -dm_mat_type */
};

/* Entries by coordinates. */
typedef struct entries {
	PetscInt count, *row, *col;
	PetscScalar *val;
} entries;

static inline PetscErrorCode allocate(PetscInt most, entries *e)
{
	PetscFunctionBegin;
	e->count = 0;
	PetscCall(PetscMalloc3(most, &e->row, most, &e->col, most, &e->val));
	PetscFunctionReturn(0);
}

static inline PetscErrorCode release(entries *e)
{
	PetscFunctionBegin;
	PetscCall(PetscFree3(e->row, e->col, e->val));
	PetscFunctionReturn(0);
}

static inline void append(entries *e, PetscInt row, PetscInt col, PetscInt seed)
{
	e->row[e->count] = row;
	e->col[e->count] = col;
	e->val[e->count] = (e->count * 3 + seed * (e->count % 5 + 1)) % 7 - 3;
	e->count++;
}

/* Lists entries of this rank's rows and, once in a row, of rows that may be another's. Some come
 * twice, and some have negative numbers, which PETSc ignores. */
static inline PetscErrorCode list_coordinates(Mat A, PetscInt stride, PetscInt seed, entries *e)
{
	PetscInt begin, end, n;

	PetscFunctionBegin;
	PetscCall(MatGetOwnershipRange(A, &begin, &end));
	PetscCall(MatGetSize(A, &n, NULL));
	PetscCall(allocate(9 * (end - begin), e));
	for (PetscInt i = begin; i < end; i++) {
		for (PetscInt k = 0; k < 6; k++)
			append(e, i, k % 2 ? (i + k) % n : (i * stride + k * 29) % n, seed);
		append(e, (i + n / 2 + 1) % n, i, seed);
		append(e, i, i, seed);
		append(e, i % 10 ? i : -1, i % 7 ? (i + 1) % n : -5, seed);
	}
	PetscFunctionReturn(0);
}

static inline PetscErrorCode set_coordinates(const source *s, Mat A, PetscInt seed)
{
	entries e;

	PetscFunctionBegin;
	(void)s;
	PetscCall(list_coordinates(A, 13, seed, &e));
	PetscCall(MatSetValuesCOO(A, e.val, INSERT_VALUES));
	PetscCall(MatSetValuesCOO(A, e.val, ADD_VALUES));
	PetscCall(release(&e));
	PetscFunctionReturn(0);
}

static inline PetscErrorCode make_coordinates(const source *s, MatType type, Mat *A)
{
	PetscLayout layout[2];
	entries e;

	PetscFunctionBegin;
	PetscCall(MatCreate(comm, A));
	PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, s->n, s->n));
	PetscCall(MatSetType(*A, type));
	PetscCall(MatGetLayouts(*A, &layout[0], &layout[1]));
	for (int k = 0; k < 2; k++)
		PetscCall(PetscLayoutSetUp(layout[k]));
	PetscCall(list_coordinates(*A, 13, 0, &e));
	PetscCall(MatSetPreallocationCOO(*A, e.count, e.row, e.col));
	PetscCall(release(&e));
	PetscFunctionReturn(0);
}

/* Finds the local number of an unknown, which counts points with the ghosts around them. */
static inline PetscErrorCode local_number(DM da, const PetscInt *at, PetscInt c, PetscInt *number)
{
	PetscInt first[3], count[3], dof;

	PetscFunctionBegin;
	PetscCall(DMDAGetGhostCorners(da, &first[0], &first[1], &first[2], &count[0], &count[1],
	                              &count[2]));
	PetscCall(DMDAGetDof(da, &dof));
	*number = (((at[2] - first[2]) * count[1] + at[1] - first[1]) * count[0] + at[0] -
	           first[0]) * dof +
	          c;
	PetscFunctionReturn(0);
}

/* Appends the entries of all unknowns of a point in the columns of another one. */
static inline PetscErrorCode append_pair(DM da, const source *s, const PetscInt *at,
                                         const PetscInt *with, PetscInt seed, entries *e)
{
	PetscInt row = 0, col = 0;

	PetscFunctionBegin;
	for (PetscInt m = 0; m < s->dim && s->boundary != DM_BOUNDARY_PERIODIC; m++)
		if (with[m] < 0 || with[m] >= s->n)
			PetscFunctionReturn(0);
	for (PetscInt c = 0; c < s->dof; c++)
		for (PetscInt d = 0; d < s->dof; d++) {
			PetscCall(local_number(da, at, c, &row));
			PetscCall(local_number(da, with, d, &col));
			append(e, row, col, seed);
		}
	PetscFunctionReturn(0);
}

/* Lists the entries of this rank's points by local numbers: those around it, all or in a star. */
static inline PetscErrorCode list_grid(DM da, const source *s, PetscInt seed, entries *e)
{
	PetscInt begin[3], count[3], p[3], q[3];

	PetscFunctionBegin;
	PetscCall(DMDAGetCorners(da, &begin[0], &begin[1], &begin[2], &count[0], &count[1],
	                         &count[2]));
	PetscCall(allocate(27 * s->dof * s->dof * count[0] * count[1] * count[2], e));
	for (PetscInt m = 0; m < count[0] * count[1] * count[2]; m++) {
		p[0] = begin[0] + m % count[0];
		p[1] = begin[1] + m / count[0] % count[1];
		p[2] = begin[2] + m / count[0] / count[1];
		for (PetscInt t = 0; t < (s->dim == 3 ? 27 : 9); t++) {
			const PetscInt off[3] = {t % 3 - 1, t / 3 % 3 - 1,
			                         s->dim == 3 ? t / 9 - 1 : 0};

			if (s->stencil == DMDA_STENCIL_STAR &&
			    off[0] * off[0] + off[1] * off[1] + off[2] * off[2] > 1)
				continue;
			for (int k = 0; k < 3; k++)
				q[k] = p[k] + off[k];
			PetscCall(append_pair(da, s, p, q, seed, e));
		}
	}
	PetscFunctionReturn(0);
}

static inline PetscErrorCode assemble(Mat A)
{
	PetscFunctionBegin;
	PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
	PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
	PetscFunctionReturn(0);
}

static inline PetscErrorCode set_local(const source *s, Mat A, PetscInt seed)
{
	entries e;
	DM da;

	PetscFunctionBegin;
	PetscCall(MatGetDM(A, &da));
	PetscCall(list_grid(da, s, seed, &e));
	for (PetscInt k = 0; k < e.count; k++)
		PetscCall(MatSetValuesLocal(A, 1, &e.row[k], 1, &e.col[k], &e.val[k],
		                            INSERT_VALUES));
	PetscCall(release(&e));
	PetscCall(assemble(A));
	PetscFunctionReturn(0);
}

static inline PetscErrorCode set_local_coordinates(const source *s, Mat A, PetscInt seed)
{
	entries e;
	DM da;

	PetscFunctionBegin;
	PetscCall(MatGetDM(A, &da));
	PetscCall(list_grid(da, s, seed, &e));
	PetscCall(MatSetValuesCOO(A, e.val, INSERT_VALUES));
	PetscCall(release(&e));
	PetscFunctionReturn(0);
}

/* Gives the point that a local number stands for. */
static inline MatStencil point_of(DM da, PetscInt number)
{
	PetscInt first[3], count[3], dof, point;
	MatStencil at;

	DMDAGetGhostCorners(da, &first[0], &first[1], &first[2], &count[0], &count[1], &count[2]);
	DMDAGetDof(da, &dof);
	point = number / dof;
	at.c = number % dof;
	at.i = first[0] + point % count[0];
	at.j = first[1] + point / count[0] % count[1];
	at.k = first[2] + point / count[0] / count[1];
	return at;
}

static inline PetscErrorCode set_stencil(const source *s, Mat A, PetscInt seed)
{
	MatStencil row, col;
	entries e;
	DM da;

	PetscFunctionBegin;
	PetscCall(MatGetDM(A, &da));
	PetscCall(list_grid(da, s, seed, &e));
	PetscCall(MatZeroEntries(A));
	for (PetscInt k = 0; k < e.count; k++) {
		row = point_of(da, e.row[k]);
		col = point_of(da, e.col[k]);
		PetscCall(MatSetValuesStencil(A, 1, &row, 1, &col, &e.val[k], ADD_VALUES));
	}
	PetscCall(release(&e));
	PetscCall(assemble(A));
	PetscFunctionReturn(0);
}

/* Makes a matrix by DMCreateMatrix. The type is set by DMSetMatType or by the option. */
static inline PetscErrorCode make_grid(const source *s, MatType type, Mat *A)
{
	entries e;
	DM da;

	PetscFunctionBegin;
	PetscCall(DMDACreate(comm, &da));
	PetscCall(DMSetDimension(da, s->dim));
	PetscCall(DMDASetSizes(da, s->n, s->n, s->dim == 3 ? s->n : 1));
	PetscCall(DMDASetBoundaryType(da, s->boundary, s->boundary,
	                              s->dim == 3 ? s->boundary : DM_BOUNDARY_NONE));
	PetscCall(DMDASetDof(da, s->dof));
	PetscCall(DMDASetStencilType(da, s->stencil));
	PetscCall(DMDASetStencilWidth(da, 1));
	if (s->by_option)
		PetscCall(PetscOptionsSetValue(NULL, "-dm_mat_type", type));
	else
		PetscCall(DMSetMatType(da, type));
	PetscCall(DMSetFromOptions(da));
	PetscCall(PetscOptionsClearValue(NULL, "-dm_mat_type"));
	PetscCall(DMSetUp(da));
	if (s->set == set_local_coordinates)
		PetscCall(DMSetMatrixPreallocateSkip(da, PETSC_TRUE));
	PetscCall(DMCreateMatrix(da, A));
	if (s->set == set_local_coordinates) {
		PetscCall(list_grid(da, s, 0, &e));
		PetscCall(MatSetPreallocationCOOLocal(*A, e.count, e.row, e.col));
		PetscCall(release(&e));
	}
	PetscCall(DMDestroy(&da)); /* the matrix holds it */
	PetscFunctionReturn(0);
}
#endif
