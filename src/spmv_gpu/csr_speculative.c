/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on plain CSR by speculative segmented sums: the device multiplies on the guess that no row
 * is empty, and the processor moves the sums that this guess put into wrong rows (Liu and Vinter
 * 2015, Algorithm 1; Liu 2015, section 8.4). Preparation does not look at the rows: each run finds
 * the facts about them that a segmented sum needs.
 *
 * Entries are cut into tiles of T W entries, whatever rows they are in. S consecutive tiles are a
 * bunch, which T lanes multiply; a work-group has B bunches. Stage 1 runs on the device. Binary
 * searches in row_ptr find the first and the last row of each tile. A descriptor in local memory
 * marks where rows begin. Products are added up by segments. If the first row of a tile is r, the
 * sum of its segment q is stored as the sum of row r + q. If a row continues in the next tile of
 * its bunch, its partial sum is handed to that tile (the transmitter). The first and the last row
 * of a bunch may have entries in other bunches, so their partial sums are noted (the synchronizer).
 * A tile that has an empty row among its rows is dirty: it is counted and noted (the speculator),
 * and all of its sums except the first may be in wrong rows. Stage 2 runs on the processor. It adds
 * up the partial sums noted for each row, in the order of bunches, so that the bits are the same in
 * every run, and moves the sums of dirty tiles to the rows that they belong to.
 *
 * Differences from the published algorithm, which csr_speculative_published.c is closer to:
 *   - A clean tile finishes its rows, with alpha and beta. Sums of a dirty tile and noted sums go
 *     to scratch, and a second launch finishes only the rows of these sums. So alpha and beta are
 *     applied once, y is never read if beta is 0, and nothing is moved twice if no row is empty.
 *   - The transmitter works across a dirty tile too: the row that continues after the tile is
 *     completed by the next tile, and the processor has nothing to add there.
 *   - The descriptor includes the last row of the tile, because that row may begin in the tile.
 *   - A bunch's last row is noted as well as its first, so that sums across bunches are completed
 *     without reading y.
 *   - Products stay in local memory as they are, and lanes read them twice: to add them up, and to
 *     store the sums of rows. There a lane's sums are compacted over its products.
 *   - Empty rows before the first entry, which are in no tile, are finished with the dirty tiles.
 *
 * Cost: each run waits once for the device, even if the vectors are on the device. If both sides
 * share memory, nothing is copied. Otherwise the notes, 24 (f32) or 32 (f64) bytes per bunch, are
 * copied in both directions, and so is the scratch of y_len values if there are dirty tiles. In a
 * tile with very many empty rows, T lanes read the row pointers of all of them. */
#include <stdio.h>
#include <string.h>

#include "spmv_gpu/csr_speculative.h"

#ifndef EK_NO_GPU
#define EK_TYPES_ONLY
#define EK_FILE "spmv_gpu/csr_speculative.c"
#include "base/for_each.h"

#if EK_PER_TYPE

/* Adds up, in order, the partial sums that bunches noted for the same row. The last note of each
 * row gets the sum, and the row numbers of the row's other notes become -1. `row` and `sums` have
 * an element for each of `count` notes. */
static void FN(synchronise)(int64_t count, int64_t *row, void *sums)
{
	VAL *sum = sums;
	int64_t last = -1;

	for (int64_t k = 0; k < count; k++) {
		if (row[k] < 0)
			continue;
		if (last >= 0 && row[last] == row[k]) {
			row[last] = -1;
			sum[k] += sum[last];
		}
		last = k;
	}
}

/* Moves the sums of one dirty tile to the rows from `start` to stop - 1 that are not empty. The
 * sums are in `segments` consecutive rows from row `start` on. The first sum is in the right row.
 * Each of the others moves to a row with a higher number, or stays. Sums of empty rows become 0. */
static void FN(rearrange)(const void *row_ptr, int64_t start, int64_t stop, int64_t segments,
                          void *sums)
{
	const PTR *ptr = row_ptr;
	VAL *sum = sums;
	int64_t from = start + segments - 1;

	for (int64_t i = stop - 1; i > start; i--) {
		const bool empty = ptr[i] == ptr[i + 1];

		sum[i] = empty ? 0 : sum[from];
		from -= !empty;
	}
}

#endif
#if EK_ONCE

typedef void synchronise_fn(int64_t, int64_t *, void *);
typedef eki_speculative state;

