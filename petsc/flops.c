/* SPDX-License-Identifier: BSD-3-Clause
 * The flops of sparse products, which -log_view shows: two for each multiplication, as PETSc counts
 * them. For the Galerkin product they are those of P^T (A P), for R A R^T those of (R A) R^T, in
 * whichever order the library computes them, so that rates can be compared with those of aij. Sums
 * that ranks send to each other are not counted.
 *
 * Cost: O(entries) for a product of two matrices. For a product of three, the rows of the first
 * product are counted, which takes as many steps as it has multiplications; so flops are counted
 * only while PETSc keeps logs, and once for each pattern. */
#include "aijek.h"

/* Allocates the lengths of the rows of A, or of its columns. */
static PetscErrorCode lengths(const ekp_pattern *A, PetscBool by_columns, PetscInt **len)
{
	PetscFunctionBegin;
	PetscCall(PetscCalloc1((by_columns ? A->cols : A->rows) + 1, len));
	for (PetscInt i = 0; !by_columns && i < A->rows; i++)
		(*len)[i] = A->row_ptr[i + 1] - A->row_ptr[i];
	for (PetscInt k = 0; by_columns && k < A->row_ptr[A->rows]; k++)
		(*len)[A->col_idx[k]]++;
	PetscFunctionReturn(0);
}

/* Sums up len[j] over all entries a_ij. */
static PetscLogDouble sum_by_columns(const ekp_pattern *A, const PetscInt *len)
{
	PetscLogDouble sum = 0;

	for (PetscInt k = 0; k < A->row_ptr[A->rows]; k++)
		sum += len[A->col_idx[k]];
	return sum;
}

/* Sums up of_row[i] or, if that is NULL, of_col[j] over all entries (i, j) of A B. */
static PetscErrorCode sum_of_product(const ekp_pattern *A, const ekp_pattern *B,
                                     const PetscInt *of_row, const PetscInt *of_col,
                                     PetscLogDouble *sum)
{
	PetscInt *seen; /* one more than the last row of A B that has an entry in each column */

	PetscFunctionBegin;
	PetscCall(PetscCalloc1(B->cols + 1, &seen));
	*sum = 0;
	for (PetscInt i = 0; i < A->rows; i++)
		for (PetscInt k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
			const PetscInt row = A->col_idx[k];

			for (PetscInt m = B->row_ptr[row]; m < B->row_ptr[row + 1]; m++) {
				const PetscInt j = B->col_idx[m];

				*sum += seen[j] == i + 1 ? 0 : of_row ? of_row[i] : of_col[j];
				seen[j] = i + 1;
			}
		}
	PetscCall(PetscFree(seen));
	PetscFunctionReturn(0);
}

/* Counts multiplications. B is the second factor, P or R. */
static PetscErrorCode count(MatProductType type, const ekp_pattern *A, const ekp_pattern *B,
                            PetscLogDouble *sum)
{
	const PetscBool by_columns =
		type == MATPRODUCT_ABt || type == MATPRODUCT_RARt ? PETSC_TRUE : PETSC_FALSE;
	PetscInt *len_a, *len_b;

	PetscFunctionBegin;
	PetscCall(lengths(A, PETSC_FALSE, &len_a));
	PetscCall(lengths(B, by_columns, &len_b));
	*sum = 0;
	switch (type) {
	case MATPRODUCT_AtB:
		for (PetscInt i = 0; i < A->rows; i++)
			*sum += (PetscLogDouble)len_a[i] * len_b[i];
		break;
	case MATPRODUCT_PtAP:
		PetscCall(sum_of_product(A, B, len_b, NULL, sum));
		*sum += sum_by_columns(A, len_b);
		break;
	case MATPRODUCT_RARt:
		PetscCall(sum_of_product(B, A, NULL, len_b, sum));
		*sum += sum_by_columns(B, len_a);
		break;
	default: *sum = sum_by_columns(A, len_b);
	}
	PetscCall(PetscFree(len_a));
	PetscCall(PetscFree(len_b));
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_log_product(MatProductType type, const ekp_pattern *A, const ekp_pattern *B,
                               PetscLogDouble *multiplications)
{
	PetscBool logs;

	PetscFunctionBegin;
	PetscCall(PetscLogIsActive(&logs));
	if (!logs)
		PetscFunctionReturn(0);
	if (*multiplications < 0)
		PetscCall(count(type, A, B, multiplications));
	PetscCall(PetscLogFlops(2 * *multiplications));
	PetscFunctionReturn(0);
}
