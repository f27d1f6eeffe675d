/* SPDX-License-Identifier: BSD-3-Clause
 * Contexts on devices. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "support/devices.h"

#include <stdlib.h>

#include "gpu/gpu.h"
#include "support/random.h"
#include "support/support.h"

struct devices devices = {.heap = HEAP_INIT};

enum { WARP = 32 };

static char reason[600];

static void add(const char *name, ek_device_memory memory, bool counted)
{
	static const char *const kind[] = {"auto", "copy", "mapped", "shared"};
	const char *called = getenv("EK_TEST_KIND");
	struct device_context *d = &devices.of[devices.count];
	ek_options o = counted ? heap_options(&devices.heap, 2)
	                       : (ek_options){.size = sizeof o, .threads = 2};

	if (devices.count == MAX_DEVICE_CONTEXTS)
		return;
	o.device = name;
	o.device_memory = memory;
	if (ek_context_create(&o, &d->ctx) != EK_OK)
		fail_msg("%s %s: %s", name, kind[memory], ek_error_text());
	if (called) {
		call_device(d->ctx, called);
		d->ctx->device->info.lanes = WARP;
	}
	d->heap = counted ? &devices.heap : NULL;
	snprintf(d->text, sizeof d->text, "%s %s%s", name, kind[memory], counted ? "" : " heap");
	devices.count++;
}

static void add_all(const ek_device_info *info)
{
	add(info->name, EK_MEMORY_COPY, true);
	if (info->mapped)
		add(info->name, EK_MEMORY_MAPPED, true);
	if (info->shared) {
		add(info->name, EK_MEMORY_SHARED, true);
		add(info->name, EK_MEMORY_SHARED, false);
	}
}

int devices_setup(void **state)
{
	const char *wanted = getenv("EK_DEVICE");
	ek_device_info info = {.size = sizeof info};
	ek_context *one;

	(void)state;
	setenv("EK_CACHE", "off", 0); /* to save binaries takes longer than to compile */
	if (wanted) {
		if (ek_context_create(NULL, &one) != EK_OK)
			fail_msg("EK_DEVICE=%s: %s", wanted, ek_error_text());
		expect_status(ek_context_get_device(one, &info), EK_OK);
		add_all(&info);
		ek_context_destroy(one);
		return 0;
	}
	for (int k = 0; ek_device_get_info(k, &info) == EK_OK; k++)
		add_all(&info);
	snprintf(reason, sizeof reason, "%s", ek_error_text());
	return 0;
}

int devices_teardown(void **state)
{
	(void)state;
	for (int k = 0; k < devices.count; k++)
		ek_context_destroy(devices.of[k].ctx);
	heap_close(&devices.heap);
	return 0;
}

void need_device(void)
{
	if (devices.count)
		return;
	print_message("  not run: %s\n", reason);
	skip();
}

const char *method_with_cuts(const ek_method *m, struct rng *r)
{
	static char text[96];
	char *at = text;
	const int batch = 64 << rng_below(r, 8);

	if (!m || (!uses_both(m) && !strstr(ek_method_name(m), ".batches.")))
		return name_or_auto(m);
	at += snprintf(text, sizeof text, "%s", ek_method_name(m));
	if (!uses_both(m))
		snprintf(at, sizeof text - (size_t)(at - text), ":batch=%d", batch);
	else if (rng_below(r, 4)) /* else the method decides */
		at += snprintf(at, sizeof text - (size_t)(at - text), ":share=%d",
		               1 + (int)rng_below(r, 999));
	if (uses_both(m) && rng_below(r, 4) == 0)
		at += snprintf(at, sizeof text - (size_t)(at - text), "%cbatch=%d",
		               strchr(text, ':') ? ',' : ':', batch);
	if (uses_both(m) && !strstr(text, "spgemm") && rng_below(r, 2))
		snprintf(at, sizeof text - (size_t)(at - text), "%cchunks=%d",
		         strchr(text, ':') ? ',' : ':', 1 + (int)rng_below(r, 6));
	return text;
}

int64_t launches_on(const ek_context *ctx)
{
	ek_device_counters c = {.size = sizeof c};

	expect_status(ek_device_get_counters(ctx, &c), EK_OK);
	return c.launches;
}

void call_device(ek_context *ctx, const char *kind)
{
	ek_device_info *info = &ctx->device->info;

	snprintf(info->kind, sizeof info->kind, "%s", kind);
}

void say_devices(void)
{
	ek_device_info info = {.size = sizeof info};

	for (int d = 0; d < devices.count; d++) {
		expect_status(ek_context_get_device(devices.of[d].ctx, &info), EK_OK);
		printf("%s, %s\n", info.text, devices.of[d].text);
	}
}
