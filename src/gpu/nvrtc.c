/* SPDX-License-Identifier: BSD-3-Clause
 * NVRTC, NVIDIA's run-time compiler: finding the library, choosing the target, and compiling.
 *
 * NVRTC is not part of the driver, so it may be missing, or newer than the driver. A driver refuses
 * code of a later major version of CUDA. So the search begins with the library of the driver's own
 * version and goes on with earlier versions. Last comes a library without a version in its file
 * name, which is asked for its version. The environment variable EK_NVRTC may name another file,
 * for example that of a Python package.
 *
 * Multiplication and addition are not fused (--fmad=false): the library fuses them only where its
 * code says so. The same text therefore rounds identically under CUDA and OpenCL. Nothing is lost,
 * since sparse kernels wait for memory, not for arithmetic. */
#include <stdio.h>
#include <string.h>
#include <threads.h>

#include "gpu/cuda_api.h"
#include "gpu/library.h"
#include "gpu/nvrtc.h"

#ifndef EK_NO_GPU

enum { PATH = 512, OLDEST = 12, NEWEST = 19, LINE = 400, ARCHS = 64 };

static struct api {
	EKI_NVRTC_FUNCTIONS(EKI_FUNCTION_POINTER)
} api;
static const char *const names[] = {EKI_NVRTC_FUNCTIONS(EKI_FUNCTION_NAME)};

static once_flag once = ONCE_FLAG_INIT;
static _Thread_local int asked; /* argument of eki_nvrtc_open, passed to open_once */
static struct {
	int newest; /* latest major version of CUDA that the driver supports */
	ek_status status;
	char text[900];
} opened;

/* ---- Finding the library --------------------------------------------------------------------- */

/* Loads `file` if it is a version of NVRTC that has all functions and is not too new for the
 * driver. */
static ek_status take(const char *file)
{
	ek_status status = EK_OK;
	void *library;
	int major = 0, minor = 0;

	EK_RETURN_IF(eki_library_open(file, &library));
	EK_TRY(eki_library_symbols(library, file, names, EKI_COUNT(names), &api));
	if (api.nvrtcVersion(&major, &minor) != 0 || major < 1)
		EK_TRY(eki_fail(EK_EDEVICE, "%s does not tell its version", file));
	if (opened.newest != EKI_NVRTC_ANY && major > opened.newest)
		EK_TRY(eki_fail(EK_EDEVICE,
		                "%s is of CUDA %d.%d, and the driver understands CUDA %d at most",
		                file, major, minor, opened.newest));
done:
	if (status != EK_OK)
		eki_library_close(library);
	return status;
}

/* Tries to load the library `name` from all folders where a CUDA toolkit may be. `why` receives the
 * error of a file that exists but cannot be used; it is unchanged if no such file exists. */
static ek_status take_name(const char *name, char *why, size_t size)
{
	static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
	char path[PATH];
	FILE *file;

	if (take(name) == EK_OK)
		return EK_OK;
	if (strncmp(ek_error_text(), "there is no ", 12) != 0)
		snprintf(why, size, "%s", ek_error_text());
	for (int k = 0; k <= EKI_COUNT(variables); k++) {
		const char *root =
			k < EKI_COUNT(variables) ? eki_getenv(variables[k]) : "/usr/local/cuda";

		if (!root || snprintf(path, sizeof path, "%s/lib64/%s", root, name) >= PATH)
			continue;
		file = fopen(path, "rb");
		if (!file)
			continue;
		fclose(file);
		if (take(path) == EK_OK)
			return EK_OK;
		snprintf(why, size, "%s", ek_error_text());
	}
	return EK_EDEVICE;
}

static ek_status look(void)
{
	const char *file = eki_getenv("EK_NVRTC");
	char name[32], why[400] = "";

	if (file) {
		if (take(file) == EK_OK)
			return EK_OK;
		snprintf(why, sizeof why, "%s", ek_error_text());
		return eki_fail(EK_EDEVICE, "environment variable EK_NVRTC: %s", why);
	}
	for (int major = opened.newest != EKI_NVRTC_ANY ? opened.newest : NEWEST; major >= OLDEST;
	     major--) {
		snprintf(name, sizeof name, "libnvrtc.so.%d", major);
		if (take_name(name, why, sizeof why) == EK_OK)
			return EK_OK;
	}
	if (take_name("libnvrtc.so", why, sizeof why) == EK_OK)
		return EK_OK;
	return eki_fail(EK_EDEVICE,
	                "NVRTC, which compiles kernels for CUDA, is not there: neither "
	                "libnvrtc.so.%d nor an earlier one, where libraries are, in "
	                "$CUDA_HOME/lib64, $CUDA_PATH/lib64 and /usr/local/cuda/lib64 (EK_NVRTC "
	                "names a file)%s%s",
	                opened.newest != EKI_NVRTC_ANY ? opened.newest : NEWEST, *why ? "; " : "",
	                why);
}

static void open_once(void)
{
	opened.newest = asked;
	opened.status = look();
	if (opened.status != EK_OK)
		snprintf(opened.text, sizeof opened.text, "%s", ek_error_text());
}

ek_status eki_nvrtc_open(int newest)
{
	asked = newest;
	call_once(&once, open_once);
	return opened.status == EK_OK ? EK_OK : eki_fail(opened.status, "%s", opened.text);
}

/* ---- Compiling ------------------------------------------------------------------------------- */

static const char *error_name(int error)
{
	static const char *const text[] = {
		"success",         "out of memory",  "program creation failed", "invalid input",
		"invalid program", "invalid option", "compilation failed",
	};

	return error >= 0 && error < EKI_COUNT(text) ? text[error] : "internal error";
}

