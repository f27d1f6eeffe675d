/* SPDX-License-Identifier: BSD-3-Clause
 * Plans: a method prepared for one matrix. Everything that costs more than one product, allocates
 * or chooses (plan_choose.c) happens in ek_plan_create; a run checks its arguments in constant time
 * and calls the method. */
#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"

#define PLAN_MAGIC 0x656b706cu

static ek_status plan_check(const ek_plan *plan)
{
	if (!plan)
		return eki_fail(EK_EINVAL, "plan is NULL");
	if (plan->magic != PLAN_MAGIC)
		return eki_fail(EK_EINVAL, "plan is not a plan, or was destroyed");
	return EK_OK;
}

ek_status eki_plan_room(const ek_plan *plan, int blocks)
{
	if (plan->blocks + blocks > EKI_PLAN_BLOCKS)
		return eki_fail(EK_ELIMIT, "a method wants more than %d blocks of memory",
		                EKI_PLAN_BLOCKS);
	return EK_OK;
}

void eki_plan_own(ek_plan *plan, void *block, int64_t bytes)
{
	plan->memory[plan->blocks].block = block;
	plan->memory[plan->blocks].bytes = bytes;
	plan->blocks++;
}

ek_status eki_plan_alloc(ek_plan *plan, int64_t count, size_t size, void *out)
{
	void *block;

	EK_RETURN_IF(eki_plan_room(plan, 1));
	EK_RETURN_IF(eki_alloc(plan->ctx, count, size, &block));
	eki_plan_own(plan, block, count * (int64_t)size);
	memcpy(out, &block, sizeof block);
	return EK_OK;
}

/* ---- Making ---------------------------------------------------------------------------------- */

static ek_status hints_check(const ek_context *ctx, const ek_hints *h)
{
	if (h->op != 0 && h->op != EK_OP_N && h->op != EK_OP_T)
		return eki_fail(EK_EINVAL, "hints.op is %d; EK_OP_N or EK_OP_T is expected",
		                (int)h->op);
	if (h->calls < 0)
		return eki_fail(EK_EINVAL, "hints.calls is %lld; it must not be negative",
		                (long long)h->calls);
	if (h->reproducible != EK_REPRO_RUN && h->reproducible != EK_REPRO_STRICT)
		return eki_fail(
			EK_EINVAL,
			"hints.reproducible is %d; EK_REPRO_RUN or EK_REPRO_STRICT is expected",
			(int)h->reproducible);
	if (h->threads < 0 || h->threads > ctx->threads)
		return eki_fail(EK_EINVAL,
		                "hints.threads is %d; 0 to %d, the context's, are possible",
		                h->threads, ctx->threads);
	return EK_OK;
}

/* No machine has room for longer vectors. All that follows may add some lengths, times the size of
 * a value. */
static ek_status lengths_check(const ek_matrix *A)
{
	const ek_store *s = &A->store;
	const int64_t n = s->rows > s->cols ? s->rows : s->cols;

	if (eki_times(n, (int64_t)ek_value_size(s->value)) > INT64_MAX / 4)
		return eki_fail(EK_EOVERFLOW,
		                "x or y has %lld entries of %zu bytes, which do not fit the "
		                "address space",
		                (long long)n, ek_value_size(s->value));
	return EK_OK;
}

