/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device by row classes: preparation cuts the rows into stretches of about the
 * same work, and one launch gives each stretch to a work-group together with how to do it. Nothing
 * is left over for a second launch and nothing has to be zeroed before, so a run of a small matrix
 * costs one launch.
 *
 * A stretch has at most TILE = w u entries (w work-items, u entries each) and TILE / 2 rows, so
 * that rows and entries are even, as on a merge path, but whole rows stay together:
 *
 *   staged   Most rows. All entries are read in the order in which they lie, u for each work-item
 *            and all of them before the first is waited for, whatever the lengths of the rows; the
 *            products go to local memory and are summed there, with as many work-items a row as
 *            there are for each (CSR-Stream; a row much longer than the others by a whole warp).
 *            The list has the place of the entries, so columns, values and row pointers are asked
 *            for at the same time: from the start to y there are four waits for memory.
 *   direct   Rows of s entries and more on average, none much longer: 2 to 32 work-items read a row
 *            side by side, 4 entries each before the first is waited for, without local memory and
 *            barriers (CSR-vector, but with the number of lanes chosen for each stretch). In f64
 *            from 64 on, which on an H100 reads as fast as memory goes; in f32 only where s is
 *            given: there, rows of 50 to 60, staged, were 1.10 to 1.15 times as fast as cuSPARSE,
 *            and longer ones, direct, 0.88 to 0.92, staged 1.10 to 1.27. With columns in 16 bits
 *            never: direct, they were slower by it in f64.
 *   group    A row that is a stretch alone is read by a whole group.
 *   pieces   A row of more than 2 TILE entries is cut into pieces; the group whose piece is done
 *            last adds the sums of all in their order, so that the bits are the same in each run. A
 *            counter for each such row tells which is last, and starts at 0 again by itself. Pieces
 *            come first in the list, so that what waits for them is hidden behind the rest.
 *
 * Reads CSR once, four numbers a stretch beside it. Columns are read in 16 bits, made on the device
 * (csr_narrow.h), where enough of a stretch's columns lie in one window: 10 bytes an entry of f64 in
 * place of 12, 6 of f32 in place of 8. Preparation gallops through row_ptr (row_blocks.c) and takes
 * far less than a millisecond for each million entries.
 *
 * After Greathouse and Daga 2014 (row blocks), Bell and Garland 2009 (lanes), Merrill and Garland
 * 2016 (rows and entries counted alike). */
#include <stdio.h>
#include <string.h>

#include "gpu_spmv/csr_classes.h"
#include "spmv/row_blocks.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_classes, "gpu_spmv/csr_classes.cl");

enum { STAGED, DIRECT, GROUP, PIECE }; /* as in the kernel */
enum {
	ROW = 3,            /* numbers */
	LOG_LANES = 1 << 8, /* places in the last number of an item */
	ROWS = 1 << 16,
	DIRECT_ENTRIES = 4,
	DIRECT_LONGEST = 16 * 32,
	SMALL = 1 << 22,    /* entries; fewer need more groups than work for each */
	IN_CACHE = 40000000 /* bytes */
};

typedef eki_classes state;

typedef struct list { /* being made */
	const ek_store *A;
	const state *s;
	void *item, *row; /* row: of each in pieces, itself, the first of them, their number */
	int64_t items, pieces, rows;
	bool plain; /* some read columns */
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

/* The last number of an item. */
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

static void add_stretch(list *l, int64_t first, int64_t end)
{
	const int64_t rows = end - first, entries = entries_of(l->A, first, end);
	int64_t what = GROUP;

	if (rows > 1 || (entries <= DIRECT_LONGEST && entries <= l->s->tile))
		what = is_direct(l, first, end) ? direct(rows, entries) : staged(l->s, rows);
	add_item(l, first, eki_ptr_at(l->A, first), eki_ptr_at(l->A, end), what);
}

/* From blocks of rows. Pieces come first, so their places in the list are those of their sums. */
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
			add_stretch(l, first[b], first[b + 1]);
		l->plain |= !other;
	}
	return EK_OK;
}

