/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that make the lists of `ek list`. list.c lists the library's tables, list_layout.c the
 * public structs, and list_devices.c this machine's processor and devices. */
#ifndef EK_TOOL_LIST_H
#define EK_TOOL_LIST_H

#include "ek.h"

void list_header(struct tool_table *t, const char *const *names);

void list_layout(ek_context *ctx, struct tool_table *t);
void list_devices(ek_context *ctx, struct tool_table *t);
void list_devices_json(json_t *record);
/* Reports the name of each device that fails to describe itself, with the reason. Then prints a
 * remark on what each driver has, or lacks. Returns an exit code. */
int list_devices_rest(const struct tool_options *options);

#endif
