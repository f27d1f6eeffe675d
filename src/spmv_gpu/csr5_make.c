/* SPDX-License-Identifier: BSD-3-Clause
 * Conversion of CSR to CSR5 on a device, so that no thread of the host touches an entry. Binary
 * search finds the first row of each tile. A work-item for each lane finds the flags of the lane,
 * and the flags of a tile give its offsets. For tiles in which rows are empty, a prefix sum over
 * the tiles tells where the offsets of their rows go. Then the entries are permuted. The resulting
 * arrays are the same as those of format/csr5.c. A store that is in CSR5 already is used as it is.
 *
 * omega (lanes of a tile) is the width of the device's warps, wavefronts or sub-groups. sigma
 * (entries of a lane) follows from the mean row length and four numbers (format/csr5_sigma.c):
 * those of the method's parameters, else of EK_CSR5_SIGMA, else those that the thesis gives for
 * NVIDIA's GPUs, or, with 64 lanes or more, for AMD's. On a device without such a width, which is a
 * processor, omega and sigma are chosen as the format chooses them on the host. Cost: CSR is copied
 * to the device once; there CSR is read once and CSR5 is written once.
 *
 * Liu 2015, sections 6.3.2 (omega, sigma) to 6.3.4. */
#include <string.h>

#include "format/csr5_sigma.h"
#include "spmv_gpu/csr5_make.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr5_make, "spmv_gpu/csr5_make.cl");

/* ---- omega and sigma ------------------------------------------------------------------------- */

/* Returns the width of the device's warps if tiles can be as wide, else 0. */
static int64_t width(const eki_step *step)
{
	const int64_t lanes = step->ctx->device->info.lanes;

	return lanes >= 2 && lanes <= CSR5_MAX_OMEGA && !(lanes & (lanes - 1)) ? lanes : 0;
}

/* Gets the numbers of the rule for sigma. */
static ek_status bounds(const eki_step *step, int64_t bound[CSR5_BOUNDS])
{
	static const int64_t warp[] = {4, 32, 256, 4}, wavefront[] = {4, 7, 256, 4};
	const int64_t lanes = width(step);

	EK_RETURN_IF(csr5_bounds(step->in[0]->value,
	                         lanes == 0   ? NULL
	                         : lanes < 64 ? warp
	                                      : wavefront,
	                         bound));
	for (int k = 0; k < CSR5_BOUNDS; k++)
		bound[k] = eki_gpu_param(step, k, bound[k]);
	if (bound[CSR5_R] > bound[CSR5_S])
		return eki_fail(EK_EINVAL, "method %s: r is %lld and s %lld; r <= s is expected",
		                step->method->name, (long long)bound[CSR5_R],
		                (long long)bound[CSR5_S]);
	return EK_OK;
}

/* Chooses omega and sigma by the rows of the matrix that runs multiply by x: A for op N, the
 * transpose of A for op T. */
static ek_status shape(eki_step *step, int64_t dim[EKI_MAX_DIMS])
{
	const ek_store *csr = step->in[0];
	const ek_store on = {.value = csr->value, .rows = step->y_len, .nnz = csr->nnz};
	int64_t bound[CSR5_BOUNDS];

	for (int k = 0; k < EKI_MAX_DIMS; k++)
		dim[k] = step->dim[k];
	if (!dim[CSR5_OMEGA])
		dim[CSR5_OMEGA] = width(step) ? width(step) : csr5_omega(step->ctx, csr->value);
	EK_RETURN_IF(bounds(step, bound));
	for (int k = 0; k < CSR5_BOUNDS; k++) /* a height that was asked for needs no rule */
		step->param[k] = dim[CSR5_SIGMA] ? 0 : bound[k];
	if (!dim[CSR5_SIGMA])
		dim[CSR5_SIGMA] = csr5_sigma_of(bound, &on);
	return EK_OK;
}

ek_status csr5_device_shape(eki_step *step, csr5_on_device *A)
{
	*A = (csr5_on_device){.made = step->in[0]->format == &ek_format_csr};
	memcpy(A->store.dim, step->in[0]->dim, sizeof A->store.dim);
	if (A->made)
		EK_RETURN_IF(shape(step, A->store.dim));
	else
		memset(step->param, 0, sizeof step->param); /* the tiles are as they are */
	return csr5_omega_check(A->store.dim[CSR5_OMEGA]);
}

/* ---- From CSR -------------------------------------------------------------------------------- */

/* Returns the number of groups that together have a work-item for each of n elements. */
static int64_t each(int64_t n)
{
	return eki_groups(n, CSR5_GROUP);
}

static ek_status buffer(eki_step *step, csr5_on_device *A, int k)
{
	const ek_store *s = &A->store;
	eki_buffer *b;

	EK_RETURN_IF(eki_gpu_buffer(step, s->len[k],
	                            eki_elem_size(s->format->array[k].elem, s->value, s->index),
	                            false, NULL, &b));
	A->array[k] = b;
	return EK_OK;
}

/* Makes the arrays tile_ptr, tile_desc and empty_ptr, and sets *empty to the length of
 * empty_offset. */
