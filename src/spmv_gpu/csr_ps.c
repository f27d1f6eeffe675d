/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device in two launches, products and sums (P&S). The first launch writes the
 * product of each entry to memory; its work is balanced whatever the lengths of rows are. The
 * second launch has a work-item for each row, which adds up the products of the row. A group copies
 * the products of its rows to local memory by contiguous reads, as many at a time as fit.
 *
 * The published method, ps_published, first expands x on the host to one element for each entry,
 * which has to be done for each new x; that and the copy of the expanded x to the device are part
 * of a run. The first launch of ps gathers x instead. Local memory has room for 2048 products, as
 * many floats as the published experiments had for a group. ps_published reads the products beyond
 * them from global memory; ps fills local memory again.
 *
 * ps reads the arrays of CSR once, and writes and reads a product for each entry. ps_published does
 * not read the columns on the device, but writes, copies and reads an element of x for each entry.
 * A long row keeps its group waiting for one work-item.
 *
 * The method is that of Deng, Wang and Mu 2009, as described by He et al. 2014, section II-B. */
#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU
#define EK_TYPES_ONLY
#define EK_FILE "spmv_gpu/csr_ps.c"
#include "base/for_each.h"

#if EK_PER_TYPE

/* Writes, for each entry in [begin, end), the entry of x in its column. */
static void FN(expand)(const ek_store *A, const void *x, void *out, int64_t begin, int64_t end)
{
	const IDX *col_idx = A->array[CSR_COL];
	const VAL *from = x;
	VAL *to = out;

	for (int64_t k = begin; k < end; k++)
		to[k] = from[col_idx[k]];
}

#endif
#if EK_ONCE

EKI_KERNEL_TEXT(eki_cl_csr_ps, "spmv_gpu/csr_ps.cl");

/* EACH is the number of entries of a work-item; CAPACITY is the number of products in local
 * memory. */
enum { WG = 256, EACH = 4, CAPACITY = 2048 };

typedef struct state {
	eki_buffer *product;
	eki_buffer *x; /* expanded x, used by host and device; NULL if it is gathered */
	void *x_copy;  /* the processor's copy of an x that is on the device */
	void *products, *sums;
} state;

/* ---- Preparation ----------------------------------------------------------------------------- */

/* Prepares both methods, with the kernels `products` and `sums` and copies of `arrays`. */
static ek_status make(eki_step *step, unsigned arrays, const char *products, const char *sums)
{
	char defines[96];
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	memset(s, 0, sizeof *s);
	step->state = s;
	snprintf(defines, sizeof defines,
	         "#define EK_WG %d\n#define EACH %d\n#define CAPACITY %d\n", WG, EACH, CAPACITY);
	EK_RETURN_IF(eki_gpu_prepare(step, "csr_ps", defines, eki_cl_csr_ps));
	EK_RETURN_IF(eki_gpu_mirror_some(step, arrays));
	EK_RETURN_IF(eki_gpu_buffer(step, step->in[0]->nnz, ek_value_size(step->in[0]->value),
	                            false, NULL, &s->product));
	step->bytes += 2 * step->in[0]->nnz * (int64_t)ek_value_size(step->in[0]->value);
	EK_RETURN_IF(eki_gpu_kernel(step, products, &s->products));
	return eki_gpu_kernel(step, sums, &s->sums);
}

static ek_status prepare(eki_step *step)
{
	return make(step, 1u << CSR_PTR | 1u << CSR_COL | 1u << CSR_VAL, "ps_products", "ps_sums");
}

static ek_status prepare_published(eki_step *step)
{
	const size_t size = ek_value_size(step->in[0]->value);
	state *s;

	EK_RETURN_IF(make(step, 1u << CSR_PTR | 1u << CSR_VAL, "ps_multiply", "ps_sums_published"));
	s = step->state;
	EK_RETURN_IF(eki_step_alloc(step, step->x_len, size, &s->x_copy));
	step->bytes += 2 * step->in[0]->nnz * (int64_t)size;
	return eki_gpu_buffer(step, step->in[0]->nnz, size, true, NULL, &s->x);
}

/* ---- A run ----------------------------------------------------------------------------------- */

