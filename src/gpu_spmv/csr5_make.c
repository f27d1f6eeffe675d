/* SPDX-License-Identifier: BSD-3-Clause
 * CSR5 made on a device from CSR, so that no thread of the host touches an entry: rows of tiles by
 * binary search, flags by a work-item for each lane, offsets from the flags of a tile, places of
 * rows where some are empty by a scan over tiles, then entries from one order to the other. Gives
 * the same arrays as format/csr5.c. A store that is in CSR5 already is used as it is.
 *
 * omega is the width of the device's warps or wavefronts, sigma follows from the mean length of the
 * rows by four numbers of the device; processors, which have no such width, take those of the format
 * on the host. Cost: CSR goes to the device once; there it is read, and written once.
 *
 * Liu 2015, sections 6.3.2 (omega, sigma) to 6.3.4. */
#include <string.h>

#include "format/csr5_sigma.h"
#include "gpu_spmv/csr5_make.h"

#ifndef EK_NO_GPU

/* ---- omega and sigma ------------------------------------------------------------------------- */

/* For rows of the plan's op. */
static ek_status shape(const ek_plan *p, int64_t dim[EKI_MAX_DIMS])
{
	static const int64_t warp[] = {4, 32, 256, 4}, wavefront[] = {4, 7, 256, 4};
	const int64_t lanes = p->ctx->device->info.lanes;
	const ek_store *csr = p->store;
	const ek_store on = {.value = csr->value, .rows = p->y_len, .nnz = csr->nnz};

	for (int k = 0; k < EKI_MAX_DIMS; k++)
		dim[k] = p->dim[k];
	if (!dim[CSR5_OMEGA])
		dim[CSR5_OMEGA] =
			lanes == 32 || lanes == 64 ? lanes : csr5_omega(p->ctx, csr->value);
	if (dim[CSR5_SIGMA])
		return EK_OK;
	if (lanes != 32 && lanes != 64)
		return csr5_sigma(&on, &dim[CSR5_SIGMA]);
	dim[CSR5_SIGMA] = csr5_sigma_of(lanes == 32 ? warp : wavefront, &on);
	return EK_OK;
}

ek_status csr5_device_shape(const ek_plan *p, csr5_on_device *A)
{
	*A = (csr5_on_device){.made = p->store->format == &ek_format_csr};
	memcpy(A->store.dim, p->store->dim, sizeof A->store.dim);
	if (A->made)
		EK_RETURN_IF(shape(p, A->store.dim));
	return csr5_omega_check(A->store.dim[CSR5_OMEGA]);
}

/* ---- From CSR -------------------------------------------------------------------------------- */

/* One work-item for each of n. */
static int64_t each(int64_t n)
{
	return eki_groups(n, CSR5_GROUP);
}

static ek_status buffer(ek_plan *p, csr5_on_device *A, int k)
{
	const ek_store *s = &A->store;
	eki_buffer *b;

	EK_RETURN_IF(eki_gpu_buffer(p, s->len[k],
	                            eki_elem_size(s->format->array[k].elem, s->value, s->index),
	                            false, NULL, &b));
	A->array[k] = b;
	return EK_OK;
}

/* tile_ptr, tile_desc and empty_ptr; *empty: the length of empty_offset. */
static ek_status describe(ek_plan *p, csr5_on_device *A, int64_t *empty)
{
	const csr5_shape h = csr5_shape_of(&A->store);
	const eki_arg tiles = eki_arg_i64(h.tiles), rows = eki_arg_i64(A->store.rows);
	const eki_arg row_ptr = eki_arg_buffer(A->array[CSR5_PTR]);
	eki_buffer found;
	ek_status status;

	for (int k = CSR5_TILE; k <= CSR5_EMPTY_PTR; k++)
		EK_RETURN_IF(buffer(p, A, k));

	const eki_arg tile_ptr = eki_arg_buffer(A->array[CSR5_TILE]);
	const eki_arg desc = eki_arg_buffer(A->array[CSR5_DESC]);
	const eki_arg count = eki_arg_buffer(A->array[CSR5_EMPTY_PTR]);

	EK_RETURN_IF(eki_gpu_once(p, "csr5_first_rows", each(h.tiles), CSR5_GROUP,
	                          (eki_arg[]){tiles, rows, row_ptr, tile_ptr}, 4));
	EK_RETURN_IF(eki_gpu_once(p, "csr5_describe", each(h.tiles * h.omega), CSR5_GROUP,
	                          (eki_arg[]){tiles, rows, row_ptr, tile_ptr, desc, count}, 6));
	EK_RETURN_IF(eki_buffer_alloc(p->gpu->device, 1, sizeof *empty, false, &found));
	EK_TRY(eki_gpu_once(p, "csr5_scan", 1, CSR5_GROUP,
	                    (eki_arg[]){tiles, count, eki_arg_buffer(&found)}, 3));
	EK_TRY(eki_buffer_read(p->gpu->device, &found, empty, sizeof *empty));
done:
	eki_buffer_free(p->gpu->device, &found);
	return status;
}