static ek_status describe(eki_step *step, csr5_on_device *A, int64_t *empty)
{
	const csr5_shape h = csr5_shape_of(&A->store);
	const eki_arg tiles = eki_arg_i64(h.tiles), rows = eki_arg_i64(A->store.rows);
	const eki_arg row_ptr = eki_arg_buffer(A->array[CSR5_PTR]);
	eki_buffer found;
	ek_status status;

	for (int k = CSR5_TILE; k <= CSR5_EMPTY_PTR; k++)
		EK_RETURN_IF(buffer(step, A, k));

	const eki_arg tile_ptr = eki_arg_buffer(A->array[CSR5_TILE]);
	const eki_arg desc = eki_arg_buffer(A->array[CSR5_DESC]);
	const eki_arg count = eki_arg_buffer(A->array[CSR5_EMPTY_PTR]);

	EK_RETURN_IF(eki_gpu_once(step, "csr5_first_rows", each(h.tiles), CSR5_GROUP,
	                          (eki_arg[]){tiles, rows, row_ptr, tile_ptr}, 4));
	EK_RETURN_IF(eki_gpu_once(step, "csr5_describe", each(h.tiles * h.omega), CSR5_GROUP,
	                          (eki_arg[]){tiles, rows, row_ptr, tile_ptr, desc, count}, 6));
	EK_RETURN_IF(eki_buffer_alloc(step->gpu->device, 1, sizeof *empty, false, &found));
	EK_TRY(eki_gpu_once(step, "csr5_scan", 1, CSR5_GROUP,
	                    (eki_arg[]){tiles, count, eki_arg_buffer(&found)}, 3));
	EK_TRY(eki_buffer_read(step->gpu->device, &found, empty, sizeof *empty));
done:
	eki_buffer_free(step->gpu->device, &found);
	return status;
}

/* Makes the array empty_offset, of n elements. If n is 0, empty_ptr gets length 0 too. */
static ek_status places(eki_step *step, csr5_on_device *A, int64_t n)
{
	const csr5_shape h = csr5_shape_of(&A->store);

	A->store.len[CSR5_EMPTY_PTR] = n ? h.tiles + 1 : 0;
	A->store.len[CSR5_EMPTY] = n;
	EK_RETURN_IF(buffer(step, A, CSR5_EMPTY));
	if (n == 0)
		return EK_OK;
	return eki_gpu_once(step, "csr5_places", each(h.tiles * h.omega), CSR5_GROUP,
	                    (eki_arg[]){eki_arg_i64(h.tiles), eki_arg_i64(A->store.rows),
	                                eki_arg_buffer(A->array[CSR5_PTR]),
	                                eki_arg_buffer(A->array[CSR5_TILE]),
	                                eki_arg_buffer(A->array[CSR5_DESC]),
	                                eki_arg_buffer(A->array[CSR5_EMPTY_PTR]),
	                                eki_arg_buffer(A->array[CSR5_EMPTY])},
	                    7);
}

/* Copies array k of step->in[0], the column indices or the values, from the order of CSR to that of
 * the tiles. */
static ek_status transpose(eki_step *step, csr5_on_device *A, int k)
{
	eki_device *dev = step->gpu->device;
	const eki_buffer *from;
	ek_status status;

	EK_RETURN_IF(eki_mirror_get(dev, step->in[0]->array[k], A->array[k]->bytes,
	                            k == CSR5_COL ? 0 : eki_step_values(step), &from));
	status = eki_gpu_once(step, k == CSR5_COL ? "csr5_transpose_col" : "csr5_transpose_val",
	                      each(A->store.nnz), CSR5_GROUP,
	                      (eki_arg[]){eki_arg_i64(A->store.nnz), eki_arg_buffer(from),
	                                  eki_arg_buffer(A->array[k])},
	                      3);
	eki_mirror_put(dev, from);
	return status;
}

static ek_status make(eki_step *step, csr5_on_device *A)
{
	const ek_store *csr = step->in[0];
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
	EK_RETURN_IF(eki_gpu_mirror_some(step, 1u << CSR_PTR));
	A->array[CSR5_PTR] = step->gpu->array[CSR_PTR];
	EK_RETURN_IF(describe(step, A, &empty));
	EK_RETURN_IF(places(step, A, empty));
	for (int k = CSR5_COL; k <= CSR5_VAL; k++) {
		EK_RETURN_IF(buffer(step, A, k));
		EK_RETURN_IF(transpose(step, A, k));
	}
	step->bytes += eki_store_bytes(s) - eki_store_bytes(csr);
	eki_format_text(s, step->plan->format, sizeof step->plan->format);
	return EK_OK;
}

/* ---- From CSR or CSR5 ------------------------------------------------------------------------ */

ek_status csr5_device_make(eki_step *step, csr5_on_device *A)
{
	if (A->made)
		return make(step, A);
	EK_RETURN_IF(eki_gpu_mirror(step));
	A->store = *step->in[0];
	memset(A->store.array, 0, sizeof A->store.array);
	memcpy(A->array, step->gpu->array, sizeof A->array);
	return EK_OK;
}

ek_status csr5_device_refresh(eki_step *step, csr5_on_device *A)
{
	EK_RETURN_IF(eki_gpu_refresh(step));
	return A->made ? transpose(step, A, CSR5_VAL) : EK_OK;
}

#endif
