/* SPDX-License-Identifier: BSD-3-Clause
 * The models with which test_heap.c compares the d-heap: a plain heap, with one loop for each
 * operation (Liu 2015, Algorithms 19 and 20), and an unordered bag of the same pairs. */
#ifndef TEST_HEAP_MODEL_H
#define TEST_HEAP_MODEL_H

#include "support/support.h"

enum { MOST = 1500 };

/* A pair of key and value in the models. The key is given by its rank, so that models need no
 * types. Values are unique. */
struct pair {
	int64_t rank;
	uint64_t value;
};

struct model {
	struct pair node[MOST], bag[MOST];
	int64_t n;
	int d;
	ek_heap_counts c;
};

static void model_down(struct model *m, int64_t i, struct pair p)
{
	m->c.update_key++;
	while (m->d * i + 1 < m->n) {
		int64_t best = m->d * i + 1;

		for (int64_t j = best + 1; j <= m->d * i + m->d && j < m->n; j++)
			if (m->node[j].rank > m->node[best].rank)
				best = j;
		m->c.find_maxchild++;
		m->c.compare++;
		if (m->node[best].rank <= p.rank)
			break;
		m->node[i] = m->node[best];
		m->c.swap++;
		i = best;
	}
	m->node[i] = p;
}

static void model_up(struct model *m, int64_t i, struct pair p)
{
	m->c.update_key++;
	for (; i > 0; i = (i - 1) / m->d) {
		m->c.compare++;
		if (m->node[(i - 1) / m->d].rank >= p.rank)
			break;
		m->node[i] = m->node[(i - 1) / m->d];
		m->c.swap++;
	}
	m->node[i] = p;
}

static void model_build(struct model *m, const struct pair *p, int64_t n)
{
	const ek_heap_counts before = m->c;

	memcpy(m->node, p, (size_t)n * sizeof *p);
	memcpy(m->bag, p, (size_t)n * sizeof *p);
	m->n = n;
	for (int64_t i = (n + m->d - 2) / m->d - 1; i >= 0; i--)
		model_down(m, i, m->node[i]);
	m->c.heapify_update_key += m->c.update_key - before.update_key;
	m->c.heapify_find_maxchild += m->c.find_maxchild - before.find_maxchild;
	m->c.heapify_compare += m->c.compare - before.compare;
	m->c.heapify_swap += m->c.swap - before.swap;
}

static struct pair *bag_find(struct model *m, uint64_t value)
{
	for (int64_t i = 0; i < m->n; i++)
		if (m->bag[i].value == value)
			return &m->bag[i];
	fail_msg("value %llu is not in the bag", (unsigned long long)value);
	return NULL;
}

#endif