eki_rearrange_fn *const eki_rearrange[EK_NTYPE] = EK_BY_TYPE(rearrange);

EKI_KERNEL_TEXT(eki_cl_csr_speculative, "spmv_gpu/csr_speculative.cl");

enum {
	DONE_WG = 64,      /* work-items of a group of `complete`, as in csr_speculative.cl */
	PIECE = 1024,      /* number of rows that a group finishes in dirty tiles */
	MOST_LOCAL = 48000 /* maximum bytes of local memory; not all devices have more */
};

/* ---- Preparation ----------------------------------------------------------------------------- */

/* Default values of T, B, W and S from Table 1 of Liu and Vinter. W and S have one value for f32
 * and one for f64. The table has no values for f64 on Intel and for processors; those used here
 * were the best with PoCL. For f64 on NVIDIA, W = 8 was the best on an H100; Table 1 has 4. */
static const struct table {
	int64_t t, b, w[2], s[2];
} table[] = {
	{32, 5, {8, 8}, {7, 7}},   /* NVIDIA */
	{64, 2, {16, 8}, {2, 5}},  /* AMD */
	{8, 4, {16, 16}, {6, 6}},  /* Intel */
	{1, 1, {256, 256}, {4, 4}} /* processors */
};

static const struct table *of_device(const eki_device *d)
{
	if (eki_device_is_processor(d->ctx))
		return &table[3];
	if (d->driver->backend == EKI_CUDA || d->info.lanes == 32)
		return &table[0];
	return d->info.lanes == 64 ? &table[1] : &table[2];
}

static ek_status choose(const eki_step *step, const int64_t param[EKI_SPECULATIVE_PARAMS], state *s)
{
	const eki_device *d = step->ctx->device;
	const struct table *best = of_device(d);
	const int64_t size = (int64_t)ek_value_size(step->in[0]->value);
	const int wide = size > 4;
	int64_t bytes;

	s->t = param[0] ? param[0] : best->t;
	s->w = param[1] ? param[1] : best->w[wide];
	s->b = param[2]                                  ? param[2]
	       : best->b * s->t <= EKI_SPECULATIVE_GROUP ? best->b
	                                                 : EKI_SPECULATIVE_GROUP / s->t;
	s->s = param[3] ? param[3] : best->s[wide];
	if (s->t * s->b > EKI_SPECULATIVE_GROUP)
		return eki_fail(EK_EUNSUPPORTED,
		                "t = %lld lanes for each of b = %lld bunches of a group; %d in all "
		                "are possible",
		                (long long)s->t, (long long)s->b, EKI_SPECULATIVE_GROUP);
	bytes = s->b *
	        (s->t * (s->w + 1) * size + s->t * s->w + (s->s + 1) * 12 + s->t * (size + 4) + 32);
	if (bytes > MOST_LOCAL || bytes > d->info.local)
		return eki_fail(EK_EUNSUPPORTED,
		                "b = %lld bunches of t = %lld lanes with w = %lld entries need "
		                "%lld bytes of local memory; there are %lld",
		                (long long)s->b, (long long)s->t, (long long)s->w, (long long)bytes,
		                d->info.local < MOST_LOCAL ? (long long)d->info.local : MOST_LOCAL);
	if (eki_groups(step->in[0]->nnz, s->t * s->w) > INT32_MAX)
		return eki_fail(EK_EUNSUPPORTED, "more tiles of %lld entries than fit 32 bits",
		                (long long)(s->t * s->w));
	return EK_OK;
}

static int64_t bunches(const ek_store *A, const state *s)
{
	return eki_groups(A->nnz, s->s * s->t * s->w);
}

int64_t eki_speculative_notes(const ek_store *A, const state *s)
{
	const int64_t notes = bunches(A, s) * (s->published ? 1 : 2);
	const int64_t bytes = 16 + notes * (8 + (int64_t)ek_value_size(A->value));

	return eki_groups(bytes, 8) * 8; /* whole row numbers, which the array begins with */
}

