/* SPDX-License-Identifier: BSD-3-Clause
 * The way of C from the device to the host in "spgemm.csr.hash.gpu", once row pointers are known.
 *
 * C is computed in batches of consecutive rows, and while the device computes a batch, the one
 * before is copied: the launches of a batch go into the queue first, and then the copy of the last
 * one into the second queue, where it waits for that one's kernels only. A copy that blocks the
 * host, as CUDA's to memory that is not pinned, so runs beside kernels, too. Entries do not depend
 * on batches, since rows do not depend on each other.
 *
 * If the device has room for all of C, rows are sorted into classes once, and batches are parts of
 * C's arrays there: pieces. Otherwise batches take turns with two pairs of buffers, each with half
 * of the memory, and are sorted into classes one by one, for which the host waits; a batch's
 * kernels wait for the copy of the last but one. Batches do not overlap if half of the memory does
 * not hold the longest row, if a batch would be copied in less time than its launches are worth, if
 * the device is a processor, which both would keep busy, or, with all of C on the device, if the
 * driver forbids copies beside kernels that use the same buffer.
 *
 * If the device runs out of memory, what has been put into the queues is waited for, and the rest
 * of C goes on in batches of half as many entries, as long as the longest row has room. The plan
 * stays with these. */
#include <string.h>

#include "prim_gpu/arrays.h"
#include "spgemm_gpu/hash.h"

#ifndef EK_NO_GPU

enum {
	LAUNCHES = 16, /* of a batch, with all that sorts its rows into classes */
	WORTH = 8,     /* the copy of a batch takes so many times as long as its launches */
	/* The bus has no more than one part in so many of the bandwidth of a device's memory: an
	 * estimate for PCI Express, by which batches rather become too large than too small. */
	BUS_PART = 32
};

/* Consecutive rows of C, and where their entries are on the device. */
typedef struct batch {
	int64_t begin, end; /* rows */
	int64_t at, n;      /* first entry, and number of entries */
	int64_t first;      /* entry of C that is the first of `col` and `val` */
	eki_buffer *col, *val;
} batch;

/* A run that brings C to the host. */
typedef struct pipe {
	eki_gpu_product *p;
	eki_hash_rows *h;
	eki_hash_kind kind;
	bool whole; /* whether the buffers of slot 0 hold all of C */
	int slots;  /* pairs of buffers */
	eki_buffer *col[2], *val[2];
	bool lags;      /* whether the copy of a batch comes after the launches of the next one */
	int64_t there;  /* rows whose copies have been put into the queue */
	int64_t number; /* of the next batch */
} pipe;

bool eki_hash_in_place(const eki_gpu_product *p, eki_buffer *col, eki_buffer *val)
{
	return eki_gpu_product_itself(p, CSR_COL, col) && eki_gpu_product_itself(p, CSR_VAL, val);
}

/* ---- Batches --------------------------------------------------------------------------------- */

/* Returns the entries from which on a batch is worth its launches, or INT64_MAX if none is. */
static int64_t least_entries(const eki_step *step)
{
	const eki_machine *m = step->ctx->machine;
	const double ns = (double)WORTH * LAUNCHES * m->launch[0];
	const double entries =
		ns * m->device_gbps[0] / BUS_PART / (double)eki_entry_bytes(step->in[0]);

	if (strcmp(step->ctx->device->info.kind, "gpu") != 0)
		return INT64_MAX;
	return entries > 1 ? (int64_t)entries : 1;
}

/* Returns the end of a batch that begins with row `begin`: as many rows as have no more than
 * `entries` entries, or one. */
static int64_t batch_end(const ek_store *C, int64_t begin, int64_t entries)
{
	const int64_t most = eki_ptr_at(C, begin) + entries;
	const int64_t end = most < C->nnz ? eki_row_of(C, most) : C->rows;

	return end > begin ? end : begin + 1;
}

/* Sorts all rows into classes, and divides C into pieces, unless an earlier run did. C is one piece
 * if a piece may not be copied while kernels write others to the same buffer. */
static ek_status list_all(eki_gpu_product *p, eki_hash_rows *h)
{
	const ek_store *C = p->run->C;
	const bool beside = p->job.device->driver->beside;
	const int64_t pieces = beside ? C->nnz / least_entries(p->step) : 1;
	const int64_t most = pieces < EKI_HASH_PIECES ? pieces : EKI_HASH_PIECES;
	eki_hash_list *list = &h->by_length;
	int count = 0;

	if (h->listed)
		return EK_OK;
	EK_RETURN_IF(eki_hash_classify(&p->job, p->step, h, NULL, p->at, 0, C->rows, list));
	for (int64_t row = 0; row < C->rows && count < EKI_HASH_PIECES;) {
		h->piece[count++] = row;
		row = most > 1 ? batch_end(C, row, C->nnz / most + 1) : C->rows;
	}
	h->pieces = count;
	h->piece[count] = C->rows;
	for (int c = 0; c < h->classes; c++) {
		h->cut[0][c] = list->first[c];
		h->cut[count][c] = list->first[c + 1];
	}
	if (count > 1)
		EK_RETURN_IF(eki_hash_cut(&p->job, p->step, h, list, h->piece + 1, count - 1,
		                          h->cut + 1));
	h->listed = h->at != NULL;
	return EK_OK;
}

