/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device by panels of columns, for irregular matrices, where fetches of x decide.
 *
 * In a web graph or in the matrix of a set-covering problem, hardly two entries that are multiplied
 * one after the other are in the same 32 bytes of x, so that each entry fetches a sector of its own
 * from the second-level cache, which is more than the entry itself has. Here the columns are put in
 * order, those with the most entries first, and cut into panels of `width` columns, whose part of x
 * fits into local memory. A group copies this part once and then takes all of its products from
 * there. Within a panel a column takes 15 bits. Columns behind the last panel, with few entries
 * each, are cold: their entries are multiplied as if they were one more panel, but with whole
 * column numbers and with x where it is.
 *
 * The order is by classes, a class for each power of two of the number of entries, and within a
 * class as in A. So the hottest columns share a panel, while columns that are alike, as all are in
 * matrices such as rail4284, keep neighbours together that are often in the same rows.
 *
 * The entries of a panel stay in the order of the rows. They are cut into tiles of EK_WG * EACH
 * entries, whatever the rows are, and neighbouring tiles of a panel make a chunk, the work of a
 * group. A piece is a row's entries in one chunk. A bit of each entry tells whether it is the last
 * one of its piece. Tiles are stored such that loads of neighbouring work-items are side by side
 * although each work-item has neighbouring entries (as in CSR5). So a segmented scan of one value
 * and one number for each work-item is all that a tile needs, neither row pointers nor products go
 * through local memory, and no row length makes a difference. A last launch adds up the pieces of
 * each row, which have been put side by side, in the order of the panels. Pieces exist only for
 * rows that have entries, sums have a fixed order, and no addition is atomic.
 *
 * A run has three launches: x is packed in the order of the panels, chunks are multiplied, pieces
 * are added up. Let v be the bytes of a value. An entry in a panel takes v + 2 bytes, a cold one v
 * + 4 and a sector of x; a chunk copies width * v bytes, and each piece takes 4 + 2 v. Panels are
 * as many as make a run move the fewest bytes, by the entries and pieces of each, and the sectors
 * for each entry, all counted in A (two entries in a row whose x is in one sector fetch it once). A
 * chunk has so many tiles that the matrix gives each compute unit four chunks, which are there at
 * once if local memory allows it, but at least four times the bytes of its part of x. That caches
 * hold sectors of x longer is not counted, and how often they do depends on the matrix, so the
 * method has no cost and is chosen only by name or by measured times (hints.measure).
 *
 * Preparation is on the device: columns are counted and sorted by class, entries sorted by panel,
 * pieces numbered by a scan and sorted by row, with the radix sort of transposes. The host decides
 * from the numbers of each panel, after a first sort in which all columns are in panels, and makes
 * lists of tiles and chunks. Only the counts are by atomic additions, of integers, so the result is
 * always the same. With indices of 32 bits it takes temporary memory of up to 28 bytes for each
 * entry and each column. New values are gathered again, by the order of the entries, which the plan
 * keeps with 4 or 8 bytes for each.
 *
 * evenkeel; hot columns in local memory after Yang, Parthasarathy, Sadayappan 2011 (tiles of
 * columns, sorted by length); tiles after Liu and Vinter 2015 (CSR5). */
#include <stdio.h>
#include <string.h>

#include "spmv_gpu/csr_panels.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_panels, "spmv_gpu/csr_panels.cl");
EKI_KERNEL_TEXT(eki_cl_csr_panels_join, "spmv_gpu/csr_panels_join.cl");

enum { WG = CSR_PANELS_WG, EACH = CSR_PANELS_EACH, TILE = CSR_PANELS_TILE };

/* Returns the bytes of local memory that a group needs besides its part of x. */
static int64_t scan_bytes(int64_t value)
{
	return WG * (value + 4);
}

/* Returns the largest power of two of columns whose part of x fits into local memory of fixed size,
 * so that several groups are on a multiprocessor at once. `width` may ask for more. */
static int64_t usual_width(const eki_step *step)
{
	const int64_t value = (int64_t)ek_value_size(step->in[0]->value);
	const int64_t room = step->ctx->device->info.local - scan_bytes(value);
	int64_t width = CSR_PANELS_WIDEST;

	while (width > 1 && width * value > room)
		width /= 2;
	return width;
}

