/* SPDX-License-Identifier: BSD-3-Clause
 * Recordings of the CUDA driver. A thread that records puts its commands into a stream of its own,
 * which captures them as a graph; so commands that other threads put into the card's stream do not
 * get into it. An executable graph then goes into the card's stream by one call. */
#include "gpu/cuda.h"

#ifndef EK_NO_GPU

_Thread_local void *eki_cuda_recorder;

static ek_status begin(void)
{
	void *stream;
	ek_status status;

	EK_RETURN_IF(CALL(cuStreamCreate, &stream, EKI_CUDA_NON_BLOCKING));
	status = CALL(cuStreamBeginCapture_v2, stream, EKI_CUDA_CAPTURE_RELAXED);
	if (status == EK_OK)
		eki_cuda_recorder = stream;
	else
		eki_cuda_api.cuStreamDestroy_v2(stream);
	return status;
}

/* The context stays current until eki_cuda_recorded, so that nothing can keep that from ending the
 * capture. */
ek_status eki_cuda_record(eki_device *device)
{
	ek_status status;

	if (!eki_cuda_api.graphs)
		return EK_EUNSUPPORTED;
	EK_RETURN_IF(eki_cuda_enter(device));
	status = begin();
	return status == EK_OK ? EK_OK : eki_cuda_leave(status);
}

static ek_status finish(void *stream, void **commands)
{
	void *graph = NULL;
	ek_status status;

	EK_TRY(CALL(cuStreamEndCapture, stream, &graph));
	EK_TRY(CALL(cuGraphInstantiateWithFlags, commands, graph, 0));
done:
	if (graph)
		eki_cuda_api.cuGraphDestroy(graph);
	eki_cuda_api.cuStreamDestroy_v2(stream);
	return status;
}

ek_status eki_cuda_recorded(eki_device *device, void **commands)
{
	void *stream = eki_cuda_recorder;
	ek_status status;

	(void)device;
	eki_cuda_recorder = NULL;
	*commands = NULL;
	status = finish(stream, commands);
	if (status != EK_OK)
		*commands = NULL;
	return eki_cuda_leave(status);
}

ek_status eki_cuda_replay(eki_device *device, void *commands)
{
	const eki_card *c = device->own;

	EK_RETURN_IF(eki_cuda_enter(device));
	return eki_cuda_leave(CALL(cuGraphLaunch, commands, c->stream));
}

/* If the graph still runs, CUDA frees it when it is done. */
void eki_cuda_erase(eki_device *device, void *commands)
{
	if (eki_cuda_push(device) != EK_OK)
		return;
	eki_cuda_api.cuGraphExecDestroy(commands);
	eki_cuda_leave(EK_OK);
}

#endif
