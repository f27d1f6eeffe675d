/* SPDX-License-Identifier: BSD-3-Clause
 * Graphs of the fake libcuda.so.1. A stream that captures counts the commands that it gets. A graph
 * knows its number of launches, and a run of it counts as so many. */
#include "fake/fake_things.h"

int fake_capturing;

int cuStreamBeginCapture_v2(void *stream, int mode)
{
	thing *t = stream;

	TURN(UNKNOWN);
	if (fake_stream(__func__, stream))
		return INVALID_HANDLE;
	if (mode != EKI_CUDA_CAPTURE_RELAXED || t->capturing)
		return fake_misuse(INVALID_VALUE, "cuStreamBeginCapture: mode %d", mode);
	fake_capturing++;
	t->capturing = 1;
	t->count = 0;
	return 0;
}

int fake_captures(const char *call, const void *stream)
{
	const thing *t = stream;

	return !fake_check(call, stream, STREAM) && t->capturing;
}

int fake_capture(void *stream, int launches)
{
	if (fake_fails("a captured command", UNKNOWN)) {
		((thing *)stream)->capturing = -1;
		return UNKNOWN;
	}
	((thing *)stream)->count += launches;
	return 0;
}

int cuStreamEndCapture(void *stream, void **graph)
{
	thing *t = stream;
	int state;

	if (fake_check(__func__, stream, STREAM))
		return INVALID_HANDLE;
	state = t->capturing;
	fake_capturing -= state != 0;
	t->capturing = 0;
	TURN(UNKNOWN);
	if (state == 0)
		return fake_misuse(INVALID_VALUE, "cuStreamEndCapture: nothing is captured");
	if (state < 0)
		return CAPTURE_INVALIDATED;
	*graph = fake_make(GRAPH, t->device);
	((thing *)*graph)->count = t->count;
	return 0;
}

int cuGraphInstantiateWithFlags(void **executable, void *graph, uint64_t flags)
{
	thing *t;

	TURN(MEMORY_OUT);
	if (fake_check(__func__, graph, GRAPH) || flags)
		return INVALID_HANDLE;
	t = fake_make(EXECUTABLE, ((thing *)graph)->device);
	t->count = ((thing *)graph)->count;
	*executable = t;
	return 0;
}

int cuGraphDestroy(void *graph)
{
	return fake_drop(__func__, graph, GRAPH);
}

int cuGraphLaunch(void *executable, void *stream)
{
	TURN(UNKNOWN);
	if (fake_check(__func__, executable, EXECUTABLE) || fake_stream(__func__, stream))
		return INVALID_HANDLE;
	fake_cuda.launches += ((thing *)executable)->count;
	fake_cuda.graphs++;
	return 0;
}

int cuGraphExecDestroy(void *executable)
{
	return fake_drop(__func__, executable, EXECUTABLE);
}
