/* SPDX-License-Identifier: BSD-3-Clause
 * Loads vendors' libraries by dlopen, so that the build needs none of their headers and libraries.
 * Error messages name what is missing at run time. */
#include <dlfcn.h>
#include <string.h>

#include "gpu/library.h"

#ifndef EK_NO_GPU

/* Tells from the text of dlerror whether `file` itself is missing, rather than another library that
 * `file` needs. Knows the wording of glibc and of musl. */
static bool missing(const char *text, const char *file)
{
	static const char musl[] = "Error loading shared library ";

	if (strncmp(text, musl, sizeof musl - 1) == 0)
		text += sizeof musl - 1;
	return strncmp(text, file, strlen(file)) == 0 && strstr(text, "No such file or directory");
}

ek_status eki_library_open(const char *file, void **library)
{
	void *opened = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	const char *text;

	if (!opened) {
		text = dlerror();
		if (!text || missing(text, file))
			return eki_fail(EK_EDEVICE, "there is no %s", file);
		return eki_fail(EK_EDEVICE, "%s", text);
	}
	*library = opened;
	return EK_OK;
}

ek_status eki_library_symbols(void *library, const char *file, const char *const *names, int count,
                              void *table)
{
	void *symbol;

	for (int k = 0; k < count; k++) {
		symbol = dlsym(library, names[k]);
		if (!symbol)
			return eki_fail(EK_EDEVICE, "%s has no function %s", file, names[k]);
		memcpy((char *)table + (size_t)k * sizeof symbol, &symbol, sizeof symbol);
	}
	return EK_OK;
}

void eki_library_close(void *library)
{
	dlclose(library);
}

#endif
