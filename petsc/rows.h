/* SPDX-License-Identifier: BSD-3-Clause
 * Matrices of the tests and of the benchmark, row by row. */
#ifndef EK_PETSC_ROWS_H
#define EK_PETSC_ROWS_H

#include <petscksp.h>

/* A matrix by rows: gives the entries of a row, of at most 32. */
typedef struct problem problem;
struct problem {
	const char *name, *options;
	PetscInt (*row)(const problem *p, PetscInt i, PetscInt *cols, PetscScalar *vals);
	PetscInt n, dofs;   /* grid points in each direction, unknowns at each */
	PetscBool constant; /* constant vectors are the null space */
};

static inline PetscInt add(PetscInt k, PetscInt j, double v, PetscInt *cols, PetscScalar *vals)
{
	cols[k] = j;
	vals[k] = v;
	return k + 1;
}

/* Five points in two dimensions: `self`, those before it, and two with -1 after it. */
static inline PetscInt five(PetscInt n, PetscInt i, double down, double left, double self,
                            PetscInt *cols, PetscScalar *vals)
{
	PetscInt x = i % n, y = i / n, k = 0;

	if (y > 0)
		k = add(k, i - n, down, cols, vals);
	if (x > 0)
		k = add(k, i - 1, left, cols, vals);
	k = add(k, i, self, cols, vals);
	if (x < n - 1)
		k = add(k, i + 1, -1, cols, vals);
	if (y < n - 1)
		k = add(k, i + n, -1, cols, vals);
	return k;
}

/* The Laplacian in two dimensions. */
static inline PetscInt poisson2(const problem *p, PetscInt i, PetscInt *cols, PetscScalar *vals)
{
	PetscInt n = p->n, x = i % n, y = i / n;
	PetscInt around = (x > 0) + (x < n - 1) + (y > 0) + (y < n - 1);

	return five(n, i, -1, -1, p->constant ? (double)around : 4, cols, vals);
}

/* The Laplacian in three dimensions, 7 points. */
static inline PetscInt poisson3(const problem *p, PetscInt i, PetscInt *cols, PetscScalar *vals)
{
	PetscInt n = p->n, x = i % n, y = i / n % n, z = i / n / n, k = 0;

	if (z > 0)
		k = add(k, i - n * n, -1, cols, vals);
	if (y > 0)
		k = add(k, i - n, -1, cols, vals);
	if (x > 0)
		k = add(k, i - 1, -1, cols, vals);
	k = add(k, i, 6, cols, vals);
	if (x < n - 1)
		k = add(k, i + 1, -1, cols, vals);
	if (y < n - 1)
		k = add(k, i + n, -1, cols, vals);
	if (z < n - 1)
		k = add(k, i + n * n, -1, cols, vals);
	return k;
}

/* Diffusion, and convection by upwind differences. */
static inline PetscInt convection(const problem *p, PetscInt i, PetscInt *cols, PetscScalar *vals)
{
	const double u = 1.5, v = 0.75;

	return five(p->n, i, -1 - v, -1 - u, 4 + u + v, cols, vals);
}

/* Two unknowns at each point that diffuse and react with each other: rows come in equal pairs, for
 * which aij has other loops. */
static inline PetscInt reaction(const problem *p, PetscInt i, PetscInt *cols, PetscScalar *vals)
{
	PetscInt c[8], k = 0, points, self = i / 2;
	PetscScalar v[8];

	points = poisson2(p, self, c, v);
	for (PetscInt m = 0; m < points; m++) {
		PetscBool on = c[m] == self ? PETSC_TRUE : PETSC_FALSE;

		k = add(k, 2 * c[m], i % 2 == 0 ? v[m] : on ? -0.5 : 0.01, cols, vals);
		k = add(k, 2 * c[m] + 1, i % 2 == 1 ? 3 * v[m] : on ? 0.5 : 0.02, cols, vals);
	}
	return k;
}

/* The pattern of trilinear finite elements, 27 points. */
static inline PetscInt element(const problem *p, PetscInt i, PetscInt *cols, PetscScalar *vals)
{
	PetscInt n = p->n, x = i % n, y = i / n % n, z = i / n / n, k = 0;

	for (PetscInt c = z ? z - 1 : 0; c <= z + 1 && c < n; c++)
		for (PetscInt b = y ? y - 1 : 0; b <= y + 1 && b < n; b++)
			for (PetscInt a = x ? x - 1 : 0; a <= x + 1 && a < n; a++) {
				PetscInt j = (c * n + b) * n + a;

				k = add(k, j, j == i ? 26 : -1, cols, vals);
			}
	return k;
}

static inline PetscErrorCode assemble(const problem *p, MatType type, double shift, Mat *A)
{
	PetscInt begin, end, count, size = p->n * p->n * p->dofs, cols[32];
	PetscScalar vals[32];
	MatNullSpace space;

	PetscFunctionBegin;
	if (p->row == poisson3 || p->row == element)
		size *= p->n;
	if (!*A) {
		PetscCall(MatCreate(PETSC_COMM_WORLD, A));
		PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, size, size));
		PetscCall(MatSetBlockSize(*A, p->dofs));
		PetscCall(MatSetType(*A, type));
		PetscCall(MatSeqAIJSetPreallocation(*A, 27, NULL));
		PetscCall(MatMPIAIJSetPreallocation(*A, 27, NULL, 9, NULL));
	}
	PetscCall(MatGetOwnershipRange(*A, &begin, &end));
	for (PetscInt i = begin; i < end; i++) {
		count = (*p->row)(p, i, cols, vals);
		for (PetscInt k = 0; k < count; k++)
			vals[k] += cols[k] == i ? shift * (i % 5) : 0;
		PetscCall(MatSetValues(*A, 1, &i, count, cols, vals, INSERT_VALUES));
	}
	PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
	PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
	if (p->constant) {
		PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, NULL, &space));
		PetscCall(MatSetNullSpace(*A, space));
		PetscCall(MatNullSpaceDestroy(&space));
	}
	PetscFunctionReturn(0);
}
#endif
