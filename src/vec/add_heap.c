/* SPDX-License-Identifier: BSD-3-Clause
 * The addition of two sparse vectors by a heap: all entries of both are collected in an implicit
 * max-heap of the upper-bound size, x->nnz + y->nnz. Then a heapsort takes the root again and again
 * and puts it before the result, which grows downwards in the tail of the same array. If the first
 * entry of the result has the index of the root, the root is added to it instead, so the result has
 * no duplicates, unlike the heap. Since the heap gives up a place in each step, the result never
 * reaches it. In the end the result is copied to z.
 *
 * The heap is that of prim_body/heap.h, with a->arity children for each node. Cost: for each entry
 * a search for the largest of d children on log_d levels; one thread.
 *
 * Liu 2015, section 7.4.1, Figure 7.1. */
#include <math.h>
#include <string.h>

#include "vec/add.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_FILE "vec/add_heap.c"
#include "base/for_each.h"
#include "prim_body/heap.h"

static eki_heap FN(heap_of)(const eki_add_heap *s)
{
	return (eki_heap){.key = s->idx,
	                  .value = s->val,
	                  .value_size = ek_value_size(s->a->type),
	                  .n = s->nodes,
	                  .d = s->a->arity,
	                  .counts = s->counts};
}

static void FN(make)(eki_add_heap *s)
{
	eki_heap h = FN(heap_of)(s);

	FN(heapify)(&h);
	s->counts = h.counts;
}

/* Removes the root, whose value goes to `value`. Returns true if the root and the first entry of
 * the result have the same index; else puts the index of the root before that entry. */
static bool FN(delete_max)(eki_add_heap *s, void *value)
{
	eki_heap h = FN(heap_of)(s);
	VAL *idx = s->idx;
	const VAL root = idx[0];
	const int64_t last = s->nodes - 1;

	memcpy(value, eki_heap_value(&h, 0), h.value_size);
	h.n = s->nodes = last;
	if (last > 0) {
		char moved[8];

		memcpy(moved, eki_heap_value(&h, last), h.value_size);
		FN(heap_down)(&h, 0, idx[last], moved);
		s->counts = h.counts;
	}
	if (s->first < s->all && idx[s->first] == root)
		return true;
	idx[--s->first] = root;
	return false;
}

#if EK_ONCE

/* Adds the number b to the number a. */
static void add(ek_value type, void *a, const void *b)
{
	if (type == EK_F32)
		*(float *)a += *(const float *)b;
	else if (type == EK_F64)
		*(double *)a += *(const double *)b;
	else if (type == EK_INT32)
		*(uint32_t *)a += *(const uint32_t *)b;
	else
		*(uint64_t *)a += *(const uint64_t *)b;
}

void eki_add_heap_make(eki_add_heap *s)
{
	static void (*const make[EK_NISA][2])(eki_add_heap *) = EK_BY_ISA_AND_INT(make);

	eki_expand(s->a, s->idx, s->val);
	make[s->a->isa][eki_index_row(s->a)](s);
}

void eki_add_heap_step(eki_add_heap *s)
{
	static bool (*const delete_max[EK_NISA][2])(eki_add_heap *, void *) =
		EK_BY_ISA_AND_INT(delete_max);
	const size_t size = ek_value_size(s->a->type);
	_Alignas(8) char value[8];
	const bool fuse = delete_max[s->a->isa][eki_index_row(s->a)](s, value);
	char *first = (char *)s->val + (size_t)s->first * size;

	if (fuse)
		add(s->a->type, first, value);
	else
		memcpy(first, value, size);
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	const size_t is = ek_value_size(a->x.index), vs = ek_value_size(a->type);
	eki_array own = *a;
	eki_add_heap s = {.a = &own, .nodes = a->x.nnz + a->y.nnz};
	const int64_t keys = s.nodes + a->arity - 1;
	void *idx = NULL, *val = NULL;
	ek_status status;

	eki_array_note(a, "arity", a->arity);
	own.threads = 1;
	s.first = s.all = s.nodes;
	EK_TRY(eki_alloc(step->ctx, keys, is, &idx));
	EK_TRY(eki_alloc(step->ctx, s.nodes, vs, &val));
	s.idx = (char *)idx + (size_t)(a->arity - 1) * is;
	s.val = val;
	if (s.nodes)
		eki_add_heap_make(&s);
	while (s.nodes)
		eki_add_heap_step(&s);
	*a->count = s.all - s.first;
	if (*a->count) {
		memcpy(a->z.idx, (char *)s.idx + (size_t)s.first * is, (size_t)*a->count * is);
		memcpy(a->z.val, (char *)s.val + (size_t)s.first * vs, (size_t)*a->count * vs);
	}
	if (a->counts)
		EKI_STRUCT_OUT(ek_heap_counts, &s.counts, a->counts);
done:
	eki_free(step->ctx, val, s.all, vs);
	eki_free(step->ctx, idx, keys, is);
	return status;
}

/* Predicts the time in nanoseconds: each entry passes through the levels of the heap. */
static double cost(const eki_features *f)
{
	const eki_array *a = f->array;
	const double n = (double)(a->x.nnz + a->y.nnz);

	return f->machine->vector.method_call + f->machine->vector.heap_level * n * log2(n + 2);
}

const ek_method ek_add_heap = {
	.name = "add.heap",
	.text = "a heap of all entries, sorted into a result without duplicates in its tail",
	.source = "Liu 2015, section 7.4.1",
	.operation = EK_SPARSE_ADD,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run,
	.cost = cost,
};

#endif
