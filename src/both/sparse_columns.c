/* SPDX-License-Identifier: BSD-3-Clause
 * Slices of columns of matrices in CSR, for products with a B that does not fit a device. A slice
 * has the entries of some consecutive columns, which keep their numbers, and all rows. So a product
 * with a slice of B gives that slice of the columns of C, in which each sum has the same terms in
 * the same order as in C itself.
 *
 * Where to cut: a pass counts entries in blocks of the columns between the first and the last one
 * that have entries, and the slices get equal numbers of entries, as far as whole blocks can. The
 * columns of each row must ascend, so a search finds the part of a row that is in a slice. A row of
 * C is those of its slices, one after the other.
 *
 * Cost: O(nnz) to count; a slice takes three searches in each row, and a copy of its entries; C is
 * read and written once, and takes its memory twice for a moment. */
#include "both/sparse.h"

#ifndef EK_NO_GPU

enum {
	BLOCKS = 1 << 14, /* blocks, at most */
	/* A thread takes so many rows at a time, or fewer, with about so many entries. */
	ROWS = 4096,
	ENTRIES = 1 << 16
};

/* ---- Where to cut ---------------------------------------------------------------------------- */

struct count {
	const eki_columns *c;
	int parts;
	int64_t (*range)[2]; /* for each part, the first column that has an entry, and the last */
	int64_t *of;         /* for each part, entries in each block */
};

static void range_part(void *arg, int part)
{
	const struct count *job = arg;
	const ek_store *csr = job->c->csr;
	const int64_t end = eki_cut(csr->rows, job->parts, part + 1);
	int64_t *range = job->range[part];

	range[0] = csr->cols;
	range[1] = 0;
	for (int64_t i = eki_cut(csr->rows, job->parts, part); i < end; i++) {
		const int64_t from = eki_ptr_at(csr, i), to = eki_ptr_at(csr, i + 1);

		if (from == to)
			continue;
		range[0] = eki_col_at(csr, from) < range[0] ? eki_col_at(csr, from) : range[0];
		range[1] = eki_col_at(csr, to - 1) > range[1] ? eki_col_at(csr, to - 1) : range[1];
	}
}

/* Cuts the columns that have entries into blocks. */
static void make_blocks(const struct count *job, eki_columns *c)
{
	int64_t first = c->csr->cols, last = 0;

	for (int part = 0; part < job->parts; part++) {
		first = job->range[part][0] < first ? job->range[part][0] : first;
		last = job->range[part][1] > last ? job->range[part][1] : last;
	}
	c->first = first < last ? first : last; /* 0 if there are no entries */
	while ((last - c->first) >> c->shift >= BLOCKS)
		c->shift++;
	c->count = ((last - c->first) >> c->shift) + 1;
}

static void count_part(void *arg, int part)
{
	const struct count *job = arg;
	const ek_store *csr = job->c->csr;
	int64_t *of = job->of + part * job->c->count;
	const int64_t end = eki_cut(csr->nnz, job->parts, part + 1);

	for (int64_t k = eki_cut(csr->nnz, job->parts, part); k < end; k++)
		of[(eki_col_at(csr, k) - job->c->first) >> job->c->shift]++;
}

ek_status eki_columns_count(const ek_context *ctx, const ek_store *csr, eki_columns *c)
{
	eki_columns new = {.csr = csr};
	const int parts = eki_parts(ctx, csr->nnz);
	struct count job = {.c = &new, .parts = parts};
	void *range = NULL, *block = NULL;
	ek_status status;

	EK_TRY(eki_alloc(ctx, parts, sizeof *job.range, &range));
	job.range = range;
	eki_parallel(ctx, ctx->threads, parts, range_part, &job);
	make_blocks(&job, &new);
	EK_TRY(eki_calloc(ctx, parts * new.count, sizeof *job.of, &block));
	job.of = block;
	EK_TRY(eki_alloc(ctx, new.count + 1, sizeof *new.before, (void *)&new.before));
	eki_parallel(ctx, ctx->threads, parts, count_part, &job);
	new.before[0] = 0;
	for (int64_t b = 0; b < new.count; b++) {
		new.before[b + 1] = new.before[b];
		for (int part = 0; part < parts; part++)
			new.before[b + 1] += job.of[part * new.count + b];
	}
	*c = new;
done:
	eki_free(ctx, range, parts, sizeof *job.range);
	eki_free(ctx, block, parts * new.count, sizeof *job.of);
	return status;
}

void eki_columns_free(const ek_context *ctx, eki_columns *c)
{
	eki_free(ctx, c->before, c->count + 1, sizeof *c->before);
	*c = (eki_columns){0};
}

