/* SPDX-License-Identifier: BSD-3-Clause
 * Checks of indices: strictly ascending, and in 0 .. n - 1. Each thread checks a range of entries.
 * It compares each index with the one before in a loop without an early exit, which compilers
 * vectorise, and looks for the place of a fault only if there is one. If indices ascend, only the
 * first and the last can be out of range. */
#include "vec/vec.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_FILE "vec/contents.c"
#include "base/for_each.h"

/* Tells whether entries begin .. end - 1 are correct. */
static bool FN(right)(const void *idx, int64_t begin, int64_t end, int64_t n)
{
	const VAL *v = idx;
	VAL wrong = 0;

	if (begin >= end)
		return true;
	for (int64_t k = begin ? begin : 1; k < end; k++)
		wrong |= v[k] <= v[k - 1];
	return !wrong && v[begin] >= 0 && v[end - 1] < n;
}

#if EK_PER_TYPE
static int64_t FN(first_wrong)(const void *idx, int64_t begin, int64_t end, int64_t n)
{
	const VAL *v = idx;
	int64_t k = begin;

	while (k < end && v[k] >= 0 && v[k] < n && (k == 0 || v[k] > v[k - 1]))
		k++;
	return k;
}
#endif

#if EK_ONCE

enum { MOST_PARTS = 256 };

typedef struct check {
	const ek_sparse *v;
	int parts;
	bool (*right)(const void *, int64_t, int64_t, int64_t);
	bool is_right[MOST_PARTS];
} check;

static void part(void *arg, int number)
{
	check *c = arg;
	const ek_sparse *v = c->v;

	c->is_right[number] = c->right(v->idx, eki_cut(v->nnz, c->parts, number),
	                               eki_cut(v->nnz, c->parts, number + 1), v->n);
}

static int64_t index_at(const ek_sparse *v, int64_t k)
{
	return v->index == EK_INT64 ? ((const int64_t *)v->idx)[k] : ((const int32_t *)v->idx)[k];
}

static ek_status fault(const char *name, const ek_sparse *v, int64_t begin, int64_t end)
{
	static int64_t (*const first_wrong[])(const void *, int64_t, int64_t, int64_t) =
		EK_BY_INT(first_wrong);
	const int64_t k = first_wrong[v->index == EK_INT64](v->idx, begin, end, v->n);
	const int64_t at = index_at(v, k), before = k ? index_at(v, k - 1) : -1;

	if (at < 0 || at >= v->n)
		return eki_fail(EK_ERANGE,
		                "%s->idx[%lld] is %lld; %s->n is %lld, so 0 to %lld is expected",
		                name, (long long)k, (long long)at, name, (long long)v->n,
		                (long long)v->n - 1);
	return eki_fail(EK_ERANGE,
	                "%s->idx[%lld] is %lld; more than the index before, %lld, is expected",
	                name, (long long)k, (long long)at, (long long)before);
}

static ek_status contents(const char *name, const eki_array *a, const ek_sparse *v)
{
	static bool (*const right[EK_NISA][2])(const void *, int64_t, int64_t, int64_t) =
		EK_BY_ISA_AND_INT(right);
	check c = {.v = v, .right = right[a->isa][v->index == EK_INT64]};

	c.parts = a->threads < MOST_PARTS ? a->threads : MOST_PARTS;
	eki_parallel(a->ctx, a->threads, c.parts, part, &c);
	for (int k = 0; k < c.parts; k++)
		if (!c.is_right[k])
			return fault(name, v, eki_cut(v->nnz, c.parts, k),
			             eki_cut(v->nnz, c.parts, k + 1));
	return EK_OK;
}

ek_status eki_contents_of_x(const eki_array *a)
{
	return contents("x", a, &a->x);
}

ek_status eki_contents_of_x_and_y(const eki_array *a)
{
	EK_RETURN_IF(contents("x", a, &a->x));
	return contents("y", a, &a->y);
}

#endif
