/* SPDX-License-Identifier: BSD-3-Clause
 * The factors of a parallel product, as one rank sees them.
 *
 * A rank owns rows of A, in two blocks: entries in columns that it owns, and entries in others. It
 * needs the rows of B that these columns are multiplied by: its own, and some of other ranks. So
 * the local factors are
 *     A: the blocks next to each other; column cols + k is column k of the off-diagonal block
 *     B: this rank's rows, then the row of another rank for each column of that block
 * Columns of B are numbered likewise: first those that this rank owns, then all others that occur,
 * in ascending order. For B^T A B, A gets an empty row for each row of another rank. So it is
 * square, and the library's triple product gives what this rank adds to all rows of the result.
 *
 * Patterns are exchanged once. The owner of a row learns that it is wanted, and tells where it
 * will be in a buffer of what it sends; from then on values go from buffer to buffer, in one
 * message for each pair of ranks, while own values are copied.
 *
 * Cost: a copy of the values of A and of B each time, 16 bytes read and written for each entry.
 * That is the price of one product instead of one for each pair of blocks. */
#include "mpiproduct.h"

PetscErrorCode ekp_blocks_of(Mat A, ekp_blocks *b)
{
	Mat block[2];

	PetscFunctionBegin;
	PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], &b->ghost));
	for (int k = 0; k < 2; k++)
		PetscCall(MatSeqAIJGetCSRAndMemType(block[k], &b->ptr[k], &b->idx[k], &b->val[k],
		                                    NULL));
	b->rows = block[0]->rmap->n;
	b->cols = block[0]->cmap->n;
	b->ghosts = block[1]->cmap->n;
	PetscFunctionReturn(0);
}

/* Allocates a factor for the entries of a parallel matrix and `more`. */
static PetscErrorCode allocate(const ekp_blocks *b, PetscInt more, ekp_factor *f)
{
	PetscInt entries;

	PetscFunctionBegin;
	PetscCall(
		PetscIntCast((PetscInt64)b->ptr[0][b->rows] + b->ptr[1][b->rows] + more, &entries));
	PetscCall(PetscMalloc3(f->rows + 1, &f->row_ptr, entries + 1, &f->col_idx, entries + 1,
	                       &f->val));
	PetscFunctionReturn(0);
}

/* Gives the end of the longest run of rows, from row i on, that have no entries in the off-
 * diagonal block: their entries are one piece of memory in both places. Inside a domain that is
 * most rows. */
static PetscInt run_end(const ekp_blocks *b, PetscInt i, PetscInt last)
{
	while (i < last && b->ptr[1][i + 1] == b->ptr[1][i])
		i++;
	return i;
}

/* Puts the patterns of both blocks next to each other. Column k of the second becomes the column
 * b->cols + name[k], or b->cols + k if name is NULL. Rows that follow are empty. */
static void join_patterns(const ekp_blocks *b, const PetscInt *name, ekp_factor *f)
{
	PetscInt *col = f->col_idx, *const row_ptr = f->row_ptr;

	for (PetscInt i = 0; i <= f->rows; i++) {
		const PetscInt r = PetscMin(i, b->rows);

		row_ptr[i] = b->ptr[0][r] + b->ptr[1][r];
	}
	for (PetscInt i = 0, end; i < b->rows; i = end) {
		end = PetscMin(run_end(b, i, b->rows) + 1, b->rows);
		for (PetscInt k = b->ptr[0][i]; k < b->ptr[0][end]; k++)
			*col++ = b->idx[0][k];
		for (PetscInt k = b->ptr[1][i]; k < b->ptr[1][end]; k++)
			*col++ = b->cols + (name ? name[b->idx[1][k]] : b->idx[1][k]);
	}
}

/* Copies the values of rows, first to last - 1, both blocks next to each other. Gives the number of
 * entries. */
static PetscInt join_values(const ekp_blocks *b, PetscInt first, PetscInt last, PetscScalar *val)
{
	PetscScalar *const begin = val;

	for (PetscInt i = first, end; i < last; i = end) {
		end = PetscMin(run_end(b, i, last) + 1, last);
		for (int m = 0; m < 2; m++) {
			const PetscInt k = b->ptr[m][i], count = b->ptr[m][end] - k;

			memcpy(val, b->val[m] + k, (size_t)count * sizeof *val);
			val += count;
		}
	}
	return (PetscInt)(val - begin);
}

/* Lists the rows of B that other ranks want, and where in `sent` each begins and how many entries
 * it has. */