ek_status ek_plan_create(ek_operation operation, const ek_matrix *A, const ek_hints *hints,
                         ek_plan **plan)
{
	ek_hints h = {.size = sizeof h};
	ek_plan *p = NULL;
	void *block;
	ek_status status;

	EK_RETURN_IF(eki_matrix_check(A));
	if (!plan)
		return eki_fail(EK_EINVAL, "plan, where the result goes, is NULL");
	if (operation != EK_SPMV)
		return eki_fail(EK_EINVAL, "operation is %d; EK_SPMV is expected", (int)operation);
	if (hints) {
		EK_RETURN_IF(EKI_STRUCT_IN("hints", ek_hints, hints, &h));
		EK_RETURN_IF(hints_check(A->ctx, &h));
	}
	EK_RETURN_IF(lengths_check(A));
	EK_RETURN_IF(eki_calloc(A->ctx, 1, sizeof *p, &block));
	p = block;
	p->magic = PLAN_MAGIC;
	p->ctx = A->ctx;
	p->A = A;
	eki_matrix_hold(A);
	p->store = &A->store;
	p->operation = operation;
	p->op = (h.op == EK_OP_T) != A->transposed ? EK_OP_T : EK_OP_N;
	p->x_len = p->op == EK_OP_N ? A->store.cols : A->store.rows;
	p->y_len = p->op == EK_OP_N ? A->store.rows : A->store.cols;
	p->reproducible = h.reproducible;
	p->calls = h.calls ? h.calls : 1000;
	p->isa = A->ctx->isa;
	p->threads = h.threads ? h.threads : A->ctx->threads;
	p->parts = p->threads;
	p->seen = atomic_load(&A->state);
	EK_TRY(eki_plan_choose(p, &h));
	if (p->method->traits & EKI_SERIAL)
		p->threads = p->parts = 1;
	if (p->method->prepare)
		EK_TRY(p->method->prepare(p));
	*plan = p;
done:
	if (status != EK_OK)
		ek_plan_destroy(p);
	return status;
}

void ek_plan_destroy(ek_plan *plan)
{
	if (!plan || plan_check(plan) != EK_OK)
		return;
	const ek_matrix *A = plan->A;

	eki_gpu_release(plan);
	for (int k = 0; k < plan->blocks; k++)
		eki_free(plan->ctx, plan->memory[k].block, plan->memory[k].bytes, 1);
	eki_store_free(plan->ctx, &plan->own);
	plan->magic = 0;
	eki_free(plan->ctx, plan, 1, sizeof *plan);
	eki_matrix_drop(A);
}

/* ---- Questions ------------------------------------------------------------------------------- */

const char *ek_plan_method(const ek_plan *plan)
{
	return plan && plan->magic == PLAN_MAGIC ? plan->method->name : NULL;
}

const char *ek_plan_format(const ek_plan *plan)
{
	return plan && plan->magic == PLAN_MAGIC ? plan->format : NULL;
}

int64_t ek_plan_bytes(const ek_plan *plan)
{
	return plan && plan->magic == PLAN_MAGIC ? plan->bytes : 0;
}

int64_t ek_plan_memory(const ek_plan *plan)
{
	int64_t bytes = 0;

	if (plan && plan->magic == PLAN_MAGIC) {
		bytes = (int64_t)sizeof *plan;
		if (plan->own.format)
			bytes += eki_store_held(&plan->own);
		for (int k = 0; k < plan->blocks; k++)
			bytes += plan->memory[k].bytes;
		bytes += eki_gpu_bytes(plan);
	}
	return bytes;
}

ek_status ek_plan_explain(const ek_plan *plan, char *text, size_t size)
{
	EK_RETURN_IF(plan_check(plan));
	if (!text || !size)
		return eki_fail(EK_EINVAL, "text is NULL or size is 0");
	char where[96];

	if (plan->gpu)
		snprintf(where, sizeof where, "device %s", plan->ctx->device->info.name);
	else
		snprintf(where, sizeof where, "%d thread%s in %d part%s, %s", plan->threads,
		         plan->threads == 1 ? "" : "s", plan->parts, plan->parts == 1 ? "" : "s",
		         ek_isa_name(plan->isa));
	snprintf(text, size,
	         "method   %s (%s)\nsource   %s\nformat   %s, %s\nruns on  %s\nmoves    "
	         "%lld bytes a run\nholds    %lld bytes beside the matrix\nwhy      %s",
	         plan->method->name, plan->method->text, plan->method->source, plan->format,
	         plan->own.format && plan->own.borrowed
	                 ? "with a copy of the columns, which starts at 0"
	         : plan->own.format || plan->store != &plan->A->store ||
	                         plan->store->format != plan->method->format
	                 ? "a copy"
	                 : "as A is stored",
	         where, (long long)plan->bytes, (long long)ek_plan_memory(plan), plan->why);
	return EK_OK;
}

/* ---- Running --------------------------------------------------------------------------------- */

