/* SPDX-License-Identifier: BSD-3-Clause
 * SpAdd on CSR on a device, by the ranks of entries. Each entry of A looks in its row of B for the
 * first column that is not smaller, and so learns whether B has an entry there. With a prefix sum
 * of these answers every entry knows its place in C: its number in its own matrix, plus the number
 * of entries of the other one that come before it, minus the common ones before it. So entries, not
 * rows, are shared out between work-items, and the length of a row is of no importance.
 *
 * The kernels that write C search once more: this costs no memory. Each value is computed as on the
 * processor, so the bits are the same. Cost: three searches for an entry of A, one for an entry of
 * B, and one read and one write of all matrices. Ranks instead of a merge: Liu 2015, section
 * 4.5.4 (ranking merge). */
#include "prim_gpu/arrays.h"
#include "spgemm_gpu/product.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_spadd_merge, "spadd_gpu/csr_merge.cl");

enum { WG = 256, EACH = 4 };

static ek_status use_program(eki_job *job, const eki_step *step)
{
	char defines[EKI_GPU_WORDS];

	eki_program_types(step->in[0]->value, step->in[0]->index, defines, sizeof defines);
	eki_gpu_word(defines, "EK_WG", WG);
	eki_gpu_word(defines, "EACH", EACH);
	return eki_job_program(job, "spadd_merge", defines, eki_cl_spadd_merge);
}

/* Makes the mirrors, and compiles the program, so that no run waits for that. */
static ek_status prepare(eki_step *step)
{
	const ek_store *A = step->in[0], *B = step->in[1];
	const int64_t most = A->nnz + B->nnz, value = (int64_t)ek_value_size(A->value);
	const int64_t idx = (int64_t)eki_idx_size(A->index);
	const int64_t common = (int64_t)eki_ptr_size(A->index) * (A->nnz + A->nnz / 1024 + 64);
	const int64_t longest = eki_times(most, value > idx ? value : idx);
	eki_job job;
	ek_status status;

	EK_RETURN_IF(eki_gpu_product_prepare(step));
	step->plan->run_bytes = 16 * (A->rows + 1) + common + eki_times(most, eki_entry_bytes(A));
	step->plan->room = step->plan->run_bytes;
	step->plan->room_array = common > longest ? common : longest;
	eki_job_begin_for(step, &job);
	status = use_program(&job, step);
	eki_job_end(&job);
	return status;
}

/* Finds the common entries, and sums them up in `common`. */
static ek_status find_common(eki_gpu_product *p, const eki_buffer *common)
{
	const eki_step *step = p->step;
	const eki_buffer *const *a = step->gpu->operand[0], *const *b = step->gpu->operand[1];
	const int64_t rows = step->in[0]->rows, n = step->in[0]->nnz;
	const eki_arg args[] = {eki_arg_i64(rows),          eki_arg_i64(n),
	                        eki_arg_buffer(a[CSR_PTR]), eki_arg_buffer(a[CSR_COL]),
	                        eki_arg_buffer(b[CSR_PTR]), eki_arg_buffer(b[CSR_COL]),
	                        eki_arg_buffer(common)};

	if (n == 0)
		return p->job.device->driver->clear(p->job.device, common);
	EK_RETURN_IF(eki_job_launch(&p->job, "find_common", eki_groups(n, WG * EACH), WG, args,
	                            EKI_COUNT(args)));
	EK_RETURN_IF(eki_gpu_scan(&p->job, eki_ptr_type(step->in[0]->index), EK_SUM, EK_EXCLUSIVE,
	                          n + 1, common, common));
	return use_program(&p->job, step);
}

