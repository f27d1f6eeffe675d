/* SPDX-License-Identifier: BSD-3-Clause
 * Panels of columns (csr_panels.c): the choice of panels, and their arrays, which are made on the
 * device. Queued kernels and sorts follow each other; the host waits for the number of fetches, the
 * entries of panels and the number of pieces. */
#include "prim_gpu/radix.h"
#include "spmv_gpu/csr_panels.h"

#ifndef EK_NO_GPU

enum {
	GROUPS = 8,   /* chunks for each compute unit */
	CLASSES = 32, /* of columns */
	PER = 4,      /* numbers that describe a tile, or a chunk */
	TILE_COLD = 1,
	TILE_LAST = 2 /* as in the kernels */
};

/* What exists only during preparation. `order` lists the columns, hottest first; `rank` is its
 * inverse; `row` has the rows of the entries in the order of the panels; `number` tells for each of
 * these how many pieces end before it. */
typedef struct maker {
	eki_step *step;
	csr_panels *s;
	eki_job job;
	int64_t candidates;                   /* panels if all columns were in panels */
	int64_t *entries;                     /* their entries */
	const eki_buffer *array[CSR_COL + 1]; /* row pointers and columns of A */
	eki_buffer *count, *order, *rank, *row, *number;
} maker;

static int64_t value_bytes(const maker *m)
{
	return (int64_t)ek_value_size(m->step->in[0]->value);
}

/* Gives back the memory of a sort that is done, and the indices that it has sorted. */
static void drop_sort(maker *m, const eki_gpu_radix *sort)
{
	eki_job_drop(&m->job, sort->key[0]);
	eki_job_drop(&m->job, sort->key[1]);
	eki_job_drop(&m->job, sort->from);
	eki_job_drop(&m->job, sort->place);
}