static bool overlap(const void *a, int64_t a_bytes, const void *b, int64_t b_bytes)
{
	uintptr_t p = (uintptr_t)a, q = (uintptr_t)b;

	return a_bytes > 0 && b_bytes > 0 && p < q + (uintptr_t)b_bytes &&
	       q < p + (uintptr_t)a_bytes;
}

/* A view of the caller, or, if it has another size, what the library knows of it, in `room`. */
static inline ek_status vector_in(const char *name, ek_dense *room, const ek_dense **v)
{
	if (!*v)
		return eki_fail(EK_EINVAL, "%s is NULL", name);
	if ((*v)->size != sizeof **v) {
		EK_RETURN_IF(EKI_STRUCT_IN(name, ek_dense, *v, room));
		*v = room;
	}
	return EK_OK;
}

static ek_status vector_check(const char *name, const ek_dense *v, ek_value value, int64_t n,
                              const char *what)
{
	if (v->value != value)
		return eki_fail(EK_EINVAL, "%s has values of type %s, A of type %s", name,
		                ek_value_name(v->value) ? ek_value_name(v->value) : "unknown",
		                ek_value_name(value));
	if (v->rows != n || v->cols != 1)
		return eki_fail(EK_EINVAL,
		                "%s is %lld x %lld; op(A) has %lld %s, so %lld x 1 is expected",
		                name, (long long)v->rows, (long long)v->cols, (long long)n, what,
		                (long long)n);
	if (v->ld < v->rows)
		return eki_fail(EK_EINVAL, "%s has leading dimension %lld, less than its %lld rows",
		                name, (long long)v->ld, (long long)v->rows);
	if (v->where != 0 && v->where != EK_ON_DEVICE)
		return eki_fail(EK_EINVAL, "%s.where is %d; 0 or EK_ON_DEVICE is expected", name,
		                v->where);
	if (!v->data && n > 0)
		return eki_fail(EK_EINVAL, "%s.data is NULL", name);
	if ((uintptr_t)v->data % eki_alignment(ek_value_size(value)))
		return eki_fail(EK_EINVAL, "%s.data lies at %p, which is not aligned to %s", name,
		                v->data, ek_value_name(value));
	return EK_OK;
}

/* `name` is what the caller calls y, the result. */
static ek_status vectors_check(const ek_plan *p, const ek_dense *x, const ek_dense *y,
                               const char *name)
{
	const ek_store *s = &p->A->store;
	const ek_array_desc *array = p->A->transposed ? ek_format_csc.array : s->format->array;
	int64_t size = (int64_t)ek_value_size(s->value);

	EK_RETURN_IF(vector_check("x", x, s->value, p->x_len, "columns"));
	EK_RETURN_IF(vector_check(name, y, s->value, p->y_len, "rows"));
	if ((x->where || y->where) && (p->method->backend & EKI_CPU))
		return eki_fail(EK_EINVAL, "%s is on a device, and method %s runs on the processor",
		                x->where ? "x" : name, p->method->name);
	/* Of handles it can only be said whether they are the same. */
	if ((x->where || y->where) && !eki_device_addresses(p->ctx))
		return x->where && y->where && x->data == y->data && y->rows > 0
		               ? eki_fail(EK_EINVAL, "x and %s overlap", name)
		               : EK_OK;
	if (overlap(x->data, x->rows * size, y->data, y->rows * size))
		return eki_fail(EK_EINVAL, "x and %s overlap", name);
	if (p->A->given_ptr && overlap(y->data, y->rows * size, p->A->given_ptr,
	                               s->len[CSR_PTR] * (int64_t)eki_ptr_size(s->index)))
		return eki_fail(EK_EINVAL, "%s overlaps the array %s of A", name,
		                array[CSR_PTR].name);
	for (int k = 0; k < EKI_MAX_ARRAYS && array[k].name; k++)
		if (overlap(y->data, y->rows * size, s->array[k],
		            s->len[k] * (int64_t)eki_elem_size(array[k].elem, s->value, s->index)))
			return eki_fail(EK_EINVAL, "%s overlaps the array %s of A", name,
			                array[k].name);
	return EK_OK;
}