static PetscErrorCode list_wanted(PetscSF rows, const ekp_blocks *b, ekp_factors *f,
                                  PetscInt (*span)[2], PetscInt *sending)
{
	const PetscInt *degree;

	PetscFunctionBegin;
	PetscCall(PetscSFComputeDegreeBegin(rows, &degree));
	PetscCall(PetscSFComputeDegreeEnd(rows, &degree));
	PetscCall(PetscMalloc1(b->rows, &f->wanted));
	*sending = 0;
	for (PetscInt i = 0; i < b->rows; i++) {
		if (!degree[i])
			continue;
		f->wanted[f->wanted_rows++] = i;
		span[i][0] = *sending;
		span[i][1] = b->ptr[0][i + 1] - b->ptr[0][i] + b->ptr[1][i + 1] - b->ptr[1][i];
		PetscCall(PetscIntCast((PetscInt64)*sending + span[i][1], sending));
	}
	PetscFunctionReturn(0);
}

/* Makes the way of entries from their owners. `to` has where each row of another rank begins in
 * `got`, and is filled here. */
static PetscErrorCode make_way(PetscSF rows, PetscInt sending, PetscInt count, PetscInt (*span)[2],
                               PetscInt *to, ekp_factors *f)
{
	const PetscSFNode *owner;
	PetscSFNode *from;

	PetscFunctionBegin;
	to[0] = 0;
	for (PetscInt k = 0; k < count; k++)
		PetscCall(PetscIntCast((PetscInt64)to[k] + span[k][1], &to[k + 1]));
	f->arriving = to[count];
	PetscCall(PetscSFGetGraph(rows, NULL, NULL, NULL, &owner));
	PetscCall(PetscMalloc1(f->arriving, &from));
	for (PetscInt k = 0; k < count; k++)
		for (PetscInt m = 0; m < span[k][1]; m++)
			from[to[k] + m] = (PetscSFNode){owner[k].rank, span[k][0] + m};
	PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)rows), &f->entries));
	PetscCall(PetscSFSetGraph(f->entries, sending, f->arriving, NULL, PETSC_OWN_POINTER, from,
	                          PETSC_OWN_POINTER));
	PetscCall(PetscMalloc2(sending, &f->sent, f->arriving, &f->got));
	PetscFunctionReturn(0);
}

/* Exchanges patterns. to[k] is where row k of the others begins in `got`; *col are the global
 * numbers of their columns. */
static PetscErrorCode fetch_patterns(Mat B, const ekp_blocks *a, const ekp_blocks *b,
                                     ekp_factors *f, PetscInt *to, PetscInt **col)
{
	PetscInt(*mine)[2], (*theirs)[2], *out, sending, at = 0;
	PetscSF rows;

	PetscFunctionBegin;
	PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)B), &rows));
	PetscCall(
		PetscSFSetGraphLayout(rows, B->rmap, a->ghosts, NULL, PETSC_OWN_POINTER, a->ghost));
	PetscCall(PetscMalloc2(b->rows, &mine, a->ghosts, &theirs));
	PetscCall(list_wanted(rows, b, f, mine, &sending));
	PetscCall(PetscSFBcastBegin(rows, MPIU_2INT, mine, theirs, MPI_REPLACE));
	PetscCall(PetscSFBcastEnd(rows, MPIU_2INT, mine, theirs, MPI_REPLACE));
	PetscCall(make_way(rows, sending, a->ghosts, theirs, to, f));
	PetscCall(PetscFree2(mine, theirs));
	PetscCall(PetscSFDestroy(&rows));
	PetscCall(PetscMalloc1(sending, &out));
	for (PetscInt w = 0; w < f->wanted_rows; w++) {
		const PetscInt i = f->wanted[w];

		for (PetscInt k = b->ptr[0][i]; k < b->ptr[0][i + 1]; k++)
			out[at++] = b->idx[0][k] + B->cmap->rstart;
		for (PetscInt k = b->ptr[1][i]; k < b->ptr[1][i + 1]; k++)
			out[at++] = b->ghost[b->idx[1][k]];
	}
	PetscCall(PetscMalloc1(f->arriving, col));
	PetscCall(PetscSFBcastBegin(f->entries, MPIU_INT, out, *col, MPI_REPLACE));
	PetscCall(PetscSFBcastEnd(f->entries, MPIU_INT, out, *col, MPI_REPLACE));
	PetscCall(PetscFree(out));
	PetscFunctionReturn(0);
}

/* Lists the columns of the local B that other ranks own. name[k] is the number there of column k of
 * the off-diagonal block. */
static PetscErrorCode list_ghosts(Mat B, const ekp_blocks *b, const PetscInt *col, ekp_factors *f,
                                  PetscInt *name)
{
	PetscInt at = 0;

	PetscFunctionBegin;
	PetscCall(PetscMalloc1(b->ghosts + f->arriving, &f->ghost));
	PetscCall(PetscArraycpy(f->ghost, b->ghost, b->ghosts));
	f->ghosts = b->ghosts;
	for (PetscInt k = 0; k < f->arriving; k++)
		if (!ekp_owns_column(B, col[k]))
			f->ghost[f->ghosts++] = col[k];
	PetscCall(PetscSortRemoveDupsInt(&f->ghosts, f->ghost));
	for (PetscInt k = 0; k < b->ghosts; k++) {
		while (f->ghost[at] != b->ghost[k])
			at++;
		name[k] = at;
	}
	PetscFunctionReturn(0);
}

