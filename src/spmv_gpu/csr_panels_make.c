/* SPDX-License-Identifier: BSD-3-Clause
 * Panels of columns (csr_panels.c): the choice of panels, and their arrays, which are made on the
 * device. Queued kernels and sorts follow each other; the host waits for the number of fetches, the
 * entries of panels and the number of pieces. */
#include "prim_gpu/radix.h"
#include "spmv_gpu/csr_panels.h"

#ifndef EK_NO_GPU

enum {
	GROUPS = 4,   /* chunks for each compute unit */
	SHARE = 4,    /* least bytes of a chunk's entries, in parts of x that it copies */
	CLASSES = 32, /* of columns */
	PER = 4       /* numbers that describe a tile, or a chunk */
};

/* What exists only during preparation. `order` lists the columns, hottest first; `rank` is its
 * inverse; `row` has the rows of the entries in the order of the panels; `number` tells for each of
 * these how many pieces end before it. */
typedef struct maker {
	eki_step *step;
	csr_panels *s;
	eki_job job;
	int64_t candidates; /* panels if all columns were in panels */
	int64_t *entries;   /* their entries */
	int64_t panels;     /* the first of them, from which panels are chosen */
	int32_t *pieces;    /* their pieces, if no chunk cut one in two */
	eki_buffer *count, *order, *rank, *row, *number;
} maker;

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
	const eki_arg args[] = {eki_arg_i64(A->nnz), eki_arg_buffer(m->step->gpu->array[CSR_COL]),
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
	const eki_arg args[] = {csr_panels_width(m->s),   cols,
	                        eki_arg_buffer(m->order), count,
	                        eki_arg_buffer(m->rank),  eki_arg_buffer(entries)};

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

/* Returns the tiles of a chunk in a panel. */
static int64_t chunk_tiles(const maker *m)
{
	const int64_t value = (int64_t)ek_value_size(m->step->in[0]->value);
	const int64_t least =
		eki_groups(SHARE * m->s->width * value, CSR_PANELS_TILE * (value + 2));

	return m->s->each > least ? m->s->each : least;
}

/* Returns the number of columns of panel p: `width`, or fewer in the last panel that there can
 * be. */
static int64_t columns_of(const maker *m, int64_t p)
{
	const int64_t left = m->step->in[0]->cols - p * m->s->width;

	return left < m->s->width ? left : m->s->width;
}

/* Returns how many bytes fewer panel p moves than if its entries were cold. */
static double gain(const maker *m, int64_t p)
{
	const ek_store *A = m->step->in[0];
	const int64_t n = m->entries[p], tiles = eki_groups(n, CSR_PANELS_TILE);
	const int64_t value = (int64_t)ek_value_size(A->value), cols = columns_of(m, p);
	const double fetch = CSR_PANELS_SECTOR * (double)m->s->fetched / (double)A->nnz;
	const int64_t copies = eki_groups(tiles, chunk_tiles(m)) * cols * value;
	const int64_t packs = cols * ((int64_t)eki_ptr_size(A->index) + CSR_PANELS_SECTOR + value);
	const int64_t padding = (tiles * CSR_PANELS_TILE - n) * (value + 2);
	const int64_t pieces = m->pieces[p] * (4 + 2 * value);

	return (double)n * (fetch + 4 - 2) - (double)(copies + packs + padding + pieces);
}

/* Sets the number of panels: that asked for, or the one with which a run moves the fewest bytes. */
static void choose_panels(maker *m, int64_t asked)
{
	csr_panels *s = m->s;
	double sum = 0, most = 0;

	s->cold = m->step->in[0]->nnz;
	for (int64_t p = 0; p < m->panels && m->entries[p] > 0; p++) {
		sum += asked ? 1 : gain(m, p);
		if (sum <= most)
			continue;
		most = sum;
		s->panels = p + 1;
	}
	for (int64_t p = 0; p < s->panels; p++)
		s->cold -= m->entries[p];
	s->hot = s->panels < m->candidates ? s->panels * s->width : m->step->in[0]->cols;
}

/* Counts the pieces of each panel, from the panels of the entries in this order. */
static ek_status count_pieces(maker *m, const eki_buffer *panel)
{
	const int64_t nnz = m->step->in[0]->nnz;
	eki_buffer *pieces;

	EK_RETURN_IF(eki_job_buffer(&m->job, m->panels + 1, sizeof *m->pieces, &pieces));
	EK_RETURN_IF(m->job.device->driver->clear(m->job.device, pieces));
	EK_RETURN_IF(for_each(m, "panels_pieces", nnz,
	                      (eki_arg[]){eki_arg_i64(nnz), eki_arg_buffer(panel),
	                                  eki_arg_buffer(m->row), eki_arg_buffer(pieces)},
	                      4));
	return eki_buffer_read(m->job.device, pieces, m->pieces, pieces->bytes);
}

/* Sorts the entries by panel, those that are in none of `panels` last, and lists their rows in this
 * order. If `count` is true, counts the pieces of the panels. */
static ek_status order_entries(maker *m, int64_t panels, bool count)
{
	const ek_store *A = m->step->in[0];
	eki_gpu_radix sort;
	eki_buffer *key;
	const eki_buffer *sorted;

	EK_RETURN_IF(eki_job_buffer(&m->job, A->nnz, eki_idx_size(A->index), &key));
	EK_RETURN_IF(eki_gpu_radix_begin(&m->job, A->index, A->nnz, &sort));
	const eki_arg args[] = {
		csr_panels_width(m->s),  eki_arg_i64(A->nnz),
		eki_arg_i64(panels),     eki_arg_buffer(m->step->gpu->array[CSR_COL]),
		eki_arg_buffer(m->rank), eki_arg_buffer(key)};

	EK_RETURN_IF(for_each(m, "panels_key", A->nnz, args, EKI_COUNT(args)));
	EK_RETURN_IF(eki_gpu_radix_sort(&sort, panels + 1, key, NULL, m->s->from, &sorted));
	EK_RETURN_IF(eki_gpu_expand(&m->job, A->index, A->rows, A->nnz,
	                            m->step->gpu->array[CSR_PTR], key));
	EK_RETURN_IF(eki_gpu_gather(&sort, m->s->from, key, m->row));
	if (count)
		EK_RETURN_IF(count_pieces(m, sorted));
	drop_sort(m, &sort);
	eki_job_drop(&m->job, key);
	return EK_OK;
}

/* Chooses the panels, and orders the entries. That takes two sorts, since only the first one tells
 * the pieces of the panels, unless the number of panels is asked for or there can be but one, which
 * has a piece for each row. */
static ek_status make_panels(maker *m)
{
	const ek_store *A = m->step->in[0];
	const int64_t asked = m->step->param[CSR_PANELS_PANELS];
	const bool once = asked || m->panels == 1;

	EK_RETURN_IF(
		eki_gpu_buffer(m->step, A->nnz, eki_ptr_size(A->index), false, NULL, &m->s->from));
	EK_RETURN_IF(eki_job_buffer(&m->job, A->nnz, eki_idx_size(A->index), &m->row));
	m->pieces[0] = (int32_t)(A->nnz < A->rows ? A->nnz : A->rows);
	if (!once)
		EK_RETURN_IF(order_entries(m, m->panels, true));
	choose_panels(m, asked);
	return once || m->s->panels < m->panels ? order_entries(m, m->s->panels, false) : EK_OK;
}

/* ---- Tiles and chunks ------------------------------------------------------------------------ */

/* Writes description k of a list, unless the list is only counted. */
static void put(int32_t *list, int64_t k, int64_t a, int64_t b, int64_t c, int64_t d)
{
	if (list)
		memcpy(list + PER * k, (int32_t[]){(int32_t)a, (int32_t)b, (int32_t)c, (int32_t)d},
		       PER * sizeof *list);
}

/* Lists the tiles and chunks of panel p, of n entries that begin with entry `first`; p is -1 for
 * cold entries. If `tile` and `chunk` are NULL, only counts them. */
static void list_panel(const maker *m, int64_t p, int64_t first, int64_t n, int32_t *tile,
                       int32_t *chunk)
{
	csr_panels *s = m->s;
	const int64_t tiles = eki_groups(n, CSR_PANELS_TILE);
	const int64_t each = p < 0 ? s->each : chunk_tiles(m);

	for (int64_t t = 0; t < tiles; t++) {
		const int64_t done = t * CSR_PANELS_TILE, left = tiles - t;
		const bool last = left == 1 || t % each == each - 1;

		if (t % each == 0) {
			put(chunk, s->chunks++, s->tiles, left < each ? left : each, p, 0);
			s->copied += p < 0 ? 0 : columns_of(m, p);
		}
		put(tile, s->tiles++, first + done, left > 1 ? CSR_PANELS_TILE : n - done,
		    s->halves, (p < 0 ? CSR_PANELS_COLD : 0) + (last ? CSR_PANELS_LAST : 0));
		s->halves += p < 0 ? 2 : 1;
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
	const eki_arg args[] = {
		csr_panels_width(m->s),  eki_arg_buffer(s->tile),
		eki_arg_buffer(s->from), eki_arg_buffer(m->step->gpu->array[CSR_COL]),
		eki_arg_buffer(m->rank), eki_arg_buffer(m->number),
		eki_arg_buffer(s->words)};

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
	const ek_context *ctx = m->step->ctx;
	void *entries = NULL, *pieces = NULL;
	ek_status status;

	EK_TRY(eki_alloc(ctx, m->candidates, sizeof *m->entries, &entries));
	EK_TRY(eki_alloc(ctx, m->panels + 1, sizeof *m->pieces, &pieces));
	m->entries = entries;
	m->pieces = pieces;
	EK_TRY(count_columns(m));
	EK_TRY(order_columns(m));
	EK_TRY(make_panels(m));
	EK_TRY(make_lists(m));
	EK_TRY(place_pieces(m));
	status = make_words(m);
done:
	eki_free(ctx, entries, m->candidates, sizeof *m->entries);
	eki_free(ctx, pieces, m->panels + 1, sizeof *m->pieces);
	return status;
}

ek_status csr_panels_make(eki_step *step, csr_panels *s)
{
	const ek_store *A = step->in[0];
	eki_device *dev = step->gpu->device;
	const int64_t units = dev->info.units > 0 ? dev->info.units : 1;
	const int64_t asked = step->param[CSR_PANELS_PANELS],
		      most = asked ? asked : CSR_PANELS_MOST;
	maker m = {.step = step, .s = s, .candidates = eki_groups(A->cols, s->width)};
	ek_status status;

	m.panels = m.candidates < most ? m.candidates : most;
	s->each = eki_groups(A->nnz, CSR_PANELS_TILE * GROUPS * units);
	EK_RETURN_IF(eki_gpu_mirror(step));
	eki_job_begin(dev, &m.job);
	status = make(&m);
	eki_job_end(&m.job);
	for (int k = CSR_PTR; status == EK_OK && k <= CSR_COL; k++) {
		eki_mirror_put(dev, step->gpu->array[k]);
		step->gpu->array[k] = NULL;
	}
	return status;
}

#endif