/* Returns the block that is the first one behind `entries` entries or more. */
static int64_t block_after(const eki_columns *c, int64_t entries)
{
	return eki_lower_bound(c->before, 0, c->count, entries);
}

void eki_columns_cut(const eki_columns *c, int count, eki_slices *slices)
{
	eki_slices new = {0};
	int64_t last = 0;

	for (int k = 1; k <= count; k++) {
		const int64_t b =
			k < count ? block_after(c, eki_cut(c->csr->nnz, count, k)) : c->count;
		const int64_t column = b < c->count ? c->first + (b << c->shift) : c->csr->cols;
		const int64_t entries = c->before[b] - c->before[last];
		const int64_t columns = column - new.first[new.count];

		if (b == last)
			continue;
		new.first[++new.count] = column;
		new.entries = entries > new.entries ? entries : new.entries;
		new.columns = columns > new.columns ? columns : new.columns;
		last = b;
	}
	*slices = new;
}

/* ---- Slices ---------------------------------------------------------------------------------- */

/* Rows of a matrix from `row` on, and of the slice of them that begins with column `first`. */
struct slicing {
	const ek_store *csr;
	ek_store *slice;
	int64_t row, first, end;
	int64_t each; /* rows that a thread takes at a time */
	int last;     /* array that is copied last: CSR_COL or CSR_VAL */
};

/* Returns how many of `rows` rows a thread should take at a time. */
static int64_t rows_at_a_time(int64_t rows, int64_t entries)
{
	const double few = (double)rows * ENTRIES / (double)(entries + 1);

	return few < 1 ? 1 : few < ROWS ? (int64_t)few : ROWS;
}

/* Returns the position of the first entry of row i in column j or a later one. */
static int64_t find(const struct slicing *s, int64_t i, int64_t j)
{
	return eki_idx_lower_bound(s->csr, CSR_COL, eki_ptr_at(s->csr, s->row + i),
	                           eki_ptr_at(s->csr, s->row + i + 1), j);
}

/* Returns the first row of a part. */
static int64_t begin_of(const struct slicing *s, int part)
{
	return eki_group(s->slice->rows, s->each, part);
}

static void lengths_part(void *arg, int part)
{
	const struct slicing *s = arg;

	for (int64_t i = begin_of(s, part); i < begin_of(s, part + 1); i++)
		eki_ptr_set(s->slice, i + 1, find(s, i, s->end) - find(s, i, s->first));
}

/* Copies entries [from, from + count) of an array of one matrix to those from `to` on of
 * another. */
static void copy(const ek_store *a, int64_t from, ek_store *b, int64_t to, int64_t count, int array)
{
	const size_t size = array == CSR_COL ? eki_idx_size(a->index) : ek_value_size(a->value);

	memcpy((char *)b->array[array] + (size_t)to * size,
	       (const char *)a->array[array] + (size_t)from * size, (size_t)count * size);
}

static void copy_part(void *arg, int part)
{
	const struct slicing *s = arg;

	for (int64_t i = begin_of(s, part); i < begin_of(s, part + 1); i++) {
		const int64_t at = eki_ptr_at(s->slice, i);
		const int64_t count = eki_ptr_at(s->slice, i + 1) - at;
		int64_t from;

		if (count == 0) /* then there may be no arrays */
			continue;
		from = find(s, i, s->first);
		for (int array = CSR_COL; array <= s->last; array++)
			copy(s->csr, from, s->slice, at, count, array);
	}
}

ek_status eki_slice_make(const eki_step *step, const ek_store *csr, int64_t row, int64_t rows,
                         const int64_t columns[2], bool values, ek_store *slice)
{
	const ek_context *ctx = step->ctx;
	ek_store new = {.format = &ek_format_csr,
	                .value = csr->value,
	                .index = csr->index,
	                .rows = rows,
	                .cols = csr->cols,
	                .len = {rows + 1}};
	struct slicing job = {
		.csr = csr,
		.slice = &new,
		.row = row,
		.first = columns[0],
		.end = columns[1],
		.each = rows_at_a_time(rows, eki_ptr_at(csr, row + rows) - eki_ptr_at(csr, row)),
		.last = values ? CSR_VAL : CSR_COL};
	const int parts = (int)eki_groups(rows, job.each);
	ek_status status;

	EK_TRY(eki_alloc(ctx, rows + 1, eki_ptr_size(new.index), &new.array[CSR_PTR]));
	eki_parallel(ctx, step->threads, parts, lengths_part, &job);
	eki_ptr_sum(ctx, &new);
	new.nnz = eki_ptr_at(&new, rows);
	EK_TRY(eki_alloc(ctx, new.nnz, eki_idx_size(new.index), &new.array[CSR_COL]));
	new.len[CSR_COL] = new.nnz;
	EK_TRY(eki_alloc(ctx, new.nnz, ek_value_size(new.value), &new.array[CSR_VAL]));
	new.len[CSR_VAL] = new.nnz;
	eki_parallel(ctx, step->threads, parts, copy_part, &job);
	*slice = new;
done:
	if (status != EK_OK)
		eki_store_free(ctx, &new);
	return status;
}

