/* SPDX-License-Identifier: BSD-3-Clause
 * ek list devices: lists the processor, and the devices that the drivers of this machine have. A
 * remark below the table says which driver is missing, and why. A device that fails to describe
 * itself does not keep the others off the list. */
#include <string.h>

#include "list.h"

static int methods_on(const char *device)
{
	int count = 0;

	for (const ek_method *m = NULL; (m = ek_method_next(m));)
		count += strcmp(ek_method_device(m), device) == 0;
	return count;
}

/* Returns the kinds of memory that a context on the device can have, as a list of values for
 * --device-memory. */
static const char *memory_kinds(const ek_device_info *d)
{
	return d->mapped && d->shared ? "copy mapped shared"
	       : d->mapped            ? "copy mapped"
	       : d->shared            ? "copy shared"
	                              : "copy";
}

static void list_device(const ek_device_info *d, struct tool_table *t)
{
	char buf[32];

	tool_table_add(t, "%s", d->name);
	tool_table_add(t, "%s", d->text);
	tool_table_add(t, "%s", d->kind);
	tool_table_add(t, "%d", d->units);
	tool_table_add(t, "%s", tool_bytes(buf, (double)d->memory));
	tool_table_add(t, "%s", d->arch);
	tool_table_add(t, "%s", d->f64 ? "yes" : "no");
	tool_table_add(t, "%s", memory_kinds(d));
	tool_table_add(t, "%d", methods_on("gpu"));
	tool_table_add(t, "%s", d->driver);
}

/* Stores the description of device k in *d, and the status of this request in *status. Returns true
 * if device k exists, even if it fails to describe itself. */
static bool get_device(int k, ek_device_info *d, ek_status *status)
{
	*d = (ek_device_info){.size = sizeof *d};
	*status = ek_device_get_info(k, d);
	return *status == EK_OK || d->name[0];
}

void list_devices(ek_context *ctx, struct tool_table *t)
{
	static const char *const names[] = {"device",  "name",   "kind", "units",
	                                    "memory",  "arch",   "f64",  "device-memory",
	                                    "methods", "driver", NULL};
	ek_device_info d;
	ek_status status;
	char processor[TOOL_PROCESSOR], buf[32];

	tool_table_start(t, "lllrrlllrl");
	list_header(t, names);
	tool_table_add(t, "cpu");
	tool_table_add(t, "%s", tool_processor(processor));
	tool_table_add(t, "cpu");
	tool_table_add(t, "%d", ek_context_threads(ctx));
	tool_table_add(t, "%s", tool_bytes(buf, tool_memory_all()));
	tool_table_add(t, "%s", ek_isa_name(ek_context_isa(ctx)));
	tool_table_add(t, "yes");
	tool_table_add(t, "-");
	tool_table_add(t, "%d", methods_on("cpu"));
	tool_table_add(t, "-");
	for (int k = 0; get_device(k, &d, &status); k++)
		if (status == EK_OK)
			list_device(&d, t);
}

int list_devices_rest(const struct tool_options *options)
{
	ek_device_info d;
	ek_status status;
	char text[1000];
	int code = TOOL_OK;

	for (int k = 0; get_device(k, &d, &status); k++)
		if (status != EK_OK)
			code = tool_fail(TOOL_FAILED, "%s: %s", d.name, ek_error_text());
	if (ek_device_drivers(text, sizeof text) == EK_OK)
		tool_remark(options, "%s", text);
	return code;
}

/* Makes a JSON record suit programs: bytes become a number, "yes" and "no" become true and false,
 * and the kinds of memory an array. Adds members that the table leaves out. */
void list_devices_json(json_t *record)
{
	const char *name = json_string_value(json_object_get(record, "device"));
	const bool processor = strcmp(name, "cpu") == 0;
	ek_device_info d;
	ek_status status;
	json_t *kinds = json_array();

	json_object_set_new(record, "f64", json_true());
	for (int k = 0; !processor && get_device(k, &d, &status); k++)
		if (strcmp(d.name, name) == 0)
			break;
	if (processor) {
		json_object_set_new(record, "memory", json_integer((json_int_t)tool_memory_all()));
		json_object_set_new(record, "driver", json_null());
	} else {
		json_array_append_new(kinds, json_string("copy"));
		if (d.mapped)
			json_array_append_new(kinds, json_string("mapped"));
		if (d.shared)
			json_array_append_new(kinds, json_string("shared"));
		json_object_set_new(record, "memory", json_integer((json_int_t)d.memory));
		json_object_set_new(record, "local", json_integer((json_int_t)d.local));
		json_object_set_new(record, "local_most", json_integer((json_int_t)d.local_most));
		json_object_set_new(record, "lanes", json_integer(d.lanes));
		json_object_set_new(record, "unified", json_boolean(d.unified));
		json_object_set_new(record, "f64", json_boolean(d.f64));
		json_object_set_new(record, "atomics", json_boolean(d.atomics));
	}
	json_object_set_new(record, "device-memory", kinds);
}
