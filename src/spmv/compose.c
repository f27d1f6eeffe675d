/* SPDX-License-Identifier: BSD-3-Clause
 * y = alpha (A_1 + A_2 + ...) x + beta y0, as y = alpha A_1 x + beta y0, then y = alpha A_p x + y for
 * each further part. Every part has a plan of its own within the plan; what their methods hold
 * belongs to the whole. A part whose method goes by entries touches the rows that it has entries in
 * and no others, so a few entries beside a large part cost little.
 *
 * Rounding: of a row of k entries, let part p have k_p. A term of it passes at most k_p - 1
 * additions, two multiplications, the addition of beta y or of the y so far, and one addition for
 * each later part that has entries in the row, of which there are at most k - k_p; adding the 0 of
 * others is exact. That is k + 2 roundings at most, as in one product. Where alpha is Inf or NaN,
 * or alpha times the sum of a part overflows, the parts of a row may give NaN where their sum gives
 * Inf. */
#include <stdio.h>
#include <string.h>

#include "spmv/compose.h"

typedef struct compose {
	int count;
	ek_matrix *matrix; /* methods that keep values look for the new ones in the plan's matrix */
	ek_plan *plan;
} compose;

/* The vectors: all of both for the first part, then what the entries touch. */
static int64_t vector_bytes(const ek_plan *p, int64_t nnz, bool first)
{
	const int64_t x = p->x_len < nnz || first ? p->x_len : nnz;
	const int64_t y = p->y_len < nnz || first ? p->y_len : nnz;

	return (x + (first ? y : 2 * y)) * (int64_t)ek_value_size(p->store->value);
}

static void say(ek_plan *p, const ek_plan *part)
{
	const size_t used = strlen(p->why);

	snprintf(p->why + used, sizeof p->why - used,
	         "         %-5s %12lld entries, %12lld bytes, %s\n", part->store->format->name,
	         (long long)part->store->nnz, (long long)part->bytes, part->method->name);
}

static ek_status prepare_part(ek_plan *p, const ek_store *store, compose *c)
{
	ek_matrix *A = &c->matrix[c->count];
	ek_plan *part = &c->plan[c->count];
	ek_status status;

	*A = (ek_matrix){.ctx = p->ctx, .store = *store};
	*part = *p;
	part->A = A;
	part->store = &A->store;
	part->own = (ek_store){0};
	part->state = part->kept = NULL;
	part->bytes = eki_store_bytes(store) + vector_bytes(p, store->nnz, c->count == 0);
	EK_TRY(eki_select(part, store->format, &part->method, part->why, sizeof part->why));
	if (part->method->traits & EKI_SERIAL)
		part->threads = part->parts = 1;
	if (part->method->prepare)
		EK_TRY(part->method->prepare(part));
	say(p, part);
	c->count++;
done:
	memcpy(p->memory, part->memory, sizeof p->memory);
	p->blocks = part->blocks;
	return status;
}

ek_status eki_compose_prepare(ek_plan *p, const ek_store *part, int count)
{
	compose *c;

	EK_RETURN_IF(eki_plan_alloc(p, 1, sizeof *c, &c));
	*c = (compose){0};
	EK_RETURN_IF(eki_plan_alloc(p, count, sizeof *c->matrix, &c->matrix));
	EK_RETURN_IF(eki_plan_alloc(p, count, sizeof *c->plan, &c->plan));
	for (int k = 0; k < count; k++)
		if (part[k].nnz > 0)
			EK_RETURN_IF(prepare_part(p, &part[k], c));
	p->state = c;
	p->bytes = 0;
	for (int k = 0; k < c->count; k++)
		p->bytes += c->plan[k].bytes;
	return EK_OK;
}

ek_status eki_compose_refresh(ek_plan *p)
{
	const compose *c = p->state;

	for (int k = 0; k < c->count; k++)
		if (c->plan[k].method->refresh)
			EK_RETURN_IF(c->plan[k].method->refresh(&c->plan[k]));
	return EK_OK;
}

ek_status eki_compose_run(const ek_plan *p, const ek_args *args)
{
	const compose *c = p->state;
	ek_args v = *args;

	for (int k = 0; k < c->count; k++) {
		v.kept = c->plan[k].kept;
		EK_RETURN_IF(c->plan[k].method->run(&c->plan[k], &v));
		v.beta = 1;
		v.y0 = v.y;
	}
	return EK_OK;
}