/* Chooses how C goes through the device's memory, of which the plan has room for h->capacity
 * entries, from row `begin` on. */
static void choose(pipe *s, int64_t begin)
{
	const eki_hash_rows *h = s->h;
	const int64_t half = h->capacity / 2;

	s->whole = begin == 0 && s->p->run->C->nnz <= h->capacity;
	s->slots = !s->whole && half >= h->longest && half >= least_entries(s->p->step) ? 2 : 1;
	s->lags = s->whole ? h->pieces > 1 : s->slots > 1;
	s->there = begin;
}

/* Returns the batch that begins with a row. */
static batch batch_from(const pipe *s, int64_t begin)
{
	const ek_store *C = s->p->run->C;
	const int slot = (int)(s->number % s->slots);
	const int64_t end = s->whole ? s->h->piece[s->number + 1]
	                             : batch_end(C, begin, s->h->capacity / s->slots);
	const int64_t at = eki_ptr_at(C, begin);

	return (batch){.begin = begin,
	               .end = end,
	               .at = at,
	               .n = eki_ptr_at(C, end) - at,
	               .first = s->whole ? 0 : at,
	               .col = s->col[slot],
	               .val = s->val[slot]};
}

/* ---- Buffers --------------------------------------------------------------------------------- */

/* Takes memory for all columns of C. It stays with the plan if memory is not limited, as do
 * the columns. */
static ek_status take_columns(pipe *s)
{
	const ek_store *C = s->p->run->C;
	const size_t idx = eki_idx_size(C->index);
	eki_device *dev = s->p->job.device;
	eki_hash_rows *h = s->h;

	if (s->kind != EKI_HASH_VALUES || !h->col) {
		EK_RETURN_IF(eki_job_buffer(&s->p->job, C->nnz, idx, &s->col[0]));
	} else {
		if (!h->col_known) {
			eki_buffer_free(dev, h->col);
			EK_RETURN_IF(eki_buffer_alloc(dev, C->nnz, idx, false, h->col));
		}
		s->col[0] = h->col;
	}
	if (s->kind == EKI_HASH_VALUES && !h->col_known)
		EK_RETURN_IF(
			eki_buffer_write(dev, s->col[0], C->array[CSR_COL], C->nnz * (int64_t)idx));
	h->col_known |= s->col[0] == h->col;
	return EK_OK;
}

static ek_status take_buffers(pipe *s)
{
	const ek_store *C = s->p->run->C;
	const int64_t n = s->whole ? C->nnz : s->h->capacity / s->slots;
	eki_job *job = &s->p->job;

	if (s->whole)
		EK_RETURN_IF(take_columns(s));
	for (int k = 0; k < s->slots; k++) {
		if (!s->whole)
			EK_RETURN_IF(eki_job_buffer(job, n, eki_idx_size(C->index), &s->col[k]));
		EK_RETURN_IF(eki_job_buffer(job, n, ek_value_size(C->value), &s->val[k]));
	}
	return EK_OK;
}

static void drop_buffers(pipe *s)
{
	for (int k = 1; k >= 0; k--) {
		eki_job_drop(&s->p->job, s->val[k]);
		eki_job_drop(&s->p->job, s->col[k]);
	}
}

/* Makes batches smaller, as one of n entries found too little memory. Returns false if they cannot
 * be. Columns of C that stay on the device are dropped, as is the list of all rows. */
static bool shrink(eki_gpu_product *p, eki_hash_rows *h, int64_t n)
{
	eki_device *dev = p->job.device;

	if (h->capacity <= h->longest)
		return false;
	h->capacity = n / 2 > h->longest ? n / 2 : h->longest;
	atomic_store(&h->shrunk, h->capacity);
	h->listed = false;
	if (h->col)
		eki_buffer_free(dev, h->col);
	h->col_known = false;
	return true;
}

/* ---- The pipe -------------------------------------------------------------------------------- */

