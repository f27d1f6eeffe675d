/* SPDX-License-Identifier: BSD-3-Clause
 * Runs that are repeated. A small product on a device takes less time than the host needs to put
 * its launches into the queue one by one. An iterative solver calls the same plan with the same
 * vectors again and again, so when a run is repeated its launches are recorded, and from then on
 * one call puts all of them into the queue (CUDA: a graph). OpenCL has an extension for this,
 * cl_khr_command_buffer, that we do not use: in PoCL 3.1, the first to have it, commands take the
 * arguments that their kernels have when they are run, not those that were recorded.
 *
 * Recorded is what a run puts into the queue; so a run can be recorded only if all vectors are on
 * the device, and if it neither waits for the device nor copies to or from the host. While a thread
 * records, drivers refuse everything else (eki_not_recording), before anything has happened. Then
 * the run is done as usual, and so is one with a single command, where nothing would be gained.
 *
 * A plan keeps the recordings of its last few arguments. A recording takes as long as many runs, so
 * one is made only when its arguments have come RUNS times, and, beyond the first few attempts,
 * only if the recordings before were run RUNS times each, on average. Recordings hold addresses of
 * vectors, and are run only with the same addresses again. All are void when values are renewed,
 * since a method may then have put them elsewhere. */
#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU

enum { RUNS = 8 };

_Thread_local eki_recording_state eki_recording;

/* Gives no message: the caller never sees this failure, and an older message must stay. */
ek_status eki_not_recording(void)
{
	return eki_recording.on ? EK_EUNSUPPORTED : EK_OK;
}

static bool same_block(const eki_dense *a, const eki_dense *b)
{
	return a->data == b->data && a->row == b->row && a->col == b->col && a->where == b->where;
}

static bool same(const eki_recorded *r, const eki_run *v)
{
	return same_block(&r->x, &v->x) && same_block(&r->y, &v->y) && r->width == v->width &&
	       memcmp(&r->alpha, &v->alpha, sizeof r->alpha) == 0 &&
	       memcmp(&r->beta, &v->beta, sizeof r->beta) == 0;
}

void eki_gpu_forget(eki_gpu *g)
{
	for (int k = 0; k < EKI_RECORDED; k++) {
		if (g->recorded[k].commands)
			g->device->driver->erase(g->device, g->recorded[k].commands);
		g->recorded[k] = (eki_recorded){0};
	}
}

/* Returns the entry for the arguments of a run: a new one in the place of the one that has not been
 * used for longest if there is none. */
static eki_recorded *entry_for(const eki_step *step, const eki_run *v)
{
	eki_gpu *g = step->gpu;
	const uint64_t values = atomic_load(&step->plan->seen);
	eki_recorded *oldest = &g->recorded[0];

	if (g->values != values)
		eki_gpu_forget(g);
	g->values = values;
	for (int k = 0; k < EKI_RECORDED; k++) {
		eki_recorded *r = &g->recorded[k];

		if (r->runs > 0 && same(r, v))
			return r;
		if (r->last < oldest->last)
			oldest = r;
	}
	if (oldest->commands)
		g->device->driver->erase(g->device, oldest->commands);
	*oldest = (eki_recorded){
		.x = v->x, .y = v->y, .width = v->width, .alpha = v->alpha, .beta = v->beta};
	return oldest;
}

/* Records a run, whose commands are not executed by that. r->commands stays NULL if that fails, or
 * if it is not worth it. */
static void record(const eki_step *step, eki_run *v, eki_recorded *r)
{
	eki_gpu *g = step->gpu;
	const eki_driver *driver = g->device->driver;
	char text[EKI_MESSAGE];
	ek_status ran, status;

	snprintf(text, sizeof text, "%s", ek_error_text());
	g->attempts++;
	if (driver->record(g->device) == EK_OK) {
		eki_recording = (eki_recording_state){.on = true};
		ran = eki_step_run(step, v);
		eki_recording.on = false;
		status = driver->recorded(g->device, &r->commands);
		r->launches = eki_recording.launches;
		if (r->commands &&
		    (ran != EK_OK || status != EK_OK || eki_recording.commands < 2)) {
			driver->erase(g->device, r->commands);
			r->commands = NULL;
		}
	}
	eki_fail(EK_OK, "%s", text); /* the run has not failed by that */
}

/* Runs the recorded commands. If that fails, the recordings are given up for good. */
static ek_status replay(eki_gpu *g, const eki_recorded *r)
{
	const eki_driver *driver = g->device->driver;

	if (driver->replay(g->device, r->commands) == EK_OK) {
		g->replays++;
		atomic_fetch_add(&g->device->counted.launches, r->launches);
		return driver->flush(g->device);
	}
	eki_gpu_forget(g);
	g->unrecorded = true;
	return EK_EUNSUPPORTED;
}

ek_status eki_gpu_repeat(const eki_step *step, eki_run *v)
{
	eki_gpu *g = step->gpu;
	eki_recorded *r;

	if (!g->device->driver->record || g->unrecorded || !v->x.where || !v->y.where || v->C ||
	    v->sparse)
		return eki_step_run(step, v);
	r = entry_for(step, v);
	r->last = ++g->runs;
	r->runs++;
	if (r->runs == RUNS && (g->attempts < EKI_RECORDED || g->replays >= RUNS * g->attempts))
		record(step, v, r);
	if (r->commands && replay(g, r) == EK_OK)
		return EK_OK;
	return eki_step_run(step, v);
}

#endif
