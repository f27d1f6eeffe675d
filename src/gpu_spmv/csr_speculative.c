/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on plain CSR by speculative segmented sums: the device multiplies, guessing that no row is
 * empty, and the processor puts right what that guess has put into wrong places (Liu and Vinter
 * 2015, Algorithm 1; Liu 2015, section 8.4). No preparation: what a segmented sum needs to know of
 * the rows is found on the way.
 *
 * Entries are cut into tiles of T W, whatever rows they are in, S tiles that follow each other make
 * a bunch, for T lanes, and B bunches a work-group. Stage 1, on the device: binary searches in
 * row_ptr tell between which rows each tile lies; a descriptor of where rows begin is made in local
 * memory; products are added up by segments; and segment q of a tile whose first row is r is stored
 * as row r + q. A row that goes on in the next tile of its bunch is handed over to it (the
 * transmitter); the first and the last row of a bunch, which other bunches may have parts of, are
 * noted (the synchronizer). A tile with an empty row among its rows is dirty: it is counted and
 * noted (the speculator), and the rows behind its first may be wrong. Stage 2, on the processor:
 * adds up what was noted of each row, in the order of bunches, so that the bits are the same in
 * every run, and moves the sums of dirty tiles to the rows that they belong to.
 *
 * Where this differs from the listing:
 *   - rows of a clean tile are finished by it, with alpha and beta; sums of a dirty tile and noted
 *     sums go to scratch, and are finished by a second launch, of these rows only. So alpha and beta
 *     are applied once, y is never read for beta = 0, and without empty rows nothing is moved twice
 *   - the transmitter goes on behind a dirty tile: the row that crosses its right edge is completed
 *     by the next tile, and the processor has nothing to add there
 *   - the descriptor has the last row of the tile too, which may begin in it
 *   - a bunch's last row is noted as well as its first, so that what crosses bunches is added up
 *     without reading y
 *   - empty rows before the first entry, which lie in no tile, are finished with the dirty tiles
 *
 * Cost: each run waits once for the device, with vectors of the device too. With memory that both
 * sides see nothing is copied. Else the notes are, 32 to 40 bytes a bunch, there and back, and, only
 * if there are dirty tiles, the scratch of y_len values, both ways. A tile with very many empty rows
 * makes T lanes read as many row pointers. */
#include <stdio.h>
#include <string.h>

#include "gpu_spmv/csr_speculative.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_speculative, "gpu_spmv/csr_speculative.cl");

enum {
	DONE_WG = 64,      /* as in the .cl file */
	PIECE = 1024,      /* rows of dirty tiles that a group finishes */
	MOST_GROUP = 256,  /* work-items; more are not possible everywhere */
	MOST_LOCAL = 48000 /* bytes, likewise */
};

typedef struct state {
	int64_t t, w, b, s;
	int64_t leading; /* empty rows before the first entry */
	eki_buffer *sum, *notes, *speculator, *pieces;
	void *speculate, *complete;
} state;

/* ---- Preparation ----------------------------------------------------------------------------- */

/* Table 1 of Liu and Vinter, f32 and f64. For Intel's in f64 and for processors, which are not in it,
 * what was best with PoCL; W of NVIDIA's in f64 what was best on an H100, where Table 1 has 4. */
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
	if (eki_device_is_processor(d))
		return &table[3];
	if (d->driver->backend == EKI_CUDA || d->info.lanes == 32)
		return &table[0];
	return d->info.lanes == 64 ? &table[1] : &table[2];
}

static ek_status choose(const ek_plan *p, const int64_t param[EKI_SPECULATIVE_PARAMS], state *s)
{
	const eki_device *d = p->ctx->device;
	const struct table *best = of_device(d);
	const int wide = p->store->value == EK_F64;
	int64_t bytes;

	s->t = param[0] ? param[0] : best->t;
	s->w = param[1] ? param[1] : best->w[wide];
	s->b = param[2] ? param[2] : best->b * s->t <= MOST_GROUP ? best->b : MOST_GROUP / s->t;
	s->s = param[3] ? param[3] : best->s[wide];
	if (s->t * s->b > MOST_GROUP)
		return eki_fail(EK_EUNSUPPORTED,
		                "t = %lld lanes for each of b = %lld bunches of a group; %d in all "
		                "are possible",
		                (long long)s->t, (long long)s->b, MOST_GROUP);
	bytes = s->b * (s->t * (s->w + 1) * (4 << wide) + s->t * s->w + (s->s + 1) * 12 +
	                s->t * ((4 << wide) + 4) + 32);
	if (bytes > MOST_LOCAL || bytes > d->info.local)
		return eki_fail(EK_EUNSUPPORTED,
		                "b = %lld bunches of t = %lld lanes with w = %lld entries need "
		                "%lld bytes of local memory; there are %lld",
		                (long long)s->b, (long long)s->t, (long long)s->w, (long long)bytes,
		                d->info.local < MOST_LOCAL ? (long long)d->info.local : MOST_LOCAL);
	if (eki_groups(p->store->nnz, s->t * s->w) > INT32_MAX)
		return eki_fail(EK_EUNSUPPORTED, "more tiles of %lld entries than fit 32 bits",
		                (long long)(s->t * s->w));
	return EK_OK;
}

