/* SPDX-License-Identifier: BSD-3-Clause
 * Runs of "spgemm.csr.hash.gpu" (csr_hash.c).
 *
 * What the first run finds out - where the rows of C begin, and classes by entries - stays with the
 * plan: the next runs make C in one pass without temporary rows. A run into an existing C fills its
 * tables in the same way, and then reads the sums of C's columns, which stay on the device too, so
 * nothing is sorted.
 *
 * If memory is limited, C is counted first, and then computed in batches of consecutive rows;
 * nothing stays. How rows of known lengths are computed, and copied meanwhile, is said at
 * hash_pipe.c.
 *
 * If the device runs out of memory, one phase gives way to two. The plan goes on with what was
 * possible. */
#include <stdio.h>

#include "prim_gpu/arrays.h"
#include "spgemm_gpu/hash.h"

#ifndef EK_NO_GPU

/* Sets *at to the row pointers of C, from the lengths of its rows. */
static ek_status sum_lengths(eki_gpu_product *p, const eki_buffer *at)
{
	return eki_gpu_scan(&p->job, EK_INT64, EK_SUM, EK_EXCLUSIVE, p->step->in[0]->rows + 1, at,
	                    at);
}

/* Makes the row pointers by counting the entries of all rows. */
static ek_status count_rows(eki_gpu_product *p, const eki_hash_rows *h, const eki_buffer *at)
{
	eki_hash_work w = eki_hash_work_of(p, h, EKI_HASH_COUNT);

	w.at = w.length = at;
	/* The bounds of rows that no kernel counts are their lengths. */
	EK_RETURN_IF(eki_hash_shapes(&p->job, p->step, h, at));
	EK_RETURN_IF(eki_hash_launch(&w));
	return sum_lengths(p, at);
}

/* Makes C through temporary rows. */
static ek_status make_in_one_phase(eki_gpu_product *p, eki_hash_rows *h)
{
	const ek_store *C = p->run->C, *A = p->step->in[0];
	const size_t idx = eki_idx_size(A->index), size = ek_value_size(A->value);
	eki_device *dev = p->job.device;
	eki_hash_work w = eki_hash_work_of(p, h, EKI_HASH_MAKE);
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
	if (!eki_hash_in_place(p, &to[0], &to[1])) {
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
	return eki_hash_fill(p, h, EKI_HASH_MAKE);
}

static ek_status old_c(eki_gpu_product *p, eki_hash_rows *h, eki_buffer *at)
{
	p->at = at;
	if (!h->at_known)
		EK_RETURN_IF(eki_gpu_product_pointers(p, at));
	return eki_hash_fill(p, h, EKI_HASH_VALUES);
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
