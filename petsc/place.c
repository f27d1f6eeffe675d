/* SPDX-License-Identifier: BSD-3-Clause
 * From the local product of one rank to the parallel matrix C.
 *
 * Columns of the local product are numbered as factors.c does it, so the entries of a row that go
 * into the diagonal block of C come first, then those of the off-diagonal block, both in the order
 * that they have there. A row of C that has no other entries is two copies, and rows without ghost
 * columns are copied together. Rows that have more (as other ranks add to them, or the caller has)
 * are merged with what the product has.
 *
 * Rows of other ranks are the last of the local product, so their values are one piece of memory,
 * which is sent as it is. Their owners have found out, when patterns were exchanged, to which
 * entry of C they add each value that comes.
 *
 * Cost: a copy of the values, 16 bytes moved for each entry, and an addition to a known place for
 * each entry that comes. */
#include "mpiproduct.h"

static PetscErrorCode view_product(const ek_matrix *product, ekp_place *p)
{
	ek_view rows, cols, v;

	PetscFunctionBegin;
	PetscCall(ekp_view_of(product, "row_ptr", &rows));
	PetscCall(ekp_view_of(product, "col_idx", &cols));
	PetscCall(ekp_view_of(product, "val", &v));
	p->ptr = rows.data;
	p->idx = cols.data;
	p->val = v.data;
	p->rows = (PetscInt)rows.len - 1;
	PetscFunctionReturn(0);
}

/* Finds out which rows come from other ranks, and how long they are. *to says where the rows that
 * this rank sends begin at their owners. */
static PetscErrorCode count_pieces(PetscSF rows, PetscInt own, const PetscInt *len, ekp_place *p,
                                   PetscInt *to)
{
	const PetscInt *degree;
	PetscInt *length, at = 0;

	PetscFunctionBegin;
	PetscCall(PetscSFComputeDegreeBegin(rows, &degree));
	PetscCall(PetscSFComputeDegreeEnd(rows, &degree));
	for (PetscInt i = 0; i < own; i++)
		PetscCall(PetscIntCast((PetscInt64)p->pieces + degree[i], &p->pieces));
	PetscCall(PetscMalloc2(p->pieces, &p->piece_row, p->pieces + 1, &p->piece_ptr));
	for (PetscInt i = 0; i < own; i++)
		for (PetscInt m = 0; m < degree[i]; m++)
			p->piece_row[at++] = i;
	PetscCall(PetscMalloc1(p->pieces, &length));
	PetscCall(PetscSFGatherBegin(rows, MPIU_INT, len, length));
	PetscCall(PetscSFGatherEnd(rows, MPIU_INT, len, length));
	p->piece_ptr[0] = 0;
	for (PetscInt s = 0; s < p->pieces; s++)
		PetscCall(PetscIntCast((PetscInt64)p->piece_ptr[s] + length[s],
		                       &p->piece_ptr[s + 1]));
	PetscCall(PetscFree(length));
	PetscCall(PetscSFScatterBegin(rows, MPIU_INT, p->piece_ptr, to));
	PetscCall(PetscSFScatterEnd(rows, MPIU_INT, p->piece_ptr, to));
	PetscFunctionReturn(0);
}

/* Makes the way of entries to the owners of their rows. Row k of those that are sent is len[k] long
 * and begins at to[k] there. */
static PetscErrorCode make_way(PetscSF rows, PetscInt sending, const PetscInt *len,
                               const PetscInt *to, ekp_place *p)
{
	const PetscInt arriving = p->piece_ptr[p->pieces];
	const PetscSFNode *owner;
	PetscSFNode *where;
	PetscInt count, at = 0;

	PetscFunctionBegin;
	PetscCall(PetscSFGetGraph(rows, NULL, &count, NULL, &owner));
	PetscCall(PetscMalloc1(sending, &where));
	for (PetscInt k = 0; k < count; k++)
		for (PetscInt m = 0; m < len[k]; m++)
			where[at++] = (PetscSFNode){owner[k].rank, to[k] + m};
	PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)rows), &p->entries));
	PetscCall(PetscSFSetGraph(p->entries, arriving, sending, NULL, PETSC_OWN_POINTER, where,
	                          PETSC_OWN_POINTER));
	PetscCall(PetscMalloc3(arriving, &p->got_col, arriving, &p->pos, arriving, &p->got));
	PetscFunctionReturn(0);
}