/* Launches a kernel with a work-item for each of n things. */
static ek_status for_each(const maker *m, const char *name, int64_t n, const eki_arg *args,
                          int count)
{
	return eki_gpu_once(m->step, name, eki_groups(n, CSR_PANELS_WG), CSR_PANELS_WG, args,
	                    count);
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* Counts the entries of each column, and the fetches of sectors. */
static ek_status count_columns(maker *m)
{
	const ek_store *A = m->step->in[0];
	const eki_driver *driver = m->step->gpu->device->driver;
	eki_buffer *fetched;
	int32_t fetches;

	EK_RETURN_IF(eki_job_buffer(&m->job, A->cols, sizeof(int32_t), &m->count));
	EK_RETURN_IF(eki_job_buffer(&m->job, 1, sizeof fetches, &fetched));
	EK_RETURN_IF(driver->clear(m->job.device, m->count));
	EK_RETURN_IF(driver->clear(m->job.device, fetched));
	const eki_arg args[] = {eki_arg_i64(A->nnz), eki_arg_buffer(m->array[CSR_COL]),
	                        eki_arg_buffer(m->count), eki_arg_buffer(fetched)};

	EK_RETURN_IF(for_each(m, "panels_count", A->nnz, args, EKI_COUNT(args)));
	EK_RETURN_IF(eki_buffer_read(m->job.device, fetched, &fetches, sizeof fetches));
	m->s->fetched = fetches;
	return EK_OK;
}

/* Orders the columns by classes, and counts the entries of each panel that there can be. */
static ek_status order_columns(maker *m)
{
	const ek_store *A = m->step->in[0];
	eki_gpu_radix sort;
	eki_buffer *class, *entries;
	const eki_buffer *sorted;

	EK_RETURN_IF(eki_job_buffer(&m->job, A->cols, eki_idx_size(A->index), &class));
	EK_RETURN_IF(eki_job_buffer(&m->job, A->cols, eki_ptr_size(A->index), &m->order));
	EK_RETURN_IF(eki_job_buffer(&m->job, A->cols, sizeof(int32_t), &m->rank));
	EK_RETURN_IF(eki_job_buffer(&m->job, m->candidates, sizeof(int64_t), &entries));
	EK_RETURN_IF(eki_gpu_radix_begin(&m->job, A->index, A->cols, &sort));
	const eki_arg cols = eki_arg_i64(A->cols), count = eki_arg_buffer(m->count);
	const eki_arg args[] = {cols, eki_arg_buffer(m->order), count, eki_arg_buffer(m->rank),
	                        eki_arg_buffer(entries)};

	EK_RETURN_IF(for_each(m, "panels_class", A->cols,
	                      (eki_arg[]){cols, count, eki_arg_buffer(class)}, 3));
	EK_RETURN_IF(eki_gpu_radix_sort(&sort, CLASSES, class, NULL, m->order, &sorted));
	drop_sort(m, &sort);
	EK_RETURN_IF(eki_gpu_once(m->step, "panels_rank", m->candidates, CSR_PANELS_WG, args,
	                          EKI_COUNT(args)));
	return eki_buffer_read(m->job.device, entries, m->entries,
	                       m->candidates * (int64_t)sizeof *m->entries);
}

/* ---- Panels ---------------------------------------------------------------------------------- */

/* Returns the tiles of a chunk in a panel: no fewer than are as long as the panel's part of x. */
static int64_t chunk_tiles(const maker *m)
{
	const int64_t value = value_bytes(m),
		      least = eki_groups(m->s->width * value, CSR_PANELS_TILE * (value + 2));

	return m->s->each > least ? m->s->each : least;
}

/* Tells whether n entries in `cols` columns move fewer bytes as a panel than as cold ones. */
static bool pays(const maker *m, int64_t n, int64_t cols)
{
	const ek_store *A = m->step->in[0];
	const int64_t value = value_bytes(m), tiles = eki_groups(n, CSR_PANELS_TILE);
	const int64_t pieces = n < A->rows ? n : A->rows;
	const double fetch = CSR_PANELS_SECTOR * (double)m->s->fetched / (double)A->nnz;
	const int64_t copies = eki_groups(tiles, chunk_tiles(m)) * cols * value;
	const int64_t packs = cols * ((int64_t)eki_ptr_size(A->index) + CSR_PANELS_SECTOR + value);
	const int64_t padding = (tiles * CSR_PANELS_TILE - n) * (value + 2);

	return (double)n * (fetch + 4 - 2) >
	       (double)(copies + packs + padding + pieces * (4 + 2 * value));
}

/* Returns the number of columns of panel p: `width`, or fewer in the last panel that there can
 * be. */
static int64_t columns_of(const maker *m, int64_t p)
{
	const int64_t left = m->step->in[0]->cols - p * m->s->width;

	return left < m->s->width ? left : m->s->width;
}

static void choose_panels(maker *m)
{
	csr_panels *s = m->s;
	const ek_store *A = m->step->in[0];
	const int64_t asked = m->step->param[CSR_PANELS_PANELS];
	int64_t p = 0, n = 0;

	for (; p < m->candidates && p < (asked ? asked : 2 * CSR_PANELS_WIDEST - 1); p++) {
		if (m->entries[p] == 0 || (!asked && !pays(m, m->entries[p], columns_of(m, p))))
			break;
		n += m->entries[p];
	}
	s->panels = p;
	s->hot = p * s->width < A->cols ? p * s->width : A->cols;
	s->cold = A->nnz - n;
}

/* Sorts the entries by panel, cold ones last, and lists their rows in this order. */
static ek_status order_entries(maker *m)
{
	const ek_store *A = m->step->in[0];
	const size_t idx = eki_idx_size(A->index);
	eki_gpu_radix sort;
	eki_buffer *key;
	const eki_buffer *sorted;

	EK_RETURN_IF(
		eki_gpu_buffer(m->step, A->nnz, eki_ptr_size(A->index), false, NULL, &m->s->from));
	EK_RETURN_IF(eki_job_buffer(&m->job, A->nnz, idx, &key));
	EK_RETURN_IF(eki_job_buffer(&m->job, A->nnz, idx, &m->row));
	EK_RETURN_IF(eki_gpu_radix_begin(&m->job, A->index, A->nnz, &sort));
	const eki_arg args[] = {eki_arg_i64(A->nnz), eki_arg_i64(m->s->panels),
	                        eki_arg_buffer(m->array[CSR_COL]), eki_arg_buffer(m->rank),
	                        eki_arg_buffer(key)};

	EK_RETURN_IF(for_each(m, "panels_key", A->nnz, args, EKI_COUNT(args)));
	EK_RETURN_IF(eki_gpu_radix_sort(&sort, m->s->panels + 1, key, NULL, m->s->from, &sorted));
	EK_RETURN_IF(eki_gpu_expand(&m->job, A->index, A->rows, A->nnz, m->array[CSR_PTR], key));
	EK_RETURN_IF(eki_gpu_gather(&sort, m->s->from, key, m->row));
	drop_sort(m, &sort);
	return EK_OK;
}

/* ---- Tiles and chunks ------------------------------------------------------------------------ */

/* Lists the tiles and chunks of panel p, of n entries that begin with entry `first`; p is -1 for
 * cold entries. If `tile` is NULL, only counts them. */
static void list_panel(const maker *m, int64_t p, int64_t first, int64_t n, int32_t *tile,
                       int32_t *chunk)
{
	csr_panels *s = m->s;
	const int64_t tiles = eki_groups(n, CSR_PANELS_TILE),
		      each = p < 0 ? s->each : chunk_tiles(m);
	const int halves = p < 0 ? 2 : 1;

	for (int64_t t = 0; t < tiles; t++, s->tiles++, s->halves += halves) {
		const int64_t left = tiles - t;
		const bool last = left == 1 || t % each == each - 1;

		if (tile) {
			int32_t *own = tile + PER * s->tiles;

			own[0] = (int32_t)(first + t * CSR_PANELS_TILE);
			own[1] = (int32_t)(left > 1 ? CSR_PANELS_TILE : n - t * CSR_PANELS_TILE);
			own[2] = (int32_t)s->halves;
			own[3] = (p < 0 ? TILE_COLD : 0) + (last ? TILE_LAST : 0);
		}
		if (tile && t % each == 0) {
			int32_t *own = chunk + PER * s->chunks;

			own[0] = (int32_t)s->tiles;
			own[1] = (int32_t)(left < each ? left : each);
			own[2] = (int32_t)p;
			own[3] = 0;
		}
		s->chunks += t % each == 0;
		s->copied += t % each == 0 && p >= 0 ? columns_of(m, p) : 0;
	}
}

/* Lists the tiles and chunks of all panels. Cold chunks, which take longest, come first. */
static void list_all(const maker *m, int32_t *tile, int32_t *chunk)
{
	int64_t first = 0;

	m->s->tiles = m->s->chunks = m->s->halves = m->s->copied = 0;
	list_panel(m, -1, m->step->in[0]->nnz - m->s->cold, m->s->cold, tile, chunk);
	for (int64_t p = 0; p < m->s->panels; first += m->entries[p++])
		list_panel(m, p, first, m->entries[p], tile, chunk);
}

static ek_status make_lists(maker *m)
{
	csr_panels *s = m->s;
	const ek_context *ctx = m->step->ctx;
	void *tile = NULL, *chunk = NULL;
	ek_status status;

	list_all(m, NULL, NULL);
	EK_TRY(eki_alloc(ctx, PER * s->tiles, sizeof(int32_t), &tile));
	EK_TRY(eki_alloc(ctx, PER * s->chunks, sizeof(int32_t), &chunk));
	list_all(m, tile, chunk);
	EK_TRY(eki_gpu_buffer(m->step, PER * s->tiles, sizeof(int32_t), false, tile, &s->tile));
	EK_TRY(eki_gpu_buffer(m->step, PER * s->chunks, sizeof(int32_t), false, chunk, &s->chunk));
done:
	eki_free(ctx, tile, PER * s->tiles, sizeof(int32_t));
	eki_free(ctx, chunk, PER * s->chunks, sizeof(int32_t));
	return status;
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* Numbers the pieces, and lists their rows in `row`. */
static ek_status number_pieces(maker *m, eki_buffer **row)
{
	const ek_store *A = m->step->in[0];
	csr_panels *s = m->s;
	const eki_arg nnz = eki_arg_i64(A->nnz), rows = eki_arg_buffer(m->row);
	const eki_arg tile = eki_arg_buffer(s->tile);

	EK_RETURN_IF(eki_job_buffer(&m->job, A->nnz + 1, sizeof(int32_t), &m->number));
	EK_RETURN_IF(m->job.device->driver->clear(m->job.device, m->number));
	const eki_arg number = eki_arg_buffer(m->number);

	EK_RETURN_IF(eki_gpu_once(m->step, "panels_ends", s->tiles, CSR_PANELS_WG,
	                          (eki_arg[]){tile, rows, number}, 3));
	EK_RETURN_IF(eki_gpu_places(&m->job, EK_INT32, A->nnz, A->nnz, m->number, &s->pieces));
	EK_RETURN_IF(eki_job_buffer(&m->job, s->pieces, eki_idx_size(A->index), row));
	EK_RETURN_IF(for_each(m, "panels_rows", A->nnz,
	                      (eki_arg[]){nnz, number, rows, eki_arg_buffer(*row)}, 4));
	return for_each(m, "panels_first", s->chunks,
	                (eki_arg[]){eki_arg_i64(s->chunks), tile, number, eki_arg_buffer(s->chunk)},
	                4);
}

/* Gives the pieces of each row places side by side, in the order of the panels. */
static ek_status place_pieces(maker *m)
{
	const ek_store *A = m->step->in[0];
	const size_t ptr = eki_ptr_size(A->index);
	csr_panels *s = m->s;
	eki_buffer *row, *from;
	const eki_buffer *sorted;
	eki_gpu_radix sort;

	EK_RETURN_IF(number_pieces(m, &row));
	EK_RETURN_IF(eki_job_buffer(&m->job, s->pieces, ptr, &from));
	EK_RETURN_IF(eki_gpu_buffer(m->step, s->pieces, sizeof(int32_t), false, NULL, &s->place));
	EK_RETURN_IF(eki_gpu_buffer(m->step, A->rows + 1, ptr, false, NULL, &s->row_piece));
	EK_RETURN_IF(eki_gpu_radix_begin(&m->job, A->index, s->pieces, &sort));
	EK_RETURN_IF(eki_gpu_radix_sort(&sort, A->rows, row, NULL, from, &sorted));
	EK_RETURN_IF(eki_gpu_compress(&m->job, A->index, A->rows, s->pieces, sorted, s->row_piece));
	return for_each(
		m, "panels_place", s->pieces,
		(eki_arg[]){eki_arg_i64(s->pieces), eki_arg_buffer(from), eki_arg_buffer(s->place)},
		3);
}

/* ---- The arrays of a run --------------------------------------------------------------------- */

/* Makes the words of the tiles, and the list of the columns in panels. */
static ek_status make_words(maker *m)
{
	csr_panels *s = m->s;
	const int64_t size = (int64_t)eki_ptr_size(m->step->in[0]->index);
	eki_device *dev = m->job.device;

	EK_RETURN_IF(eki_gpu_buffer(m->step, s->halves * CSR_PANELS_TILE / 2, sizeof(uint32_t),
	                            false, NULL, &s->words));
	const eki_arg args[] = {eki_arg_buffer(s->tile),           eki_arg_buffer(s->from),
	                        eki_arg_buffer(m->array[CSR_COL]), eki_arg_buffer(m->rank),
	                        eki_arg_buffer(m->number),         eki_arg_buffer(s->words)};

	EK_RETURN_IF(eki_gpu_once(m->step, "panels_words", s->tiles, CSR_PANELS_WG, args,
	                          EKI_COUNT(args)));
	EK_RETURN_IF(eki_gpu_buffer(m->step, s->hot, (size_t)size, false, NULL, &s->list));
	if (s->hot == 0)
		return EK_OK;
	EK_RETURN_IF(dev->driver->copy(dev, s->list, 0, m->order, 0, s->hot * size));
	return dev->driver->wait(dev);
}

static ek_status make(maker *m)
{
	void *entries;
	ek_status status;

	EK_RETURN_IF(eki_alloc(m->step->ctx, m->candidates, sizeof *m->entries, &entries));
	m->entries = entries;
	EK_TRY(count_columns(m));
	EK_TRY(order_columns(m));
	choose_panels(m);
	EK_TRY(order_entries(m));
	EK_TRY(make_lists(m));
	EK_TRY(place_pieces(m));
	status = make_words(m);
done:
	eki_free(m->step->ctx, entries, m->candidates, sizeof *m->entries);
	return status;
}

ek_status csr_panels_make(eki_step *step, csr_panels *s)
{
	const ek_store *A = step->in[0];
	eki_device *dev = step->gpu->device;
	const int64_t units = dev->info.units > 0 ? dev->info.units : 1;
	maker m = {.step = step, .s = s, .candidates = eki_groups(A->cols, s->width)};
	ek_status status;

	s->each = eki_groups(A->nnz, CSR_PANELS_TILE * GROUPS * units);
	eki_job_begin(dev, &m.job);
	for (int k = CSR_PTR; k <= CSR_COL; k++)
		EK_TRY(eki_mirror_get(dev, A->array[k],
		                      k == CSR_PTR ? (A->rows + 1) * (int64_t)eki_ptr_size(A->index)
		                                   : A->nnz * (int64_t)eki_idx_size(A->index),
		                      eki_step_values(step), &m.array[k]));
	status = make(&m);
done:
	for (int k = CSR_PTR; k <= CSR_COL; k++)
		if (m.array[k])
			eki_mirror_put(dev, m.array[k]);
	eki_job_end(&m.job);
	return status;
}

/* ---- Counted bytes --------------------------------------------------------------------------- */

int64_t csr_panels_bytes(const eki_step *step, const csr_panels *s)
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

int64_t csr_panels_plain_bytes(const eki_step *step, const csr_panels *s)
{
	const ek_store *A = step->in[0];

	return eki_store_bytes(A) + s->fetched * CSR_PANELS_SECTOR +
	       A->rows * (int64_t)ek_value_size(A->value);
}

#endif
