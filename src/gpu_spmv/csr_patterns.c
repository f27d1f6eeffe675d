/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device with fewer bytes: rows of the same shape share one list of 16-bit column
 * offsets (spmv/patterns.h), and runs of rows share all the rest.
 *
 * A run is some rows below each other that have one list, each as many columns behind the one
 * before (1 along a grid line, 0 among the unknowns of a node). It takes 16 bytes; which rows begin
 * one is a bit each. So neither columns nor row pointers are read: the place of a row's entries
 * follows from its number in the run, and the lists, which come back again and again, stay in the
 * caches. A stencil moves 8 bytes an entry of f64 in place of 12, 4 of f32 in place of 8.
 *
 * As in row classes (csr_classes.c), rows are cut into stretches, a group each, in one launch. The
 * values of a stretch are read in the order in which they lie, u for each work-item and all before
 * the first is waited for, and go to local memory as they are. From there on a row belongs to one
 * work-item, or to 2, 4, ... side by side: they take offset, x and value of up to 8 entries at
 * once. So the row of an entry need not be found, and neighbours in a run read neighbours in x,
 * where products in the order of the entries would gather them. A stretch has as many rows as there
 * are work-items, so that each has one, or a power of two of them, if that leaves fewer idle.
 *
 * Stretches whose description would take more than row pointers and columns in 16 bits, with rows
 * that span 2^16 columns or more, or much longer ones than the rest, are done as row classes do
 * them; columns and row pointers are on the device only if there are any.
 *
 * Preparation looks for shapes with all threads, about four products of the processor, and needs up
 * to 30 bytes a row and 6 an entry for a while. The bits depend on the number of parts that it
 * takes, which is the context's.
 *
 * The idea of repeating patterns: Belgin, Back, Ribbens 2009; of narrow offsets: Kourtis, Goumas,
 * Koziris 2008; of stretches: csr_classes.c. */
#include <stdio.h>
#include <string.h>

#include "gpu_spmv/csr_classes.h"
#include "gpu_spmv/csr_runs.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_patterns, "gpu_spmv/csr_patterns.cl");

enum { LOCAL = 5 }; /* numbers in local memory, for each work-item */

typedef struct state {
	eki_classes classes;
	eki_buffer *shape, *offset;
} state;

/* Beside values, descriptions and lists, columns and row pointers if some stretches want them. */
static ek_status upload(ek_plan *p, const csr_runs *r, state *s)
{
	const ek_store *A = p->store;
	const eki_class_cut c = {r->count, r->first, r->what, r->where};
	int64_t column = (int64_t)eki_idx_size(A->index);

	EK_RETURN_IF(eki_gpu_mirror_some(p, 1u << CSR_VAL));
	EK_RETURN_IF(eki_gpu_buffer(p, r->used > 0 ? r->used : 1, sizeof *r->shape, false, r->shape,
	                            &s->shape));
	EK_RETURN_IF(
		eki_gpu_buffer(p, r->offsets, sizeof *r->offset, false, r->offset, &s->offset));
	EK_RETURN_IF(eki_classes_list(p, &s->classes, &c));
	if (s->classes.narrow.code)
		column = sizeof(uint16_t);
	p->bytes += s->shape->bytes + s->offset->bytes - r->entries * column -
	            r->rows * (int64_t)eki_ptr_size(A->index);
	return EK_OK;
}

static ek_status make(ek_plan *p, state *s)
{
	csr_runs r = {0};
	ek_status status;

	EK_TRY(csr_runs_make(p, s->classes.w, s->classes.tile, &r));
	EK_TRY(upload(p, &r, s));
done:
	csr_runs_free(p->ctx, &r);
	return status;
}

