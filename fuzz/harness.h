/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that the fuzz targets share. A target is the function LLVMFuzzerTestOneInput: it must
 * return for any input, unless the library accepts what it should not; then it aborts. Memory is
 * capped: if a small input makes the library ask for too much, the allocation is refused, instead
 * of the process being killed. */
#ifndef EK_FUZZ_HARNESS_H
#define EK_FUZZ_HARNESS_H

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evenkeel/ek.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_CAP = 256 << 20, FUZZ_SMALL = 1 << 20 };

struct fuzz_memory {
	_Atomic size_t used, peak;
};

static inline void *fuzz_alloc(void *user, size_t alignment, size_t bytes)
{
	struct fuzz_memory *m = user;

	if (bytes > FUZZ_CAP || atomic_fetch_add(&m->used, bytes) + bytes > FUZZ_CAP) {
		if (bytes <= FUZZ_CAP)
			atomic_fetch_sub(&m->used, bytes);
		return NULL;
	}
	for (size_t now = atomic_load(&m->used), peak = atomic_load(&m->peak);
	     peak < now && !atomic_compare_exchange_weak(&m->peak, &peak, now);)
		;
	return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static inline void fuzz_dealloc(void *user, void *block, size_t bytes)
{
	atomic_fetch_sub(&((struct fuzz_memory *)user)->used, bytes);
	free(block);
}

static inline void fuzz_require(int condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "%s (last message: %s)\n", what, ek_error_text());
		abort();
	}
}

static inline ek_context *fuzz_context(struct fuzz_memory *m, int threads)
{
	ek_options o = {.size = sizeof o,
	                .alloc = fuzz_alloc,
	                .dealloc = fuzz_dealloc,
	                .user = m,
	                .threads = threads};
	ek_context *ctx = NULL;

	atomic_store(&m->used, 0);
	atomic_store(&m->peak, 0);
	fuzz_require(ek_context_create(&o, &ctx) == EK_OK, "no context");
	return ctx;
}

static inline void fuzz_close(struct fuzz_memory *m, ek_context *ctx)
{
	ek_context_destroy(ctx);
	fuzz_require(atomic_load(&m->used) == 0, "memory leaks");
}

/* Computes one product of op(A) with a vector of zeros. */
static inline void fuzz_product(const ek_matrix *A, const ek_matrix_info *info, ek_op op)
{
	const int64_t in = op == EK_OP_T ? info->rows : info->cols;
	const int64_t out = op == EK_OP_T ? info->cols : info->rows;
	ek_hints hints = {.size = sizeof hints, .op = op};
	double *x = calloc((size_t)in + 1, sizeof *x), *y = calloc((size_t)out + 1, sizeof *y);
	ek_dense vx = ek_vector(info->value, in, x), vy = ek_vector(info->value, out, y);
	ek_plan *plan = NULL;
	ek_status status = ek_plan_create(EK_SPMV, A, &hints, &plan);

	fuzz_require(status == EK_OK || status == EK_ENOMEM, "no plan");
	if (status == EK_OK)
		fuzz_require(ek_spmv(plan, 1, &vx, 0, &vy) == EK_OK, "no product");
	ek_plan_destroy(plan);
	free(x);
	free(y);
}

/* Checks a matrix that the library accepted, in any format: it must pass its own check, allow
 * products with op N and op T, and convert to CSR. */
static inline void fuzz_accepted(const ek_matrix *A)
{
	ek_matrix_info info = {.size = sizeof info};
	ek_matrix *csr = NULL;
	ek_status status;

	fuzz_require(ek_matrix_check(A) == EK_OK, "an accepted matrix fails its check");
	fuzz_require(ek_matrix_get_info(A, &info) == EK_OK, "no information");
	if (info.rows > FUZZ_SMALL || info.cols > FUZZ_SMALL)
		return;
	fuzz_product(A, &info, EK_OP_N);
	fuzz_product(A, &info, EK_OP_T);
	status = ek_matrix_convert(A, "csr", NULL, &csr);
	fuzz_require(status == EK_OK || status == EK_ENOMEM || status == EK_ELIMIT,
	             "no way back to CSR");
	if (status == EK_OK)
		fuzz_require(ek_matrix_check(csr) == EK_OK, "its CSR fails its check");
	ek_matrix_destroy(csr);
}

/* Converts a matrix, which the library accepted, to every format and back to CSR. The number of
 * entries must stay the same. */
static inline void fuzz_formats(const ek_matrix *A)
{
	ek_matrix_info info = {.size = sizeof info}, back = {.size = sizeof back};

	fuzz_require(ek_matrix_get_info(A, &info) == EK_OK, "no information");
	/* Larger matrices would be slow to convert, and would find nothing new. */
	if (info.rows > FUZZ_SMALL / 4 || info.cols > FUZZ_SMALL / 4)
		return;
	for (const ek_format *f = NULL; (f = ek_format_next(f));) {
		ek_matrix *B = NULL, *C = NULL;
		ek_status status = ek_matrix_convert(A, ek_format_name(f), NULL, &B);

		fuzz_require(status == EK_OK || status == EK_ENOMEM || status == EK_ELIMIT ||
		                     status == EK_EUNSUPPORTED || status == EK_EOVERFLOW,
		             ek_format_name(f));
		if (status != EK_OK)
			continue;
		fuzz_require(ek_matrix_check(B) == EK_OK, ek_format_name(f));
		status = ek_matrix_convert(B, "csr", NULL, &C);
		fuzz_require(status == EK_OK || status == EK_ENOMEM || status == EK_ELIMIT,
		             "no way back to CSR");
		if (status == EK_OK) {
			fuzz_require(ek_matrix_check(C) == EK_OK, "its CSR fails its check");
			ek_matrix_get_info(C, &back);
			fuzz_require(back.nnz == info.nnz, "entries are lost");
		}
		ek_matrix_destroy(B);
		ek_matrix_destroy(C);
	}
}

/* Checks that reading a file of `size` bytes took memory in proportion to its size. So a large
 * number in a small file cannot fill the memory. */
static inline void fuzz_proportion(struct fuzz_memory *m, size_t size)
{
	fuzz_require(atomic_load(&m->peak) <= ((size_t)64 << 20) + 1024 * size,
	             "reading takes too much memory");
}

/* Reads `size` bytes as a file. The bits of `choice`, the first byte of most inputs, choose types,
 * threads and options. Calls `use` with the matrix if the library accepts the file. */
static inline void fuzz_read(unsigned choice, const uint8_t *data, size_t size,
                             void (*use)(const ek_matrix *))
{
	struct fuzz_memory memory;
	ek_context *ctx = fuzz_context(&memory, choice & 1 ? 3 : 1);
	ek_read_options o = {.size = sizeof o,
	                     .allow_nan = choice >> 1 & 1,
	                     .mirror = choice >> 2 & 1,
	                     .duplicates = (choice >> 3 & 3) << 8,
	                     .max_bytes = 1 << 24};
	ek_matrix *A = NULL;
	ek_status status =
		ek_matrix_read_memory(ctx, "fuzz", data, size, choice >> 5 & 1 ? EK_F32 : EK_F64,
	                              (ek_index)(1 + (choice >> 6) % 3), &o, &A);

	fuzz_require((status == EK_OK) == (A != NULL), "the output does not fit the status");
	fuzz_proportion(&memory, size);
	if (A)
		use(A);
	else
		fuzz_require(ek_error_text()[0] != '\0', "a failure without a message");
	ek_matrix_destroy(A);
	fuzz_close(&memory, ctx);
}

#endif
