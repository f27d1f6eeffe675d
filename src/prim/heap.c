/* SPDX-License-Identifier: BSD-3-Clause
 * ek_heap: a growing d-heap around the kernels of prim_body/heap.h. Keys are stored as integers of
 * the same order (prim_body/order.h), so that one kind of comparison serves all types. The array
 * grows by doubling; if memory runs out, the heap stays as it was.
 *
 * LaMarca and Ladner 1996; Liu 2015, section 4.6. */
#include <string.h>

#include "prim/prim.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_FILE "prim/heap.c"
#include "base/for_each.h"
#include "prim_body/heap.h"

static void FN(heap_build)(eki_heap *h, ek_value type, int64_t n, const void *keys,
                           const void *values)
{
	const VAL flip = FN(flip)(type);
	VAL *to = h->key;

	for (int64_t i = 0; i < n; i++)
		to[i] = FN(order)(((const FN(raw) *)keys)[i], flip);
	if (h->value_size && n)
		memcpy(h->value, values, (size_t)n * h->value_size);
	h->n = n;
	FN(heapify)(h);
}

static void FN(heap_insert)(eki_heap *h, ek_value type, const void *key, const void *value)
{
	FN(heap_up)(h, h->n++, FN(order)(*(const FN(raw) *)key, FN(flip)(type)), value);
}

static void FN(heap_delete_max)(eki_heap *h)
{
	const int64_t last = --h->n;

	if (last > 0)
		FN(heap_down)(h, 0, ((VAL *)h->key)[last], eki_heap_value(h, last));
}

static void FN(heap_update)(eki_heap *h, ek_value type, int64_t node, const void *key,
                            const void *value)
{
	const VAL to = FN(order)(*(const FN(raw) *)key, FN(flip)(type));

	if (to > ((VAL *)h->key)[node])
		FN(heap_up)(h, node, to, value);
	else
		FN(heap_down)(h, node, to, value);
}

static void FN(heap_key)(const eki_heap *h, ek_value type, int64_t node, void *key)
{
	*(FN(raw) *)key = FN(order)(((const VAL *)h->key)[node], FN(flip)(type));
}

#if EK_ONCE

static void (*const build[EK_NISA][2])(eki_heap *, ek_value, int64_t, const void *,
                                       const void *) = EK_BY_ISA_AND_INT(heap_build);
static void (*const insert[EK_NISA][2])(eki_heap *, ek_value, const void *,
                                        const void *) = EK_BY_ISA_AND_INT(heap_insert);
static void (*const delete_max[EK_NISA][2])(eki_heap *) = EK_BY_ISA_AND_INT(heap_delete_max);
static void (*const update[EK_NISA][2])(eki_heap *, ek_value, int64_t, const void *,
                                        const void *) = EK_BY_ISA_AND_INT(heap_update);
static void (*const read_key[EK_NISA][2])(const eki_heap *, ek_value, int64_t,
                                          void *) = EK_BY_ISA_AND_INT(heap_key);

#define HEAP_MAGIC 0x9ea9ea91u

struct ek_heap {
	uint32_t magic;
	const ek_context *ctx;
	ek_value type;
	int row;
	eki_heap h;
	int64_t capacity;    /* number of nodes that the blocks have room for */
	void *keys, *values; /* allocated blocks: d - 1 unused places, then the nodes */
};

static ek_status heap_check(const ek_heap *heap)
{
	if (!heap || heap->magic != HEAP_MAGIC)
		return eki_fail(EK_EINVAL, "heap is %s",
		                heap ? "not a heap, or destroyed" : "NULL");
	return EK_OK;
}

static ek_status node_check(const ek_heap *heap, int64_t node)
{
	EK_RETURN_IF(heap_check(heap));
	if (node < 0 || node >= heap->h.n)
		return eki_fail(EK_ERANGE, "node is %lld; the heap has %lld nodes", (long long)node,
		                (long long)heap->h.n);
	return EK_OK;
}

static ek_status pair_check(const ek_heap *heap, int64_t n, const void *key, const void *value)
{
	EK_RETURN_IF(eki_array_check("key", key, n, ek_value_size(heap->type)));
	return heap->h.value_size ? eki_array_check("value", value, n, heap->h.value_size) : EK_OK;
}

static int64_t places(const ek_heap *heap, int64_t nodes)
{
	return nodes ? nodes + heap->h.d - 1 : 0;
}

/* Makes sure that the heap has room for `nodes` nodes, and keeps its pairs. */
static ek_status reserve(ek_heap *heap, int64_t nodes)
{
	const size_t size = ek_value_size(heap->type), value_size = heap->h.value_size;
	const int64_t offset = heap->h.d - 1, to = places(heap, nodes);
	void *keys, *values = NULL;

	if (nodes <= heap->capacity)
		return EK_OK;
	EK_RETURN_IF(eki_alloc(heap->ctx, to, size, &keys));
	if (value_size) {
		ek_status status = eki_alloc(heap->ctx, to, value_size, &values);

		if (status != EK_OK) {
			eki_free(heap->ctx, keys, to, size);
			return status;
		}
	}
	if (heap->h.n) {
		memcpy((char *)keys + (size_t)offset * size, heap->h.key, (size_t)heap->h.n * size);
		if (value_size)
			memcpy((char *)values + (size_t)offset * value_size, heap->h.value,
			       (size_t)heap->h.n * value_size);
	}
	eki_free(heap->ctx, heap->keys, places(heap, heap->capacity), size);
	eki_free(heap->ctx, heap->values, places(heap, heap->capacity), value_size);
	heap->keys = keys;
	heap->values = values;
	heap->h.key = (char *)keys + (size_t)offset * size;
	heap->h.value = value_size ? (char *)values + (size_t)offset * value_size : NULL;
	heap->capacity = nodes;
	return EK_OK;
}

