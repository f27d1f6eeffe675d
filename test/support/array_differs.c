/* SPDX-License-Identifier: BSD-3-Clause
 * Comparison of two runs of a call of a primitive on arrays. */
#include "support/array_call.h"
#include "support/inputs.h"
#include "support/support.h"

/* A pair of a key, as its rank, and a value. */
struct pair {
	uint64_t rank, value;
};

static int compare(const void *x, const void *y)
{
	const struct pair *a = x, *b = y;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

/* Returns n pairs in ascending order of keys and values. */
static struct pair *sorted(const struct call *c, const char *key, const char *value, int64_t n)
{
	struct pair *p = malloc(((size_t)n + 1) * sizeof *p);

	for (int64_t i = 0; i < n; i++) {
		p[i].rank = rank_of(c->type, bits_at(c->type, key, i));
		p[i].value =
			value ? bits_at(c->value_size == 8 ? EK_INT64 : EK_INT32, value, i) : 0;
	}
	qsort(p, (size_t)n, sizeof *p, compare);
	return p;
}

/* Tells whether two arrays of pairs have the same pairs, in any order. */
static bool same_pairs(const struct call *c, const char *key_a, const char *value_a,
                       const char *key_b, const char *value_b, int64_t n)
{
	struct pair *a = sorted(c, key_a, value_a, n), *b = sorted(c, key_b, value_b, n);
	const bool same = memcmp(a, b, (size_t)n * sizeof *a) == 0;

	free(a);
	free(b);
	return same;
}

/* Returns the bytes of array k that a call has to write. Of entries of a sparse sum, or of a matrix
 * from coordinates, those are as many as the last array says. */
static int64_t bytes_of(const struct call *c, int k, char *const right[MOST_ARGS])
{
	int64_t count;

	if ((c->op != EK_SPARSE_ADD && c->op != EK_TO_CSR) || c->arg[k].role != OUT ||
	    (c->op == EK_TO_CSR && k == 3)) /* the row pointers */
		return c->arg[k].bytes;
	memcpy(&count, right[c->args - 1], sizeof count);
	return count ? c->arg[k].bytes / (c->op == EK_TO_CSR ? c->n : c->a_n + c->b_n) * count : 0;
}

int call_differs(const struct call *c, char *const a[MOST_ARGS], char *const b[MOST_ARGS],
                 bool any_order)
{
	for (int k = 0; k < c->args; k++) {
		const bool values = any_order && c->value_size && k == c->args - 1;

		if (c->op == EK_KSELECT && k == 2) {
			for (int64_t j = 0; j < c->lists; j++)
				if (!same_pairs(
					    c, a[k] + j * c->k * (int64_t)ek_value_size(c->type),
					    NULL, b[k] + j * c->k * (int64_t)ek_value_size(c->type),
					    NULL, c->k))
					return k;
		} else if (values) {
			const int64_t n = c->arg[k].bytes / (int64_t)c->value_size;

			if (!same_pairs(c, a[k - 1], a[k], b[k - 1], b[k], n))
				return k;
		} else if (memcmp(a[k], b[k], (size_t)bytes_of(c, k, b)) != 0) {
			return k;
		}
	}
	return -1;
}
