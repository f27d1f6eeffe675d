/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device by row classes: preparation cuts the rows into segments of about equal
 * work, and one launch gives each segment to a work-group, together with the way to multiply it.
 * Nothing is left over for a second launch and nothing has to be set to zero beforehand, so a run
 * costs one launch even if the matrix is small.
 *
 * A segment has at most TILE = w u entries (w work-items, u entries each) and TILE / 2 rows, so
 * that both rows and entries are balanced, as on a merge path, but whole rows stay together. The
 * classes:
 *
 *   staged   Most segments. Work-items read all entries in storage order, u each, whatever the
 *            lengths of the rows, and issue all of these loads before they wait for the first. The
 *            products go to local memory and are summed there (CSR-Stream). The work-items of the
 *            group are shared out equally among the rows; a row much longer than the others is
 *            summed by a whole warp. The list says where the entries are, so column indices, values
 *            and row pointers are loaded at the same time. A work-item waits only four times from
 *            the start of the kernel to y.
 *   direct   Segments whose rows have s or more entries on average, none of them much longer than
 *            the others. 2 to 32 work-items read a row side by side, 4 entries each before they
 *            wait for the first, without local memory or barriers (CSR-Vector, but with the number
 *            of lanes chosen for each segment). In f64, s is 64 by default: on an H100 such rows
 *            are read at full memory bandwidth. In f32, and in f64 with 16-bit columns, rows are
 *            direct only if s is given, because direct rows were slower there. Measured in f32, as
 *            speed relative to cuSPARSE: staged rows of 50 to 60 entries 1.10 to 1.15; longer rows
 *            1.10 to 1.27 if staged, but 0.88 to 0.92 if direct.
 *   group    A row that is a segment by itself is read by a whole group.
 *   pieces   A row of more than 2 TILE entries is cut into pieces, with a group for each. The group
 *            that finishes last adds the sums of all pieces in order, so that the bits are the same
 *            in each run. A counter for each such row tells which group is last; that group resets
 *            it to 0. Pieces come first in the list, so that other work goes on while groups wait
 *            for them.
 *
 * Reads CSR once, and four numbers for each segment. If most columns of each segment are in one
 * window, columns are read in 16 bits, converted on the device (csr_narrow.h). Then an entry has 10
 * bytes instead of 12 in f64, and 6 instead of 8 in f32. Preparation searches row_ptr with growing
 * steps (row_blocks.c) and takes far less than a millisecond for each million entries.
 *
 * After Greathouse and Daga 2014 (row blocks), Bell and Garland 2009 (lanes), Merrill and Garland
 * 2016 (rows and entries counted alike). */
#include <stdio.h>
#include <string.h>

#include "spmv_gpu/csr_classes.h"
#include "spmv/row_blocks.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_classes, "spmv_gpu/csr_classes.cl");

enum { STAGED, DIRECT, GROUP, PIECE }; /* kinds of items, as in the kernel */
enum {
	ROW = 3,            /* how many numbers describe a row that is cut into pieces */
	LOG_LANES = 1 << 8, /* LOG_LANES, ROWS: factors of log2(lanes) and n (csr_classes.cl) */
	ROWS = 1 << 16,
	DIRECT_ENTRIES = 4,
	DIRECT_LONGEST = 16 * 32,
	SMALL = 1 << 22,    /* matrices with fewer entries get more groups, with less work each */
	IN_CACHE = 40000000 /* if a run moves fewer bytes, the matrix stays in the cache */
};

typedef eki_classes state;

typedef struct list { /* the list of items under construction */
	const ek_store *A;
	const state *s;
	/* For each row that is cut into pieces, `row` has its number, its first piece and the
	 * number of its pieces. */
	void *item, *row;
	int64_t items, pieces, rows;
	bool plain; /* whether some segments read row pointers and columns */
} list;

/* ---- The list -------------------------------------------------------------------------------- */

static int64_t entries_of(const ek_store *A, int64_t begin, int64_t end)
{
	return eki_ptr_at(A, end) - eki_ptr_at(A, begin);
}

static int64_t pieces_of(const list *l, const int64_t *block)
{
	const int64_t entries = entries_of(l->A, block[0], block[1]), most = 2 * l->s->tile;

	return entries > most ? eki_groups(entries, most) : 1;
}