static ek_status buffers(eki_step *step, state *s)
{
	const ek_store *A = step->in[0];
	const int64_t tiles = eki_groups(A->nnz, s->t * s->w);

	EK_RETURN_IF(eki_gpu_buffer(step, eki_speculative_notes(A, s), 1, true, NULL, &s->notes));
	EK_RETURN_IF(eki_gpu_buffer(step, tiles, (s->published ? 2 : 3) * sizeof(int64_t), true,
	                            NULL, &s->speculator));
	if (s->published)
		return EK_OK;
	EK_RETURN_IF(eki_gpu_buffer(step, A->rows, ek_value_size(A->value), true, NULL, &s->sum));
	EK_RETURN_IF(eki_gpu_buffer(step, tiles + A->rows / PIECE + 2, 2 * sizeof(int64_t), true,
	                            NULL, &s->pieces));
	/* Sets to 0 the sums of the empty rows before the first entry: stage 2 reads these sums,
	 * but nothing writes them. */
	return s->leading ? step->gpu->device->driver->clear(step->gpu->device, s->sum) : EK_OK;
}

ek_status eki_speculative_prepare(eki_step *step, const int64_t param[EKI_SPECULATIVE_PARAMS],
                                  bool published)
{
	char defines[256];
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	EK_RETURN_IF(choose(step, param, s));
	s->published = published;
	step->state = s;
	step->param[0] = s->t;
	step->param[1] = s->w;
	step->param[2] = s->b;
	step->param[3] = s->s;
	snprintf(defines, sizeof defines,
	         "#define EK_WG %d\n#define LANES %d\n#define WIDTH %d\n#define BUNCHES %d\n"
	         "#define TILES %d\n%s",
	         (int)(s->t * s->b), (int)s->t, (int)s->w, (int)s->b, (int)s->s,
	         published ? "#define PUBLISHED\n" : "");
	EK_RETURN_IF(eki_gpu_prepare(step, "csr_speculative", defines, eki_cl_csr_speculative));
	EK_RETURN_IF(eki_gpu_mirror(step));
	s->leading = eki_row_of(step->in[0], 0);
	EK_RETURN_IF(buffers(step, s));
	EK_RETURN_IF(eki_gpu_kernel(step, "speculate", &s->speculate));
	return published ? EK_OK : eki_gpu_kernel(step, "complete", &s->complete);
}

/* ---- Stage 2 --------------------------------------------------------------------------------- */

ek_status eki_speculative_take(const eki_step *step, eki_buffer *b, int64_t bytes)
{
	if (b->memory != EKI_MEMORY_COPY)
		return eki_buffer_host(step->gpu->device, b);
	return bytes ? eki_buffer_read(step->gpu->device, b, b->host, bytes) : EK_OK;
}

ek_status eki_speculative_give(const eki_step *step, eki_buffer *b, int64_t bytes)
{
	if (b->memory != EKI_MEMORY_COPY)
		return eki_buffer_device(step->gpu->device, b);
	return bytes ? eki_buffer_write(step->gpu->device, b, b->host, bytes) : EK_OK;
}

typedef struct job {
	const ek_store *A;
	eki_rearrange_fn *rearrange;
	const state *s;
	int64_t dirty;
	int parts;
} job;

static void rearrange_part(void *arg, int part)
{
	const job *j = arg;
	const int64_t end = eki_cut(j->dirty, j->parts, part + 1);

	for (int64_t k = eki_cut(j->dirty, j->parts, part); k < end; k++) {
		const int64_t *tile = (const int64_t *)j->s->speculator->host + 3 * k;

		j->rearrange(j->A->array[CSR_PTR], tile[0], tile[1], tile[2], j->s->sum->host);
	}
}

/* Cuts rows [begin, end) into pieces of PIECE rows, and appends these to the list of pieces. */
static void add_pieces(const state *s, int64_t begin, int64_t end, int64_t *count)
{
	int64_t *piece = s->pieces->host;

	for (; begin < end; begin += PIECE) {
		piece[2 * *count] = begin;
		piece[2 * *count + 1] = begin + PIECE < end ? begin + PIECE : end;
		++*count;
	}
}

/* Moves the sums of dirty tiles to the right rows, and sets *count to the number of pieces of rows
 * that the second launch has to finish. */