static ek_status program(ek_plan *p, eki_classes *s)
{
	char more[60];
	ek_status status;
	int64_t bytes;
	char *text;

	snprintf(more, sizeof more, "#define PATTERNS\n#define FLIGHT %d\n", CSR_FLIGHT);
	EK_RETURN_IF(
		eki_program_join(p->ctx, eki_cl_csr_classes, eki_cl_csr_patterns, &text, &bytes));
	status = eki_classes_program(p, s, "csr_patterns", more, text);
	eki_free(p->ctx, text, bytes, 1);
	return status;
}

static ek_status prepare(ek_plan *p)
{
	const int64_t value = (int64_t)ek_value_size(p->store->value);
	state *s;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *s, &s));
	memset(s, 0, sizeof *s);
	p->state = s;
	EK_RETURN_IF(eki_classes_choose(p, &s->classes));
	/* PoCL 3.1 makes a program of the two that gives wrong sums. */
	if (p->param[EKI_CLASSES_COLUMNS] == 16 && eki_device_is_processor(p->ctx->device))
		return eki_fail(EK_EUNSUPPORTED,
		                "method %s: columns is 16; on a processor 32 is expected",
		                p->method->name);
	EK_RETURN_IF(eki_gpu_local(p, (s->classes.tile + s->classes.w) * value +
	                                      4 * (LOCAL * s->classes.w + 1)));
	EK_RETURN_IF(eki_gpu_prepare(p, NULL, NULL, NULL));
	EK_RETURN_IF(make(p, s));
	return program(p, &s->classes);
}

static ek_status run(const ek_plan *p, const ek_args *v)
{
	const state *s = p->state;
	const eki_classes *c = &s->classes;
	const ek_value value = p->store->value;
	const eki_buffer *const *array = p->gpu->array;
	const eki_buffer *none = s->shape; /* for what is not read */
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(p, v, &on));
	const eki_arg args[] = {eki_arg_buffer(c->item),
	                        eki_arg_buffer(c->row),
	                        eki_arg_buffer(s->shape),
	                        eki_arg_buffer(s->offset),
	                        eki_arg_buffer(array[CSR_PTR] ? array[CSR_PTR] : none),
	                        eki_arg_buffer(c->narrow.code   ? c->narrow.code
	                                       : array[CSR_COL] ? array[CSR_COL]
	                                                        : none),
	                        eki_arg_buffer(c->narrow.code ? c->narrow.far : none),
	                        eki_arg_buffer(c->narrow.code ? c->narrow.window : none),
	                        eki_arg_buffer(array[CSR_VAL]),
	                        eki_arg_val(value, v->alpha),
	                        eki_arg_buffer(&on.x),
	                        eki_arg_val(value, v->beta),
	                        eki_arg_buffer(&on.y),
	                        eki_arg_buffer(c->partial),
	                        eki_arg_buffer(c->arrived)};

	EK_RETURN_IF(eki_gpu_launch(p, c->kernel, c->items, c->w, args, EKI_COUNT(args)));
	return eki_gpu_leave(p, v, &on);
}

/* For op N and op T. */
static bool applies(const ek_store *A, ek_op op)
{
	const int64_t longer = A->rows > A->cols ? A->rows : A->cols;

	(void)op;
	return longer < INT32_MAX - A->nnz;
}

/* Behind row classes: 0.96 of their speed on an H100 in the mean, f32. */
static double cost(const eki_features *f)
{
	return 1.05 * eki_gpu_cost(f, f->csr_bytes, 1);
}

const ek_method ek_spmv_gpu_csr_patterns = {
	.name = "spmv.csr.patterns.gpu",
	.text = "rows of the same shape share one list of 16-bit column offsets, runs of rows the "
		"rest, on a device",
	.source = "evenkeel; after Belgin, Back and Ribbens 2009 and Kourtis et al. 2008",
	.operation = EK_SPMV,
	.format = &ek_format_csr,
	.param = EKI_CLASSES_PARAMETERS,
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T,
	.applies = applies,
	.cost = cost,
	.prepare = prepare,
	.refresh = eki_gpu_refresh,
	.run = run,
};

#endif