/* Exchanges the patterns of rows that belong to other ranks. */
static PetscErrorCode send_patterns(Mat B, const ekp_factors *f, ekp_place *p)
{
	const PetscInt own = B->cmap->n, begin = p->ptr[own], sending = p->ptr[p->rows] - begin;
	PetscInt *id, *len, *to, *col, count = 0;
	PetscSF rows;

	PetscFunctionBegin;
	PetscCall(PetscMalloc4(f->ghosts, &id, f->ghosts, &len, f->ghosts, &to, sending, &col));
	for (PetscInt k = 0; k < f->ghosts; k++) {
		len[count] = p->ptr[own + k + 1] - p->ptr[own + k];
		id[count] = f->ghost[k];
		count += len[count] > 0;
	}
	PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)B), &rows));
	PetscCall(PetscSFSetGraphLayout(rows, B->cmap, count, NULL, PETSC_OWN_POINTER, id));
	PetscCall(count_pieces(rows, own, len, p, to));
	PetscCall(make_way(rows, sending, len, to, p));
	for (PetscInt k = 0; k < sending; k++) {
		const PetscInt j = p->idx[begin + k];

		col[k] = j < own ? j + B->cmap->rstart : f->ghost[j - own];
	}
	PetscCall(PetscSFReduceBegin(p->entries, MPIU_INT, col, p->got_col, MPI_REPLACE));
	PetscCall(PetscSFReduceEnd(p->entries, MPIU_INT, col, p->got_col, MPI_REPLACE));
	PetscCall(PetscSFDestroy(&rows));
	PetscCall(PetscFree4(id, len, to, col));
	p->rows = own;
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_place_make(Mat B, const ekp_factors *f, const ek_matrix *product, ekp_place *p)
{
	PetscFunctionBegin;
	PetscCall(view_product(product, p));
	p->own = f->own;
	if (f->square)
		PetscCall(send_patterns(B, f, p));
	PetscCall(PetscMalloc1(p->rows + 1, &p->ghost_ptr));
	p->ghost_ptr[0] = 0;
	for (PetscInt i = 0; i < p->rows; i++) {
		PetscInt k = p->ptr[i + 1];

		while (k > p->ptr[i] && p->idx[k - 1] >= p->own)
			k--;
		p->ghost_ptr[i + 1] = p->ghost_ptr[i] + p->ptr[i + 1] - k;
	}
	PetscCall(PetscMalloc1(p->ghost_ptr[p->rows], &p->col));
	PetscFunctionReturn(0);
}

/* Ends the assembly of C, of which no rank has set entries of another one. */
static PetscErrorCode assemble(Mat C)
{
	const PetscBool before = C->nooffprocentries;

	PetscFunctionBegin;
	C->nooffprocentries = PETSC_TRUE;
	PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
	PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
	C->nooffprocentries = before;
	PetscFunctionReturn(0);
}

/* The pattern of one block of C while it is made. */
typedef struct pattern {
	PetscInt *len, *col, count;
} pattern;

/* Appends row i of both blocks: the columns of the local product, and those that come from other
 * ranks, from piece *s on. */