static ek_status repair(const eki_step *step, const state *s, int64_t dirty, int64_t *count)
{
	const ek_store *A = step->in[0];
	const int64_t bytes = dirty ? A->rows * (int64_t)ek_value_size(A->value) : 0;
	const int64_t *tile = s->speculator->host;
	job j = {A, eki_rearrange[eki_type(A->value, A->index)], s, dirty, 1};
	int64_t rows = 0;

	EK_RETURN_IF(eki_speculative_take(step, s->speculator, 3 * (int64_t)sizeof *tile * dirty));
	EK_RETURN_IF(eki_speculative_take(step, s->sum, bytes));
	EK_RETURN_IF(eki_speculative_take(step, s->pieces, 0));
	add_pieces(s, 0, s->leading, count);
	for (int64_t k = 0; k < dirty; k++) {
		rows += tile[3 * k + 1] - tile[3 * k];
		add_pieces(s, tile[3 * k] + 1, tile[3 * k + 1], count);
	}
	j.parts = eki_parts(step->ctx, rows);
	eki_parallel(step->ctx, step->threads, j.parts, rearrange_part, &j);
	EK_RETURN_IF(eki_speculative_give(step, s->speculator, 0));
	EK_RETURN_IF(eki_speculative_give(step, s->sum, bytes));
	return eki_speculative_give(step, s->pieces, 2 * (int64_t)sizeof *tile * *count);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

ek_status eki_speculative_start(const eki_step *step, const eki_run *v, const eki_gpu_vectors *on)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	const eki_driver *driver = step->gpu->device->driver;
	const int64_t n = bunches(A, s);

	EK_RETURN_IF(driver->clear(step->gpu->device, s->notes));
	const eki_arg list[] = {eki_arg_i64(A->rows),
	                        eki_arg_i64(A->nnz),
	                        eki_arg_i64(n),
	                        eki_arg_buffer(step->gpu->array[CSR_PTR]),
	                        eki_arg_buffer(step->gpu->array[CSR_COL]),
	                        eki_arg_buffer(step->gpu->array[CSR_VAL]),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_buffer(&on->x),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on->y),
	                        eki_arg_buffer(s->notes),
	                        eki_arg_buffer(s->speculator),
	                        eki_arg_buffer(s->sum)};

	EK_RETURN_IF(eki_gpu_launch(step, s->speculate, eki_groups(n, s->b), (int)(s->t * s->b),
	                            list, EKI_COUNT(list) - s->published));
	return driver->flush(step->gpu->device);
}

ek_status eki_speculative_finish(const eki_step *step, const eki_run *v, const eki_gpu_vectors *on)
{
	static synchronise_fn *const synchronise[EK_NTYPE] = EK_BY_TYPE(synchronise);
	const state *s = step->state;
	const ek_store *A = step->in[0];
	const int64_t n = bunches(A, s), bytes = eki_speculative_notes(A, s);
	int64_t pieces = 0, dirty, *row;

	EK_RETURN_IF(eki_speculative_take(step, s->notes, bytes));
	dirty = *(const int32_t *)s->notes->host;
	row = (int64_t *)s->notes->host + 2;
	synchronise[eki_type(A->value, A->index)](2 * n, row, row + 2 * n);
	EK_RETURN_IF(eki_speculative_give(step, s->notes, bytes));
	if (dirty || s->leading)
		EK_RETURN_IF(repair(step, s, dirty, &pieces));
	const eki_arg list[] = {eki_arg_i64(n),
	                        eki_arg_buffer(s->notes),
	                        eki_arg_buffer(s->pieces),
	                        eki_arg_buffer(s->sum),
	                        eki_arg_val(A->value, v->alpha),
	                        eki_arg_val(A->value, v->beta),
	                        eki_arg_buffer(&on->y)};

	return eki_gpu_launch(step, s->complete, eki_groups(2 * n, DONE_WG) + pieces, DONE_WG, list,
	                      EKI_COUNT(list));
}

static ek_status prepare(eki_step *step)
{
	return eki_speculative_prepare(step, step->param, false);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	EK_RETURN_IF(eki_speculative_start(step, v, &on));
	EK_RETURN_IF(eki_speculative_finish(step, v, &on));
	return eki_gpu_leave(step, v, &on);
}

static double cost(const eki_features *f)
{
	return eki_gpu_cost(f, 1.2 * f->csr_bytes, 4); /* 2 launches, and a wait counted as 2 */
}

const ek_method ek_spmv_gpu_csr_speculative = {
	.name = "spmv.csr.speculative.gpu",
	.text = "segmented sums on a device that guess that no row is empty; the processor puts "
		"the "
		"others right",
	.source = "Liu and Vinter 2015, Algorithm 1; Liu 2015, section 8.4",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.param = EKI_SPECULATIVE_PARAMETERS,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
#endif