static void add_item(list *l, int64_t row, int64_t begin, int64_t end, int64_t what)
{
	const int64_t at = CSR_ITEM * l->items++;

	csr_number_set(l->A->index, l->item, at, row);
	csr_number_set(l->A->index, l->item, at + CSR_ITEM_BEGIN, begin);
	csr_number_set(l->A->index, l->item, at + CSR_ITEM_END, end);
	csr_number_set(l->A->index, l->item, at + 3, what);
}

static void add_pieces(list *l, int64_t i, int64_t pieces)
{
	const int64_t begin = eki_ptr_at(l->A, i), entries = entries_of(l->A, i, i + 1);

	csr_number_set(l->A->index, l->row, ROW * l->rows, i);
	csr_number_set(l->A->index, l->row, ROW * l->rows + 1, l->items);
	csr_number_set(l->A->index, l->row, ROW * l->rows + 2, pieces);
	for (int64_t k = 0; k < pieces; k++)
		add_item(l, l->rows, begin + eki_cut(entries, (int)pieces, (int)k),
		         begin + eki_cut(entries, (int)pieces, (int)k + 1), PIECE);
	l->rows++;
	l->pieces += pieces;
}

static bool is_direct(const list *l, int64_t first, int64_t end)
{
	if (l->s->s == 0 || entries_of(l->A, first, end) < l->s->s * (end - first))
		return false;
	for (int64_t i = first; i < end; i++)
		if (entries_of(l->A, i, i + 1) > DIRECT_LONGEST)
			return false;
	return true;
}

/* Returns the fourth number of an item whose rows are read directly. It encodes kind, lanes and
 * rows. */
static int64_t direct(int64_t rows, int64_t entries)
{
	int log_lanes = 0;

	while (log_lanes < 5 && (rows * DIRECT_ENTRIES) << log_lanes < entries)
		log_lanes++;
	return DIRECT + LOG_LANES * log_lanes + ROWS * rows;
}

static int64_t staged(const state *s, int64_t rows)
{
	int log_lanes = 0;

	while (s->s > 0 && log_lanes < 5 && rows << (log_lanes + 1) <= s->w)
		log_lanes++;
	return STAGED + LOG_LANES * log_lanes + ROWS * rows;
}

static void add_segment(list *l, int64_t first, int64_t end)
{
	const int64_t rows = end - first, entries = entries_of(l->A, first, end);
	int64_t what = GROUP;

	if (rows > 1 || (entries <= DIRECT_LONGEST && entries <= l->s->tile))
		what = is_direct(l, first, end) ? direct(rows, entries) : staged(l->s, rows);
	add_item(l, first, eki_ptr_at(l->A, first), eki_ptr_at(l->A, end), what);
}

/* Makes the list of items from segments of rows. Pieces come first, so that the index of a piece in
 * the list is also that of its partial sum. */
static ek_status make_list(const ek_context *ctx, const eki_class_cut *c, list *l)
{
	const int64_t *first = c->first, blocks = c->count;
	const size_t size = eki_ptr_size(l->A->index);

	for (int64_t b = 0; b < blocks; b++) {
		l->items += pieces_of(l, first + b);
		l->rows += pieces_of(l, first + b) > 1;
	}
	EK_RETURN_IF(eki_alloc(ctx, CSR_ITEM * l->items, size, &l->item));
	EK_RETURN_IF(eki_alloc(ctx, ROW * l->rows, size, &l->row));
	l->items = l->rows = 0;
	for (int64_t b = 0; b < blocks; b++)
		if (pieces_of(l, first + b) > 1)
			add_pieces(l, first[b], pieces_of(l, first + b));
	for (int64_t b = 0; b < blocks; b++) {
		const bool other = c->what && c->what[b];

		if (other)
			add_item(l, c->where[b], eki_ptr_at(l->A, first[b]),
			         eki_ptr_at(l->A, first[b + 1]), c->what[b]);
		else if (pieces_of(l, first + b) == 1)
			add_segment(l, first[b], first[b + 1]);
		l->plain |= !other;
	}
	return EK_OK;
}

static int64_t at_least_one(int64_t n)
{
	return n > 0 ? n : 1;
}