static ek_status launch_sums(const eki_step *step, const eki_run *v, const eki_gpu_vectors *on)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	const eki_arg args[] = {
		eki_arg_i64(A->rows),           eki_arg_buffer(step->gpu->array[CSR_PTR]),
		eki_arg_buffer(s->product),     eki_arg_val(A->value, v->alpha),
		eki_arg_val(A->value, v->beta), eki_arg_buffer(&on->y)};

	return eki_gpu_launch(step, s->sums, eki_groups(A->rows, WG), WG, args, EKI_COUNT(args));
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
	const eki_arg products[] = {eki_arg_i64(A->nnz), eki_arg_buffer(step->gpu->array[CSR_COL]),
	                            eki_arg_buffer(step->gpu->array[CSR_VAL]),
	                            eki_arg_buffer(&on.x), eki_arg_buffer(s->product)};

	EK_RETURN_IF(eki_gpu_launch(step, s->products, eki_groups(A->nnz, WG * EACH), WG, products,
	                            EKI_COUNT(products)));
	EK_RETURN_IF(launch_sums(step, v, &on));
	return eki_gpu_leave(step, v, &on);
}

typedef void expand_fn(const ek_store *, const void *, void *, int64_t, int64_t);
static expand_fn *const expand[EK_NTYPE] = EK_BY_TYPE(expand);

struct expand_job {
	const eki_step *step;
	const void *x;
	void *out;
};

static void expand_part(void *arg, int part)
{
	const struct expand_job *job = arg;
	const ek_store *A = job->step->in[0];
	const int parts = job->step->parts;

	expand[eki_type(A->value, A->index)](A, job->x, job->out, eki_cut(A->nnz, parts, part),
	                                     eki_cut(A->nnz, parts, part + 1));
}

/* Expands x on the processor, and hands the result to the device. */
static ek_status bring_x(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const int64_t size = (int64_t)ek_value_size(step->in[0]->value);
	eki_device *dev = step->gpu->device;
	struct expand_job job = {step, v->x.data, NULL};

	if (v->x.where == EK_ON_DEVICE) {
		const eki_buffer x = eki_device_memory(dev, v->x.data, step->x_len * size);

		EK_RETURN_IF(eki_buffer_read(dev, &x, s->x_copy, x.bytes));
		job.x = s->x_copy;
	}
	if (s->x->memory != EKI_MEMORY_COPY) /* with EKI_MEMORY_COPY, the host's copy is writable */
		EK_RETURN_IF(eki_buffer_host(dev, s->x));
	job.out = s->x->host;
	eki_parallel(step->ctx, step->threads, step->parts, expand_part, &job);
	return eki_buffer_device(dev, s->x);
}

static ek_status run_published(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const ek_store *A = step->in[0];
	eki_run own = *v;
	eki_gpu_vectors on;

	EK_RETURN_IF(bring_x(step, v));
	own.x.where = EK_ON_DEVICE; /* no kernel reads x itself, so it need not be copied */
	EK_RETURN_IF(eki_gpu_enter(step, &own, &on));
	const eki_arg products[] = {eki_arg_i64(A->nnz), eki_arg_buffer(step->gpu->array[CSR_VAL]),
	                            eki_arg_buffer(s->x), eki_arg_buffer(s->product)};

	EK_RETURN_IF(eki_gpu_launch(step, s->products, eki_groups(A->nnz, WG * EACH), WG, products,
	                            EKI_COUNT(products)));
	EK_RETURN_IF(launch_sums(step, v, &on));
	return eki_gpu_leave(step, v, &on);
}

/* ---- The rows -------------------------------------------------------------------------------- */

/* Estimates the time of a run: the time to move the bytes, plus the time of one work-item for the
 * longest row. */
static double cost(const eki_features *f)
{
	const double product = (double)f->stats.nnz * (double)ek_value_size(f->value);

	return eki_gpu_cost(f, f->csr_bytes + 2 * product, 2) +
	       f->machine->lane_sum * (double)f->stats.row_max;
}

const ek_method ek_spmv_gpu_csr_ps = {
	.name = "spmv.csr.ps.gpu",
	.text = "products to memory, then a work-item for the sum of each row, on a device",
	.source = "Deng, Wang and Mu 2009, as in He et al. 2014, section II-B",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

const ek_method ek_spmv_gpu_csr_ps_published = {
	.name = "spmv.csr.ps_published.gpu",
	.text = "the same, but the processor expands x in each run, as published",
	.source = "Deng, Wang and Mu 2009, as in He et al. 2014, section II-B",
	.operation = EK_SPMV,
	.format = {&ek_format_csr},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_ON_BOTH,
	.prepare = prepare_published,
	.refresh = eki_gpu_refresh,
	.run = run_published,
};

#endif
#endif
