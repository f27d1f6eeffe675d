/* SPDX-License-Identifier: BSD-3-Clause
 * Runs of "spgemm.csr.hash.gpu" (csr_hash.c).
 *
 * What the first run finds out - where the rows of C begin, and classes by entries - stays with the
 * plan: the next runs make C in one pass without temporary rows. A run into an existing C fills its
 * tables in the same way, and then reads the sums of C's columns, which stay on the device too, so
 * nothing is sorted.
 *
 * If memory is limited, C is counted first, and then computed and copied in batches of consecutive
 * rows; nothing stays.
 *
 * If the device runs out of memory, one phase gives way to two, and batches are halved, as long as
 * the longest row has room. The plan goes on with what was possible. */
#include <stdio.h>

#include "prim_gpu/arrays.h"
#include "spgemm_gpu/hash.h"

#ifndef EK_NO_GPU

static eki_hash_work work_of(eki_gpu_product *p, const eki_hash_rows *h, eki_hash_kind kind)
{
	return (eki_hash_work){.job = &p->job,
	                       .step = p->step,
	                       .run = p->run,
	                       .h = h,
	                       .list = &h->by_bound,
	                       .kind = kind,
	                       .at = p->at};
}

/* Sets *at to the row pointers of C, from the lengths of its rows. */
static ek_status sum_lengths(eki_gpu_product *p, const eki_buffer *at)
{
	return eki_gpu_scan(&p->job, EK_INT64, EK_SUM, EK_EXCLUSIVE, p->step->in[0]->rows + 1, at,
	                    at);
}

/* Makes the row pointers by counting the entries of all rows. */
static ek_status count_rows(eki_gpu_product *p, const eki_hash_rows *h, const eki_buffer *at)
{
	eki_hash_work w = work_of(p, h, EKI_HASH_COUNT);

	w.at = w.length = at;
	/* The bounds of rows that no kernel counts are their lengths. */
	EK_RETURN_IF(eki_hash_shapes(&p->job, p->step, h, at));
	EK_RETURN_IF(eki_hash_launch(&w));
	return sum_lengths(p, at);
}

/* Computes the rows [begin, end) of C into the arrays `col` and `val`, whose first place is that of
 * entry `first`. */
static ek_status make_batch(eki_gpu_product *p, eki_hash_rows *h, eki_hash_kind kind, int64_t begin,
                            int64_t end, int64_t first, const eki_buffer *col,
                            const eki_buffer *val)
{
	eki_hash_work w = work_of(p, h, kind);

	w.list = &h->by_length;
	w.col = col;
	w.val = val;
	w.begin = first;
	if (!h->listed)
		EK_RETURN_IF(eki_hash_classify(&p->job, p->step, h, NULL, p->at, begin, end,
		                               &h->by_length));
	h->listed = h->at && begin == 0 && end == p->run->C->rows;
	return eki_hash_launch(&w);
}

/* Returns the end of the batch that begins with row `begin`: as many rows as have room. */
static int64_t batch_end(const eki_hash_rows *h, const ek_store *C, int64_t begin)
{
	const int64_t most = eki_ptr_at(C, begin) + h->capacity;

	return most < C->nnz ? eki_row_of(C, most) : C->rows;
}

/* Brings n columns of C, from entry `first` on, to the device. All columns stay there if memory is
 * not limited. */
static ek_status bring_columns(eki_gpu_product *p, eki_hash_rows *h, int64_t first, int64_t n,
                               eki_buffer **col)
{
	const ek_store *C = p->run->C;
	const size_t idx = eki_idx_size(C->index);
	eki_device *dev = p->job.device;
	const bool keep = h->col && n == C->nnz;

	if (!keep) {
		EK_RETURN_IF(eki_job_buffer(&p->job, n, idx, col));
	} else if (!h->col_known) {
		eki_buffer_free(dev, h->col);
		EK_RETURN_IF(eki_buffer_alloc(dev, n, idx, false, h->col));
	}
	if (keep)
		*col = h->col;
	if (!keep || !h->col_known)
		EK_RETURN_IF(eki_buffer_write(dev, *col,
		                              (char *)C->array[CSR_COL] + (size_t)first * idx,
		                              n * (int64_t)idx));
	h->col_known |= keep;
	return EK_OK;
}

/* Computes a batch of rows in memory of the device, and copies it to C. */
static ek_status copy_batch(eki_gpu_product *p, eki_hash_rows *h, eki_hash_kind kind, int64_t begin,
                            int64_t end)
{
	const ek_store *C = p->run->C;
	const int64_t first = eki_ptr_at(C, begin), n = eki_ptr_at(C, end) - first;
	const size_t idx = eki_idx_size(C->index), size = ek_value_size(C->value);
	eki_device *dev = p->job.device;
	eki_buffer *col = NULL, *val = NULL;
	ek_status status = EK_OK;

	if (n == 0)
		return EK_OK;
	if (kind == EKI_HASH_VALUES)
		EK_TRY(bring_columns(p, h, first, n, &col));
	else
		EK_TRY(eki_job_buffer(&p->job, n, idx, &col));
	EK_TRY(eki_job_buffer(&p->job, n, size, &val));
	EK_TRY(make_batch(p, h, kind, begin, end, first, col, val));
	if (kind == EKI_HASH_MAKE)
		EK_TRY(eki_buffer_read(dev, col, (char *)C->array[CSR_COL] + (size_t)first * idx,
		                       n * (int64_t)idx));
	status = eki_buffer_read(dev, val, (char *)C->array[CSR_VAL] + (size_t)first * size,
	                         n * (int64_t)size);
done:
	eki_job_drop(&p->job, val);
	if (col != h->col)
		eki_job_drop(&p->job, col);
	return status;
}