static ek_status upload(eki_step *step, state *s, const list *l)
{
	const size_t size = eki_ptr_size(l->A->index);

	s->items = l->items;
	EK_RETURN_IF(eki_gpu_buffer(step, CSR_ITEM * l->items, size, false, l->item, &s->item));
	EK_RETURN_IF(
		eki_gpu_buffer(step, at_least_one(ROW * l->rows), size, false, l->row, &s->row));
	EK_RETURN_IF(eki_gpu_buffer(step, at_least_one(l->pieces), ek_value_size(l->A->value),
	                            false, NULL, &s->partial));
	EK_RETURN_IF(eki_gpu_buffer(step, at_least_one(l->rows), sizeof(int32_t), false, NULL,
	                            &s->arrived));
	step->bytes += (CSR_ITEM * l->items + ROW * l->rows) * (int64_t)size;
	return step->gpu->device->driver->clear(step->gpu->device, s->arrived);
}

/* ---- The method ------------------------------------------------------------------------------ */

/* Returns the least average row length at which rows are read directly. Returns 0 on a processor,
 * where no rows are read directly and one work-item is enough for each row. */
static int direct_from(const eki_step *step)
{
	if (eki_device_is_processor(step->ctx))
		return 0;
	return step->in[0]->value == EK_F32 ? INT32_MAX : 64;
}

/* Returns how many groups of w work-items fit on a multiprocessor at once if each work-item has
 * registers for u entries in flight. The result is at most 16, which every device can hold. */
static int resident(int u, int w)
{
	const int groups = (u <= 4 ? 2048 : u <= 8 ? 1280 : 1024) / w;

	return groups > 16 ? 16 : groups > 0 ? groups : 1;
}

/* Returns the average number of bytes per column up to which 16-bit columns are used, or 0 if they
 * are never used. The factor 0.66 is from an H100: 16-bit columns gained nothing on average once a
 * sixth of the entries were outside the window of their segment. */
static double worth(const eki_step *step)
{
	const int64_t bits = eki_gpu_param(step, EKI_CLASSES_COLUMNS, 0);

	if (bits == 16)
		return 6; /* bytes of a column if all entries are far */
	if (bits == 32 || eki_device_is_processor(step->ctx))
		return 0;
	return 0.66 * (double)eki_idx_size(step->in[0]->index);
}

ek_status eki_classes_choose(const eki_step *step, state *s)
{
	s->u = (int)eki_gpu_param(step, EKI_CLASSES_U, step->in[0]->nnz < SMALL ? 4 : 8);
	s->w = (int)eki_gpu_param(step, EKI_CLASSES_W, 256);
	s->s = (int)eki_gpu_param(step, EKI_CLASSES_S, direct_from(step));
	s->tile = (int64_t)s->u * s->w;
	EK_RETURN_IF(eki_gpu_power_of_two(step, EKI_CLASSES_W));
	EK_RETURN_IF(eki_gpu_power_of_two(step, EKI_CLASSES_COLUMNS));
	if (step->param[EKI_CLASSES_COLUMNS] == 16 && step->in[0]->cols > INT32_MAX)
		return eki_fail(EK_EUNSUPPORTED, "columns=16 wants fewer than 2^31 columns");
	return eki_gpu_local(step, (s->tile + s->w) * (int64_t)ek_value_size(step->in[0]->value) +
	                                   (s->tile / 2 + 2) * 4);
}

/* Makes the column indices on the device, in 16 bits if that is worth its cost, else as the matrix
 * has them. */
static ek_status columns(eki_step *step, state *s)
{
	const int64_t plain = step->in[0]->nnz * (int64_t)eki_idx_size(step->in[0]->index);

	if (worth(step) > 0)
		EK_RETURN_IF(csr_narrow_make(step, s->item, s->items, 2 * s->tile, s->w,
		                             worth(step), &s->narrow));
	if (!s->narrow.code)
		return eki_gpu_mirror_some(step, 1u << CSR_COL);
	step->bytes -= plain;
	return EK_OK;
}

/* Changes the direct segments of the list to staged ones, and copies the list to the device. */
static ek_status stage(eki_step *step, state *s, const list *l)
{
	s->s = s->s ? INT32_MAX : 0;
	for (int64_t at = 3; at < CSR_ITEM * l->items; at += CSR_ITEM)
		if (csr_number_at(l->A->index, l->item, at) % LOG_LANES == DIRECT)
			csr_number_set(l->A->index, l->item, at,
			               staged(s, csr_number_at(l->A->index, l->item, at) / ROWS));
	return eki_buffer_write(step->gpu->device, s->item, l->item, s->item->bytes);
}