/* ---- Making and freeing ---------------------------------------------------------------------- */

ek_status ek_heap_create(ek_context *ctx, ek_value key, size_t value_size, int arity,
                         int64_t capacity, ek_heap **heap)
{
	ek_heap *made;
	void *block;
	ek_status status;

	EK_RETURN_IF(eki_context_check(ctx));
	EK_RETURN_IF(eki_number_check(key));
	EK_RETURN_IF(eki_value_size_check("value_size", value_size));
	if (arity < 2 || arity > 1024)
		return eki_fail(EK_EINVAL, "arity is %d; 2 to 1024 is expected", arity);
	EK_RETURN_IF(eki_length_check("capacity", capacity));
	if (!heap)
		return eki_fail(EK_EINVAL, "heap is NULL");
	EK_RETURN_IF(eki_calloc(ctx, 1, sizeof *made, &block));
	made = block;
	made->magic = HEAP_MAGIC;
	made->ctx = ctx;
	eki_context_hold(ctx);
	made->type = key;
	made->row = eki_int_row(key);
	made->h.value_size = value_size;
	made->h.d = arity;
	status = reserve(made, capacity);
	if (status != EK_OK)
		ek_heap_destroy(made);
	else
		*heap = made;
	return status;
}

void ek_heap_destroy(ek_heap *heap)
{
	if (!heap || heap->magic != HEAP_MAGIC)
		return;
	const ek_context *ctx = heap->ctx;

	eki_free(heap->ctx, heap->keys, places(heap, heap->capacity), ek_value_size(heap->type));
	eki_free(heap->ctx, heap->values, places(heap, heap->capacity), heap->h.value_size);
	heap->magic = 0;
	eki_free(ctx, heap, 1, sizeof *heap);
	eki_context_drop(ctx);
}

/* ---- Operations ------------------------------------------------------------------------------ */

int64_t ek_heap_size(const ek_heap *heap)
{
	return heap ? heap->h.n : 0;
}

ek_status ek_heap_build(ek_heap *heap, int64_t n, const void *keys, const void *values)
{
	EK_RETURN_IF(heap_check(heap));
	EK_RETURN_IF(eki_length_check("n", n));
	EK_RETURN_IF(pair_check(heap, n, keys, values));
	EK_RETURN_IF(reserve(heap, n));
	build[heap->ctx->isa][heap->row](&heap->h, heap->type, n, keys, values);
	return EK_OK;
}

ek_status ek_heap_insert(ek_heap *heap, const void *key, const void *value)
{
	EK_RETURN_IF(heap_check(heap));
	EK_RETURN_IF(pair_check(heap, 1, key, value));
	if (heap->h.n == heap->capacity)
		EK_RETURN_IF(reserve(heap, heap->capacity ? 2 * heap->capacity : 2 * heap->h.d));
	insert[heap->ctx->isa][heap->row](&heap->h, heap->type, key, value);
	return EK_OK;
}

ek_status ek_heap_node(const ek_heap *heap, int64_t node, void *key, void *value)
{
	EK_RETURN_IF(node_check(heap, node));
	if (key) {
		EK_RETURN_IF(pair_check(heap, 0, key, value));
		read_key[EK_ISA_SCALAR][heap->row](&heap->h, heap->type, node, key);
	}
	if (value && heap->h.value_size)
		memcpy(value, eki_heap_value(&heap->h, node), heap->h.value_size);
	return EK_OK;
}

ek_status ek_heap_delete_max(ek_heap *heap, void *key, void *value)
{
	EK_RETURN_IF(heap_check(heap));
	if (heap->h.n == 0)
		return eki_fail(EK_ERANGE, "the heap is empty");
	EK_RETURN_IF(ek_heap_node(heap, 0, key, value));
	delete_max[heap->ctx->isa][heap->row](&heap->h);
	return EK_OK;
}

ek_status ek_heap_update_key(ek_heap *heap, int64_t node, const void *key, const void *value)
{
	EK_RETURN_IF(node_check(heap, node));
	EK_RETURN_IF(pair_check(heap, 1, key, value));
	update[heap->ctx->isa][heap->row](&heap->h, heap->type, node, key, value);
	return EK_OK;
}

ek_status ek_heap_get_counts(const ek_heap *heap, ek_heap_counts *counts)
{
	EK_RETURN_IF(heap_check(heap));
	EK_RETURN_IF(EKI_STRUCT_CHECK("counts", ek_heap_counts, counts));
	EKI_STRUCT_OUT(ek_heap_counts, &heap->h.counts, counts);
	return EK_OK;
}

#endif
