/* SPDX-License-Identifier: BSD-3-Clause
 * Products with parts of a matrix on a device, for the formats that are made of other formats: the
 * arrays of a part are those of the plan's store from `first` on, and its kernels those of the
 * method for its format. */
#ifndef EK_GPU_SPMV_PARTS_H
#define EK_GPU_SPMV_PARTS_H

#include "gpu/gpu.h"

extern const char eki_cl_ell[], eki_cl_coo[];
/* What programs with these texts have to define. */
#define EKI_GPU_COO_DEFINES "#define EK_WG 256\n#define EACH 7\n"
#define EKI_GPU_ELL_DEFINES "#define EK_WG 256\n"
enum { EKI_GPU_WG = 256, EKI_GPU_COO_EACH = 7 };

/* A part, whose product with x is put to y by one launch. */
typedef struct eki_gpu_part {
	ek_store A; /* its shape; the arrays are the whole's */
	int first, lanes;
	void *kernel;
} eki_gpu_part;
/* y = alpha A x + beta y. */
typedef ek_status eki_gpu_part_fn(const ek_plan *p, const eki_gpu_part *part, const ek_args *v,
                                  const eki_gpu_vectors *on);

/* Program and kernel for a part whose store is there: dia.c, bcsr.c, csr_vector.c. */
ek_status eki_gpu_dia_make(ek_plan *p, eki_gpu_part *part);
ek_status eki_gpu_bcsr_make(ek_plan *p, eki_gpu_part *part);
ek_status eki_gpu_csr_make(ek_plan *p, eki_gpu_part *part);
eki_gpu_part_fn eki_gpu_dia_run, eki_gpu_bcsr_run, eki_gpu_csr_run;

/* ---- ell.c ----------------------------------------------------------------------------------- */

/* y = alpha A x + beta y by kernel ell_by_columns. */
ek_status eki_gpu_ell_columns(const ek_plan *p, void *kernel, int first, const ek_args *v,
                              const eki_gpu_vectors *on);

/* ---- coo.c ----------------------------------------------------------------------------------- */

typedef struct eki_gpu_coo {
	int first;
	int64_t nnz, part, groups; /* entries; of a group; groups */
	eki_buffer *row, *sum;     /* carries, two of each group */
	void *runs, *carries;
} eki_gpu_coo;

ek_status eki_gpu_coo_prepare(ek_plan *p, int first, int64_t nnz, eki_gpu_coo *coo);
/* y += alpha A x. */
ek_status eki_gpu_coo_add(const ek_plan *p, const eki_gpu_coo *coo, const ek_args *v,
                          const eki_gpu_vectors *on);

#endif