ek_status eki_classes_list(eki_step *step, state *s, const eki_class_cut *c)
{
	list l = {.A = step->in[0], .s = s};
	ek_status status;

	EK_TRY(make_list(step->ctx, c, &l));
	EK_TRY(upload(step, s, &l));
	if (!l.plain)
		goto done;
	EK_TRY(eki_gpu_mirror_some(step, 1u << CSR_PTR));
	EK_TRY(columns(step, s));
	if (s->narrow.code && !step->param[EKI_CLASSES_S])
		EK_TRY(stage(step, s, &l));
done:
	eki_free(step->ctx, l.item, CSR_ITEM * l.items, eki_ptr_size(l.A->index));
	eki_free(step->ctx, l.row, ROW * l.rows, eki_ptr_size(l.A->index));
	return status;
}

static ek_status cut(eki_step *step, state *s)
{
	const ek_store *A = step->in[0];
	const eki_row_limit limit = {s->tile, s->tile / 2};
	const int64_t most = eki_row_blocks_most(A->rows, A->nnz, limit) + 1;
	eki_class_cut c = {0};
	void *first;
	ek_status status;

	EK_RETURN_IF(eki_alloc(step->ctx, most, sizeof(int64_t), &first));
	c.count = eki_row_blocks(A, 0, A->rows, limit, first);
	c.first = first;
	status = eki_classes_list(step, s, &c);
	eki_free(step->ctx, first, most, sizeof(int64_t));
	return status;
}

ek_status eki_classes_program(eki_step *step, state *s, const char *name, const char *more,
                              const char *text)
{
	char defines[200];
	int n;

	n = snprintf(defines, sizeof defines,
	             "#define EK_WG %d\n#define UNROLL %d\n#define IN_CACHE %d\n"
	             "#define RESIDENT %d\n%s",
	             s->w, s->u, step->bytes < IN_CACHE, resident(s->u, s->w), more);
	if (s->narrow.code)
		snprintf(defines + n, sizeof defines - (size_t)n, "#define FIRST_FAR %d\n",
		         s->narrow.first_far);
	step->param[EKI_CLASSES_U] = s->u;
	step->param[EKI_CLASSES_W] = s->w;
	step->param[EKI_CLASSES_S] = s->s;
	step->param[EKI_CLASSES_COLUMNS] = s->narrow.code ? 16 : 32;
	EK_RETURN_IF(eki_gpu_program(step, name, defines, text));
	return eki_gpu_kernel(step, name, &s->kernel);
}

static ek_status prepare(eki_step *step)
{
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	memset(s, 0, sizeof *s);
	step->state = s;
	EK_RETURN_IF(eki_classes_choose(step, s));
	EK_RETURN_IF(eki_gpu_prepare(step, NULL, NULL, NULL));
	EK_RETURN_IF(eki_gpu_mirror_some(step, 1u << CSR_VAL));
	EK_RETURN_IF(cut(step, s));
	return eki_classes_program(step, s, "csr_classes", "", eki_cl_csr_classes);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const eki_gpu *g = step->gpu;
	const ek_value value = step->in[0]->value;
	const csr_narrow *n = &s->narrow;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	const eki_arg args[] = {eki_arg_buffer(s->item),
	                        eki_arg_buffer(s->row),
	                        eki_arg_buffer(g->array[CSR_PTR]),
	                        eki_arg_buffer(n->code ? n->code : g->array[CSR_COL]),
	                        eki_arg_buffer(n->code ? n->far : s->item),
	                        eki_arg_buffer(n->code ? n->window : s->item),
	                        eki_arg_buffer(g->array[CSR_VAL]),
	                        eki_arg_val(value, v->alpha),
	                        eki_arg_buffer(&on.x),
	                        eki_arg_val(value, v->beta),
	                        eki_arg_buffer(&on.y),
	                        eki_arg_buffer(s->partial),
	                        eki_arg_buffer(s->arrived)};

	EK_RETURN_IF(eki_gpu_launch(step, s->kernel, s->items, s->w, args, EKI_COUNT(args)));
	return eki_gpu_leave(step, v, &on);
}

static double cost(const eki_features *f)
{
	return eki_gpu_cost(f, f->csr_bytes, 1);
}

const ek_method ek_spmv_gpu_csr_classes = {
	.name = "spmv.csr.classes.gpu",
	.text = "ranges of rows with as many work-items for each row as suit them, in one launch",
	.source = "evenkeel; after Greathouse and Daga 2014, Merrill and Garland 2016",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.param = EKI_CLASSES_PARAMETERS,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
