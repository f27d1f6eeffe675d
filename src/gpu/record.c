/* SPDX-License-Identifier: BSD-3-Clause
 * Runs that are repeated. A small product on a device takes less time than the host needs to put
 * its launches into the queue one by one. An iterative solver calls the same plan with the same
 * vectors again and again, so in the second such run the launches are recorded, and from then on
 * one call puts all of them into the queue (CUDA: a graph). OpenCL has an extension for this,
 * cl_khr_command_buffer, that we do not use: in PoCL 3.1, the first to have it, commands take the
 * arguments that their kernels have when they are run, not those that were recorded.
 *
 * Recorded is what a run puts into the queue; so a run can be recorded only if all vectors are on
 * the device, and if it neither waits for the device nor copies to or from the host. While a thread
 * records, drivers refuse everything else (eki_recording), and the plan of a run that was refused
 * is never recorded again. Nor is one with a single command, since nothing would be gained.
 *
 * A plan keeps the recordings of its last few arguments. They hold addresses of vectors, so all are
 * void once the caller frees memory of the device, and when values are renewed, since a method may
 * then have put them elsewhere. */
#include <string.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU

_Thread_local eki_recording_state eki_recording;

ek_status eki_not_recording(void)
{
	return eki_recording.on ? eki_fail(EK_EUNSUPPORTED, "a command that cannot be recorded")
	                        : EK_OK;
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

/* Returns the entry for the arguments of a run: a new one in the place of the oldest if there is
 * none. */
static eki_recorded *entry_for(const eki_step *step, const eki_run *v)
{
	eki_gpu *g = step->gpu;
	const int64_t freed = atomic_load(&g->device->freed);
	const uint64_t values = atomic_load(&step->plan->seen);
	eki_recorded *r;

	if (g->freed != freed || g->values != values)
		eki_gpu_forget(g);
	g->freed = freed;
	g->values = values;
	for (int k = 0; k < EKI_RECORDED; k++)
		if (g->recorded[k].runs > 0 && same(&g->recorded[k], v))
			return &g->recorded[k];
	r = &g->recorded[g->oldest];
	g->oldest = (g->oldest + 1) % EKI_RECORDED;
	if (r->commands)
		g->device->driver->erase(g->device, r->commands);
	*r = (eki_recorded){
		.x = v->x, .y = v->y, .width = v->width, .alpha = v->alpha, .beta = v->beta};
	return r;
}

/* Records a run, whose commands are not executed by that. If it cannot be recorded, or is not worth
 * it, sets g->unrecorded. */
static void record(const eki_step *step, eki_run *v, eki_recorded *r)
{
	eki_gpu *g = step->gpu;
	const eki_driver *driver = g->device->driver;
	ek_status ran, status;

	g->unrecorded = true;
	if (driver->record(g->device) != EK_OK)
		return;
	eki_recording = (eki_recording_state){.on = true};
	ran = eki_step_run(step, v);
	eki_recording.on = false;
	status = driver->recorded(g->device, &r->commands);
	g->unrecorded = ran != EK_OK || status != EK_OK || eki_recording.commands < 2;
	r->launches = eki_recording.launches;
	if (g->unrecorded && r->commands) {
		driver->erase(g->device, r->commands);
		r->commands = NULL;
	}
}

ek_status eki_gpu_repeat(const eki_step *step, eki_run *v)
{
	eki_gpu *g = step->gpu;
	const eki_driver *driver = g->device->driver;
	eki_recorded *r;

	if (!driver->record || g->unrecorded || !v->x.where || !v->y.where || v->C || v->sparse)
		return eki_step_run(step, v);
	r = entry_for(step, v);
	r->runs++;
	if (r->runs == 2)
		record(step, v, r);
	if (!r->commands)
		return eki_step_run(step, v);
	atomic_fetch_add(&g->device->counted.launches, r->launches);
	EK_RETURN_IF(driver->replay(g->device, r->commands));
	return driver->flush(g->device);
}

#endif