static int64_t at_least_one(int64_t n)
{
	return n > 0 ? n : 1;
}

static ek_status upload(ek_plan *p, state *s, const list *l)
{
	const size_t size = eki_ptr_size(l->A->index);

	s->items = l->items;
	EK_RETURN_IF(eki_gpu_buffer(p, CSR_ITEM * l->items, size, false, l->item, &s->item));
	EK_RETURN_IF(eki_gpu_buffer(p, at_least_one(ROW * l->rows), size, false, l->row, &s->row));
	EK_RETURN_IF(eki_gpu_buffer(p, at_least_one(l->pieces), ek_value_size(l->A->value), false,
	                            NULL, &s->partial));
	EK_RETURN_IF(eki_gpu_buffer(p, at_least_one(l->rows), sizeof(int32_t), false, NULL,
	                            &s->arrived));
	p->bytes += (CSR_ITEM * l->items + ROW * l->rows) * (int64_t)size;
	return p->gpu->device->driver->clear(p->gpu->device, s->arrived);
}

/* ---- The method ------------------------------------------------------------------------------ */

/* From which average on rows are read directly; 0: never, and one work-item is enough for a row. */
static int direct_from(const ek_plan *p)
{
	if (eki_device_is_processor(p->ctx->device))
		return 0;
	return p->store->value == EK_F32 ? INT32_MAX : 64;
}

/* Groups that registers for u entries in flight let onto a multiprocessor at once; all have room
 * for 16. */
static int resident(int u, int w)
{
	const int groups = (u <= 4 ? 2048 : u <= 8 ? 1280 : 1024) / w;

	return groups > 16 ? 16 : groups > 0 ? groups : 1;
}

/* The most bytes of a column in 16 bits with which that is done: on an H100, with a sixth of the
 * entries far nothing was won any more on average. */
static double worth(const ek_plan *p)
{
	const int64_t bits = eki_gpu_param(p, EKI_CLASSES_COLUMNS, 0);

	if (bits == 16)
		return 6; /* all far */
	if (bits == 32 || eki_device_is_processor(p->ctx->device))
		return 0;
	return 0.66 * (double)eki_idx_size(p->store->index);
}

ek_status eki_classes_choose(const ek_plan *p, state *s)
{
	s->u = (int)eki_gpu_param(p, EKI_CLASSES_U, p->store->nnz < SMALL ? 4 : 8);
	s->w = (int)eki_gpu_param(p, EKI_CLASSES_W, 256);
	s->s = (int)eki_gpu_param(p, EKI_CLASSES_S, direct_from(p));
	s->tile = (int64_t)s->u * s->w;
	EK_RETURN_IF(eki_gpu_power_of_two(p, EKI_CLASSES_W));
	EK_RETURN_IF(eki_gpu_power_of_two(p, EKI_CLASSES_COLUMNS));
	if (p->param[EKI_CLASSES_COLUMNS] == 16 && p->store->cols > INT32_MAX)
		return eki_fail(EK_EUNSUPPORTED, "columns=16 wants fewer than 2^31 columns");
	return eki_gpu_local(p, (s->tile + s->w) * (int64_t)ek_value_size(p->store->value) +
	                                (s->tile / 2 + 2) * 4);
}

/* Columns, in 16 bits if that is worth it, else as the matrix has them. */
static ek_status columns(ek_plan *p, state *s)
{
	const int64_t plain = p->store->nnz * (int64_t)eki_idx_size(p->store->index);

	if (worth(p) > 0)
		EK_RETURN_IF(csr_narrow_make(p, s->item, s->items, 2 * s->tile, s->w, worth(p),
		                             &s->narrow));
	if (!s->narrow.code)
		return eki_gpu_mirror_some(p, 1u << CSR_COL);
	p->bytes -= plain;
	return EK_OK;
}

