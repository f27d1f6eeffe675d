/* SPDX-License-Identifier: BSD-3-Clause
 * The selection that is made in advance (adheap.h): max-heaps of the first k entries of each list,
 * whose root each lesser entry replaces. The heaps are those of the library (prim_body/heap.h),
 * with the same operations in the same nodes, but remember where each new key came to rest. Which
 * entries replace a root, and what the root is then, does not depend on the arity.
 *
 * Liu 2015, section 4.6.2, the pre-execution stage, and Algorithm 19. */
#include <stdlib.h>
#include <string.h>

#include "adheap.h"

static int64_t up(int64_t n, int64_t by)
{
	return (n + by - 1) / by;
}

void adheap_shape(struct adheap *h, int arity, int64_t nodes)
{
	int64_t m;

	h->arity = arity;
	for (h->bits = 0; 1 << h->bits < arity;)
		h->bits++;
	h->levels = 1;
	for (int64_t reached = 1; reached < nodes; h->levels++)
		reached = reached * arity + 1;
	m = up(2 * (h->levels + 1), arity) - 1;
	h->head = m * arity + arity - 1;
	h->room = h->head + nodes;
}

int64_t adheap_transactions(int64_t levels, int64_t d, int64_t w)
{
	return levels * up(d, w) + up(2 * levels + 1, w);
}

int64_t dheap_transactions(int64_t levels, int64_t d, int64_t w)
{
	return levels * (up(d, w) + 1);
}

/* Lets a key sink from node i of a heap of n nodes. Returns the path. */
static int64_t sink(const struct adheap *h, int32_t *heap, int64_t n, int64_t i, int32_t key,
                    ek_heap_counts *counts)
{
	const int64_t d = h->arity;
	int64_t path = 0;
	int at = 6;

	counts->update_key++;
	for (int64_t first; (first = d * i + 1) < n; at += h->bits, path++) {
		const int64_t end = first + d < n ? first + d : n;
		int64_t most = first;

		for (int64_t child = first + 1; child < end; child++)
			most = heap[child] > heap[most] ? child : most;
		counts->find_maxchild++;
		counts->compare++;
		if (heap[most] <= key)
			break;
		heap[i] = heap[most];
		counts->swap++;
		path |= (most - first) << at;
		i = most;
	}
	heap[i] = key;
	return path;
}

/* Selects from list j. Writes the paths of its updates to `path`, and the roots to `root`, unless
 * these are NULL. Returns the number of updates. */
static int64_t select_one(const struct model *m, const struct adheap *h, int64_t j, int64_t *path,
                          int32_t *root, ek_heap_counts *counts)
{
	const struct job *job = m->job;
	const int32_t *list = (const int32_t *)job->in + j * job->length;
	int32_t *heap = need(malloc((size_t)job->k * sizeof *heap), job->line);
	ek_heap_counts heapify = {0};
	int64_t updates = 0;

	memcpy(heap, list, (size_t)job->k * sizeof *heap);
	for (int64_t i = job->k - 1; i >= 0; i--)
		sink(h, heap, job->k, i, heap[i], &heapify);
	if (root)
		root[0] = heap[0];
	for (int64_t i = job->k; i < job->length; i++) {
		if (list[i] >= heap[0])
			continue;
		const int64_t way = sink(h, heap, job->k, 0, list[i], counts);

		if (path)
			path[updates] = way;
		updates++;
		if (root)
			root[updates] = heap[0];
	}
	free(heap);
	return updates;
}

/* Selects twice, since the places of the roots are known only after the updates were counted. */
void model_count(struct model *m)
{
	const struct job *job = m->job;
	struct adheap h = {0};

	adheap_shape(&h, 8, job->k);
	m->first = need(calloc((size_t)job->batch + 1, sizeof *m->first), job->line);
#pragma omp parallel for num_threads(job->threads) schedule(dynamic)
	for (int64_t j = 0; j < job->batch; j++) {
		ek_heap_counts counts = {0};

		m->first[j + 1] = select_one(m, &h, j, NULL, NULL, &counts);
	}
	for (int64_t j = 0; j < job->batch; j++)
		m->first[j + 1] += m->first[j];
	m->updates = m->first[job->batch];
	m->root = need(malloc((size_t)(m->updates + job->batch) * sizeof *m->root), job->line);
#pragma omp parallel for num_threads(job->threads) schedule(dynamic)
	for (int64_t j = 0; j < job->batch; j++) {
		ek_heap_counts counts = {0};

		select_one(m, &h, j, NULL, m->root + m->first[j] + j, &counts);
	}
}

void model_trace(const struct model *m, struct adheap *h)
{
	const struct job *job = m->job;
	int64_t finds = 0, compares = 0, swaps = 0;

	h->path = need(malloc((size_t)m->updates * sizeof *h->path + 1), job->line);
#pragma omp parallel for num_threads(job->threads) schedule(dynamic) \
	reduction(+ : finds, compares, swaps)
	for (int64_t j = 0; j < job->batch; j++) {
		ek_heap_counts counts = {0};

		select_one(m, h, j, h->path + m->first[j], NULL, &counts);
		finds += counts.find_maxchild;
		compares += counts.compare;
		swaps += counts.swap;
	}
	h->counts.update_key = m->updates;
	h->counts.find_maxchild = finds;
	h->counts.compare = compares;
	h->counts.swap = swaps;
}