static ek_status check(int result, const char *call, const char *name, const char *target)
{
	if (result == 0)
		return EK_OK;
	return eki_fail(result == EKI_NVRTC_OUT_OF_MEMORY ? EK_ENOMEM : EK_EDEVICE,
	                "%s: %s (%d) for %s, %s", call, error_name(result), result, name, target);
}
#define CALL(function, ...) check(api.function(__VA_ARGS__), #function, name, target)

static const char *const options[] = {"--std=c++17", "--fmad=false",
                                      "--diag-suppress=177"}; /* 177 warns of unused functions */

ek_status eki_nvrtc_describe(const char *target, char *text, size_t size)
{
	const char *name = "its version";
	int major, minor, used;

	EK_RETURN_IF(CALL(nvrtcVersion, &major, &minor));
	used = snprintf(text, size, "NVRTC %d.%d %s", major, minor, target);
	for (int k = 0; k < EKI_COUNT(options) && used < (int)size; k++)
		used += snprintf(text + used, size - (size_t)used, " %s", options[k]);
	return EK_OK;
}

ek_status eki_nvrtc_target(int arch, char target[EKI_NVRTC_TARGET])
{
	const char *name = "the list of architectures";
	int known[ARCHS], count = 0, best = 0;

	snprintf(target, EKI_NVRTC_TARGET, "sm_%d", arch);
	EK_RETURN_IF(CALL(nvrtcGetNumSupportedArchs, &count));
	if (count < 1 || count > ARCHS)
		return eki_fail(EK_EDEVICE, "NVRTC tells of %d architectures", count);
	EK_RETURN_IF(CALL(nvrtcGetSupportedArchs, known));
	for (int k = 0; k < count; k++)
		if (known[k] <= arch && known[k] > best)
			best = known[k];
	if (best == 0)
		return eki_fail(EK_EDEVICE,
		                "this NVRTC compiles for sm_%d and later, the device is an sm_%d; "
		                "EK_NVRTC may name an earlier one",
		                known[0], arch);
	snprintf(target, EKI_NVRTC_TARGET, best == arch ? "sm_%d" : "compute_%d", best);
	return EK_OK;
}

void eki_nvrtc_one_line(const char *log, char *line, size_t size)
{
	size_t n = 0;

	for (; *log && n + 1 < size; log++) {
		const char c = *log == '\n' || *log == '\r' || *log == '\t' ? ' ' : *log;

		if (c != ' ' || (n > 0 && line[n - 1] != ' '))
			line[n++] = c;
	}
	while (n > 0 && line[n - 1] == ' ')
		n--;
	line[n] = 0;
}

/* Reads the beginning of the compiler's log, which has the first error, into `line`. If the log is
 * empty, sets `line` to "". */
static ek_status read_log(const ek_context *ctx, void *program, const char *name,
                          const char *target, char line[LINE])
{
	void *log = NULL;
	size_t bytes = 0;
	ek_status status = EK_OK;

	line[0] = 0;
	EK_RETURN_IF(CALL(nvrtcGetProgramLogSize, program, &bytes));
	if (bytes <= 1)
		return EK_OK;
	EK_RETURN_IF(eki_alloc(ctx, (int64_t)bytes, 1, &log));
	EK_TRY(CALL(nvrtcGetProgramLog, program, log));
	eki_nvrtc_one_line(log, line, LINE);
done:
	eki_free(ctx, log, (int64_t)bytes, 1);
	return status;
}

static ek_status compile(const ek_context *ctx, void *program, const char *target, const char *name)
{
	char arch[EKI_NVRTC_TARGET + 32], line[LINE];
	const char *option[EKI_COUNT(options) + 1] = {arch};
	int result;

	snprintf(arch, sizeof arch, "--gpu-architecture=%s", target);
	memcpy(option + 1, options, sizeof options);
	result = api.nvrtcCompileProgram(program, EKI_COUNT(option), option);
	EK_RETURN_IF(read_log(ctx, program, name, target, line));
	if (result != 0 && *line)
		return eki_fail(result == EKI_NVRTC_OUT_OF_MEMORY ? EK_ENOMEM : EK_EDEVICE,
		                "nvrtcCompileProgram: %s (%d) for %s, %s: %s", error_name(result),
		                result, name, target, line);
	if (result == 0 && *line)
		eki_log(ctx, EK_LOG_WARNING, "NVRTC on %s, %s: %s", name, target, line);
	return check(result, "nvrtcCompileProgram", name, target);
}

ek_status eki_nvrtc_compile(const ek_context *ctx, const char *target, const char *name,
                            const char *text, void **code, int64_t *bytes)
{
	const bool machine = strncmp(target, "sm_", 3) == 0;
	void *program = NULL, *output = NULL;
	size_t size = 0;
	ek_status status = EK_OK;

	EK_RETURN_IF(CALL(nvrtcCreateProgram, &program, text, name, 0, NULL, NULL));
	EK_TRY(compile(ctx, program, target, name));
	if (machine)
		EK_TRY(CALL(nvrtcGetCUBINSize, program, &size));
	else
		EK_TRY(CALL(nvrtcGetPTXSize, program, &size));
	EK_TRY(eki_alloc(ctx, (int64_t)size, 1, &output));
	if (machine)
		EK_TRY(CALL(nvrtcGetCUBIN, program, output));
	else
		EK_TRY(CALL(nvrtcGetPTX, program, output));
	*code = output;
	*bytes = (int64_t)size;
done:
	if (status != EK_OK)
		eki_free(ctx, output, (int64_t)size, 1);
	api.nvrtcDestroyProgram(&program);
	return status;
}

#endif