static void return_part(void *arg, int part)
{
	const struct slicing *s = arg;
	ek_store C = *s->csr;

	for (int64_t i = begin_of(s, part); i < begin_of(s, part + 1); i++) {
		const int64_t at = eki_ptr_at(s->slice, i);
		const int64_t count = eki_ptr_at(s->slice, i + 1) - at;

		if (count > 0)
			copy(s->slice, at, &C, find(s, i, s->first), count, CSR_VAL);
	}
}

void eki_slice_return(const eki_step *step, const ek_store *slice, int64_t row, int64_t column,
                      const ek_store *C)
{
	ek_store from = *slice;
	struct slicing job = {.csr = C,
	                      .slice = &from,
	                      .row = row,
	                      .first = column,
	                      .each = rows_at_a_time(slice->rows, slice->nnz)};

	eki_parallel(step->ctx, step->threads, (int)eki_groups(slice->rows, job.each), return_part,
	             &job);
}

/* ---- All of C -------------------------------------------------------------------------------- */

/* Slices of rows of C that begin with `row`, the k-th of which is part[k * stride]. */
struct zip {
	const ek_store *part;
	int64_t slices, stride;
	ek_store *C;
	int64_t row, each; /* rows that a thread takes at a time */
};

static int64_t length(const struct zip *z, int64_t k, int64_t i)
{
	const ek_store *part = &z->part[k * z->stride];

	return eki_ptr_at(part, i + 1) - eki_ptr_at(part, i);
}

static void zip_lengths(void *arg, int part)
{
	const struct zip *z = arg;
	const int64_t end = eki_group(z->part->rows, z->each, part + 1);

	for (int64_t i = eki_group(z->part->rows, z->each, part); i < end; i++) {
		int64_t sum = 0;

		for (int64_t k = 0; k < z->slices; k++)
			sum += length(z, k, i);
		eki_ptr_set(z->C, z->row + i + 1, sum);
	}
}

static void zip_entries(void *arg, int part)
{
	const struct zip *z = arg;
	const int64_t end = eki_group(z->part->rows, z->each, part + 1);

	for (int64_t i = eki_group(z->part->rows, z->each, part); i < end; i++) {
		int64_t at = eki_ptr_at(z->C, z->row + i);

		for (int64_t k = 0; k < z->slices; k++) {
			const ek_store *from = &z->part[k * z->stride];
			const int64_t count = length(z, k, i);

			for (int array = CSR_COL; count > 0 && array <= CSR_VAL; array++)
				copy(from, eki_ptr_at(from, i), z->C, at, count, array);
			at += count;
		}
	}
}

/* Does a batch, whose first slice is `first`. */
static void zip_batch(const eki_step *step, struct zip *z, const ek_store *first, eki_part_fn *fn)
{
	int64_t entries = 0;

	z->part = first;
	for (int64_t k = 0; k < z->slices; k++)
		entries += first[k * z->stride].nnz;
	z->each = rows_at_a_time(first->rows, entries);
	eki_parallel(step->ctx, step->threads, (int)eki_groups(first->rows, z->each), fn, z);
}

ek_status eki_slices_join(const eki_step *step, ek_store *part, int64_t slices, int64_t batches,
                          ek_store *C)
{
	struct zip z = {.slices = slices, .stride = batches, .C = C};
	int64_t nnz = 0;
	ek_status status;

	EK_TRY(eki_output_begin(step, C));
	for (int64_t b = 0; b < batches; z.row += part[b++].rows) {
		zip_batch(step, &z, &part[b], zip_lengths);
		for (int64_t k = 0; k < slices; k++)
			nnz += part[k * batches + b].nnz;
	}
	EK_TRY(eki_output_entries(step, C, nnz));
	z.row = 0;
	for (int64_t b = 0; b < batches; z.row += part[b++].rows) {
		zip_batch(step, &z, &part[b], zip_entries);
		for (int64_t k = 0; k < slices; k++)
			eki_store_free(step->ctx, &part[k * batches + b]);
	}
done:
	if (status != EK_OK)
		eki_store_free(step->ctx, C);
	return status;
}

#endif