/* Tells whether kernels can write to the arrays of C themselves, and sets *col and *val to them. */
static bool in_place(const eki_gpu_product *p, eki_buffer *col, eki_buffer *val)
{
	return eki_gpu_product_itself(p, CSR_COL, col) && eki_gpu_product_itself(p, CSR_VAL, val);
}

/* Makes batches smaller, as one of n entries found too little memory. Returns false if they cannot
 * be. Columns of C that stay on the device are dropped, as is the list of rows for one batch. */
static bool shrink(eki_gpu_product *p, eki_hash_rows *h, int64_t n)
{
	eki_device *dev = p->job.device;

	if (h->capacity <= h->longest)
		return false;
	h->capacity = n / 2 > h->longest ? n / 2 : h->longest;
	atomic_store(&h->shrunk, h->capacity);
	h->listed = false;
	dev->driver->wait(dev); /* kernels may still use the columns */
	if (h->col)
		eki_buffer_free(dev, h->col);
	h->col_known = false;
	return true;
}

/* Computes the entries of C, whose row pointers are known to host and device. */
static ek_status fill(eki_gpu_product *p, eki_hash_rows *h, eki_hash_kind kind)
{
	const ek_store *C = p->run->C;
	eki_buffer col, val;

	if (in_place(p, &col, &val))
		return make_batch(p, h, kind, 0, C->rows, 0, &col, &val);
	for (int64_t begin = 0; begin < C->rows;) {
		const int64_t end = batch_end(h, C, begin);
		const ek_status status = copy_batch(p, h, kind, begin, end);

		if (status == EK_OK)
			begin = end;
		else if (status != EK_ENOMEM ||
		         !shrink(p, h, eki_ptr_at(C, end) - eki_ptr_at(C, begin)))
			return status;
	}
	return EK_OK;
}

/* Makes C through temporary rows. */
static ek_status make_in_one_phase(eki_gpu_product *p, eki_hash_rows *h)
{
	const ek_store *C = p->run->C, *A = p->step->in[0];
	const size_t idx = eki_idx_size(A->index), size = ek_value_size(A->value);
	eki_device *dev = p->job.device;
	eki_hash_work w = work_of(p, h, EKI_HASH_MAKE);
	eki_buffer *col, *val, *own[2], to[2];

	EK_RETURN_IF(eki_job_buffer(&p->job, h->bound, idx, &col));
	EK_RETURN_IF(eki_job_buffer(&p->job, h->bound, size, &val));
	EK_RETURN_IF(dev->driver->clear(dev, h->at)); /* no kernel stores lengths of empty rows */
	w.at = h->temporary_at;
	w.col = col;
	w.val = val;
	w.length = h->at;
	EK_RETURN_IF(eki_hash_launch(&w));
	EK_RETURN_IF(sum_lengths(p, h->at));
	EK_RETURN_IF(eki_gpu_product_rows(p, h->at));
	if (!in_place(p, &to[0], &to[1])) {
		EK_RETURN_IF(eki_job_buffer(&p->job, C->nnz, idx, &own[0]));
		EK_RETURN_IF(eki_job_buffer(&p->job, C->nnz, size, &own[1]));
		to[0] = p->col = *own[0]; /* eki_gpu_product_end copies them to C */
		to[1] = p->val = *own[1];
	}
	w.at = h->at;
	w.col = &to[0];
	w.val = &to[1];
	return eki_hash_arrange(&w, C->nnz, col, val);
}

static ek_status new_c(eki_gpu_product *p, eki_hash_rows *h, eki_buffer *at)
{
	if (h->in_one_phase && !h->at_known) {
		const ek_status status = make_in_one_phase(p, h);

		if (status != EK_ENOMEM)
			return status;
		eki_gpu_product_again(p);
		h->in_one_phase = false;
		atomic_store(&h->shrunk, h->capacity);
	}
	if (!h->at_known)
		EK_RETURN_IF(count_rows(p, h, at));
	EK_RETURN_IF(eki_gpu_product_rows(p, at));
	return fill(p, h, EKI_HASH_MAKE);
}

static ek_status old_c(eki_gpu_product *p, eki_hash_rows *h, eki_buffer *at)
{
	p->at = at;
	if (!h->at_known)
		EK_RETURN_IF(eki_gpu_product_pointers(p, at));
	return fill(p, h, EKI_HASH_VALUES);
}

ek_status eki_hash_run(const eki_step *step, const eki_run *v)
{
	eki_hash_rows *h = step->state;
	eki_buffer *at = h->at;
	eki_gpu_product p;
	ek_status status = EK_OK;

	eki_gpu_product_begin(step, v, &p);
	if (!at)
		EK_TRY(eki_job_buffer(&p.job, step->in[0]->rows + 1, sizeof(int64_t), &at));
	EK_TRY(p.keep_col ? old_c(&p, h, at) : new_c(&p, h, at));
	h->at_known = h->at != NULL;
done:
	return eki_gpu_product_end(&p, status);
}

void eki_hash_report(const eki_step *step, char *text, size_t size)
{
	eki_hash_rows *h = step->state;
	const int64_t entries = atomic_load(&h->shrunk);

	if (entries > 0)
		snprintf(text, size,
		         "         the device ran out of memory in a run: since then C is counted, "
		         "and made in batches of at most %lld entries\n",
		         (long long)entries);
}

#endif