/* No stretch is read directly. */
static ek_status stage(ek_plan *p, const state *s, const list *l)
{
	for (int64_t at = 3; at < CSR_ITEM * l->items; at += CSR_ITEM)
		if (csr_number_at(l->A->index, l->item, at) % LOG_LANES == DIRECT)
			csr_number_set(l->A->index, l->item, at,
			               staged(s, csr_number_at(l->A->index, l->item, at) / ROWS));
	return eki_buffer_write(p->gpu->device, s->item, l->item, s->item->bytes);
}

ek_status eki_classes_list(ek_plan *p, state *s, const eki_class_cut *c)
{
	list l = {.A = p->store, .s = s};
	ek_status status;

	EK_TRY(make_list(p->ctx, c, &l));
	EK_TRY(upload(p, s, &l));
	if (!l.plain)
		goto done;
	EK_TRY(eki_gpu_mirror_some(p, 1u << CSR_PTR));
	EK_TRY(columns(p, s));
	if (s->narrow.code && !p->param[EKI_CLASSES_S])
		EK_TRY(stage(p, s, &l));
done:
	eki_free(p->ctx, l.item, CSR_ITEM * l.items, eki_ptr_size(l.A->index));
	eki_free(p->ctx, l.row, ROW * l.rows, eki_ptr_size(l.A->index));
	return status;
}

static ek_status cut(ek_plan *p, state *s)
{
	const ek_store *A = p->store;
	const eki_row_limit limit = {s->tile, s->tile / 2};
	const int64_t most = eki_row_blocks_most(A->rows, A->nnz, limit) + 1;
	eki_class_cut c = {0};
	void *first;
	ek_status status;

	EK_RETURN_IF(eki_alloc(p->ctx, most, sizeof(int64_t), &first));
	c.count = eki_row_blocks(A, 0, A->rows, limit, first);
	c.first = first;
	status = eki_classes_list(p, s, &c);
	eki_free(p->ctx, first, most, sizeof(int64_t));
	return status;
}

ek_status eki_classes_program(ek_plan *p, state *s, const char *name, const char *more,
                              const char *text)
{
	char defines[200];
	int n;

	n = snprintf(defines, sizeof defines,
	             "#define EK_WG %d\n#define UNROLL %d\n#define IN_CACHE %d\n"
	             "#define RESIDENT %d\n%s",
	             s->w, s->u, p->bytes < IN_CACHE, resident(s->u, s->w), more);
	if (s->narrow.code)
		snprintf(defines + n, sizeof defines - (size_t)n, "#define FIRST_FAR %d\n",
		         s->narrow.first_far);
	EK_RETURN_IF(eki_gpu_program(p, name, defines, text));
	return eki_gpu_kernel(p, name, &s->kernel);
}

static ek_status prepare(ek_plan *p)
{
	state *s;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	memset(s, 0, sizeof *s);
	p->state = s;
	EK_RETURN_IF(eki_classes_choose(p, s));
	EK_RETURN_IF(eki_gpu_prepare(p, NULL, NULL, NULL));
	EK_RETURN_IF(eki_gpu_mirror_some(p, 1u << CSR_VAL));
	EK_RETURN_IF(cut(p, s));
	return eki_classes_program(p, s, "csr_classes", "", eki_cl_csr_classes);
}

static ek_status run(const ek_plan *p, const ek_args *v)
{
	const state *s = p->state;
	const eki_gpu *g = p->gpu;
	const ek_value value = p->store->value;
	const csr_narrow *n = &s->narrow;
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(p, v, &on));
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

	EK_RETURN_IF(eki_gpu_launch(p, s->kernel, s->items, s->w, args, EKI_COUNT(args)));
	return eki_gpu_leave(p, v, &on);
}

static double cost(const eki_features *f)
{
	return eki_gpu_cost(f, f->csr_bytes, 1);
}

const ek_method ek_spmv_gpu_csr_classes = {
	.name = "spmv.csr.classes.gpu",
	.text = "stretches of rows, each with as many work-items a row as suit it, in one launch",
	.source = "evenkeel; after Greathouse and Daga 2014, Merrill and Garland 2016",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.param = EKI_CLASSES_PARAMETERS,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