static int64_t bunches(const ek_store *A, const state *s)
{
	return eki_groups(A->nnz, s->s * s->t * s->w);
}

static int64_t notes_bytes(const ek_store *A, const state *s)
{
	return 8 + bunches(A, s) * 2 * (8 + (int64_t)ek_value_size(A->value));
}

static ek_status buffers(ek_plan *p, state *s)
{
	const ek_store *A = p->store;
	const int64_t tiles = eki_groups(A->nnz, s->t * s->w);

	EK_RETURN_IF(eki_gpu_buffer(p, A->rows, ek_value_size(A->value), true, NULL, &s->sum));
	EK_RETURN_IF(eki_gpu_buffer(p, notes_bytes(A, s), 1, true, NULL, &s->notes));
	EK_RETURN_IF(eki_gpu_buffer(p, tiles, 3 * sizeof(int64_t), true, NULL, &s->speculator));
	EK_RETURN_IF(eki_gpu_buffer(p, tiles + A->rows / PIECE + 2, 2 * sizeof(int64_t), true, NULL,
	                            &s->pieces));
	/* Sums of the rows before the first entry are read and never written. */
	return s->leading ? p->gpu->device->driver->clear(p->gpu->device, s->sum) : EK_OK;
}

ek_status eki_speculative_prepare(ek_plan *p, const int64_t param[EKI_SPECULATIVE_PARAMS])
{
	char defines[256];
	state *s;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	EK_RETURN_IF(choose(p, param, s));
	p->state = s;
	snprintf(defines, sizeof defines,
	         "#define EK_WG %d\n#define LANES %d\n#define WIDTH %d\n#define BUNCHES %d\n"
	         "#define TILES %d\n",
	         (int)(s->t * s->b), (int)s->t, (int)s->w, (int)s->b, (int)s->s);
	EK_RETURN_IF(eki_gpu_prepare(p, "csr_speculative", defines, eki_cl_csr_speculative));
	EK_RETURN_IF(eki_gpu_mirror(p));
	s->leading = eki_row_of(p->store, 0);
	EK_RETURN_IF(buffers(p, s));
	EK_RETURN_IF(eki_gpu_kernel(p, "speculate", &s->speculate));
	return eki_gpu_kernel(p, "complete", &s->complete);
}

/* ---- Stage 2 --------------------------------------------------------------------------------- */

/* Waits for the device; the host then has the first `bytes` of a buffer, and may write to it. */
static ek_status take(const ek_plan *p, eki_buffer *b, int64_t bytes)
{
	if (b->memory != EKI_MEMORY_COPY)
		return eki_buffer_host(p->gpu->device, b);
	return bytes ? eki_buffer_read(p->gpu->device, b, b->host, bytes) : EK_OK;
}

/* The device has them again. */
static ek_status give(const ek_plan *p, eki_buffer *b, int64_t bytes)
{
	if (b->memory != EKI_MEMORY_COPY)
		return eki_buffer_device(p->gpu->device, b);
	return bytes ? eki_buffer_write(p->gpu->device, b, b->host, bytes) : EK_OK;
}

/* Adds up what bunches noted of the same row, in their order; the last note has the sum, and the
 * others are no longer notes. */
static void synchronise(const ek_store *A, const state *s)
{
	const int64_t count = 2 * bunches(A, s);
	int64_t *row = (int64_t *)s->notes->host + 1, last = -1;
	double *wide = (double *)(row + count);
	float *narrow = (float *)(row + count);

	for (int64_t k = 0; k < count; k++) {
		if (row[k] < 0)
			continue;
		if (last >= 0 && row[last] == row[k]) {
			row[last] = -1;
			if (A->value == EK_F64)
				wide[k] += wide[last];
			else
				narrow[k] += narrow[last];
		}
		last = k;
	}
}

/* The sums of one dirty tile, of which `segments` lie behind each other from row `start` on, go to
 * the rows that are not empty. The first is right; each of the others moves up, or stays. */
static void rearrange(const ek_store *A, int64_t start, int64_t stop, int64_t segments, void *sum)
{
	double *wide = sum;
	float *narrow = sum;
	int64_t from = start + segments - 1, end = eki_ptr_at(A, stop);

	for (int64_t i = stop - 1; i > start; i--) {
		const int64_t begin = eki_ptr_at(A, i);
		const bool empty = begin == end;

		if (A->value == EK_F64)
			wide[i] = empty ? 0 : wide[from];
		else
			narrow[i] = empty ? 0 : narrow[from];
		from -= !empty;
		end = begin;
	}
}

typedef struct job {
	const ek_store *A;
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

		rearrange(j->A, tile[0], tile[1], tile[2], j->s->sum->host);
	}
}

/* Appends rows [begin, end) to the list of pieces. */
static void add_pieces(const state *s, int64_t begin, int64_t end, int64_t *count)
{
	int64_t *piece = s->pieces->host;

	for (; begin < end; begin += PIECE) {
		piece[2 * *count] = begin;
		piece[2 * *count + 1] = begin + PIECE < end ? begin + PIECE : end;
		++*count;
	}
}