/* Puts the launches for a batch into the queue. */
static ek_status launch(pipe *s, const batch *b)
{
	eki_device *dev = s->p->job.device;
	eki_hash_rows *h = s->h;
	eki_hash_work w = eki_hash_work_of(s->p, h, s->kind);

	w.list = &h->by_length;
	w.col = b->col;
	w.val = b->val;
	w.begin = b->first;
	if (s->whole) {
		w.from = h->cut[s->number];
		w.to = h->cut[s->number + 1];
		return eki_hash_launch(&w);
	}
	w.from = h->by_length.first;
	w.to = h->by_length.first + 1;
	EK_RETURN_IF(eki_hash_classify(&s->p->job, s->p->step, h, NULL, s->p->at, b->begin, b->end,
	                               &h->by_length));
	EK_RETURN_IF(dev->driver->follow(dev, false));
	if (s->kind == EKI_HASH_VALUES) {
		const ek_store *C = s->p->run->C;
		const int64_t idx = (int64_t)eki_idx_size(C->index);

		EK_RETURN_IF(eki_buffer_write(
			dev, b->col, (const char *)C->array[CSR_COL] + b->at * idx, b->n * idx));
	}
	return eki_hash_launch(&w);
}

/* Puts the copy of an array of a batch to C into the second queue. */
static ek_status fetch_array(const pipe *s, const batch *b, int which, size_t size)
{
	const eki_buffer *from = which == CSR_COL ? b->col : b->val;
	const int64_t bytes = b->n * (int64_t)size;
	eki_device *dev = s->p->job.device;

	atomic_fetch_add(&dev->counted.from_device, bytes);
	return dev->driver->fetch(dev, from, (b->at - b->first) * (int64_t)size,
	                          (char *)s->p->run->C->array[which] + (size_t)b->at * size, bytes);
}

static ek_status fetch(pipe *s, const batch *b)
{
	const ek_store *C = s->p->run->C;

	if (b->n > 0 && s->kind == EKI_HASH_MAKE)
		EK_RETURN_IF(fetch_array(s, b, CSR_COL, eki_idx_size(C->index)));
	if (b->n > 0)
		EK_RETURN_IF(fetch_array(s, b, CSR_VAL, ek_value_size(C->value)));
	s->there = b->end;
	return EK_OK;
}

/* Puts all batches into the queues. */
static ek_status put_batches(pipe *s)
{
	const ek_store *C = s->p->run->C;
	eki_device *dev = s->p->job.device;
	batch last = {.end = s->there};

	for (int64_t row = s->there; row < C->rows; s->number++) {
		const batch b = batch_from(s, row);

		if (b.n > 0)
			EK_RETURN_IF(launch(s, &b));
		EK_RETURN_IF(dev->driver->flush(dev));
		if (s->lags)
			EK_RETURN_IF(fetch(s, &last));
		EK_RETURN_IF(dev->driver->follow(dev, true));
		if (!s->lags)
			EK_RETURN_IF(fetch(s, &b));
		EK_RETURN_IF(dev->driver->flush(dev)); /* so that the copy begins now */
		last = b;
		row = b.end;
	}
	return s->lags ? fetch(s, &last) : EK_OK;
}

/* Brings C from row *begin on to the host. If it fails, *begin becomes the first row that is not
 * there. Nothing is left in the queues. */
static ek_status fill_from(eki_gpu_product *p, eki_hash_rows *h, eki_hash_kind kind, int64_t *begin)
{
	eki_device *dev = p->job.device;
	pipe s = {.p = p, .h = h, .kind = kind};
	ek_status status, waited;

	if (*begin == 0 && p->run->C->nnz <= h->capacity)
		EK_TRY(list_all(p, h));
	choose(&s, *begin);
	EK_TRY(take_buffers(&s));
	status = put_batches(&s);
done:
	waited = dev->driver->wait(dev);
	*begin = waited == EK_OK && s.there > *begin ? s.there : *begin;
	drop_buffers(&s);
	return status == EK_OK ? waited : status;
}

ek_status eki_hash_fill(eki_gpu_product *p, eki_hash_rows *h, eki_hash_kind kind)
{
	const ek_store *C = p->run->C;
	const int64_t nnz = C->nnz;
	eki_buffer col, val;
	int64_t begin = 0;

	if (nnz == 0)
		return EK_OK;
	if (eki_hash_in_place(p, &col, &val)) {
		eki_hash_work w = eki_hash_work_of(p, h, kind);

		EK_RETURN_IF(list_all(p, h));
		w.list = &h->by_length;
		w.from = h->cut[0];
		w.to = h->cut[h->pieces];
		w.col = &col;
		w.val = &val;
		return eki_hash_launch(&w);
	}
	while (begin < C->rows) {
		const ek_status status = fill_from(p, h, kind, &begin);
		const int64_t n = nnz < h->capacity ? nnz : h->capacity;

		if (status != EK_OK && (status != EK_ENOMEM || !shrink(p, h, n)))
			return status;
	}
	return EK_OK;
}

#endif