/* Brings the values into the order of the panels. */
static ek_status gather(const eki_step *step)
{
	const csr_panels *s = step->state;
	const eki_arg args[] = {eki_arg_buffer(s->tile), eki_arg_buffer(s->from),
	                        eki_arg_buffer(step->gpu->array[CSR_VAL]), eki_arg_buffer(s->val)};

	return eki_gpu_launch(step, s->values, s->tiles, WG, args, EKI_COUNT(args));
}

/* Returns the bytes that a run moves, if each cold entry fetches a sector of x, up to as many as
 * all entries fetch in the order of A. */
static int64_t moved_bytes(const eki_step *step, const csr_panels *s)
{
	const ek_store *A = step->in[0];
	const int64_t value = (int64_t)ek_value_size(A->value);
	const int64_t ptr = (int64_t)eki_ptr_size(A->index);
	const int64_t cold = s->cold < s->fetched ? s->cold : s->fetched;
	const int64_t entries =
		s->tiles * CSR_PANELS_TILE * value + s->halves * CSR_PANELS_TILE * 2;
	const int64_t packs = s->hot * (ptr + CSR_PANELS_SECTOR + value);

	return entries + s->copied * value + packs + cold * CSR_PANELS_SECTOR +
	       s->pieces * (4 + 2 * value) + A->rows * (ptr + value);
}

/* Returns those that a run with CSR moves, with the fetches that were counted. */
static int64_t csr_bytes(const eki_step *step, const csr_panels *s)
{
	const ek_store *A = step->in[0];

	return eki_store_bytes(A) + s->fetched * CSR_PANELS_SECTOR +
	       A->rows * (int64_t)ek_value_size(A->value);
}

static ek_status explain(eki_step *step, const csr_panels *s)
{
	const int64_t nnz = step->in[0]->nnz;

	EK_RETURN_IF(eki_step_say(
		step, "%lld panels of %lld columns hold %.1f %% of the entries, in %lld chunks\n",
		(long long)s->panels, (long long)s->width,
		100 * (double)(nnz - s->cold) / (double)nnz, (long long)s->chunks));
	return eki_step_say(
		step, "%lld pieces of rows; %lld bytes, where CSR has %lld with x by sectors\n",
		(long long)s->pieces, (long long)moved_bytes(step, s),
		(long long)csr_bytes(step, s));
}

/* Makes the buffers that runs write, and gets the kernels of runs. */
static ek_status finish(eki_step *step, csr_panels *s)
{
	const int64_t rows = step->in[0]->rows;
	const size_t value = ek_value_size(step->in[0]->value);
	char defines[80];

	EK_RETURN_IF(eki_gpu_buffer(step, s->tiles * TILE, value, false, NULL, &s->val));
	EK_RETURN_IF(eki_gpu_buffer(step, s->hot, value, false, NULL, &s->packed));
	EK_RETURN_IF(eki_gpu_buffer(step, s->pieces, value, false, NULL, &s->sum));
	EK_RETURN_IF(eki_gpu_kernel(step, "panels_pack", &s->pack));
	EK_RETURN_IF(eki_gpu_kernel(step, "panels_multiply", &s->multiply));
	EK_RETURN_IF(eki_gpu_kernel(step, "panels_values", &s->values));
	snprintf(defines, sizeof defines, "#define EK_WG %d\n#define LANES %d\n", WG,
	         eki_gpu_lanes(rows, s->pieces, 1, 32));
	EK_RETURN_IF(eki_gpu_program(step, "csr_panels_join", defines, eki_cl_csr_panels_join));
	EK_RETURN_IF(eki_gpu_kernel(step, "panels_join", &s->join));
	step->bytes = moved_bytes(step, s);
	return gather(step);
}