/* The dirty tiles are put right; *count pieces of rows are to be finished. */
static ek_status repair(const ek_plan *p, const state *s, int64_t dirty, int64_t *count)
{
	const ek_store *A = p->store;
	const int64_t bytes = dirty ? A->rows * (int64_t)ek_value_size(A->value) : 0;
	const int64_t *tile = s->speculator->host;
	job j = {A, s, dirty, 1};
	int64_t rows = 0;

	EK_RETURN_IF(take(p, s->speculator, 3 * (int64_t)sizeof *tile * dirty));
	EK_RETURN_IF(take(p, s->sum, bytes));
	EK_RETURN_IF(take(p, s->pieces, 0));
	add_pieces(s, 0, s->leading, count);
	for (int64_t k = 0; k < dirty; k++) {
		rows += tile[3 * k + 1] - tile[3 * k];
		add_pieces(s, tile[3 * k] + 1, tile[3 * k + 1], count);
	}
	j.parts = eki_parts(p->ctx, rows);
	eki_parallel(p->threads, j.parts, rearrange_part, &j);
	EK_RETURN_IF(give(p, s->speculator, 0));
	EK_RETURN_IF(give(p, s->sum, bytes));
	return give(p, s->pieces, 2 * (int64_t)sizeof *tile * *count);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

ek_status eki_speculative_start(const ek_plan *p, const ek_args *args, const eki_gpu_vectors *v)
{
	const state *s = p->state;
	const ek_store *A = p->store;
	const eki_driver *driver = p->gpu->device->driver;
	const int64_t n = bunches(A, s);

	EK_RETURN_IF(driver->clear(p->gpu->device, s->notes));
	const eki_arg list[] = {eki_arg_i64(A->rows),
	                        eki_arg_i64(A->nnz),
	                        eki_arg_i64(n),
	                        eki_arg_buffer(p->gpu->array[CSR_PTR]),
	                        eki_arg_buffer(p->gpu->array[CSR_COL]),
	                        eki_arg_buffer(p->gpu->array[CSR_VAL]),
	                        eki_arg_val(A->value, args->alpha),
	                        eki_arg_buffer(&v->x),
	                        eki_arg_val(A->value, args->beta),
	                        eki_arg_buffer(&v->y),
	                        eki_arg_buffer(s->sum),
	                        eki_arg_buffer(s->notes),
	                        eki_arg_buffer(s->speculator)};

	EK_RETURN_IF(eki_gpu_launch(p, s->speculate, eki_groups(n, s->b), (int)(s->t * s->b), list,
	                            EKI_COUNT(list)));
	return driver->flush(p->gpu->device);
}

ek_status eki_speculative_finish(const ek_plan *p, const ek_args *args, const eki_gpu_vectors *v)
{
	const state *s = p->state;
	const ek_store *A = p->store;
	const int64_t n = bunches(A, s), bytes = notes_bytes(A, s);
	int64_t pieces = 0, dirty;

	EK_RETURN_IF(take(p, s->notes, bytes));
	dirty = *(const int32_t *)s->notes->host;
	synchronise(A, s);
	EK_RETURN_IF(give(p, s->notes, bytes));
	if (dirty || s->leading)
		EK_RETURN_IF(repair(p, s, dirty, &pieces));
	const eki_arg list[] = {eki_arg_i64(n),
	                        eki_arg_buffer(s->notes),
	                        eki_arg_buffer(s->pieces),
	                        eki_arg_buffer(s->sum),
	                        eki_arg_val(A->value, args->alpha),
	                        eki_arg_val(A->value, args->beta),
	                        eki_arg_buffer(&v->y)};

	return eki_gpu_launch(p, s->complete, eki_groups(2 * n, DONE_WG) + pieces, DONE_WG, list,
	                      EKI_COUNT(list));
}

static ek_status prepare(ek_plan *p)
{
	return eki_speculative_prepare(p, p->param);
}

static ek_status run(const ek_plan *p, const ek_args *args)
{
	eki_gpu_vectors v;

	EK_RETURN_IF(eki_gpu_enter(p, args, &v));
	EK_RETURN_IF(eki_speculative_start(p, args, &v));
	EK_RETURN_IF(eki_speculative_finish(p, args, &v));
	return eki_gpu_leave(p, args, &v);
}

static double cost(const eki_features *f)
{
	return eki_gpu_cost(f, 1.2 * f->csr_bytes, 4); /* the wait is as long as launches */
}

const ek_method ek_spmv_gpu_csr_speculative = {
	.name = "spmv.csr.speculative.gpu",
	.text = "segmented sums on a device that guess that no row is empty; the processor puts "
		"the "
		"others right",
	.source = "Liu and Vinter 2015, Algorithm 1; Liu 2015, section 8.4",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.param = {{"t", 1, MOST_GROUP, "lanes of a bunch"},
                  {"w", 1, 1024, "entries of a tile for each lane"},
                  {"b", 1, 32, "bunches of a work-group"},
                  {"s", 1, 64, "tiles of a bunch, one after the other"}},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