/* Appends the rows of others to the local B, with columns in ascending order. */
static PetscErrorCode append_rows(Mat B, const ekp_blocks *b, const PetscInt *to,
                                  const PetscInt *col, ekp_factors *f)
{
	PetscInt *row_ptr = f->B.row_ptr + b->rows, *col_idx = f->B.col_idx + row_ptr[0], at;

	PetscFunctionBegin;
	PetscCall(PetscMalloc1(f->arriving, &f->from));
	for (PetscInt k = 0; k < f->arriving; k++) {
		f->from[k] = k;
		if (ekp_owns_column(B, col[k])) {
			col_idx[k] = col[k] - B->cmap->rstart;
			continue;
		}
		PetscCall(PetscFindInt(col[k], f->ghosts, f->ghost, &at));
		col_idx[k] = b->cols + at;
	}
	for (PetscInt r = 0; r < f->B.rows - b->rows; r++) {
		PetscCall(
			PetscSortIntWithArray(to[r + 1] - to[r], col_idx + to[r], f->from + to[r]));
		row_ptr[r + 1] = row_ptr[0] + to[r + 1];
	}
	PetscFunctionReturn(0);
}

static PetscErrorCode wrap(ekp_factor *f)
{
	ek_context *ctx;

	PetscFunctionBegin;
	PetscCall(ekp_context(&ctx));
	EKP_CALL(ek_matrix_from_csr(ctx, EKP_VALUE, EKP_INDEX, f->rows, f->cols, f->row_ptr,
	                            f->col_idx, f->val, EK_BORROW | EK_TRUSTED, &f->matrix));
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_factors_make(Mat A, Mat B, PetscBool square, ekp_factors *f)
{
	ekp_blocks a, b;
	PetscInt *to, *col, *name;

	PetscFunctionBegin;
	PetscCall(ekp_blocks_of(A, &a));
	PetscCall(ekp_blocks_of(B, &b));
	f->square = square;
	f->own = b.cols;
	PetscCall(PetscMalloc2(a.ghosts + 1, &to, b.ghosts, &name));
	PetscCall(fetch_patterns(B, &a, &b, f, to, &col));
	PetscCall(list_ghosts(B, &b, col, f, name));
	f->A.rows = square ? a.rows + a.ghosts : a.rows;
	f->A.cols = f->B.rows = b.rows + a.ghosts;
	f->B.cols = b.cols + f->ghosts;
	PetscCall(allocate(&a, 0, &f->A));
	join_patterns(&a, NULL, &f->A);
	PetscCall(allocate(&b, f->arriving, &f->B));
	join_patterns(&b, name, &f->B);
	PetscCall(append_rows(B, &b, to, col, f));
	PetscCall(PetscFree(col));
	PetscCall(PetscFree2(to, name));
	PetscCall(ekp_factors_values(A, B, f));
	PetscCall(wrap(&f->A));
	PetscCall(wrap(&f->B));
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_factors_values(Mat A, Mat B, ekp_factors *f)
{
	ekp_blocks a, b;
	PetscScalar *val;
	PetscInt at = 0;

	PetscFunctionBegin;
	PetscCall(ekp_blocks_of(A, &a));
	PetscCall(ekp_blocks_of(B, &b));
	for (PetscInt w = 0; w < f->wanted_rows; w++)
		at += join_values(&b, f->wanted[w], f->wanted[w] + 1, f->sent + at);
	PetscCall(PetscSFBcastBegin(f->entries, MPIU_SCALAR, f->sent, f->got, MPI_REPLACE));
	join_values(&a, 0, a.rows, f->A.val);
	val = f->B.val + join_values(&b, 0, b.rows, f->B.val);
	PetscCall(PetscSFBcastEnd(f->entries, MPIU_SCALAR, f->sent, f->got, MPI_REPLACE));
	for (PetscInt k = 0; k < f->arriving; k++)
		val[k] = f->got[f->from[k]];
	if (f->A.matrix) {
		EKP_CALL(ek_matrix_values_changed(f->A.matrix));
		EKP_CALL(ek_matrix_values_changed(f->B.matrix));
	}
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_factors_free(ekp_factors *f)
{
	PetscFunctionBegin;
	ek_matrix_destroy(f->A.matrix);
	ek_matrix_destroy(f->B.matrix);
	PetscCall(PetscFree3(f->A.row_ptr, f->A.col_idx, f->A.val));
	PetscCall(PetscFree3(f->B.row_ptr, f->B.col_idx, f->B.val));
	PetscCall(PetscFree(f->ghost));
	PetscCall(PetscFree(f->wanted));
	PetscCall(PetscFree(f->from));
	PetscCall(PetscFree2(f->sent, f->got));
	PetscCall(PetscSFDestroy(&f->entries));
	PetscCall(PetscMemzero(f, sizeof *f));
	PetscFunctionReturn(0);
}
