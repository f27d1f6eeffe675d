/* SPDX-License-Identifier: BSD-3-Clause
 * The loop in which the n-th allocation fails. */
#include "support/support.h"
#include "support/exhaust.h"

enum { MOST = 100000, ROOM_BYTE = 0x3c };

void exhaust_open(struct exhaust *e, int threads, const void *arg)
{
	heap_fail(&e->heap, -1, false);
	e->ctx = heap_context_cut(&e->heap, threads, 0);
	e->arg = arg;
}

void exhaust_close(struct exhaust *e)
{
	ek_context_destroy(e->ctx);
	heap_close(&e->heap);
}

static void check_failure(struct exhaust *e, const char *name, long n, ek_status status, long live,
                          const void *out)
{
	if (status != EK_ENOMEM)
		fail_msg("%s, allocation %ld: status %d (%s) instead of EK_ENOMEM", name, n,
		         (int)status, ek_error_text());
	if (atomic_load(&e->heap.live) != live)
		fail_msg("%s, allocation %ld: %ld blocks leaked", name, n,
		         atomic_load(&e->heap.live) - live);
	if (e->out != out)
		fail_msg("%s, allocation %ld: the output was changed", name, n);
	for (size_t k = 0; k < sizeof e->room; k++)
		if (e->room[k] != ROOM_BYTE)
			fail_msg("%s, allocation %ld: the output was changed", name, n);
}

long exhaust(struct exhaust *e, const char *name, exhaust_call *call, exhaust_release *release)
{
	long live = atomic_load(&e->heap.live), needed[2];

	for (int persistent = 0; persistent < 2; persistent++) {
		for (long n = 0; n < MOST; n++) {
			ek_status status;

			e->out = &e->out; /* an address that no call can give as its output */
			memset(e->room, ROOM_BYTE, sizeof e->room);
			heap_fail(&e->heap, n, persistent);
			status = call(e);
			heap_fail(&e->heap, -1, false);
			needed[persistent] = n;
			if (status == EK_OK)
				break;
			check_failure(e, name, n, status, live, &e->out);
		}
		if (release)
			release(e);
		if (atomic_load(&e->heap.live) != live)
			fail_msg("%s: %ld blocks are left after the release", name,
			         atomic_load(&e->heap.live) - live);
	}
	if (needed[0] != needed[1])
		fail_msg("%s succeeds after %ld failures, but after %ld persistent ones", name,
		         needed[0], needed[1]);
	print_message("  %-40s %3ld allocations\n", name, needed[0]);
	return needed[0];
}

struct wanted {
	ek_operation operation;
	const ek_matrix *A;
	const ek_hints *hints;
};

static ek_status make_plan(struct exhaust *e)
{
	const struct wanted *w = e->arg;

	return ek_plan_create(w->operation, w->A, w->hints, (ek_plan **)&e->out);
}

static void free_plan(struct exhaust *e)
{
	ek_plan_destroy(e->out);
}

long exhaust_plan(struct exhaust *e, ek_operation operation, const ek_matrix *A,
                  const ek_hints *hints)
{
	const struct wanted wanted = {operation, A, hints};
	const void *before = e->arg;
	char name[64];

	snprintf(name, sizeof name, "ek_plan_create, %s",
	         hints->method ? hints->method : ek_operation_name(operation));
	e->arg = &wanted;
	const long needed = exhaust(e, name, make_plan, free_plan);

	e->arg = before;
	return needed;
}

void exhaust_free_matrix(struct exhaust *e)
{
	ek_matrix_destroy(e->out);
}

ek_status exhaust_multiply(struct exhaust *e)
{
	const struct exhaust_product *p = e->arg;
	const ek_hints hints = {.size = sizeof hints, .method = p->method, .B = p->B};
	ek_plan *plan;
	ek_matrix *C = NULL;
	ek_status status = ek_plan_create(EK_SPGEMM, p->A, &hints, &plan);

	if (status != EK_OK)
		return status;
	status = ek_spgemm(plan, 1, 0, &C);
	ek_plan_destroy(plan);
	if (status == EK_OK)
		e->out = C;
	return status;
}
