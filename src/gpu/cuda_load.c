/* SPDX-License-Identifier: BSD-3-Clause
 * Loads the library of CUDA's driver interface: libcuda.so.1, or the file that the environment
 * variable EK_CUDA names. Error messages say what is missing. Also counts and describes the
 * devices. The library comes with the driver of the graphics card, not with the CUDA toolkit. */
#include <stdio.h>
#include <string.h>
#include <threads.h>

#include "gpu/cuda.h"
#include "gpu/library.h"

#ifndef EK_NO_GPU

struct eki_cuda_api eki_cuda_api;
static const char *const names[] = {EKI_CUDA_FUNCTIONS(EKI_FUNCTION_NAME)};
static const char *const graphs[] = {EKI_CUDA_GRAPHS(EKI_FUNCTION_NAME)};

static once_flag once = ONCE_FLAG_INIT;
static struct {
	ek_status status;
	char text[600];
	int devices, version; /* number of devices; CUDA version, 13000 for 13.0 */
} loaded;

ek_status eki_cuda_check(int result, const char *call)
{
	const char *name = NULL;

	if (result == 0)
		return EK_OK;
	if (eki_cuda_api.cuGetErrorName(result, &name) != 0 || !name)
		name = "an error without a name";
	return eki_fail(result == EKI_CUDA_OUT_OF_MEMORY ? EK_ENOMEM : EK_EDEVICE,
	                "%s failed: %s (%d)", call, name, result);
}

static ek_status missing(void)
{
	char text[400];

	snprintf(text, sizeof text, "%s", ek_error_text());
	return eki_fail(EK_EDEVICE, "%s; it comes with NVIDIA's driver (EK_CUDA names another)",
	                text);
}

static ek_status load(void)
{
	const char *file = eki_getenv("EK_CUDA");
	void *library;

	if (!file)
		file = "libcuda.so.1";
	if (eki_library_open(file, &library) != EK_OK)
		return missing();
	if (eki_library_symbols(library, file, names, EKI_COUNT(names), &eki_cuda_api) != EK_OK) {
		eki_library_close(library);
		return missing();
	}
	eki_cuda_api.graphs = eki_library_symbols(library, file, graphs, EKI_COUNT(graphs),
	                                          &eki_cuda_api.cuStreamBeginCapture_v2) == EK_OK;
	/* From cuInit on, libcuda may have threads of its own, so it is never unloaded. */
	EK_RETURN_IF(CALL(cuInit, 0));
	EK_RETURN_IF(CALL(cuDriverGetVersion, &loaded.version));
	return CALL(cuDeviceGetCount, &loaded.devices);
}

static void load_once(void)
{
	loaded.status = load();
	if (loaded.status != EK_OK)
		snprintf(loaded.text, sizeof loaded.text, "%s", ek_error_text());
}

ek_status eki_cuda_count(int *count)
{
	call_once(&once, load_once);
	if (loaded.status != EK_OK)
		return eki_fail(EK_EDEVICE, "%s", loaded.text);
	*count = loaded.devices;
	return EK_OK;
}

int eki_cuda_version(void)
{
	return loaded.version;
}

ek_status eki_cuda_info(int k, ek_device_info *info)
{
	int device, attribute[9];
	static const int number[] = {
		EKI_CUDA_UNITS,      EKI_CUDA_WARP,    EKI_CUDA_LOCAL,
		EKI_CUDA_INTEGRATED, EKI_CUDA_MANAGED, EKI_CUDA_CONCURRENT_MANAGED,
		EKI_CUDA_MAJOR,      EKI_CUDA_MINOR,   EKI_CUDA_LOCAL_MOST};
	char text[sizeof info->text] = "";
	size_t memory;

	EK_RETURN_IF(CALL(cuDeviceGet, &device, k));
	EK_RETURN_IF(CALL(cuDeviceGetName, text, (int)sizeof text, device));
	EK_RETURN_IF(CALL(cuDeviceTotalMem_v2, &memory, device));
	for (int i = 0; i < EKI_COUNT(number); i++)
		EK_RETURN_IF(CALL(cuDeviceGetAttribute, &attribute[i], number[i], device));
	memcpy(info->text, text, sizeof text);
	snprintf(info->driver, sizeof info->driver, "CUDA %d.%d", loaded.version / 1000,
	         loaded.version % 1000 / 10);
	snprintf(info->kind, sizeof info->kind, "gpu");
	info->units = attribute[0];
	info->lanes = attribute[1];
	info->memory = (int64_t)memory;
	info->local = attribute[2];
	info->local_most = attribute[8] > attribute[2] ? attribute[8] : attribute[2];
	info->unified = attribute[3] != 0;
	info->mapped = 0;
	info->shared = attribute[4] && attribute[5];
	info->atomics = info->shared; /* cards with such memory have atomic operations with it */
	info->f64 = 1;
	snprintf(info->arch, sizeof info->arch, "sm_%d", attribute[6] * 10 + attribute[7]);
	return EK_OK;
}

#endif