static PetscErrorCode append_row(Mat C, const ekp_factors *f, const ekp_place *p, PetscInt i,
                                 PetscInt *s, pattern *blocks)
{
	const PetscInt begin[2] = {blocks[0].count, blocks[1].count};
	const PetscInt ghosts = p->ptr[i + 1] - (p->ghost_ptr[i + 1] - p->ghost_ptr[i]);
	PetscBool came = PETSC_FALSE;

	PetscFunctionBegin;
	for (PetscInt k = p->ptr[i]; k < ghosts; k++)
		blocks[0].col[blocks[0].count++] = p->idx[k];
	for (PetscInt k = ghosts; k < p->ptr[i + 1]; k++)
		blocks[1].col[blocks[1].count++] = f->ghost[p->idx[k] - p->own];
	for (; *s < p->pieces && p->piece_row[*s] == i; ++*s)
		for (PetscInt k = p->piece_ptr[*s]; k < p->piece_ptr[*s + 1]; k++) {
			const PetscInt j = p->got_col[k];

			came = PETSC_TRUE;
			if (ekp_owns_column(C, j))
				blocks[0].col[blocks[0].count++] = j - C->cmap->rstart;
			else
				blocks[1].col[blocks[1].count++] = j;
		}
	for (int m = 0; m < 2; m++) {
		blocks[m].len[i] = blocks[m].count - begin[m];
		if (came)
			PetscCall(PetscSortRemoveDupsInt(&blocks[m].len[i],
			                                 blocks[m].col + begin[m]));
		blocks[m].count = begin[m] + blocks[m].len[i];
	}
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_place_pattern(Mat C, const ekp_factors *f, const ekp_place *p)
{
	const PetscInt came = p->pieces ? p->piece_ptr[p->pieces] : 0;
	PetscInt most, s = 0;
	pattern blocks[2] = {{NULL, NULL, 0}, {NULL, NULL, 0}};
	Mat block[2];

	PetscFunctionBegin;
	PetscCall(PetscLayoutSetUp(C->cmap));
	PetscCall(PetscIntCast((PetscInt64)p->ptr[p->rows] + came, &most));
	for (int m = 0; m < 2; m++)
		PetscCall(PetscMalloc2((size_t)p->rows + 1, &blocks[m].len, (size_t)most + 1,
		                       &blocks[m].col));
	for (PetscInt i = 0; i < p->rows; i++)
		PetscCall(append_row(C, f, p, i, &s, blocks));
	PetscCall(MatMPIAIJSetPreallocation(C, 0, blocks[0].len, 0, blocks[1].len));
	PetscCall(MatMPIAIJGetSeqAIJ(C, &block[0], &block[1], NULL));
	for (int m = 0; m < 2; m++) {
		PetscCall(MatSeqAIJSetColumnIndices(block[m], blocks[m].col));
		PetscCall(MatZeroEntries(block[m]));
		PetscCall(PetscFree2(blocks[m].len, blocks[m].col));
	}
	PetscCall(assemble(C));
	PetscFunctionReturn(0);
}

/* Numbers the columns of the local product's entries as the off-diagonal block of C does. */
static PetscErrorCode name_columns(const ekp_blocks *c, const ekp_factors *f, ekp_place *p)
{
	PetscInt *name, at = 0;

	PetscFunctionBegin;
	PetscCall(PetscMalloc1(f->ghosts, &name));
	for (PetscInt k = 0; k < f->ghosts; k++) {
		while (at < c->ghosts && c->ghost[at] < f->ghost[k])
			at++;
		name[k] = at < c->ghosts && c->ghost[at] == f->ghost[k] ? at : -1;
	}
	for (PetscInt i = 0; i < p->rows; i++)
		for (PetscInt k = p->ghost_ptr[i]; k < p->ghost_ptr[i + 1]; k++)
			p->col[k] = name[p->idx[p->ptr[i + 1] - p->ghost_ptr[i + 1] + k] - p->own];
	PetscCall(PetscFree(name));
	PetscFunctionReturn(0);
}

/* Puts row i of the local product into row i of C, or only tells whether it fits. */
static PetscBool put_row(const ekp_blocks *c, const ekp_place *p, PetscInt i, PetscBool write)
{
	const PetscInt begin = p->ptr[i], first = p->ghost_ptr[i];
	const PetscInt ghosts = p->ghost_ptr[i + 1] - first, own = p->ptr[i + 1] - begin - ghosts;
	const PetscInt count[2] = {own, ghosts};
	const PetscInt *const idx[2] = {p->idx + begin, p->col + first};
	const PetscScalar *const val[2] = {p->val + begin, p->val + begin + own};
	PetscBool fits = PETSC_TRUE;

	for (int m = 0; m < 2; m++) {
		const PetscInt to = c->ptr[m][i], room = c->ptr[m][i + 1] - to;

		if (write && room == count[m])
			for (PetscInt k = 0; k < room; k++)
				c->val[m][to + k] = val[m][k];
		else
			fits = fits && ekp_put_row(count[m], idx[m], val[m], room, c->idx[m] + to,
			                           write ? c->val[m] + to : NULL)
			               ? PETSC_TRUE
			               : PETSC_FALSE;
	}
	return fits;
}

/* Copies rows from row i on that have entries in the diagonal block only, and all that C has there:
 * they are one piece of memory. Gives their number. */
static PetscInt put_run(const ekp_blocks *c, const ekp_place *p, PetscInt i)
{
	const PetscInt from = p->ptr[i], to = c->ptr[0][i];
	PetscInt end = i;

	while (end < p->rows && p->ghost_ptr[end + 1] == p->ghost_ptr[end] &&
	       c->ptr[1][end + 1] == c->ptr[1][end] &&
	       c->ptr[0][end + 1] - to == p->ptr[end + 1] - from)
		end++;
	memcpy(c->val[0] + to, p->val + from, (size_t)(p->ptr[end] - from) * sizeof *p->val);
	return end - i;
}

/* Finds the entry of C in row i and column j, a global number. *pos is as in ekp_place. */
static PetscErrorCode find(Mat C, const ekp_blocks *c, PetscInt i, PetscInt j, PetscInt *pos,
                           PetscBool *found)
{
	const PetscBool own = ekp_owns_column(C, j);
	const int m = own ? 0 : 1;
	const PetscInt begin = c->ptr[m][i];
	PetscInt col = j - C->cmap->rstart, at = -1;

	PetscFunctionBegin;
	if (!own)
		PetscCall(PetscFindInt(j, c->ghosts, c->ghost, &col));
	if (own || col >= 0)
		PetscCall(PetscFindInt(col, c->ptr[m][i + 1] - begin, c->idx[m] + begin, &at));
	*found = at >= 0 ? PETSC_TRUE : PETSC_FALSE;
	*pos = own ? begin + at : -1 - (begin + at);
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_place_fit(Mat C, const ekp_factors *f, ekp_place *p, PetscBool *fits)
{
	ekp_blocks c;

	PetscFunctionBegin;
	PetscCall(ekp_blocks_of(C, &c));
	*fits = c.rows == p->rows && c.cols == p->own ? PETSC_TRUE : PETSC_FALSE;
	if (!*fits)
		PetscFunctionReturn(0);
	PetscCall(name_columns(&c, f, p));
	for (PetscInt i = 0; i < p->rows && *fits; i++)
		*fits = put_row(&c, p, i, PETSC_FALSE);
	for (PetscInt s = 0; s < p->pieces; s++)
		for (PetscInt k = p->piece_ptr[s]; k < p->piece_ptr[s + 1] && *fits; k++)
			PetscCall(find(C, &c, p->piece_row[s], p->got_col[k], &p->pos[k], fits));
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_place_values(Mat C, const ekp_place *p)
{
	const PetscScalar *others = p->val + p->ptr[p->rows];
	ekp_blocks c;
	Mat block[2];

	PetscFunctionBegin;
	PetscCall(ekp_blocks_of(C, &c));
	PetscCall(MatMPIAIJGetSeqAIJ(C, &block[0], &block[1], NULL));
	for (int m = 0; m < 2; m++)
		PetscCall(MatSeqAIJGetArray(block[m], &c.val[m]));
	if (p->entries)
		PetscCall(PetscSFReduceBegin(p->entries, MPIU_SCALAR, others, p->got, MPI_REPLACE));
	for (PetscInt i = 0; i < p->rows; i++) {
		i += put_run(&c, p, i);
		if (i < p->rows)
			put_row(&c, p, i, PETSC_TRUE);
	}
	if (p->entries)
		PetscCall(PetscSFReduceEnd(p->entries, MPIU_SCALAR, others, p->got, MPI_REPLACE));
	for (PetscInt k = 0; p->pieces && k < p->piece_ptr[p->pieces]; k++) {
		const PetscInt pos = p->pos[k];

		*(pos < 0 ? &c.val[1][-1 - pos] : &c.val[0][pos]) += p->got[k];
	}
	for (int m = 0; m < 2; m++)
		PetscCall(MatSeqAIJRestoreArray(block[m], &c.val[m]));
	PetscCall(assemble(C));
	PetscFunctionReturn(0);
}

PetscErrorCode ekp_place_free(ekp_place *p)
{
	PetscFunctionBegin;
	PetscCall(PetscFree(p->ghost_ptr));
	PetscCall(PetscFree(p->col));
	PetscCall(PetscFree2(p->piece_row, p->piece_ptr));
	PetscCall(PetscFree3(p->got_col, p->pos, p->got));
	PetscCall(PetscSFDestroy(&p->entries));
	PetscCall(PetscMemzero(p, sizeof *p));
	PetscFunctionReturn(0);
}
