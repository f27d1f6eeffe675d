/* SPDX-License-Identifier: BSD-3-Clause
 * A run of a sparse product that processor and device do together. A method on a device waits for
 * it several times in a run, since the host allocates C. So a thread of the run's own has the
 * device's pieces, while the calling thread, with those of the library, computes the others. Each
 * piece gives a part of C. At last the parts are put together (sparse_parts.c).
 *
 * Where there may be no other thread, the device has its turn before the processor (eki_beside).
 *
 * Cost besides the products: starting a thread, tens of microseconds, and what parts cost. */
#include <stdio.h>

#include "base/pool.h"
#include "both/sparse.h"

#ifndef EK_NO_GPU

typedef struct sides {
	const eki_step *step;
	const eki_run *run;
	ek_store part[EKI_PIECES]; /* parts of C */
	int first;                 /* number of pieces that the device does */
	ek_status host, device;
	int64_t host_end;       /* when the processor had done its pieces */
	char text[EKI_MESSAGE]; /* the error message of the device's thread */
} sides;

/* ---- Both sides ------------------------------------------------------------------------------ */

/* Runs pieces [begin, end) on a side. */
static ek_status run_pieces(sides *t, int side, int begin, int end)
{
	const eki_sparse_both *s = t->step->state;

	for (int k = begin; k < end; k++) {
		eki_run part = *t->run;

		part.C = &t->part[k];
		if (s->piece[k].step[side])
			EK_RETURN_IF(eki_step_run(s->piece[k].step[side], &part));
	}
	return EK_OK;
}

static void *run_device(void *arg)
{
	sides *t = arg;

	t->device = run_pieces(t, EKI_DEVICE_SIDE, 0, t->first);
	if (t->device != EK_OK)
		snprintf(t->text, sizeof t->text, "%s", ek_error_text());
	return NULL;
}

static void run_host(void *arg)
{
	sides *t = arg;
	const eki_sparse_both *s = t->step->state;

	t->host = run_pieces(t, EKI_HOST_SIDE, t->first, s->pieces);
	t->host_end = eki_now_ns();
}

/* Runs all pieces, and sets *waited to the nanoseconds in which the processor only waited. */
static ek_status run_sides(sides *t, int64_t *waited)
{
	eki_beside(t->step->ctx, t->step->threads, run_device, run_host, t);
	*waited = eki_now_ns() - t->host_end;
	if (t->host == EK_OK && t->device != EK_OK)
		return eki_fail(t->device, "%s", t->text);
	return t->host;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* Lets the pieces move after a run that took `ns`. */
static void move(const eki_step *step, int64_t ns, int64_t waited)
{
	eki_sparse_both *s = step->state;

	eki_balance_run(step, &s->balance, ns, waited);
	s->first = s->balance.now;
}

static ek_status run_both(const eki_step *step, const eki_run *v, int64_t *waited)
{
	const eki_sparse_both *s = step->state;
	const bool known = v->C->array[CSR_PTR] != NULL;
	sides t = {.step = step, .run = v, .first = s->first};
	ek_status status;

	for (int k = 0; known && k < s->pieces; k++)
		if (eki_sparse_rows(s, k) > 0)
			EK_TRY(eki_part_view(step, v->C, s->piece[k].begin, eki_sparse_rows(s, k),
			                     &t.part[k]));
	EK_TRY(run_sides(&t, waited));
	if (!known)
		status = eki_parts_join(step, t.part, s->pieces, v->C);
done:
	for (int k = 0; k < EKI_PIECES; k++)
		if (known)
			eki_part_view_free(step, &t.part[k]);
		else
			eki_store_free(step->ctx, &t.part[k]);
	return status;
}

ek_status eki_sparse_both_run(const eki_step *step, const eki_run *v)
{
	const eki_sparse_both *s = step->state;
	const int64_t start = eki_now_ns();
	eki_run whole = *v;
	int64_t waited = 0;

	if (s->pieces == 1)
		return eki_step_run(s->piece[0].step[s->first ? EKI_DEVICE_SIDE : EKI_HOST_SIDE],
		                    &whole);
	EK_RETURN_IF(run_both(step, v, &waited));
	if (s->moves)
		move(step, eki_now_ns() - start, waited);
	return EK_OK;
}

#endif