/* Makes the arrays of C, whose row pointers follow from the common entries. */
static ek_status make_c(eki_gpu_product *p, const eki_buffer *common)
{
	const eki_step *step = p->step;
	const int64_t rows = step->in[0]->rows;
	eki_buffer *at;

	EK_RETURN_IF(eki_job_buffer(&p->job, rows + 1, sizeof(int64_t), &at));
	const eki_arg args[] = {eki_arg_i64(rows), eki_arg_buffer(step->gpu->operand[0][CSR_PTR]),
	                        eki_arg_buffer(step->gpu->operand[1][CSR_PTR]),
	                        eki_arg_buffer(common), eki_arg_buffer(at)};

	EK_RETURN_IF(eki_job_launch(&p->job, "row_begins", eki_groups(rows + 1, WG), WG, args,
	                            EKI_COUNT(args)));
	return eki_gpu_product_rows(p, at);
}

/* Writes the entries of C. */
static ek_status put(eki_gpu_product *p, const eki_buffer *common)
{
	const eki_step *step = p->step;
	const eki_buffer *const *a = step->gpu->operand[0], *const *b = step->gpu->operand[1];
	const ek_store *A = step->in[0], *B = step->in[1];
	const eki_arg alpha = eki_arg_val(A->value, p->run->alpha),
		      beta = eki_arg_val(A->value, p->run->beta);
	const eki_arg col = eki_arg_buffer(p->keep_col ? common : &p->col);
	const eki_arg put_a[] = {eki_arg_i64(A->rows),
	                         eki_arg_i64(A->nnz),
	                         eki_arg_buffer(a[CSR_PTR]),
	                         eki_arg_buffer(a[CSR_COL]),
	                         eki_arg_buffer(a[CSR_VAL]),
	                         eki_arg_buffer(b[CSR_PTR]),
	                         eki_arg_buffer(b[CSR_COL]),
	                         eki_arg_buffer(b[CSR_VAL]),
	                         alpha,
	                         beta,
	                         eki_arg_buffer(common),
	                         col,
	                         eki_arg_buffer(&p->val),
	                         eki_arg_i32(!p->keep_col)};
	const eki_arg put_b[] = {eki_arg_i64(A->rows),       eki_arg_i64(B->nnz),
	                         eki_arg_buffer(a[CSR_PTR]), eki_arg_buffer(a[CSR_COL]),
	                         eki_arg_buffer(b[CSR_PTR]), eki_arg_buffer(b[CSR_COL]),
	                         eki_arg_buffer(b[CSR_VAL]), beta,
	                         eki_arg_buffer(common),     col,
	                         eki_arg_buffer(&p->val),    eki_arg_i32(!p->keep_col)};

	EK_RETURN_IF(eki_job_launch(&p->job, "put_a", eki_groups(A->nnz, WG * EACH), WG, put_a,
	                            EKI_COUNT(put_a)));
	return eki_job_launch(&p->job, "put_b", eki_groups(B->nnz, WG * EACH), WG, put_b,
	                      EKI_COUNT(put_b));
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_store *A = step->in[0];
	eki_buffer *common;
	eki_gpu_product p;
	ek_status status;

	eki_gpu_product_begin(step, v, &p);
	EK_TRY(use_program(&p.job, step));
	EK_TRY(eki_job_buffer(&p.job, A->nnz + 1, eki_ptr_size(A->index), &common));
	EK_TRY(find_common(&p, common));
	if (!p.keep_col)
		EK_TRY(make_c(&p, common));
	EK_TRY(eki_gpu_product_place(&p, !p.keep_col));
	status = put(&p, common);
done:
	return eki_gpu_product_end(&p, status);
}

/* Predicts the time of four passes over A and of three over B and C, which are taken to be as
 * large. */
static double cost(const eki_features *f)
{
	return eki_gpu_cost(f, 10 * f->csr_bytes, 8);
}

const ek_method ek_spadd_gpu_csr_merge = {
	.name = "spadd.csr.merge.gpu",
	.text = "every entry finds its rank in the other matrix, on a device",
	.source = "Liu 2015, section 4.5.4; own",
	.operation = EK_SPADD,
	.format = {&ek_format_csr, &ek_format_csr},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh_operands,
	.run = run,
};

#endif