/* empty_offset, of n entries. */
static ek_status places(ek_plan *p, csr5_on_device *A, int64_t n)
{
	const csr5_shape h = csr5_shape_of(&A->store);

	A->store.len[CSR5_EMPTY_PTR] = n ? h.tiles + 1 : 0;
	A->store.len[CSR5_EMPTY] = n;
	EK_RETURN_IF(buffer(p, A, CSR5_EMPTY));
	if (n == 0)
		return EK_OK;
	return eki_gpu_once(p, "csr5_places", each(h.tiles * h.omega), CSR5_GROUP,
	                    (eki_arg[]){eki_arg_i64(h.tiles), eki_arg_i64(A->store.rows),
	                                eki_arg_buffer(A->array[CSR5_PTR]),
	                                eki_arg_buffer(A->array[CSR5_TILE]),
	                                eki_arg_buffer(A->array[CSR5_DESC]),
	                                eki_arg_buffer(A->array[CSR5_EMPTY_PTR]),
	                                eki_arg_buffer(A->array[CSR5_EMPTY])},
	                    7);
}

/* Columns or values from the order of CSR, where they lie in plan->store, to that of the tiles. */
static ek_status transpose(ek_plan *p, csr5_on_device *A, int k)
{
	eki_device *dev = p->gpu->device;
	const eki_buffer *from;
	ek_status status;

	EK_RETURN_IF(eki_mirror_get(dev, p->store->array[k], A->array[k]->bytes,
	                            atomic_load(&p->A->state), &from));
	status = eki_gpu_once(p, k == CSR5_COL ? "csr5_transpose_col" : "csr5_transpose_val",
	                      each(A->store.nnz), CSR5_GROUP,
	                      (eki_arg[]){eki_arg_i64(A->store.nnz), eki_arg_buffer(from),
	                                  eki_arg_buffer(A->array[k])},
	                      3);
	eki_mirror_put(dev, from);
	return status;
}

static ek_status make(ek_plan *p, csr5_on_device *A)
{
	const ek_store *csr = p->store;
	ek_store *s = &A->store;
	int64_t empty;
	csr5_shape h;

	s->format = &ek_format_csr5;
	s->value = csr->value;
	s->index = csr->index;
	s->rows = csr->rows;
	s->cols = csr->cols;
	s->nnz = csr->nnz;
	h = csr5_shape_of(s);
	memcpy(s->len,
	       (int64_t[EKI_MAX_ARRAYS]){csr->rows + 1, csr->nnz, csr->nnz, h.tiles,
	                                 h.tiles * h.words * h.omega, h.tiles + 1},
	       sizeof s->len);
	EK_RETURN_IF(eki_gpu_mirror_some(p, 1u << CSR_PTR));
	A->array[CSR5_PTR] = p->gpu->array[CSR_PTR];
	EK_RETURN_IF(describe(p, A, &empty));
	EK_RETURN_IF(places(p, A, empty));
	for (int k = CSR5_COL; k <= CSR5_VAL; k++) {
		EK_RETURN_IF(buffer(p, A, k));
		EK_RETURN_IF(transpose(p, A, k));
	}
	p->bytes += eki_store_bytes(s) - eki_store_bytes(csr);
	eki_format_text(s, p->format, sizeof p->format);
	return EK_OK;
}

/* ---- Both ------------------------------------------------------------------------------------ */

ek_status csr5_device_make(ek_plan *p, csr5_on_device *A)
{
	if (A->made)
		return make(p, A);
	EK_RETURN_IF(eki_gpu_mirror(p));
	A->store = *p->store;
	memset(A->store.array, 0, sizeof A->store.array);
	memcpy(A->array, p->gpu->array, sizeof A->array);
	return EK_OK;
}

ek_status csr5_device_refresh(ek_plan *p, csr5_on_device *A)
{
	EK_RETURN_IF(eki_gpu_refresh(p));
	return A->made ? transpose(p, A, CSR5_VAL) : EK_OK;
}

#endif
