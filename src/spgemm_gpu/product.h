/* SPDX-License-Identifier: BSD-3-Clause
 * What the methods of SpGEMM on devices share (product.c): the operands and C on the device, the
 * bounds of the rows of C, and the way from the lengths of the rows to the arrays of C. */
#ifndef EK_SPGEMM_GPU_PRODUCT_H
#define EK_SPGEMM_GPU_PRODUCT_H

#include "gpu/job.h"
#include "spgemm/output.h"

/* One run of a product. */
typedef struct eki_gpu_product {
	const eki_step *step;
	const eki_run *run;
	eki_job job;
	eki_buffer *at; /* rows + 1 numbers of 64 bits: where each row of C begins */
	/* The columns and values of C on the device. Unless they are those of C themselves, which
	 * makes them foreign, they are copied at the end of the run. */
	eki_buffer col, val;
	bool keep_col; /* whether the columns of C are known, so only values are written */
} eki_gpu_product;

/* Does the first part of a preparation: mirrors of all operands. */
ek_status eki_gpu_product_prepare(eki_step *step);
/* Writes the #define lines that kernels of products need: those of eki_program_types, and HAS_D,
 * which is 1 if there is a matrix D. */
void eki_gpu_product_types(const eki_step *step, char *defines, size_t size);
/* Stores the arguments for the parameters EK_PRODUCT_PARAMETERS of a kernel (operands.cl). Returns
 * their number. */
enum { EKI_PRODUCT_ARGS = 12 };
int eki_gpu_product_args(const eki_step *step, const eki_run *run, eki_arg args[EKI_PRODUCT_ARGS]);

/* Sets bound[i], for each row i of C, to the number of its products: the sum of the lengths of the
 * rows of B and D that it is made of. `bound` has rows + 1 numbers of 64 bits, of which the last
 * becomes 0. Liu 2015, Algorithm 34. */
ek_status eki_gpu_product_bounds(eki_job *job, const eki_step *step, const eki_buffer *bound);

void eki_gpu_product_begin(const eki_step *step, const eki_run *run, eki_gpu_product *p);
/* Makes the arrays of C, which has no arrays yet. `length` has the number of entries of each row as
 * eki_gpu_product_bounds has bounds; it is summed up in place and becomes p->at. Waits for the
 * device. */
ek_status eki_gpu_product_arrays(eki_gpu_product *p, eki_buffer *length);
/* Takes the arrays of a C that an earlier run of the plan made: p->at and p->col are copied to the
 * device. */
ek_status eki_gpu_product_known(eki_gpu_product *p);
/* Parts of these two functions, for methods that divide C into batches of rows. The first makes the
 * arrays of C from row pointers on the device, the second copies those of an existing C to the
 * device; both set p->at to `at`. */
ek_status eki_gpu_product_rows(eki_gpu_product *p, eki_buffer *at);
ek_status eki_gpu_product_pointers(eki_gpu_product *p, eki_buffer *at);
/* Tells whether kernels can write to the columns or values of C themselves, which are in memory
 * that the device shares or in that of the device alone, and sets *array to them. */
bool eki_gpu_product_itself(const eki_gpu_product *p, int which, eki_buffer *array);
/* Sets p->val to memory of the device for the values of C and, if `columns`, p->col. */
ek_status eki_gpu_product_place(eki_gpu_product *p, bool columns);
/* Takes back what a run that makes a new C has done so far: its arrays, and temporary memory. */
void eki_gpu_product_again(eki_gpu_product *p);
/* Ends a run. `status` is its result so far: if it is EK_OK, C is copied to the host and the device
 * waited for; else the arrays of a new C are freed. Gives temporary memory back. */
ek_status eki_gpu_product_end(eki_gpu_product *p, ek_status status);

#endif