/* The values of A in the plan's own copy of it. */
static ek_status fill_own(ek_plan *p)
{
	ek_store room = {0}, *own = &p->own;
	const ek_store *csr;
	ek_status status;

	if (own->borrowed) /* only the columns are its own */
		return EK_OK;
	EK_TRY(eki_matrix_csr(p->A, own->format == &ek_format_csr ? own->columns : p->A->transposed,
	                      &room, &csr));
	if (own->format == &ek_format_csr)
		eki_copy_into(p->ctx, own->array[CSR_VAL], csr->array[CSR_VAL], own->nnz,
		              ek_value_size(own->value));
	else
		EK_TRY(eki_format_values(p->ctx, csr, own));
done:
	eki_store_free(p->ctx, &room);
	return status;
}

static ek_status take_new_values(ek_plan *p)
{
	uint64_t state = atomic_load(&p->A->state);

	if (p->seen == state)
		return EK_OK;
	EK_RETURN_IF(eki_device_settle(p->ctx));
	if (p->own.format)
		EK_RETURN_IF(fill_own(p));
	if (p->method->refresh)
		EK_RETURN_IF(p->method->refresh(p));
	p->seen = state;
	return EK_OK;
}

/* Arguments are checked; y0 is what beta multiplies. */
static ek_status multiply(ek_plan *plan, double alpha, const ek_dense *x, double beta,
                          const ek_dense *y0, const ek_dense *y)
{
	if (plan->store->value == EK_F32) {
		alpha = (float)alpha;
		beta = (float)beta;
	}
	ek_args args = {.x = x->data,
	                .y = y->data,
	                .alpha = alpha,
	                .beta = beta,
	                .kept = plan->kept,
	                .x_where = x->where,
	                .y_where = y->where,
	                .y0 = beta == 0 ? y->data : y0->data};
	const bool empty = alpha == 0 || y->rows == 0 || plan->A->store.nnz == 0;

	if (empty && !y->where) {
		eki_scale(plan, beta, args.y0, args.y, y->rows);
		return EK_OK;
	}
	if (!empty) {
		EK_RETURN_IF(take_new_values(plan));
		/* Where columns start at 1, so does x. */
		if (plan->op == EK_OP_N && plan->store->base)
			args.x = (const char *)x->data - ek_value_size(x->value);
	}
	if (plan->gpu && args.y0 != args.y) {
		EK_RETURN_IF(eki_gpu_copy_y(plan, args.y0, &args));
		args.y0 = args.y;
	}
	return empty ? eki_gpu_scale(plan, &args) : plan->method->run(plan, &args);
}

ek_status ek_spmv(ek_plan *plan, double alpha, const ek_dense *x, double beta, const ek_dense *y)
{
	ek_dense x_room, y_room;

	EK_RETURN_IF(plan_check(plan));
	EK_RETURN_IF(vector_in("x", &x_room, &x));
	EK_RETURN_IF(vector_in("y", &y_room, &y));
	EK_RETURN_IF(vectors_check(plan, x, y, "y"));
	return multiply(plan, alpha, x, beta, y, y);
}

ek_status ek_spmv_add(ek_plan *plan, double alpha, const ek_dense *x, double beta,
                      const ek_dense *y, const ek_dense *z)
{
	ek_dense x_room, y_room, z_room;
	int64_t bytes;

	EK_RETURN_IF(plan_check(plan));
	EK_RETURN_IF(vector_in("x", &x_room, &x));
	EK_RETURN_IF(vector_in("y", &y_room, &y));
	EK_RETURN_IF(vector_in("z", &z_room, &z));
	EK_RETURN_IF(vectors_check(plan, x, z, "z"));
	EK_RETURN_IF(vector_check("y", y, plan->store->value, plan->y_len, "rows"));
	if (y->where != z->where)
		return eki_fail(EK_EINVAL,
		                "%s lies on a device and %s with the host; both on one "
		                "side are expected",
		                y->where ? "y" : "z", y->where ? "z" : "y");
	bytes = z->rows * (int64_t)ek_value_size(z->value);
	if (y->data != z->data && (!z->where || eki_device_addresses(plan->ctx)) &&
	    overlap(y->data, bytes, z->data, bytes))
		return eki_fail(EK_EINVAL, "y and z overlap; the same vector, or two that do not "
		                           "overlap, are expected");
	return multiply(plan, alpha, x, beta, y, z);
}