static ek_status prepare(eki_step *step)
{
	const int64_t value = (int64_t)ek_value_size(step->in[0]->value);
	char defines[160];
	csr_panels *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	memset(s, 0, sizeof *s);
	step->state = s;
	s->width = eki_gpu_param(step, CSR_PANELS_WIDTH, usual_width(step));
	EK_RETURN_IF(eki_gpu_local_most(step, s->width * value + scan_bytes(value)));
	snprintf(defines, sizeof defines,
	         "#define EK_WG %d\n#define EACH %d\n#define TILE_COLD %d\n"
	         "#define TILE_LAST %d\n#define SECTOR %d\n",
	         WG, EACH, CSR_PANELS_COLD, CSR_PANELS_LAST, (int)(CSR_PANELS_SECTOR / value));
	EK_RETURN_IF(eki_gpu_prepare(step, "csr_panels", defines, eki_cl_csr_panels));
	if (step->in[0]->nnz == 0) {
		step->param[CSR_PANELS_PANELS] = step->param[CSR_PANELS_WIDTH] = 0;
		return EK_OK;
	}
	EK_RETURN_IF(csr_panels_make(step, s));
	step->param[CSR_PANELS_PANELS] = s->panels;
	step->param[CSR_PANELS_WIDTH] = s->width;
	EK_RETURN_IF(finish(step, s));
	return explain(step, s);
}

static ek_status refresh(eki_step *step)
{
	EK_RETURN_IF(eki_gpu_refresh(step));
	return step->in[0]->nnz > 0 ? gather(step) : EK_OK;
}

static ek_status multiply(const eki_step *step, const eki_gpu_vectors *on)
{
	const csr_panels *s = step->state;
	const eki_arg hot = eki_arg_i64(s->hot), x = eki_arg_buffer(&on->x);
	const eki_arg packed = eki_arg_buffer(s->packed);
	const eki_arg args[] = {
		csr_panels_width(s),
		eki_arg_buffer(s->chunk),
		eki_arg_buffer(s->tile),
		hot,
		eki_arg_buffer(s->words),
		eki_arg_buffer(s->val),
		x,
		packed,
		eki_arg_buffer(s->place),
		eki_arg_buffer(s->sum),
		eki_arg_local(s->panels > 0 ? s->width * (int64_t)ek_value_size(step->in[0]->value)
	                                    : 8)};

	EK_RETURN_IF(eki_gpu_launch(step, s->pack, eki_groups(s->hot, WG), WG,
	                            (eki_arg[]){hot, eki_arg_buffer(s->list), x, packed}, 4));
	return eki_gpu_launch(step, s->multiply, s->chunks, WG, args, EKI_COUNT(args));
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const csr_panels *s = step->state;
	const ek_store *A = step->in[0];
	const int lanes = eki_gpu_lanes(A->rows, s->pieces, 1, 32);
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	EK_RETURN_IF(multiply(step, &on));
	const eki_arg args[] = {eki_arg_i64(A->rows),           eki_arg_buffer(s->row_piece),
	                        eki_arg_buffer(s->sum),         eki_arg_val(A->value, v->alpha),
	                        eki_arg_val(A->value, v->beta), eki_arg_buffer(&on.y)};

	EK_RETURN_IF(eki_gpu_launch(step, s->join, eki_groups(A->rows, WG / lanes), WG, args,
	                            EKI_COUNT(args)));
	return eki_gpu_leave(step, v, &on);
}

/* Tells whether rows plus entries, and columns plus entries, can be counted in 32 bits, so that
 * both op N and op T are possible. */
static bool applies(const ek_store *A, ek_op op)
{
	const int64_t longer = A->rows > A->cols ? A->rows : A->cols;

	(void)op;
	return longer < INT32_MAX - A->nnz;
}

/* Predicts the copies of values and columns, the order of the entries, and a piece for each. */
static double memory(const eki_features *f)
{
	const double value = (double)ek_value_size(f->value);

	return (double)f->stats.nnz * (value + 4 + 8 + 4 + value);
}

const ek_method ek_spmv_gpu_csr_panels = {
	.name = "spmv.csr.panels.gpu",
	.text = "panels of the columns with most entries, their part of x in local memory",
	.source = "evenkeel; after Yang, Parthasarathy and Sadayappan 2011, Liu and Vinter 2015",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.param = {{"panels", 1, CSR_PANELS_MOST,
                   "panels of columns; as many as pay if it is not given"},
                  {"width", 16, CSR_PANELS_WIDEST, "columns of a panel"}},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_TRIED,
	.applies = applies,
	.memory = memory,
	.prepare = prepare,
	.refresh = refresh,
	.run = run,
};

#endif
