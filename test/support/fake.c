/* SPDX-License-Identifier: BSD-3-Clause
 * The fake libcuda.so.1, loaded into this process. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <dlfcn.h>

#include "gpu/nvrtc.h"
#include "support/fake.h"
#include "support/support.h"

#define FAKE EK_FAKE_DIR "/libfake_cuda.so"

static struct fake_cuda *fake;

struct fake_cuda *fake_cuda_use(void)
{
	/* The library under test opens the same file later, and so gets the same object. */
	void *library = dlopen(FAKE, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		fail_msg("%s", dlerror());
	fake = dlsym(library, "fake_cuda");
	assert_non_null(fake);
	setenv("EK_CUDA", FAKE, 1);
	setenv("EK_CACHE", "off", 1);
	unsetenv("EK_DEVICE");
	return fake;
}

ek_status fake_context(const char *device, ek_device_memory memory, struct heap *h,
                       ek_context **out)
{
	ek_options o = h ? heap_options(h, 1) : (ek_options){.size = sizeof o, .threads = 1};

	o.device = device;
	o.device_memory = memory;
	return ek_context_create(&o, out);
}

void fake_clean(const char *what)
{
	if (*fake->misuse)
		fail_msg("%s: %s", what, fake->misuse);
	if (fake->live)
		fail_msg("%s: %ld things are left on the device", what, fake->live);
}

void need_nvrtc(void)
{
#ifndef EK_NO_GPU
	if (eki_nvrtc_open(13) == EK_OK)
		return;
#endif
	print_message("  not run: %s\n", ek_error_text());
	skip();
}
