/* SPDX-License-Identifier: BSD-3-Clause
 * Galerkin products on a device, as two products in either order, (P^T A) P or P^T (A P). Both are
 * done there by a method of SpGEMM on devices (src/spgemm_gpu). The first product, M, is made when
 * the plan is made and stays in the memory of the device: its columns and values never cross to the
 * host. Its row pointers do, since the host reads them to allocate the arrays of a product.
 *
 * New values of A or P are copied to the device, and the first product is done again on the pattern
 * that it has; then the second one fills C. The transposed copy of P is made by the processor.
 *
 * Products are added up in the same order as by triple.csr.left and triple.csr.right, so a device
 * that rounds each operation and keeps denormal numbers gives their bits.
 *
 * Cost: the products of P^T and A, or of A and P, then those of the result, which is written and
 * read in the memory of the device, and C is copied to the host. No cost is predicted, and so the
 * methods are chosen only by name: they have not been timed on a GPU. Liu 2015, section 9.5.1. */
#include "gpu/gpu.h"
#include "triple/two_products.h"

#ifndef EK_NO_GPU

static ek_status keep(eki_step *first, ek_store *M)
{
	EK_RETURN_IF(eki_step_alloc(first, EKI_MAX_ARRAYS, sizeof *M->there, &M->there));
	memset(M->there, 0, EKI_MAX_ARRAYS * sizeof *M->there);
	/* The run that makes M replaces them by buffers of the right size. */
	for (int k = CSR_COL; k <= CSR_VAL; k++)
		EK_RETURN_IF(eki_gpu_buffer(first, 0, 1, false, NULL, &M->there[k]));
	return EK_OK;
}

static ek_status prepare(eki_step *step, bool left)
{
	static const char *const products[] = {NULL, "spgemm.csr.hash.gpu", "spgemm.csr.bins.gpu"};
	const ek_method *method = ek_method_find(products[step->param[0]]);

	step->backend = step->ctx->device->driver->backend;
	EK_RETURN_IF(eki_two_products_prepare(step, left, method, keep));
	for (int k = 1; k < EKI_COUNT(products); k++)
		if (step->child[0].method == ek_method_find(products[k]))
			step->param[0] = k;
	return EK_OK;
}

static ek_status prepare_left(eki_step *step)
{
	return prepare(step, true);
}

static ek_status prepare_right(eki_step *step)
{
	return prepare(step, false);
}

/* The rows, which differ in the order of the products. */
#define EKI_TWO_PRODUCTS(order, text_, prepare_)                                               \
	{                                                                                      \
		.name = "triple.csr." order ".gpu",                                            \
		.text = text_                                                                  \
			", two products on a device, added in the order of csr." order, \
		.source = "Liu 2015, section 9.5.1", .operation = EK_TRIPLE,                   \
		.format = {&ek_format_csr, &ek_format_csr},                                    \
		.param = {{"spgemm", 1, 2,                                                     \
		           "method of both products: 1 csr.hash.gpu, 2 "                       \
		           "csr.bins.gpu; by default it is chosen"}},                          \
		.backend = EKI_GPU, .traits = EKI_OP_N | EKI_OP_T, .prepare = prepare_,        \
		.refresh = eki_two_products_refresh, .run = eki_two_products_run,              \
	}

const ek_method ek_triple_gpu_csr_left = EKI_TWO_PRODUCTS("left", "(P^T A) P", prepare_left);
const ek_method ek_triple_gpu_csr_right = EKI_TWO_PRODUCTS("right", "P^T (A P)", prepare_right);

#endif
