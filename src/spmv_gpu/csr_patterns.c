/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR on a device, reading fewer bytes: rows of the same shape share one list of 16-bit
 * column offsets (spmv/patterns.h), and the rows of a run share everything else except values.
 *
 * A run is several consecutive rows with the same list. From each of these rows to the next, the
 * columns shift by the same number (1 along a grid line, 0 among the unknowns of a node). A run is
 * described by 16 bytes, and one bit for each row tells whether a run begins there. So neither
 * column indices nor row pointers are read: the position of a row's entries follows from the row's
 * number in the run. The lists are used again and again, so they stay in the caches. For a stencil,
 * 8 bytes per entry are moved in f64 instead of 12, and 4 in f32 instead of 8.
 *
 * As in row classes (csr_classes.c), rows are cut into segments, with one group for each, in one
 * launch. Work-items read the values of a segment in storage order, u each, and issue all of these
 * loads before they wait for the first; the values go to local memory unchanged. Then each row
 * belongs to one work-item, or to 2, 4, ... neighbouring ones, each of which loads the offsets, the
 * values and the entries of x for up to 8 entries at once. So the row of an entry need not be
 * found. Also, neighbouring work-items in a run read neighbouring entries of x, while products in
 * storage order would gather them. A segment has one row for each work-item, or fewer rows, a power
 * of two, if that leaves fewer work-items idle.
 *
 * A segment is multiplied as in row classes if its description would take more bytes than row
 * pointers and 16-bit columns, if one of its rows spans 2^16 columns or more, or if one of its rows
 * is too long for its work-items. Column indices and row pointers are on the device only if there
 * are such segments.
 *
 * Preparation looks for shapes with all threads, which takes as long as about four products on the
 * processor, and temporarily needs up to 30 bytes per row and 6 per entry. This work is split into
 * parts, whose number the context determines; the bits of the result depend on that number.
 *
 * Repeating patterns after Belgin, Back, Ribbens 2009; narrow offsets after Kourtis, Goumas,
 * Koziris 2008; segments as in csr_classes.c. */
#include <stdio.h>
#include <string.h>

#include "spmv_gpu/csr_classes.h"
#include "spmv_gpu/csr_runs.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_csr_patterns, "spmv_gpu/csr_patterns.cl");

enum { LOCAL = 5 }; /* ints in local memory for each work-item */

typedef struct state {
	eki_classes classes;
	eki_buffer *shape, *offset;
} state;

/* Copies values, descriptions and lists to the device. Also copies column indices and row pointers
 * if some segments need them. */
static ek_status upload(eki_step *step, const csr_runs *r, state *s)
{
	const ek_store *A = step->in[0];
	const eki_class_cut c = {r->count, r->first, r->what, r->where};
	int64_t column = (int64_t)eki_idx_size(A->index);

	EK_RETURN_IF(eki_gpu_mirror_some(step, 1u << CSR_VAL));
	EK_RETURN_IF(eki_gpu_buffer(step, r->used > 0 ? r->used : 1, sizeof *r->shape, false,
	                            r->shape, &s->shape));
	EK_RETURN_IF(
		eki_gpu_buffer(step, r->offsets, sizeof *r->offset, false, r->offset, &s->offset));
	EK_RETURN_IF(eki_classes_list(step, &s->classes, &c));
	if (s->classes.narrow.code)
		column = sizeof(uint16_t);
	step->bytes += s->shape->bytes + s->offset->bytes - r->entries * column -
	               r->rows * (int64_t)eki_ptr_size(A->index);
	return EK_OK;
}

static ek_status make(eki_step *step, state *s)
{
	csr_runs r = {0};
	ek_status status;

	EK_TRY(csr_runs_make(step, s->classes.w, s->classes.tile, &r));
	EK_TRY(upload(step, &r, s));
done:
	csr_runs_free(step->ctx, &r);
	return status;
}

static ek_status program(eki_step *step, eki_classes *s)
{
	char more[60];
	ek_status status;
	int64_t bytes;
	char *text;

	snprintf(more, sizeof more, "#define PATTERNS\n#define FLIGHT %d\n", CSR_FLIGHT);
	EK_RETURN_IF(eki_program_join(step->ctx, eki_cl_csr_classes, eki_cl_csr_patterns, &text,
	                              &bytes));
	status = eki_classes_program(step, s, "csr_patterns", more, text);
	eki_free(step->ctx, text, bytes, 1);
	return status;
}

static ek_status prepare(eki_step *step)
{
	const int64_t value = (int64_t)ek_value_size(step->in[0]->value);
	state *s;

	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	memset(s, 0, sizeof *s);
	step->state = s;
	EK_RETURN_IF(eki_classes_choose(step, &s->classes));
	/* With PoCL 3.1 on a processor, 16-bit columns give wrong sums. */
	if (step->param[EKI_CLASSES_COLUMNS] == 16 && eki_device_is_processor(step->ctx))
		return eki_fail(EK_EUNSUPPORTED,
		                "method %s: columns is 16; on a processor 32 is expected",
		                step->method->name);
	EK_RETURN_IF(eki_gpu_local(step, (s->classes.tile + s->classes.w) * value +
	                                         4 * (LOCAL * s->classes.w + 1)));
	EK_RETURN_IF(eki_gpu_prepare(step, NULL, NULL, NULL));
	EK_RETURN_IF(make(step, s));
	return program(step, &s->classes);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const state *s = step->state;
	const eki_classes *c = &s->classes;
	const ek_value value = step->in[0]->value;
	const eki_buffer *const *array = step->gpu->array;
	const eki_buffer *none = s->shape; /* passed in place of buffers that are not read */
	eki_gpu_vectors on;

	EK_RETURN_IF(eki_gpu_enter(step, v, &on));
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

	EK_RETURN_IF(eki_gpu_launch(step, c->kernel, c->items, c->w, args, EKI_COUNT(args)));
	return eki_gpu_leave(step, v, &on);
}

/* Tells whether rows plus entries, and columns plus entries, can be counted in 32 bits, so that
 * both op N and op T are possible. */
static bool applies(const ek_store *A, ek_op op)
{
	const int64_t longer = A->rows > A->cols ? A->rows : A->cols;

	(void)op;
	return longer < INT32_MAX - A->nnz;
}

/* Estimates 5 % more time than for row classes: in f32 on an H100, the mean speed was 0.96 times
 * that of row classes. */
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
	.format = {&ek_format_csr},
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
